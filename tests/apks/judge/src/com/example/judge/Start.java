package com.example.judge;

import android.content.Intent;

/** Leads to other screens. */
public class Start extends Screen {
  @Override
  protected void fill() {
    root.addView(button(R.id.to_text, "Text", () -> startActivity(new Intent(this, Text.class))));
    root.addView(button(R.id.to_touch, "Touch", () -> startActivity(new Intent(this, Touch.class))));
    root.addView(button(R.id.to_fields, "Fields", () -> startActivity(new Intent(this, Fields.class))));
    root.addView(text(R.id.plain, "Plain"));
  }
}
