// Draws what the address says, and listens to keys.

function draw(before) {
  const item = chosen();
  document.body.classList.toggle("has-flow", Boolean(state.flow));
  const isSame = before && item && before.flow === state.flow && before.case === state.case && before.device === state.device;
  const scroll = isSame ? scrollTop() : 0;
  if (isSame && before.step === state.step && before.attempt === state.attempt && before.tab !== state.tab) return showTab();
  const drawn = item ? drawFlow(item) : state.flow ? drawUnknown() : drawOverview();
  Promise.resolve(drawn).then(() => {
    scrollPane(scroll);
    if (item && state.step) showStep();
  });
}

function drawUnknown() {
  document.getElementById("main").replaceChildren(backLink(),
    el("p", { class: "missing" }, "This report has no flow " + state.flow + "; the link may be to the report of another run."));
}

function pane() {
  const inner = document.querySelector("#main > .panel:not([hidden])") || document.getElementById("main");
  return getComputedStyle(inner).overflowY === "auto" ? inner : document.scrollingElement;
}

const scrollTop = () => pane().scrollTop;
const scrollPane = (top) => (pane().scrollTop = top);

function showStep() {
  if (document.querySelector(".walk") || state.tab === "differences") return;
  const step = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-step]"))].find((line) => line.dataset.step === state.step);
  if (!step) return say("There is no step " + state.step + " in this attempt");
  for (let outer = step.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
  step.scrollIntoView({ block: "center" });
  step.querySelector("a").focus({ preventScroll: true });
}

/** The next failure of the list, from the one that is open. */
function nextFailure(by) {
  const all = shown();
  const bad = all.filter((item) => BAD.includes(item.status));
  const list = bad.length ? bad : all;
  if (!list.length) return;
  const at = list.indexOf(chosen());
  const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by;
  if (next < 0 || next >= list.length) return;
  location.hash = hashOfItem(list[next]);
  // The browser tells of it later; the next key may come before.
  follow();
}

function showHelp() {
  const keys = [
    ["j  k", "next and previous failure"], ["t  T", "next and previous tab of a flow"],
    ["l  b  d", "slider, blink, difference; again: side by side. In the slider, ← and → move it; while blinking, Space turns"],
    ["n  p", "next and previous change of a snapshot"], ["/", "search: words in names, files, messages, tags"],
    ["Esc", "leave the search, the flow"], ["?", "this help"],
  ];
  const dialog = el("dialog", { class: "help-box", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", {}, keys.map(([key, words]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)))),
    el("p", {}, "The address holds what you look at, with filters: send it with the folder. Cost is shown as round trips / screen dumps."),
    el("form", { method: "dialog" }, el("button", {}, "Close")));
  dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); dialog.close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Shows what the address says, once for each. */
function follow() {
  if (location.hash === followed) return;
  followed = location.hash;
  const before = state;
  state = readState();
  if (["status", "on", "tag", "q"].some((key) => before[key] !== state[key])) {
    drawHead();
    drawList();
  }
  markCurrent();
  draw(before);
}

addEventListener("hashchange", follow);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("input, select, textarea"));
  if (event.key === "Escape") {
    if (typing) typing.blur();
    else if (state.flow) location.hash = overviewHash();
  } else if (typing) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search").focus();
  } else if (event.key === "?") showHelp();
  else if (document.getElementById("differences")?.hidden === false && comparing?.key(event.key)) return;
  else if (event.key === "t") nextTab(1);
  else if (event.key === "T") nextTab(-1);
  else if (event.key === "j") nextFailure(1);
  else if (event.key === "k") nextFailure(-1);
});

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

drawHead();
drawList();
markCurrent();
draw();
