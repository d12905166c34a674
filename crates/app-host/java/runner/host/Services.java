package runner.host;

import android.app.Application;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.IntentSender;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ServiceController;
import org.robolectric.shadows.ShadowApplication;

/** The components beside activities: providers before the application's start, services that are started, receivers of the manifest. */
final class Services {
  private Services() {}

  private static PackageInfo info(int what) {
    Application application = RuntimeEnvironment.getApplication();
    try {
      return application.getPackageManager().getPackageInfo(application.getPackageName(), what | PackageManager.GET_META_DATA);
    } catch (PackageManager.NameNotFoundException never) {
      throw new IllegalStateException(never);
    }
  }

  /** Before Application.onCreate, the highest initOrder first: Robolectric makes them only when somebody asks. */
  static void providers() {
    ProviderInfo[] all = info(PackageManager.GET_PROVIDERS).providers;
    if (all == null) return;
    List<ProviderInfo> sorted = new ArrayList<>(Arrays.asList(all));
    sorted.sort((x, y) -> Integer.compare(y.initOrder, x.initOrder));
    for (ProviderInfo provider : sorted) {
      if (!provider.isEnabled() || provider.authority == null || provider.multiprocess && false) continue;
      if (provider.processName != null && !provider.processName.equals(Device.packageName)) continue;
      try {
        Class<?> type = Class.forName(provider.name);
        Robolectric.buildContentProvider(type.asSubclass(android.content.ContentProvider.class)).create(provider);
      } catch (ClassNotFoundException missing) {
        throw new RuntimeException("Unable to get provider " + provider.name + ": " + missing, missing);
      }
    }
  }

  /** The manifest's receivers: Robolectric reads them from a text manifest, which an APK does not have. */
  static void receivers() {
    ActivityInfo[] all = info(PackageManager.GET_RECEIVERS).receivers;
    if (all == null) return;
    Application application = RuntimeEnvironment.getApplication();
    for (ActivityInfo receiver : all) {
      if (!receiver.isEnabled()) continue;
      BroadcastReceiver made;
      try {
        made = Class.forName(receiver.name).asSubclass(BroadcastReceiver.class).getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException | LinkageError missing) {
        // On a phone that comes to light when it is called; many libraries name receivers that nobody calls.
        Events.log('W', "runner", "the receiver " + receiver.name + " cannot be made: " + missing);
        continue;
      }
      List<IntentFilter> filters = Shadows.shadowOf(application.getPackageManager()).getIntentFiltersForReceiver(new ComponentName(receiver.packageName, receiver.name));
      int exported = receiver.exported ? Context.RECEIVER_EXPORTED : Context.RECEIVER_NOT_EXPORTED;
      for (IntentFilter each : filters) application.registerReceiver(made, each, exported);
      // One without a filter: called by its name.
      if (filters.isEmpty()) application.registerReceiver(made, new IntentFilter(), exported);
    }
  }

  static void broadcast(Intent intent) {
    if (intent.getPackage() == null && intent.getComponent() == null) intent.addFlags(Intent.FLAG_RECEIVER_FOREGROUND);
    RuntimeEnvironment.getApplication().sendBroadcast(intent);
  }

  // ---- services that are started

  private static final Map<ComponentName, ServiceController<? extends Service>> running = new HashMap<>();
  private static int starts;

  /** Each round of the main thread: Robolectric notes what is to be started and stopped; this does it. */
  static boolean round() {
    ShadowApplication application = Shadows.shadowOf(RuntimeEnvironment.getApplication());
    boolean any = false;
    Intent intent;
    while ((intent = application.getNextStartedService()) != null) {
      any = true;
      start(intent);
    }
    while ((intent = application.getNextStoppedService()) != null) {
      any = true;
      ComponentName name = component(intent);
      if (name != null) stop(name);
    }
    for (Map.Entry<ComponentName, ServiceController<? extends Service>> each : new ArrayList<>(running.entrySet()))
      if (Shadows.shadowOf(each.getValue().get()).isStoppedBySelf()) {
        any = true;
        stop(each.getKey());
      }
    notifications();
    return any;
  }

  private static ComponentName component(Intent intent) {
    if (intent.getComponent() != null) return intent.getComponent();
    ResolveInfo found = RuntimeEnvironment.getApplication().getPackageManager().resolveService(intent, 0);
    return found == null ? null : new ComponentName(found.serviceInfo.packageName, found.serviceInfo.name);
  }

  private static void start(Intent intent) {
    ComponentName name = component(intent);
    if (name == null || !name.getPackageName().equals(Device.packageName)) return;
    ServiceController<? extends Service> controller = running.get(name);
    if (controller == null) {
      try {
        controller = Robolectric.buildService(Class.forName(name.getClassName()).asSubclass(Service.class), intent);
      } catch (ClassNotFoundException missing) {
        throw new RuntimeException("Unable to instantiate service " + name.getClassName() + ": " + missing, missing);
      }
      running.put(name, controller);
      controller.create();
    }
    controller.get().onStartCommand(intent, 0, ++starts);
  }

  private static void stop(ComponentName name) {
    ServiceController<? extends Service> controller = running.remove(name);
    if (controller != null) controller.destroy();
  }

  // ---- notifications

  private static final Map<String, String> shown = new HashMap<>();

  private static void notifications() {
    Application application = RuntimeEnvironment.getApplication();
    android.app.NotificationManager manager = application.getSystemService(android.app.NotificationManager.class);
    for (android.service.notification.StatusBarNotification each : manager.getActiveNotifications()) {
      android.app.Notification note = each.getNotification();
      String title = text(note, android.app.Notification.EXTRA_TITLE), text = text(note, android.app.Notification.EXTRA_TEXT);
      String print = title + "\n" + text + "\n" + note.getChannelId();
      if (print.equals(shown.put(each.getTag() + "/" + each.getId(), print))) continue;
      Events.add(Events.of("notification").must("id", each.getId()).with("title", title).with("text", text).with("channel", note.getChannelId()));
    }
  }

  private static String text(android.app.Notification note, String key) {
    CharSequence text = note.extras.getCharSequence(key);
    return text == null ? null : text.toString();
  }

  // ---- pending intents

  /** The intent inside a sender of this app, or null. */
  static Intent intent(IntentSender sender) {
    try {
      Object target = HiddenDoors.get(IntentSender.class, "mTarget", sender);
      android.app.PendingIntent pending = new android.app.PendingIntent((android.content.IIntentSender) target);
      return Shadows.shadowOf(pending).getSavedIntent();
    } catch (RuntimeException unknown) {
      return null;
    }
  }
}
