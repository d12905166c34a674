// What is done on the device, one after another; keys, text and the wheel on the picture.

/** Characters wait so long for the next. */
const GATHER = 500;
/** The wheel turns so far for one scroll. */
const NOTCH = 60;

/** Keys that the device has too. */
const KEYS = {
  Enter: "ENTER", Backspace: "DEL", Delete: "FORWARD_DEL", ArrowUp: "DPAD_UP", ArrowDown: "DPAD_DOWN", ArrowLeft: "DPAD_LEFT",
  ArrowRight: "DPAD_RIGHT", Home: "MOVE_HOME", End: "MOVE_END", PageUp: "PAGE_UP", PageDown: "PAGE_DOWN",
};

const screenPart = $("screen");
let line = Promise.resolve();
let waiting = 0;
let waitingSince = 0;
/** The newest picture when something was done last: what is read of it may be over. */
let actedOn = 0;

/** Does something on the device: one after another, as the person did it. Gives whether it was done. */
function act(what) {
  if (state.past) {
    refuse("This is a picture of what was done. Choose Live to act on the device.");
    return Promise.resolve(false);
  }
  const seq = state.shown?.seq ?? null;
  if (!waiting) waitingSince = Time.now();
  waiting += 1;
  actedOn = state.newest?.seq ?? 0;
  $("screen").setAttribute("aria-busy", "true");
  const done = line.then(async () => {
    let isDone = true;
    try {
      await insertRecorded("act", { what, seq });
    } catch (error) {
      refuse(error.message);
      isDone = false;
    }
    waiting -= 1;
    waitingSince = Time.now();
    if (!waiting) $("screen").removeAttribute("aria-busy");
    return isDone;
  });
  line = done.then(() => {});
  return done;
}

let turned = 0;
let scrolling = false;
screenPart.addEventListener("wheel", (event) => {
  if (state.mode !== "act" || !state.shown) return undefined;
  event.preventDefault();
  if (event.ctrlKey) return pinchByWheel(event);
  const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  turned += across ? event.deltaX : event.deltaY;
  // What is turned while the content still moves is one scroll with it.
  if (scrolling || Math.abs(turned) < NOTCH) return undefined;
  const direction = across ? (turned > 0 ? "right" : "left") : turned > 0 ? "down" : "up";
  turned = 0;
  scrolling = true;
  flush();
  act({ act: "scroll", direction }).then(() => { scrolling = false; turned = 0; });
  return undefined;
}, { passive: false });

let typed = "";
let gathering = 0;

/** Sends what was typed so far. */
function flush() {
  clearTimeout(gathering);
  const text = typed;
  typed = "";
  drawTyped();
  if (text) act({ act: "type", text });
}

function drawTyped() {
  // Until the rows are read the focus may be in a password field that nobody knows of.
  const isRead = !waiting && isFresh() && state.look.seq > actedOn;
  const isOpen = isRead && !state.look.rows.some((row) => row.states.includes("focused") && row.states.includes("password"));
  $("typing").textContent = typed && `typing: ${isOpen ? typed : "•".repeat(typed.length)}`;
}

screenPart.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    event.preventDefault();
    if (event.repeat || callOff()) return;
    flush();
    act({ act: "back" });
    return;
  }
  // The page's own keys stay the browser's; Tab goes on, so that nobody is kept here.
  if (event.ctrlKey || event.metaKey || (event.altKey && event.key.length === 1) || event.key === "Tab" || event.isComposing) return;
  if (event.key.length === 1) {
    event.preventDefault();
    typed += event.key;
    drawTyped();
    clearTimeout(gathering);
    gathering = setTimeout(flush, GATHER);
    return;
  }
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  if (event.key === "Backspace" && typed) {
    typed = [...typed].slice(0, -1).join("");
    drawTyped();
    return;
  }
  // A key that is held does as much as the device keeps up with.
  if (event.repeat && waiting) return;
  flush();
  act({ act: "press", key: KEYS[event.key], times: 1 });
});
screenPart.addEventListener("paste", (event) => {
  event.preventDefault();
  typed += event.clipboardData?.getData("text/plain") ?? "";
  flush();
});
screenPart.addEventListener("blur", flush);
