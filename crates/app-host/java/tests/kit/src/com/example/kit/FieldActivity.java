package com.example.kit;

import android.app.Activity;
import android.os.Bundle;
import android.view.WindowInsets;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputMethodManager;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;

public class FieldActivity extends Activity {
  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    LinearLayout box = new LinearLayout(this);
    box.setOrientation(LinearLayout.VERTICAL);
    EditText one = new EditText(this), two = new EditText(this);
    one.setHint("one");
    one.setSingleLine();
    one.setImeOptions(EditorInfo.IME_ACTION_NEXT);
    two.setHint("two");
    two.setSingleLine();
    two.setImeOptions(EditorInfo.IME_ACTION_DONE);
    TextView said = new TextView(this);
    said.setText("nothing");
    two.setOnEditorActionListener((v, action, event) -> {
      said.setText("action " + action);
      return false;
    });
    EditText many = new EditText(this);
    many.setHint("many");
    TextView insets = new TextView(this);
    box.setOnApplyWindowInsetsListener((v, all) -> {
      insets.setText("ime " + all.getInsets(WindowInsets.Type.ime()).bottom + " " + all.isVisible(WindowInsets.Type.ime()) + " status " + all.getInsets(WindowInsets.Type.statusBars()).top);
      v.setPadding(0, all.getInsets(WindowInsets.Type.systemBars()).top, 0, Math.max(all.getInsets(WindowInsets.Type.ime()).bottom, all.getInsets(WindowInsets.Type.systemBars()).bottom));
      return all;
    });
    Button hide = new Button(this), show = new Button(this), bars = new Button(this);
    hide.setAllCaps(false);
    hide.setText("hide");
    hide.setOnClickListener(v -> getSystemService(InputMethodManager.class).hideSoftInputFromWindow(v.getWindowToken(), 0));
    show.setAllCaps(false);
    show.setText("show");
    show.setOnClickListener(v -> getWindow().getInsetsController().show(WindowInsets.Type.ime()));
    bars.setAllCaps(false);
    bars.setText("bars");
    bars.setOnClickListener(v -> getWindow().getInsetsController().hide(WindowInsets.Type.statusBars()));
    box.addView(one);
    box.addView(two);
    box.addView(many);
    box.addView(said);
    box.addView(insets);
    box.addView(hide);
    box.addView(show);
    box.addView(bars);
    TextView filler = new TextView(this);
    filler.setText("bottom");
    filler.setGravity(android.view.Gravity.BOTTOM);
    box.addView(filler, new LinearLayout.LayoutParams(-1, -1));
    setContentView(box);
    one.requestFocus();
  }
}
