package com.example.probe;

import android.app.Application;

/** Counts its starts in what it stores, and in a static field, which lives as long as the process. */
public class ProbeApplication extends Application {
  static int launches;

  @Override
  public void onCreate() {
    super.onCreate();
    int starts = getSharedPreferences("probe", MODE_PRIVATE).getInt("starts", 0) + 1;
    getSharedPreferences("probe", MODE_PRIVATE).edit().putInt("starts", starts).commit();
  }
}
