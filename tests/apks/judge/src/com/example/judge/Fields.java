package com.example.judge;

/** Fields, a box and buttons, for the keys that lead from one to the next. */
public class Fields extends Screen {
  @Override
  protected void fill() {
    root.addView(field(R.id.one, "One", ""));
    root.addView(field(R.id.two, "Two", ""));
    root.addView(field(R.id.three, "Three", ""));
    root.addView(check(R.id.box, "Box"));
    root.addView(button(R.id.first));
    root.addView(button(R.id.second));
    root.addView(text(R.id.plain, "Plain"));
  }
}
