// Lists that are drawn again and again: what did not change stays as it is, with the focus and its pictures.

/** What an item was drawn from, by the item: its key, and all else as JSON. */
const drawnFrom = new WeakMap();

const controlsOf = (item) => [.../** @type {NodeListOf<HTMLElement>} */ (item.querySelectorAll("button, input, a"))];

/**
 * Draws a list of `[key, from, draw]`. An item of the same key that was drawn from the same stays. Where one with the focus is
 * drawn anew, the control at the same place in it gets the focus.
 */
function drawList(list, wanted) {
  const known = new Map([...list.children].map((item) => [drawnFrom.get(item)?.key, item]));
  const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
  const holder = focused && [...list.children].find((item) => item.contains(focused));
  const items = wanted.map(([key, from, draw]) => {
    const shape = JSON.stringify(from);
    const old = known.get(key);
    if (old && drawnFrom.get(old).shape === shape) return old;
    const item = draw();
    drawnFrom.set(item, { key, shape });
    return item;
  });
  const place = holder ? controlsOf(holder).indexOf(focused) : -1;
  const stay = new Set(items);
  for (const item of [...list.children]) if (!stay.has(item)) item.remove();
  let next = list.firstElementChild;
  for (const item of items) {
    // What stands where it belongs is not moved: that would take the focus from it.
    if (item === next) next = next.nextElementSibling;
    else list.insertBefore(item, next);
  }
  if (!focused || focused.isConnected) return;
  const same = items.find((item) => drawnFrom.get(item).key === drawnFrom.get(holder)?.key);
  if (same) controlsOf(same)[place]?.focus({ preventScroll: true });
}
