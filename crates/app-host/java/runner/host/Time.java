package runner.host;

import android.os.Looper;
import android.os.SystemClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowSystemClock;

/**
 * Moves the app's clock: from one thing that is due to the next, never by itself. While a thread of the app is at work
 * the clock keeps to real time, so that its work takes the time that it takes.
 */
final class Time {
  static final int FRAME = 16;

  /** A message that is due no sooner than this (a snackbar's end, a cursor's blink) is no part of what goes on now. */
  private static final int SOON = 200;

  /** So many frames in which nothing moved are an animation without an end. */
  private static final int QUIET_FRAMES = 8;

  /** The same while an animation with an end runs: two seconds, since some apps begin the next one at the end of each. */
  private static final int MAX_QUIET_FRAMES = 125;

  /** The longest that the clock waits for threads of the app within one request, in real milliseconds. */
  private static final long PATIENCE = 20_000;

  private static ShadowPausedLooper main;
  private static BooleanSupplier system = () -> false;
  private static boolean endless;
  private static String busy;
  private static long turns;

  private Time() {}

  /** The turns that the main thread has had: while it has none, nothing on the screen changes. */
  static long turns() {
    return turns;
  }

  /** The app's code is called outside of its messages. */
  static void turn() {
    turns++;
  }

  static void start(BooleanSupplier eachRound) {
    main = Shadow.extract(Looper.getMainLooper());
    system = eachRound;
    ShadowChoreographer.setPaused(true);
    ShadowChoreographer.setFrameDelay(Duration.ofMillis(FRAME));
  }

  static long now() {
    return SystemClock.uptimeMillis();
  }

  static void set(long uptime) {
    if (uptime > now()) move(uptime);
  }

  static String busy() {
    return busy;
  }

  /** Runs what is due now, and what that makes due now. */
  static void runDue() {
    for (int round = 0; round < 100 && !Faults.over(); round++) {
      if (due() <= now()) turn();
      try {
        main.idle();
        if (system.getAsBoolean()) turn();
      } catch (Throwable thrown) {
        Faults.thrown(thrown);
        return;
      }
      if (due() > now()) return;
    }
  }

  /** When the main thread has something to do next: a message or a frame. */
  private static long due() {
    return Math.min(HiddenDoors.next(Looper.getMainLooper()), frame());
  }

  private static long frame() {
    long vsync = ShadowChoreographer.getNextVsyncTimeNanos();
    return vsync == 0 || vsync < SystemClock.uptimeNanos() ? Long.MAX_VALUE : (vsync + 999_999) / 1_000_000;
  }

  /** The same for every thread: Long.MAX_VALUE where nothing is. */
  static long next() {
    long sleeper = AppClock.nextSleeper();
    if (sleeper != Long.MAX_VALUE) sleeper = (sleeper + 999_999) / 1_000_000;
    return Math.max(now(), Math.min(Math.min(due(), sleeper), Threads.nextOfLoopers()));
  }

  private static void move(long to) {
    ShadowSystemClock.advanceBy(Duration.ofMillis(to - now()));
    AppClock.moved();
  }

  /** One step of the clock, with the frame that falls into it. */
  private static void step(long to) {
    boolean drawn = frame() <= to;
    move(to);
    runDue();
    if (!drawn || Faults.over()) return;
    try {
      Windows.record();
    } catch (Throwable thrown) {
      Faults.thrown(thrown);
      return;
    }
    if (due() <= now()) runDue();
  }

  /** Thread.sleep of the app's main thread: it blocks, and the time goes by. */
  static void sleepOnMain(long ms) {
    move(now() + ms);
  }

  /** By exactly so many milliseconds, through all that is due meanwhile. */
  static void advance(long ms) {
    long end = now() + ms;
    long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE);
    runDue();
    while (now() < end && !Faults.over()) {
      busy = System.nanoTime() < patience ? Threads.busy() : null;
      if (busy != null) {
        work(Math.min(end, Math.max(now() + 1, next())));
        continue;
      }
      step(Math.min(end, Math.max(now() + 1, next())));
    }
    if (now() < end) move(end);
    busy = Threads.busy();
  }

  /** Waits in real time until something is posted to the main thread, at most until that moment, and moves the clock by as much. */
  private static void work(long until) {
    long from = System.nanoTime(), before = now();
    turn();
    main.poll(Math.max(1, Math.min(until - before, FRAME)));
    long spent = (System.nanoTime() - from + 500_000) / 1_000_000;
    if (spent > 0) step(Math.min(until, before + spent));
    else runDue();
  }

  /** Moves the clock until nothing goes on any more; says whether that was reached. */
  static boolean settle(long limit) {
    long end = now() + limit;
    long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(PATIENCE, Math.max(limit, 1000)));
    int quiet = 0;
    endless = false;
    runDue();
    long seen = Changes.print(), before = 0;
    while (!Faults.over()) {
      busy = System.nanoTime() < patience ? Threads.busy() : null;
      long next = due();
      if (busy == null && next > now() + SOON) {
        if (Animations.hideScrollBars()) continue;
        return true;
      }
      if (now() >= end) return false;
      if (busy != null) {
        work(Math.min(end, Math.max(now() + 1, next)));
        quiet = 0;
        seen = Changes.print();
        continue;
      }
      boolean drawn = frame() <= next;
      step(Math.min(end, Math.max(now() + 1, next)));
      long print = Changes.print();
      if (print != seen) quiet = 0;
      else if (drawn) quiet++;
      seen = print;
      if (quiet < (Animations.finite() ? MAX_QUIET_FRAMES : QUIET_FRAMES) || HiddenDoors.next(Looper.getMainLooper()) <= now() + SOON) continue;
      // Compose moves without moving a view: what is read has the last word, twice, since it costs more than a frame.
      long read = Nodes.print();
      if (read == before) {
        if (Animations.hideScrollBars()) continue;
        endless = true;
        return true;
      }
      before = read;
      quiet = 0;
    }
    return false;
  }

  /** Nothing is due now, and no frame is asked for but by an animation without an end. */
  static boolean idle() {
    long next = due();
    return busy == null && (next > now() + SOON || endless && HiddenDoors.next(Looper.getMainLooper()) > now());
  }

  /** Real time: the clock follows the wall's while nobody asks. */
  static void follow(long spentMs) {
    long end = now() + spentMs;
    while (now() < end && !Faults.over()) {
      step(Math.min(end, Math.max(now() + 1, next())));
    }
  }
}
