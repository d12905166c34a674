package runner.host;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/**
 * Starts the host: reads the boot message, sets what Robolectric reads from system properties, and runs {@link Device}
 * by Robolectric's own runner. It ends with its standard input, whatever the app is doing.
 */
public final class Main {
  /** The boot message, for the classes of Robolectric's own class loader, which share no statics with this one. */
  static final String BOOT = "runner.host.boot";

  private Main() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String boot = in.readLine();
    if (boot == null) Runtime.getRuntime().halt(0);
    Thread watch = new Thread(() -> endWithInput(in), "host-stdin");
    watch.setDaemon(true);
    watch.start();
    System.setProperty(BOOT, boot);
    properties();
    addClasses(Json.list(Json.object(boot), "classes"));
    String cache = System.getProperty("runner.host.cache");
    if (cache != null) Jars.fonts(new java.io.File(cache));
    // The app's output goes to its log meanwhile.
    java.io.PrintStream err = System.err;
    Result result = new JUnitCore().run(Device.class);
    for (Failure failure : result.getFailures()) err.println(failure.getTrace());
    err.flush();
    Runtime.getRuntime().halt(result.wasSuccessful() ? 0 : 70);
  }

  /** What has to stand before Robolectric's first class is loaded. */
  private static void properties() {
    preset("java.awt.headless", "true");
    preset("robolectric.offline", "true");
    // Each activity has a context, resources and a configuration of its own, as on a phone.
    preset("robolectric.createActivityContexts", "true");
    // Pictures by the renderer of the window's own root: ripples and other animators of the render thread live there.
    preset("robolectric.useEmbeddedViewRoot", "true");
    preset("robolectric.windowManager.useRequestedSize", "true");
    preset("robolectric.logging.enabled", "false");
    preset("robolectric.useRealScrolling", "true");
    preset("robolectric.useRealMinScalingSpan", "true");
    preset("robolectric.useRealAni", "true");
    preset("robolectric.useRealSpinnerSelection", "true");
    preset("robolectric.useRealCountDownTimer", "true");
    preset("robolectric.installFakeMediaProvider", "true");
    // Else coroutines' delay on the main thread is counted by a thread of real time.
    preset("kotlinx.coroutines.main.delay", "true");
  }

  /**
   * Adds the app's jars to the class path that Robolectric's class loader reads. The JVM's own class path is the same for every app:
   * only then can its archive of classes serve them all.
   */
  private static void addClasses(java.util.List<Object> jars) {
    StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
    for (Object jar : jars) path.append(java.io.File.pathSeparator).append(jar);
    System.setProperty("java.class.path", path.toString());
  }

  private static void preset(String name, String value) {
    if (System.getProperty(name) == null) System.setProperty(name, value);
  }

  private static void endWithInput(BufferedReader in) {
    try {
      while (in.readLine() != null) continue;
    } catch (java.io.IOException broken) {
      // A broken pipe says the same as its end.
    }
    Runtime.getRuntime().halt(0);
  }
}
