// What waits: the list at the left. The server knows it; the page asks again once the folder changed.

// `key` is what is to be shown, `shown` what is; between the two lies a request, and `isDrawn` says that its pictures stand.
// `isOver`: what is shown was decided. `isOpen`: the queue was read once. `undoing`: decisions being taken back.
// `deciding` are those the server has not answered about yet, `mine` those decided here and not told as others' work.
const state = { key: null, queue: { groups: [], total: 0, version: "0" }, shown: null, view: null, mode: "side", lit: null, skipped: new Set(), decided: 0, isDrawn: false, isOver: false, isOpen: false, undoing: 0, whole: false, deciding: new Set(), mine: new Set() };

const items = () => state.queue.groups.flatMap((group) => group.items);
const groupOf = (key) => state.queue.groups.find((group) => group.items.some((item) => item.key === key));

function passes(group, item) {
  if (!isWanted(item)) return false;
  const words = $("words").value.trim().toLowerCase();
  return (!words || `${item.key} ${group.title}`.toLowerCase().includes(words)) && (!$("kind").value || item.kind === $("kind").value) && (!$("class").value || item.class === $("class").value);
}

/** Items that pass the filters, in their order. */
const listed = () => state.queue.groups.flatMap((group) => group.items.filter((item) => passes(group, item)));

/** What is listed, was not skipped, and is not being decided. */
const rest = () => listed().filter((item) => !state.skipped.has(item.key) && !state.deciding.has(item.key));

function drawQueue() {
  const left = rest().length;
  $("rest").hidden = !left;
  $("accept-rest").textContent = `Accept all ${left} left`;
  $("reject-rest").textContent = `Reject all ${left}`;
  const groups = [];
  for (const group of state.queue.groups) {
    const wanted = group.items.filter((item) => passes(group, item));
    if (!wanted.length) continue;
    const list = make("ul");
    for (const item of wanted) {
      const link = make("a", { href: `#${pathOf(item.key)}` }, thumbnail(item), make("span", { className: "what" }, item.name, " ",
        make("span", { className: "quiet" }, item.flow)), make("span", { className: "quiet side" }, severalClasses() ? item.class || "all devices" : ""));
      if (item.key === state.shown?.key) link.setAttribute("aria-current", "true");
      link.dataset.key = item.key;
      if (state.skipped.has(item.key)) {
        link.classList.add("skipped");
        link.lastChild.append(", skipped");
      }
      list.append(make("li", {}, link));
    }
    const title = make("span", { className: "cause", title: (group.changes || [group.title]).join("\n") }, group.title);
    const head = make("h2", {}, make("span", { className: `badge ${group.kind}` }, group.kind), title, make("span", { className: "quiet number" }, String(wanted.length)));
    groups.push(make("section", { className: "group" }, head, list));
  }
  $("groups").replaceChildren(...groups);
  if (!groups.length) $("groups").append(make("p", { className: "quiet" }, state.queue.total ? "Nothing passes the filters." : "Nothing waits."));
  $("progress").textContent = `${state.queue.total} waiting${state.decided ? `, ${state.decided} decided` : ""}`;
  Object.assign($("bar"), { max: Math.max(1, state.queue.total + state.decided), value: state.decided, hidden: !state.decided });
  if (state.isDrawn) loadThumbnails();
  counted();
  document.title = state.queue.total ? `${state.queue.total} waiting · ${PAGE}` : PAGE;
}

/** A small picture of what was seen; where there is none the place stays empty. */
function thumbnail(item) {
  const picture = make("img", { className: "thumb", alt: "", loading: "lazy", fetchPriority: "low", onerror: () => picture.classList.add("none") });
  picture.dataset.src = thumbnailOf(item);
  return picture;
}

/** The small pictures come after those of the case, which somebody waits for. */
function loadThumbnails() {
  for (const picture of /** @type {NodeListOf<HTMLImageElement>} */ ($("groups").querySelectorAll("img[data-src]"))) {
    picture.src = picture.dataset.src;
    delete picture.dataset.src;
  }
}

/** Whether what waits is of several render classes: else its name tells nothing. */
const severalClasses = () => new Set(items().map((item) => item.class).filter(Boolean)).size > 1;

/** A key; with its render class only where there are several. */
const keyWords = (key) => (severalClasses() ? key : key.replace(/~[^/]*$/, ""));

function drawFilters() {
  for (const [id, name, all] of [["kind", "kind", "All kinds"], ["class", "class", "All devices"]]) {
    const field = $(id);
    const kept = field.value;
    const values = [...new Set(items().map((item) => item[name]).filter(Boolean))].sort();
    field.replaceChildren(make("option", { value: "" }, all), ...values.map((value) => make("option", { value }, value)));
    field.value = values.includes(kept) ? kept : "";
    if (id === "class") field.hidden = values.length < 2;
  }
}

async function refresh() {
  const before = listed();
  state.queue = await ask("api/queue");
  state.isOpen = true;
  const here = new Set(items().map((item) => item.key));
  drawFilters();
  drawQueue();
  const shown = state.key;
  if (shown && !here.has(shown)) {
    if (!state.mine.has(shown)) tell(`${shown} was decided elsewhere, or passed.`);
    const at = before.findIndex((item) => item.key === shown);
    const next = [...before.slice(at + 1), ...before.slice(0, at)].find((item) => here.has(item.key) && !state.skipped.has(item.key));
    await show((next || listed()[0])?.key);
  } else {
    await show(shown || wanted() || listed()[0]?.key);
  }
  for (const key of [...state.mine]) if (!here.has(key)) state.mine.delete(key);
}

const wanted = () => {
  const key = keyOf(location.hash);
  return items().some((item) => item.key === key) ? key : null;
};

async function watch() {
  for (;;) {
    try {
      // A browser has few connections to one server: a page that nobody sees asks now and then, and does not wait.
      if (document.hidden) await Promise.race([new Promise((resolve) => setTimeout(resolve, 5000)), new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }))]);
      const { version, over } = await ask(`api/changes/${document.hidden ? 0 : state.queue.version}`);
      if (over) throw new Error("The server has ended.");
      if (version !== state.queue.version) await refresh();
    } catch (error) {
      tell(error.message, true);
      await new Promise((resolve) => setTimeout(resolve, 3000));
    }
  }
}
