// What was done so far, as steps, each with the pictures before and after it.

/** Earlier steps that are asked for at once. */
const STEPS_AT_ONCE = 300;

/** The list: the number of each step from 0, what it is drawn from, and how. */
let stepEntries = [];
/** The first step that somebody asked to see, of those before the ones that the page is told of. */
let earliestStep = Infinity;
/** How many steps there were; -1 before it is told. */
let knownSteps = -1;

function drawSteps() {
  const { first, steps, variables, left_out: lost } = state.moments;
  if (lost) refuse(`The recording is full: ${count(lost, "act")} did not become steps. Start \`runner studio\` again to go on.`);
  const before = stepEntries.filter(([number]) => number >= earliestStep && number < first);
  const isWhole = before.at(-1)?.[0] === first - 1;
  if (!isWhole) earliestStep = Infinity;
  drawStepList([...(isWhole ? before : []), ...entriesOf(state.moments)]);
  const many = first + steps.length;
  $("step-count").textContent = count(many, "step");
  if (many > knownSteps && !going && knownSteps >= 0) listSteps("done");
  knownSteps = many;
  counter("steps-panel", many);
  drawReplay();
  $("variables").textContent = variables.length ? `Secret texts are variables in the flow: ${variables.join(", ")}. Runs of this page know what you typed. Set them in the environment for other runs.` : "";
}

function drawStepList(entries) {
  stepEntries = entries;
  const first = entries[0]?.[0] ?? 0;
  $("steps").start = first + 1;
  $("done-none").hidden = entries.length > 0;
  const panel = $("panels");
  const isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 30;
  drawList($("steps"), entries);
  if (isAtEnd && listedSteps === "done" && !$("steps-panel").hidden) panel.scrollTop = panel.scrollHeight;
  $("earlier").hidden = first === 0 || listedSteps !== "done";
  drawDoneFilm();
}

/** The screens of what was done: before the first step, and after each. */
function drawDoneFilm() {
  if (listedSteps !== "done") return;
  const of = (shown, words, seq, when) => ({ seq, number: shown, words: `Screen ${shown}: ${words}`, choose: () => lookBack(seq, when) });
  const all = stepEntries.flatMap(([number, { text, before, after }], place) => [
    place === 0 && before && of(number, "at the beginning", before, `before step ${number + 1}`),
    after && of(number + 1, text, after, `after step ${number + 1}`),
  ]).filter(Boolean);
  drawFilm(all.filter((screen, at) => all.findIndex((other) => other.seq === screen.seq) === at));
  if (state.past) markFilm(state.past.seq);
}

/** Steps with the pictures before and after each. */
function entriesOf({ first, steps, done }) {
  return steps.map((text, place) => {
    const number = first + place;
    const mine = done.filter((moment) => moment.step === number);
    const drawn = { text: text.trim(), before: mine[0]?.before, after: mine.at(-1)?.after, byAgent: mine.some((moment) => moment.what.startsWith("agent: ")) };
    return [number, drawn, () => stepItem(number, drawn)];
  });
}

function stepItem(number, { text, before, after, byAgent }) {
  const back = (name, seq) => {
    if (!seq) return null;
    const button = make("button", { type: "button", className: "small plain", textContent: name, ariaLabel: `${name} step ${number + 1}` });
    button.addEventListener("click", () => lookBack(seq, `${name.toLowerCase()} step ${number + 1}`));
    return button;
  };
  return make("li", {}, make("code", { textContent: text }), " ", byAgent ? make("span", { className: "quiet", textContent: "agent " }) : null, back("Before", before), back("After", after));
}

/** Puts the steps before those in the list: they are asked for, as a page is told of the last only. */
$("earlier").addEventListener("click", async () => {
  try {
    const shown = $("steps").start - 1;
    const before = await ask(`moments/${Math.max(0, shown - STEPS_AT_ONCE)}`);
    if ($("steps").start - 1 !== shown) return;
    earliestStep = before.first;
    drawStepList([...entriesOf({ ...before, steps: before.steps.slice(0, shown - before.first) }), ...stepEntries]);
  } catch (error) {
    refuse(error.message);
  }
});
