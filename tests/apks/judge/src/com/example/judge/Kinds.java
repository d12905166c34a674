package com.example.judge;

import android.graphics.Color;
import android.graphics.drawable.ColorDrawable;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.FrameLayout;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.SeekBar;
import android.widget.Spinner;

/** The other kinds of elements. */
public class Kinds extends Screen {
  @Override
  protected void fill() {
    SeekBar bar = new SeekBar(this);
    bar.setId(R.id.bar);
    root.addView(tall(bar, 48));
    Spinner choice = new Spinner(this, Spinner.MODE_DROPDOWN);
    choice.setId(R.id.choice);
    choice.setAdapter(new ArrayAdapter<>(this, android.R.layout.simple_spinner_item, Windows.COLOURS));
    root.addView(choice);
    RadioGroup few = new RadioGroup(this);
    few.setId(R.id.few);
    int[] ids = {R.id.few_0, R.id.few_1};
    String[] words = {"Plain one", "Other one"};
    for (int n = 0; n < 2; n++) {
      RadioButton radio = new RadioButton(this);
      radio.setId(ids[n]);
      radio.setText(words[n]);
      few.addView(radio);
    }
    few.check(R.id.few_0);
    root.addView(few);
    root.addView(named(R.id.pictures, beside(picture(R.id.picture, "Hills"), picture(R.id.icon, null))));
    FrameLayout card = new FrameLayout(this);
    card.setId(R.id.card);
    card.addView(text(R.id.in_card, "In the card"));
    root.addView(card);
    LinearLayout both = beside(text(R.id.left, "Left"), text(R.id.right, "Right"));
    both.setId(R.id.both);
    root.addView(both);
    View divider = new View(this);
    divider.setId(R.id.divider);
    divider.setBackgroundColor(Color.GRAY);
    root.addView(tall(divider, 1));
  }

  private View picture(int id, String words) {
    ImageView picture = new ImageView(this);
    picture.setId(id);
    picture.setImageDrawable(new ColorDrawable(Color.GRAY));
    picture.setContentDescription(words);
    picture.setLayoutParams(new LinearLayout.LayoutParams(dp(40), dp(40)));
    return picture;
  }
}
