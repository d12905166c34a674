// What opens above the page: menus, completions, hints. All of it is in view, wherever it was asked for.

/** Space between such a thing and the window's edge. */
const EDGE = 8;

/** Puts an element beside a line of the window: below it, or above where there is more room. */
function placeAt(element, x, top, bottom) {
  element.style.maxHeight = "";
  const [below, above] = [innerHeight - bottom - EDGE, top - EDGE];
  const isBelow = element.offsetHeight <= below || below >= above;
  element.style.maxHeight = `${Math.min(320, isBelow ? below : above)}px`;
  element.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - element.offsetWidth - EDGE))}px`;
  element.style.top = `${isBelow ? bottom : top - element.offsetHeight}px`;
}

/** Makes a menu one that its button opens, with keys as menus have them. `fill` brings what it holds. */
function opensMenu(button, menu, fill = () => {}) {
  const items = () => [.../** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("button:not(:disabled)"))];
  const show = () => {
    const { right, top, bottom } = button.getBoundingClientRect();
    placeAt(menu, right - menu.offsetWidth, top - 4, bottom + 4);
    if (!menu.contains(document.activeElement)) items()[0]?.focus();
  };
  menu.addEventListener("toggle", async (event) => {
    const isOpen = event.newState === "open";
    button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    show();
    await fill();
    if (menu.matches(":popover-open")) show();
  });
  menu.addEventListener("click", (event) => {
    if (event.target.closest("button")) menu.hidePopover();
  });
  menu.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") menu.hidePopover();
    if (to === undefined || !all.length) return;
    event.preventDefault();
    all.at(to % all.length).focus();
  });
}
