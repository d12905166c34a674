// The dock below the page: one panel at a time, each named by its `data-tab`.

function dockPanels() {
  return [.../** @type {NodeListOf<HTMLElement>} */ ($("dock").querySelectorAll("[data-tab]"))];
}

/** Shows one panel, and says so to it. */
function showPanel(id) {
  for (const panel of dockPanels()) {
    const chosen = panel.id === id;
    const tab = $(`${panel.id}-tab`);
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    panel.hidden = !chosen;
    if (chosen) panel.dispatchEvent(new Event("shown"));
  }
}

for (const panel of dockPanels()) {
  const tab = make("button", { type: "button", id: `${panel.id}-tab`, textContent: panel.dataset.tab, role: "tab" });
  tab.setAttribute("aria-controls", panel.id);
  tab.addEventListener("click", () => showPanel(panel.id));
  panel.setAttribute("role", "tabpanel");
  $("tabs").append(tab);
}
$("tabs").addEventListener("keydown", (event) => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  // A saved run shows one of the tabs only.
  const panels = dockPanels().filter((panel) => $(`${panel.id}-tab`).checkVisibility());
  const next = panels[(panels.findIndex((panel) => !panel.hidden) + way + panels.length) % panels.length];
  showPanel(next.id);
  $(`${next.id}-tab`).focus();
});
// The picture is seen whole above whatever panel is open.
new ResizeObserver(() => document.documentElement.style.setProperty("--dock", `${$("dock").offsetHeight}px`)).observe($("dock"));
showPanel(dockPanels()[0].id);
