package runner.host;

import android.os.Looper;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.LockSupport;

/** Knows whether a thread of the app is at work or waits for the network: while one does, the app's time runs as real time. */
final class Threads {
  private static final Set<Thread> before = Collections.newSetFromMap(new WeakHashMap<>());
  private static final Set<String> SYSTEM =
      new HashSet<>(java.util.Arrays.asList("Reference Handler", "Finalizer", "Signal Dispatcher", "Common-Cleaner", "Notification Thread", "Attach Listener", "process reaper"));

  /** Since when a thread waits for the network without a pause. */
  private static final java.util.Map<Thread, Long> waits = new WeakHashMap<>();

  /** A thread that waits so long for the network only listens: a kept connection, a socket that is pushed to. */
  private static final long LISTENS = 10_000_000_000L;

  private Threads() {}

  private static Thread[] all() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) group = group.getParent();
    Thread[] threads = new Thread[group.activeCount() + 16];
    int count = group.enumerate(threads, true);
    return java.util.Arrays.copyOf(threads, count);
  }

  /** What runs before the app does is not the app's. */
  static synchronized void remember() {
    before.addAll(java.util.Arrays.asList(all()));
  }

  private static synchronized boolean mine(Thread thread) {
    return before.contains(thread) || SYSTEM.contains(thread.getName()) || thread.getName().startsWith("host-");
  }

  /** "thread", "network", or null; looks again where something was woken a moment ago. */
  static String busy() {
    boolean any = false;
    Thread self = Thread.currentThread();
    for (int look = 0; look < 3; look++) {
      for (Thread thread : all()) {
        if (thread == self || mine(thread)) continue;
        any = true;
        Thread.State state = thread.getState();
        if (state == Thread.State.BLOCKED || state == Thread.State.NEW) return "thread";
        if (state != Thread.State.RUNNABLE) {
          waits.remove(thread);
          continue;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        if (stack.length == 0) continue;
        String kind = kind(stack);
        if (kind == null) waits.remove(thread);
        else if (!kind.equals("network") || System.nanoTime() - waits.computeIfAbsent(thread, t -> System.nanoTime()) < LISTENS) return kind;
      }
      if (!any) return null;
      // A thread that was just woken still looks as if it waited: give it the time that waking takes now.
      echo();
    }
    return AppClock.waking() ? "thread" : null;
  }

  private static volatile long asked, echoed;
  private static Thread echo;

  /**
   * Wakes a thread of the host and waits until it has run: one that was woken before it has most likely run too. It costs
   * 50 microseconds on an idle computer, and as long as it must on a busy one.
   */
  private static void echo() {
    Thread self = Thread.currentThread();
    if (echo == null) {
      echo = new Thread(() -> {
        while (true) {
          while (echoed == asked) LockSupport.park();
          echoed = asked;
          LockSupport.unpark(self);
        }
      }, "host-echo");
      echo.setDaemon(true);
      echo.start();
    }
    asked++;
    LockSupport.unpark(echo);
    long limit = System.nanoTime() + 20_000_000;
    while (echoed != asked && System.nanoTime() < limit) LockSupport.parkNanos(2_000_000);
  }

  /** A thread in native code is at work, unless it waits there for ever, as selectors and process watchers do. */
  private static String kind(StackTraceElement[] stack) {
    String top = stack[0].getClassName() + "." + stack[0].getMethodName();
    if (top.startsWith("sun.nio.ch.EPoll.wait") || top.startsWith("sun.nio.ch.KQueue") || top.startsWith("java.lang.ProcessHandleImpl.wait")) return null;
    for (int i = 0; i < Math.min(6, stack.length); i++) {
      String type = stack[i].getClassName();
      if (stack[i].getMethodName().contains("accept")) return null;
      if (type.startsWith("sun.nio.ch.NioSocketImpl") || type.startsWith("sun.nio.ch.Net") || type.startsWith("java.net.Inet") || type.startsWith("sun.nio.ch.SocketDispatcher") || type.startsWith("sun.nio.ch.UnixDomain")) return "network";
    }
    return "thread";
  }

  /** The next moment at which a looper of another thread has something to do. */
  static long nextOfLoopers() {
    long next = Long.MAX_VALUE;
    Looper main = Looper.getMainLooper();
    for (Looper looper : org.robolectric.shadows.ShadowLooper.getAllLoopers())
      if (looper != main && looper.getThread().isAlive()) next = Math.min(next, HiddenDoors.next(looper));
    return next;
  }
}
