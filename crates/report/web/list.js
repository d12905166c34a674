// The header with its filters, and the list of flows: failures first.

function drawHead() {
  const head = document.getElementById("head");
  const statuses = chosenStatuses();
  const chips = ORDER.map((status) => {
    const number = items.filter((item) => item.status === status).length;
    if (!number) return null;
    const pressed = statuses.includes(status);
    return el("button", {
      type: "button", class: "chip " + status, "aria-pressed": String(pressed), "data-status": status,
      onclick: () => {
        const next = pressed ? statuses.filter((other) => other !== status) : [...statuses, status];
        setFilter({ status: next.join(",") });
        focusOn('[data-status="' + status + '"]');
      },
    }, el("span", { class: "sign " + status, "aria-hidden": "true" }, STATUS[status][1]), number + " " + STATUS[status][0]);
  });
  const tags = [...new Set(items.flatMap((item) => item.tags || []))].sort();
  const labels = summary.devices.map((device) => device.label);
  const search = document.getElementById("search") || el("input", {
    id: "search", type: "search", placeholder: "Search  /", "aria-label": "Search flows", autocomplete: "off",
    oninput: (event) => setFilter({ q: event.target.value }),
  });
  if (document.activeElement !== search) search.value = state.q || "";
  const line = [
    el("a", { class: "home", href: overviewHash(), title: "Overview" }, el("h1", {}, projectName() || "Test report")),
    el("div", { class: "chips", role: "group", "aria-label": "Status" }, chips),
    labels.length > 1 && choice("on", "Device", "All devices", labels),
    tags.length > 0 && choice("tag", "Tag", "All tags", tags),
    search,
    el("button", { type: "button", class: "help", "aria-label": "Keys and help", onclick: showHelp }, "?"),
  ].filter(Boolean);
  // The search field stays in place, or it would lose its cursor.
  if (search.parentElement === head) {
    while (head.firstChild !== search) head.firstChild.remove();
    while (search.nextSibling) search.nextSibling.remove();
    const at = line.indexOf(search);
    search.before(...line.slice(0, at));
    search.after(...line.slice(at + 1));
  } else {
    head.replaceChildren(...line);
  }
}

function choice(key, label, all, values) {
  const select = el("select", { "aria-label": label, "data-filter": key, onchange: () => {
    setFilter({ [key]: select.value });
    focusOn('[data-filter="' + key + '"]');
  } },
    el("option", { value: "" }, all), values.map((value) => el("option", { value, selected: state[key] === value }, value)));
  return select;
}

function drawList() {
  const nav = document.getElementById("flows");
  const list = shown();
  const current = chosen();
  const groups = ORDER.map((status) => /** @type {[string, any[]]} */ ([status, list.filter((item) => item.status === status)]));
  const parts = groups.filter(([, members]) => members.length).map(([status, members]) =>
    el("section", { class: "group", "aria-label": STATUS[status][0] },
      el("h2", {}, STATUS[status][0], el("span", { class: "number" }, members.length)),
      el("div", { role: "list" }, Parts.of(members.map((item) => row(item, item === current))))));
  const scroll = nav.scrollTop;
  nav.replaceChildren(...(parts.length ? parts : [el("p", { class: "quiet" }, "No flow fits these filters. ",
    el("button", { type: "button", onclick: () => setFilter({ status: "", on: "", tag: "", q: "" }) }, "Show all"))]));
  nav.scrollTop = scroll;
  say(count(list.length, "flow") + " of " + items.length);
}

function row(item, isCurrent) {
  const several = summary.devices.length > 1;
  return el("li", {},
    el("a", { href: hashOfItem(item), "aria-current": isCurrent ? "page" : undefined },
      sign(item.status),
      el("span", { class: "what" },
        el("span", { class: "name", title: item.title }, item.title),
        el("span", { class: "path" }, item.name ? item.flow : "", several && item.label ? " · " + item.label : "")),
      el("span", { class: "time" }, item.spans.length ? duration(item.ms) : "",
        item.spans.length > 1 && el("span", { class: "tries" }, "×" + item.spans.length)),
      BAD.includes(item.status) && item.picture && el("img", { class: "thumb", src: item.picture, alt: "", loading: "lazy", decoding: "async" })));
}

/** Marks the chosen row without drawing the list anew. */
function markCurrent() {
  const nav = document.getElementById("flows");
  nav.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = chosen();
  if (!item) return;
  const href = hashOfItem(item);
  const link = [...nav.querySelectorAll("a")].find((link) => link.getAttribute("href") === href);
  link?.setAttribute("aria-current", "page");
  link?.scrollIntoView({ block: "nearest" });
}
