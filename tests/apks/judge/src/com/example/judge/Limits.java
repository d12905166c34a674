package com.example.judge;

import android.text.InputFilter;
import android.text.InputType;
import android.view.inputmethod.EditorInfo;
import android.widget.EditText;

/** Fields that take only some texts, or do something at ENTER. */
public class Limits extends Screen {
  @Override
  protected void fill() {
    EditText limited = field(R.id.limited, "Limited", "");
    limited.setFilters(new InputFilter[] {new InputFilter.LengthFilter(5)});
    root.addView(limited);
    EditText upper = field(R.id.upper, "Upper", "");
    upper.setFilters(new InputFilter[] {new InputFilter.AllCaps()});
    root.addView(upper);
    root.addView(action(R.id.search, EditorInfo.IME_ACTION_SEARCH));
    root.addView(action(R.id.sends, EditorInfo.IME_ACTION_SEND));
    root.addView(action(R.id.next, EditorInfo.IME_ACTION_NEXT));
    root.addView(action(R.id.done, EditorInfo.IME_ACTION_DONE));
    int number = InputType.TYPE_CLASS_NUMBER;
    root.addView(field(R.id.signed, "Signed", number | InputType.TYPE_NUMBER_FLAG_SIGNED, ""));
    root.addView(field(R.id.decimal, "Decimal", number | InputType.TYPE_NUMBER_FLAG_DECIMAL, ""));
    root.addView(field(R.id.pin, "Pin", number | InputType.TYPE_NUMBER_VARIATION_PASSWORD, ""));
    root.addView(field(R.id.phone, "Phone", InputType.TYPE_CLASS_PHONE, ""));
  }

  private EditText action(int id, int action) {
    EditText field = field(id, getResources().getResourceEntryName(id), "");
    field.setImeOptions(action);
    field.setOnEditorActionListener((v, which, event) -> {
      say(getResources().getResourceEntryName(id) + which);
      return false;
    });
    return field;
  }
}
