package runner.host;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What happened since the last answer, in its order, from whichever thread; no more than the newest {@value #MOST}. */
final class Events {
  private static final int MOST = 10_000;

  /** The host's own words for the person: the app's streams are events, this is the process's. */
  static final PrintStream ERR = System.err;

  private static final ArrayList<Json.Obj> waiting = new ArrayList<>();
  private static int dropped;
  private static final Set<String> told = new HashSet<>();

  private Events() {}

  static Json.Obj of(String event) {
    return Json.obj().must("event", event);
  }

  static synchronized void add(Json.Obj event) {
    if (waiting.size() >= MOST) {
      // Only lines of the log are many; what happened to the app is never dropped for them.
      for (int i = 0; i < waiting.size(); i++)
        if ("log".equals(waiting.get(i).get("event"))) {
          waiting.subList(i, Math.min(waiting.size(), i + MOST / 10)).removeIf(e -> {
            boolean line = "log".equals(e.get("event"));
            if (line) dropped++;
            return line;
          });
          break;
        }
    }
    waiting.add(event);
  }

  static synchronized List<Json.Obj> take() {
    List<Json.Obj> out = new ArrayList<>(waiting.size() + 1);
    if (dropped > 0)
      out.add(of("log").must("priority", "W").must("tag", "runner").must("message", dropped + " older lines of the log were dropped"));
    out.addAll(waiting);
    waiting.clear();
    dropped = 0;
    return out;
  }

  static void log(char priority, String tag, String message) {
    add(of("log").must("priority", String.valueOf(priority)).must("tag", tag == null ? "" : tag).must("message", message == null ? "null" : message));
  }

  /** Told once each: what neither Robolectric nor the host can do. */
  static void unsupported(String what) {
    synchronized (Events.class) {
      if (!told.add(what)) return;
    }
    add(of("unsupported").must("what", what));
  }

  /** The app's {@code System.out} and {@code System.err} are lines of logcat, as on a phone. */
  static void takeStreams() {
    System.setOut(new PrintStream(new Lines('I', "System.out"), true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(new Lines('W', "System.err"), true, StandardCharsets.UTF_8));
  }

  private static final class Lines extends OutputStream {
    private final char priority;
    private final String tag;
    private byte[] line = new byte[256];
    private int length;

    Lines(char priority, String tag) {
      this.priority = priority;
      this.tag = tag;
    }

    @Override
    public synchronized void write(int b) {
      if (b == '\n') {
        String text = new String(line, 0, length, StandardCharsets.UTF_8);
        length = 0;
        // Robolectric's own remark at each broadcast.
        if (!(text.startsWith("Intent = ") && text.contains("; Matching wrappers: "))) log(priority, tag, text);
        return;
      }
      if (length == line.length) line = java.util.Arrays.copyOf(line, length * 2);
      line[length++] = (byte) b;
    }
  }
}
