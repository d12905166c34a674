package com.example.judge;

/** Fields with signs of more than one code point, and of scripts from right to left. */
public class Signs extends Screen {
  @Override
  protected void fill() {
    root.addView(field(R.id.face, "Face", "ab\uD83D\uDE00"));
    root.addView(field(R.id.family, "Family", "ab\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67"));
    root.addView(field(R.id.flag, "Flag", "ab\uD83C\uDDE9\uD83C\uDDEA"));
    root.addView(field(R.id.tone, "Tone", "ab\uD83D\uDC4D\uD83C\uDFFD"));
    root.addView(field(R.id.accent, "Accent", "abe\u0301"));
    root.addView(field(R.id.keycap, "Keycap", "ab1\uFE0F\u20E3"));
    root.addView(field(R.id.hebrew, "Hebrew", "\u05E9\u05DC\u05D5\u05DD \u05D0\u05D1"));
    root.addView(field(R.id.mixed, "Mixed", "ab \u05E9\u05DC\u05D5\u05DD"));
  }
}
