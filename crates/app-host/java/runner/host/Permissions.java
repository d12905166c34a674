package runner.host;

import android.app.Application;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.IBinder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/** Permissions: which the app has, and the system's dialogs, which the device shows. */
final class Permissions {
  private static final String NAMES = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES", RESULTS = "android.content.pm.extra.REQUEST_PERMISSIONS_RESULTS";

  /** Android 15's runtime permissions: all others that a manifest names are granted when it is installed. */
  private static final Set<String> RUNTIME = new HashSet<>();

  static {
    for (String name :
        ("READ_CALENDAR WRITE_CALENDAR CAMERA READ_CONTACTS WRITE_CONTACTS GET_ACCOUNTS ACCESS_FINE_LOCATION ACCESS_COARSE_LOCATION ACCESS_BACKGROUND_LOCATION RECORD_AUDIO"
                + " READ_PHONE_STATE READ_PHONE_NUMBERS CALL_PHONE ANSWER_PHONE_CALLS READ_CALL_LOG WRITE_CALL_LOG USE_SIP PROCESS_OUTGOING_CALLS BODY_SENSORS BODY_SENSORS_BACKGROUND"
                + " ACTIVITY_RECOGNITION SEND_SMS RECEIVE_SMS READ_SMS RECEIVE_WAP_PUSH RECEIVE_MMS READ_EXTERNAL_STORAGE WRITE_EXTERNAL_STORAGE ACCESS_MEDIA_LOCATION READ_MEDIA_IMAGES"
                + " READ_MEDIA_VIDEO READ_MEDIA_AUDIO READ_MEDIA_VISUAL_USER_SELECTED BLUETOOTH_SCAN BLUETOOTH_CONNECT BLUETOOTH_ADVERTISE UWB_RANGING NEARBY_WIFI_DEVICES POST_NOTIFICATIONS"
                // Special ones, which a settings page grants.
                + " SYSTEM_ALERT_WINDOW WRITE_SETTINGS MANAGE_EXTERNAL_STORAGE REQUEST_INSTALL_PACKAGES PACKAGE_USAGE_STATS SCHEDULE_EXACT_ALARM")
            .split(" ")) RUNTIME.add("android.permission." + name);
  }

  private static final class Request {
    IBinder asker;
    String who;
    int code;
    String[] names;
  }

  private static final Map<Integer, Request> open = new HashMap<>();
  private static int requests;

  private Permissions() {}

  static void begin(List<Object> granted) {
    Application application = RuntimeEnvironment.getApplication();
    try {
      PackageInfo info = application.getPackageManager().getPackageInfo(application.getPackageName(), PackageManager.GET_PERMISSIONS);
      if (info.requestedPermissions != null)
        for (String name : info.requestedPermissions) if (!RUNTIME.contains(name)) Shadows.shadowOf(application).grantPermissions(name);
    } catch (PackageManager.NameNotFoundException never) {
      throw new IllegalStateException(never);
    }
    for (Object name : granted) Shadows.shadowOf(application).grantPermissions(name.toString());
  }

  static void grant(String name, boolean granted) {
    if (granted) Shadows.shadowOf(RuntimeEnvironment.getApplication()).grantPermissions(name);
    else Shadows.shadowOf(RuntimeEnvironment.getApplication()).denyPermissions(name);
  }

  private static boolean has(String name) {
    return RuntimeEnvironment.getApplication().checkSelfPermission(name) == PackageManager.PERMISSION_GRANTED;
  }

  static void request(IBinder asker, String who, int code, Intent intent) {
    Request request = new Request();
    request.asker = asker;
    request.who = who;
    request.code = code;
    request.names = intent.getStringArrayExtra(NAMES);
    List<Object> asked = new ArrayList<>();
    Set<String> declared = declared();
    for (String name : request.names) if (!has(name) && RUNTIME.contains(name) && declared.contains(name)) asked.add(name);
    int id = ++requests;
    open.put(id, request);
    // Without anything to ask the system answers at once, no dialog is seen: so for what the manifest does not name.
    if (asked.isEmpty()) answer(id);
    else Events.add(Events.of("permissions").must("request", id).must("names", asked));
  }

  private static Set<String> declared() {
    Application application = RuntimeEnvironment.getApplication();
    try {
      String[] names = application.getPackageManager().getPackageInfo(application.getPackageName(), PackageManager.GET_PERMISSIONS).requestedPermissions;
      return names == null ? new HashSet<>() : new HashSet<>(Arrays.asList(names));
    } catch (PackageManager.NameNotFoundException never) {
      throw new IllegalStateException(never);
    }
  }

  static void answer(int id, Map<String, Object> granted) throws Faults.Refused {
    if (!open.containsKey(id)) throw new Faults.Refused("refused", "no permission request " + id + " is open");
    if (granted != null) for (Map.Entry<String, Object> each : granted.entrySet()) grant(each.getKey(), Boolean.TRUE.equals(each.getValue()));
    answer(id);
  }

  private static void answer(int id) {
    Request request = open.remove(id);
    int[] results = new int[request.names.length];
    for (int i = 0; i < results.length; i++) results[i] = has(request.names[i]) ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
    Intent data = new Intent(ActivityManager.REQUEST_PERMISSIONS).putExtra(NAMES, request.names).putExtra(RESULTS, results);
    Results.add(request.asker, request.who, request.code, android.app.Activity.RESULT_OK, data);
  }

  /** The activity that asked was made anew. */
  static void moved(IBinder from, IBinder to) {
    for (Request request : open.values()) if (request.asker == from) request.asker = to;
  }
}
