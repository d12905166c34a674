package runner.host;

import java.lang.reflect.Field;
import java.util.Date;
import java.util.PriorityQueue;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The JVM's timers by the device's clock: {@link Rewriter} makes the app use these instead. Used by the app only. */
public final class AppTimers {
  private static final class Due implements Comparable<Due> {
    final long at;
    final long order;
    final Runnable run;

    Due(long at, long order, Runnable run) {
      this.at = at;
      this.order = order;
      this.run = run;
    }

    @Override
    public int compareTo(Due other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private static final PriorityQueue<Due> waiting = new PriorityQueue<>();
  private static long orders;

  private AppTimers() {}

  private static Due at(long nanos, Runnable run) {
    synchronized (waiting) {
      Due due = new Due(nanos, orders++, run);
      waiting.add(due);
      return due;
    }
  }

  private static void forget(Due due) {
    synchronized (waiting) {
      waiting.remove(due);
    }
  }

  /** Nanoseconds of uptime, or Long.MAX_VALUE. */
  static long next() {
    synchronized (waiting) {
      return waiting.isEmpty() ? Long.MAX_VALUE : waiting.peek().at;
    }
  }

  /** The clock has moved: hands what is due to its threads. */
  static boolean moved(long now) {
    boolean any = false;
    while (true) {
      Due due;
      synchronized (waiting) {
        if (waiting.isEmpty() || waiting.peek().at > now) return any;
        due = waiting.poll();
      }
      any = true;
      due.run.run();
    }
  }

  // ---- java.util.Timer

  /** Runs its tasks one after the other on a thread of its own, as the JVM's does. */
  public static class AppTimer extends Timer {
    private final ScheduledThreadPoolExecutor thread;
    private volatile boolean over;

    public AppTimer() {
      this("Timer");
    }

    public AppTimer(boolean daemon) {
      this("Timer", daemon);
    }

    public AppTimer(String name) {
      this(name, false);
    }

    public AppTimer(String name, boolean daemon) {
      // The JVM's own thread has nothing to do: it must not keep anybody waiting.
      super(name, true);
      super.cancel();
      thread = new ScheduledThreadPoolExecutor(1, run -> {
        Thread made = new Thread(run, name);
        made.setDaemon(daemon);
        return made;
      });
    }

    @Override
    public void schedule(TimerTask task, long delay) {
      plan(task, delay, 0);
    }

    @Override
    public void schedule(TimerTask task, Date time) {
      plan(task, time.getTime() - AppClock.currentTimeMillis(), 0);
    }

    @Override
    public void schedule(TimerTask task, long delay, long period) {
      plan(task, delay, period);
    }

    @Override
    public void schedule(TimerTask task, Date first, long period) {
      plan(task, first.getTime() - AppClock.currentTimeMillis(), period);
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, long delay, long period) {
      plan(task, delay, period);
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, Date first, long period) {
      plan(task, first.getTime() - AppClock.currentTimeMillis(), period);
    }

    private void plan(TimerTask task, long delay, long period) {
      if (over) throw new IllegalStateException("Timer already cancelled.");
      if (state(task) != 0) throw new IllegalStateException("Task already scheduled or cancelled");
      state(task, 1);
      next(task, AppClock.nanoTime() + Math.max(0, delay) * 1_000_000, period * 1_000_000);
    }

    private void next(TimerTask task, long due, long period) {
      at(due, () -> thread.execute(() -> {
        if (over || state(task) == CANCELLED) return;
        if (period > 0) next(task, due + period, period);
        else state(task, 2);
        task.run();
      }));
    }

    @Override
    public void cancel() {
      over = true;
      if (thread != null) thread.shutdown();
    }

    @Override
    public int purge() {
      return 0;
    }
  }

  private static final int CANCELLED = 3;
  private static Field state;

  /** TimerTask.cancel() says it nowhere else. */
  private static int state(TimerTask task) {
    try {
      return field().getInt(task);
    } catch (IllegalAccessException never) {
      throw new IllegalStateException(never);
    }
  }

  private static void state(TimerTask task, int value) {
    try {
      field().setInt(task, value);
    } catch (IllegalAccessException never) {
      throw new IllegalStateException(never);
    }
  }

  private static Field field() {
    if (state == null)
      try {
        Field found = TimerTask.class.getDeclaredField("state");
        found.setAccessible(true);
        state = found;
      } catch (NoSuchFieldException gone) {
        throw new IllegalStateException("java.util.TimerTask has no field state", gone);
      }
    return state;
  }

  // ---- scheduled executors

  public static ScheduledExecutorService newScheduledThreadPool(int threads) {
    return new AppScheduled(threads);
  }

  public static ScheduledExecutorService newScheduledThreadPool(int threads, ThreadFactory factory) {
    return new AppScheduled(threads, factory);
  }

  public static ScheduledExecutorService newSingleThreadScheduledExecutor() {
    return new AppScheduled(1);
  }

  public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory factory) {
    return new AppScheduled(1, factory);
  }

  /** Delays by the device's clock; what is due at once goes the JVM's own way. */
  public static class AppScheduled extends ScheduledThreadPoolExecutor {
    public AppScheduled(int threads) {
      super(threads);
    }

    public AppScheduled(int threads, ThreadFactory factory) {
      super(threads, factory);
    }

    public AppScheduled(int threads, RejectedExecutionHandler handler) {
      super(threads, handler);
    }

    public AppScheduled(int threads, ThreadFactory factory, RejectedExecutionHandler handler) {
      super(threads, factory, handler);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable run, long delay, TimeUnit unit) {
      if (delay <= 0) return super.schedule(run, 0, unit);
      Planned<Object> planned = new Planned<>(this, run, unit.toNanos(delay), 0, false);
      planned.plan();
      return planned;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> call, long delay, TimeUnit unit) {
      if (delay <= 0) return super.schedule(call, 0, unit);
      Planned<V> planned = new Planned<>(this, call, unit.toNanos(delay));
      planned.plan();
      return planned;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable run, long first, long period, TimeUnit unit) {
      Planned<Object> planned = new Planned<>(this, run, unit.toNanos(first), unit.toNanos(period), true);
      planned.plan();
      return planned;
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable run, long first, long delay, TimeUnit unit) {
      Planned<Object> planned = new Planned<>(this, run, unit.toNanos(first), unit.toNanos(delay), false);
      planned.plan();
      return planned;
    }
  }

  private static final class Planned<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final AppScheduled pool;
    private final long period;
    private final boolean rate;
    private long due;
    private Due waits;

    Planned(AppScheduled pool, Runnable run, long delay, long period, boolean rate) {
      super(run, null);
      this.pool = pool;
      this.due = AppClock.nanoTime() + Math.max(0, delay);
      this.period = period;
      this.rate = rate;
    }

    Planned(AppScheduled pool, Callable<V> call, long delay) {
      super(call);
      this.pool = pool;
      this.due = AppClock.nanoTime() + delay;
      this.period = 0;
      this.rate = false;
    }

    void plan() {
      if (pool.isShutdown()) throw new java.util.concurrent.RejectedExecutionException("the executor has been shut down");
      waits = at(due, () -> {
        if (!pool.isShutdown() && !isCancelled()) pool.execute(this::now);
      });
    }

    private void now() {
      if (period == 0) run();
      else if (runAndReset()) {
        due = (rate ? due : AppClock.nanoTime()) + period;
        if (!pool.isShutdown()) plan();
      }
    }

    @Override
    public boolean cancel(boolean interrupt) {
      forget(waits);
      return super.cancel(interrupt);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - AppClock.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
