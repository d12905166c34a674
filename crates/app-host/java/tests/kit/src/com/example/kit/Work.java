package com.example.kit;

import android.app.Service;
import android.content.Intent;
import android.os.Binder;
import android.os.IBinder;

public class Work extends Service {
  public class Local extends Binder {
    String hello() {
      return "hello from the service";
    }
  }

  @Override
  public IBinder onBind(Intent intent) {
    return new Local();
  }

  @Override
  public int onStartCommand(Intent intent, int flags, int id) {
    MainActivity.say("started " + id);
    return START_NOT_STICKY;
  }

  @Override
  public void onDestroy() {
    MainActivity.say("destroyed");
  }
}
