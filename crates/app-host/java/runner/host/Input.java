package runner.host;

import android.os.Looper;
import android.os.SystemClock;
import android.view.BatchedInputEventReceiver;
import android.view.Choreographer;
import android.view.InputChannel;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.InputEventReceiver;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.MotionEvent.PointerCoords;
import android.view.MotionEvent.PointerProperties;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fingers and keys, through every stage of the window that they are for. */
final class Input {
  /** The window that has the stream of fingers, from its DOWN to its UP, whatever comes above it. */
  private static Windows.Window stream;
  private static long downTime;

  private static final Map<InputEvent, Boolean> answers = new HashMap<>();
  private static InputEventReceiver receiver;

  private Input() {}

  static void finished(InputEvent event, boolean handled) {
    answers.put(event, handled);
  }

  static void gone(Windows.Window window) {
    if (stream == window) stream = null;
  }

  private static boolean send(Windows.Window window, InputEvent event) {
    // One that is whole: a class of ours could not extend what Robolectric has instrumented.
    if (receiver == null) receiver = new BatchedInputEventReceiver(new InputChannel(), Looper.getMainLooper(), Choreographer.getInstance());
    try {
      HiddenDoors.input(window.root, event, receiver);
    } catch (Throwable thrown) {
      Faults.thrown(thrown);
      return true;
    }
    Windows.followTouchMode();
    // Null: an asynchronous stage still has it, a keyboard of the app's own for instance.
    Boolean handled = answers.remove(event);
    return handled != null && handled;
  }

  // ---- fingers

  @SuppressWarnings("unchecked")
  static void pointer(Map<String, Object> request) throws Faults.Refused {
    long begin = SystemClock.uptimeMillis();
    for (Object each : Json.list(request, "events")) {
      Map<String, Object> event = (Map<String, Object>) each;
      long at = begin + Json.number(event, "t", 0);
      if (at > SystemClock.uptimeMillis()) Time.advance(at - SystemClock.uptimeMillis());
      if (Faults.over()) return;
      String action = Json.text(event, "action");
      if (action.equals("down")) down(request, event);
      else if (stream != null) touch(stream, event, code(event, action));
      if (action.equals("up") || action.equals("cancel")) stream = null;
      Time.runDue();
    }
  }

  private static void down(Map<String, Object> request, Map<String, Object> event) throws Faults.Refused {
    downTime = SystemClock.uptimeMillis();
    for (Object id : Json.list(request, "outside")) touch(Windows.byId(((Number) id).intValue()), event, MotionEvent.ACTION_OUTSIDE);
    long id = Json.number(request, "window", 0);
    if (id == 0) throw new Faults.Refused("internal", "a pointer's down needs its window");
    stream = Windows.byId((int) id);
    touch(stream, event, MotionEvent.ACTION_DOWN);
  }

  private static int code(Map<String, Object> event, String action) throws Faults.Refused {
    int index = (int) Json.number(event, "index", 0) << MotionEvent.ACTION_POINTER_INDEX_SHIFT;
    switch (action) {
      case "move": return MotionEvent.ACTION_MOVE;
      case "up": return MotionEvent.ACTION_UP;
      case "pointer_down": return MotionEvent.ACTION_POINTER_DOWN | index;
      case "pointer_up": return MotionEvent.ACTION_POINTER_UP | index;
      case "cancel": return MotionEvent.ACTION_CANCEL;
      default: throw new Faults.Refused("internal", "no pointer action " + action);
    }
  }

  @SuppressWarnings("unchecked")
  private static void touch(Windows.Window window, Map<String, Object> event, int action) {
    List<Object> pointers = Json.list(event, "pointers");
    // ACTION_OUTSIDE tells of one finger.
    int count = action == MotionEvent.ACTION_OUTSIDE ? 1 : pointers.size();
    PointerProperties[] properties = new PointerProperties[count];
    PointerCoords[] places = new PointerCoords[count];
    for (int i = 0; i < count; i++) {
      Map<String, Object> pointer = (Map<String, Object>) pointers.get(i);
      properties[i] = new PointerProperties();
      properties[i].id = (int) Json.number(pointer, "id", i);
      properties[i].toolType = MotionEvent.TOOL_TYPE_FINGER;
      places[i] = new PointerCoords();
      places[i].x = (float) Json.real(pointer, "x", 0);
      places[i].y = (float) Json.real(pointer, "y", 0);
      places[i].pressure = 1;
      places[i].size = 1;
    }
    MotionEvent motion = MotionEvent.obtain(downTime, SystemClock.uptimeMillis(), action, count, properties, places, 0, 0, 1, 1, 0, 0, InputDevice.SOURCE_TOUCHSCREEN, 0);
    motion.offsetLocation(-window.frame.left, -window.frame.top);
    send(window, motion);
  }

  // ---- keys

  static boolean key(int code, int meta, String action, long hold) {
    long down = SystemClock.uptimeMillis();
    boolean handled = false;
    // Android's `input` presses what is held before: a text selects while it has seen SHIFT come down.
    boolean shift = action == null && (meta & KeyEvent.META_SHIFT_ON) != 0;
    if (shift) shift(KeyEvent.ACTION_DOWN, meta);
    if (action == null || !action.equals("up")) {
      handled = key(new KeyEvent(down, down, KeyEvent.ACTION_DOWN, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0, InputDevice.SOURCE_KEYBOARD));
      Time.runDue();
    }
    if (action == null || action.equals("press")) {
      if (hold > 0) {
        int limit = android.view.ViewConfiguration.getLongPressTimeout();
        if (hold >= limit) {
          // The dispatcher's own repeat: the first is marked as a long press.
          Time.advance(limit);
          key(new KeyEvent(down, SystemClock.uptimeMillis(), KeyEvent.ACTION_DOWN, code, 1, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, KeyEvent.FLAG_LONG_PRESS, InputDevice.SOURCE_KEYBOARD));
          Time.runDue();
          Time.advance(hold - limit);
        } else Time.advance(hold);
      }
    }
    if (action == null || !action.equals("down")) {
      handled |= key(new KeyEvent(down, SystemClock.uptimeMillis(), KeyEvent.ACTION_UP, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0, InputDevice.SOURCE_KEYBOARD));
      Time.runDue();
    }
    if (shift) shift(KeyEvent.ACTION_UP, 0);
    return handled;
  }

  private static void shift(int action, int meta) {
    long now = SystemClock.uptimeMillis();
    key(new KeyEvent(now, now, action, KeyEvent.KEYCODE_SHIFT_LEFT, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0, InputDevice.SOURCE_KEYBOARD));
    Time.runDue();
  }

  static boolean key(KeyEvent event) {
    if (Faults.over()) return false;
    // The keyboard has BACK before the app: it goes away.
    if (event.getKeyCode() == KeyEvent.KEYCODE_BACK && Keyboard.back(event)) return true;
    Windows.Window window = focused();
    if (window == null || window.root == null) return false;
    return send(window, event);
  }

  /** How long Android's dispatcher holds a key back while no window has the focus, as between two activities. */
  private static final int FOCUS_LIMIT = 5000;

  /** Returns the window that has the focus, or will have it; null where none gets it. */
  static Windows.Window focused() {
    long limit = Time.now() + FOCUS_LIMIT;
    while (Windows.focused() == null && Tasks.get().foreground() && !Faults.over() && Time.now() < limit) Time.advance(Time.FRAME);
    return Windows.focused();
  }
}
