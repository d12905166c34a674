// Keys and buttons.

/** The next snapshot of those listed, or the one before. */
function move(by, may = (/** @type {any} */ _item) => true) {
  const all = listed();
  if (!all.length) return tell("Nothing else is listed.");
  const at = all.findIndex((item) => item.key === state.key);
  const turned = by > 0 ? [...all.slice(at + 1), ...all.slice(0, at + 1)] : [...all.slice(0, Math.max(at, 0)).reverse(), ...all.slice(at).reverse()];
  const next = turned.find(may);
  if (next && next.key !== state.key) show(next.key);
  else tell("Nothing else is listed.");
}

const otherGroup = (by) => {
  // Of where one goes, which may not be shown yet.
  const here = new Set((groupOf(state.key)?.items || []).map((item) => item.key));
  move(by, (item) => !here.has(item.key));
};

function nextMode() {
  const modes = Object.keys(Compare.modes);
  const before = state.view?.mode();
  for (let by = 1; by <= modes.length; by += 1) {
    const name = modes[(modes.indexOf(state.mode) + by) % modes.length];
    if (state.view?.mode(name) === name && name !== before) return;
  }
  tell("There is nothing to compare with.");
}

/** Slider, blink or difference; once more leads back. */
function compareBy(key) {
  if (!state.view?.key(key)) tell("There is nothing to compare with.");
}

/** The next change in the picture, or the one before. */
function step(by) {
  if (!state.view?.step(by)) tell("No change of the picture is marked.");
}

/** What keys do. What goes on waits for what is loading; what decides does not, and says so. */
const acts = {
  a: () => about("Accept", () => decide("accept", chosen())),
  r: () => about("Reject", () => decide("reject", chosen())),
  s: () => about("Skip", () => skip(chosen())),
  g: () => about("Whole group", turnWhole),
  A: () => about("Accept all", () => askRest("accept")),
  R: () => about("Reject all", () => askRest("reject")),
  m: () => about("Mask", () => maskRow(state.lit)),
  S: () => skip(rest()),
  u: undo,
  j: () => go(() => move(1), true), k: () => go(() => move(-1), true),
  J: () => go(() => otherGroup(1), true), K: () => go(() => otherGroup(-1), true),
  n: () => go(() => step(1)), p: () => go(() => step(-1)),
  v: () => go(nextMode),
  l: () => go(() => compareBy("l")), b: () => go(() => compareBy("b")), d: () => go(() => compareBy("d")),
  "?": () => $("keys").showModal(),
};
/** Those that a held key may repeat. */
const REPEATED = new Set(["j", "k", "n", "p"]);

document.addEventListener("keydown", (event) => {
  const typing = /** @type {Element} */ (event.target).closest("input:not([type=checkbox]):not([type=range]), select, textarea, dialog");
  if ($("ask").open && (event.key === "y" || event.key === "n")) {
    event.preventDefault();
    return $("ask").close(event.key === "y" ? "yes" : "");
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
  if (!act) return;
  event.preventDefault();
  if (!event.repeat || REPEATED.has(event.key)) act();
});
for (const [id, key] of Object.entries({ accept: "a", reject: "r", "skip-case": "s", whole: "g", "accept-rest": "A", "reject-rest": "R", undo: "u", help: "?" })) {
  $(id).addEventListener("click", () => acts[key]());
}
for (const id of ["words", "kind", "class"]) {
  $(id).addEventListener("input", () => {
    drawQueue();
    if (!listed().some((item) => item.key === state.shown?.key)) show(listed()[0]?.key);
  });
}
$("groups").addEventListener("click", (event) => {
  const link = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("a[data-key]"));
  const key = link?.dataset.key;
  // The address may name it already, and would then tell of no change.
  if (key && key !== state.key && !event.ctrlKey && !event.metaKey && !event.shiftKey) show(key);
});
$("all-rows").addEventListener("change", drawRows);
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});
const row = (event) => event.target.closest("li[data-row]");
$("rows").addEventListener("mouseover", (event) => row(event) && light(Number(row(event).dataset.row)));
$("rows").addEventListener("mouseleave", () => light(null));
$("rows").addEventListener("focusin", (event) => row(event) && light(Number(row(event).dataset.row), "focus"));
window.addEventListener("hashchange", () => {
  const key = wanted();
  if (key && key !== state.key) show(key);
});

refreshed().then(watch);
