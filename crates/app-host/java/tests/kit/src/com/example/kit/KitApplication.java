package com.example.kit;

import android.app.Application;
import android.content.Context;
import java.util.ArrayList;
import java.util.List;

public class KitApplication extends Application {
  static final List<String> order = new ArrayList<>();

  @Override
  protected void attachBaseContext(Context base) {
    super.attachBaseContext(base);
    order.add("attach");
  }

  @Override
  public void onCreate() {
    super.onCreate();
    order.add("application");
  }
}
