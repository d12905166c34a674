// The walk through what was recorded of a flow: step by step, the screen before and after, where the step acted, which rows
// changed, and what the app logged. It knows no report: who shows it gives the steps and the trace.

/** So many changed rows, and lines of a log, are shown at once. */
const WALK_MOST = 60;

/**
 * What each innermost step met and left. Of a step that did nothing both are the screen that it saw.
 *
 * The screen before is the one that its first act met; the one after is the one that the next act of another step met. They
 * are known by number: moments are rounded, and much happens in one of them.
 */
function walkStops(steps, trace) {
  const acts = trace.acts || [];
  const frameOf = (number, step) => {
    // A trace of an older version has no numbers: the last screen that this step or one before it saw.
    if (!trace.seen) return trace.frames.findLast((frame) => frame.step !== undefined && frame.step <= step);
    return typeof number === "number" ? trace.frames[number] : undefined;
  };
  const isLeaf = (step, index) => !steps[index + 1] || steps[index + 1].depth <= step.depth;
  const leaves = steps.map((step, index) => ({ step, index })).filter(({ step, index }) => isLeaf(step, index));
  const actsOf = new Map();
  acts.forEach((act, place) => actsOf.set(act.step, [...(actsOf.get(act.step) || []), place]));
  return leaves.map(({ step, index }, place) => {
    const own = actsOf.get(index) || [];
    const until = leaves[place + 1]?.step.at ?? Infinity;
    const lines = (trace.log || []).filter(([at]) => at >= step.at && at < until);
    if (!own.length) return { step, index, touches: [], lines, after: frameOf(trace.seen?.[index], index) };
    // The step's last act has the next one of another step behind it.
    const next = acts[own.at(-1) + 1];
    return { step, index, lines, touches: own.flatMap((act) => acts[act].touches || []), acted: true,
      before: frameOf(acts[own[0]].frame, index), after: next ? frameOf(next.frame, next.step) : trace.frames.at(-1) };
  });
}

/** Rows that came, went, or became others. */
function rowChanges(before, after, trace) {
  if (!before?.rows || !after?.rows || before === after) return [];
  const [gone, come] = [rest(before.rows, after.rows), rest(after.rows, before.rows)].map((places) => places.map((place) => trace.rows[place]));
  const column = (name) => trace.columns.indexOf(name);
  const named = ["class", "res_id", "window"].map(column);
  const alike = (a, b) => named.every((index) => a[index] === b[index]);
  const placed = (a, b) => a[column("bounds")] === b[column("bounds")];
  const changed = [];
  for (const row of [...gone]) {
    const like = come.filter((other) => alike(row, other));
    const only = row[column("res_id")] && like.length === 1 && gone.filter((other) => alike(row, other)).length === 1;
    const other = like.find((one) => placed(row, one)) || (only ? like[0] : undefined);
    if (!other) continue;
    gone.splice(gone.indexOf(row), 1);
    come.splice(come.indexOf(other), 1);
    changed.push({ kind: "changed", row: other, before: row });
  }
  return [...gone.map((row) => ({ kind: "removed", row })), ...changed, ...come.map((row) => ({ kind: "added", row }))];
}

/** The places of `some` without those of `others`, each as often as it is there. */
function rest(some, others) {
  const left = new Map();
  for (const place of others) left.set(place, (left.get(place) || 0) + 1);
  return some.filter((place) => {
    const number = left.get(place) || 0;
    left.set(place, number - 1);
    return number <= 0;
  });
}

/** A line of the changes. */
function rowChange({ kind, row, before }, columns) {
  const of = (name) => row[columns.indexOf(name)];
  const name = [of("text"), of("desc"), of("hint"), of("res_id").replace(/^.*\//, "")].find(Boolean);
  const sign = { removed: "−", added: "+", changed: "≠" }[kind];
  const differs = kind === "changed" ? columns.map((column, index) => ({ column, index })).filter(({ index }) => row[index] !== before[index]) : [];
  return el("li", { class: kind },
    el("span", { class: "walk-sign", "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, kind + " "),
    el("span", { class: "quiet" }, of("class") + " "), name,
    differs.map(({ column, index }) => el("span", { class: "walk-cell" }, el("span", { class: "quiet" }, " " + column + " "),
      window.Words.shown(visible(before[index]), visible(row[index])))));
}

/** The changes: rows with words, then the others, folded. */
function changeLists(changes, columns) {
  const words = ["text", "desc", "hint"].map((name) => columns.indexOf(name));
  const has = ({ row, before }) => words.some((index) => row[index] || before?.[index]);
  const list = (some) => some.length > 0 && el("ul", { class: "walk-changes" }, some.slice(0, WALK_MOST).map((change) => rowChange(change, columns)),
    some.length > WALK_MOST && el("li", { class: "quiet" }, "and " + (some.length - WALK_MOST) + " more"));
  const others = changes.filter((change) => !has(change));
  return [list(changes.filter(has)), others.length > 0 && el("details", { class: "more" }, el("summary", {}, others.length + " without words"), list(others))];
}

function svg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Where fingers were: a ring where one came down, a line along its way. */
function touchMarks(touches, [width, height]) {
  const layer = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "walk-touches", "aria-hidden": "true" });
  const radius = Math.max(width, height) / 45;
  for (const path of touches.filter((path) => path.length)) {
    const [x, y] = path[0];
    if (path.length > 1) {
      layer.append(svg("polyline", { points: path.map((point) => point.join(",")).join(" "), "stroke-width": radius / 4 }));
      const [endX, endY] = path.at(-1);
      layer.append(svg("circle", { cx: endX, cy: endY, r: radius / 3, class: "end" }));
    }
    layer.append(svg("circle", { cx: x, cy: y, r: radius, "stroke-width": radius / 4 }));
  }
  return layer;
}

/** A screen of the trace, with `bounds` of what the step acted on, and what the fingers of `stop` did. */
function walkScreen(words, frame, bounds, stop) {
  const figure = el("figure", { class: "walk-screen" }, el("figcaption", {}, words));
  if (!frame) return figure.append(el("p", { class: "quiet" }, "Of this moment no screen was recorded.")), figure;
  if (frame.picture) {
    const [width, height] = frame.size;
    const box = el("div", { class: "frame" }, el("img", { src: frame.picture, width, height, alt: words + ": the screen" }));
    if (bounds) box.append(boxOver(boundsOf(bounds), frame.size, "acted"));
    if (stop?.touches.length) box.append(touchMarks(stop.touches, frame.size));
    figure.append(box);
  } else {
    figure.append(el("p", { class: "quiet" }, "No screenshot was taken of this screen."));
  }
  if (frame.missing) figure.append(el("p", { class: "missing" }, frame.missing + "."));
  return figure;
}

/** The rows of a screen as a table. */
function walkRows(frame, trace) {
  if (!frame?.rows) return null;
  const rows = frame.rows.map((place) => trace.rows[place]);
  const used = trace.columns.map((name, index) => ({ name, index })).filter(({ index }) => rows.some((row) => stands(row[index])));
  const lines = rows.map((row) => el("tr", {}, used.map(({ name, index }) => cell(name, row[index]))));
  return el("details", { class: "more" }, el("summary", {}, "All rows of the screen (" + rows.length + ")"), rowsBox("Rows of the screen", used, lines));
}

/** `round 2`, of the first step of a round of `repeat` or `retry`. */
function roundWords(step) {
  const round = /\.(repeat|retry)\.(\d+)\.0$/.exec(step.path);
  return round && (round[1] === "repeat" ? "round " : "try ") + round[2];
}

/** What is known of one stop. */
function walkStop(stop, trace, options) {
  const changes = stop.acted ? rowChanges(stop.before, stop.after, trace) : [];
  const same = stop.acted && stop.before === stop.after;
  const { bounds } = stop.step;
  // What was scrolled to is where it is told only once the fingers have left.
  const isMoved = stop.touches.some((path) => path.length > 1);
  const isKnown = stop.before?.rows && stop.after?.rows;
  return [
    el("h3", { class: "walk-title" }, sign(stop.step.status || "unfinished"), el("span", {}, stop.step.title),
      el("span", { class: "quiet" }, stop.step.status === "skipped" ? "skipped" : duration(stop.step.ms))),
    stop.step.failure && (options.failure ? options.failure(stop) : el("p", { class: "walk-failure" }, stop.step.failure.message)),
    options.beside?.(stop),
    el("div", { class: "walk-screens" },
      stop.acted && !same && walkScreen("Before", stop.before, isMoved ? undefined : bounds, stop),
      // Of a step that is under way the screen is yet to come.
      (stop.after || stop.step.status) && walkScreen(stop.acted ? (same ? "Before and after" : "After") : "Screen", stop.after,
        same || !stop.acted || isMoved ? bounds : undefined, same ? stop : undefined)),
    stop.acted && (changes.length
      ? el("div", {}, el("h4", {}, count(changes.length, "row") + " changed"), changeLists(changes, trace.columns))
      : el("p", { class: "quiet" }, isKnown ? "No row changed." : "")),
    stop.lines.length > 0 && el("div", {}, el("h4", {}, count(stop.lines.length, "log line") + " of the app"),
      el("pre", { class: "output", tabindex: "0", role: "region", "aria-label": "Log lines of the step" },
        stop.lines.slice(-WALK_MOST).map(([at, line]) => "+" + duration(Math.max(0, at - stop.step.at)) + "  " + line).join("\n"))),
    walkRows(stop.after, trace),
  ];
}

/** What surrounds the flow's own steps, where it begins. */
const PHASES = { setup: "Setup", steps: "Steps", teardown: "Teardown" };

/** How deep the list goes to the right. */
const WALK_DEPTH = 4;

/**
 * The list of all steps: those that hold others fold what is in them. `choose` is called with the place of a stop.
 * Gives the element, the buttons of the stops, and what unfolds the steps around one.
 */
function walkList(steps, stops, choose) {
  const stopOf = new Map(stops.map(({ index }, place) => [index, place]));
  const hasPhases = new Set(steps.map((step) => step.phase)).size > 1;
  const buttons = [];
  const lines = [];
  const open = [];
  steps.forEach((step, index) => {
    while (open.length && open.at(-1).depth >= step.depth) open.pop();
    const mark = (words) => lines.push({ item: el("li", { class: "walk-mark " + depthOf(step) }, words), around: [...open] });
    if (hasPhases && step.depth === 0 && step.phase !== steps[index - 1]?.phase && PHASES[step.phase]) mark(PHASES[step.phase]);
    const round = roundWords(step);
    if (round) mark(round);
    const parts = [sign(step.status || "unfinished"), el("span", { class: "words" }, step.title),
      step.status && step.status !== "skipped" && el("span", { class: "walk-ms" }, duration(step.ms))];
    const item = el("li", { class: depthOf(step) });
    lines.push({ item, around: [...open] });
    if (stopOf.has(index)) {
      const place = stopOf.get(index);
      const button = el("button", { type: "button", class: "walk-step " + (step.status || "unfinished"), onclick: () => choose(place) }, parts);
      buttons[place] = { button, around: [...open] };
      item.append(button);
    } else {
      const group = { depth: step.depth, folded: false, button: null };
      group.button = el("button", { type: "button", class: "walk-fold", "aria-expanded": "true", onclick: () => fold(group, !group.folded) }, parts);
      item.append(group.button);
      open.push(group);
    }
  });
  const element = el("ol", { class: "walk-list" }, lines.map(({ item }) => item));
  function fold(group, folded) {
    group.folded = folded;
    group.button.setAttribute("aria-expanded", String(!folded));
    for (const { item, around } of lines) item.hidden = around.some((one) => one.folded);
  }
  return { element, buttons: buttons.map(({ button }) => button), unfold: (place) => buttons[place].around.forEach((group) => group.folded && fold(group, false)) };
}

const depthOf = (step) => "depth-" + Math.min(WALK_DEPTH, step.depth);

/**
 * The walk as an element: a list of steps, a slider, and the stop that is chosen. `begin` is the place of the step in `steps`
 * at which it begins. Arrow keys, Home and End go from step to step.
 *
 * Options, all for pages that know more than a report: `load(stop)` brings what a stop needs, `failure(stop)` and
 * `beside(stop)` give elements, `chosen(stop, byPerson)` hears what is shown.
 *
 * @param {{ steps: any[], trace: any }} told
 * @param {number} begin
 * @param {{ load?: (stop: any) => Promise<void> | null, failure?: (stop: any) => any, beside?: (stop: any) => any,
 *   chosen?: (stop: any, byPerson: boolean) => void }} options
 */
function walkView({ steps, trace }, begin, options = {}) {
  const stops = walkStops(steps, trace);
  if (!stops.length) return null;
  let at = Math.max(0, stops.findIndex(({ index }) => index >= begin));
  const stage = el("div", { class: "walk-stage" });
  const place = el("span", { class: "walk-place quiet" });
  const slider = el("input", { type: "range", min: 0, max: stops.length - 1, "aria-label": "Step", oninput: () => show(Number(slider.value)) });
  const turn = (by, words, sign) => el("button", { type: "button", "aria-label": words, onclick: () => show(at + by) }, sign);
  const [back, on] = [turn(-1, "Step before", "←"), turn(1, "Next step", "→")];
  const { element: list, buttons, unfold } = walkList(steps, stops, (place) => show(place));
  const view = el("div", { class: "walk", role: "group", "aria-label": "Walk through the steps" },
    el("div", { class: "walk-bar" }, back, slider, on, place),
    el("div", { class: "walk-panes" }, list, stage));

  function draw() {
    stage.replaceChildren();
    fill(stage, walkStop(stops[at], trace, options));
  }

  function show(next, byPerson = true) {
    at = Math.min(stops.length - 1, Math.max(0, next));
    const stop = stops[at];
    const loading = options.load?.(stop);
    // What was there stays until there is more, so that nothing jumps.
    if (loading) loading.then(() => stops[at] === stop && draw());
    if (!loading || !stage.childElementCount) draw();
    slider.value = String(at);
    const words = "step " + (at + 1) + " of " + stops.length;
    slider.setAttribute("aria-valuetext", words + ": " + stop.step.title);
    place.textContent = words;
    // One that is disabled would lose the focus, and the keys with it.
    back.setAttribute("aria-disabled", String(at === 0));
    on.setAttribute("aria-disabled", String(at === stops.length - 1));
    unfold(at);
    buttons.forEach((button, index) => {
      button.tabIndex = index === at ? 0 : -1;
      if (index === at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const { offsetTop, offsetHeight } = buttons[at];
    if (offsetTop < list.scrollTop || offsetTop + offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = offsetTop - list.clientHeight / 2;
    options.chosen?.(stop, byPerson);
  }

  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, .rows, pre")) return;
    const inList = list.contains(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: stops.length - 1, ...(inList ? { ArrowDown: at + 1, ArrowUp: at - 1 } : {}) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
    if (inList) buttons[at].focus();
  });
  show(at, false);
  return view;
}
