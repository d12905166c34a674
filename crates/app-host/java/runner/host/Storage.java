package runner.host;

import android.os.Environment;
import java.io.File;
import org.robolectric.shadows.ShadowEnvironment;

/** The shared storage that every phone has, mounted and empty. Robolectric begins without any. */
final class Storage {
  private Storage() {}

  static void mount() {
    File shared = ShadowEnvironment.addExternalDir("emulated-0");
    ShadowEnvironment.setExternalStorageDirectory(shared.toPath());
    ShadowEnvironment.setExternalStoragePublicDirectory(shared.toPath());
    ShadowEnvironment.setExternalStorageState(Environment.MEDIA_MOUNTED);
    ShadowEnvironment.setExternalStorageState(shared, Environment.MEDIA_MOUNTED);
    ShadowEnvironment.setIsExternalStorageEmulated(true);
    ShadowEnvironment.setExternalStorageEmulated(shared, true);
  }
}
