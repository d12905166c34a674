package com.example.judge;

import android.app.Activity;
import android.os.Bundle;
import android.text.InputType;
import android.view.View;
import android.view.ViewGroup;
import android.view.WindowInsets;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;

/** A screen with a log at the top and a column below it. */
abstract class Screen extends Activity {
  protected LinearLayout root;
  private TextView log;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    root = column();
    root.setId(R.id.root);
    root.setOnApplyWindowInsetsListener((view, insets) -> {
      android.graphics.Insets bars =
          insets.getInsets(WindowInsets.Type.systemBars() | WindowInsets.Type.ime() | WindowInsets.Type.displayCutout());
      view.setPadding(bars.left + dp(16), bars.top, bars.right + dp(16), bars.bottom);
      return WindowInsets.CONSUMED;
    });
    if (hasLog()) {
      LinearLayout first = new LinearLayout(this);
      first.setId(R.id.first_line);
      first.addView(text(R.id.sign, "Log"));
      log = text(R.id.log, "");
      log.setPadding(dp(8), 0, 0, 0);
      first.addView(log, new LinearLayout.LayoutParams(0, ViewGroup.LayoutParams.WRAP_CONTENT, 1));
      root.addView(first);
    }
    fill();
    setContentView(root);
  }

  protected abstract void fill();

  protected boolean hasLog() {
    return true;
  }

  protected void say(String word) {
    log.setText(log.length() == 0 ? word : log.getText() + " " + word);
  }

  protected int dp(float dp) {
    return Math.round(dp * getResources().getDisplayMetrics().density);
  }

  protected LinearLayout column() {
    LinearLayout column = new LinearLayout(this);
    column.setOrientation(LinearLayout.VERTICAL);
    return column;
  }

  protected TextView text(int id, CharSequence words) {
    TextView text = new TextView(this);
    text.setId(id);
    text.setText(words);
    text.setTextSize(16);
    return text;
  }

  protected Button button(int id, CharSequence words, Runnable act) {
    Button button = new Button(this);
    button.setId(id);
    button.setText(words);
    button.setAllCaps(false);
    button.setMinimumHeight(dp(56));
    button.setOnClickListener(v -> act.run());
    return button;
  }

  /** A button that logs its id. */
  protected Button button(int id) {
    String word = getResources().getResourceEntryName(id);
    return button(id, Character.toUpperCase(word.charAt(0)) + word.substring(1), () -> say(word));
  }

  protected CheckBox check(int id, CharSequence words) {
    CheckBox check = new CheckBox(this);
    check.setId(id);
    check.setText(words);
    check.setMinimumHeight(dp(56));
    return check;
  }

  protected EditText field(int id, CharSequence hint, int type, CharSequence words) {
    EditText field = new EditText(this);
    field.setId(id);
    field.setHint(hint);
    field.setInputType(type);
    field.setTextSize(16);
    field.setMinimumHeight(dp(48));
    field.setText(words);
    field.setSaveEnabled(false);
    return field;
  }

  protected EditText field(int id, CharSequence hint, CharSequence words) {
    return field(id, hint, InputType.TYPE_CLASS_TEXT, words);
  }

  protected EditText lines(int id, CharSequence hint, CharSequence words) {
    return field(id, hint, InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE, words);
  }

  protected View tall(View view, int height) {
    view.setLayoutParams(new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, dp(height)));
    return view;
  }

  /** Takes the rest of the column. */
  protected <V extends View> V rest(V view) {
    view.setLayoutParams(new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, 0, 1));
    return view;
  }

  /** Takes its share of a row. */
  protected <V extends View> V share(V view) {
    view.setLayoutParams(new LinearLayout.LayoutParams(0, ViewGroup.LayoutParams.WRAP_CONTENT, 1));
    return view;
  }

  protected LinearLayout beside(View... views) {
    LinearLayout row = new LinearLayout(this);
    for (View view : views) {
      row.addView(view);
    }
    return row;
  }

  protected <V extends View> V named(int id, V view) {
    view.setId(id);
    return view;
  }

  protected static String repeat(char letter, int times) {
    return String.valueOf(letter).repeat(times);
  }
}
