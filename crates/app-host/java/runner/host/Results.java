package runner.host;

import android.content.Intent;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.ArrayList;
import java.util.List;

/** Results on their way to the activities that asked for them: they arrive before the asker is resumed. */
final class Results {
  private static final class Result {
    IBinder to;
    String who;
    int request, code;
    Intent data;
  }

  private static final List<Result> waiting = new ArrayList<>();

  private Results() {}

  static void add(IBinder to, String who, int request, int code, Intent data) {
    Result result = new Result();
    result.to = to;
    result.who = who;
    result.request = request;
    result.code = code;
    result.data = data;
    waiting.add(result);
    new Handler(Looper.getMainLooper()).post(() -> {
      if (waiting.contains(result)) Tasks.get().tell(result.to);
    });
  }

  static void deliver(Tasks.Entry entry) {
    for (Result result : new ArrayList<>(waiting))
      if (result.to == entry.token) {
        waiting.remove(result);
        HiddenDoors.result(entry.activity(), result.who, result.request, result.code, result.data);
      }
  }

  /** The asker was made anew. */
  static void moved(IBinder from, IBinder to) {
    for (Result result : waiting) if (result.to == from) result.to = to;
  }
}
