// A screen: its picture and its rows beside each other; a row lights its box, the picture lights its row.

/**
 * Rows of a TSV: its columns, and where each row is on the screen; of changed rows what changed. A screen of several windows has a line before each,
 * which becomes a heading; the app's windows come first.
 */
function readRows(text) {
  let columns = [];
  /** @type {{ words?: string, rows: any[] }[]} */
  const windows = [{ rows: [] }];
  for (const line of text.split("\n")) {
    const window = /^--- (.*) ---$/.exec(line);
    if (window) windows.push({ words: window[1], rows: [] });
    else if (/^(change\t)?id\t/.test(line)) columns = line.split("\t");
    else if (columns.length && line) {
      const cells = line.split("\t");
      const bounds = cells[columns.indexOf("bounds")];
      const change = columns[0] === "change" ? cells[0] : undefined;
      const id = cells[columns.indexOf("id")];
      windows.at(-1).rows.push({ id: isGolden({ change }) ? "golden " + id : id, change, cells, bounds: /^-?\d+(,-?\d+){3}$/.test(bounds) ? bounds.split(",").map(Number) : null });
    }
  }
  const isApp = (/** @type {{ words?: string }} */ { words }) => words === undefined || words.includes("type:APPLICATION");
  windows.sort((a, b) => Number(isApp(b)) - Number(isApp(a)));
  return { columns, windows, rows: windows.flatMap(({ rows }) => rows) };
}

/** The rows as a table; columns in which nothing stands are left out. */
function rowTable(table, onHover) {
  const used = table.columns.map((name, index) => ({ name, index })).filter(({ index }) => table.rows.some((row) => stands(row.cells[index])));
  const titleOf = (words) => /title:(.*?) (?:activity|layer):/.exec(words)?.[1] || words;
  const lines = table.windows.map(({ words, rows }) => [
    words && el("tr", { class: "window" }, el("th", { colspan: used.length, title: words }, "window " + titleOf(words))),
    rows.map((row) => el("tr", { "data-row": row.id, onmouseenter: () => onHover(row.id), onmouseleave: () => onHover(null) },
      used.map(({ name, index }) => cell(name, stands(row.cells[index]) ? row.cells[index] : "")))),
  ]);
  return rowsBox("Rows of the screen", used, lines);
}

function lightRow(view, id, follow) {
  for (const line of view.querySelectorAll("tr[data-row]")) {
    const isIt = id !== null && line.dataset.row === id;
    line.classList.toggle("lit", isIt);
    if (isIt && follow) {
      const box = line.closest(".rows");
      box.scrollTo({ top: line.offsetTop - box.clientHeight / 2 });
    }
  }
}

/** The smallest row around a point. */
function rowAt(rows, x, y) {
  const area = ([l, t, r, b]) => (r - l) * (b - t);
  return rows
    .filter(({ bounds }) => bounds && x >= bounds[0] && x < bounds[2] && y >= bounds[1] && y < bounds[3])
    .sort((a, b) => area(a.bounds) - area(b.bounds))[0];
}

/** Picture and rows; either may be missing. `acted` is where a step acted, `near` where the nearest matches are. */
function screenView(picture, rowsFile, acted, near = []) {
  const table = rowsFile?.text ? readRows(rowsFile.text) : null;
  const view = el("div", { class: "screen" });
  if (picture?.href) {
    const size = picture.size || [1080, 2400];
    view.style.setProperty("--ratio", String(size[0] / size[1]));
    const frame = el("div", { class: "frame" },
      el("img", { src: picture.href, width: size[0], height: size[1], loading: "lazy", alt: "Screenshot " + picture.path }));
    if (acted) frame.append(boxOver(acted, size, "acted"));
    frame.append(...near.map((bounds) => boxOver(bounds, size, "near")));
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

/** The comparison that is shown. */
let comparing = null;

/** Golden, actual and difference of a snapshot; beside them `words` and the rows of both sides. */
function snapshotView(result, files, words) {
  const of = (kind) => files.find((file) => file.kind === kind);
  const [golden, actual, difference, rowsFile, changedFile] = ["golden", "screenshot", "difference", "tsv", "rows"].map(of);
  const table = rowsFile?.text ? readRows(rowsFile.text) : null;
  const changes = changedFile?.text ? readRows(changedFile.text) : null;
  const beside = el("div", { class: "beside", tabindex: "0", role: "region", "aria-label": "What changed" }, words);
  const view = el("div", { class: "snapshot-view" });
  if (golden?.href || actual?.href) {
    const stage = el("div", { class: "stage" });
    view.append(stage);
    const areas = result.areas || {};
    const sizes = [golden?.size || areas.golden, actual?.size || areas.actual].map(String);
    const isOneSize = !golden?.href || !actual?.href || sizes[0] === sizes[1];
    // It measures its place, so it begins once it stands in the page.
    requestAnimationFrame(() => {
      comparing = window.Compare.mount(stage, {
        golden: golden?.href || null, actual: actual?.href || null, difference: difference?.href || null,
        goldenSize: golden?.size || areas.golden, actualSize: actual?.size || areas.actual,
        missing: { golden: golden?.missing || "There is no golden yet.", actual: actual?.missing || "No picture was taken." },
        boxes: [
          ...boxes(table, "actual", () => true),
          ...boxes(changes, "golden", isGolden),
        ],
        places: (areas.places || []).map((place) => ({ bounds: boundsOf(place.bounds), label: visible(place.name || "a place in no element") })),
        masks: isOneSize ? (areas.masks || []).map((mask) => ({ bounds: boundsOf(mask) })) : [],
        moved: isOneSize ? (areas.moved || []).map((moved) => ({ ...moved, label: movedWords(moved) })) : [],
        mode: "side", start: "change",
        onHover: (id) => lightRow(view, id, true),
      });
    });
  }
  const light = (id) => {
    comparing?.light(id);
    lightRow(view, id);
  };
  if (changes) beside.append(el("details", { class: "more changed-rows", open: !golden?.href && !actual?.href }, el("summary", {}, "Rows that changed"), changedRows(changes, light)));
  if (table) {
    beside.append(el("details", { class: "more", open: !actual?.href && !changes }, el("summary", {}, "All rows (" + table.rows.length + ")"), rowTable(table, light)));
  }
  for (const file of files) if (file.missing) beside.append(missing(file));
  view.append(beside);
  return view;
}

/** Boxes of rows on one side. */
function boxes(table, side, which) {
  const from = table ? table.columns.indexOf("class") : 0;
  return (table?.rows || []).filter((row) => row.bounds && which(row)).map((row) =>
    ({ id: row.id, side, bounds: row.bounds, label: visible(row.cells.slice(from, from + 4).filter(stands).join(" ")) }));
}

/** Whether a line of changed rows is the golden's. */
const isGolden = ({ change }) => change === "before" || change === "removed";

/** What a line is, where it has its like on the other side. */
const SIDES = { before: "golden", after: "actual" };

/** The lines that changed; cells that are not as the other side has them are marked. */
function changedRows(table, onHover) {
  const used = table.columns.map((name, index) => ({ name, index }))
    .filter(({ name, index }) => name === "change" || table.rows.some((row) => row.change !== "same" && stands(row.cells[index])));
  const lines = table.rows.map((row, at) => {
    if (row.change === "same") return null;
    const other = { before: table.rows[at + 1], after: table.rows[at - 1] }[row.change];
    return el("tr", { class: row.change, "data-row": row.id, onmouseenter: () => onHover(row.id), onmouseleave: () => onHover(null) },
      used.map(({ name, index }) => {
        const text = name === "change" ? SIDES[row.change] ?? row.change : stands(row.cells[index]) ? row.cells[index] : "";
        const differs = other && name !== "change" && name !== "id" && other.cells[index] !== row.cells[index];
        const made = cell(name, text);
        if (differs && text) made.replaceChildren(el(row.change === "before" ? "del" : "ins", {}, ...made.childNodes));
        return made;
      }));
  });
  return rowsBox("Rows that changed", used, lines);
}

/** `3 rows below y=1400 moved by 0,+8`. */
function movedWords({ below, by, rows }) {
  const signed = (number) => (number > 0 ? "+" : "") + number;
  return (rows ? count(rows, "row") : "the picture") + " below y=" + below + " moved by " + by.map(signed).join(",");
}
