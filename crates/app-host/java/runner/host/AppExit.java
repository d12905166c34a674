package runner.host;

import android.os.Looper;

/** The ends that an app can make of its process, and the native libraries that it misses. Used by the app only. */
public final class AppExit {
  /** Thrown to leave the app's code for good; never the app's crash. */
  static final class Left extends Error {
    Left(int code) {
      super("the app called System.exit(" + code + ")", null, false, false);
    }
  }

  static volatile Integer code;

  private AppExit() {}

  public static void exit(int status) {
    synchronized (AppExit.class) {
      if (code == null) {
        code = status;
        Events.add(Events.of("exit").must("code", status));
      }
    }
    if (Thread.currentThread() == Looper.getMainLooper().getThread()) throw new Left(status);
    // exit never returns.
    while (true) java.util.concurrent.locks.LockSupport.park();
  }

  public static void exit(Runtime runtime, int status) {
    exit(status);
  }

  public static void kill(int pid) {
    if (pid == android.os.Process.myPid()) exit(0);
  }

  public static void loadLibrary(String name) {
    Faults.missing(name);
    throw new UnsatisfiedLinkError("dlopen failed: library \"lib" + name + ".so\" not found");
  }

  public static void load(String path) {
    Faults.missing(path);
    throw new UnsatisfiedLinkError("dlopen failed: library \"" + path + "\" not found");
  }

  public static void loadLibrary(Runtime runtime, String name) {
    loadLibrary(name);
  }

  public static void load(Runtime runtime, String path) {
    load(path);
  }
}
