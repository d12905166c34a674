package runner.host;

import android.app.AlarmManager;
import android.app.PendingIntent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowAlarmManager;

/** Alarms for a date go off at that date: Robolectric takes each time for one of the device's uptime. */
@Implements(AlarmManager.class)
public class Alarms extends ShadowAlarmManager {
  private static boolean date(int type) {
    return type == AlarmManager.RTC || type == AlarmManager.RTC_WAKEUP;
  }

  private static int type(int type) {
    return date(type) ? AlarmManager.ELAPSED_REALTIME_WAKEUP : type;
  }

  private static long at(int type, long ms) {
    return date(type) ? ms - AppClock.wallAtZero : ms;
  }

  @Override
  @Implementation
  protected void set(int type, long at, PendingIntent operation) {
    super.set(type(type), at(type, at), operation);
  }

  @Override
  @Implementation
  protected void setExact(int type, long at, PendingIntent operation) {
    super.setExact(type(type), at(type, at), operation);
  }

  @Override
  @Implementation
  protected void setWindow(int type, long at, long length, PendingIntent operation) {
    super.setWindow(type(type), at(type, at), length, operation);
  }

  @Override
  @Implementation
  protected void setAndAllowWhileIdle(int type, long at, PendingIntent operation) {
    super.setAndAllowWhileIdle(type(type), at(type, at), operation);
  }

  @Override
  @Implementation
  protected void setExactAndAllowWhileIdle(int type, long at, PendingIntent operation) {
    super.setExactAndAllowWhileIdle(type(type), at(type, at), operation);
  }

  @Override
  @Implementation
  protected void setRepeating(int type, long at, long interval, PendingIntent operation) {
    super.setRepeating(type(type), at(type, at), interval, operation);
  }

  @Override
  @Implementation
  protected void setInexactRepeating(int type, long at, long interval, PendingIntent operation) {
    super.setInexactRepeating(type(type), at(type, at), interval, operation);
  }
}
