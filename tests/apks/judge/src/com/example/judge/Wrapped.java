package com.example.judge;

/** A field whose words stand on a line each. */
public class Wrapped extends Screen {
  @Override
  protected void fill() {
    root.addView(lines(R.id.notes, "Notes", repeat('a', 26) + " " + repeat('b', 26) + " " + repeat('c', 26) + " " + repeat('d', 26)));
    root.addView(field(R.id.name, "Name", repeat('a', 26) + " " + repeat('b', 26) + " " + repeat('c', 26)));
  }
}
