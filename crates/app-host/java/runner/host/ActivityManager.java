package runner.host;

import android.app.IActivityClientController;
import android.app.IActivityTaskManager;
import android.app.IRequestFinishCallback;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.IBinder;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;

/** Answers what activities ask the system: to start another, to finish, to go back, to turn. {@link Tasks} does it. */
final class ActivityManager {
  /** ActivityManager's own codes (hidden there). */
  private static final int START_INTENT_NOT_RESOLVED = -91, START_CLASS_NOT_FOUND = -92;

  static final String REQUEST_PERMISSIONS = "android.content.pm.action.REQUEST_PERMISSIONS";

  private ActivityManager() {}

  static IActivityTaskManager tasks() {
    return proxy(IActivityTaskManager.class, (proxy, method, a) -> {
      switch (method.getName()) {
        case "startActivity":
          return start((Intent) a[3], (IBinder) a[5], (String) a[6], (Integer) a[7]);
        case "startActivityAsUser":
          return start((Intent) a[3], (IBinder) a[5], (String) a[6], (Integer) a[7]);
        case "startActivities": {
          int code = 0;
          for (Intent intent : (Intent[]) a[3]) code = start(intent, (IBinder) a[5], null, -1);
          return code;
        }
        case "getActivityClientController":
          return client();
        default:
          return nothing(method);
      }
    });
  }

  private static IActivityClientController client;

  static IActivityClientController client() {
    if (client == null) client = proxy(IActivityClientController.class, ActivityManager::ask);
    return client;
  }

  private static Object ask(Object proxy, Method method, Object[] a) throws Exception {
    Tasks tasks = Tasks.get();
    switch (method.getName()) {
      case "finishActivity":
        return tasks.finish((IBinder) a[0], (Integer) a[1], (Intent) a[2]);
      case "finishActivityAffinity":
        return tasks.finishAffinity((IBinder) a[0]);
      case "finishSubActivity":
        for (Tasks.Entry entry : tasks.entries())
          if (entry.asker == a[0] && entry.request == (Integer) a[2]) tasks.finish(entry.token, 0, null);
        return null;
      case "moveActivityTaskToBack":
        return tasks.toBack();
      case "onBackPressed": {
        Tasks.Entry entry = tasks.find((IBinder) a[0]);
        // Since Android 12 the launcher's activity at the bottom is kept, not finished.
        if (entry != null && tasks.root(entry.token) && Intent.ACTION_MAIN.equals(entry.intent.getAction()) && entry.intent.hasCategory(Intent.CATEGORY_LAUNCHER)) tasks.toBack();
        else ((IRequestFinishCallback) a[1]).requestFinish();
        return null;
      }
      case "setRequestedOrientation": {
        Tasks.Entry entry = tasks.find((IBinder) a[0]);
        if (entry != null) entry.orientation = (Integer) a[1];
        return null;
      }
      case "getRequestedOrientation": {
        Tasks.Entry entry = tasks.find((IBinder) a[0]);
        return entry == null ? -1 : entry.orientation;
      }
      case "getCallingActivity": {
        Tasks.Entry asker = asker(tasks, (IBinder) a[0]);
        return asker == null ? null : asker.component;
      }
      case "getCallingPackage":
        return asker(tasks, (IBinder) a[0]) == null ? null : Device.packageName;
      case "getLaunchedFromPackage":
        return Device.packageName;
      case "getTaskForActivity":
        return (Boolean) a[1] && !tasks.root((IBinder) a[0]) ? -1 : 1;
      case "isTopOfTask":
        return tasks.top() != null && tasks.top().token == a[0];
      case "willActivityBeVisible": {
        Tasks.Entry entry = tasks.find((IBinder) a[0]);
        return entry != null && !entry.finishing;
      }
      case "shouldUpRecreateTask":
        return false;
      case "navigateUpTo": {
        Intent to = (Intent) a[1];
        Tasks.Entry own = tasks.find((IBinder) a[0]);
        ComponentName target = to.getComponent();
        int at = tasks.entries().indexOf(own);
        for (int i = at - 1; i >= 0; i--)
          if (tasks.entries().get(i).component.equals(target)) {
            for (int k = at; k > i; k--) tasks.finish(tasks.entries().get(k).token, (Integer) a[3], (Intent) a[4]);
            return true;
          }
        tasks.finish(own.token, (Integer) a[3], (Intent) a[4]);
        return false;
      }
      case "releaseActivityInstance":
        return false;
      default:
        return nothing(method);
    }
  }

  private static Tasks.Entry asker(Tasks tasks, IBinder token) {
    Tasks.Entry entry = tasks.find(token);
    return entry == null || entry.asker == null ? null : tasks.find(entry.asker);
  }

  // ---- starting

  private static int start(Intent intent, IBinder asker, String who, int request) {
    if (REQUEST_PERMISSIONS.equals(intent.getAction())) {
      Permissions.request(asker, who, request, intent);
      return 0;
    }
    ActivityInfo info = resolve(intent);
    if (info != null) {
      Tasks.get().start(intent, info, asker, who, request);
      return 0;
    }
    ComponentName component = intent.getComponent();
    if (component != null && component.getPackageName().equals(Device.packageName)) return START_CLASS_NOT_FOUND;
    if (component == null && !systemKnows(intent)) return START_INTENT_NOT_RESOLVED;
    Events.add(Intents.event(intent).with("request", request >= 0 ? waiting(asker, who, request) : null));
    return 0;
  }

  /** An activity of this app that takes the intent, or null. */
  static ActivityInfo resolve(Intent intent) {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    ComponentName component = intent.getComponent();
    try {
      if (component != null)
        return component.getPackageName().equals(Device.packageName) ? packages.getActivityInfo(component, PackageManager.GET_META_DATA) : null;
    } catch (PackageManager.NameNotFoundException unknown) {
      return null;
    }
    if (intent.getPackage() != null && !intent.getPackage().equals(Device.packageName)) return null;
    List<ResolveInfo> found = packages.queryIntentActivities(intent, PackageManager.MATCH_DEFAULT_ONLY);
    for (ResolveInfo each : found) if (each.activityInfo.packageName.equals(Device.packageName)) return each.activityInfo;
    return null;
  }

  /** A phone has a browser, a dialler, a mailer, settings and choosers; nobody has an action of another app's own. */
  private static boolean systemKnows(Intent intent) {
    String action = intent.getAction();
    if (intent.getPackage() != null && !intent.getPackage().equals(Device.packageName)) return true;
    return action == null || action.startsWith("android.") || action.startsWith("com.google.android.");
  }

  // ---- results of other apps

  private static final java.util.Map<Integer, Object[]> waiting = new java.util.HashMap<>();
  private static int requests;

  private static Integer waiting(IBinder asker, String who, int request) {
    waiting.put(++requests, new Object[] {asker, who, request});
    return requests;
  }

  /** The result of another app's activity, which the device plays. */
  static void answer(int request, int code, Intent data) throws Faults.Refused {
    Object[] to = waiting.remove(request);
    if (to == null) throw new Faults.Refused("refused", "no activity waits for the result of request " + request);
    Results.add((IBinder) to[0], (String) to[1], (Integer) to[2], code, data);
  }

  // ---- how

  static Object nothing(Method method) {
    return method.getReturnType() == void.class ? null : ReflectionHelpers.defaultValueForType(method.getReturnType().getName());
  }

  @SuppressWarnings("unchecked")
  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
      switch (method.getName()) {
        case "asBinder":
          return BINDERS.computeIfAbsent(type, t -> new android.os.Binder());
        case "hashCode":
          return System.identityHashCode(proxy);
        case "equals":
          return proxy == arguments[0];
        case "toString":
          return "host's " + type.getSimpleName();
        default:
          return handler.invoke(proxy, method, arguments);
      }
    });
  }

  private static final java.util.Map<Class<?>, android.os.Binder> BINDERS = new java.util.concurrent.ConcurrentHashMap<>();
}
