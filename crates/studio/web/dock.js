// The panel below the flow: three groups of panels, its height, and, on a narrow page, which part is seen.

const NARROW = matchMedia("(max-width: 999px)");
/** Neither the panel nor the flow above it is lower, in pixels. */
const LOWEST = 110;
/** One press of an arrow moves the panel's edge so far. */
const NUDGE = 24;

const dock = {
  /** The part that a narrow page shows: the screen, the elements, the flow, or a group. */
  pane: "screen",
  group: "run",
  /** The panel of each group that is shown with it. */
  chosen: { run: "steps-panel", goldens: "goldens-panel", device: "apps-panel" },
  isFolded: false,
  height: Math.round(innerHeight * 0.4),
};

const dockPanels = () => [.../** @type {NodeListOf<HTMLElement>} */ ($("panels").querySelectorAll("[data-tab]"))];
const tabOf = (panel) => $(`${panel.id}-tab`);
const groupTabs = () => [.../** @type {NodeListOf<HTMLElement>} */ ($("groups").querySelectorAll("[role=tab]"))];

/** Shows what is chosen. A panel that nobody sees is hidden, and one that comes is told. */
function drawDock() {
  document.body.dataset.pane = dock.pane;
  document.body.classList.toggle("is-folded", dock.isFolded && !NARROW.matches);
  document.documentElement.style.setProperty("--dock", `${dock.height}px`);
  const isOpen = NARROW.matches ? dock.pane === dock.group : !dock.isFolded;
  for (const tab of groupTabs()) select(tab, tab.dataset.pane === (NARROW.matches ? dock.pane : dock.group));
  const came = [];
  for (const panel of dockPanels()) {
    const isChosen = panel.id === dock.chosen[dock.group];
    tabOf(panel).hidden = panel.dataset.group !== dock.group;
    select(tabOf(panel), isChosen);
    if (isChosen && isOpen && panel.hidden) came.push(panel);
    panel.hidden = !isChosen || !isOpen;
  }
  $("fold").setAttribute("aria-expanded", String(!dock.isFolded));
  for (const [name, value] of Object.entries({ now: dock.height, min: LOWEST, max: highest() })) $("grip").setAttribute(`aria-value${name}`, String(value));
  for (const panel of came) panel.dispatchEvent(new Event("shown"));
}

function select(tab, is) {
  tab.setAttribute("aria-selected", String(is));
  tab.tabIndex = is ? 0 : -1;
}

/** Shows one panel. */
function showPanel(id) {
  const { group } = $(id).dataset;
  dock.chosen[group] = id;
  showPane(group);
}

/** Shows a group, or another part of a narrow page. */
function showPane(name) {
  dock.pane = name;
  if (name in dock.chosen) Object.assign(dock, { group: name, isFolded: false });
  drawDock();
}

/** What stands behind the name of a panel; where somebody is to do something, behind that of its group too. */
function counter(id, many, isWanted = false) {
  const show = (tab, text, isBad) => {
    const badge = tab.querySelector(".count");
    badge.textContent = text || "";
    badge.classList.toggle("bad", isBad);
  };
  const panel = $(id);
  show(tabOf(panel), many, isWanted);
  panel.dataset.wanted = (isWanted && many) || "";
  const wanted = dockPanels().filter(({ dataset }) => dataset.group === panel.dataset.group && dataset.wanted).map(({ dataset }) => dataset.wanted);
  const word = wanted.find((one) => Number.isNaN(Number(one)));
  show($("groups").querySelector(`[data-pane=${panel.dataset.group}]`), word || wanted.reduce((sum, one) => sum + Number(one), 0), true);
}

for (const panel of dockPanels()) {
  const tab = make("button", { type: "button", id: `${panel.id}-tab`, role: "tab" }, panel.dataset.tab, make("span", { className: "count" }));
  tab.setAttribute("aria-controls", panel.id);
  tab.addEventListener("click", () => showPanel(panel.id));
  panel.setAttribute("role", "tabpanel");
  $("tabs").append(tab);
}
for (const tab of groupTabs()) {
  tab.append(make("span", { className: "count" }));
  tab.addEventListener("click", () => showPane(tab.dataset.pane));
}
for (const list of [$("groups"), $("tabs")]) {
  list.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    // Not all are there always: a saved run has few.
    const tabs = [...list.querySelectorAll("[role=tab]")].filter((tab) => tab.checkVisibility());
    const next = tabs[(tabs.indexOf(event.target) + way + tabs.length) % tabs.length];
    next.click();
    next.focus();
  });
}

// Its height is kept for this browser, whatever port the next studio has: so it is a cookie.
const highest = () => Math.max(LOWEST, $("dock").parentElement.clientHeight - LOWEST - 60);
function setDock(changes) {
  Object.assign(dock, changes);
  dock.height = Math.round(Math.max(LOWEST, Math.min(highest(), dock.height)));
  document.cookie = `studio_panel=${dock.height}${dock.isFolded ? "-folded" : ""}; path=/; max-age=31536000; samesite=strict`;
  drawDock();
}
const kept = /(?:^|; )studio_panel=(\d+)(-folded)?/.exec(document.cookie);
if (kept) Object.assign(dock, { height: Number(kept[1]), isFolded: Boolean(kept[2]) });

$("grip").addEventListener("pointerdown", (event) => {
  event.preventDefault();
  $("grip").setPointerCapture(event.pointerId);
  $("grip").onpointermove = ({ clientY }) => setDock({ height: innerHeight - clientY });
});
$("grip").addEventListener("lostpointercapture", () => { $("grip").onpointermove = null; });
$("grip").addEventListener("keydown", (event) => {
  const height = { ArrowUp: dock.height + NUDGE, ArrowDown: dock.height - NUDGE, Home: LOWEST, End: highest() }[event.key];
  if (height !== undefined) setDock({ height });
  else if (event.key === "Enter") fold();
  else return;
  event.preventDefault();
});
function fold() {
  setDock({ isFolded: !dock.isFolded });
  if (document.activeElement === $("grip")) $("fold").focus();
}
$("fold").addEventListener("click", fold);
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "j" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  fold();
});
NARROW.addEventListener("change", drawDock);
drawDock();
