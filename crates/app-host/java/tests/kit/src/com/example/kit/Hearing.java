package com.example.kit;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.widget.Toast;

public class Hearing extends BroadcastReceiver {
  @Override
  public void onReceive(Context context, Intent intent) {
    Toast.makeText(context, "heard " + intent.getStringExtra("word"), Toast.LENGTH_LONG).show();
  }
}
