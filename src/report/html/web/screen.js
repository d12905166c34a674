// A screen: its picture and its rows beside each other; a row lights its box, the picture lights its row.

/**
 * Rows of a TSV: its columns, and where each row is on the screen. A screen of several windows has a line before each,
 * which becomes a heading; the app's windows come first.
 */
function readRows(text) {
  let columns = [];
  const windows = [{ rows: [] }];
  for (const line of text.split("\n")) {
    const window = /^--- (.*) ---$/.exec(line);
    if (window) windows.push({ words: window[1], rows: [] });
    else if (line.startsWith("id\t")) columns = line.split("\t");
    else if (columns.length && line) {
      const cells = line.split("\t");
      const bounds = cells[columns.indexOf("bounds")];
      windows.at(-1).rows.push({ id: cells[0], cells, bounds: /^-?\d+(,-?\d+){3}$/.test(bounds) ? bounds.split(",").map(Number) : null });
    }
  }
  const isApp = ({ words }) => words === undefined || words.includes("type:APPLICATION");
  windows.sort((a, b) => isApp(b) - isApp(a));
  return { columns, windows, rows: windows.flatMap(({ rows }) => rows) };
}

/** The rows as a table; columns in which nothing stands are left out. */
function rowTable(table, onHover) {
  const stands = (cell) => cell && cell !== "-";
  const used = table.columns.map((name, index) => ({ name, index })).filter(({ index }) => table.rows.some((row) => stands(row.cells[index])));
  const titleOf = (words) => /title:(.*?) (?:activity|layer):/.exec(words)?.[1] || words;
  const lines = table.windows.map(({ words, rows }) => [
    words && el("tr", { class: "window" }, el("th", { colspan: used.length, title: words }, "window " + titleOf(words))),
    rows.map((row) => el("tr", { "data-row": row.id, onmouseenter: () => onHover(row.id), onmouseleave: () => onHover(null) },
      used.map(({ name, index }) => cell(name, stands(row.cells[index]) ? row.cells[index] : "")))),
  ]);
  return el("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Rows of the screen" },
    el("table", {}, el("thead", {}, el("tr", {}, used.map(({ name }) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, lines)));
}

/** A cell; of a resource's name the part that tells, the whole to be pointed at. */
function cell(name, text) {
  const short = name === "res_id" ? text.replace(/^[\w.]+:id\//, "") : text;
  return el("td", { class: "c-" + name, title: short === text ? undefined : text }, short);
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
  if (golden?.href || actual?.href) {
    const stage = el("div", { class: "stage" });
    let comparing;
    view.append(stage);
    if (table) {
      view.append(el("details", { class: "more" }, el("summary", {}, "Rows that were seen (" + table.rows.length + ")"),
        rowTable(table, (id) => {
          comparing?.light(id);
          lightRow(view, id);
        })));
    }
    const words = (row) => row.cells.slice(1, 5).filter((cell) => cell && cell !== "-").join(" ");
    // It measures its place, so it begins once it stands in the page.
    requestAnimationFrame(() => {
      comparing = window.Compare.mount(stage, {
        golden: golden?.href || null, actual: actual?.href || null, difference: difference?.href || null,
        goldenSize: golden?.size || null, actualSize: actual?.size || null,
        missing: { golden: golden?.missing || "There is no golden yet.", actual: actual?.missing || "No picture was taken." },
        boxes: (table?.rows || []).filter((row) => row.bounds).map((row) => ({ id: row.id, side: "actual", bounds: row.bounds, label: visible(words(row)) })),
        places: placesOf(result),
        mode: "side",
        onHover: (id) => lightRow(view, id, true),
      });
    });
  } else if (table) {
    view.append(rowTable(table, () => {}));
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
