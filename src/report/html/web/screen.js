// A screen: its picture and its rows beside each other; a row lights its box, the picture lights its row.

/** Rows of a TSV: its columns by name, and where each is on the screen. */
function readRows(text) {
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  const columns = (lines.shift() || "").split("\t");
  const at = columns.indexOf("bounds");
  const rows = lines.map((line) => {
    const cells = line.split("\t");
    const bounds = at >= 0 && /^-?\d+(,-?\d+){3}$/.test(cells[at]) ? cells[at].split(",").map(Number) : null;
    return { id: cells[0], cells, bounds };
  });
  return { columns, rows };
}

/** The rows as a table; columns in which nothing stands are left out. */
function rowTable(table, onHover) {
  const used = table.columns.map((_, column) =>
    table.rows.some((row) => row.cells[column] && row.cells[column] !== "-"));
  const visibleColumns = table.columns.map((name, index) => ({ name, index })).filter(({ index }) => used[index]);
  const lines = table.rows.map((row) => {
    const line = el("tr", { "data-row": row.id, onmouseenter: () => onHover(row.id), onmouseleave: () => onHover(null) },
      visibleColumns.map(({ name, index }) =>
        el("td", { class: "c-" + name }, row.cells[index] === "-" ? "" : row.cells[index])));
    return line;
  });
  return el("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Rows of the screen" },
    el("table", {}, el("thead", {}, el("tr", {}, visibleColumns.map(({ name }) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, lines)));
}

function lightRow(view, id, follow) {
  view.querySelector("tr.lit")?.classList.remove("lit");
  const line = id && [...view.querySelectorAll("tr[data-row]")].find((line) => line.dataset.row === id);
  if (!line) return;
  line.classList.add("lit");
  if (follow) {
    const box = view.querySelector(".rows");
    const top = line.offsetTop - box.clientHeight / 2;
    box.scrollTo({ top });
  }
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

/** The smallest row around a point. */
function rowAt(rows, x, y) {
  const area = ([l, t, r, b]) => (r - l) * (b - t);
  return rows
    .filter(({ bounds }) => bounds && x >= bounds[0] && x < bounds[2] && y >= bounds[1] && y < bounds[3])
    .sort((a, b) => area(a.bounds) - area(b.bounds))[0];
}

/** Picture and rows; either may be missing. `acted` is where a step acted. */
function screenView(picture, rowsFile, acted) {
  const table = rowsFile?.text ? readRows(rowsFile.text) : null;
  const view = el("div", { class: "screen" });
  if (picture?.href) {
    const size = picture.size || [1080, 2400];
    const frame = el("div", { class: "frame" },
      el("img", { src: picture.href, width: size[0], height: size[1], loading: "lazy", alt: "Screenshot " + picture.path }));
    if (acted) frame.append(boxOver(acted, size, "acted"));
    const light = (id, follow) => {
      frame.querySelector(".lit")?.remove();
      const row = table?.rows.find((row) => row.id === id);
      if (row?.bounds) frame.append(boxOver(row.bounds, size, "lit"));
      lightRow(view, id, follow);
    };
    if (table) {
      frame.addEventListener("mousemove", (event) => {
        const area = frame.getBoundingClientRect();
        const x = ((event.clientX - area.left) / area.width) * size[0];
        const y = ((event.clientY - area.top) / area.height) * size[1];
        light(rowAt(table.rows, x, y)?.id ?? null, true);
      });
      frame.addEventListener("mouseleave", () => light(null));
    }
    view.append(el("div", { class: "picture" }, frame,
      el("p", { class: "quiet" }, el("a", { href: picture.href, target: "_blank", rel: "noopener" }, "Full size"))));
    if (table) view.append(rowTable(table, (id) => light(id)));
  } else if (table) {
    view.append(rowTable(table, () => {}));
  }
  for (const file of [picture, rowsFile]) if (file?.missing) view.append(missing(file));
  return view;
}

function missing(file) {
  return el("p", { class: "missing" }, file.path + ": " + file.missing + ".");
}

/** Golden, actual and difference of a snapshot, with the rows that were seen. */
function snapshotView(result, files) {
  const of = (kind) => files.find((file) => file.kind === kind);
  const [golden, actual, difference, rowsFile] = ["golden", "screenshot", "difference", "tsv"].map(of);
  const table = rowsFile?.text ? readRows(rowsFile.text) : null;
  const view = el("div", { class: "snapshot-view" });
  const stage = el("div", { class: "stage" });
  const pictures = [golden, actual, difference].filter((file) => file?.href);
  if (pictures.length) {
    const size = [0, 1].map((side) => Math.max(...[golden, actual].map((file) => file?.size?.[side] || 0)));
    let comparing;
    const light = (id, follow) => {
      comparing?.light?.(id);
      lightRow(view, id, follow);
    };
    view.append(stage);
    if (table) {
      const rows = rowTable(table, (id) => light(id));
      view.append(el("details", { class: "more" }, el("summary", {}, "Rows that were seen (" + table.rows.length + ")"), rows));
    }
    // It measures its place, so it begins once it stands in the page.
    requestAnimationFrame(() => {
      comparing = window.Compare.mount(stage, {
        golden: golden?.href || null, actual: actual?.href || null, difference: difference?.href || null,
        width: size[0] || 1080, height: size[1] || 2400,
        boxes: (table?.rows || []).filter((row) => row.bounds).map((row) => ({
          id: row.id, side: "actual", bounds: row.bounds, label: row.cells.slice(1, 4).filter((cell) => cell && cell !== "-").join(" "),
        })),
        places: placesOf(result),
        mode: golden?.href ? "side" : "side",
        onHover: (id) => lightRow(view, id, true),
        onPick: () => {},
      });
    });
  }
  for (const file of files) if (file.missing) view.append(missing(file));
  return view;
}

/** Changed clusters, as the lines in words name them. */
function placesOf(result) {
  const places = [];
  for (const change of result.changes) {
    const found = /^(.*): (\d+) px at (-?\d+),(-?\d+),(-?\d+),(-?\d+)$/.exec(change);
    if (found) places.push({ bounds: found.slice(3, 7).map(Number), label: found[1] });
  }
  return places;
}
