// Rows as a table, and boxes over pictures.

/** Whether there is something in a cell. */
const stands = (cell) => cell && cell !== "-";

function rowsBox(label, columns, lines) {
  return el("div", { class: "rows", tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, el("tr", {}, columns.map(({ name }) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, lines)));
}

/** A cell; of a resource's name the part that tells, the whole to be pointed at. */
function cell(name, text) {
  const short = name === "res_id" ? text.replace(/^[\w.]+:id\//, "") : text;
  return el("td", { class: "c-" + name, title: short === text ? undefined : text }, short);
}

/** A box over a picture of `size`, in the picture's pixels. */
function boxOver(bounds, size, kind) {
  const [left, top, right, bottom] = bounds;
  const box = el("span", { class: "box " + kind });
  box.style.left = (100 * left) / size[0] + "%";
  box.style.top = (100 * top) / size[1] + "%";
  box.style.width = (100 * (right - left)) / size[0] + "%";
  box.style.height = (100 * (bottom - top)) / size[1] + "%";
  return box;
}

function boundsOf(bounds) {
  return Array.isArray(bounds) ? bounds : [bounds.left, bounds.top, bounds.right, bounds.bottom];
}
