package runner.host;

import android.content.ContentResolver;
import android.content.Context;
import android.content.res.Configuration;
import android.content.res.Resources;
import android.graphics.Rect;
import android.provider.Settings;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowDisplay;

/** The device's configuration: size, density, rotation, dark, fonts, language, zone, date and insets. */
final class Configure {
  static int status, navigation, ime;
  private static final Rect display = new Rect(0, 0, 1080, 2400);

  private Configure() {}

  static Rect display() {
    return new Rect(display);
  }

  static Configuration current() {
    return RuntimeEnvironment.getApplication().getResources().getConfiguration();
  }

  /** Robolectric's words for it, as in a resource folder's name. */
  private static String qualifiers(Map<String, Object> config) {
    int width = (int) Json.number(config, "width", 1080), height = (int) Json.number(config, "height", 2400), density = (int) Json.number(config, "density", 480);
    String tag = Json.text(config, "locale");
    Locale locale = Locale.forLanguageTag(tag == null || tag.isEmpty() ? "en-US" : tag);
    StringBuilder out = new StringBuilder();
    if (locale.getScript().isEmpty() && locale.getVariant().isEmpty()) {
      out.append(locale.getLanguage());
      if (!locale.getCountry().isEmpty()) out.append("-r").append(locale.getCountry());
    } else out.append("b+").append(locale.toLanguageTag().replace('-', '+'));
    int wide = Math.round(width * 160f / density), high = Math.round(height * 160f / density);
    out.append("-sw").append(Math.min(wide, high)).append("dp");
    out.append("-w").append(wide).append("dp-h").append(high).append("dp-");
    out.append(width > height ? "land" : "port").append(Json.flag(config, "dark") ? "-night-" : "-notnight-");
    return out.append(density).append("dpi").toString();
  }

  private static void numbers(Map<String, Object> config) {
    display.set(0, 0, (int) Json.number(config, "width", 1080), (int) Json.number(config, "height", 2400));
    Map<String, Object> insets = Json.map(config, "insets");
    status = insets == null ? 0 : (int) Json.number(insets, "status", 0);
    navigation = insets == null ? 0 : (int) Json.number(insets, "navigation", 0);
    ime = insets == null ? 0 : (int) Json.number(insets, "ime", 0);
    String tag = Json.text(config, "locale");
    Locale.setDefault(Locale.forLanguageTag(tag == null || tag.isEmpty() ? "en-US" : tag));
    String zone = Json.text(config, "time_zone");
    TimeZone.setDefault(TimeZone.getTimeZone(zone == null || zone.isEmpty() ? "UTC" : zone));
  }

  /** Before there is an application: nobody is told. */
  static void before(Map<String, Object> config, long now) {
    numbers(config);
    AppClock.wallAtZero = Json.number(config, "wall_clock", 1767268800000L) - now;
    // Not RuntimeEnvironment.setQualifiers, which makes the application first, for the display that was.
    Configuration configuration = new Configuration();
    android.util.DisplayMetrics metrics = new android.util.DisplayMetrics();
    org.robolectric.android.Bootstrap.applyQualifiers(qualifiers(config), RuntimeEnvironment.getApiLevel(), configuration, metrics);
    configuration.fontScale = (float) Json.real(config, "font_scale", 1);
    android.graphics.Bitmap.setDefaultDensity(metrics.densityDpi);
    org.robolectric.android.Bootstrap.setDisplayConfiguration(configuration, metrics);
    Storage.mount();
    Stubs.media();
  }

  /** What needs an application, and tells nobody yet. */
  static void settings(Map<String, Object> config) {
    ContentResolver resolver = RuntimeEnvironment.getApplication().getContentResolver();
    Settings.System.putString(resolver, Settings.System.TIME_12_24, Json.flag(config, "twenty_four_hours") ? "24" : "12");
    boolean airplane = Json.flag(config, "airplane");
    Settings.Global.putInt(resolver, Settings.Global.AIRPLANE_MODE_ON, airplane ? 1 : 0);
    AppNet.airplane = airplane;
    android.net.ConnectivityManager network = RuntimeEnvironment.getApplication().getSystemService(android.net.ConnectivityManager.class);
    Shadows.shadowOf(network).setDefaultNetworkActive(!airplane);
    if (airplane) Shadows.shadowOf(network).setActiveNetworkInfo(null);
    Settings.System.putFloat(resolver, Settings.System.FONT_SCALE, (float) Json.real(config, "font_scale", 1));
    ShadowDisplay display = org.robolectric.shadow.api.Shadow.extract(ShadowDisplay.getDefaultDisplay());
    display.setRotation((int) Json.number(config, "rotation", 0));
    float scale = (float) Json.real(config, "font_scale", 1);
    if (RuntimeEnvironment.getFontScale() != scale) RuntimeEnvironment.setFontScale(scale);
  }

  private static String last = "";

  static void begun(Map<String, Object> config) {
    settings(config);
    last = key(config);
  }

  private static String key(Map<String, Object> config) {
    return qualifiers(config) + Json.real(config, "font_scale", 1) + Json.number(config, "rotation", 0);
  }

  /** While the app runs: resources first, then who is visible, then the windows. */
  static void change(Map<String, Object> config) {
    String zone = TimeZone.getDefault().getID();
    numbers(config);
    String key = key(config);
    if (!key.equals(last)) {
      last = key;
      RuntimeEnvironment.setQualifiers(qualifiers(config));
    }
    settings(config);
    Context application = RuntimeEnvironment.getApplication();
    if (!TimeZone.getDefault().getID().equals(zone)) application.sendBroadcast(new android.content.Intent(android.content.Intent.ACTION_TIMEZONE_CHANGED).putExtra("time-zone", TimeZone.getDefault().getID()));
    Tasks.get().configure();
    Windows.dispatch();
  }

  /** The bars as the window in front wants them. */
  static Json.Obj bars() {
    int types = Windows.shownTypes();
    Json.Obj out = Json.obj();
    out.with("status_hidden", (types & android.view.WindowInsets.Type.statusBars()) == 0);
    out.with("navigation_hidden", (types & android.view.WindowInsets.Type.navigationBars()) == 0);
    Windows.Window front = null;
    for (Windows.Window window : Windows.shown()) if (window.attrs.type == android.view.WindowManager.LayoutParams.TYPE_BASE_APPLICATION) front = window;
    if (front != null) {
      int appearance = front.attrs.insetsFlags.appearance, legacy = front.attrs.systemUiVisibility | front.attrs.subtreeSystemUiVisibility;
      out.with("light_status", (appearance & 8) != 0 || (legacy & android.view.View.SYSTEM_UI_FLAG_LIGHT_STATUS_BAR) != 0);
      out.with("light_navigation", (appearance & 16) != 0 || (legacy & android.view.View.SYSTEM_UI_FLAG_LIGHT_NAVIGATION_BAR) != 0);
    }
    return out;
  }
}
