package runner.host;

import android.app.Activity;
import android.app.AlertDialog;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.ApplicationInfo;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ArrayAdapter;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.ProgressBar;
import android.widget.ScrollView;
import android.widget.SeekBar;
import android.widget.Spinner;
import android.widget.Switch;
import android.widget.TextView;
import android.widget.Toast;
import java.util.List;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;

/**
 * Uses what most apps use, without any app. The JVM is then told to keep the classes that it has loaded in an archive; a process that
 * maps it starts in two thirds of the time.
 */
final class Training {
  private Training() {}

  /** A screen of the framework's widgets. */
  public static final class Widgets extends Activity {
    @Override
    protected void onCreate(Bundle state) {
      super.onCreate(state);
      ArrayAdapter<String> words = new ArrayAdapter<>(this, android.R.layout.simple_list_item_1, new String[] {"one", "two", "three"});
      LinearLayout column = new LinearLayout(this);
      column.setOrientation(LinearLayout.VERTICAL);
      Button button = new Button(this);
      button.setText("Button");
      button.setOnClickListener(view -> {
        Toast.makeText(this, "Toast", Toast.LENGTH_SHORT).show();
        new AlertDialog.Builder(this).setTitle("Title").setMessage("Message").setPositiveButton(android.R.string.ok, null).show();
      });
      EditText field = new EditText(this);
      field.setHint("Hint");
      Spinner spinner = new Spinner(this);
      spinner.setAdapter(words);
      ListView list = new ListView(this);
      list.setAdapter(words);
      ImageView image = new ImageView(this);
      image.setImageResource(android.R.drawable.ic_menu_add);
      TextView text = new TextView(this);
      text.setText(android.text.Html.fromHtml("<b>Text</b>", 0));
      View[] all = {button, field, spinner, new CheckBox(this), new Switch(this), new SeekBar(this), new ProgressBar(this), image, text, list};
      for (View view : all) column.addView(view, new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, 160));
      ScrollView scroll = new ScrollView(this);
      scroll.addView(column);
      setContentView(scroll);
      getSharedPreferences("training", 0).edit().putString("key", "value").apply();
    }
  }

  static void run(Device device) throws Exception {
    ActivityInfo info = new ActivityInfo();
    info.name = Widgets.class.getName();
    info.packageName = RuntimeEnvironment.getApplication().getPackageName();
    info.applicationInfo = new ApplicationInfo(RuntimeEnvironment.getApplication().getApplicationInfo());
    info.theme = android.R.style.Theme_Material_Light;
    Intent intent = new Intent().setComponent(new ComponentName(info.packageName, info.name));
    org.robolectric.Shadows.shadowOf(RuntimeEnvironment.getApplication().getPackageManager()).addOrUpdateActivity(info);
    Tasks.get().start(intent, info, null, null, -1);
    Time.runDue();
    seen(device);
    tap(device, 540, 500);
    device.act("text", Json.obj().must("text", "text").must("mode", "commit"));
    seen(device);
    tap(device, 540, 350);
    seen(device);
    device.act("key", Json.obj().must("code", KeyEvent.KEYCODE_BACK).must("action", "press"));
    swipe(device);
    seen(device);
  }

  private static void seen(Device device) throws Exception {
    device.act("settle", Json.obj().must("limit", 3000));
    Json.Obj look = device.act("look", Json.obj());
    List<Map<String, Object>> windows = Json.list(look, "windows");
    for (Map<String, Object> window : windows) device.act("draw", Json.obj().must("windows", List.of(window.get("id"))));
  }

  private static void tap(Device device, int x, int y) throws Exception {
    pointer(device, event(0, "down", x, y), event(50, "up", x, y));
  }

  private static void swipe(Device device) throws Exception {
    pointer(device, event(0, "down", 540, 1600), event(50, "move", 540, 1200), event(100, "move", 540, 900), event(120, "up", 540, 800));
  }

  private static void pointer(Device device, Object... events) throws Exception {
    List<Map<String, Object>> windows = Json.list(device.act("look", Json.obj()), "windows");
    Object window = windows.get(windows.size() - 1).get("id");
    device.act("pointer", Json.obj().must("window", window).must("events", List.of(events)));
  }

  private static Json.Obj event(int t, String action, int x, int y) {
    return Json.obj().must("t", t).must("action", action).must("pointers", List.of(Json.obj().must("id", 0).must("x", x).must("y", y)));
  }
}
