// The goldens of the flow: which there are, what waits, and deciding in place.

/** Where a golden's step stands, if it is in this flow's own text and has one case. */
function placeOfKey(key) {
  const of = listing.snapshots.find(({ name, cases }) => !cases && key && `${key}~`.match(/^[^@~]*/)[0].toLowerCase() === `${listing.folder}/${name}`.toLowerCase());
  return of?.place?.own ? of.place : null;
}

async function list() {
  Object.assign(listing, await ask("goldens"));
  drawList();
}

function drawList() {
  const { snapshots, reads, saved } = listing;
  $("none").textContent = !reads ? "The flow does not read; mend what is listed below the editor." : !snapshots.length ? `This flow takes no snapshot yet.${saved ? "" : " Save it under a name first: its goldens are kept by that name."}` : "";
  $("list").replaceChildren(...snapshots.map(({ name, place, goldens, rows, cases }) => {
    const words = goldens.length ? few(goldens.map((key) => key.slice(key.lastIndexOf("/") + 1))) : rows ? "rows, no picture of any device" : "no golden";
    const compare = place?.own ? make("button", { type: "button", className: "small", ariaLabel: `Compare now: ${name}`, title: "Compares the screen that is there now; the golden changes only when you accept" }, "Compare now") : null;
    compare?.addEventListener("click", () => Studio.compare(place.line, cases ? "cases" : "snapshot"));
    return make("li", {}, make("b", { className: "mono" }, name), make("span", { className: goldens.length || rows ? "quiet" : "warn" }, words), place ? make("span", { className: "quiet number" }, place.own ? `line ${place.line}` : place.file) : null, compare);
  }));
}

let asking = Promise.resolve();
/** Both lists anew, one after the other. */
function again() {
  asking = asking.then(async () => {
    await list();
    await refresh();
    counted();
    // Another case is shown: nothing is drawn on it yet.
    if (!state.view?.element.classList.contains("draws")) $("draw").setAttribute("aria-pressed", "false");
  }).catch((error) => {
    $("none").textContent = error.message;
  });
  return asking;
}

document.addEventListener("news", (event) => {
  const { detail: news } = /** @type {CustomEvent} */ (event);
  const ended = news.kind === "run" && news.what === "end";
  if (ended || news.kind === "goldens" || news.kind === "state" || news.kind === "file") again();
  // What was compared is shown.
  if (news.kind === "run" && news.what === "snapshot" && !["passed", "written", "unstable"].includes(news.verdict)) state.key = news.key;
});

/** Accepts what waits of this flow; several only after a question. */
function acceptWaiting() {
  const all = waiting();
  if (all.length < 2) return decide("accept", all);
  $("ask-title").textContent = `Accept ${count(all.length, "snapshot")}?`;
  $("ask-text").textContent = `What was seen becomes the golden: ${few(all.map((item) => item.key), 8)}. ${TAKE_BACK}`;
  $("ask").returnValue = "";
  $("ask").onclose = () => $("ask").returnValue === "yes" && decide("accept", all);
  return $("ask").showModal();
}

const acts = {
  accept: () => about("Accept", () => decide("accept", chosen())),
  reject: () => about("Reject", () => decide("reject", chosen())),
  whole: () => about("Whole group", turnWhole),
  "accept-rest": () => about("Accept all", () => askRest("accept")),
  "reject-rest": () => about("Reject all", () => askRest("reject")),
  undo,
};
for (const [id, act] of Object.entries(acts)) $(id).addEventListener("click", act);
Studio.$("accept-goldens").addEventListener("click", () => {
  Studio.show();
  acceptWaiting();
});
$("all-flows").addEventListener("change", () => {
  drawQueue();
  counted();
  if (!listed().some((item) => item.key === state.shown?.key)) show(listed()[0]?.key);
});
$("groups").addEventListener("click", (event) => {
  const link = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("a[data-key]"));
  if (!link) return;
  event.preventDefault();
  show(link.dataset.key);
});
$("all-rows").addEventListener("change", drawRows);
const row = (event) => event.target.closest("li[data-row]");
$("rows").addEventListener("mouseover", (event) => row(event) && light(Number(row(event).dataset.row)));
$("rows").addEventListener("mouseleave", () => light(null));
$("rows").addEventListener("focusin", (event) => row(event) && light(Number(row(event).dataset.row), "focus"));

// A mask by its edges: drawn, or typed.
const EDGES = ["left", "top", "right", "bottom"];
function draws(is) {
  $("draw").setAttribute("aria-pressed", String(is));
  state.view?.drawing(is, (bounds) => {
    EDGES.forEach((edge, at) => { $(edge).value = bounds[at]; });
    draws(false);
    $("mask").querySelector("[type=submit]").focus();
  });
}
$("draw").addEventListener("click", () => draws($("draw").getAttribute("aria-pressed") !== "true"));
$("mask").addEventListener("submit", (event) => {
  event.preventDefault();
  const bounds = EDGES.map((edge) => Number($(edge).value));
  const [left, top, right, bottom] = bounds;
  if (EDGES.some((edge) => $(edge).value === "") || left >= right || top >= bottom) return refuse("Draw the part, or give its four edges in pixels: left before right, top above bottom.");
  return about("Mask", async () => {
    if (await maskThat({ bounds })) EDGES.forEach((edge) => { $(edge).value = ""; });
  });
});
