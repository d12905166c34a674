// The page of the review. The server knows what waits; the page asks again once the folder changed.
// What devices and flows say is put into the page as text, never as markup.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const state = { queue: { groups: [], total: 0, version: "0" }, shown: null, view: null, mode: "side", lit: null, skipped: new Set(), decided: 0, busy: false, mine: new Set() };

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter((child) => child != null));
    return element;
  }

  // ---- the server
  const pathOf = (key) => key.split("/").map(encodeURIComponent).join("/");

  async function ask(path, body) {
    const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw new Error("The server does not answer: `runner review --web` has ended. Start it again and open its address.");
    }
    const text = await response.text();
    let answer = null;
    try { answer = JSON.parse(text); } catch { /* told below */ }
    if (!response.ok || answer === null) throw Object.assign(new Error((answer && answer.error) || text.trim() || response.statusText), { status: response.status });
    return answer;
  }

  // ---- what is told
  let telling = 0;
  function tell(text, isBad = false) {
    clearTimeout(telling);
    $("toast").className = isBad ? "bad" : "";
    $("toast").textContent = text;
    telling = setTimeout(() => { $("toast").textContent = ""; }, isBad ? 15000 : 6000);
  }

  // ---- the queue
  const items = () => state.queue.groups.flatMap((group) => group.items);
  const groupOf = (key) => state.queue.groups.find((group) => group.items.some((item) => item.key === key));
  const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

  function passes(group, item) {
    const words = $("words").value.trim().toLowerCase();
    return (!words || `${item.key} ${group.title}`.toLowerCase().includes(words)) && (!$("kind").value || item.kind === $("kind").value) && (!$("class").value || item.class === $("class").value);
  }

  /** Items that pass the filters, in their order. */
  const listed = () => state.queue.groups.flatMap((group) => group.items.filter((item) => passes(group, item)));

  function drawQueue() {
    const groups = [];
    for (const group of state.queue.groups) {
      const wanted = group.items.filter((item) => passes(group, item));
      if (!wanted.length) continue;
      const list = make("ul");
      for (const item of wanted) {
        const link = make("a", { href: `#${pathOf(item.key)}` }, item.flow ? `${item.flow} / ${item.name}` : item.name, make("span", { className: "quiet" }, item.class || "all devices"));
        if (item.key === state.shown?.key) link.setAttribute("aria-current", "true");
        if (state.skipped.has(item.key)) link.classList.add("skipped");
        list.append(make("li", {}, link));
      }
      const title = make("span", { className: "cause", title: group.title }, group.title);
      const head = make("h2", {}, make("span", { className: `badge ${group.kind}` }, group.kind), title, make("span", { className: "quiet number" }, String(wanted.length)));
      groups.push(make("section", { className: "group" }, head, list));
    }
    $("groups").replaceChildren(...groups);
    if (!groups.length) $("groups").append(make("p", { className: "quiet" }, state.queue.total ? "Nothing passes the filters." : "Nothing waits."));
    $("progress").textContent = `${state.queue.total} waiting${state.decided ? `, ${state.decided} decided` : ""}`;
    document.title = state.queue.total ? `(${state.queue.total}) Review` : "Review";
  }

  function drawFilters() {
    for (const [id, name, all] of [["kind", "kind", "All kinds"], ["class", "class", "All devices"]]) {
      const field = $(id);
      const kept = field.value;
      const values = [...new Set(items().map((item) => item[name]).filter(Boolean))].sort();
      field.replaceChildren(make("option", { value: "" }, all), ...values.map((value) => make("option", { value }, value)));
      field.value = values.includes(kept) ? kept : "";
    }
  }

  async function refresh() {
    const before = listed();
    const shown = state.shown?.key;
    state.queue = await ask("api/queue");
    const here = new Set(items().map((item) => item.key));
    drawFilters();
    drawQueue();
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
    const key = decodeURIComponent(location.hash.slice(1));
    return items().some((item) => item.key === key) ? key : null;
  };

  async function watch() {
    for (;;) {
      try {
        const { version, over } = await ask(`api/changes/${state.queue.version}`);
        if (over) throw new Error("The server has ended.");
        if (version !== state.queue.version) await refresh();
      } catch (error) {
        tell(error.message, true);
        await new Promise((resolve) => setTimeout(resolve, 3000));
      }
    }
  }

  // ---- one case
  let asked = 0;
  async function show(key) {
    const turn = ++asked;
    if (!key) {
      state.shown = null;
      state.view?.destroy();
      state.view = null;
      $("case").hidden = true;
      $("empty").hidden = false;
      const words = state.queue.total ? ["Nothing passes the filters."] : state.decided ? ["Everything is reviewed.", "What a run brings next appears here."] : ["Nothing waits for review.", "What a run brings appears here."];
      $("empty").replaceChildren(...words.map((text, index) => make("p", { className: index ? "quiet" : "" }, text)));
      return;
    }
    let found;
    try {
      found = await ask(`api/case/${pathOf(key)}`);
    } catch (error) {
      // Gone meanwhile: the next look at the folder says so.
      if (error.status !== 404) tell(error.message, true);
      return;
    }
    if (turn !== asked) return;
    if (state.shown && state.shown.seen === found.seen) return drawCurrent();
    state.shown = found;
    if (decodeURIComponent(location.hash.slice(1)) !== key) history.replaceState(null, "", `#${pathOf(key)}`);
    drawCase();
    drawCurrent();
  }

  function drawCurrent() {
    for (const link of document.querySelectorAll(".group a")) {
      const here = decodeURIComponent(link.hash.slice(1)) === state.shown?.key;
      if (here) {
        link.setAttribute("aria-current", "true");
        const list = $("groups");
        if (list.scrollHeight > list.clientHeight) link.scrollIntoView({ block: "nearest" });
      } else link.removeAttribute("aria-current");
    }
  }

  function drawCase() {
    const found = state.shown;
    const group = groupOf(found.key);
    state.lit = null;
    $("empty").hidden = true;
    $("case").hidden = false;
    $("title").replaceChildren(make("span", { className: `badge ${found.kind}` }, found.kind), ` ${found.key}`);
    const about = [found.title !== found.kind ? found.title : null, found.place ? `${found.place.file}:${found.place.line}` : null];
    $("about").textContent = about.filter(Boolean).join(" · ");
    $("error").hidden = !found.error;
    $("error").textContent = found.error || "";
    const obsolete = found.kind === "obsolete";
    $("accept").textContent = obsolete ? "Accept: remove it" : "Accept";
    $("reject").textContent = obsolete ? "Reject: keep it" : "Reject";
    const others = group ? group.items.length : 1;
    $("of-group").hidden = others < 2;
    $("accept-group").textContent = `Accept all ${others}`;
    $("reject-group").textContent = `Reject all ${others}`;
    $("summary").textContent = [found.pixels, ...found.moved.map((moved) => moved.label)].filter(Boolean).join("; ");
    drawRows();

    const side = (name) => (found.pictures[name] ? `api/picture/${name}/${pathOf(found.key)}?${found.pictures[name].tag}` : null);
    state.view?.destroy();
    state.view = Compare.mount($("pictures"), {
      golden: side("golden"), actual: side("actual"), difference: side("difference"),
      goldenSize: found.pictures.golden?.size, actualSize: found.pictures.actual?.size,
      missing: { golden: "There is no golden yet.", actual: obsolete ? "No flow takes this snapshot any more." : "No picture.", difference: "Nothing to compare." },
      boxes: found.rows.flatMap((row, index) => ["golden", "actual"].filter((name) => row[name]?.bounds).map((name) => ({ id: index, side: name, bounds: row[name].bounds, label: row[name].name }))),
      places: found.places, masks: found.masks.map((bounds) => ({ bounds })), moved: found.moved,
      mode: state.mode, text: true,
      onHover: (index) => light(index, "picture"),
      onPick: ({ id }) => pick(id),
      onMode: (mode) => { state.mode = mode; },
    });
  }

  function changesOf(row) {
    if (row.same) return "same";
    return !row.golden ? "added" : !row.actual ? "removed" : "changed";
  }

  /** A cell with what was and what is. */
  function cell(row, name) {
    const [before, after] = [row.golden?.[name], row.actual?.[name]];
    if (!row.golden || !row.actual || before === after) return make("td", {}, after ?? before ?? "");
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
      const numbers = [row.golden?.number, row.actual?.number];
      const number = numbers[0] === numbers[1] ? `${numbers[0]}` : numbers.map((each) => each ?? "–").join("→");
      const what = make("td", {}, kind === "same" ? "" : kind);
      for (const change of row.changes) what.append(make("span", { className: "what" }, change));
      const mask = make("td");
      if (row.actual && !row.actual.masked && found.kind !== "obsolete") {
        const button = make("button", { type: "button", className: "small" }, "Mask");
        button.setAttribute("aria-label", `Mask ${name}`);
        button.addEventListener("click", () => maskRow(index));
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

  // ---- deciding
  async function decide(what, keys, seen) {
    if (state.busy || !keys.length) return;
    state.busy = true;
    const focused = document.activeElement;
    try {
      const answer = await ask(`api/${what}`, seen ? { keys, seen } : { keys });
      answer.keys.forEach((key) => state.mine.add(key));
      state.decided += answer.keys.length;
      const done = what === "accept" ? "accepted" : "rejected";
      if (answer.refused.length) tell(answer.refused.map(({ key, why }) => (why.includes(key) ? why : `${key}: ${why}`)).join(" "), true);
      else tell(`${keys.length === 1 ? keys[0] : count(keys.length, "snapshot")} ${done}. u takes it back.`);
    } catch (error) {
      tell(error.message, true);
    }
    state.busy = false;
    await refreshed();
    if (focused && focused.isConnected && focused !== document.body && !focused.closest("[hidden]")) focused.focus();
    else $("main").focus();
  }

  async function refreshed() {
    try {
      await refresh();
    } catch (error) {
      tell(error.message, true);
    }
  }

  const group = () => (state.shown && groupOf(state.shown.key)?.items.map((item) => item.key)) || [];

  async function undo() {
    try {
      const { keys } = await ask("api/undo", {});
      state.decided = Math.max(0, state.decided - keys.length);
      keys.forEach((key) => state.mine.delete(key));
      tell(keys.length ? `${keys.join(", ")} ${keys.length === 1 ? "waits" : "wait"} again.` : "There is nothing to take back.");
      await refresh();
      if (keys.length) await show(keys[0]);
    } catch (error) {
      tell(error.message, true);
    }
  }

  async function maskRow(index) {
    const row = state.shown?.rows[index];
    if (!row?.actual) return tell("Light a row of what was seen first, then mask it.", true);
    try {
      const { place, mask } = await ask("api/mask", { key: state.shown.key, row: row.actual.number });
      tell(`Wrote ${mask} at ${place.file}:${place.line}. Run the flow again.`);
    } catch (error) {
      tell(error.message, true);
    }
  }

  function skip(keys) {
    keys.forEach((key) => state.skipped.add(key));
    drawQueue();
    move(1, (item) => !keys.includes(item.key));
  }

  /** The next snapshot of those listed, or the one before. */
  function move(by, may = () => true) {
    const all = listed();
    const at = all.findIndex((item) => item.key === state.shown?.key);
    const turned = by > 0 ? [...all.slice(at + 1), ...all.slice(0, at + 1)] : [...all.slice(0, Math.max(at, 0)).reverse(), ...all.slice(at).reverse()];
    const next = turned.find(may);
    if (next) show(next.key);
  }

  const nextGroup = () => {
    const here = group();
    move(1, (item) => !here.includes(item.key));
  };

  function nextMode() {
    const modes = Object.keys(Compare.modes);
    for (let by = 1; by <= modes.length; by += 1) {
      const name = modes[(modes.indexOf(state.mode) + by) % modes.length];
      if (state.view?.mode(name) === name) return;
    }
  }

  const shownKey = () => (state.shown ? [state.shown.key] : []);
  const acts = {
    a: () => decide("accept", shownKey(), state.shown?.seen), r: () => decide("reject", shownKey(), state.shown?.seen), s: () => skip(shownKey()),
    A: () => decide("accept", group()), R: () => decide("reject", group()), S: () => skip(group()),
    u: undo, v: nextMode, g: nextGroup, m: () => maskRow(state.lit), j: () => move(1), k: () => move(-1),
    n: () => state.view?.step(1), p: () => state.view?.step(-1), "?": () => $("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]):not([type=range]), select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || $("keys").open) return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
  for (const [id, key] of Object.entries({ accept: "a", reject: "r", "skip-case": "s", "accept-group": "A", "reject-group": "R", undo: "u", help: "?" })) {
    $(id).addEventListener("click", () => acts[key]());
  }
  for (const id of ["words", "kind", "class"]) {
    $(id).addEventListener("input", () => {
      drawQueue();
      if (!listed().some((item) => item.key === state.shown?.key)) show(listed()[0]?.key);
    });
  }
  $("all-rows").addEventListener("change", drawRows);
  $("skip").addEventListener("click", (event) => {
    event.preventDefault();
    $("main").focus();
  });
  const row = (event) => event.target.closest("tr[data-row]");
  $("rows").addEventListener("mouseover", (event) => row(event) && light(Number(row(event).dataset.row)));
  $("rows").addEventListener("mouseleave", () => light(null));
  $("rows").addEventListener("focusin", (event) => row(event) && light(Number(row(event).dataset.row), "focus"));
  window.addEventListener("hashchange", () => {
    const key = wanted();
    if (key && key !== state.shown?.key) show(key);
  });

  refreshed().then(watch);
})();
