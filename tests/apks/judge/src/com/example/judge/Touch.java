package com.example.judge;

import android.view.View;
import android.widget.LinearLayout;
import android.widget.SeekBar;
import android.widget.TextView;

/** What is touched, and scrolls nowhere. */
public class Touch extends Screen {
  @Override
  protected void fill() {
    root.addView(button(R.id.ok));
    root.addView(button(R.id.other));
    View dead = button(R.id.dead);
    dead.setEnabled(false);
    root.addView(dead);
    root.addView(check(R.id.check, "Check"));
    LinearLayout texts = column();
    texts.setId(R.id.row_texts);
    texts.addView(text(R.id.row_title, "Title"));
    texts.addView(text(R.id.row_note, "Note"));
    LinearLayout row = beside(texts);
    row.setId(R.id.row);
    row.setMinimumHeight(dp(56));
    row.setOnClickListener(v -> say("row"));
    root.addView(row);
    TextView plain = text(R.id.plain, "Plain");
    plain.setMinimumHeight(dp(40));
    root.addView(plain);
    TextView value = text(R.id.bar_value, "20");
    SeekBar bar = new SeekBar(this);
    bar.setId(R.id.bar);
    bar.setMax(100);
    bar.setProgress(20);
    bar.setPadding(dp(16), dp(16), dp(16), dp(16));
    bar.setOnSeekBarChangeListener(new SeekBar.OnSeekBarChangeListener() {
      @Override
      public void onProgressChanged(SeekBar seekBar, int progress, boolean fromUser) {
        value.setText(String.valueOf(progress));
      }

      @Override
      public void onStartTrackingTouch(SeekBar seekBar) {}

      @Override
      public void onStopTrackingTouch(SeekBar seekBar) {}
    });
    root.addView(tall(bar, 48));
    root.addView(value);
    root.addView(button(R.id.far));
  }
}
