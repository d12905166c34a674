package runner.host;

import android.app.Application;
import android.app.Instrumentation;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.IntentSender;
import android.content.ServiceConnection;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.content.pm.ResolveInfo;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ServiceController;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowInstrumentation;

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
    SystemProvider.register();
    ProviderInfo[] all = info(PackageManager.GET_PROVIDERS).providers;
    if (all == null) return;
    List<ProviderInfo> sorted = new ArrayList<>(Arrays.asList(all));
    sorted.sort((x, y) -> Integer.compare(y.initOrder, x.initOrder));
    for (ProviderInfo provider : sorted) {
      if (!provider.isEnabled() || provider.authority == null) continue;
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

  // ---- services

  private static final class Running {
    ServiceController<? extends Service> controller;
    boolean started;
    final Map<ServiceConnection, Intent> bound = new HashMap<>();
    final Map<Intent.FilterComparison, IBinder> binders = new HashMap<>();
  }

  private static final Map<ComponentName, Running> running = new HashMap<>();
  private static int starts;

  /** Robolectric notes what is started and bound; this does it, by messages as the system does. */
  @Implements(Instrumentation.class)
  public static class HostInstrumentation extends ShadowInstrumentation {
    @Override
    protected ComponentName startService(Intent intent) {
      ComponentName name = component(intent);
      if (name != null) main().post(() -> start(name, intent));
      return name;
    }

    @Override
    protected boolean bindService(Intent intent, ServiceConnection connection, int flags) {
      return bind(intent, connection, main()::post);
    }

    @Override
    protected boolean bindService(Intent intent, int flags, Executor executor, ServiceConnection connection) {
      return bind(intent, connection, executor);
    }

    @Override
    protected void unbindService(ServiceConnection connection) {
      main().post(() -> unbind(connection));
    }
  }

  private static Handler main() {
    return new Handler(Looper.getMainLooper());
  }

  private static ComponentName component(Intent intent) {
    ComponentName name = intent.getComponent();
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    if (name == null) {
      ResolveInfo found = packages.resolveService(intent, 0);
      if (found == null) return null;
      name = new ComponentName(found.serviceInfo.packageName, found.serviceInfo.name);
    }
    try {
      packages.getServiceInfo(name, 0);
    } catch (PackageManager.NameNotFoundException unknown) {
      return null;
    }
    return name.getPackageName().equals(Device.packageName) ? name : null;
  }

  private static Running run(ComponentName name, Intent intent) {
    Running service = running.get(name);
    if (service != null) return service;
    service = new Running();
    try {
      service.controller = Robolectric.buildService(Class.forName(name.getClassName()).asSubclass(Service.class), intent);
    } catch (ClassNotFoundException missing) {
      throw new RuntimeException("Unable to instantiate service " + name.getClassName() + ": " + missing, missing);
    }
    running.put(name, service);
    service.controller.create();
    return service;
  }

  private static void start(ComponentName name, Intent intent) {
    Running service = run(name, intent);
    service.started = true;
    service.controller.get().onStartCommand(intent, 0, ++starts);
  }

  private static boolean bind(Intent intent, ServiceConnection connection, Executor executor) {
    ComponentName name = component(intent);
    if (name == null) return false;
    main().post(() -> {
      Running service = run(name, intent);
      service.bound.put(connection, intent);
      IBinder binder = service.binders.computeIfAbsent(new Intent.FilterComparison(intent), key -> service.controller.get().onBind(intent));
      if (binder == null) executor.execute(() -> connection.onNullBinding(name));
      else executor.execute(() -> connection.onServiceConnected(name, binder));
    });
    return true;
  }

  private static void unbind(ServiceConnection connection) {
    for (Map.Entry<ComponentName, Running> each : new ArrayList<>(running.entrySet())) {
      Running service = each.getValue();
      Intent intent = service.bound.remove(connection);
      if (intent == null || service.bound.containsValue(intent)) continue;
      service.binders.remove(new Intent.FilterComparison(intent));
      service.controller.get().onUnbind(intent);
      end(each.getKey());
    }
  }

  private static void stop(ComponentName name) {
    Running service = running.get(name);
    if (service == null) return;
    service.started = false;
    end(name);
  }

  private static void end(ComponentName name) {
    Running service = running.get(name);
    if (service.started || !service.bound.isEmpty()) return;
    running.remove(name);
    service.controller.destroy();
  }

  /** Each round of the main thread. */
  static boolean round() {
    ShadowApplication application = Shadows.shadowOf(RuntimeEnvironment.getApplication());
    boolean any = false;
    Intent intent;
    while ((intent = application.getNextStoppedService()) != null) {
      any = true;
      ComponentName name = component(intent);
      if (name != null) stop(name);
    }
    for (Map.Entry<ComponentName, Running> each : new ArrayList<>(running.entrySet()))
      if (each.getValue().started && Shadows.shadowOf(each.getValue().controller.get()).isStoppedBySelf()) {
        any = true;
        stop(each.getKey());
      }
    notifications();
    return any;
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
