// The element that was picked: its selectors, a field to try one, and what may be asserted of it.

/** What is typed waits so long before it is tried. */
const TRY = 200;
let tried = 0;
let attempts = 0;
/** Somebody wrote a selector, and picked nothing since. */
let isEdited = false;

/** Shows the selectors of an element. */
async function choose(row, isAsked) {
  const seq = state.look.seq;
  const isNew = state.picked?.n !== row.n || isAsked;
  state.picked = row;
  if (isAsked) isEdited = false;
  for (const id of ["picker", "snapshot-label"]) $(id).hidden = false;
  $("picked").textContent = `${row.class} “${nameOf(row).slice(0, 80)}”`;
  $("picked-states").textContent = [...row.states, `at ${row.bounds.join(", ")}`].join(" · ");
  for (const item of $("rows").querySelectorAll("li")) item.setAttribute("aria-selected", String(Number(item.dataset.n) === row.n));
  if (isAsked) setCurrent(row.n);
  drawBoxes();
  if (isAsked) $("picked").focus({ preventScroll: innerWidth >= 1000 });
  let answer;
  try {
    answer = await ask("pick", { seq, node: row.n });
  } catch (error) {
    return isAsked && refuse(error.message);
  }
  if (state.picked !== row) return undefined;
  drawList($("selectors"), answer.selectors.map((ranked) => [ranked.selector, ranked, () => selectorItem(ranked)]));
  // Who was quicker than the answer goes on writing.
  const isWriting = isEdited || document.activeElement === $("selector");
  if (isNew && !isWriting && answer.selectors.length) $("selector").value = answer.selectors[0].selector;
  return attempt();
}

const onRecorded = ({ screens, one, several }) => {
  if (!screens) return "";
  const parts = [`on ${one} of ${count(screens, "recorded screen")} just one`];
  if (several) parts.push(`on ${several} several`);
  return parts.join(", ");
};

function selectorItem(ranked) {
  const use = make("button", { type: "button", textContent: ranked.selector });
  use.addEventListener("click", () => {
    $("selector").value = ranked.selector;
    attempt();
  });
  const here = make("span", { className: "number", textContent: [`${ranked.matches} here`, onRecorded(ranked.recorded)].filter(Boolean).join(" · ") });
  const doubts = ranked.doubts.map((doubt) => make("span", { className: "warn", textContent: `unstable: ${doubt}` }));
  return make("li", {}, use, here, ...doubts);
}

/** Tries what is in the field. */
async function attempt() {
  const text = $("selector").value.trim();
  attempts += 1;
  const mine = attempts;
  if (!text || !state.look) return drawFound("", [], []);
  try {
    const answer = await ask("try", { seq: state.look.seq, selector: text });
    if (mine !== attempts) return undefined;
    if (answer.wrong) return drawFound(answer.wrong, [], []);
    const told = [`selects ${count(answer.count, "element")} here`, onRecorded(answer.recorded)].filter(Boolean).join("; ");
    return drawFound(told, answer.nodes, answer.misses);
  } catch (error) {
    return mine === attempts && drawFound(error.message, [], []);
  }
}

function drawFound(told, nodes, misses) {
  $("found").textContent = told;
  state.matches = nodes;
  drawBoxes();
  drawList($("misses"), misses.map((miss) => [miss.write, miss, () => missItem(miss)]));
}

function missItem(miss) {
  const use = make("button", { type: "button", textContent: miss.write });
  use.addEventListener("click", () => {
    $("selector").value = miss.write;
    attempt();
    $("selector").focus();
  });
  const item = make("li", {}, "almost: ", use, ` ${miss.why}`);
  item.addEventListener("mouseover", () => light(miss.node));
  item.addEventListener("mouseleave", () => light(null));
  return item;
}

/** Whether somebody works with it: then it stays, whatever becomes of the element. */
const isPickerUsed = () => !$("picker").hidden && (isEdited || $("picker").contains(document.activeElement));

/** The screen that is there now has no such element; selectors are tried on it all the same. */
function pickedIsGone() {
  $("picked-states").textContent = "The element is gone.";
  attempt();
}

function closePicker() {
  state.picked = null;
  isEdited = false;
  state.matches = [];
  for (const id of ["picker", "snapshot-label"]) $(id).hidden = true;
  $("snapshot-of").checked = false;
  for (const item of $("rows").querySelectorAll("li[aria-selected=true]")) item.setAttribute("aria-selected", "false");
  drawBoxes();
}

/** Adds an assertion behind what was done. */
async function assertThat(kind, more = {}) {
  if (!state.look) return refuse("The elements are not read yet; wait a moment.");
  const wish = { seq: state.look.seq, node: state.picked?.n ?? null, selector: $("selector").value.trim() || null, kind, name: null, ...more };
  try {
    if (await inTurn(() => insertRecorded("assert", wish))) tell("Added to the flow.");
  } catch (error) {
    refuse(error.message);
  }
  return undefined;
}

$("selector").addEventListener("input", () => {
  isEdited = true;
  clearTimeout(tried);
  tried = setTimeout(attempt, TRY);
});
$("assertions").addEventListener("click", (event) => {
  const kind = /** @type {HTMLElement} */ (event.target).dataset.assert;
  if (kind) assertThat(kind);
});
$("snapshot").addEventListener("submit", (event) => {
  event.preventDefault();
  const isOf = $("snapshot-of").checked;
  if (isOf && !state.picked) return refuse("Pick an element first, or take the whole screen.");
  return assertThat("snapshot", { name: $("snapshot-name").value, selector: isOf ? $("selector").value.trim() : null });
});
$("close-picker").addEventListener("click", () => {
  closePicker();
  $("rows").focus();
});
/** Acts on the middle of the element. */
function actOnPicked(what) {
  if (!state.look) return refuse("The elements are not read yet; wait a moment.");
  if (!state.picked) return refuse("The element is gone. Pick another one.");
  const [left, top, right, bottom] = state.picked.bounds;
  return act({ ...what, x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) });
}
$("tap-it").addEventListener("click", () => actOnPicked({ act: "tap" }));
$("hold-it").addEventListener("click", () => actOnPicked({ act: "long_press", ms: 1000 }));
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($("selector").value);
    tell("Copied.");
  } catch {
    $("selector").select();
    tell("Press Ctrl+C to copy.");
  }
});
