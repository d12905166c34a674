package com.example.kit;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.IBinder;
import android.os.Looper;
import android.util.Log;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import java.io.FileOutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Date;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public class MainActivity extends Activity {
  private static MainActivity front;
  private TextView said;
  private LinearLayout box;
  private int made;

  static void say(String what) {
    if (front != null) new Handler(Looper.getMainLooper()).post(() -> front.said.setText(what));
  }

  private void button(String text, Runnable run) {
    Button button = new Button(this);
    button.setText(text);
    button.setAllCaps(false);
    button.setPadding(0, 0, 0, 0);
    button.setOnClickListener(v -> run.run());
    box.addView(button, new LinearLayout.LayoutParams(-1, 72));
  }

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    front = this;
    made = state == null ? 1 : state.getInt("made") + 1;
    box = new LinearLayout(this);
    box.setOrientation(LinearLayout.VERTICAL);
    box.setFitsSystemWindows(true);
    said = new TextView(this);
    said.setText("made " + made);
    box.addView(said);
    button("order", () -> say(String.join(",", KitApplication.order)));
    button("permission", () -> requestPermissions(new String[] {"android.permission.CAMERA", "android.permission.INTERNET"}, 7));
    button("check", () -> say("camera " + checkSelfPermission("android.permission.CAMERA") + " internet " + checkSelfPermission("android.permission.INTERNET")));
    button("phone", () -> {
      android.database.Cursor contacts = getContentResolver().query(android.provider.ContactsContract.Contacts.CONTENT_URI, new String[] {"display_name"}, null, null, null);
      int instrumented = 0;
      for (java.lang.reflect.Method method : android.support.kit.Plain.class.getDeclaredMethods()) if (method.getName().contains("robo")) instrumented++;
      // Asks for the first of the folders that are shared, which Robolectric has not.
      android.os.Environment.isExternalStorageManager();
      java.io.File shared = android.os.Environment.getExternalStorageDirectory();
      say(System.getenv("ANDROID_ROOT") + " " + System.getenv("HOME") + " " + android.os.Environment.getExternalStorageState() + " " + shared.isDirectory() + " "
          + contacts.getCount() + " " + contacts.getColumnIndex("display_name") + " " + instrumented);
    });
    button("refused class", () -> {
      throw new ExceptionInInitializerError(new VerifyError("Bad type on operand stack\nException Details:\n  Location:\n    a/b.c()V @3: aload"));
    });
    button("crash", () -> {
      throw new IllegalStateException("on purpose");
    });
    button("crash thread", () -> new Thread(() -> {
      throw new IllegalStateException("on a thread");
    }, "worker").start());
    button("exit", () -> System.exit(3));
    button("native", () -> System.loadLibrary("flutter"));
    button("date", () -> say(new Date() + " " + System.currentTimeMillis() + " " + java.time.LocalDate.now() + " " + java.util.Calendar.getInstance().get(java.util.Calendar.YEAR)));
    button("thread sleep", () -> new Thread(() -> {
      try {
        Thread.sleep(5000);
        say("slept");
      } catch (InterruptedException e) {
        say("interrupted");
      }
    }).start());
    button("main sleep", () -> {
      try {
        Thread.sleep(1500);
      } catch (InterruptedException e) {
        throw new RuntimeException(e);
      }
      said.setText("main slept");
    });
    button("work", () -> AsyncTask.execute(() -> {
      double x = 0;
      long end = android.os.SystemClock.elapsedRealtime() + 100;
      for (int i = 0; i < 20_000_000; i++) x += Math.sqrt(i);
      say("worked " + (x > 0));
    }));
    button("timer", () -> new Timer().schedule(new TimerTask() {
      @Override
      public void run() {
        say("timer");
      }
    }, 3000));
    button("scheduled", () -> {
      ScheduledExecutorService service = Executors.newSingleThreadScheduledExecutor();
      service.schedule(() -> say("scheduled"), 4, TimeUnit.SECONDS);
    });
    button("looper", () -> {
      HandlerThread thread = new HandlerThread("kit");
      thread.start();
      new Handler(thread.getLooper()).postDelayed(() -> say("looper"), 2000);
    });
    button("http", () -> new Thread(() -> {
      try {
        HttpURLConnection c = (HttpURLConnection) new URL("http://10.0.2.2:" + getIntent().getIntExtra("port", 1) + "/").openConnection();
        say("http " + c.getResponseCode());
      } catch (Exception e) {
        say("http " + e);
      }
    }).start());
    button("log", () -> {
      Log.i("Kit", "a line");
      Log.e("Kit", "an error", new RuntimeException("cause"));
      System.out.println("printed");
      for (int i = 0; i < 12000; i++) Log.d("Kit", "line " + i);
    });
    button("keep", () -> {
      getSharedPreferences("kit", MODE_PRIVATE).edit().putInt("kept", 42).commit();
      try (FileOutputStream out = openFileOutput("kept.txt", MODE_PRIVATE)) {
        out.write(65);
      } catch (java.io.IOException e) {
        throw new RuntimeException(e);
      }
      openOrCreateDatabase("kept.db", MODE_PRIVATE, null).execSQL("create table if not exists t(x)");
      say("kept");
    });
    button("kept", () -> say("kept " + getSharedPreferences("kit", MODE_PRIVATE).getInt("kept", 0) + " " + new java.io.File(getFilesDir(), "kept.txt").exists() + " " + java.util.Arrays.asList(databaseList()).contains("kept.db")));
    button("recreate", () -> recreate());
    button("link", () -> startActivity(new Intent(Intent.ACTION_VIEW, android.net.Uri.parse("kit://open/inside"))));
    button("field", () -> startActivity(new Intent(this, FieldActivity.class)));
    button("single", () -> startActivity(new Intent(this, SingleTask.class)));
    button("start service", () -> startService(new Intent(this, Work.class)));
    button("stop service", () -> stopService(new Intent(this, Work.class)));
    button("bind", () -> bindService(new Intent(this, Work.class), new ServiceConnection() {
      @Override
      public void onServiceConnected(ComponentName name, IBinder binder) {
        say(binder instanceof Work.Local ? ((Work.Local) binder).hello() : "a binder " + binder);
      }

      @Override
      public void onServiceDisconnected(ComponentName name) {}
    }, Context.BIND_AUTO_CREATE));
    button("nobody", () -> {
      try {
        startActivity(new Intent("com.example.NOBODY"));
        say("somebody");
      } catch (android.content.ActivityNotFoundException e) {
        say("nobody");
      }
    });
    button("memory", () -> {
      java.util.List<byte[]> all = new java.util.ArrayList<>();
      while (true) all.add(new byte[64 << 20]);
    });
    button("landscape", () -> setRequestedOrientation(android.content.pm.ActivityInfo.SCREEN_ORIENTATION_LANDSCAPE));
    ScrollView scroll = new ScrollView(this);
    scroll.addView(box);
    setContentView(scroll);
  }

  @Override
  protected void onResume() {
    super.onResume();
    front = this;
  }

  @Override
  protected void onSaveInstanceState(Bundle out) {
    super.onSaveInstanceState(out);
    out.putInt("made", made);
  }

  @Override
  public void onRequestPermissionsResult(int request, String[] names, int[] results) {
    say("permission " + request + " " + names.length + " " + results[0] + " " + results[1]);
  }
}
