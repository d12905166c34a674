package com.example.judge;

import android.widget.HorizontalScrollView;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.SeekBar;

/** Scrollers inside a scroller. */
public class Nested extends Screen {
  @Override
  protected void fill() {
    ScrollView scroller = rest(new ScrollView(this));
    scroller.setId(R.id.scroller);
    LinearLayout inside = column();
    HorizontalScrollView across = new HorizontalScrollView(this);
    across.setId(R.id.inner_across);
    LinearLayout row = new LinearLayout(this);
    for (int n = 0; n < 40; n++) {
      row.addView(button(R.id.button, "Column " + n, () -> say("column")), new LinearLayout.LayoutParams(dp(140), dp(64)));
    }
    across.addView(row);
    inside.addView(across);
    ScrollView inner = new ScrollView(this);
    inner.setId(R.id.inner);
    LinearLayout within = column();
    for (int n = 0; n < 20; n++) {
      within.addView(tall(button(R.id.button, "Inner " + n, () -> say("inner")), 56));
    }
    inner.addView(within);
    inside.addView(tall(inner, 200));
    SeekBar bar = new SeekBar(this);
    bar.setId(R.id.bar);
    inside.addView(bar);
    for (int n = 0; n < 60; n++) {
      inside.addView(tall(button(R.id.button, "Row " + n, () -> say("row")), 64));
    }
    scroller.addView(inside);
    root.addView(scroller);
  }
}
