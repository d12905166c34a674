// The page of the review. The server knows what waits; the page asks again once the folder changed.
// What devices and flows say is put into the page as text, never as markup.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  // `key` is what is to be shown, `shown` what is; between the two lies a request. `isOver`: what is shown was decided.
  // `deciding` are those the server has not answered about yet, `mine` those decided here and not told as others' work.
  const state = { key: null, queue: { groups: [], total: 0, version: "0" }, shown: null, view: null, mode: "side", lit: null, skipped: new Set(), decided: 0, isOver: false, whole: false, deciding: new Set(), mine: new Set() };

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter((child) => child != null));
    return element;
  }

  // ---- the server
  const pathOf = (key) => key.split("/").map(encodeURIComponent).join("/");

  /** The key in the address; what a person typed there may be anything. */
  function keyOf(hash) {
    try { return decodeURIComponent(hash.slice(1)); } catch { return ""; }
  }

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
  const few = (texts, most = 3) => (texts.length > most ? `${texts.slice(0, most).join(", ")}, and ${texts.length - most} more` : texts.join(", "));
  const items = () => state.queue.groups.flatMap((group) => group.items);
  const groupOf = (key) => state.queue.groups.find((group) => group.items.some((item) => item.key === key));
  const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

  function passes(group, item) {
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
        const link = make("a", { href: `#${pathOf(item.key)}` }, item.flow ? `${item.flow} / ${item.name}` : item.name, make("span", { className: "quiet" }, item.class || "all devices"));
        if (item.key === state.shown?.key) link.setAttribute("aria-current", "true");
        link.dataset.key = item.key;
        if (state.skipped.has(item.key)) {
          link.classList.add("skipped");
          link.lastChild.append(", skipped");
        }
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
    state.queue = await ask("api/queue");
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

  // ---- one case
  let asked = 0;
  async function show(key) {
    const turn = ++asked;
    state.key = key || null;
    drawBusy();
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
      if (error.status === 404) return;
      tell(error.message, true);
      if (turn === asked) state.key = state.shown?.key ?? null;
      drawBusy();
      return;
    }
    if (turn !== asked) return;
    const text = JSON.stringify(found);
    const isDrawn = state.shown && state.text === text;
    if (state.shown?.key !== key) state.whole = false;
    Object.assign(state, { shown: found, text, isOver: state.deciding.has(key) });
    drawBusy();
    if (keyOf(location.hash) !== key) history.replaceState(null, "", `#${pathOf(key)}`);
    if (!isDrawn) drawCase();
    drawCurrent();
  }

  function drawCurrent() {
    drawDeciding();
    for (const link of document.querySelectorAll(".group a")) {
      if (link.dataset.key === state.shown?.key) {
        link.setAttribute("aria-current", "true");
        const list = $("groups");
        if (list.scrollHeight > list.clientHeight) link.scrollIntoView({ block: "nearest" });
      } else link.removeAttribute("aria-current");
    }
  }

  /** Whether what a person sees is what waits: else no key and no button is about it, nor about one that nobody saw. */
  const isSettled = () => Boolean(state.shown) && !state.isOver && state.shown.key === state.key;
  const drawBusy = () => $("case").setAttribute("aria-busy", String(!isSettled()));

  /** What the buttons are about. */
  function drawDeciding() {
    const others = group().length;
    if (others < 2) state.whole = false;
    const obsolete = state.shown?.kind === "obsolete";
    const all = state.whole ? ` all ${others}` : "";
    $("accept").textContent = obsolete ? `Accept: remove ${all ? `all ${others}` : "it"}` : `Accept${all}`;
    $("reject").textContent = obsolete ? `Reject: keep ${all ? `all ${others}` : "it"}` : `Reject${all}`;
    $("skip-case").textContent = `Skip${all}`;
    $("whole").hidden = others < 2;
    $("whole").textContent = `Whole group (${others})`;
    $("whole").setAttribute("aria-pressed", String(state.whole));
  }

  function drawCase() {
    const found = state.shown;
    state.lit = null;
    $("empty").hidden = true;
    $("case").hidden = false;
    $("title").replaceChildren(make("span", { className: `badge ${found.kind}` }, found.kind), ` ${found.key}`);
    $("why").textContent = found.title;
    const place = found.place ? `${found.place.file}:${found.place.line}` : null;
    $("about").textContent = [place, found.pixels, ...found.moved.map((moved) => moved.label)].filter(Boolean).join(" · ");
    $("error").hidden = !found.error;
    $("error").textContent = found.error || "";
    const obsolete = found.kind === "obsolete";
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
      const numbers = new Set([row.golden?.number, row.actual?.number].filter(Boolean));
      const number = [...numbers].join("→");
      // The element stands beside it.
      const said = row.changes.map((change) => (change.startsWith(`${name}: `) ? change.slice(name.length + 2) : change));
      const changes = new Set(said.filter((change) => change !== kind));
      const what = make("td", {}, kind === "same" || kind === "changed" && changes.size ? "" : kind);
      for (const change of changes) what.append(make("span", { className: "what" }, change));
      const mask = make("td");
      if (row.actual && !row.actual.masked && !row.actual.window && found.kind !== "obsolete") {
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
  // One after the other: a decision may be taken back before the server has answered about it.
  let last = Promise.resolve();
  const inTurn = (act) => (last = last.then(act).catch((error) => tell(error.message, true)));

  /** Decides about items: what a person saw of them is what is decided about. */
  function decide(what, chosen) {
    if (!chosen.length) return;
    const focused = document.activeElement;
    for (const { key } of chosen) {
      state.mine.add(key);
      state.deciding.add(key);
      if (key === state.shown?.key) state.isOver = true;
    }
    drawBusy();
    inTurn(async () => {
      await decideNow(what, chosen);
      await refreshed();
      if (focused && focused.isConnected && focused !== document.body && !focused.closest("[hidden]")) focused.focus();
      else $("main").focus();
    });
  }

  async function decideNow(what, chosen) {
    const seen = Object.fromEntries(chosen.map((item) => [item.key, item.version]));
    let over = [];
    try {
      const { keys, refused } = await ask(`api/${what}`, { seen });
      refused.forEach(({ key }) => state.mine.delete(key));
      state.decided += keys.length;
      over = keys;
      const done = `${keys.length === 1 ? keys[0] : count(keys.length, "snapshot")} ${what}ed.`;
      const whys = refused.map(({ key, why }) => (why.includes(key) ? why : `${key}: ${why}`));
      if (whys.length) tell([keys.length ? done : "", `Not ${what}ed: ${few(whys)}.`].join(" "), true);
      else tell(`${done} u takes it back.`);
    } catch (error) {
      chosen.forEach((item) => state.mine.delete(item.key));
      tell(error.message, true);
    }
    chosen.forEach((item) => state.deciding.delete(item.key));
    state.isOver = over.includes(state.shown?.key);
    drawBusy();
  }

  async function refreshed() {
    try {
      await refresh();
    } catch (error) {
      tell(error.message, true);
    }
  }

  const group = () => (state.shown && groupOf(state.shown.key)?.items) || [];

  /** What a, r and s are about: what is shown, or all of its group. */
  const chosen = () => (!isSettled() ? [] : state.whole ? group() : [state.shown]);

  function turnWhole() {
    state.whole = !state.whole;
    drawDeciding();
  }

  /** Asks first, since it is about what was not looked at. */
  function askRest(what) {
    const left = rest();
    if (!left.length) return tell("Nothing is left to decide.");
    const removed = what === "accept" ? left.filter((item) => item.kind === "obsolete").length : 0;
    const filtered = left.length < items().length ? " Only what is listed and not skipped." : "";
    $("ask-title").textContent = `${what === "accept" ? "Accept" : "Reject"} ${count(left.length, "snapshot")}?`;
    $("ask-text").textContent = `${removed ? `${count(removed, "obsolete golden")} ${removed === 1 ? "is" : "are"} removed.` : ""}${filtered} u takes it back.`.trim();
    $("ask").returnValue = "";
    $("ask").onclose = () => $("ask").returnValue === "yes" && decide(what, left);
    $("ask").showModal();
  }

  const undo = () => inTurn(async () => {
    const { keys } = await ask("api/undo", {});
    state.decided = Math.max(0, state.decided - keys.length);
    keys.forEach((key) => state.mine.delete(key));
    keys.forEach((key) => state.skipped.delete(key));
    tell(keys.length ? `${few(keys)} ${keys.length === 1 ? "waits" : "wait"} again.` : "There is nothing to take back.");
    if (keys.length) state.key = keys[0];
    await refresh();
  });

  async function maskRow(index) {
    const row = state.shown?.rows[index];
    if (!row?.actual) return tell("Click an element in the picture, or go to its row with Tab, then press m.", true);
    try {
      const { place, mask, next } = await ask("api/mask", { key: state.shown.key, version: state.shown.version, row: row.actual.number });
      tell(`Wrote ${mask} at ${place.file}:${place.line}. Now run the flow again: ${next}`);
    } catch (error) {
      tell(error.message, true);
    }
  }

  function skip(chosen) {
    if (!chosen.length) return;
    chosen.forEach((item) => state.skipped.add(item.key));
    state.whole = false;
    drawQueue();
    drawDeciding();
    if (rest().length) move(1, (item) => !state.skipped.has(item.key));
    else tell("All that is listed is decided or skipped.");
  }

  /** The next snapshot of those listed, or the one before. */
  function move(by, may = () => true) {
    const all = listed();
    const at = all.findIndex((item) => item.key === state.key);
    const turned = by > 0 ? [...all.slice(at + 1), ...all.slice(0, at + 1)] : [...all.slice(0, Math.max(at, 0)).reverse(), ...all.slice(at).reverse()];
    const next = turned.find(may);
    if (next) show(next.key);
  }

  const otherGroup = (by) => {
    const here = new Set(group().map((item) => item.key));
    move(by, (item) => !here.has(item.key));
  };

  function nextMode() {
    const modes = Object.keys(Compare.modes);
    for (let by = 1; by <= modes.length; by += 1) {
      const name = modes[(modes.indexOf(state.mode) + by) % modes.length];
      if (state.view?.mode(name) === name) return;
    }
  }

  const acts = {
    a: () => decide("accept", chosen()), r: () => decide("reject", chosen()), s: () => skip(chosen()),
    A: () => askRest("accept"), R: () => askRest("reject"), S: () => skip(rest()),
    u: undo, v: nextMode, g: turnWhole, J: () => otherGroup(1), K: () => otherGroup(-1), m: () => maskRow(state.lit), j: () => move(1), k: () => move(-1),
    n: () => state.view?.step(1), p: () => state.view?.step(-1), "?": () => $("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]):not([type=range]), select, textarea, dialog");
    if ($("ask").open && (event.key === "y" || event.key === "n")) {
      event.preventDefault();
      return $("ask").close(event.key === "y" ? "yes" : "");
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || $("keys").open) return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
  for (const [id, key] of Object.entries({ accept: "a", reject: "r", "skip-case": "s", whole: "g", "accept-rest": "A", "reject-rest": "R", undo: "u", help: "?" })) {
    $(id).addEventListener("click", () => acts[key]());
  }
  for (const id of ["words", "kind", "class"]) {
    $(id).addEventListener("input", () => {
      drawQueue();
      if (!listed().some((item) => item.key === state.shown?.key)) show(listed()[0]?.key);
    });
  }
  $("groups").addEventListener("click", (event) => {
    const key = event.target.closest("a[data-key]")?.dataset.key;
    // The address may name it already, and would then tell of no change.
    if (key && key !== state.key && !event.ctrlKey && !event.metaKey && !event.shiftKey) show(key);
  });
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
    if (key && key !== state.key) show(key);
  });

  refreshed().then(watch);
})();
