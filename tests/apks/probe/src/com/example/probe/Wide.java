package com.example.probe;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** Asks for a display that lies. */
public class Wide extends Activity {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    TextView view = new TextView(this);
    view.setText(getResources().getConfiguration().orientation == 2 ? "It lies" : "It stands");
    setContentView(view);
  }
}
