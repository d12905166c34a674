// The rows of a case. A row lights its boxes, a box its row.

function changesOf(row) {
  if (row.same) return "same";
  return !row.golden ? "added" : !row.actual ? "removed" : "changed";
}

/** A cell with what was and what is; of a text only the words that changed are marked. */
function cell(row, name) {
  const [before, after] = [row.golden?.[name], row.actual?.[name]];
  if (!row.golden || !row.actual || before === after) return make("td", {}, after ?? before ?? "");
  if (row.words[name]) {
    const mark = (kind, text) => (text ? make(kind, {}, text) : null);
    const parts = row.words[name].flatMap(([old, now]) => (old === now ? [now] : [mark("del", old), mark("ins", now)]));
    return make("td", {}, ...parts);
  }
  return make("td", {}, before ? make("del", {}, before) : null, before && after ? " " : null, after ? make("ins", {}, after) : null);
}

function drawRows() {
  const found = state.shown;
  // Of what is new or obsolete no row changed: all are shown.
  const all = $("all-rows").checked || found.rows.every((row) => row.same || !row.golden || !row.actual) && !(found.pictures.golden && found.pictures.actual);
  const body = make("tbody");
  found.rows.forEach((row, index) => {
    const kind = changesOf(row);
    if (kind === "same" && !all) return;
    const one = make("tr", { className: kind === "same" ? "" : kind, tabIndex: 0 });
    one.dataset.row = index;
    const name = (row.actual || row.golden).name;
    const numbers = new Set([row.golden?.number, row.actual?.number].filter(Boolean));
    const number = [...numbers].join("→");
    // The element stands beside it.
    const said = row.changes.map((change) => (change.startsWith(`${name}: `) ? change.slice(name.length + 2) : change));
    const changes = new Set(said.filter((change) => change !== kind));
    const what = make("td", {}, kind === "same" || kind === "changed" && changes.size ? "" : kind);
    for (const change of changes) what.append(make("span", { className: "what" }, change));
    const mask = make("td");
    if (row.actual && !row.actual.masked && !row.actual.window && row.maskable && found.kind !== "obsolete") {
      const button = make("button", { type: "button", className: "small" }, "Mask");
      button.setAttribute("aria-label", `Mask ${name}`);
      button.addEventListener("click", () => about("Mask", () => maskRow(index)));
      mask.append(button);
    }
    one.append(make("td", { className: "number" }, number), make("td", {}, name), cell(row, "text"), cell(row, "desc"), cell(row, "flags"), what, mask);
    body.append(one);
  });
  const head = make("thead", {}, make("tr", {}, ...["Row", "Element", "Text", "Description", "Flags", "Change"].map((text) => make("th", { scope: "col" }, text)), make("th", { scope: "col" }, make("span", { className: "spoken" }, "Mask"))));
  if (body.children.length) $("rows").replaceChildren(make("table", {}, head, body));
  else $("rows").replaceChildren(make("p", { className: "quiet" }, found.rows.length ? "No row changed." : "There are no rows."));
}

const rowOf = (index) => $("rows").querySelector(`tr[data-row="${index}"]`);

/** Lights a row and its boxes. */
function light(index, from) {
  if (state.lit !== null) rowOf(state.lit)?.classList.remove("lit");
  state.lit = index;
  if (index !== null) rowOf(index)?.classList.add("lit");
  if (from !== "picture") state.view?.light(index, from === "focus");
}

function pick(index) {
  if (!rowOf(index)) {
    $("all-rows").checked = true;
    drawRows();
  }
  light(index);
  rowOf(index)?.focus();
}
