package runner.host;

import android.app.Application;
import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.view.accessibility.AccessibilityManager;
import androidx.test.runner.lifecycle.ApplicationLifecycleCallback;
import androidx.test.runner.lifecycle.ApplicationLifecycleMonitorRegistry;
import androidx.test.runner.lifecycle.ApplicationStage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.annotation.experimental.LazyApplication;
import org.robolectric.shadows.ShadowView;
import org.robolectric.util.TempDirectory;

/** One app under Robolectric, served until the device is done with it: reads requests, does them on the main thread, answers. */
@RunWith(HostRunner.class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
@LooperMode(LooperMode.Mode.PAUSED)
@SQLiteMode(SQLiteMode.Mode.NATIVE)
@ConscryptMode(ConscryptMode.Mode.OFF)
@LazyApplication(LazyApplication.LazyLoad.ON)
@Config(
    sdk = 35,
    qualifiers = "w360dp-h800dp-port-480dpi",
    shadows = {
      HostActivity.class,
      Animations.NoRipple.class,
      Animations.VectorOnMain.class,
      Animations.RevealOnMain.class,
      Animations.SteadyCaret.class,
      Alarms.class,
      Keys.class,
      Shadows.RealViewConfiguration.class,
      Shadows.RealInputMethodManager.class,
      Services.HostInstrumentation.class,
      Shadows.HostActivityThread.class,
      Shadows.RealViewAnimator.class,
      Shadows.RealTabHost.class,
      Shadows.RealTabWidget.class,
      Shadows.NoMagnifier.class,
      Shadows.RealTabSpec.class,
      Shadows.RealValueAnimator.class,
      Shadows.RealScaleGestureDetector.class,
      Shadows.RealActivityGroup.class,
      Shadows.RealTabActivity.class,
      Shadows.HostActivityTaskManager.class,
      Shadows.HostLog.class,
      Shadows.HostToast.class,
      Shadows.HostClipboard.class,
      Shadows.HostReceiver.class
    })
public class Device {
  static volatile String packageName = "";

  private Wire wire;
  private boolean realTime;
  private boolean begun;
  private Json.Obj look;

  /** The registry holds it weakly. */
  private ApplicationLifecycleCallback beforeCreate;

  @Test
  public void serve() throws Exception {
    Map<String, Object> boot = Json.object(System.getProperty(Main.BOOT));
    packageName = String.valueOf(Json.text(boot, "package"));
    realTime = Json.flag(boot, "real_time");
    warm();
    Events.takeStreams();
    if (boot.get("apk") == null) train(boot);
    // Not earlier: who connects and says nothing is let go.
    wire = new Wire((int) Json.number(boot, "port", 0), Thread.currentThread());
    wire.send(Json.obj().must("op", "hello").must("token", Json.text(boot, "token")).must("pid", ProcessHandle.current().pid()).must("sdk", RuntimeEnvironment.getApiLevel())
        .must("robolectric", "4.17").must("java", Runtime.version().toString()), null);
    wire.listen();
    long last = System.nanoTime();
    while (true) {
      Map<String, Object> request;
      if (realTime && begun && !Faults.over()) {
        request = wire.requests.poll(Math.max(1, Math.min(Time.FRAME, Time.next() - Time.now())), TimeUnit.MILLISECONDS);
        long spent = (System.nanoTime() - last) / 1_000_000;
        last += spent * 1_000_000;
        Time.follow(Math.min(spent, 1000));
        if (request == null) continue;
      } else {
        request = wire.requests.take();
        last = System.nanoTime();
      }
      answer(request);
    }
  }

  /** What can be done before anybody says which folder is the app's. */
  private void warm() {
    Time.start(this::round);
    ShadowView.setUseRealViewAnimations(true);
    // A frame is laid out and not drawn: pictures are drawn when they are asked for.
    ShadowView.setUseRealDrawTraversals(false);
    // Robolectric notes alarms; by its own switch they go off, by the device's clock.
    org.robolectric.shadows.ShadowAlarmManager.setAutoSchedule(true);
    Windows.install();
    Keyboard.install();
    HiddenDoors.activityClientController(ActivityManager.client());
    Profile.warm(Device.class.getClassLoader());
  }

  /** Without an app: uses what apps use, for the archive of classes that the JVM writes at its end. */
  private void train(Map<String, Object> boot) throws Exception {
    begin(Json.obj().must("data_dir", boot.get("data_dir")));
    Training.run(this);
    Faults.check();
  }

  /** Says whether there was anything to do. */
  private boolean round() {
    if (!begun) return false;
    // Each may give the main thread something to do at once.
    int rounds = 0;
    while (rounds < 10 && (Windows.focus() | Services.round())) rounds++;
    return rounds > 0;
  }

  private void answer(Map<String, Object> request) throws IOException {
    Json.Obj answer = Json.obj().must("id", request.get("id"));
    byte[] payload = null;
    try {
      Faults.check();
      Json.Obj ok = act(Json.text(request, "op"), request);
      Faults.check();
      answer.must("ok", ok);
      payload = Picture.payload;
    } catch (Faults.Crashed crashed) {
      String kind = Faults.internal() ? "internal" : Faults.unsupported() != null ? "unsupported" : "crashed";
      answer.must("error", Json.obj().must("kind", kind).must("message", crashed.getMessage()));
    } catch (Faults.Refused refused) {
      answer.must("error", Json.obj().must("kind", refused.kind).must("message", refused.getMessage()));
    } catch (Throwable fault) {
      answer.must("error", Json.obj().must("kind", "internal").must("message", fault.toString()).must("trace", Faults.trace(fault)));
    }
    Picture.payload = null;
    try {
      answer.must("state", State.now(begun));
    } catch (Throwable fault) {
      answer.must("state", Json.obj().must("now", Time.now()).must("fault", Faults.trace(fault)));
    }
    answer.must("events", Events.take());
    wire.send(answer, payload);
  }

  Json.Obj act(String op, Map<String, Object> request) throws Exception {
    Json.Obj ok = Json.obj();
    if (op.equals("begin")) {
      begin(request);
      return ok;
    }
    if (op.equals("memory")) return memory(ok);
    if (!begun) throw new Faults.Refused("internal", op + " comes before begin");
    switch (op) {
      case "look": {
        // The app's own views answer it.
        app(() -> look = Nodes.look());
        return look;
      }
      case "draw": return Picture.draw(request);
      case "advance": {
        Time.advance(Json.number(request, "ms", 0));
        return ok;
      }
      case "settle": {
        long before = Time.now();
        boolean idle = Time.settle(Json.number(request, "limit", 10_000));
        return ok.must("moved", Time.now() - before).must("idle", idle);
      }
      default:
        // All that follow call the app, or change what it sees.
        Time.turn();
    }
    switch (op) {
      case "start": return start(request);
      case "pointer":
        Input.pointer(request);
        break;
      case "key":
        ok.must("handled", Input.key((int) Json.number(request, "code", 0), (int) Json.number(request, "meta", 0), Json.text(request, "action"), Json.number(request, "hold", 0)));
        break;
      case "text": {
        String text = String.valueOf(Json.text(request, "text"));
        ok.must("typed", "keys".equals(Json.text(request, "mode")) ? Keyboard.keys(text) : Keyboard.commit(text));
        break;
      }
      case "action":
        ok.must("done", Nodes.act(request));
        break;
      case "background":
        app(Tasks.get()::background);
        break;
      case "foreground":
        app(Tasks.get()::foregroundAgain);
        break;
      case "close":
        app(Tasks.get()::close);
        break;
      case "configure":
        app(() -> Configure.change(Json.map(request, "config")));
        break;
      case "ime_hidden":
        Keyboard.hide();
        break;
      case "permissions":
        Permissions.answer((int) Json.number(request, "request", 0), Json.map(request, "granted"));
        break;
      case "permission":
        Permissions.grant(Json.text(request, "name"), Json.flag(request, "granted"));
        break;
      case "result":
        ActivityManager.answer((int) Json.number(request, "request", 0), (int) Json.number(request, "code", 0), request.get("intent") == null ? null : Intents.of(Json.map(request, "intent")));
        break;
      case "broadcast":
        app(() -> Services.broadcast(Intents.of(Json.map(request, "intent"))));
        break;
      case "clipboard": {
        Shadows.HostClipboard.quiet = true;
        try {
          RuntimeEnvironment.getApplication().getSystemService(ClipboardManager.class).setPrimaryClip(ClipData.newPlainText("", String.valueOf(Json.text(request, "text"))));
        } finally {
          Shadows.HostClipboard.quiet = false;
        }
        break;
      }
      default:
        throw new Faults.Refused("internal", "no op " + op);
    }
    Time.runDue();
    return ok;
  }

  /** The app's code, called straight: what it throws is its crash. */
  private void app(Runnable call) {
    try {
      call.run();
    } catch (Throwable thrown) {
      Faults.thrown(thrown instanceof Failed ? thrown.getCause() : thrown);
    }
  }

  private static Json.Obj memory(Json.Obj ok) {
    Runtime runtime = Runtime.getRuntime();
    return ok.must("used", runtime.totalMemory() - runtime.freeMemory()).must("committed", runtime.totalMemory()).must("max", runtime.maxMemory());
  }

  // ---- begin and start

  private void begin(Map<String, Object> request) throws Exception {
    if (begun) throw new Faults.Refused("internal", "begin comes once");
    Map<String, Object> config = Json.map(request, "config");
    if (config == null) config = Json.obj();
    RuntimeEnvironment.setTempDirectory(new Data(Path.of(Json.text(request, "data_dir"))));
    long now = Math.max(Time.now(), Json.number(request, "now", 0));
    Time.set(now);
    Threads.remember();
    Faults.install();
    Map<String, Object> settings = config;
    boolean[] prepared = {false};
    // Providers come between attachBaseContext and onCreate.
    beforeCreate = (application, stage) -> {
      if (stage != ApplicationStage.PRE_ON_CREATE || prepared[0]) return;
      prepared[0] = true;
      try {
        packageName = application.getPackageName();
        // Windows without an activity, such as toasts, take it from here: see Tasks.create.
        application.getApplicationInfo().flags |= android.content.pm.ApplicationInfo.FLAG_HARDWARE_ACCELERATED;
        HiddenDoors.systemContext();
        Permissions.begin(Json.list(request, "permissions"));
        Configure.begun(settings);
        org.robolectric.Shadows.shadowOf(application.getSystemService(AccessibilityManager.class)).setEnabled(true);
        // A phone whose owner has unlocked it: else the framework refuses shared preferences.
        org.robolectric.Shadows.shadowOf(application.getSystemService(android.os.UserManager.class)).setUserUnlocked(true);
        Services.providers();
      } catch (Throwable thrown) {
        // The registry swallows exceptions, but no errors: onCreate must not run after a provider that failed.
        throw new Failed(thrown);
      }
    };
    ApplicationLifecycleMonitorRegistry.getInstance().addLifecycleCallback(beforeCreate);
    Configure.before(config, now);
    app(() -> {
      Application application = RuntimeEnvironment.getApplication();
      begun = true;
      Services.receivers();
      Configure.begun(settings);
    });
    if (!begun && !Faults.over()) throw new IllegalStateException("the application was not made");
    Time.runDue();
  }

  private static final class Failed extends Error {
    Failed(Throwable cause) {
      super(cause);
    }
  }

  /** Where Robolectric's temporary folder would be made, the app's own folder is. */
  private static final class Data extends TempDirectory {
    private final Path data;

    Data(Path data) {
      super("host");
      this.data = data;
    }

    @Override
    public Path createIfNotExists(String name) {
      Path path = name.endsWith("-dataDir") ? data : name.equals("deviceDataDir") ? data.resolveSibling(data.getFileName() + "_de") : null;
      if (path == null) return super.createIfNotExists(name);
      try {
        return java.nio.file.Files.createDirectories(path);
      } catch (IOException broken) {
        throw new java.io.UncheckedIOException("the app's folder", broken);
      }
    }
  }

  private Json.Obj start(Map<String, Object> request) throws Faults.Refused {
    Map<String, Object> map = Json.map(request, "intent");
    boolean launcher = map == null || map.isEmpty();
    Intent intent = launcher ? launcher() : Intents.of(map);
    intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
    ActivityInfo info = ActivityManager.resolve(intent);
    if (info == null) throw new Faults.Refused("unresolved", "Activity not started, unable to resolve " + intent);
    Tasks tasks = Tasks.get();
    List<Tasks.Entry> entries = tasks.entries();
    // The launcher's intent brings a task that is there to the front, as it is.
    boolean again = !entries.isEmpty() && entries.get(0).intent.filterEquals(intent) && (intent.getFlags() & Intent.FLAG_ACTIVITY_CLEAR_TASK) == 0;
    app(() -> {
      if (again) tasks.foregroundAgain();
      else tasks.start(intent, info, null, null, -1);
    });
    Time.runDue();
    return Json.obj().must("component", new ComponentName(info.packageName, info.name).flattenToShortString());
  }

  private static Intent launcher() throws Faults.Refused {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    Intent intent = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
    List<ResolveInfo> found = new ArrayList<>();
    for (ResolveInfo each : packages.queryIntentActivities(intent, 0)) if (each.activityInfo.packageName.equals(packageName) && each.activityInfo.isEnabled()) found.add(each);
    if (found.isEmpty()) throw new Faults.Refused("unresolved", "no activity of " + packageName + " is for the launcher");
    return intent.setClassName(found.get(0).activityInfo.packageName, found.get(0).activityInfo.name);
  }
}
