package runner.host;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.res.Configuration;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.view.WindowManager;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;

/** The task of the app: what Android's activity manager does with its activities. All of it happens on the main thread, as messages. */
final class Tasks {
  enum Stage {
    CREATED, STARTED, RESUMED, PAUSED, STOPPED, DESTROYED
  }

  /** One activity, from its start to its end; a new instance after a change of configuration is the same one. */
  static final class Entry {
    ActivityController<? extends Activity> controller;
    IBinder token;
    ActivityInfo info;
    ComponentName component;
    Intent intent;
    Stage stage;
    /** Who gets the result. */
    IBinder asker;
    String who;
    int request;
    boolean finishing;
    int code;
    Intent data;
    int orientation;
    Configuration known;
    Bundle state;

    Activity activity() {
      return controller.get();
    }
  }

  private static final Tasks ONE = new Tasks();

  private final List<Entry> entries = new ArrayList<>();
  private final Handler main = new Handler(Looper.getMainLooper());
  private boolean foreground;

  /** Tokens of activities that are no more: no window is added to them. */
  private final java.util.Set<IBinder> gone = java.util.Collections.newSetFromMap(new java.util.WeakHashMap<>());

  static Tasks get() {
    return ONE;
  }

  List<Entry> entries() {
    return entries;
  }

  boolean foreground() {
    return foreground && !entries.isEmpty();
  }

  Entry top() {
    for (int i = entries.size() - 1; i >= 0; i--) if (!entries.get(i).finishing) return entries.get(i);
    return null;
  }

  boolean gone(IBinder token) {
    return gone.contains(token);
  }

  Entry find(IBinder token) {
    for (Entry entry : entries) if (entry.token == token) return entry;
    return null;
  }

  // ---- starting

  /** By the system's message, as on a phone: the caller goes on first. */
  void start(Intent intent, ActivityInfo info, IBinder asker, String who, int request) {
    main.post(() -> launch(intent, info, asker, who, request));
  }

  private void launch(Intent intent, ActivityInfo info, IBinder asker, String who, int request) {
    int flags = intent.getFlags();
    boolean single = info.launchMode == ActivityInfo.LAUNCH_SINGLE_TASK || info.launchMode >= ActivityInfo.LAUNCH_SINGLE_INSTANCE;
    foreground = true;
    if ((flags & Intent.FLAG_ACTIVITY_CLEAR_TASK) != 0 && (flags & Intent.FLAG_ACTIVITY_NEW_TASK) != 0) {
      for (Entry entry : new ArrayList<>(entries)) entry.finishing = true;
    } else {
      ComponentName component = new ComponentName(info.packageName, info.name);
      Entry there = null;
      for (Entry entry : entries) if (!entry.finishing && entry.component.equals(component)) there = entry;
      boolean clear = single || (flags & Intent.FLAG_ACTIVITY_CLEAR_TOP) != 0;
      if (there != null && clear) {
        for (int i = entries.indexOf(there) + 1; i < entries.size(); i++) entries.get(i).finishing = true;
        boolean kept = single || info.launchMode == ActivityInfo.LAUNCH_SINGLE_TOP || (flags & Intent.FLAG_ACTIVITY_SINGLE_TOP) != 0;
        if (kept) {
          deliver(there, intent);
          return;
        }
        there.finishing = true;
      } else if (there != null && (flags & Intent.FLAG_ACTIVITY_REORDER_TO_FRONT) != 0) {
        Entry before = resumed();
        if (before != null && before != there) pause(before);
        entries.remove(there);
        entries.add(there);
        deliver(there, intent);
        return;
      } else if (there != null && there == top() && (info.launchMode == ActivityInfo.LAUNCH_SINGLE_TOP || (flags & Intent.FLAG_ACTIVITY_SINGLE_TOP) != 0)) {
        deliver(there, intent);
        return;
      }
    }
    Entry below = resumed();
    if (below != null) pause(below);
    Entry asking = find(asker);
    if (asking != null && (flags & Intent.FLAG_ACTIVITY_FORWARD_RESULT) != 0) {
      request = asking.request;
      who = asking.who;
      asker = asking.asker;
    }
    Entry entry = new Entry();
    entry.intent = intent;
    entry.info = info;
    entry.component = new ComponentName(info.packageName, info.name);
    entry.asker = request >= 0 ? asker : null;
    entry.who = who;
    entry.request = request;
    entry.orientation = info.screenOrientation;
    entries.add(entry);
    create(entry, null);
    settle();
  }

  private void deliver(Entry entry, Intent intent) {
    if (entry.stage == Stage.RESUMED) pause(entry);
    HiddenDoors.newIntent(entry.activity(), intent);
    settle();
  }

  private void create(Entry entry, Bundle state) {
    Class<? extends Activity> type;
    try {
      type = Class.forName(entry.info.targetActivity != null ? entry.info.targetActivity : entry.info.name).asSubclass(Activity.class);
    } catch (ClassNotFoundException missing) {
      throw new RuntimeException("Unable to instantiate activity ComponentInfo{" + entry.component.flattenToShortString() + "}: " + missing, missing);
    }
    entry.controller = Robolectric.buildActivity(type, entry.intent);
    entry.token = HiddenDoors.token(entry.activity());
    entry.known = new Configuration(Configure.current());
    HiddenDoors.configuration(entry.activity()).setTo(entry.known);
    // Pictures come from the renderer that only an accelerated window has, whatever the manifest says.
    entry.activity().getWindow().addFlags(WindowManager.LayoutParams.FLAG_HARDWARE_ACCELERATED);
    entry.stage = Stage.CREATED;
    entry.controller.create(state);
  }

  // ---- the way to rest: what is on top is resumed, what is covered stopped, what is finished gone

  /** Asked for after each change; runs as a message where the change came from the app. */
  void soon() {
    main.post(this::settle);
  }

  void settle() {
    // A child's result reaches its asker before that is resumed; an activity that finishes never comes to the front.
    Entry resumed = resumed();
    if (resumed != null && (resumed.finishing || resumed != top() || !foreground)) pause(resumed);
    Entry top = top();
    if (top != null && foreground && top.stage != Stage.RESUMED) {
      if (changed(top)) configure(top);
      resume(top);
      // It may have finished, or started another: that message comes on its own.
    }
    boolean covered = !foreground;
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      if (entry.finishing) continue;
      if (covered) stop(entry);
      else if (entry != top && entry.stage == Stage.STOPPED) {
        restart(entry);
      }
      covered |= !translucent(entry);
    }
    for (Entry entry : new ArrayList<>(entries)) if (entry.finishing && entry.stage != Stage.DESTROYED) destroy(entry);
    if (entries.isEmpty()) foreground = false;
  }

  private Entry resumed() {
    for (Entry entry : entries) if (entry.stage == Stage.RESUMED) return entry;
    return null;
  }

  private void pause(Entry entry) {
    entry.controller.topActivityResumed(false);
    if (!entry.finishing) {
      entry.controller.userLeaving();
    }
    entry.controller.pause();
    entry.stage = Stage.PAUSED;
    if (!entry.finishing && (entry.intent.getFlags() & Intent.FLAG_ACTIVITY_NO_HISTORY) != 0 && entry != top()) entry.finishing = true;
    if ((entry.info.flags & ActivityInfo.FLAG_NO_HISTORY) != 0 && entry != top()) entry.finishing = true;
  }

  private void start(Entry entry) {
    entry.controller.start();
    entry.stage = Stage.STARTED;
    if (entry.state != null) entry.controller.restoreInstanceState(entry.state);
    entry.controller.postCreate(entry.state);
    entry.state = null;
  }

  private void restart(Entry entry) {
    HiddenDoors.stopped(entry.token, false);
    entry.controller.restart().start();
    entry.stage = Stage.STARTED;
    entry.activity().getWindow().getDecorView().setVisibility(android.view.View.VISIBLE);
  }

  private void resume(Entry entry) {
    boolean first = entry.stage == Stage.CREATED;
    if (first) {
      if (entry.activity().isFinishing()) return;
      start(entry);
    } else if (entry.stage == Stage.STOPPED) restart(entry);
    if (entry.finishing) return;
    Results.deliver(entry);
    entry.controller.resume();
    entry.stage = Stage.RESUMED;
    if (entry.activity().getWindow().peekDecorView() != null || first) show(entry, true);
    entry.controller.topActivityResumed(true);
  }

  /** Shows an activity's window. One that is made anew comes back and does not go forward, so its keyboard stays as it is. */
  private void show(Entry entry, boolean forward) {
    Activity activity = entry.activity();
    if (activity.isFinishing() || entry.finishing) return;
    android.view.WindowManager.LayoutParams attributes = activity.getWindow().getAttributes();
    attributes.type = android.view.WindowManager.LayoutParams.TYPE_BASE_APPLICATION;
    if (forward && activity.getWindow().getDecorView().getParent() == null) attributes.softInputMode |= android.view.WindowManager.LayoutParams.SOFT_INPUT_IS_FORWARD_NAVIGATION;
    if (noDisplay(entry)) return;
    HiddenDoors.show(activity);
  }

  private void stop(Entry entry) {
    if (entry.stage == Stage.STOPPED || entry.stage == Stage.CREATED || entry.stage == Stage.DESTROYED) return;
    if (entry.stage == Stage.RESUMED) pause(entry);
    entry.controller.stop();
    Bundle out = new Bundle();
    HiddenDoors.saveState(entry.activity(), out);
    entry.stage = Stage.STOPPED;
    if (entry.activity().getWindow().peekDecorView() != null) entry.activity().getWindow().getDecorView().setVisibility(android.view.View.INVISIBLE);
    HiddenDoors.stopped(entry.token, true);
  }

  private void destroy(Entry entry) {
    if (entry.stage == Stage.RESUMED) pause(entry);
    if (entry.stage == Stage.PAUSED || entry.stage == Stage.STARTED) entry.controller.stop();
    entry.stage = Stage.DESTROYED;
    entries.remove(entry);
    gone.add(entry.token);
    entry.controller.destroy();
    HiddenDoors.closeWindows(entry.token, entry.activity().getClass().getName());
  }

  // ---- what activities ask of the system

  boolean finish(IBinder token, int code, Intent data) {
    Entry entry = find(token);
    if (entry == null || entry.finishing) return entry != null;
    entry.finishing = true;
    entry.code = code;
    entry.data = data;
    if (entry.asker != null) {
      Results.add(entry.asker, entry.who, entry.request, code, data);
    }
    soon();
    return true;
  }

  boolean finishAffinity(IBinder token) {
    Entry own = find(token);
    if (own == null) return false;
    for (int i = entries.indexOf(own); i >= 0; i--) entries.get(i).finishing = true;
    soon();
    return true;
  }

  boolean toBack() {
    main.post(() -> {
      foreground = false;
      settle();
    });
    return true;
  }

  /** An activity is paused while it is told a result, and resumed after. */
  void tell(IBinder token) {
    Entry entry = find(token);
    if (entry == null || entry != top() || !foreground) return;
    if (entry.stage == Stage.RESUMED) pause(entry);
    settle();
  }

  void background() {
    foreground = false;
    settle();
  }

  void foregroundAgain() {
    if (entries.isEmpty()) return;
    foreground = true;
    settle();
  }

  void close() {
    for (Entry entry : entries) entry.finishing = true;
    settle();
  }

  boolean root(IBinder token) {
    return !entries.isEmpty() && entries.get(0).token == token;
  }

  // ---- changes of configuration

  private boolean changed(Entry entry) {
    return entry.known != null && entry.known.diff(Configure.current()) != 0;
  }

  /** The device's configuration is another one: who is visible is told now, the others when they come back. */
  void configure() {
    for (Entry entry : new ArrayList<>(entries))
      if (!entry.finishing && entry.stage != Stage.STOPPED && entry.stage != Stage.DESTROYED && changed(entry)) configure(entry);
  }

  private void configure(Entry entry) {
    Configuration now = Configure.current();
    entry.known = new Configuration(now);
    Context context = RuntimeEnvironment.getApplication();
    Activity before = entry.activity();
    Stage stage = entry.stage;
    entry.controller.configurationChange(now, context.getResources().getDisplayMetrics());
    if (entry.activity() != before) renewed(entry, stage);
  }

  void relaunch(Activity activity) {
    main.post(() -> {
      Entry entry = find(HiddenDoors.token(activity));
      if (entry == null || entry.finishing) return;
      Stage stage = entry.stage;
      Activity before = entry.activity();
      // No activity can declare that it handles this bit: it is made anew.
      entry.controller.configurationChange(Configure.current(), activity.getResources().getDisplayMetrics(), 0x80000000);
      if (entry.activity() != before) renewed(entry, stage);
    });
  }

  /** Robolectric's controller leaves a new instance resumed and without a window. */
  private void renewed(Entry entry, Stage before) {
    IBinder old = entry.token;
    entry.token = HiddenDoors.token(entry.activity());
    for (Entry other : entries) if (other.asker == old) other.asker = entry.token;
    Results.moved(old, entry.token);
    Permissions.moved(old, entry.token);
    HiddenDoors.configuration(entry.activity()).setTo(Configure.current());
    HiddenDoors.closeWindows(old, entry.component.flattenToShortString());
    entry.stage = Stage.RESUMED;
    if (!entry.finishing) show(entry, false);
    if (before == Stage.RESUMED) return;
    pause(entry);
    if (before == Stage.STOPPED) {
      stop(entry);
    }
  }

  private static boolean translucent(Entry entry) {
    if (entry.stage == Stage.CREATED) return true;
    return style(entry, android.R.attr.windowIsTranslucent) || style(entry, android.R.attr.windowIsFloating);
  }

  private static boolean noDisplay(Entry entry) {
    return style(entry, android.R.attr.windowNoDisplay);
  }

  private static boolean style(Entry entry, int attribute) {
    android.content.res.TypedArray a = entry.activity().getTheme().obtainStyledAttributes(new int[] {attribute});
    boolean answer = a.getBoolean(0, false);
    a.recycle();
    return answer;
  }
}
