// The flow's text: a text area over its coloured lines. The file on disk is the truth; what is typed is saved at once.

/** What is typed waits so long before it is saved and read. */
const SAVE = 600;

const area = $("text");
const flow = {
  path: null,
  /** The text that was saved last, and what the server calls it. */
  saved: "", version: "",
  /** The text that is being saved: the news of it may come before the answer. */
  sent: null,
  /** The text that somebody else wrote meanwhile. */
  theirs: null,
  /** The file was there, and is not any more. */
  gone: false,
  /** What the last acts added: see insert.js. It goes with its text, which was this when its place was looked for last. */
  block: null, seen: "",
  found: [],
  /** Nobody wrote anything yet, as far as is known. */
  isNew: true,
  /** It is written in Maestro's language. */
  maestro: false,
  marks: new Map(),
  /** Where the cursor was last: browsers forget it while the focus is elsewhere. */
  caret: 0,
};
let saving = 0;
/** @type {Promise<boolean>} */
let writing = Promise.resolve(true);

const isDirty = () => area.value !== flow.saved;
const lineAt = (offset) => area.value.slice(0, offset).split("\n").length;
const caretLine = () => lineAt(document.activeElement === area ? area.selectionStart : flow.caret);

function setCaret(at) {
  flow.caret = at;
  area.setSelectionRange(at, at);
}

function drawText() {
  colour(area.value);
  drawGutter();
}

function drawGutter() {
  const lines = area.value.split("\n").length;
  const now = caretLine();
  const faults = new Map(flow.found.map((fault) => [fault.line, fault.is_error ? "error" : "warning"]));
  const SIGNS = { passed: "✓", failed: "✗", warned: "!", skipped: "–", going: "▸" };
  $("gutter").replaceChildren(...Array.from({ length: lines }, (_, at) => {
    const mark = flow.marks.get(at + 1);
    const item = make("div", { textContent: `${SIGNS[mark?.status] || ""}${at + 1}` });
    item.className = [faults.get(at + 1), mark?.status, now === at + 1 && "now", pilotMark(at + 1)].filter(Boolean).join(" ");
    return item;
  }));
}

function drawSaved(text) {
  $("file").textContent = flow.path || "not saved to a file yet";
  $("saved").textContent = text ?? (flow.theirs ? "conflict" : flow.gone ? "gone" : isDirty() ? "…" : flow.path ? "saved" : "");
  $("save-as").hidden = Boolean(flow.path);
  $("file").title = flow.path || "";
  drawTitle();
}

/** Where a part of one text is in another: what both begin and end with stays. Null where it does not stand there. */
function moved(before, now, start, end) {
  const most = Math.min(before.length, now.length);
  let head = 0;
  while (head < most && before[head] === now[head]) head += 1;
  if (end <= head) return start;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return start >= before.length - tail ? start + now.length - before.length : null;
}

/** Looks where the block is by now. */
function follow() {
  const { block, seen } = flow;
  if (block && block.at !== null) block.at = moved(seen, area.value, block.at, block.at + block.text.length);
  flow.seen = area.value;
}

/** The page puts something in: what the browser tells of that is nobody's doing. */
let isPutting = false;
for (const name of ["focus", "blur", "focusin", "focusout", "input"]) {
  window.addEventListener(name, (event) => { if (isPutting) event.stopImmediatePropagation(); }, true);
}
/** The field that somebody types into: it keeps the focus. */
let typedInto = null;
window.addEventListener("input", (event) => { typedInto = event.target; }, true);
window.addEventListener("change", () => { typedInto = null; }, true);

/** Puts a text in place of a part, so that the browser's undo takes it back alone. The cursor, the focus and the view stay. */
function replace(start, end, text) {
  const { value } = area;
  const wanted = value.slice(0, start) + text + value.slice(end);
  if (wanted === value) return;
  const shifted = (at) => (at > start ? Math.max(start, at + wanted.length - value.length) : at);
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const [from, to] = active === area ? [area.selectionStart, area.selectionEnd] : [flow.caret, flow.caret];
  const views = [];
  for (let part = area; part; part = part.parentElement) views.push([part, part.scrollLeft, part.scrollTop]);
  closeOffers();
  isPutting = true;
  if (active === area || active !== typedInto) {
    area.focus({ preventScroll: true });
    area.setSelectionRange(start, end);
    // It is old, and the only way to a step of the browser's own undo. It writes where the focus is.
    if (document.activeElement === area) document.execCommand(text ? "insertText" : "delete", false, text);
  }
  if (area.value !== wanted) area.value = wanted;
  flow.caret = shifted(from);
  area.setSelectionRange(flow.caret, shifted(to));
  if (active !== area) {
    area.blur();
    active?.focus({ preventScroll: true });
  }
  for (const [part, left, top] of views) Object.assign(part, { scrollLeft: left, scrollTop: top });
  isPutting = false;
  follow();
}

/** Takes in what the file holds; nothing of what was typed here is lost. */
function takeFile(file) {
  flow.path = file.path;
  flow.gone = Boolean(file.gone);
  if (file.error) refuse(file.error);
  if (file.text === undefined || file.text === flow.sent) return drawSaved();
  if (file.version === flow.version || file.text === area.value) {
    flow.version = file.version;
    flow.saved = file.text;
    if (!flow.theirs) return drawSaved();
    // Who changed it too took that back, or wrote the same.
    flow.theirs = null;
    drawConflict();
    save();
    return undefined;
  }
  if (isDirty() || flow.theirs) {
    flow.theirs = file;
    return drawConflict();
  }
  return setText(file);
}

function setText(file) {
  const caret = moved(area.value, file.text, flow.caret, flow.caret) ?? Math.min(flow.caret, file.text.length);
  closeOffers();
  flow.saved = file.text;
  flow.version = file.version;
  flow.theirs = null;
  // Another page may have done something meanwhile: what is done here then is not part of that.
  flow.block = null;
  area.value = file.text;
  follow();
  setCaret(caret);
  drawConflict();
  drawText();
  drawSaved();
  lint();
  return undefined;
}

function drawConflict() {
  $("conflict").hidden = !flow.theirs;
  $("theirs").textContent = flow.theirs ? flow.theirs.text : "";
  drawSaved();
}
$("take-theirs").addEventListener("click", () => setText(flow.theirs));
$("keep-mine").addEventListener("click", () => {
  flow.version = flow.theirs.version;
  flow.saved = flow.theirs.text;
  flow.theirs = null;
  drawConflict();
  save();
});

/**
 * Saves what is in the area, after what is being saved. Gives whether the file holds it then. A file that is gone is written
 * again where somebody typed, or asked for it.
 */
function save(isAsked = false) {
  clearTimeout(saving);
  writing = writing.then(async () => {
    if (flow.theirs) return false;
    if (!isDirty() && !(isAsked && flow.gone)) return true;
    const text = area.value;
    flow.sent = text;
    try {
      const answer = await ask("flow", { text, version: flow.version });
      if (answer.conflict) {
        flow.theirs = answer.conflict;
        drawConflict();
        return false;
      }
      Object.assign(flow, { saved: text, version: answer.version, gone: false });
      drawSaved();
      return true;
    } catch (error) {
      drawSaved("not saved");
      refuse(error.message);
      return false;
    } finally {
      flow.sent = null;
    }
  });
  return writing;
}

async function saveAs(name) {
  const text = area.value;
  try {
    const answer = await ask("flow", { text, version: flow.version, name });
    Object.assign(flow, { path: answer.path, saved: text, version: answer.version, theirs: null });
  } catch (error) {
    refuse(error.message);
    return false;
  }
  drawConflict();
  lint();
  tell(`Saved as ${flow.path}.`);
  return true;
}

$("save-as").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("name").value.trim();
  if (!name) return refuse("Give the file a name, such as login.yaml.");
  // Behind what is being saved: what is saved without a name is not a change of the new file.
  writing = writing.then(() => saveAs(name));
  return undefined;
});

let reading = 0;
async function lint() {
  reading += 1;
  const mine = reading;
  try {
    const answer = await ask("lint", { text: area.value });
    if (mine !== reading) return;
    flow.found = answer.found;
    flow.maestro = answer.maestro;
    flow.isNew = answer.is_new;
    drawDialect();
  } catch (error) {
    if (mine !== reading) return;
    flow.found = [{ line: 1, column: 1, is_error: true, message: error.message }];
  }
  drawGutter();
  $("no-steps").hidden = !flow.isNew;
  drawAbilities();
  $("problems").replaceChildren(...flow.found.map((fault) => {
    const go = make("button", { type: "button", className: "small", textContent: fault.line ? `line ${fault.line}` : fault.file, disabled: !fault.line });
    go.addEventListener("click", () => goTo(fault.line, fault.column));
    return make("li", {}, make("span", { className: fault.is_error ? "bad" : "warn", textContent: fault.is_error ? "error " : "warning " }), go, ` ${fault.message}`,
      fault.help ? make("span", { className: "fix", textContent: ` — ${fault.help}` }) : null);
  }));
}

function goTo(line, column = 1) {
  const before = area.value.split("\n").slice(0, line - 1);
  const at = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  area.focus();
  setCaret(at);
  $("port").scrollTop = Math.max(0, (line - 4) * 18);
  drawGutter();
}

/** What was typed or put in. */
function changed() {
  flow.isNew = false;
  $("no-steps").hidden = true;
  flow.marks.clear();
  drawAbilities();
  drawText();
  drawSaved();
  clearTimeout(saving);
  saving = setTimeout(() => {
    save();
    lint();
  }, SAVE);
}

area.addEventListener("input", () => {
  flow.caret = area.selectionStart;
  follow();
  changed();
  offer(false);
});
area.addEventListener("keydown", (event) => {
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    return offer(true);
  }
  if (event.key === "Enter" && event.ctrlKey) {
    event.preventDefault();
    return runPart("all");
  }
  if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return flow.path ? save(true) : $("name").focus();
  }
  if (!offered) return undefined;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) {
    event.preventDefault();
    offered.isChosen = true;
    offered.at = (offered.at + by + offered.offers.length) % offered.offers.length;
    return drawOffers();
  }
  if ((event.key === "Enter" && offered.isChosen) || event.key === "Tab") {
    event.preventDefault();
    return take(offered.at);
  }
  if (event.key === "Escape" || event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (event.key === "Escape") event.preventDefault();
    closeOffers();
  }
  return undefined;
});
area.addEventListener("blur", closeOffers);
function seeCaret() {
  if (document.activeElement !== area) return;
  flow.caret = area.selectionStart;
  if (offered && offered.end !== flow.caret) closeOffers();
  // A line that fits is seen from its beginning.
  const port = $("port");
  if (spotOf(flow.caret).x - port.getBoundingClientRect().left + port.scrollLeft < port.clientWidth - 40) port.scrollLeft = 0;
  drawGutter();
}
$("port").addEventListener("scroll", () => {
  $("gutter").scrollTop = $("port").scrollTop;
  if (offered) placeOffers();
  hideHint();
});
document.addEventListener("selectionchange", seeCaret);
area.addEventListener("focus", () => area.setSelectionRange(flow.caret, flow.caret));
