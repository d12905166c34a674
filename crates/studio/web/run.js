// Running the flow, and what comes of it at its lines.

/** Steps of the page's own flow that are under way, the innermost last. */
let going = false;

/** Saves, and runs a part of the flow: `more` says that it pauses first, or gives values. Gives whether it began. */
async function runPart(part, more = {}) {
  // What is under way says how it is: that stays.
  if (going) return refused("A run is under way. Stop it, or wait until it ends.");
  if (flow.isNew) return refused("There is nothing to run yet: touch the screen, or write a step.");
  runState("Starting.");
  try {
    if (!(await save())) return refused(flow.theirs ? "The file was changed by somebody else: choose which text to keep, then run." : "The flow is not saved, so it was not run.");
    const { needs } = await ask("run", { part, ...(part === "all" ? {} : { line: caretLine() }), ...more });
    if (needs) askValues(needs, part);
    return !needs;
  } catch (error) {
    return refused(error.message);
  }
}

function refused(why) {
  if (!going) runState("Not run.");
  refuse(why);
  return false;
}

function setGoing(is) {
  going = is;
  if (!is) for (const [line, mark] of flow.marks) if (mark.status === "going") flow.marks.delete(line);
  drawAbilities();
  drawReplay();
}

function runState(text, kind = "") {
  $("run-state").className = kind;
  $("run-state").textContent = text;
  drawTitle();
}

/** Shows what is under way, unless the run is paused: a step may be told after the pause at it, as the server has no order for the two. */
function progress(text) {
  if (!pilot.pause) runState(text);
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** A failure with what was expected, what was there, and what nearly fits. */
function failureText(failure) {
  if (!failure) return "";
  const parts = [failure.message];
  if (failure.expected != null) parts.push(`expected: ${failure.expected}`, `actual: ${failure.actual}`);
  return [...parts, ...(failure.details || []).slice(0, 8)].join("\n");
}

const isOurs = (file) => !flow.path || file === flow.path;

/** What happened in the run; what is not new, a page that came later catches up with. */
function heard(event, isNew = true) {
  if (event.what === "begin") {
    flow.marks.clear();
    setGoing(true);
    runState("The run begins.");
  } else if (event.what === "flow") {
    progress(`Running ${event.name}${event.case ? ` (${event.case})` : ""}: ${count(event.steps, "step")}`);
  } else if (event.what === "step") {
    if (isOurs(event.file)) flow.marks.set(event.line, { status: "going" });
    progress(`Running: ${event.title}`);
  } else if (event.what === "result") {
    if (isOurs(event.file)) flow.marks.set(event.line, { status: event.status });
  } else if (event.what === "snapshot") {
    if (isNew && event.verdict !== "passed") tell(`Snapshot ${event.key}: ${event.verdict}`);
  } else if (event.what === "flow_end") {
    const where = event.line ? ` at line ${event.line}` : "";
    const isGood = ["passed", "flaky"].includes(event.status);
    runState(isGood ? `Passed in ${seconds(event.ms)}.` : `${event.status[0].toUpperCase()}${event.status.slice(1)}${where} after ${seconds(event.ms)}: ${failureText(event.failure)}`, isGood ? "passed" : "failed");
  } else if (event.what === "replay") {
    hearReplay(event);
  } else if (event.what === "note") {
    runState(event.message);
  } else if (event.what === "failed") {
    runState(event.message, "failed");
  } else if (event.what === "log") {
    if (isNew) tell(event.message);
  } else if (event.what === "end") {
    setGoing(false);
  }
  drawGutter();
}

for (const holder of [$("run"), $("run-menu")]) {
  holder.addEventListener("click", (event) => {
    const part = event.target.closest("[data-run]")?.dataset.run;
    if (part) runPart(part);
  });
}
opensMenu($("run-more"), $("run-menu"));
$("stop").addEventListener("click", () => {
  // Before it is asked: how the run ended may be told before the answer comes.
  runState("Stopping: teardown runs, and settings are put back.");
  ask("stop", {}).catch((error) => refuse(error.message));
});
