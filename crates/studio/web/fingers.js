// Fingers on the picture: touches, swipes, drags, and two fingers at once.

/** A finger that moves less is still, in pixels of the page. */
const STILL = 8;
/** A finger that stays longer holds, in milliseconds. */
const HOLD = 500;
/** Places of two fingers are told so far apart, in milliseconds, and so many at most. */
const SAMPLE = 50;
const MOST_SAMPLES = 200;
/** A pinch of a trackpad ends when nothing came for so long. */
const WHEEL_REST = 200;

/** The finger that is down, and the two that are. */
let finger = null;
let pair = null;

/** Where on the display a pointer is. */
function place(event) {
  const picture = $("picture").getBoundingClientRect();
  const [width, height] = state.shown.size;
  return onDisplay([((event.clientX - picture.left) / picture.width) * width, ((event.clientY - picture.top) / picture.height) * height]);
}

const onDisplay = (at) => at.map((it, axis) => Math.max(0, Math.min(state.shown.size[axis] - 1, Math.floor(it))));

/** What a click does now; Alt and Shift are for once. */
const modeOf = (event) => (event.altKey ? "inspect" : event.shiftKey ? "assert" : state.mode);

/** Shows where fingers are: a ring that holds, or dots. */
function drawFingers(places, kind = "") {
  const part = $("fingers");
  part.className = kind;
  while (part.children.length > places.length) part.lastChild.remove();
  while (part.children.length < places.length) part.append(make("i"));
  places.forEach((at, which) => {
    const { style } = /** @type {HTMLElement} */ (part.children[which]);
    [style.left, style.top] = at.map((it, axis) => `${(it / state.shown.size[axis]) * 100}%`);
  });
}

/** Ends what fingers do without doing it on the device. Gives whether there was something. */
function callOff() {
  const was = Boolean(finger || pair);
  clearTimeout(finger?.timer);
  clearTimeout(pair?.timer);
  finger = null;
  pair = null;
  drawFingers([]);
  return was;
}

/** Two fingers come down; with `around` the second one mirrors the first about that place. */
function beginPair(ids, at, around) {
  callOff();
  pair = { ids, at, around, since: performance.now(), paths: [[], []], timer: 0 };
  movePair(0, at[0]);
}

function movePair(which, to, isLast = false) {
  pair.at[which] = to;
  if (pair.around) pair.at[1] = onDisplay(pair.around.map((it, axis) => 2 * it - to[axis]));
  drawFingers(pair.at, "dots");
  const [path] = pair.paths;
  const last = path.at(-1)?.[2] ?? -SAMPLE;
  const now = Math.round(performance.now() - pair.since);
  if (!isLast && (now - last < SAMPLE || path.length >= MOST_SAMPLES)) return;
  const time = path.length ? Math.max(now, last + 1) : 0;
  pair.paths.forEach((places, it) => places.push([...pair.at[it], time]));
}

function endPair(which, to) {
  movePair(which, to, true);
  const { paths } = pair;
  callOff();
  const moved = ([first, ...rest]) => rest.some(([x, y]) => Math.hypot(x - first[0], y - first[1]) >= STILL);
  if (!paths.some(moved)) return;
  flush();
  act({ act: "two_fingers", paths });
}

/** The middle of the element that is there, or of the display. */
function middleAt(at) {
  const [left, top, right, bottom] = rowAt(...at)?.bounds ?? [0, 0, ...state.shown.size];
  return [(left + right) / 2, (top + bottom) / 2];
}

/** A trackpad's pinch comes as a wheel with Ctrl. Here it is the device's, elsewhere the browser's zoom. */
function pinchByWheel(event) {
  const step = Math.exp(Math.max(-25, Math.min(25, event.deltaY)) / -100);
  if (finger || (pair && !pair.apart)) return;
  if (!pair) {
    const [x, y] = place(event);
    beginPair([], [[x, y - 100], [x, y + 100]], [x, y]);
    pair.apart = 100;
  }
  pair.apart *= step;
  const [x, y] = pair.around;
  const to = [x, Math.round(y - pair.apart)];
  movePair(0, to);
  clearTimeout(pair.timer);
  pair.timer = setTimeout(() => endPair(0, to), WHEEL_REST);
}

screenPart.addEventListener("pointerdown", (event) => {
  // A pinch of a trackpad has no end of its own.
  if (pair?.apart && state.shown) endPair(0, pair.at[0]);
  const second = !event.isPrimary && finger?.mode === "act" ? finger : null;
  if (pair || event.button !== 0 || !state.shown) return;
  screenPart.setPointerCapture(event.pointerId);
  if (second) return beginPair([second.id, event.pointerId], [second.now, place(event)]);
  callOff();
  if (!event.isPrimary) return;
  event.preventDefault();
  screenPart.focus({ preventScroll: true });
  const at = place(event);
  const mode = modeOf(event);
  if (mode === "act" && (event.ctrlKey || event.metaKey)) return beginPair([event.pointerId], [at, at], middleAt(at));
  const hold = () => {
    finger.isHeld = true;
    if (state.shown) drawFingers([finger.now], "ring");
  };
  const timer = mode === "act" ? setTimeout(hold, HOLD) : 0;
  finger = { id: event.pointerId, at, now: at, x: event.clientX, y: event.clientY, since: performance.now(), moved: 0, isHeld: false, mode, timer };
});
const isMoved = (event) => Math.hypot(event.clientX - finger.x, event.clientY - finger.y) >= STILL;
screenPart.addEventListener("pointermove", (event) => {
  if (!state.shown) return void callOff();
  const which = pair ? pair.ids.indexOf(event.pointerId) : -1;
  if (which >= 0) movePair(which, place(event));
  if (finger?.id === event.pointerId && finger.mode === "act") {
    finger.now = place(event);
    if (finger.isHeld) drawFingers([finger.now], "ring");
    if (!finger.moved && isMoved(event)) {
      finger.moved = performance.now();
      clearTimeout(finger.timer);
    }
  } else if (state.look && !pair) light(rowAt(...place(event))?.n ?? null);
});
screenPart.addEventListener("pointerup", (event) => {
  if (!state.shown) return void callOff();
  const which = pair ? pair.ids.indexOf(event.pointerId) : -1;
  if (which >= 0) endPair(which, place(event));
  if (finger?.id !== event.pointerId) return;
  const { at, since, mode, isHeld } = finger;
  const isFar = isMoved(event);
  const ms = Math.round(performance.now() - since);
  const hold = finger.moved ? Math.round(finger.moved - since) : ms;
  callOff();
  const to = place(event);
  if (mode !== "act") {
    const row = rowAt(...to);
    // On a narrow page the selectors are out of sight.
    if (row && NARROW.matches) showPane("elements");
    if (row) choose(row, mode === "assert" || NARROW.matches);
    else tell("No element is here.");
    return;
  }
  flush();
  if (isFar && isHeld) act({ act: "drag", from: at, to, hold, ms: ms - hold });
  else if (isFar) act({ act: "swipe", from: at, to, ms });
  else if (ms >= HOLD) act({ act: "long_press", x: at[0], y: at[1], ms });
  else act({ act: "tap", x: at[0], y: at[1] });
});
screenPart.addEventListener("pointercancel", callOff);
screenPart.addEventListener("pointerleave", () => light(null));
// A finger that rests, and Ctrl on a Mac, ask the browser for its menu.
screenPart.addEventListener("contextmenu", (event) => { if (finger || pair) event.preventDefault(); });
