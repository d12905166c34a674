// What was done so far, as steps, each with the pictures before and after it.

/** Earlier steps that are asked for at once. */
const STEPS_AT_ONCE = 300;

/** The list: the number of each step from 0, what it is drawn from, and how. */
let stepEntries = [];
/** The first step that somebody asked to see, of those before the ones that the page is told of. */
let earliestStep = Infinity;

function drawSteps() {
  const { first, steps, variables, left_out: lost } = state.moments;
  if (lost) refuse(`The recording is full: ${count(lost, "act")} did not become steps. Start \`runner studio\` again to go on.`);
  const before = stepEntries.filter(([number]) => number >= earliestStep && number < first);
  const isWhole = before.at(-1)?.[0] === first - 1;
  if (!isWhole) earliestStep = Infinity;
  drawStepList([...(isWhole ? before : []), ...entriesOf(state.moments)]);
  $("step-count").textContent = count(first + steps.length, "step");
  drawReplay();
  $("variables").textContent = variables.length ? `Secret texts are variables in the flow: ${variables.join(", ")}. Runs of this page know what you typed. Set them in the environment for other runs.` : "";
}

function drawStepList(entries) {
  stepEntries = entries;
  const first = entries[0]?.[0] ?? 0;
  $("steps").start = first + 1;
  const panel = $("steps-panel");
  const isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 30;
  drawList($("steps"), entries);
  if (isAtEnd) panel.scrollTop = panel.scrollHeight;
  $("earlier").hidden = first === 0;
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
