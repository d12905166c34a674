package runner.host;

import android.graphics.Rect;
import android.os.Bundle;
import android.view.View;
import android.view.WindowManager.LayoutParams;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a phone's accessibility service sees: the windows from back to front, and their visible nodes. */
final class Nodes {
  /** Android names a node by view and virtual child; the protocol by small numbers that stay. */
  private static final Map<Long, Integer> ids = new HashMap<>();

  /** The nodes of the last look, so that an action need not look again. */
  private static final Map<Integer, AccessibilityNodeInfo> known = new HashMap<>();
  private static final Map<Integer, Integer> windowOf = new HashMap<>();

  private Nodes() {}

  static Json.Obj look() {
    known.clear();
    windowOf.clear();
    List<Object> windows = new ArrayList<>();
    for (Windows.Window window : Windows.shown()) {
      windows.add(window(window));
      Stubs.look(window.view());
    }
    return Json.obj().must("windows", windows);
  }

  /** A fingerprint of all that a look would tell. */
  static long print() {
    StringBuilder text = new StringBuilder(4096);
    Json.write(text, look());
    long hash = 7;
    for (int i = 0; i < text.length(); i++) hash = hash * 31 + text.charAt(i);
    return hash;
  }

  private static String kind(Windows.Window window) {
    int type = window.attrs.type;
    if (type == LayoutParams.TYPE_BASE_APPLICATION) return "activity";
    if (type < LayoutParams.FIRST_SUB_WINDOW) return "dialog";
    if (window.sub()) return "popup";
    return type == LayoutParams.TYPE_TOAST ? "toast" : "other";
  }

  private static Json.Obj window(Windows.Window window) {
    LayoutParams attrs = window.attrs;
    int flags = attrs.flags;
    boolean focusable = Windows.focusable(window);
    Json.Obj out = Json.obj().must("id", window.id).must("kind", kind(window)).must("type", attrs.type);
    out.with("title", attrs.getTitle() == null ? null : attrs.getTitle().toString());
    Tasks.Entry entry = Tasks.get().find(attrs.token);
    if (entry != null) out.must("component", entry.component.flattenToShortString());
    out.must("frame", rect(window.frame)).must("flags", flags & 0xffffffffL);
    if ((flags & LayoutParams.FLAG_DIM_BEHIND) != 0) out.with("dim", (double) attrs.dimAmount);
    out.with("focusable", focusable);
    out.with("touchable", (flags & LayoutParams.FLAG_NOT_TOUCHABLE) == 0);
    // A window that takes no keys never takes touches beside itself.
    out.with("touch_modal", focusable && (flags & LayoutParams.FLAG_NOT_TOUCH_MODAL) == 0);
    out.with("watch_outside", (flags & LayoutParams.FLAG_WATCH_OUTSIDE_TOUCH) != 0);
    out.with("focused", window == Windows.focused());
    out.with("secure", (flags & LayoutParams.FLAG_SECURE) != 0);
    List<Object> region = new ArrayList<>();
    if (window.touchable == null) region.add(rect(window.frame));
    else {
      android.graphics.RegionIterator all = new android.graphics.RegionIterator(window.touchable);
      Rect part = new Rect();
      while (all.next(part)) {
        part.offset(window.frame.left, window.frame.top);
        region.add(rect(part));
      }
    }
    out.must("touch_region", region);
    AccessibilityNodeInfo root = root(window);
    List<Object> nodes = new ArrayList<>();
    if (root != null) node(nodes, root, window, 0, 0, new Rect(window.frame));
    return out.must("nodes", nodes);
  }

  private static AccessibilityNodeInfo root(Windows.Window window) {
    View view = window.view();
    if (view == null) return null;
    AccessibilityNodeInfo node = view.createAccessibilityNodeInfo();
    if (node == null) return null;
    // The app's half of what a service sees, virtual views included; refresh, else the first level is filtered.
    node.setQueryFromAppProcessEnabled(view, true);
    node.refresh();
    return node;
  }

  /** Adds a node and all below it, parents first: nested, a deep tree would be deeper than readers of JSON go. */
  private static void node(List<Object> nodes, AccessibilityNodeInfo node, Windows.Window window, int depth, int index, Rect screen) {
    Json.Obj out = Json.obj().with("depth", depth);
    nodes.add(out);
    int id = ids.computeIfAbsent(node.getSourceNodeId(), k -> ids.size() + 1);
    known.put(id, node);
    windowOf.put(id, window.id);
    String type = text(node.getClassName());
    out.must("id", id).with("text", text(node.getText())).with("res", node.getViewIdResourceName()).with("class", type);
    out.with("pkg", text(node.getPackageName())).with("desc", text(node.getContentDescription())).with("hint", text(node.getHintText()));
    out.with("showing_hint", node.isShowingHintText());
    out.with("checkable", node.isCheckable()).with("checked", node.isChecked()).with("clickable", node.isClickable());
    out.with("enabled", node.isEnabled()).with("focusable", node.isFocusable()).with("focused", node.isFocused());
    out.with("scrollable", node.isScrollable()).with("long_clickable", node.isLongClickable()).with("password", node.isPassword());
    out.with("selected", node.isSelected()).with("editable", node.isEditable()).with("multiline", node.isMultiLine());
    Rect bounds = new Rect();
    node.getBoundsInScreen(bounds);
    // The app's half answers in the window's own coordinates; a phone's system adds where the window is.
    bounds.offset(window.frame.left, window.frame.top);
    if (!bounds.intersect(screen)) bounds.setEmpty();
    out.must("bounds", rect(bounds)).with("index", index).with("order", node.getDrawingOrder());
    AccessibilityNodeInfo.RangeInfo range = node.getRangeInfo();
    if (range != null) out.must("range", Json.obj().must("min", (double) range.getMin()).must("max", (double) range.getMax()).must("now", (double) range.getCurrent()));
    if (node.isEditable() && node.getTextSelectionStart() >= 0) out.must("selection", new int[] {node.getTextSelectionStart(), node.getTextSelectionEnd()});
    if (node.getMaxTextLength() > 0) out.must("max_length", node.getMaxTextLength());
    out.with("input_type", node.getInputType());
    for (int i = 0; i < node.getChildCount(); i++) {
      AccessibilityNodeInfo child = node.getChild(i);
      if (child != null && child.isVisibleToUser()) node(nodes, child, window, depth + 1, i, screen);
    }
  }

  private static String text(CharSequence text) {
    return text == null ? null : text.toString();
  }

  private static int[] rect(Rect rect) {
    return new int[] {rect.left, rect.top, rect.right, rect.bottom};
  }

  // ---- actions on them

  static boolean act(Map<String, Object> request) throws Faults.Refused {
    int window = (int) Json.number(request, "window", 0), id = (int) Json.number(request, "node", 0);
    AccessibilityNodeInfo node = known.get(id);
    if (node == null || windowOf.get(id) != window) throw new Faults.Refused("stale", "no node " + id + " in window " + window + " since the last look");
    Windows.byId(window);
    if (!node.refresh()) throw new Faults.Refused("stale", "node " + id + " is gone");
    Bundle with = new Bundle();
    int action;
    String name = Json.text(request, "action");
    switch (name) {
      case "click": action = AccessibilityNodeInfo.ACTION_CLICK; break;
      case "long_click": action = AccessibilityNodeInfo.ACTION_LONG_CLICK; break;
      case "focus": action = AccessibilityNodeInfo.ACTION_FOCUS; break;
      case "scroll_forward": action = AccessibilityNodeInfo.ACTION_SCROLL_FORWARD; break;
      case "scroll_backward": action = AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD; break;
      case "set_text":
        action = AccessibilityNodeInfo.ACTION_SET_TEXT;
        with.putCharSequence(AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, String.valueOf(Json.text(request, "text")));
        break;
      case "set_progress":
        action = android.R.id.accessibilityActionSetProgress;
        with.putFloat(AccessibilityNodeInfo.ACTION_ARGUMENT_PROGRESS_VALUE, (float) Json.real(request, "number", 0));
        break;
      default:
        throw new Faults.Refused("internal", "no action " + name);
    }
    boolean done;
    try {
      done = node.performAction(action, with);
    } catch (Throwable thrown) {
      Faults.thrown(thrown);
      return true;
    }
    if (!done) throw new Faults.Refused("refused", "the view does not take " + name);
    return true;
  }
}
