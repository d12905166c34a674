package com.example.judge;

import android.app.AlertDialog;
import android.view.ContextMenu;
import android.view.MenuItem;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.PopupMenu;
import android.widget.PopupWindow;

/** Windows that no described app has. */
public class More extends Screen {
  @Override
  protected void fill() {
    View menu = button(R.id.popup, "Popup", () -> {});
    menu.setOnClickListener(v -> {
      PopupMenu popup = new PopupMenu(this, v);
      for (String word : new String[] {"Cut", "Copy", "Paste"}) {
        popup.getMenu().add(word);
      }
      popup.setOnMenuItemClickListener(item -> {
        say(item.getTitle().toString());
        return true;
      });
      popup.show();
    });
    root.addView(menu);
    root.addView(button(R.id.alert, "Alert", () -> new AlertDialog.Builder(this).setTitle("Sure?").setMessage("It is for ever.")
        .setPositiveButton("Yes", (d, w) -> say("yes")).setNegativeButton("No", (d, w) -> say("no"))
        .setOnCancelListener(d -> say("cancel")).setOnDismissListener(d -> say("dismiss")).show()));
    root.addView(button(R.id.alert_list, "Alert list", () -> new AlertDialog.Builder(this).setTitle("Which?")
        .setItems(Windows.COLOURS, (d, which) -> say(Windows.COLOURS[which])).show()));
    root.addView(button(R.id.outside_no, "Stays", () -> {
      AlertDialog dialog = new AlertDialog.Builder(this).setMessage("It stays.").setPositiveButton("Yes", (d, w) -> say("yes")).show();
      dialog.setCanceledOnTouchOutside(false);
    }));
    View context = button(R.id.context);
    registerForContextMenu(context);
    root.addView(context);
    root.addView(button(R.id.drop, "Drop", () -> {
      View words = text(R.id.message, "In a popup");
      words.setBackgroundColor(0xFFDDDDDD);
      PopupWindow popup = new PopupWindow(words, dp(160), dp(80), true);
      popup.setOnDismissListener(() -> say("dismiss"));
      popup.showAsDropDown(findViewById(R.id.drop));
    }));
    AutoCompleteTextView auto = new AutoCompleteTextView(this);
    auto.setId(R.id.auto);
    auto.setThreshold(1);
    auto.setHint("Auto");
    auto.setInputType(android.text.InputType.TYPE_CLASS_TEXT);
    auto.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_dropdown_item_1line, Windows.COLOURS));
    root.addView(auto);
    root.addView(text(R.id.plain, "Plain"));
  }

  @Override
  public void onCreateContextMenu(ContextMenu menu, View v, ContextMenu.ContextMenuInfo info) {
    menu.add("Cut");
    menu.add("Copy");
  }

  @Override
  public boolean onContextItemSelected(MenuItem item) {
    say(item.getTitle().toString());
    return true;
  }
}
