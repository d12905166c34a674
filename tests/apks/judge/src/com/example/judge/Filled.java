package com.example.judge;

import android.text.InputType;

/** Fields with texts that are no longer than a line. */
public class Filled extends Screen {
  @Override
  protected void fill() {
    root.addView(field(R.id.line, "Line", "alpha beta gamma"));
    root.addView(field(R.id.word, "Word", repeat('m', 14)));
    root.addView(field(R.id.pair, "Pair", repeat('m', 10) + " " + repeat('n', 10)));
    root.addView(lines(R.id.lines, "Lines", "one\ntwo\nthree"));
    root.addView(field(R.id.secret, "Secret", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD, "hidden words"));
    root.addView(field(R.id.number, "Number", InputType.TYPE_CLASS_NUMBER, "12345"));
  }
}
