package runner.host;

import android.app.Activity;
import android.app.ActivityClient;
import android.app.IActivityClientController;
import android.content.res.Configuration;
import android.graphics.Bitmap;
import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.os.MessageQueue;
import android.view.IWindowSession;
import android.view.InputEvent;
import android.view.InputEventReceiver;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowManagerGlobal;
import android.view.accessibility.AccessibilityEvent;
import android.view.inputmethod.InputConnection;
import android.view.inputmethod.InputMethodManager;
import com.android.internal.view.IInputMethodManager;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.robolectric.shadows.ShadowAccessibilityManager;
import org.robolectric.shadows.ShadowWindowManagerGlobal;

/**
 * Each door into Android or Robolectric that nobody documents, with the reason why no other would do. They belong to
 * android-all 15 and Robolectric 4.17: a door that is not there is told by its name.
 */
final class HiddenDoors {
  private static final Map<String, Field> fields = new HashMap<>();
  private static final Map<String, Method> methods = new HashMap<>();

  private HiddenDoors() {}

  // ---- the system's services, which Robolectric answers with "null" or records only

  /** The window manager: Robolectric's knows neither frames of subwindows, stacking, focus, nor a keyboard's insets. */
  static IWindowSession windowSession(IWindowSession ours) {
    IWindowSession before = WindowManagerGlobal.getWindowSession();
    set(ShadowWindowManagerGlobal.class, "windowSession", null, ours);
    return before;
  }

  /** What an activity tells the system of itself (finish, back, orientation): Robolectric's answer is a null. */
  static void activityClientController(IActivityClientController ours) {
    ActivityClient.setActivityClientController(ours);
  }

  /** The input method service: Robolectric replaces the manager in the app, so that no field has a connection. */
  static void inputMethodService(IInputMethodManager ours) {
    set(type("android.view.inputmethod.IInputMethodManagerGlobalInvoker"), "sServiceCache", null, ours);
  }

  // ---- windows

  /** All window roots in the order of their adding: the app's half of the window manager has no public list. */
  @SuppressWarnings("unchecked")
  static List<ViewRootImpl> roots() {
    WindowManagerGlobal global = WindowManagerGlobal.getInstance();
    synchronized (get(WindowManagerGlobal.class, "mLock", global)) {
      return new ArrayList<>((List<ViewRootImpl>) get(WindowManagerGlobal.class, "mRoots", global));
    }
  }

  /** The name by which a root is known to the window session. */
  static Object window(ViewRootImpl root) {
    return get(ViewRootImpl.class, "mWindow", root);
  }

  /** A window gains or loses the focus, as the system's input dispatcher says it: Robolectric gives it to all. */
  static void focus(ViewRootImpl root, boolean focused) {
    root.windowFocusChanged(focused);
  }

  /**
   * An event through all stages of a window (touch mode, keyboard, shortcuts, focus by keys): Robolectric's
   * injectInputEvent goes to the view at once and passes none of them.
   */
  static void input(ViewRootImpl root, InputEvent event, InputEventReceiver receiver) {
    call(ViewRootImpl.class, "enqueueInputEvent", root, new Class<?>[] {InputEvent.class, InputEventReceiver.class, int.class, boolean.class}, event, receiver, 0, true);
  }

  /** A destroyed activity's windows go with it: ActivityThread does it, which Robolectric does not use. */
  static void closeWindows(android.os.IBinder token, String who) {
    WindowManagerGlobal.getInstance().closeAll(token, who, "Activity");
  }

  /** A stopped activity's windows rest. */
  static void stopped(android.os.IBinder token, boolean stopped) {
    WindowManagerGlobal.getInstance().setStoppedState(token, stopped);
  }

  // ---- activities

  /** ActivityController.visible() does this too, but runs the main looper in the midst of it. */
  static void show(Activity activity) {
    View decor = activity.getWindow().getDecorView();
    set(Activity.class, "mDecor", activity, decor);
    call(Activity.class, "makeVisible", activity, new Class<?>[0]);
  }

  /** The configuration of which an activity was told last: Android decides by it whether it is made anew. */
  static Configuration configuration(Activity activity) {
    return (Configuration) get(Activity.class, "mCurrentConfig", activity);
  }

  /** Results come with the asker's name (fragments, the registry of results, permissions). */
  static void result(Activity activity, String who, int request, int code, android.content.Intent data) {
    call(Activity.class, "dispatchActivityResult", activity, new Class<?>[] {String.class, int.class, int.class, android.content.Intent.class, String.class}, who, request, code, data, "host");
  }

  static android.os.IBinder token(Activity activity) {
    return (android.os.IBinder) get(Activity.class, "mToken", activity);
  }

  /** A new intent for an activity that is there already, fragments told as well. */
  static void newIntent(Activity activity, android.content.Intent intent) {
    call(Activity.class, "performNewIntent", activity, new Class<?>[] {android.content.Intent.class}, intent);
  }

  /** Keeps what ActivityThread keeps when it stops an activity. */
  static void saveState(Activity activity, android.os.Bundle out) {
    call(Activity.class, "performSaveInstanceState", activity, new Class<?>[] {android.os.Bundle.class}, out);
  }

  /** Activities inside of activities (TabActivity) are started by the ActivityThread itself, which misses its context. */
  static void systemContext() {
    Object thread = org.robolectric.RuntimeEnvironment.getActivityThread();
    if (get(android.app.ActivityThread.class, "mSystemContext", thread) == null) set(android.app.ActivityThread.class, "mSystemContext", thread, org.robolectric.RuntimeEnvironment.systemContext);
  }

  // ---- the keyboard

  /** The connection that the field with the focus gave to its keyboard. */
  static InputConnection connection(InputMethodManager manager) {
    Object served = get(InputMethodManager.class, "mServedInputConnection", manager);
    return served == null ? null : (InputConnection) call(served.getClass(), "getInputConnection", served, new Class<?>[0]);
  }

  // ---- time

  /** When the next message of a looper of another thread is due, or {@code Long.MAX_VALUE}: only its own thread may ask it. */
  static long next(Looper looper) {
    MessageQueue queue = looper.getQueue();
    synchronized (queue) {
      Message message = (Message) get(MessageQueue.class, "mMessages", queue);
      if (message != null && message.getTarget() == null) {
        // A barrier: only asynchronous messages pass it.
        do message = (Message) get(Message.class, "next", message); while (message != null && !message.isAsynchronous());
      }
      return message == null ? Long.MAX_VALUE : message.getWhen();
    }
  }

  /** Takes the callbacks of a class out of a looper's queue: a queue can be asked only for one that is known. */
  static Set<Runnable> takeCallbacks(Looper looper, Class<?> type) {
    MessageQueue queue = looper.getQueue();
    Map<Runnable, Handler> found = new HashMap<>();
    synchronized (queue) {
      for (Message message = (Message) get(MessageQueue.class, "mMessages", queue); message != null; message = (Message) get(Message.class, "next", message))
        if (type.isInstance(message.getCallback())) found.put(message.getCallback(), message.getTarget());
    }
    found.forEach((callback, handler) -> handler.removeCallbacks(callback));
    return found.keySet();
  }

  /** How many accessibility events were sent since the last call: Robolectric keeps them all for ever. */
  @SuppressWarnings("unchecked")
  static int accessibilityEvents() {
    synchronized (get(ShadowAccessibilityManager.class, "sLock", null)) {
      List<AccessibilityEvent> sent = (List<AccessibilityEvent>) get(ShadowAccessibilityManager.class, "sentAccessibilityEvents", null);
      int count = sent.size();
      sent.clear();
      return count;
    }
  }

  /** Returns what the main thread's animation handler calls at each frame: a public count tells neither kinds nor ends. */
  static List<?> animations() {
    return (List<?>) get(android.animation.AnimationHandler.class, "mAnimationCallbacks", android.animation.AnimationHandler.getInstance());
  }

  // ---- pictures

  /**
   * Records what a window's views draw, without drawing it. Compose lays out while it draws, and an app's own onDraw may
   * ask for the next frame: both are part of a frame, the pixels are not.
   */
  static void record(View root) {
    call(View.class, "updateDisplayListIfDirty", root, new Class<?>[0]);
  }

  /** One window's picture by the hardware renderer: the documented door (UiAutomation) gives the whole display only. */
  static void picture(View root, Bitmap into) {
    call(type("org.robolectric.shadows.HardwareRenderingScreenshot"), "takeScreenshot", null, new Class<?>[] {View.class, Bitmap.class}, root, into);
  }

  // ---- how they are opened

  static Class<?> type(String name) {
    try {
      return Class.forName(name, true, HiddenDoors.class.getClassLoader());
    } catch (ClassNotFoundException gone) {
      throw new IllegalStateException("hidden door: no class " + name, gone);
    }
  }

  static Object get(Class<?> type, String name, Object of) {
    try {
      return field(type, name).get(of);
    } catch (IllegalAccessException never) {
      throw new IllegalStateException(never);
    }
  }

  static void set(Class<?> type, String name, Object of, Object value) {
    try {
      field(type, name).set(of, value);
    } catch (IllegalAccessException never) {
      throw new IllegalStateException(never);
    }
  }

  private static synchronized Field field(Class<?> type, String name) {
    return fields.computeIfAbsent(type.getName() + "." + name, k -> {
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
      } catch (NoSuchFieldException gone) {
        throw new IllegalStateException("hidden door: no field " + k + " (android-all 15 and Robolectric 4.17 are expected)", gone);
      }
    });
  }

  static Object call(Class<?> type, String name, Object on, Class<?>[] takes, Object... arguments) {
    Method method;
    synchronized (HiddenDoors.class) {
      method = methods.computeIfAbsent(type.getName() + "." + name + takes.length, k -> {
        try {
          Method found = type.getDeclaredMethod(name, takes);
          found.setAccessible(true);
          return found;
        } catch (NoSuchMethodException gone) {
          throw new IllegalStateException("hidden door: no method " + k + " (android-all 15 and Robolectric 4.17 are expected)", gone);
        }
      });
    }
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException thrown) {
      // The app's own exception must stay the app's own.
      throw HiddenDoors.<RuntimeException>as(thrown.getCause());
    } catch (IllegalAccessException never) {
      throw new IllegalStateException(never);
    }
  }

  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException as(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
