package runner.host;

import java.util.Map;

/** The environment's variables that every app of Android has, in place of the computer's. Used by the app only. */
public final class AppVariables {
  private static final Map<String, String> ALL =
      Map.of(
          "PATH", "/product/bin:/apex/com.android.runtime/bin:/apex/com.android.art/bin:/system_ext/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin:/vendor/xbin",
          "ANDROID_ROOT", "/system",
          "ANDROID_DATA", "/data",
          "ANDROID_STORAGE", "/storage",
          "ANDROID_ASSETS", "/system/app",
          "ANDROID_ART_ROOT", "/apex/com.android.art",
          "ANDROID_I18N_ROOT", "/apex/com.android.i18n",
          "ANDROID_TZDATA_ROOT", "/apex/com.android.tzdata",
          "EXTERNAL_STORAGE", "/sdcard",
          "DOWNLOAD_CACHE", "/data/cache");

  private AppVariables() {}

  public static String getenv(String name) {
    return ALL.get(java.util.Objects.requireNonNull(name));
  }

  public static Map<String, String> getenv() {
    return ALL;
  }
}
