package com.example.judge;


/** Texts with signs that a dump has to write somehow. */
public class Texts extends Screen {
  @Override
  protected boolean hasLog() {
    return false;
  }

  @Override
  protected void fill() {
    root.addView(text(R.id.quotes, "a \"b\" 'c'"));
    root.addView(text(R.id.angle, "a <b> & &amp; c"));
    root.addView(text(R.id.tab, "a\tb"));
    root.addView(text(R.id.feed, "a\nb"));
    root.addView(text(R.id.control, "a\u0001b\u001bc"));
    root.addView(text(R.id.del, "a\u007fb\u0085c\u0090d"));
    root.addView(text(R.id.wide, "a\uD83D\uDE00b\uFDD0c\uFFFDd"));
    root.addView(text(R.id.accents, "e\u0301 \u00e9 \u00df"));
    root.addView(text(R.id.spaces, "  a  b  "));
    root.addView(text(R.id.hebrew, "\u05E9\u05DC\u05D5\u05DD"));
  }
}
