package com.example.judge;

import android.graphics.Color;
import android.view.Gravity;
import android.view.View;
import android.widget.CheckedTextView;
import android.widget.FrameLayout;
import android.widget.ImageButton;
import android.widget.LinearLayout;
import android.widget.ProgressBar;
import android.widget.Switch;
import android.widget.TextView;
import android.widget.ToggleButton;

/** Nodes that no described app has: they overlap, are raised, moved, hidden or of other kinds. */
public class Odd extends Screen {
  @Override
  protected void fill() {
    FrameLayout over = new FrameLayout(this);
    over.addView(button(R.id.over_1), at(0, 0, 200, 56));
    over.addView(button(R.id.over_2), at(0, 0, 120, 56));
    root.addView(tall(over, 56));

    FrameLayout high = new FrameLayout(this);
    high.setId(R.id.head);
    high.addView(raised(R.id.high_1, 8), at(200, 0, 80, 30));
    high.addView(raised(R.id.low_2, 0), at(100, 0, 80, 30));
    high.addView(raised(R.id.high_3, 4), at(0, 0, 80, 30));
    root.addView(tall(high, 40));

    LinearLayout line = beside(text(R.id.t0, "T0"), text(R.id.gone, "Gone"), text(R.id.t1, "T1"), text(R.id.hidden, "Hidden"), text(R.id.t2, "T2"), text(R.id.clear, "Clear"), text(R.id.t3, "T3"));
    line.setId(R.id.pane);
    line.findViewById(R.id.gone).setVisibility(View.GONE);
    line.findViewById(R.id.hidden).setVisibility(View.INVISIBLE);
    line.findViewById(R.id.clear).setAlpha(0);
    root.addView(line);

    FrameLayout parent = new FrameLayout(this);
    parent.setId(R.id.parent);
    parent.addView(text(R.id.child_1, "Lower"), at(0, 40, 80, 24));
    parent.addView(text(R.id.child_2, "Upper"), at(0, 0, 80, 24));
    parent.addView(text(R.id.half_out, "Half"), at(120, 60, 80, 40));
    parent.addView(text(R.id.outside, "Out"), at(120, 120, 80, 24));
    parent.addView(text(R.id.zero, "Zero"), at(0, 0, 0, 0));
    root.addView(tall(parent, 80));

    TextView scaled = text(R.id.scaled, "Scaled");
    scaled.setScaleX(0.5f);
    TextView turned = text(R.id.turned, "Turned");
    turned.setTranslationX(dp(40));
    TextView quiet = text(R.id.not_important, "Quiet");
    quiet.setImportantForAccessibility(View.IMPORTANT_FOR_ACCESSIBILITY_NO);
    LinearLayout sealed = beside(text(R.id.nothing, "Sealed"));
    sealed.setId(R.id.no_children);
    sealed.setImportantForAccessibility(View.IMPORTANT_FOR_ACCESSIBILITY_NO_HIDE_DESCENDANTS);
    root.addView(beside(share(scaled), share(turned), share(quiet), share(sealed)));

    Switch onOff = new Switch(this);
    onOff.setId(R.id.on_off);
    onOff.setText("Switch");
    ToggleButton toggle = new ToggleButton(this);
    toggle.setId(R.id.toggle);
    CheckedTextView checked = new CheckedTextView(this);
    checked.setId(R.id.checked_text);
    checked.setText("Ticked");
    checked.setChecked(true);
    root.addView(beside(share(onOff), share(toggle), share(checked)));

    ProgressBar progress = new ProgressBar(this, null, android.R.attr.progressBarStyleHorizontal);
    progress.setId(R.id.progress);
    progress.setProgress(40);
    ImageButton image = new ImageButton(this);
    image.setId(R.id.image_button);
    image.setImageResource(android.R.drawable.ic_menu_add);
    image.setContentDescription("Add");
    TextView selected = text(R.id.selected, "Chosen");
    selected.setSelected(true);
    root.addView(beside(share(progress), share(image), share(selected)));

    android.widget.Button upper = button(R.id.upper_text, "Upper case", () -> say("upper"));
    upper.setAllCaps(true);
    View dead = button(R.id.clickable_disabled, "Dead", () -> say("dead"));
    dead.setClickable(false);
    root.addView(beside(share(upper), share(dead)));
  }

  private TextView raised(int id, int by) {
    TextView text = text(id, getResources().getResourceEntryName(id));
    text.setBackgroundColor(Color.LTGRAY);
    text.setElevation(dp(by));
    return text;
  }

  private FrameLayout.LayoutParams at(int x, int y, int width, int height) {
    FrameLayout.LayoutParams at = new FrameLayout.LayoutParams(dp(width), dp(height), Gravity.TOP | Gravity.LEFT);
    at.leftMargin = dp(x);
    at.topMargin = dp(y);
    return at;
  }
}
