// The time line: the steps of the run, nested, and what each met and left. The walk itself is the HTML report's.

const timeline = {
  /** The run that is shown, its flows, and what was chosen of them. */
  run: null, flows: [], flow: null, attempt: null, title: null,
  detail: null, view: null, seen: null,
  /** The newest step is shown until somebody chooses one. */
  isFollowing: true,
  /** The place of the chosen step, and what the steps were when they were drawn. */
  chosen: null, drawn: "",
  /** Something happened since it was asked for. */
  isStale: true,
};

/** Between two questions for the steps of a run that goes on, in milliseconds. */
const LINE_PAUSE = 700;
/** Looks whose rows are kept here. */
const LINE_ROWS = 60;
/** Lines of a log beside a failure. */
const LINE_LOG = 40;
const rowsOfLooks = new Map();
let lineAgain = 0;
let isAskingLine = false;

/** News of the run: the steps are asked for where they are seen. */
function timelineNews(news) {
  if (news.kind === "state") takeSaved(news.device);
  if (news.kind === "run" && news.what === "begin") {
    Object.assign(timeline, { isFollowing: true, chosen: null });
    listSteps("run");
  } else if (news.kind === "state" && news.run.results.length && timeline.run === null) listSteps("run");
  if (news.kind !== "run" && news.kind !== "state") return;
  timeline.isStale = true;
  if (!lineAgain) lineAgain = setTimeout(() => { lineAgain = 0; refreshLine(); }, news.what === "end" ? 0 : going ? LINE_PAUSE : 50);
}

async function refreshLine() {
  if ($("steps-panel").hidden || listedSteps !== "run" || isAskingLine || !timeline.isStale) return;
  isAskingLine = true;
  timeline.isStale = false;
  try {
    await askLine();
  } catch (error) {
    $("timeline-state").textContent = error.message;
  }
  isAskingLine = false;
  if (timeline.isStale && !lineAgain) lineAgain = setTimeout(() => { lineAgain = 0; refreshLine(); }, LINE_PAUSE);
}

async function askLine() {
  const list = await ask("timeline");
  if (list.run !== timeline.run) {
    Object.assign(timeline, { run: list.run, flow: null, attempt: null, detail: null, drawn: "" });
    rowsOfLooks.clear();
  }
  timeline.flows = list.flows;
  timeline.title = list.title;
  drawLineNotes(list);
  if (!timeline.flows.length) {
    $("timeline").replaceChildren();
    drawFilm([]);
    $("timeline-state").textContent = timeline.title ? "The run has no flow." : "Nothing ran yet. Run the flow, and its steps appear here.";
    return;
  }
  const begun = timeline.flows.filter((flow) => flow.status !== "not_run");
  const bad = timeline.flows.find((flow) => ["failed", "error"].includes(flow.status));
  if (timeline.flow === null || (timeline.isFollowing && !timeline.title)) timeline.flow = (timeline.title ? bad || timeline.flows[0] : begun.at(-1) || timeline.flows[0]).n;
  const wanted = timeline.flow;
  let detail = null;
  try {
    detail = await ask(`timeline/${wanted}`);
  } catch (error) {
    if (wanted === timeline.flow) { timeline.detail = null; timeline.drawn = ""; $("timeline").replaceChildren(); drawLineChoices(); $("timeline-state").textContent = error.message; }
    return;
  }
  if (wanted !== timeline.flow) return;
  timeline.detail = detail;
  drawLine();
}

function drawLineNotes({ notes, unreadable }) {
  const wrong = (unreadable || []).map((flow) => `${flow.flow} does not read: ${flow.message}`);
  $("timeline-notes").replaceChildren(...[...notes, ...wrong].slice(0, 30).map((text) => make("li", { textContent: text })));
}

const flowWords = ({ status, name, flow, case: its, device }) =>
  [status.replace("_", " "), name && name !== flow ? `${name} (${flow})` : flow, its && `[${its}]`, device].filter(Boolean).join(" · ");

function drawLineChoices() {
  const fillSelect = (id, options, chosen) => {
    const select = $(id);
    const shape = JSON.stringify(options);
    if (select.dataset.shape !== shape) {
      select.dataset.shape = shape;
      select.replaceChildren(...options.map(([value, textContent]) => make("option", { value: String(value), textContent })));
    }
    select.value = String(chosen);
    $(`${id}-label`).hidden = options.length < 2 && !timeline.title;
  };
  fillSelect("timeline-flow", timeline.flows.map((flow) => [flow.n, flowWords(flow)]), timeline.flow);
  const attempts = timeline.detail?.attempts || [];
  fillSelect("timeline-attempt", attempts.map((attempt, place) => [place, `${attempt.number}: ${(attempt.status || "under way").replace("_", " ")}`]), timeline.attempt ?? attempts.length - 1);
  $("timeline-attempt-label").hidden = attempts.length < 2;
}

const attemptOf = () => timeline.detail?.attempts[timeline.attempt ?? timeline.detail.attempts.length - 1];

function drawLine() {
  drawLineChoices();
  const attempt = attemptOf();
  if (!attempt || !attempt.steps.length) {
    timeline.drawn = "";
    $("timeline").replaceChildren();
    $("timeline-state").textContent = attempt?.failure ? failureText(attempt.failure) : attempt && !attempt.status ? "The flow begins." : "No step of it ran.";
    if (timeline.title) drawSource(null);
    return;
  }
  const screens = attempt.trace?.frames.length || 0;
  const words = attempt.status ? `${attempt.status.replace("_", " ")} in ${seconds(attempt.ms)}` : timeline.title ? "its end was not told" : "under way";
  const costs = attempt.cost ? `${count(attempt.cost.round_trips, "round trip")}, ${count(attempt.cost.dumps, "dump")}` : "";
  const kept = screens ? count(screens, "screen") : attempt.status ? "no screens were recorded" : "";
  const more = attempt.more_steps ? `of ${attempt.steps.length + attempt.more_steps} steps the first ${attempt.steps.length}` : "";
  const state = [count(attempt.steps.length, "step"), words, attempt.status && costs, kept, more].filter(Boolean).join(" · ");
  if ($("timeline-state").textContent !== state) $("timeline-state").textContent = state;
  const drawn = JSON.stringify([timeline.run, timeline.flow, attempt.number, screens, attempt.trace?.frames.filter((frame) => frame.picture).length, attempt.status, attempt.trace?.acts?.length, attempt.trace?.log?.length, attempt.steps.map((step) => [step.path, step.status])]);
  if (drawn === timeline.drawn) return;
  timeline.drawn = drawn;
  const last = attempt.steps.length - 1;
  const begin = (timeline.isFollowing ? null : timeline.chosen) ?? attempt.failed_step ?? last;
  drawWalk(attempt, begin);
}

/** Draws the walk, and leaves focus and place as they were. */
function drawWalk(attempt, begin) {
  const old = $("timeline").querySelector(".walk");
  const focused = old?.contains(document.activeElement) ? (document.activeElement.matches("input") ? "input" : ".walk-step[aria-current]") : null;
  const scrolled = old?.querySelector(".walk-list")?.scrollTop;
  const folded = new Set([...(old?.querySelectorAll(".walk-fold[aria-expanded=false] .words") || [])].map((words) => words.textContent));
  const trace = { columns: [], rows: [], frames: [], acts: [], ...(attempt.trace || {}) };
  const view = window.Walk.walkView({ steps: attempt.steps, trace }, begin, {
    load: (stop) => loadRows(stop, trace),
    failure: (stop) => failureOf(stop, attempt),
    beside: (stop) => besideStop(stop, attempt),
    chosen: (stop, byPerson) => chosenStop(stop, byPerson),
  });
  $("timeline").replaceChildren(...(view ? [view] : []));
  if (!view) return;
  drawRunFilm(window.Walk.walkStops(attempt.steps, trace), attempt);
  markFilm(timeline.seen);
  if (scrolled !== undefined && !timeline.isFollowing) view.querySelector(".walk-list").scrollTop = scrolled;
  for (const button of view.querySelectorAll(".walk-fold")) if (folded.has(button.querySelector(".words").textContent)) button.click();
  if (focused) view.querySelector(focused)?.focus({ preventScroll: true });
}

/** The screens of the run: before its first step, and after each. */
function drawRunFilm(stops, attempt) {
  if (listedSteps !== "run") return;
  const screens = new Map();
  stops.forEach((stop, place) => {
    const isFailed = attempt.steps[attempt.failed_step] === stop.step;
    for (const frame of [place === 0 && stop.before, stop.after]) {
      if (!frame?.seq || !frame.picture || (screens.has(frame.seq) && !isFailed)) continue;
      screens.set(frame.seq, { seq: frame.seq, number: place + 1, words: `Screen of step ${place + 1}: ${stop.step.title}`, isFailed, choose: () => $("timeline").querySelectorAll(".walk-step")[place].click() });
    }
  });
  drawFilm([...screens.values()]);
}

/** Brings the rows of the screens before and after a step, where they are not here. */
function loadRows(stop, trace) {
  const wanted = [stop.before, stop.after].filter((frame) => frame && frame.seq && !frame.rows && !frame.missing);
  if (!wanted.length) return null;
  // Another step may have asked for the same screen a moment ago: this one waits for that answer too.
  for (const frame of wanted) frame.loading ||= loadFrame(frame, trace);
  return Promise.all(wanted.map((frame) => frame.loading)).then(() => undefined);
}

async function loadFrame(frame, trace) {
  try {
    const known = rowsOfLooks.get(frame.seq) || await ask(`timeline/rows/${frame.seq}`);
    rowsOfLooks.delete(frame.seq);
    rowsOfLooks.set(frame.seq, known);
    if (rowsOfLooks.size > LINE_ROWS) rowsOfLooks.delete(rowsOfLooks.keys().next().value);
    trace.columns = known.columns;
    frame.rows = known.rows.map((row) => placeOf(row, trace));
  } catch (error) {
    frame.missing = error.message;
  }
}

/** The place of a row among those of the trace: equal rows have one. */
function placeOf(row, trace) {
  trace.places ||= new Map();
  const key = row.join("\u0001");
  if (!trace.places.has(key)) {
    trace.places.set(key, trace.rows.length);
    trace.rows.push(row);
  }
  return trace.places.get(key);
}

/** A failure: what was expected and was there, near misses, the stack of a crash, and the end of the app's log. */
function failureOf(stop, attempt) {
  const { el, failureWords } = window.Walk;
  const isIt = attempt.steps[attempt.failed_step] === stop.step;
  const failure = isIt && attempt.failure ? attempt.failure : stop.step.failure;
  const logs = isIt ? (attempt.files || []).filter((file) => file.kind === "log" && file.text) : [];
  const tail = (text) => text.trimEnd().split("\n").slice(-LINE_LOG).join("\n");
  return el("div", {}, failureWords(failure, stop.step.snapshot), logs.map((file) =>
    el("details", { class: "more" }, el("summary", {}, "The app’s last log lines"), el("pre", { class: "output", tabindex: "0", role: "region", "aria-label": "The app’s last log lines" }, tail(file.text)))));
}

/** What stands beside the pictures of a step: where it is written, its values, what it cost, and its screens to look into. */
function besideStop(stop, attempt) {
  const { el } = window.Walk;
  const { step } = stop;
  const look = (words, frame) => frame?.seq && el("button", { type: "button", class: "small", onclick: () => { inspectLook(frame, `${words} “${step.title}”`); showPane(NARROW.matches ? "screen" : dock.pane); } }, `Inspect ${words}`);
  const written = step.text ?? timeline.detail.sources?.[step.file]?.split("\n")[step.line - 1] ?? "";
  const round = (number, noun) => count(number || 0, noun);
  return el("div", { class: "walk-beside" },
    stop.acted && stop.before !== stop.after && look("before", stop.before),
    look(stop.acted ? "after" : "what it saw", stop.after),
    goesTo(step) ? el("button", { type: "button", class: "small plain", onclick: () => goTo(step.line, step.column) }, `Line ${step.line}`) : el("span", { class: "quiet" }, `${step.file}:${step.line}`),
    el("span", { class: "quiet number" }, `${round(step.trips, "round trip")}, ${round(step.dumps, "dump")}`),
    written.includes("${") && el("span", { class: "walk-values" }, el("span", { class: "quiet" }, "written "), el("code", {}, written.trim()),
      el("span", { class: "quiet" }, step.title.includes("${") ? "; a run does not tell what ${…} stood for: the screens show it" : "")));
}

const goesTo = (step) => !timeline.title && isOurs(step.file);

/** Shows a recorded screen large, with its elements: selectors are tried on it. */
function inspectLook(frame, what) {
  lookBack(frame.seq, what, frame.size);
  if (state.mode === "act") setMode("inspect");
}

function chosenStop(stop, byPerson) {
  if (byPerson) timeline.isFollowing = false;
  timeline.chosen = stop.index;
  timeline.seen = (stop.after || stop.before)?.seq;
  markFilm(timeline.seen);
  if (!timeline.title) return;
  drawSource(stop.step);
  const frame = stop.after || stop.before;
  if (frame?.seq && state.past?.seq !== frame.seq) inspectLook(frame, `${stop.acted ? "after" : "at"} “${stop.step.title}”`);
}

/** Of a saved run: there is no device, and the flow's text is only read. */
function takeSaved(device) {
  if (device.state !== "saved" || document.body.classList.contains("is-saved")) return;
  document.body.classList.add("is-saved");
  const part = make("div", { id: "saved-part" }, make("h2", { textContent: "Flow as it ran", id: "saved-title" }), make("p", { id: "saved-state", className: "quiet" }),
    make("ol", { id: "saved-source", className: "saved-source", tabIndex: 0, ariaLabel: "The flow’s text" }));
  $("flow-part").append(part);
  $("flow-part").setAttribute("aria-labelledby", "saved-title");
  $("skip").textContent = "Skip to the flow’s text";
  $("nothing").textContent = "No screen was recorded of this step.";
  setMode("inspect");
  showPanel("steps-panel");
  listSteps("run");
}

/** The file in which a step is written, as the run read it, and what became of it since. */
function drawSource(step) {
  const file = step?.file ?? timeline.flows.find((flow) => flow.n === timeline.flow)?.flow;
  const text = timeline.detail?.sources?.[file];
  const told = { same: "It is the same now.", changed: "The file was changed since.", gone: "The file is not here." }[timeline.detail?.files?.[file]] || "";
  $("saved-state").textContent = `${file || ""} – ${text === undefined ? "its text was not saved." : told} Read only.`;
  const list = $("saved-source");
  const shape = `${timeline.run} ${timeline.flow} ${file}`;
  if (list.dataset.shape !== shape) {
    list.dataset.shape = shape;
    list.replaceChildren(...(text ?? "").replace(/\n$/, "").split("\n").slice(0, 5000).map((words) => make("li", { textContent: words || " " })));
  }
  list.querySelector(".now")?.classList.remove("now");
  const now = step && list.children[step.line - 1];
  now?.classList.add("now");
  now?.scrollIntoView({ block: "nearest" });
}

$("timeline-flow").addEventListener("change", () => {
  Object.assign(timeline, { flow: Number($("timeline-flow").value), attempt: null, chosen: null, isFollowing: Boolean(timeline.title), isStale: true, drawn: "" });
  refreshLine();
});
$("timeline-attempt").addEventListener("change", () => {
  Object.assign(timeline, { attempt: Number($("timeline-attempt").value), chosen: null, isFollowing: Boolean(timeline.title), drawn: "" });
  drawLine();
});
$("steps-panel").addEventListener("shown", () => { refreshLine(); });
