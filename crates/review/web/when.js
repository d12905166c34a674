// When a key counts. From going to a case until it and its pictures are shown, a key cannot be about what a person sees: going
// on waits in its order, deciding is refused with a word. No key is dropped in silence.

/** Whether what a person sees is what waits, or nothing does. */
function isSettled() {
  if (!state.isOpen || state.undoing) return false;
  if (state.key === null) return true;
  return state.shown?.key === state.key && state.isDrawn && !state.isOver;
}

/** What is to be done once the case is shown. */
const queued = [];
let isGoing = false;

/** Does what only looks: at once, or in its order as soon as it can be. */
function go(act, isMove) {
  queued.push({ act, isMove });
  goOn();
}

/** Where one goes is known before it is shown; what is done there is not. A decision says itself where it leads. */
function goOn() {
  if (isGoing) return;
  isGoing = true;
  const may = ({ isMove }) => isSettled() || (isMove && state.isOpen && !state.undoing && !state.isOver);
  while (queued.length && may(queued[0])) queued.shift().act();
  isGoing = false;
}

const forgetQueued = () => queued.splice(0);

/** Does what decides, about what is seen only. */
function about(name, act) {
  if (isSettled()) act();
  else notNow(name);
}

/** Says that it is too early. What was meant for the group then would be about one later. */
function notNow(name) {
  const why = state.undoing ? "the last decision is being taken back" : state.isOver ? "the decision before is on its way" : `${state.key ?? "what waits"} is still loading`;
  state.whole = false;
  drawDeciding();
  refuse(`${name} was not taken: ${why}.`);
}

/** What the page is about now, for people and for the keys that wait. */
function drawBusy() {
  const settled = isSettled();
  $("case").setAttribute("aria-busy", String(!settled));
  for (const id of ["accept", "reject", "skip-case", "whole", "accept-rest", "reject-rest"]) $(id).setAttribute("aria-disabled", String(!settled));
  if (settled || queued.length) goOn();
}
