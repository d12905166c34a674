package com.example.judge;

import android.text.InputType;

/** Empty fields. */
public class Text extends Screen {
  @Override
  protected void fill() {
    root.addView(field(R.id.name, "Name", ""));
    root.addView(lines(R.id.notes, "Notes", ""));
    root.addView(field(R.id.secret, "Secret", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD, ""));
    root.addView(field(R.id.number, "Number", InputType.TYPE_CLASS_NUMBER, ""));
    root.addView(button(R.id.go));
  }
}
