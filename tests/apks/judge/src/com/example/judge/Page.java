package com.example.judge;

import android.view.View;
import android.widget.LinearLayout;
import android.widget.ScrollView;

/** A page that scrolls as a whole. */
public class Page extends Screen {
  @Override
  protected boolean hasLog() {
    return false;
  }

  @Override
  protected void fill() {
    ScrollView scroller = rest(new ScrollView(this));
    root.setId(View.NO_ID);
    LinearLayout page = column();
    page.setId(R.id.root);
    for (int n = 0; n < 80; n++) {
      page.addView(tall(text(R.id.page_row, "Row " + n), 64));
    }
    scroller.addView(page);
    root.addView(scroller);
  }
}
