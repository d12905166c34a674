package com.example.probe;

import android.Manifest;
import android.animation.Animator;
import android.animation.AnimatorListenerAdapter;
import android.animation.ValueAnimator;
import android.app.Activity;
import android.app.AlertDialog;
import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Intent;
import android.content.SharedPreferences;
import android.content.pm.PackageManager;
import android.content.res.Configuration;
import android.graphics.drawable.Animatable2;
import android.graphics.drawable.AnimatedVectorDrawable;
import android.graphics.drawable.Drawable;
import android.net.Uri;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.text.InputType;
import android.util.Log;
import android.view.View;
import android.view.ViewAnimationUtils;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import android.widget.Toast;

/** A button for each thing that a device around an app has to get right; what comes of it stands in the first line. */
public class Main extends Activity {
  private TextView status;
  private LinearLayout column;
  private int turns;

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    ProbeApplication.launches++;
    turns = saved == null ? 0 : saved.getInt("turns") + 1;
    column = new LinearLayout(this);
    column.setOrientation(LinearLayout.VERTICAL);
    status = text("Ready");
    column.removeView(status);
    Configuration configuration = getResources().getConfiguration();
    boolean dark = (configuration.uiMode & Configuration.UI_MODE_NIGHT_MASK) == Configuration.UI_MODE_NIGHT_YES;
    SharedPreferences stored = getSharedPreferences("probe", MODE_PRIVATE);
    text(getString(R.string.greeting) + (dark ? ", dark" : ", light") + ", letters " + configuration.fontScale);
    text("Starts " + stored.getInt("starts", 0) + ", launches " + ProbeApplication.launches + ", turns " + turns);
    text("Saved " + stored.getInt("saved", 0));
    EditText name = field("Your name", InputType.TYPE_CLASS_TEXT);
    field("Notes", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE);
    field("Pin", InputType.TYPE_CLASS_NUMBER | InputType.TYPE_NUMBER_VARIATION_PASSWORD);
    button("Greet", v -> say("Hello, " + name.getText() + "!"));
    button("Save", v -> {
      int n = stored.getInt("saved", 0) + 1;
      stored.edit().putInt("saved", n).commit();
      say("Saved " + n);
    });
    button("Toast", v -> Toast.makeText(this, "Bread", Toast.LENGTH_SHORT).show());
    button("Dialog", v -> new AlertDialog.Builder(this).setTitle("Sure?").setMessage("It cannot be undone.")
        .setPositiveButton("Yes", (d, w) -> say("Said yes")).setNegativeButton("No", (d, w) -> say("Said no")).show());
    button("Permissions", v -> requestPermissions(new String[] {Manifest.permission.CAMERA, Manifest.permission.RECORD_AUDIO}, 5));
    button("Camera?", v -> say("Camera " + (checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED ? "granted" : "denied")));
    button("Item", v -> startActivityForResult(new Intent(this, Item.class).putExtra("name", "seven"), 1));
    button("Link", v -> startActivity(new Intent(Intent.ACTION_VIEW, Uri.parse("probe://item/nine"))));
    button("Wide", v -> startActivity(new Intent(this, Wide.class)));
    button("Recreate", v -> recreate());
    button("Later", v -> {
      say("Waiting");
      new Handler(Looper.getMainLooper()).postDelayed(() -> say("Later has come"), 25000);
    });
    button("Work", v -> {
      say("Working");
      new Thread(() -> {
        long sum = 0;
        long end = System.nanoTime() + 300_000_000L;
        while (System.nanoTime() < end) sum++;
        long result = sum;
        runOnUiThread(() -> say(result > 0 ? "Worked" : "Idle"));
      }).start();
    });
    button("Clock", v -> say("It is " + new java.text.SimpleDateFormat("yyyy-MM-dd HH", java.util.Locale.ROOT).format(new java.util.Date())));
    button("Copy", v -> ((ClipboardManager) getSystemService(CLIPBOARD_SERVICE)).setPrimaryClip(ClipData.newPlainText("probe", "from the app")));
    button("Log", v -> Log.w("Probe", "a line of the app's own"));
    button("Extras", v -> say("Extras " + getIntent().getIntExtra("number", -1) + " " + getIntent().getBooleanExtra("flag", false) + " " + getIntent().getStringExtra("word")));
    button("Motion", v -> motion());
    button("Crash", v -> {
      throw new IllegalStateException("no account");
    });
    button("Crash elsewhere", v -> new Thread(() -> {
      throw new IllegalArgumentException("in a thread");
    }, "worker").start());
    button("Exit", v -> System.exit(3));
    button("Spin", v -> {
      while (true) Thread.onSpinWait();
    });
    ScrollView scroll = new ScrollView(this);
    scroll.addView(column);
    LinearLayout whole = new LinearLayout(this);
    whole.setOrientation(LinearLayout.VERTICAL);
    whole.setFitsSystemWindows(true);
    whole.addView(status);
    whole.addView(scroll);
    setContentView(whole);
  }

  @Override
  protected void onSaveInstanceState(Bundle out) {
    super.onSaveInstanceState(out);
    out.putInt("turns", turns);
  }

  @Override
  public void onRequestPermissionsResult(int request, String[] names, int[] results) {
    say("Camera " + results[0] + ", microphone " + results[1]);
  }

  @Override
  protected void onActivityResult(int request, int code, Intent data) {
    say("Result " + code + " " + (data == null ? "none" : data.getStringExtra("answer")));
  }

  /** What a phone's render thread animates, each with something that comes at its end; the last shows nothing that moves. */
  private void motion() {
    TextView hidden = text("Hidden soon");
    column.removeView(hidden);
    ((LinearLayout) status.getParent()).addView(hidden, 1);
    hidden.setBackgroundColor(0xffff8000);
    AnimatedVectorDrawable vector = (AnimatedVectorDrawable) getDrawable(R.drawable.tick);
    hidden.setCompoundDrawablesRelativeWithIntrinsicBounds(vector, null, null, null);
    vector.registerAnimationCallback(new Animatable2.AnimationCallback() {
      @Override
      public void onAnimationEnd(Drawable drawable) {
        say("Drawn");
        hidden.setCompoundDrawablesRelative(null, null, null, null);
        Animator reveal = ViewAnimationUtils.createCircularReveal(hidden, 0, 0, hidden.getWidth(), 0);
        reveal.addListener(new AnimatorListenerAdapter() {
          @Override
          public void onAnimationEnd(Animator animation) {
            hidden.setVisibility(View.INVISIBLE);
            say("Drawn and hidden");
            ValueAnimator colour = ValueAnimator.ofArgb(0xffffffff, 0xff00a000).setDuration(900);
            colour.addUpdateListener(at -> status.setBackgroundColor((int) at.getAnimatedValue()));
            colour.start();
          }
        });
        reveal.start();
      }
    });
    vector.start();
  }

  private void say(String words) {
    status.setText(words);
  }

  private TextView text(String words) {
    TextView view = new TextView(this);
    view.setText(words);
    view.setTextSize(16);
    column.addView(view);
    return view;
  }

  private EditText field(String hint, int type) {
    EditText view = new EditText(this);
    // A view without an id loses its text when the screen is made anew.
    view.setId(100 + column.getChildCount());
    view.setHint(hint);
    view.setInputType(type);
    column.addView(view);
    return view;
  }

  private void button(String words, View.OnClickListener listener) {
    Button view = new Button(this);
    view.setText(words);
    view.setAllCaps(false);
    view.setOnClickListener(listener);
    column.addView(view);
  }
}
