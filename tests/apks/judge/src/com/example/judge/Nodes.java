package com.example.judge;

import android.text.InputType;
import android.view.View;
import android.widget.CheckBox;
import android.widget.TextView;

/** Texts, buttons, boxes and fields. */
public class Nodes extends Screen {
  @Override
  protected void fill() {
    root.addView(text(R.id.plain, "Plain"));
    root.addView(text(R.id.empty, ""));
    TextView label = text(R.id.label, "Words");
    label.setContentDescription("Described");
    root.addView(label);
    View ok = button(R.id.ok);
    View dead = button(R.id.dead);
    dead.setEnabled(false);
    root.addView(named(R.id.buttons, beside(share(ok), share(dead))));
    CheckBox check = check(R.id.check, "Check");
    CheckBox box = check(R.id.box, "Box");
    box.setChecked(true);
    root.addView(named(R.id.checks, beside(share(check), share(box))));
    root.addView(named(R.id.names, beside(share(field(R.id.name, "Name", "")), share(field(R.id.named, "Named", "ada")))));
    root.addView(named(R.id.others, beside(
        share(field(R.id.secret, "Secret", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD, "abc")),
        share(lines(R.id.notes, "Notes", "one\ntwo")))));
    root.addView(field(R.id.number, "Number", InputType.TYPE_CLASS_NUMBER, "12"));
  }
}
