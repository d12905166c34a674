// Compares two pictures. Plain script, no module: a report is opened from disk.
//
// const view = Compare.mount(element, {
//   golden: URL | null, actual: URL | null, difference: URL | null,   // pictures
//   width, height,                                                    // of the larger one, in its pixels
//   boxes: [{ id, side: "golden" | "actual", bounds: [l, t, r, b], label }],
//   places: [{ bounds: [l, t, r, b], label }],                        // changed clusters, largest first
//   mode: "side" | "slider" | "blink" | "difference",
//   onHover(id | null), onPick(box, event),
// });
// view.mode(name); view.light(id | null); view.focus(placeIndex); view.destroy();
window.Compare = {
  mount(element) {
    return { mode() {}, light() {}, focus() {}, destroy() { element.replaceChildren(); } };
  },
};
