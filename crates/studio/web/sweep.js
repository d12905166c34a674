// The sweep: the screen that is there now in several appearances. What it found comes from the server, for every page.

let sweep = { number: 0, going: false, trouble: null, app: "", cells: [] };
/** The finding that is lit: its appearance and its place in the list. */
let litFinding = null;

/** The values that are chosen of one setting. */
const swept = (name) => [.../** @type {NodeListOf<HTMLInputElement>} */ ($("sweep").querySelectorAll(`[name=${name}]:checked`))].map(({ value }) => JSON.parse(value));
const sweptLocales = () => $("sweep-locales").value.split(/[\s,;]+/).filter(Boolean);

function sweepWish() {
  return { dark: swept("dark"), font: swept("font"), landscape: swept("landscape"), locale: sweptLocales() };
}

function drawSweepCount() {
  const many = Object.values(sweepWish()).reduce((all, values) => all * Math.max(1, values.length), 1);
  $("sweep-count").textContent = `${count(many, "appearance")}${many > 16 ? ": choose 16 at most" : ""}`;
  $("sweep-begin").disabled = sweep.going || many > 16 || !canAct();
}

const totalFindings = () => sweep.cells.reduce((all, { findings, more }) => all + findings.length + more, 0);

function drawSweep() {
  $("sweep-stop").disabled = !sweep.going;
  const done = sweep.cells.filter((cell) => cell.done).length;
  const told = sweep.going ? `${done} of ${count(sweep.cells.length, "appearance")}.` : sweep.cells.length ? `${count(totalFindings(), "finding")} in ${count(done, "appearance")}. Contrast is estimated from the picture.` : "";
  $("sweep-state").className = sweep.trouble ? "bad" : "";
  $("sweep-state").textContent = [sweep.trouble && `The sweep: ${sweep.trouble}`, told].filter(Boolean).join("\n");
  $("sweep-keep").hidden = sweep.going || !done;
  // Pictures are asked for once: those that are there already stay.
  drawList($("sweep-cells"), sweep.cells.map((cell) => [cell.at, [state.start, sweep.number, cell.size || sweep.going, cell], () => sweepCell(cell)]));
  drawSweepCount();
  counter("sweep-panel", totalFindings());
}

function sweepCell(cell) {
  const head = make("h3", {}, cell.name);
  const note = cell.note ? make("p", { className: "warn" }, cell.note) : null;
  if (!cell.size) return make("li", {}, head, note || make("p", { className: "quiet" }, cell.done ? "No picture." : sweep.going ? "Waits." : "Not taken."));
  const picture = make("img", { src: `sweep/picture/${sweep.number}/${cell.at}`, alt: `The screen: ${cell.name}`, decoding: "async" });
  const frame = make("div", { className: "sweep-picture" }, picture);
  const [width, height] = cell.size;
  const boxes = cell.findings.map(({ bounds: [left, top, right, bottom] }, at) => {
    const box = make("div", { className: "sweep-box" });
    Object.assign(box.style, { left: `${(left / width) * 100}%`, top: `${(top / height) * 100}%`, width: `${((right - left) / width) * 100}%`, height: `${((bottom - top) / height) * 100}%` });
    box.classList.toggle("chosen", litFinding?.cell === cell.at && litFinding.at === at);
    return box;
  });
  frame.append(...boxes);
  const list = cell.findings.map((finding, at) => {
    const button = make("button", { type: "button", className: "plain" }, make("span", { className: "kind" }, finding.kind), ` ${finding.element}`, make("span", { className: "quiet" }, finding.message));
    const isLit = () => litFinding?.cell === cell.at && litFinding.at === at;
    button.setAttribute("aria-pressed", String(isLit()));
    button.addEventListener("click", () => {
      litFinding = isLit() ? null : { cell: cell.at, at };
      for (const other of $("sweep-cells").querySelectorAll(".sweep-findings button")) other.setAttribute("aria-pressed", "false");
      for (const other of $("sweep-cells").querySelectorAll(".sweep-box")) other.classList.remove("chosen");
      button.setAttribute("aria-pressed", String(isLit()));
      boxes[at].classList.toggle("chosen", isLit());
    });
    return make("li", {}, button);
  });
  const more = cell.more ? make("p", { className: "quiet" }, `and ${cell.more} more`) : null;
  const none = cell.findings.length ? null : make("p", { className: "quiet" }, "Nothing found.");
  return make("li", {}, head, note, frame, none, make("ul", { className: "sweep-findings" }, ...list), more);
}

let sweepAsked = Promise.resolve();
function askSweep() {
  sweepAsked = sweepAsked.then(async () => {
    const now = await ask("sweep");
    if (now.number !== sweep.number) litFinding = null;
    sweep = now;
    drawSweep();
  }).catch((error) => refuse(error.message));
}

/** What was swept as the flow's matrix: what a flow can say of it. Orientation is not in it. */
function sweptMatrix() {
  const values = (name) => [...new Set(sweep.cells.map((cell) => cell[name]))].filter((value) => value !== null);
  const [dark, font, locale] = [values("dark"), values("font"), values("locale")];
  const parts = [
    locale.length ? `locale: [${locale.join(", ")}]` : "",
    dark.length ? `dark: [${dark.map((is) => (is ? "yes" : "no")).join(", ")}]` : "",
    font.length ? `font_scale: [${font.map((percent) => percent / 100).join(", ")}]` : "",
  ].filter(Boolean);
  return parts.length ? `{ ${parts.join(", ")} }` : "";
}

/** Writes the matrix into the flow's header and the snapshot behind its steps, then compares the screen in each appearance. */
async function keepAppearances(name) {
  const matrix = sweptMatrix();
  if (!matrix) return refuse("Sweep a theme, a font or a language: a flow's matrix holds nothing else.");
  const known = area.value.match(/^matrix:\s*(.*)$/m);
  if (known && known[1].trim() !== matrix) return refuse("The flow has another matrix already. Change it in the editor, or keep these in a flow of their own.");
  const line = await addSnapshot(name);
  if (!line) return undefined;
  let at = line;
  if (!known) {
    const after = area.value.match(/^(app|name):.*\n/gm)?.at(-1);
    const place = after ? area.value.indexOf(after) + after.length : 0;
    replace(place, place, `matrix: ${matrix}\n`);
    at += 1;
    changed();
  }
  tell(`Wrote the matrix and the snapshot ${name}. Each of them waits for review once it is compared.`);
  return compareAt(at, "cases");
}

$("sweep").addEventListener("input", drawSweepCount);
$("sweep").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("sweep", sweepWish());
  } catch (error) {
    refuse(error.message);
  }
});
$("sweep-stop").addEventListener("click", () => ask("stop", {}).catch((error) => refuse(error.message)));
$("sweep-keep").addEventListener("submit", (event) => {
  event.preventDefault();
  keepAppearances($("sweep-name").value.trim());
});
document.addEventListener("news", (event) => {
  const { kind } = /** @type {CustomEvent} */ (event).detail;
  if (kind === "state" || kind === "sweep") askSweep();
});
drawSweepCount();
