package runner.host;

import android.os.Looper;
import android.os.SystemClock;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Calendar;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The clocks that the app sees instead of the JVM's: {@link Rewriter} leads its calls here. Used by the app only. */
public final class AppClock extends Clock {
  private final ZoneId zone;

  private AppClock(ZoneId zone) {
    this.zone = zone;
  }

  // ---- what stands behind them

  /** The date at which the device's uptime was zero. */
  static volatile long wallAtZero = 1767268800000L;

  /** Threads that wait for a moment of the device's time. */
  private static final Map<Thread, Long> sleepers = new HashMap<>();

  /** Those that were woken and do not run yet. */
  private static final java.util.Set<Thread> waking = new java.util.HashSet<>();

  /** The next moment for which a thread of the app waits, or {@code Long.MAX_VALUE}. */
  static long nextSleeper() {
    synchronized (sleepers) {
      long next = Long.MAX_VALUE;
      for (long due : sleepers.values()) next = Math.min(next, due);
      return Math.min(next, AppTimers.next());
    }
  }

  /** Called when the clock has moved: wakes those whose moment has come, and says whether there were any. */
  static boolean moved() {
    long now = SystemClock.uptimeNanos();
    boolean woken = AppTimers.moved(now);
    synchronized (sleepers) {
      for (java.util.Iterator<Map.Entry<Thread, Long>> all = sleepers.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<Thread, Long> sleeper = all.next();
        if (sleeper.getValue() > now) continue;
        all.remove();
        waking.add(sleeper.getKey());
        LockSupport.unpark(sleeper.getKey());
        woken = true;
      }
    }
    return woken;
  }

  private static boolean main() {
    return Looper.getMainLooper() != null && Thread.currentThread() == Looper.getMainLooper().getThread();
  }

  // ---- the app's calls

  public static long currentTimeMillis() {
    return wallAtZero + SystemClock.uptimeMillis();
  }

  public static long nanoTime() {
    return SystemClock.uptimeNanos();
  }

  public static void sleep(long ms) throws InterruptedException {
    if (ms < 0) throw new IllegalArgumentException("timeout value is negative");
    if (Thread.interrupted()) throw new InterruptedException();
    if (main()) {
      // Nobody else moves the clock while the main thread sleeps.
      Time.sleepOnMain(ms);
      return;
    }
    long due = SystemClock.uptimeNanos() + ms * 1_000_000;
    while (SystemClock.uptimeNanos() < due) {
      await(due, null);
      if (Thread.interrupted()) throw new InterruptedException();
    }
  }

  public static void sleep(TimeUnit unit, long amount) throws InterruptedException {
    if (amount > 0) sleep(unit.toMillis(amount));
  }

  public static void parkNanos(long nanos) {
    parkNanos(null, nanos);
  }

  public static void parkNanos(Object blocker, long nanos) {
    if (nanos <= 0) return;
    if (main()) LockSupport.parkNanos(blocker, nanos);
    else await(SystemClock.uptimeNanos() + Math.min(nanos, Long.MAX_VALUE / 2), blocker);
  }

  private static void await(long due, Object blocker) {
    synchronized (sleepers) {
      if (SystemClock.uptimeNanos() >= due) return;
      sleepers.put(Thread.currentThread(), due);
    }
    try {
      if (blocker == null) LockSupport.park();
      else LockSupport.park(blocker);
    } finally {
      synchronized (sleepers) {
        sleepers.remove(Thread.currentThread());
        waking.remove(Thread.currentThread());
      }
    }
  }

  /** Is a thread on its way from its sleep to its work? */
  static boolean waking() {
    synchronized (sleepers) {
      return !waking.isEmpty();
    }
  }

  private static <T extends Calendar> T at(T calendar) {
    calendar.setTimeInMillis(currentTimeMillis());
    return calendar;
  }

  public static Calendar calendar() {
    return at(Calendar.getInstance());
  }

  public static Calendar calendar(TimeZone zone) {
    return at(Calendar.getInstance(zone));
  }

  public static Calendar calendar(Locale locale) {
    return at(Calendar.getInstance(locale));
  }

  public static Calendar calendar(TimeZone zone, Locale locale) {
    return at(Calendar.getInstance(zone, locale));
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public Clock withZone(ZoneId other) {
    return new AppClock(other);
  }

  @Override
  public long millis() {
    return currentTimeMillis();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(currentTimeMillis());
  }

  public static Instant instantNow() {
    return Instant.ofEpochMilli(currentTimeMillis());
  }

  public static Clock systemUTC() {
    return new AppClock(java.time.ZoneOffset.UTC);
  }

  public static Clock systemDefaultZone() {
    return new AppClock(ZoneId.systemDefault());
  }

  public static Clock system(ZoneId zone) {
    return new AppClock(zone);
  }

  public static java.time.LocalDate localDate() {
    return java.time.LocalDate.now(systemDefaultZone());
  }

  public static java.time.LocalDate localDate(ZoneId zone) {
    return java.time.LocalDate.now(system(zone));
  }

  public static java.time.LocalDateTime localDateTime() {
    return java.time.LocalDateTime.now(systemDefaultZone());
  }

  public static java.time.LocalDateTime localDateTime(ZoneId zone) {
    return java.time.LocalDateTime.now(system(zone));
  }

  public static java.time.LocalTime localTime() {
    return java.time.LocalTime.now(systemDefaultZone());
  }

  public static java.time.LocalTime localTime(ZoneId zone) {
    return java.time.LocalTime.now(system(zone));
  }

  public static java.time.ZonedDateTime zonedDateTime() {
    return java.time.ZonedDateTime.now(systemDefaultZone());
  }

  public static java.time.ZonedDateTime zonedDateTime(ZoneId zone) {
    return java.time.ZonedDateTime.now(system(zone));
  }

  public static java.time.OffsetDateTime offsetDateTime() {
    return java.time.OffsetDateTime.now(systemDefaultZone());
  }

  public static java.time.OffsetDateTime offsetDateTime(ZoneId zone) {
    return java.time.OffsetDateTime.now(system(zone));
  }

  public static java.time.OffsetTime offsetTime() {
    return java.time.OffsetTime.now(systemDefaultZone());
  }

  public static java.time.OffsetTime offsetTime(ZoneId zone) {
    return java.time.OffsetTime.now(system(zone));
  }

  public static java.time.Year year() {
    return java.time.Year.now(systemDefaultZone());
  }

  public static java.time.Year year(ZoneId zone) {
    return java.time.Year.now(system(zone));
  }

  public static java.time.YearMonth yearMonth() {
    return java.time.YearMonth.now(systemDefaultZone());
  }

  public static java.time.YearMonth yearMonth(ZoneId zone) {
    return java.time.YearMonth.now(system(zone));
  }

  public static java.time.MonthDay monthDay() {
    return java.time.MonthDay.now(systemDefaultZone());
  }

  public static java.time.MonthDay monthDay(ZoneId zone) {
    return java.time.MonthDay.now(system(zone));
  }
}
