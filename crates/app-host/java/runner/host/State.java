package runner.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The state that each answer carries. */
final class State {
  private State() {}

  static Json.Obj now(boolean begun) {
    Json.Obj out = Json.obj().must("now", Time.now());
    if (!begun || Faults.over()) return out;
    out.must("dirty", Time.turns()).must("idle", Time.idle());
    long next = Time.next();
    if (next != Long.MAX_VALUE) out.must("next", next);
    out.with("busy", Time.busy());
    Tasks tasks = Tasks.get();
    Tasks.Entry top = tasks.top();
    if (top != null && tasks.foreground()) out.must("front", top.component.flattenToShortString());
    List<Object> activities = new ArrayList<>();
    for (Tasks.Entry entry : tasks.entries())
      activities.add(Json.obj().must("component", entry.component.flattenToShortString()).must("stage", entry.stage.name().toLowerCase(Locale.ROOT)));
    out.must("activities", activities).with("foreground", tasks.foreground());
    out.must("ime", Keyboard.state());
    if (top != null) out.must("orientation", top.orientation);
    return out.must("bars", Configure.bars());
  }
}
