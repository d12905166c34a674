package runner.host;

import android.app.ActivityTaskManager;
import android.app.IActivityTaskManager;
import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.util.Log;
import android.view.InputEvent;
import android.view.InputEventReceiver;
import android.view.View;
import android.view.ViewConfiguration;
import android.view.ViewGroup;
import android.view.inputmethod.InputMethodManager;
import android.widget.TextView;
import android.widget.Toast;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowActivityThread;
import org.robolectric.shadows.ShadowClipboardManager;
import org.robolectric.shadows.ShadowInputEventReceiver;
import org.robolectric.shadows.ShadowToast;
import org.robolectric.shadows.ShadowViewGroup;

/** Robolectric's documented way to replace its stand-ins: the small ones, each with its reason. */
public final class Shadows {
  private Shadows() {}

  /** Empty, so that Android's own long press (400 ms) and touch slop (8 dp) hold: Robolectric's are of long ago. */
  @Implements(ViewConfiguration.class)
  public static class RealViewConfiguration {}

  /** Empty, so that the field with the focus has a connection to a keyboard, which {@link Keyboard} is. */
  @Implements(InputMethodManager.class)
  public static class RealInputMethodManager {}

  /** Empty, so that they switch their children, animate without an end and follow two fingers as on a phone. */
  @Implements(android.widget.ViewAnimator.class)
  public static class RealViewAnimator extends ShadowViewGroup {}

  @Implements(android.widget.TabHost.class)
  public static class RealTabHost extends ShadowViewGroup {}

  @Implements(android.widget.TabHost.TabSpec.class)
  public static class RealTabSpec {}

  @Implements(android.widget.TabWidget.class)
  public static class RealTabWidget extends ShadowViewGroup {}

  @Implements(android.animation.ValueAnimator.class)
  public static class RealValueAnimator {}

  @Implements(android.view.ScaleGestureDetector.class)
  public static class RealScaleGestureDetector {}

  /** Shows nothing: it enlarges a part of the window's surface, and fails where there is none. A long press on a word shows it. */
  @Implements(android.widget.Magnifier.class)
  public static class NoMagnifier {
    @Implementation
    protected void show(float x, float y) {}

    @Implementation
    protected void show(float x, float y, float left, float top) {}

    @Implementation
    protected void update() {}

    @Implementation
    protected android.graphics.Point getPosition() {
      return null;
    }
  }

  /** Their own code, and the activity's: see {@link HostActivity}. */
  @Implements(android.app.ActivityGroup.class)
  public static class RealActivityGroup extends HostActivity {}

  @Implements(android.app.TabActivity.class)
  public static class RealTabActivity extends HostActivity {}

  /** Robolectric refuses to watch packages: nothing is ever installed here, so there is nothing to tell; nor is there a sandbox of ads. */
  @Implements(value = android.app.ActivityThread.class, isInAndroidSdk = false)
  public static class HostActivityThread extends ShadowActivityThread {
    private static Object packages;

    @Implementation
    public static Object getPackageManager() {
      if (packages == null) {
        Object robolectric = ShadowActivityThread.getPackageManager();
        packages = ActivityManager.proxy(android.content.pm.IPackageManager.class, (proxy, method, arguments) -> {
          if (method.getName().endsWith("PackageMonitorCallback")) return null;
          if (method.getName().equals("getSdkSandboxPackageName")) return "com.android.sdksandbox";
          try {
            return method.invoke(robolectric, arguments);
          } catch (java.lang.reflect.InvocationTargetException thrown) {
            throw thrown.getCause();
          }
        });
      }
      return packages;
    }
  }

  /** Robolectric's records what is started; the host's starts it. */
  @Implements(value = ActivityTaskManager.class, isInAndroidSdk = false)
  public static class HostActivityTaskManager {
    private static final IActivityTaskManager TASKS = ActivityManager.tasks();

    @Implementation
    protected static IActivityTaskManager getService() {
      return TASKS;
    }
  }

  /** The app's log as events, at once and without Robolectric's list that grows for ever. */
  @Implements(Log.class)
  public static class HostLog {
    private static final String LETTERS = "??VDIWEF";

    @Implementation
    protected static int println_native(int buffer, int priority, String tag, String message) {
      Events.log(priority > 1 && priority < 8 ? LETTERS.charAt(priority) : 'I', tag, message);
      return message == null ? 0 : message.length();
    }

    @Implementation
    protected static int wtf(int buffer, String tag, String message, Throwable thrown, boolean local, boolean system) {
      Events.log('F', tag, thrown == null ? message : message + "\n" + Log.getStackTraceString(thrown));
      return 1;
    }

    @Implementation
    protected static boolean isLoggable(String tag, int level) {
      return level >= Log.INFO;
    }
  }

  /** Says what is shown: the window of a toast is the system's. */
  @Implements(Toast.class)
  public static class HostToast extends ShadowToast {
    @RealObject private Toast real;

    @Override
    @Implementation
    protected void show() {
      super.show();
      CharSequence text = (CharSequence) HiddenDoors.get(ShadowToast.class, "text", this);
      StringBuilder all = new StringBuilder(text == null ? "" : text);
      if (all.length() == 0) words(getView(), all);
      Events.add(Events.of("toast").must("text", all.toString()).must("ms", getDuration() == Toast.LENGTH_LONG ? 3500 : 2000));
      org.robolectric.Shadows.shadowOf(RuntimeEnvironment.getApplication()).getShownToasts().clear();
    }

    private static void words(View view, StringBuilder out) {
      if (view instanceof TextView && ((TextView) view).length() > 0) out.append(out.length() == 0 ? "" : " ").append(((TextView) view).getText());
      if (view instanceof ViewGroup) for (int i = 0; i < ((ViewGroup) view).getChildCount(); i++) words(((ViewGroup) view).getChildAt(i), out);
    }
  }

  /** Tells the device what the app has copied. */
  @Implements(ClipboardManager.class)
  public static class HostClipboard extends ShadowClipboardManager {
    static boolean quiet;

    @Override
    @Implementation
    protected void setPrimaryClip(ClipData clip) {
      super.setPrimaryClip(clip);
      if (quiet) return;
      Context context = RuntimeEnvironment.getApplication();
      CharSequence text = clip == null || clip.getItemCount() == 0 ? "" : clip.getItemAt(0).coerceToText(context);
      Events.add(Events.of("clipboard").must("text", text.toString()));
    }
  }

  /** Learns whether a window has used an event: Android tells it to the one that sent it. */
  @Implements(value = InputEventReceiver.class, isInAndroidSdk = false)
  public static class HostReceiver extends ShadowInputEventReceiver {
    @RealObject private InputEventReceiver real;

    @Implementation
    protected final void finishInputEvent(InputEvent event, boolean handled) {
      Input.finished(event, handled);
    }
  }
}
