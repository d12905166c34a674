package com.example.judge;

import android.widget.LinearLayout;
import android.widget.ScrollView;

/** Many buttons in a ScrollView. */
public class Scroll extends Screen {
  @Override
  protected void fill() {
    ScrollView scroller = rest(new ScrollView(this));
    scroller.setId(R.id.scroller);
    LinearLayout inside = column();
    for (int n = 0; n < 200; n++) {
      inside.addView(tall(button(R.id.button, "Row " + n, () -> say("row")), 64));
    }
    scroller.addView(inside);
    root.addView(scroller);
  }
}
