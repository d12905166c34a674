package runner.host;

import android.content.res.Configuration;
import android.graphics.Rect;
import android.graphics.Region;
import android.util.MergedConfiguration;
import android.view.InsetsSource;
import android.view.InsetsState;
import android.view.IWindow;
import android.view.IWindowSession;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowInsets.Type;
import android.view.WindowLayout;
import android.view.WindowManager.LayoutParams;
import android.view.WindowRelayoutResult;
import android.window.ClientWindowFrames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * The window manager of the app's windows: it keeps them, gives them their frames by Android's own WindowLayout, their
 * insets and the focus. What it does not know of a session (surfaces) it leaves to Robolectric's.
 */
final class Windows {
  static final class Window {
    final int id;
    final IWindow client;
    final LayoutParams attrs = new LayoutParams();
    final Rect frame = new Rect();
    int visibleTypes = Type.defaultVisible();
    int requestedWidth = -1, requestedHeight = -1;
    int visibility;
    Region touchable;
    ViewRootImpl root;

    Window(int id, IWindow client) {
      this.id = id;
      this.client = client;
    }

    View view() {
      return root == null ? null : root.getView();
    }

    boolean sub() {
      return attrs.type >= LayoutParams.FIRST_SUB_WINDOW && attrs.type <= LayoutParams.LAST_SUB_WINDOW;
    }
  }

  private static final int ADD_BAD_APP_TOKEN = -1, IN_TOUCH_MODE = 1, APP_VISIBLE = 2, FIRST_TIME = 1, TOUCHABLE_REGION = 3;

  private static final List<Window> all = new ArrayList<>();
  private static int ids;
  private static IWindowSession robolectric;
  private static final WindowLayout layout = new WindowLayout();
  private static boolean touchMode = true;
  private static Window focused;

  private Windows() {}

  static void install() {
    robolectric = HiddenDoors.windowSession(ActivityManager.proxy(IWindowSession.class, Windows::ask));
  }

  private static Object ask(Object proxy, Method method, Object[] a) throws Throwable {
    switch (method.getName()) {
      case "addToDisplay":
      case "addToDisplayAsUser":
        return add((IWindow) a[0], (LayoutParams) a[1], a);
      case "relayout":
      case "relayout2":
        return relayout(method, a);
      case "relayoutAsync":
        place((IWindow) a[0], (LayoutParams) a[1], (Integer) a[2], (Integer) a[3], (Integer) a[4], null);
        return null;
      case "remove":
        remove(a[0]);
        return forward(method, a);
      case "getInTouchMode":
        return touchMode;
      case "setInsets": {
        Window window = find((IWindow) a[0]);
        if (window != null) window.touchable = (Integer) a[1] == TOUCHABLE_REGION ? new Region((Region) a[4]) : null;
        return null;
      }
      case "clearTouchableRegion": {
        Window window = find((IWindow) a[0]);
        if (window != null) window.touchable = null;
        return null;
      }
      case "updateRequestedVisibleTypes": {
        Window window = find((IWindow) a[0]);
        if (window == null) return null;
        int before = shownTypes();
        window.visibleTypes = (Integer) a[1];
        if (before != shownTypes()) dispatch();
        return null;
      }
      default:
        return forward(method, a);
    }
  }

  private static Object forward(Method method, Object[] a) throws Throwable {
    try {
      return method.invoke(robolectric, a);
    } catch (java.lang.reflect.InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  static Window find(Object client) {
    for (Window window : all) if (window.client == client) return window;
    return null;
  }

  static Window byId(int id) throws Faults.Refused {
    for (Window window : shown()) if (window.id == id) return window;
    throw new Faults.Refused("stale", "no window " + id + " is on the screen");
  }

  // ---- frames

  private static int add(IWindow client, LayoutParams attrs, Object[] a) throws Throwable {
    // "Unable to add window … is your activity running?"
    if (Tasks.get().gone(attrs.token)) return ADD_BAD_APP_TOKEN;
    Window window = new Window(++ids, client);
    window.attrs.copyFrom(attrs);
    window.visibility = (Integer) a[2];
    all.add(window);
    for (Object out : a) if (out instanceof InsetsState) ((InsetsState) out).set(state(window));
    Window parent = parent(window);
    for (Object out : a) if (out instanceof Rect) ((Rect) out).set(parent == null ? new Rect(0, 0, -1, -1) : parent.frame);
    for (Object out : a) if (out instanceof float[]) ((float[]) out)[0] = 1;
    place(window, attrs, -1, -1, null);
    return APP_VISIBLE | (touchMode ? IN_TOUCH_MODE : 0);
  }

  /** Tells all windows that the person now touches, or uses keys, once the one in front knows: so does Android's input dispatcher. */
  static void followTouchMode() {
    View front = focused == null ? null : focused.view();
    if (front == null || front.isInTouchMode() == touchMode) return;
    touchMode = !touchMode;
    for (Window window : all) if (window != focused && window.root != null) window.root.touchModeChanged(touchMode);
  }

  private static int relayout(Method method, Object[] a) throws Throwable {
    Object code = forward(method, a);
    WindowRelayoutResult result = null;
    for (Object out : a) if (out instanceof WindowRelayoutResult) result = (WindowRelayoutResult) out;
    if (result == null) throw new IllegalStateException("android-all 15 is expected: relayout has no WindowRelayoutResult");
    Window window = place((IWindow) a[0], (LayoutParams) a[1], (Integer) a[2], (Integer) a[3], (Integer) a[4], result.frames);
    if (window == null) return (Integer) code;
    result.insetsState.set(state(window), true);
    result.mergedConfiguration.setConfiguration(Configure.current(), Configuration.EMPTY);
    return FIRST_TIME;
  }

  private static Window place(IWindow client, LayoutParams attrs, int width, int height, int visibility, ClientWindowFrames out) {
    Window window = find(client);
    if (window == null) return null;
    if (attrs != null) window.attrs.copyFrom(attrs);
    window.visibility = visibility;
    place(window, window.attrs, width, height, out);
    return window;
  }

  private static void place(Window window, LayoutParams attrs, int width, int height, ClientWindowFrames out) {
    window.requestedWidth = width;
    window.requestedHeight = height;
    ClientWindowFrames frames = new ClientWindowFrames();
    Window parent = parent(window);
    frames.attachedFrame = parent == null ? null : new Rect(parent.frame);
    InsetsState state = state(window);
    Rect cutout = new Rect();
    state.getDisplayCutoutSafe(cutout);
    layout.computeFrames(attrs, state, cutout, Configure.display(), 0, width, height, window.visibleTypes, 1f, frames);
    window.frame.set(frames.frame);
    if (out != null) {
      out.frame.set(frames.frame);
      out.displayFrame.set(frames.displayFrame);
      out.parentFrame.set(frames.parentFrame);
      out.attachedFrame = frames.attachedFrame;
      out.compatScale = 1;
    }
  }

  private static Window parent(Window window) {
    if (!window.sub()) return null;
    for (Window other : all) if (other != window && other.client.asBinder() == window.attrs.token) return other;
    return null;
  }

  private static void remove(Object client) {
    for (Window window : new ArrayList<>(all))
      if (window.client == client || window.client.asBinder() == client) {
        all.remove(window);
        if (window == focused) focused = null;
        Input.gone(window);
      }
  }

  // ---- insets

  private static final int STATUS = InsetsSource.createId(Windows.class, 0, Type.statusBars());
  private static final int NAVIGATION = InsetsSource.createId(Windows.class, 0, Type.navigationBars());
  private static final int GESTURES = InsetsSource.createId(Windows.class, 0, Type.mandatorySystemGestures());
  private static final int TAPPABLE = InsetsSource.createId(Windows.class, 0, Type.tappableElement());

  private static InsetsState state(Window window) {
    InsetsState state = new InsetsState();
    Rect display = Configure.display();
    state.setDisplayFrame(display);
    int types = shownTypes();
    source(state, STATUS, Type.statusBars(), new Rect(0, 0, display.right, Configure.status), (types & Type.statusBars()) != 0);
    source(state, TAPPABLE, Type.tappableElement(), new Rect(0, 0, display.right, Configure.status), (types & Type.statusBars()) != 0);
    Rect bottom = new Rect(0, display.bottom - Configure.navigation, display.right, display.bottom);
    source(state, NAVIGATION, Type.navigationBars(), bottom, (types & Type.navigationBars()) != 0);
    source(state, GESTURES, Type.mandatorySystemGestures(), bottom, true);
    if (Configure.ime > 0) source(state, InsetsSource.ID_IME, Type.ime(), new Rect(0, display.bottom - Configure.ime, display.right, display.bottom), true);
    return state;
  }

  private static void source(InsetsState state, int id, int type, Rect frame, boolean visible) {
    if (!frame.isEmpty()) state.getOrCreateSource(id, type).setFrame(frame).setVisible(visible);
  }

  /** The bars that the window in front leaves on the screen. */
  static int shownTypes() {
    Window front = null;
    for (Window window : shown())
      if (!window.sub() && window.attrs.type < LayoutParams.FIRST_SYSTEM_WINDOW && (window.attrs.flags & LayoutParams.FLAG_NOT_FOCUSABLE) == 0) front = window;
    return front == null ? Type.defaultVisible() : front.visibleTypes;
  }

  /** Each window is told its frame and insets anew. */
  static void dispatch() {
    for (Window window : new ArrayList<>(all)) {
      place(window, window.attrs, window.requestedWidth, window.requestedHeight, null);
      ClientWindowFrames frames = new ClientWindowFrames();
      frames.frame.set(window.frame);
      frames.displayFrame.set(Configure.display());
      frames.parentFrame.set(Configure.display());
      Window parent = parent(window);
      frames.attachedFrame = parent == null ? null : new Rect(parent.frame);
      frames.compatScale = 1;
      try {
        window.client.resized(frames, false, new MergedConfiguration(Configure.current()), state(window), false, false, 0, 0, false, null);
      } catch (android.os.RemoteException never) {
        throw new IllegalStateException(never);
      }
    }
  }

  // ---- what is on the screen, back to front

  private static int layer(Window window) {
    if (window.attrs.type >= LayoutParams.FIRST_SYSTEM_WINDOW) return 1000 + window.attrs.type;
    List<Tasks.Entry> entries = Tasks.get().entries();
    for (int i = 0; i < entries.size(); i++) if (entries.get(i).token == window.attrs.token) return i;
    return 500;
  }

  static List<Window> shown() {
    for (ViewRootImpl root : HiddenDoors.roots()) {
      Window window = find(HiddenDoors.window(root));
      if (window != null) window.root = root;
    }
    List<Window> tops = new ArrayList<>();
    for (Window window : all) if (!window.sub() && visible(window)) tops.add(window);
    tops.sort((x, y) -> {
      int order = Integer.compare(layer(x), layer(y));
      if (order != 0) return order;
      boolean baseX = x.attrs.type == LayoutParams.TYPE_BASE_APPLICATION, baseY = y.attrs.type == LayoutParams.TYPE_BASE_APPLICATION;
      return baseX != baseY ? (baseX ? -1 : 1) : Integer.compare(x.id, y.id);
    });
    List<Window> out = new ArrayList<>();
    for (Window top : tops) withChildren(top, out);
    return out;
  }

  private static void withChildren(Window window, List<Window> out) {
    List<Window> children = new ArrayList<>();
    for (Window other : all) if (other.sub() && other != window && parent(other) == window && visible(other)) children.add(other);
    children.sort((x, y) -> {
      int order = Integer.compare(sublayer(x), sublayer(y));
      return order != 0 ? order : Integer.compare(x.id, y.id);
    });
    for (Window child : children) if (sublayer(child) < 0) withChildren(child, out);
    out.add(window);
    for (Window child : children) if (sublayer(child) >= 0) withChildren(child, out);
  }

  /** WindowManager.LayoutParams has these hidden. */
  private static final int TYPE_APPLICATION_MEDIA_OVERLAY = 1004, TYPE_APPLICATION_ABOVE_SUB_PANEL = 1005;

  /** As WindowManagerPolicy.getSubWindowLayerFromTypeLw: media lies under its parent. */
  private static int sublayer(Window window) {
    int type = window.attrs.type;
    if (type == LayoutParams.TYPE_APPLICATION_MEDIA) return -2;
    if (type == TYPE_APPLICATION_MEDIA_OVERLAY) return -1;
    if (type == LayoutParams.TYPE_APPLICATION_SUB_PANEL) return 2;
    return type == TYPE_APPLICATION_ABOVE_SUB_PANEL ? 3 : 1;
  }

  private static boolean visible(Window window) {
    View view = window.view();
    if (view == null || view.getVisibility() != View.VISIBLE || window.visibility != View.VISIBLE) return false;
    if (view.getWidth() <= 0 || view.getHeight() <= 0 || !view.isAttachedToWindow()) return false;
    Tasks tasks = Tasks.get();
    Tasks.Entry entry = tasks.find(window.attrs.token);
    if (window.sub()) {
      Window parent = parent(window);
      return parent != null && visible(parent);
    }
    if (window.attrs.type >= LayoutParams.FIRST_SYSTEM_WINDOW) return true;
    return tasks.foreground() && (entry == null || entry.stage != Tasks.Stage.STOPPED && entry.stage != Tasks.Stage.CREATED);
  }

  /** What a frame does beside its layout. */
  static void record() {
    for (Window window : shown()) HiddenDoors.record(window.view());
  }

  // ---- the focus

  static Window focused() {
    return focused;
  }

  static boolean focusable(Window window) {
    return (window.attrs.flags & LayoutParams.FLAG_NOT_FOCUSABLE) == 0;
  }

  /** One window has the focus: the topmost that takes it. Each round of the main thread. */
  static boolean focus() {
    List<Window> shown = shown();
    Window front = null;
    for (Window window : shown) {
      if (!focusable(window)) continue;
      Tasks.Entry entry = Tasks.get().find(window.attrs.token);
      // Of an activity that is paused under a translucent one nothing is typed into.
      if (entry != null && window.attrs.type < LayoutParams.FIRST_SUB_WINDOW && entry != Tasks.get().top()) continue;
      front = window;
    }
    if (front == focused) return false;
    Window before = focused;
    focused = front;
    if (before != null && before.root != null && all.contains(before)) HiddenDoors.focus(before.root, false);
    if (front != null) HiddenDoors.focus(front.root, true);
    return true;
  }
}
