// The device's log, asked for while it is seen. Lines are texts, whatever they hold.

const LEVELS = "VDIWEF";
/** Lines that are drawn: the newest that fit the filters. */
const MOST_DRAWN = 500;
/** Between two questions, in milliseconds. */
const LOG_PACE = 1000;

const deviceLog = { lines: [], next: 0, pids: null, trouble: null, paused: false, chosen: null, asking: false };

/** Asks for what is new, as long as somebody sees the panel. */
async function readLog() {
  if (deviceLog.asking || deviceLog.paused || document.hidden || $("log-panel").hidden) return;
  deviceLog.asking = true;
  try {
    const app = $("log-app").value.trim();
    const said = await ask("log", { from: deviceLog.next, app: app || null });
    // Lines that are not kept any more, or those of another device.
    deviceLog.lines = [...deviceLog.lines.filter((line) => line.n >= said.first && line.n < said.next), ...said.lines];
    const isNew = said.lines.length > 0 || String(said.pids) !== String(deviceLog.pids) || said.trouble !== deviceLog.trouble || said.next < deviceLog.next;
    deviceLog.next = said.next;
    deviceLog.pids = said.pids;
    deviceLog.trouble = said.trouble;
    if (isNew) drawLog();
  } catch (error) {
    $("log-said").textContent = error.message;
  }
  deviceLog.asking = false;
}

function isLogShown(line) {
  const text = $("log-filter").value.trim().toLowerCase();
  return LEVELS.indexOf(line.level) >= LEVELS.indexOf($("log-level").value)
    && (!deviceLog.pids || deviceLog.pids.includes(line.pid) || (line.crash && line.text.includes($("log-app").value.trim())))
    && (!text || line.text.toLowerCase().includes(text) || line.tag.toLowerCase().includes(text));
}

function drawLog() {
  const all = deviceLog.lines.filter(isLogShown);
  const shown = all.slice(-MOST_DRAWN);
  const list = $("log-lines");
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 30;
  const known = new Map([...list.children].map((item) => [item.dataset.n, item]));
  list.replaceChildren(...shown.map((line) => {
    const item = known.get(String(line.n)) || logItem(line);
    item.setAttribute("aria-selected", String(line.n === deviceLog.chosen));
    return item;
  }));
  if (!shown.some((line) => line.n === deviceLog.chosen)) deviceLog.chosen = null;
  drawChosenLine();
  if (isAtEnd && !deviceLog.paused) list.scrollTop = list.scrollHeight;
  const crashes = all.filter((line) => line.crash).length;
  // Each second there may be another count: it is seen, and not read aloud.
  $("log-count").textContent = `${count(all.length, "line")}${all.length > shown.length ? `, the last ${shown.length} shown` : ""}${all.length < deviceLog.lines.length ? ` of ${deviceLog.lines.length}` : ""}.`;
  const told = [deviceLog.paused && "Paused.", deviceLog.trouble, crashes && `${count(crashes, "crash", "crashes")}.`].filter(Boolean).join(" ");
  if ($("log-said").textContent !== told) $("log-said").textContent = told;
  $("log-said").classList.toggle("bad", crashes > 0);
}

function logItem(line) {
  const item = make("li", { role: "option", id: `log-line-${line.n}`, className: `level-${line.level.toLowerCase()}${line.crash ? " crash" : ""}` },
    make("span", { className: "quiet", textContent: Time.ofDevice(line.time) }), " ", make("b", { textContent: line.level, title: `Process ${line.pid}` }), " ", make("span", { className: "tag", textContent: `${line.tag}:` }), " ", line.crash ? "Crash: " : null, line.text);
  item.dataset.n = String(line.n);
  return item;
}

function drawChosenLine() {
  for (const item of $("log-lines").children) item.setAttribute("aria-selected", String(item.dataset.n === String(deviceLog.chosen)));
  $("log-assert").disabled = deviceLog.chosen === null;
  if (deviceLog.chosen === null) $("log-lines").removeAttribute("aria-activedescendant");
  else $("log-lines").setAttribute("aria-activedescendant", `log-line-${deviceLog.chosen}`);
}

async function assertLine() {
  if (deviceLog.chosen === null) return;
  try {
    const wish = { n: deviceLog.chosen, app: $("log-app").value.trim() || null };
    if (await inTurn(() => insertRecorded("log/assert", wish))) tell("The flow waits for a line like this. It counts lines since the flow began.");
  } catch (error) {
    refuse(error.message);
  }
}

$("log-lines").addEventListener("click", (event) => {
  const item = /** @type {Element} */ (event.target).closest("li");
  if (item) deviceLog.chosen = Number(/** @type {HTMLElement} */ (item).dataset.n);
  drawChosenLine();
});
$("log-lines").addEventListener("keydown", (event) => {
  const items = [...$("log-lines").children];
  const at = items.findIndex((item) => item.dataset.n === String(deviceLog.chosen));
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Enter") assertLine();
  if (to === undefined || !items.length) return;
  event.preventDefault();
  const item = items[Math.max(0, Math.min(items.length - 1, to))];
  deviceLog.chosen = Number(item.dataset.n);
  drawChosenLine();
  item.scrollIntoView({ block: "nearest" });
});
$("log-assert").addEventListener("click", assertLine);
$("log-pause").addEventListener("click", () => {
  deviceLog.paused = !deviceLog.paused;
  $("log-pause").setAttribute("aria-pressed", String(deviceLog.paused));
  drawLog();
  readLog();
});
for (const id of ["log-level", "log-filter"]) $(id).addEventListener("input", drawLog);
$("log-app").addEventListener("change", () => { drawLog(); readLog(); });
$("log-panel").addEventListener("shown", () => {
  if (!$("log-app").value) $("log-app").value = /^app:\s*["']?([\w.]+)/m.exec(area.value)?.[1] || "";
  readLog();
});
setInterval(readLog, LOG_PACE);
