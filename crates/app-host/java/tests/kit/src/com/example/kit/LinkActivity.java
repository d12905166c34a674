package com.example.kit;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.TextView;

public class LinkActivity extends Activity {
  private TextView text;
  private int news;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    text = new TextView(this);
    setContentView(text);
    show(getIntent());
  }

  @Override
  protected void onNewIntent(Intent intent) {
    super.onNewIntent(intent);
    news++;
    show(intent);
  }

  private void show(Intent intent) {
    text.setText("link " + intent.getData() + " n=" + intent.getIntExtra("n", -1) + " s=" + intent.getStringExtra("s") + " new=" + news);
  }
}
