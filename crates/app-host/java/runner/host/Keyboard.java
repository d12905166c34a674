package runner.host;

import android.os.IBinder;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.View;
import android.view.WindowManager.LayoutParams;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputConnection;
import android.view.inputmethod.InputMethodManager;
import com.android.internal.inputmethod.InputBindResult;
import com.android.internal.view.IInputMethodManager;
import java.lang.reflect.Method;
import org.robolectric.RuntimeEnvironment;

/**
 * The input method service: knows the field that is written into, whether the app wants the keyboard, and writes as a
 * keyboard does, by the field's own connection. The keyboard itself and its place on the screen are the device's.
 */
final class Keyboard {
  private static boolean shown;
  private static EditorInfo info;
  private static boolean fieldFocused;

  private Keyboard() {}

  static void install() {
    HiddenDoors.inputMethodService(ActivityManager.proxy(IInputMethodManager.class, Keyboard::ask));
  }

  static boolean shown() {
    return shown;
  }

  static Json.Obj state() {
    Json.Obj out = Json.obj().with("shown", shown);
    if (info != null) out.with("input_type", info.inputType).with("ime_options", info.imeOptions);
    return out;
  }

  private static Object ask(Object proxy, Method method, Object[] a) {
    switch (method.getName()) {
      case "showSoftInput":
        shown = true;
        return true;
      case "hideSoftInput": {
        boolean before = shown;
        shown = false;
        return before;
      }
      case "startInputOrWindowGainedFocus": {
        started((EditorInfo) a[6], (IBinder) a[2], (Integer) a[3], (Integer) a[4], (Integer) a[5], a[7] != null);
        return new InputBindResult(InputBindResult.ResultCode.SUCCESS_WITH_IME_SESSION, null, null, null, null, 0, false);
      }
      case "startInputOrWindowGainedFocusAsync":
        started((EditorInfo) a[6], (IBinder) a[2], (Integer) a[3], (Integer) a[4], (Integer) a[5], a[7] != null);
        return null;
      default:
        if (method.getReturnType() == java.util.List.class) return new java.util.ArrayList<>();
        return ActivityManager.nothing(method);
    }
  }

  private static final int FORWARD = LayoutParams.SOFT_INPUT_IS_FORWARD_NAVIGATION;

  /** A field, or a window without one, has the focus: the window's soft input mode says what becomes of the keyboard. */
  private static void started(EditorInfo editor, IBinder token, int flags, int mode, int windowFlags, boolean connected) {
    boolean window = (flags & 8) != 0, text = (flags & 2) != 0;
    info = connected ? editor : null;
    fieldFocused = connected;
    if (!window) {
      if (!connected) shown = false;
      return;
    }
    boolean forward = (mode & FORWARD) != 0;
    boolean resizes = (mode & LayoutParams.SOFT_INPUT_MASK_ADJUST) == LayoutParams.SOFT_INPUT_ADJUST_RESIZE;
    // No switch: in the instrumented framework, which the host is compiled against, these are no constants.
    int state = mode & LayoutParams.SOFT_INPUT_MASK_STATE;
    if (state == LayoutParams.SOFT_INPUT_STATE_UNSPECIFIED) {
      if (!text || !resizes) shown = false;
      else if (forward) shown = true;
    } else if (state == LayoutParams.SOFT_INPUT_STATE_HIDDEN) {
      if (forward) shown = false;
    } else if (state == LayoutParams.SOFT_INPUT_STATE_ALWAYS_HIDDEN) {
      shown = false;
    } else if (state == LayoutParams.SOFT_INPUT_STATE_VISIBLE) {
      if (forward && text) shown = true;
    } else if (state == LayoutParams.SOFT_INPUT_STATE_ALWAYS_VISIBLE) {
      if (text) shown = true;
    }
  }

  private static boolean swallowing;

  /** BACK closes a keyboard that is open: its down and its up. */
  static boolean back(KeyEvent event) {
    if (event.getAction() == KeyEvent.ACTION_DOWN) {
      swallowing = shown;
      return shown;
    }
    if (!swallowing) return false;
    swallowing = false;
    shown = false;
    return true;
  }

  static void hide() {
    shown = false;
  }

  // ---- writing

  private static InputConnection connection() {
    InputMethodManager manager = RuntimeEnvironment.getApplication().getSystemService(InputMethodManager.class);
    return HiddenDoors.connection(manager);
  }

  /** Writes as a keyboard commits a text: any script. The number of characters that arrived is told. */
  static int commit(String text) {
    Windows.Window window = Input.focused();
    if (window == null) return 0;
    InputConnection connection = connection();
    if (connection == null) return 0;
    int at = 0;
    // A keyboard commits lines one by one and sends its enter key between them.
    for (String line : text.split("\n", -1)) {
      if (at > 0) {
        connection = connection();
        if (connection == null) return at;
        enter(connection);
        // The next field's connection comes with the frame after: a keyboard cannot be quicker than that.
        Time.advance(2 * Time.FRAME);
        connection = connection();
        if (connection == null) return at;
      }
      if (!line.isEmpty()) {
        connection.beginBatchEdit();
        connection.commitText(line, 1);
        connection.endBatchEdit();
        Time.runDue();
      }
      at += line.length() + 1;
    }
    return text.length();
  }

  /** The keyboard's enter: the field's action, or a line feed. */
  private static void enter(InputConnection connection) {
    int options = info == null ? 0 : info.imeOptions;
    int action = options & EditorInfo.IME_MASK_ACTION;
    boolean several = info != null && (info.inputType & android.text.InputType.TYPE_TEXT_FLAG_MULTI_LINE) != 0;
    if (!several && (options & EditorInfo.IME_FLAG_NO_ENTER_ACTION) == 0 && action > EditorInfo.IME_ACTION_NONE) connection.performEditorAction(action);
    else if (several) connection.commitText("\n", 1);
    else {
      Input.key(KeyEvent.KEYCODE_ENTER, 0, null, 0);
    }
  }

  /** Types as a hardware keyboard does; stops at the first character that has no key. */
  static int keys(String text) {
    KeyCharacterMap map = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD);
    int typed = 0;
    for (int i = 0; i < text.length(); i++) {
      KeyEvent[] events = map.getEvents(new char[] {text.charAt(i)});
      if (events == null) return typed;
      for (KeyEvent event : events) {
        long now = android.os.SystemClock.uptimeMillis();
        Input.key(KeyEvent.changeTimeRepeat(event, now, 0));
        Time.runDue();
      }
      // The first key may leave touch mode, and the field that gets the focus then has its connection a frame later: until then
      // no edits are undone together. On phones it is a race, as `input` waits for the end of each key only.
      if (i == 0) Time.advance(2 * Time.FRAME);
      typed++;
    }
    return typed;
  }
}
