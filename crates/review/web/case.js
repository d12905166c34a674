// One case: its words, its pictures.

let asked = 0;
async function show(key) {
  const turn = ++asked;
  state.key = key || null;
  drawBusy();
  if (!key) {
    Object.assign(state, { shown: null, isDrawn: true });
    state.view?.destroy();
    state.view = null;
    $("case").hidden = true;
    $("empty").hidden = false;
    const words = state.queue.total ? ["Nothing passes the filters."] : state.decided ? ["Everything is reviewed.", EMPTY.done] : EMPTY.none;
    $("empty").replaceChildren(...words.map((text, index) => make("p", { className: index ? "quiet" : "" }, text)));
    drawBusy();
    return;
  }
  let found;
  try {
    found = await ask(`api/case/${pathOf(key)}`);
  } catch (error) {
    // Gone meanwhile: the next look at the folder says so.
    if (error.status === 404) return;
    tell(error.message, true);
    if (turn !== asked) return;
    state.key = state.shown?.key ?? null;
    forgetQueued();
    drawBusy();
    return;
  }
  if (turn !== asked) return;
  const text = JSON.stringify(found);
  const isSame = state.shown && state.text === text;
  if (state.shown?.key !== key) state.whole = false;
  Object.assign(state, { shown: found, text, isOver: state.deciding.has(key) });
  if (keyOf(location.hash) !== key) history.replaceState(null, "", `#${pathOf(key)}`);
  if (!isSame) drawCase();
  drawCurrent();
  drawBusy();
}

function drawCurrent() {
  drawDeciding();
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".group a"))) {
    if (link.dataset.key === state.shown?.key) {
      link.setAttribute("aria-current", "true");
      const list = $("groups");
      if (list.scrollHeight > list.clientHeight) link.scrollIntoView({ block: "nearest" });
    } else link.removeAttribute("aria-current");
  }
}


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
  drawCauses(others);
}

/** All that a group changes, where the title names only the first: before one decides for the whole, it is open. */
function drawCauses(others) {
  const of = (state.shown && groupOf(state.shown.key)) || state.shown;
  const causes = of?.changes || of?.causes || [];
  $("causes").hidden = !(state.whole || causes.length > 1);
  if ($("causes").hidden) return;
  const wasOpen = $("causes").querySelector("details")?.open;
  const words = state.shown?.kind === "selector" ? "What accepting writes" : state.whole ? `All ${others} snapshots of the group have ${of.count === 1 ? "this change and no other" : `these ${of.count} changes and no others`}` : `All ${of.count} changes`;
  const list = make("ul", {}, ...causes.map((cause) => make("li", {}, cause)));
  const others_ = state.whole ? make("p", { className: "quiet" }, few(group().map((item) => item.key), 8)) : null;
  $("causes").replaceChildren(make("details", { open: state.whole || wasOpen || state.shown?.kind === "selector" }, make("summary", {}, words), list, others_));
}

function drawCase() {
  const found = state.shown;
  state.lit = null;
  $("empty").hidden = true;
  $("case").hidden = false;
  $("title").replaceChildren(make("span", { className: `badge ${found.kind}` }, found.kind), ` ${keyWords(found.key)}`);
  $("title").title = found.key;
  $("why").textContent = found.title;
  const place = found.place ? `${found.place.file}:${found.place.line}` : null;
  $("about").textContent = [place, found.pixels].filter(Boolean).join(" · ");
  $("error").hidden = !found.error;
  $("error").textContent = found.error || "";
  const obsolete = found.kind === "obsolete";
  const isSelector = found.kind === "selector";
  drawRows();

  // Where the sizes differ, a place of one picture is none of the other.
  const sizes = ["golden", "actual"].map((name) => found.pictures[name]?.size.join());
  const isOneSize = !sizes[0] || !sizes[1] || sizes[0] === sizes[1];
  const side = (name) => (found.pictures[name] ? pictureOf(found, name) : null);
  state.view?.destroy();
  state.view = Compare.mount($("pictures"), {
    golden: side("golden"), actual: side("actual"), difference: side("difference"),
    goldenSize: found.pictures.golden?.size, actualSize: found.pictures.actual?.size,
    names: isSelector ? { golden: "Last green", actual: "Failed" } : undefined,
    missing: { golden: "There is no golden yet.", actual: obsolete ? "No flow takes this snapshot any more." : "No picture.", difference: "Nothing to compare." },
    boxes: found.rows.flatMap((row, index) => ["golden", "actual"].filter((name) => row[name]?.bounds).map((name) => ({ id: index, side: name, bounds: row[name].bounds, label: row[name].name }))),
    start: "change",
    places: found.places.map(({ bounds, name, pixels }) => ({ bounds, label: name || "a place in no element", title: `${pixels} px` })),
    masks: isOneSize ? found.masks.map((bounds) => ({ bounds })) : [], moved: isOneSize ? found.moved : [],
    mode: state.mode, text: true,
    onHover: (index) => light(index, "picture"),
    onPick: ({ id }) => pick(id),
    onMode: (mode) => { state.mode = mode; },
  });
  const { view } = state;
  state.isDrawn = false;
  view.ready.then(() => {
    if (state.view !== view) return;
    state.isDrawn = true;
    drawBusy();
    loadThumbnails();
  });
}
