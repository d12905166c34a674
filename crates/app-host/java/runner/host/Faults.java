package runner.host;

import android.os.Looper;
import java.io.PrintWriter;
import java.io.StringWriter;

/** What ended the app: its own exception, a native library that is not there, or its exit. After it nothing of the app runs. */
final class Faults {
  private static volatile String crashed;
  private static volatile String library;

  private Faults() {}

  /** Thrown where the process is of no use any more. */
  static final class Crashed extends Exception {
    Crashed(String message) {
      super(message);
    }
  }

  /** A fault that is not the app's: its kind is the answer's. */
  static final class Refused extends Exception {
    final String kind;

    Refused(String kind, String message) {
      super(message);
      this.kind = kind;
    }
  }

  static void check() throws Crashed {
    if (crashed != null) throw new Crashed(crashed);
    if (AppExit.code != null) throw new Crashed("the app has ended itself with System.exit(" + AppExit.code + ")");
  }

  static boolean over() {
    return crashed != null || AppExit.code != null;
  }

  static void install() {
    // As ActivityThread does: an app that sets its own handler calls this one after it.
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> crash(thread, thrown));
  }

  /** A library that the app asked for: named in the crash, should the app not live without it. */
  static void missing(String name) {
    library = name;
  }

  /** An exception that left the main looper or the app's code that was called: told to the app's own handler first. */
  static void thrown(Throwable thrown) {
    if (thrown instanceof AppExit.Left || over()) return;
    Thread main = Looper.getMainLooper().getThread();
    Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    try {
      if (handler != null) handler.uncaughtException(main, thrown);
    } catch (Throwable again) {
      crash(main, again);
    }
    crash(main, thrown);
  }

  static synchronized void crash(Thread thread, Throwable thrown) {
    if (thrown instanceof AppExit.Left || over()) return;
    Throwable cause = root(thrown);
    String other = notTheApps(cause);
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    String trace = text.toString();
    String name = looper() == thread ? "main" : thread.getName();
    // One without words of its own, such as that of a class that could not be initialized, says what it came from.
    String message = thrown.getMessage() == null && cause != thrown ? "caused by " + cause : thrown.getMessage();
    Json.Obj event = Events.of("crash").must("exception", thrown.getClass().getName()).with("message", message).must("trace", trace).must("thread", name);
    if (cause instanceof UnsatisfiedLinkError && other == null) {
      event.must("kind", "native");
      String missed = library;
      if (missed == null) missed = cause.getMessage();
      event.must("native", missed == null ? "" : missed);
    }
    Events.log('E', "AndroidRuntime", "FATAL EXCEPTION: " + name + "\nProcess: " + Device.packageName + ", PID: " + android.os.Process.myPid() + "\n" + trace);
    // Also where the app is not to blame: it is over, and whoever asks shall not take the launcher for it.
    Events.add(event);
    // Last: whoever sees it finds the event.
    crashed = other == null ? thrown.toString() : other;
  }

  /** Why the app is over and not to blame, in one sentence; null where it is. */
  private static String notTheApps(Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      memory = true;
      return "memory: " + cause.getMessage() + "; the app needs more than the host's heap of " + Runtime.getRuntime().maxMemory() / 1048576 + " MB";
    }
    String unsupported = unsupported(cause);
    return unsupported == null ? ours(cause) : unsupported;
  }

  private static volatile boolean memory;

  private static Thread looper() {
    Looper main = Looper.getMainLooper();
    return main == null ? null : main.getThread();
  }

  private static Throwable root(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null && cause.getCause() != cause) cause = cause.getCause();
    return cause;
  }

  /** What Robolectric cannot do, or fails in, and what was not translated well: told as such, and never the app's failure. */
  private static String unsupported(Throwable cause) {
    StackTraceElement[] stack = cause.getStackTrace();
    String message = String.valueOf(cause.getMessage());
    // Android ran these classes: it is the translation that the JVM refuses.
    if (cause instanceof VerifyError || cause instanceof ClassFormatError) {
      String[] lines = message.split("\n");
      // The JVM's fourth line says where.
      return told("a class of the app, as it was translated from dex, is refused by the JVM: " + lines[0] + (lines.length > 3 ? " in " + lines[3].strip() : ""));
    }
    // A class of a later Android that one of its shadows speaks of.
    boolean missing = cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException, later = missing && message.startsWith("android");
    if (missing && message.replace('.', '/').startsWith("org/apache/http/")) return told("Android's old library org.apache.http is not here: " + message.replace('/', '.'));
    if (missing && !later) return null;
    if (!later && (stack.length == 0 || !stack[0].getClassName().startsWith("org.robolectric."))) return null;
    // Its shadows also throw what Android throws (a SecurityException, a missing resource): that is the app's.
    boolean own =
        later || cause instanceof UnsupportedOperationException || cause instanceof NullPointerException || cause instanceof ClassCastException || cause instanceof ReflectiveOperationException
            || cause instanceof LinkageError || cause instanceof AssertionError || message.contains("not supporting") || message.contains("not supported") || message.contains("mplement me");
    if (!own) return null;
    return told("Robolectric cannot do it: " + cause.getClass().getSimpleName() + ": " + message + " (" + stack[0].getClassName() + "." + stack[0].getMethodName() + ")");
  }

  private static String told(String sentence) {
    what = sentence;
    Events.unsupported(sentence);
    return sentence;
  }

  /** The host's own fault. What it throws in Android's name says "Unable to", as Android does. */
  private static String ours(Throwable cause) {
    StackTraceElement[] stack = cause.getStackTrace();
    if (stack.length == 0 || !stack[0].getClassName().startsWith("runner.host.") || stack[0].getClassName().startsWith("runner.host.App")) return null;
    if (String.valueOf(cause.getMessage()).startsWith("Unable to ")) return null;
    host = true;
    return "a fault of the host: " + cause + " at " + stack[0];
  }

  private static volatile boolean host;

  /** Is it the host, or the memory that it has, and not the app? */
  static boolean internal() {
    return host || memory;
  }

  private static volatile String what;

  /** What Robolectric could not do when it ended the app, or null. */
  static String unsupported() {
    return what;
  }

  static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
