package com.example.judge;

import android.view.GestureDetector;
import android.view.MotionEvent;
import android.view.View;
import android.widget.TextView;

/** Long clicks, and the touches themselves. */
public class Long extends Screen {
  @Override
  protected void fill() {
    View button = button(R.id.long_button);
    button.setOnLongClickListener(v -> {
      say("long");
      return true;
    });
    root.addView(button);
    View row = button(R.id.long_row);
    row.setOnLongClickListener(v -> {
      say("refused");
      return false;
    });
    root.addView(row);
    TextView touched = text(R.id.touched, "Touched");
    touched.setMinimumHeight(dp(120));
    touched.setClickable(true);
    GestureDetector detector = new GestureDetector(this, new GestureDetector.SimpleOnGestureListener() {
      @Override
      public boolean onDown(MotionEvent e) {
        say("down");
        return true;
      }

      @Override
      public void onShowPress(MotionEvent e) {
        say("press");
      }

      @Override
      public boolean onSingleTapUp(MotionEvent e) {
        say("up");
        return true;
      }

      @Override
      public boolean onSingleTapConfirmed(MotionEvent e) {
        say("single");
        return true;
      }

      @Override
      public boolean onDoubleTap(MotionEvent e) {
        say("double");
        return true;
      }

      @Override
      public void onLongPress(MotionEvent e) {
        say("long");
      }

      @Override
      public boolean onFling(MotionEvent from, MotionEvent to, float x, float y) {
        say("fling");
        return true;
      }
    });
    touched.setOnTouchListener((v, event) -> detector.onTouchEvent(event));
    root.addView(touched);
    TextView raw = text(R.id.raw, "Raw");
    raw.setMinimumHeight(dp(120));
    raw.setOnTouchListener((v, event) -> {
      if (event.getActionMasked() != MotionEvent.ACTION_MOVE) {
        say(MotionEvent.actionToString(event.getActionMasked()).replace("ACTION_", "").toLowerCase());
      }
      return true;
    });
    root.addView(raw);
  }
}
