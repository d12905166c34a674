package com.example.probe;

import android.app.Activity;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.widget.Button;

/** Shows the item that its intent names, and answers who asked for it. */
public class Item extends Activity {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    Uri link = getIntent().getData();
    String name = link == null ? getIntent().getStringExtra("name") : link.getLastPathSegment();
    Button view = new Button(this);
    view.setAllCaps(false);
    view.setText("Answer item " + name);
    view.setOnClickListener(v -> {
      setResult(RESULT_OK, new Intent().putExtra("answer", "item " + name));
      finish();
    });
    setContentView(view);
  }
}
