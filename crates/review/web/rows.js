// The rows of a case, a card each. A row lights its boxes, a box its row.

function changesOf(row) {
  if (row.same) return "same";
  return !row.golden ? "added" : !row.actual ? "removed" : "changed";
}

const SIGNS = { added: "+", removed: "−", changed: "~", same: "=" };

/** What a row says beside its name, and how it is called. */
const CELLS = { text: "text", desc: "description", hint: "hint" };

/** Words as the comparison tells them apart: pairs of what was and what is. */
function marked(pairs) {
  const mark = (kind, text) => (text ? [make(kind, {}, text)] : []);
  return pairs.flatMap(([old, now]) => (old === now ? [now] : [...mark("del", old), ...mark("ins", now)]));
}

/** The words of a row: of a changed one word by word what was and what is. */
function wordsOf(row, kind) {
  return Object.entries(CELLS).flatMap(([cell, name]) => {
    const [before, after] = [row.golden?.[cell] ?? "", row.actual?.[cell] ?? ""];
    if (kind !== "changed") return before || after ? [make("p", { className: "says" }, after || before)] : [];
    if (before === after) return [];
    return [make("p", { className: "says" }, make("span", { className: "field" }, name), ...marked(row.words[cell]))];
  });
}

/** `clickable` went, `checked` came. */
function flagsOf(row, kind) {
  if (kind !== "changed") return [];
  const of = (side) => new Set((side.flags || "").split(/[\s,]+/).filter(Boolean));
  const [before, after] = [of(row.golden), of(row.actual)];
  const gone = [...before].filter((flag) => !after.has(flag)).map((flag) => make("del", {}, flag));
  const come = [...after].filter((flag) => !before.has(flag)).map((flag) => make("ins", {}, flag));
  return gone.length + come.length ? [make("p", { className: "says" }, make("span", { className: "field" }, "state"), ...[...gone, ...come].flatMap((one, at) => (at ? [" ", one] : [one])))] : [];
}

/** Where a row went, in words: its numbers are told apart. */
function placeOf(row, kind) {
  const [a, b] = [row.golden?.bounds, row.actual?.bounds];
  if (kind !== "changed" || !a || !b || a.join() === b.join()) return [];
  const size = ([l, t, r, bottom]) => [r - l, bottom - t];
  const [[w, h], [wide, high]] = [size(a), size(b)];
  const way = (by, forth, back) => (by ? [`${by > 0 ? forth : back} ${Math.abs(by)}`] : []);
  const words = [
    ...way(b[1] - a[1], "down", "up"), ...way(b[0] - a[0], "right", "left"),
    ...way(wide - w, "wider by", "narrower by"), ...way(high - h, "higher by", "lower by"),
  ];
  return [make("p", { className: "says quiet" }, `${words.join(", ")} px`)];
}

/** What only an exact eye asks for. */
function numbersOf(row, kind) {
  const facts = [];
  const numbers = [...new Set([row.golden?.number, row.actual?.number].filter(Boolean))];
  facts.push(["row", numbers.join(" → ")]);
  for (const name of ["class", "id"]) {
    const [before, after] = [row.golden?.[name], row.actual?.[name]];
    if (before || after) facts.push([name, before && after && before !== after ? `${before} → ${after}` : after || before]);
  }
  const bounds = [row.golden?.bounds, row.actual?.bounds].filter(Boolean).map((one) => one.join(","));
  if (bounds.length) facts.push(["bounds", [...new Set(bounds)].join(" → ")]);
  const flags = (row.actual || row.golden).flags;
  if (flags) facts.push(["flags", flags]);
  const list = make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  return make("details", { className: "numbers" }, make("summary", {}, "Details"), list);
}

function card(row, index) {
  const kind = changesOf(row);
  const { name, window: isWindow, masked } = row.actual || row.golden;
  const head = make("div", { className: "row-head" }, make("span", { className: "sign", title: kind }, SIGNS[kind]), make("span", { className: "spoken" }, `${kind} `), make("b", { className: "mono" }, name));
  if (row.actual && !masked && !isWindow && row.maskable && state.shown.kind !== "obsolete") {
    const button = make("button", { type: "button", className: "small plain", title: MASK_TITLE }, "Mask");
    button.setAttribute("aria-label", `Mask ${name}`);
    button.addEventListener("click", () => about("Mask", () => maskRow(index)));
    head.append(button);
  }
  const one = make("li", { className: `row ${kind}`, tabIndex: 0 }, head, ...wordsOf(row, kind), ...flagsOf(row, kind), ...placeOf(row, kind));
  if (kind !== "same") one.append(numbersOf(row, kind));
  one.dataset.row = index;
  return one;
}

/** Whether words or states of a row changed, and not only its place. */
const says = (row) => ["text", "desc", "hint", "flags", "class"].some((cell) => row.golden?.[cell] !== row.actual?.[cell]);

function drawRows() {
  const found = state.shown;
  const noneChanged = found.rows.every((row) => row.same || !row.golden || !row.actual) && !(found.pictures.golden && found.pictures.actual);
  // Of what is new or obsolete no row changed: all are shown.
  const all = $("all-rows").checked || noneChanged;
  const shown = found.rows.map((row, index) => ({ row, index })).filter(({ row }) => all || !row.same);
  // What only moved follows from something else: it comes last, folded where it is not all.
  const [first, moved] = all ? [shown, []] : [shown.filter(({ row }) => says(row)), shown.filter(({ row }) => !says(row))];
  const list = (some) => {
    const cards = make("div", { className: "row-list" }, ...Parts.of(some.map(({ row, index }) => card(row, index))));
    cards.setAttribute("role", "list");
    return cards;
  };
  const parts = [];
  if (first.length) parts.push(list(first));
  if (moved.length) parts.push(make("details", { className: "moved-rows", open: !first.length && moved.length <= 12 }, make("summary", {}, `${count(moved.length, "row")} only moved or changed size`), list(moved)));
  if (!noneChanged && found.places.length) parts.push(placesOf(found.places));
  if (!shown.length && !found.places.length) parts.push(make("p", { className: "quiet" }, found.rows.length ? "No row changed." : "There are no rows."));
  $("rows").replaceChildren(...parts);
  $("rows-title").textContent = noneChanged ? "Rows" : "What changed";
}

/** So many changed places of the picture are named. */
const PLACES = 12;

/** The changed places of the picture, each to be gone to. */
function placesOf(places) {
  const list = make("ol", { className: "places" });
  places.slice(0, PLACES).forEach(({ name, pixels }, index) => {
    const button = make("button", { type: "button", className: "plain", title: `${pixels} px` }, name || "a place in no element");
    button.addEventListener("click", () => state.view?.focus(index));
    list.append(make("li", {}, button));
  });
  const more = places.length > PLACES ? make("p", { className: "quiet" }, `and ${places.length - PLACES} more`) : null;
  return make("section", { className: "in-picture" }, make("h4", {}, "In the picture"), list, more);
}

const rowOf = (index) => $("rows").querySelector(`li[data-row="${index}"]`);

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
  const folded = rowOf(index)?.closest("details");
  if (folded) folded.open = true;
  rowOf(index)?.focus();
}
