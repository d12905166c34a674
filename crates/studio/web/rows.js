// The elements of the screen as a list.

let current = null;

/** What an element is called. */
const nameOf = (row) => row.text || row.desc || row.hint || row.id || row.class || "element";

/** The app's windows come first, and the bars of the system last. */
const rankOf = ({ focused, kind }) => (focused ? 0 : { APPLICATION: 1, SYSTEM: 3 }[kind] ?? 2);

const listed = () => {
  const words = $("filter").value.trim().toLowerCase();
  const window = $("window").value;
  const ranks = state.look ? state.look.windows.map(rankOf) : [];
  const rows = state.look ? [...state.look.rows].sort((a, b) => ranks[a.w] - ranks[b.w]) : [];
  return rows.filter((row) => (window === "" || String(row.w) === window)
    && (!words || [row.text, row.desc, row.hint, row.id, row.class].some((part) => part.toLowerCase().includes(words))));
};

function drawWindows() {
  const chosen = $("window").value;
  const windows = state.look ? state.look.windows : [];
  const options = windows.map((it, place) => make("option", { value: String(place), textContent: `${it.title === "unknown" ? it.package || it.kind : it.title}${it.focused ? " (focus)" : ""}` }));
  $("window").replaceChildren(make("option", { value: "", textContent: "All windows" }), ...options);
  if (windows[Number(chosen)] && chosen !== "") $("window").value = chosen;
}

function drawRows() {
  drawWindows();
  const rows = listed();
  const depths = [...new Set(rows.map((row) => row.d))].sort((a, b) => a - b);
  const items = rows.map((row) => {
    const item = make("li", { id: `row-${row.n}`, className: `level-${Math.min(3, depths.indexOf(row.d))}` },
      make("b", { textContent: nameOf(row).slice(0, 160) }),
      make("span", { className: "quiet", textContent: [row.class, row.id && nameOf(row) !== row.id ? `#${row.id}` : "", row.states.filter((name) => name !== "clickable").join(" ")].filter(Boolean).join(" ") }));
    item.dataset.n = String(row.n);
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(row.n === state.picked?.n));
    return item;
  });
  $("rows").replaceChildren(...Parts.of(items));
  const more = state.look?.more ? `, ${state.look.more} more not listed` : "";
  $("row-count").textContent = state.look ? `${rows.length} of ${state.look.rows.length}${more}` : "";
  setCurrent(rows.some((row) => row.n === current) ? current : rows[0]?.n ?? null, false);
}

function setCurrent(number, isShown = true) {
  current = number;
  for (const item of $("rows").querySelectorAll("li.current")) item.classList.remove("current");
  const item = number === null ? null : $(`row-${number}`);
  if (!item) return $("rows").removeAttribute("aria-activedescendant");
  item.classList.add("current");
  $("rows").setAttribute("aria-activedescendant", item.id);
  if (isShown) {
    item.scrollIntoView({ block: "nearest" });
    light(number);
  }
}

const rowOf = (event) => {
  const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("li[data-n]"));
  return item && state.look?.rows.find((row) => row.n === Number(item.dataset.n));
};
$("rows").addEventListener("mouseover", (event) => light(rowOf(event)?.n ?? null));
$("rows").addEventListener("mouseleave", () => light(null));
$("rows").addEventListener("click", (event) => {
  const row = rowOf(event);
  if (row) choose(row, true);
});
$("rows").addEventListener("keydown", (event) => {
  const rows = listed();
  const at = rows.findIndex((row) => row.n === current);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + 10, PageUp: at - 10 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row) setCurrent(row.n);
  } else if ((event.key === "Enter" || event.key === " ") && rows[at]) {
    event.preventDefault();
    choose(rows[at], true);
  }
});
$("filter").addEventListener("input", drawRows);
$("window").addEventListener("change", drawRows);
