package com.example.judge;

import android.app.DatePickerDialog;
import android.app.Dialog;
import android.app.TimePickerDialog;
import android.view.Window;
import android.widget.ArrayAdapter;
import android.widget.LinearLayout;
import android.widget.Spinner;

/** What opens windows above. */
public class Windows extends Screen {
  static final String[] COLOURS = {"Red", "Green", "Blue", "White", "Black"};

  @Override
  protected void fill() {
    root.addView(button(R.id.open, "Open", this::open));
    Spinner choice = new Spinner(this, Spinner.MODE_DROPDOWN);
    choice.setId(R.id.choice);
    ArrayAdapter<String> colours = new ArrayAdapter<>(this, android.R.layout.simple_spinner_item, COLOURS);
    colours.setDropDownViewResource(android.R.layout.simple_spinner_dropdown_item);
    choice.setAdapter(colours);
    choice.setMinimumHeight(dp(48));
    root.addView(choice);
    root.addView(button(R.id.date, "Date", () -> new DatePickerDialog(this, null, 2026, 4, 4).show()));
    root.addView(button(R.id.time, "Time", () -> new TimePickerDialog(this, null, 9, 30, true).show()));
    root.addView(field(R.id.near, "Near", ""));
    root.addView(button(R.id.far));
    root.addView(text(R.id.plain, "Plain"));
  }

  private void open() {
    Dialog dialog = new Dialog(this);
    dialog.requestWindowFeature(Window.FEATURE_NO_TITLE);
    LinearLayout panel = column();
    panel.setId(R.id.panel);
    panel.addView(text(R.id.message, "Really do it now?"));
    panel.addView(button(R.id.agree, "Agree", () -> {
      say("agree");
      dialog.dismiss();
    }));
    panel.addView(button(R.id.refuse, "Refuse", () -> {
      say("refuse");
      dialog.dismiss();
    }));
    dialog.setContentView(panel);
    dialog.show();
  }
}
