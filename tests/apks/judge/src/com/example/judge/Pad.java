package com.example.judge;

/** Three buttons above two above one. */
public class Pad extends Screen {
  @Override
  protected void fill() {
    root.addView(named(R.id.above, beside(share(button(R.id.a)), share(button(R.id.b)), share(button(R.id.c)))));
    root.addView(named(R.id.below, beside(share(button(R.id.d)), share(button(R.id.e)))));
    root.addView(button(R.id.g));
    root.addView(text(R.id.plain, "Plain"));
  }
}
