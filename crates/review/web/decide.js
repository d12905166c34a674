// Deciding: what a person saw is what is decided about.

// One after the other: a decision may be taken back before the server has answered about it.
let last = Promise.resolve();
const inTurn = (act) => (last = last.then(act).catch((error) => tell(error.message, true)));

/** Decides about items: what a person saw of them is what is decided about. */
function decide(what, chosen) {
  if (!chosen.length) return tell("Nothing waits that could be decided.");
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
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
    else tell(`${done} ${TAKE_BACK}`);
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
const chosen = () => (!state.shown ? [] : state.whole ? group() : [state.shown]);

function turnWhole() {
  if (group().length < 2) return tell("Nothing else changed for the same reason.");
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
  $("ask-text").textContent = `${removed ? `${count(removed, "obsolete golden")} ${removed === 1 ? "is" : "are"} removed.` : ""}${filtered} ${TAKE_BACK}`.trim();
  $("ask").returnValue = "";
  $("ask").onclose = () => $("ask").returnValue === "yes" && decide(what, left);
  $("ask").showModal();
}

function undo() {
  state.undoing += 1;
  drawBusy();
  inTurn(undoNow).finally(() => {
    state.undoing -= 1;
    drawBusy();
  });
}

async function undoNow() {
  const { keys, mask } = await ask("api/undo", {});
  state.decided = Math.max(0, state.decided - keys.length);
  keys.forEach((key) => state.mine.delete(key));
  keys.forEach((key) => state.skipped.delete(key));
  if (mask) {
    tell(`Took ${mask.mask} out of ${mask.place.file} again.`);
    masked([]);
  }
  else tell(keys.length ? `${few(keys)} ${keys.length === 1 ? "waits" : "wait"} again.` : "There is nothing to take back.");
  if (keys.length) state.key = keys[0];
  await refresh();
}

async function maskRow(index) {
  const row = state.shown?.rows[index];
  if (!row?.actual) return tell(HOW_TO_MASK, true);
  return maskThat({ row: row.actual.number });
}

/** Masks a row of what is shown, or a rectangle of it. Gives whether that was written. */
async function maskThat(what) {
  const { key, version } = state.shown;
  try {
    const { place, mask, next } = await ask("api/mask", { key, version, ...what });
    tell(`Wrote ${mask} at ${place.file}:${place.line}. Now run the flow again: ${next}`);
    masked([key]);
    return true;
  } catch (error) {
    tell(error.message, true);
    return false;
  }
}

function skip(chosen) {
  if (!chosen.length) return tell("Nothing is left to skip.");
  chosen.forEach((item) => state.skipped.add(item.key));
  state.whole = false;
  drawQueue();
  drawDeciding();
  if (rest().length) move(1, (item) => !state.skipped.has(item.key));
  else tell("All that is listed is decided or skipped.");
}
