package com.example.judge;

import android.view.ViewGroup;
import android.widget.HorizontalScrollView;
import android.widget.LinearLayout;

/** Buttons side by side that scroll. */
public class Across extends Screen {
  @Override
  protected void fill() {
    HorizontalScrollView across = new HorizontalScrollView(this);
    across.setId(R.id.across);
    LinearLayout inside = new LinearLayout(this);
    for (int n = 100; n < 300; n++) {
      inside.addView(button(R.id.button, "Row " + n, () -> say("row")), new LinearLayout.LayoutParams(dp(72), ViewGroup.LayoutParams.WRAP_CONTENT));
    }
    across.addView(inside);
    root.addView(across);
    root.addView(button(R.id.far));
  }
}
