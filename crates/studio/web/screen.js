// The picture, its age, and the boxes of its rows.

/** More boxes than this hide the picture. */
const MOST_BOXES = 400;

/**
 * One thing after another, of which only the newest counts: what comes meanwhile replaces what waits. Of what is live a newer one
 * comes where one is not kept any more; what was done is told to `failed`, while it is looked at.
 */
function newest(load, failed) {
  let going = false;
  let waiting = null;
  return async function want(item) {
    waiting = item;
    if (going) return;
    going = true;
    while (waiting) {
      const next = waiting;
      waiting = null;
      try { await load(next); } catch (error) { if (next.past && state.past?.seq === next.seq) await failed(error, next.seq); }
    }
    going = false;
  };
}

const showPicture = newest(async (picture) => {
  // One that is there already is not asked for again.
  const isHere = state.shown?.seq === picture.seq;
  const image = isHere ? $("picture") : new Image();
  if (!isHere) image.src = `picture/${picture.seq}`;
  await image.decode();
  const isWanted = state.past ? state.past.seq === picture.seq : !picture.past && picture.seq > state.elsewhere;
  if (!isWanted) return;
  image.id = "picture";
  image.alt = "";
  image.draggable = false;
  if (!isHere) $("picture").replaceWith(image);
  $("nothing").hidden = true;
  state.shown = picture;
  document.documentElement.style.setProperty("--shape", String(picture.size[0] / picture.size[1] || 0.45));
  drawBoxes();
  drawAge();
}, async (error, seq) => {
  // An image does not say why there is none.
  const why = await fetched(`picture/${seq}`).then(() => error, (refused) => refused);
  refuse(why.message);
  lookBack(null);
});

/** Nothing is known of the screen. */
function forgetScreen() {
  Object.assign(state, { newest: null, newestLook: null, shown: null, look: null, confirmed: 0 });
  $("picture").hidden = true;
  $("nothing").hidden = false;
  $("age").textContent = "";
  closePicker();
  drawRows();
}

const showLook = newest(async ({ seq, past }) => {
  const look = await ask(`look/${seq}`);
  const isWanted = state.past ? state.past.seq === seq : !past && seq > state.elsewhere;
  if (!isWanted) return;
  state.look = look;
  state.picked = same(state.picked, look);
  drawRows();
  drawBoxes();
  drawAge();
  if (state.picked) choose(state.picked, false);
  else if (isPickerUsed()) pickedIsGone();
  else closePicker();
}, (error) => {
  state.past.without = error.message;
  drawAge();
});

/**
 * The same element on another screen: by what it says, or else, as its text may change, by its id, or by its place in the tree
 * and on the screen.
 */
function same(row, look) {
  if (!row) return null;
  const of = look.rows.filter((other) => other.class === row.class && other.id === row.id);
  const alike = of.filter((other) => other.desc === row.desc && (other.text === row.text || other.states.includes("editable")));
  const placed = (rows) => rows.find((other) => String(other.bounds) === String(row.bounds));
  const only = (rows) => (rows.length === 1 ? rows[0] : null);
  return placed(alike) || only(alike) || (row.id && only(of)) || placed(of.filter((other) => other.n === row.n)) || null;
}

/** Whether the rows are those of the picture that is shown. */
const isFresh = () => Boolean(state.look && state.shown && state.look.seq === state.shown.seq);

function drawAge() {
  const { shown, look } = state;
  if (!shown) return;
  // The server takes a picture a second at least, and tells of each that is another one.
  const isLive = state.device.state === "ready" && source !== null && !trouble;
  if (isLive) state.confirmed = Time.now();
  const seconds = Math.max(0, (Time.now() - (state.confirmed || shown.taken)) / 1000);
  const parts = [`${shown.size[0]}×${shown.size[1]}`];
  if (!state.past) parts.push(isLive ? "live" : `picture ${seconds.toFixed(0)} s old`);
  if (look?.recorded) parts.push(look.rows_only ? "recorded rows: what is inside what is not known, and such selectors find nothing" : "recorded elements");
  else if (look) parts.push(isFresh() ? `elements of this picture, read in ${look.took} ms${look.moving ? ", while it moved" : ""}` : "elements are of an earlier picture");
  else parts.push(state.past?.without ? `no elements: ${state.past.without}` : "elements not read yet");
  $("age").textContent = parts.join(" · ");
}

function box(row, kind) {
  const [width, height] = state.look.size;
  const [left, top, right, bottom] = row.bounds;
  const element = make("div", { className: kind });
  element.style.left = `${(left / width) * 100}%`;
  element.style.top = `${(top / height) * 100}%`;
  element.style.width = `${((right - left) / width) * 100}%`;
  element.style.height = `${((bottom - top) / height) * 100}%`;
  return element;
}

const isSeen = (row) => !row.states.includes("off-screen") && row.bounds[2] > row.bounds[0] && row.bounds[3] > row.bounds[1];

function drawBoxes() {
  const boxes = $("boxes");
  boxes.classList.toggle("is-old", !isFresh());
  if (!state.look) return boxes.replaceChildren();
  const all = state.mode === "act" ? [] : state.look.rows.filter(isSeen).slice(0, MOST_BOXES).map((row) => box(row, "box"));
  const of = (numbers, kind) => state.look.rows.filter((row) => numbers.includes(row.n)).map((row) => box(row, kind));
  boxes.replaceChildren(...all, ...of(state.matches, "match"), ...of([state.picked?.n], "picked"), ...of([state.lit], "lit"), ...drawRuler());
}

/** The element that a person means who points here: the smallest of the window on top, the innermost of those. */
function rowAt(x, y) {
  if (!state.look) return null;
  const { rows, windows } = state.look;
  const hits = rows.filter((row) => isSeen(row) && x >= row.bounds[0] && x < row.bounds[2] && y >= row.bounds[1] && y < row.bounds[3]);
  const layer = (row) => windows[row.w]?.layer ?? 0;
  const top = Math.max(...hits.map(layer));
  const area = ({ bounds: [left, above, right, below] }) => (right - left) * (below - above);
  return hits.filter((row) => layer(row) === top).reduce((best, row) => (best && area(best) < area(row) ? best : row), null);
}

/** Lights an element, in the picture and in the list. */
function light(number) {
  if (state.lit === number) return;
  state.lit = number;
  drawBoxes();
  for (const item of $("rows").querySelectorAll("li.lit")) item.classList.remove("lit");
  if (number !== null) $("rows").querySelector(`li[data-n="${number}"]`)?.classList.add("lit");
}

/** Shows a picture of what was done; without one, the live one. */
function lookBack(seq, what, size = state.newest?.size || [0, 0]) {
  state.past = seq ? { seq, what } : null;
  $("past").hidden = !seq;
  $("past-text").textContent = seq ? what[0].toUpperCase() + what.slice(1) : "";
  $("past-text").title = seq ? `A recorded screen, ${what}. Selectors are tried on it.` : "";
  $("screen").classList.toggle("is-past", Boolean(seq));
  state.look = null;
  drawRows();
  drawBoxes();
  if (seq) {
    showPicture({ seq, past: true, size, taken: 0 });
    showLook({ seq, past: true });
  } else {
    // Nobody acts by it until the live one is there.
    if (state.shown?.past) state.shown = null;
    if (state.newest) showPicture(state.newest);
    else forgetScreen();
    if (state.newestLook) showLook({ seq: state.newestLook });
  }
  markFilm(seq || (listedSteps === "run" ? timeline.seen : null));
  drawAbilities();
}
$("live").addEventListener("click", () => lookBack(null));
setInterval(() => {
  if (document.hidden) return;
  drawAge();
  drawVeil();
}, 1000);
