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
  /** What the last acts added: where, what, and from which step of the recording on. */
  block: null,
  found: [],
  /** It is written in Maestro's language. */
  maestro: false,
  marks: new Map(),
  /** Where the cursor was last: browsers forget it while the focus is elsewhere. */
  caret: 0,
};
let saving = 0;
/** @type {Promise<boolean>} */
let writing = Promise.resolve(true);
let offered = null;

const isDirty = () => area.value !== flow.saved;
const lineAt = (offset) => area.value.slice(0, offset).split("\n").length;
const caretLine = () => lineAt(flow.caret);

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
  $("saved").textContent = text ?? (flow.theirs ? "conflict" : isDirty() ? "…" : flow.path ? "saved" : "");
  $("save-as").hidden = Boolean(flow.path);
}

/** Puts a text into the area as if it were typed: what people undo is the browser's. */
function replace(start, end, text) {
  area.setRangeText(text, start, end, "preserve");
  if (flow.caret > start) setCaret(Math.max(start, flow.caret + text.length - (end - start)));
}

/** Takes in what the file holds; nothing of what was typed here is lost. */
function takeFile(file) {
  if (file.error) return refuse(file.error);
  flow.path = file.path;
  if (file.text === flow.sent) return undefined;
  if (file.version === flow.version || file.text === area.value) {
    flow.version = file.version;
    flow.saved = file.text;
    flow.theirs = null;
    return drawConflict();
  }
  if (isDirty() || flow.theirs) {
    flow.theirs = file;
    return drawConflict();
  }
  return setText(file);
}

function setText(file) {
  flow.saved = file.text;
  flow.version = file.version;
  flow.theirs = null;
  flow.block = null;
  area.value = file.text;
  setCaret(Math.min(flow.caret, file.text.length));
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

/** Saves what is in the area, after what is being saved. Gives whether the file holds it then. */
function save() {
  clearTimeout(saving);
  writing = writing.then(async () => {
    if (flow.theirs) return false;
    if (!isDirty()) return true;
    const text = area.value;
    flow.sent = text;
    try {
      const answer = await ask("flow", { text, version: flow.version });
      if (answer.conflict) {
        flow.theirs = answer.conflict;
        drawConflict();
        return false;
      }
      flow.saved = text;
      flow.version = answer.version;
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

$("save-as").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("name").value.trim();
  if (!name) return refuse("Give the file a name, such as login.yaml.");
  try {
    const text = area.value;
    const answer = await ask("flow", { text, version: flow.version, name });
    Object.assign(flow, { path: answer.path, saved: text, version: answer.version });
    drawSaved();
    lint();
    return tell(`Saved as ${answer.path}.`);
  } catch (error) {
    return refuse(error.message);
  }
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
    drawDialect();
  } catch (error) {
    if (mine !== reading) return;
    flow.found = [{ line: 1, column: 1, is_error: true, message: error.message }];
  }
  drawGutter();
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
  area.closest(".editor").scrollTop = Math.max(0, (line - 4) * 18);
  drawGutter();
}

/** What was typed or put in. */
function changed() {
  flow.marks.clear();
  drawText();
  drawSaved();
  clearTimeout(saving);
  saving = setTimeout(() => {
    save();
    lint();
  }, SAVE);
}

/** The steps of the flow itself, as they are written: their indentation and lines, and where the next one goes. */
function listOfSteps(text) {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => /^steps:\s*(\[\s*\])?\s*(#.*)?$/.test(line));
  if (head < 0) return null;
  let end = lines.findIndex((line, at) => at > head && /^[^\s#-]/.test(line));
  if (end < 0) end = lines.length;
  while (end > head + 1 && /^\s*(#.*)?$/.test(lines[end - 1])) end -= 1;
  const indent = lines.slice(head + 1, end).map((line) => line.match(/^(\s*)- /)?.[1]).find((it) => it !== undefined) ?? "  ";
  const begins = [];
  for (let at = head + 1; at < end; at += 1) if (lines[at].startsWith(`${indent}-`)) begins.push(at);
  return { lines, head, end, indent, begins };
}

/** Where steps go that are done now: behind the step with the cursor, else behind the last. */
function insertionPlace() {
  let text = area.value;
  let list = listOfSteps(text);
  if (!list) {
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    replace(text.length, text.length, `${gap}steps:\n`);
    text = area.value;
    list = listOfSteps(text);
  } else if (/\[/.test(list.lines[list.head])) {
    const start = list.lines.slice(0, list.head).join("\n").length + (list.head ? 1 : 0);
    replace(start, start + list.lines[list.head].length, "steps:");
    list = listOfSteps(area.value);
  }
  const { lines, head, end, indent, begins } = list;
  const now = caretLine() - 1;
  let line = Math.max(end, head + 1);
  const mine = now > head ? begins.filter((at) => at <= now).length : 0;
  if (mine && mine < begins.length) {
    line = begins[mine];
    // What is written right above the next step belongs to it.
    while (line > begins[mine - 1] + 1 && /^\s*(#.*)?$/.test(lines[line - 1])) line -= 1;
  }
  const before = lines.slice(0, line).join("\n");
  const at = Math.min(area.value.length, before.length + 1);
  if (at === area.value.length && !area.value.endsWith("\n")) {
    replace(at, at, "\n");
    return { at: area.value.length, indent, isFirst: !begins.length };
  }
  return { at, indent, isFirst: !begins.length };
}

/** Whether the steps that were added last stand as they were added, with the cursor behind them. */
const isIntact = () => Boolean(flow.block) && flow.caret === flow.block.at + flow.block.text.length
  && area.value.slice(flow.block.at, flow.block.at + flow.block.text.length) === flow.block.text;

/** Does something that is recorded, and writes its steps into the flow. */
async function insertRecorded(path, wish) {
  return insertSteps((block) => ask(path, { wish, block }));
}

/** Puts the steps that `asking` answers into the flow; it is given the first step that may still change. */
async function insertSteps(asking) {
  if (flow.maestro) {
    await asking(null);
    return tell("Done, but not written: this is a flow of Maestro's. Take it over under Debug to write into it.");
  }
  const isOn = isIntact();
  const answer = await asking(isOn ? flow.block.from : null);
  const known = isOn && isIntact() ? flow.block : null;
  if (answer.app && !/^app:/m.test(area.value)) {
    const name = area.value.match(/^name:.*\n/m);
    const at = name ? name.index + name[0].length : 0;
    const line = `app: ${answer.app}\n`;
    replace(at, at, line);
    if (known) known.at += line.length;
  }
  const place = known || insertionPlace();
  const lead = place.isFirst && answer.opening ? [answer.opening] : [];
  const lines = [...lead, ...answer.steps].join("").split("\n");
  const text = lines.map((line) => (line ? place.indent + line : "")).join("\n");
  replace(place.at, place.at + (known ? known.text.length : 0), text);
  flow.block = { at: place.at, indent: place.indent, isFirst: place.isFirst, from: answer.block, text };
  setCaret(place.at + text.length);
  changed();
  return undefined;
}

// Completion.

function drawOffers() {
  const list = $("offers");
  list.hidden = !offered;
  area.removeAttribute("aria-activedescendant");
  if (!offered) {
    $("offer-help").textContent = "";
    return list.replaceChildren();
  }
  list.replaceChildren(...offered.list.map((offer, at) => {
    const item = make("li", { id: `offer-${at}`, textContent: offer.label });
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(at === offered.at));
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      take(at);
    });
    return item;
  }));
  const before = area.value.slice(0, area.selectionStart);
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n") - 1 - offered.length;
  list.style.top = `calc(${line} * 1.45em + 8px)`;
  list.style.left = `calc(${Math.max(0, column)}ch + 8px)`;
  const chosen = offered.list[offered.at];
  area.setAttribute("aria-activedescendant", `offer-${offered.at}`);
  $("offer-help").textContent = `${chosen.label}${chosen.about ? `: ${chosen.about}` : ""} (${offered.at + 1} of ${offered.list.length})`;
  list.children[offered.at].scrollIntoView({ block: "nearest" });
  return undefined;
}

function offer(isAsked) {
  const found = area.selectionStart === area.selectionEnd ? offersFor(area.value.slice(0, area.selectionStart)) : null;
  // Unasked only where somebody began a word.
  offered = found && (isAsked || found.length > 0) ? { ...found, at: 0, isChosen: isAsked || !found.isFree } : null;
  drawOffers();
}

function take(at) {
  const { length, list } = offered;
  const end = area.selectionStart;
  area.setRangeText(list[at].text, end - length, end, "end");
  flow.caret = area.selectionStart;
  offered = null;
  drawOffers();
  changed();
}

area.addEventListener("input", () => {
  flow.caret = area.selectionStart;
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
    return flow.path ? save() : $("name").focus();
  }
  if (!offered) return undefined;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) {
    event.preventDefault();
    offered.isChosen = true;
    offered.at = (offered.at + by + offered.list.length) % offered.list.length;
    return drawOffers();
  }
  if ((event.key === "Enter" && offered.isChosen) || event.key === "Tab") {
    event.preventDefault();
    return take(offered.at);
  }
  if (event.key === "Escape" || event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (event.key === "Escape") event.preventDefault();
    offered = null;
    drawOffers();
  }
  return undefined;
});
area.addEventListener("blur", () => {
  offered = null;
  drawOffers();
});
function seeCaret() {
  if (document.activeElement !== area) return;
  flow.caret = area.selectionStart;
  drawGutter();
}
document.addEventListener("selectionchange", seeCaret);
area.addEventListener("focus", () => area.setSelectionRange(flow.caret, flow.caret));
