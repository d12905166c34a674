// What was done so far, as steps, each with the pictures before and after it.

/** Earlier steps that are asked for at once. */
const STEPS_AT_ONCE = 300;

function drawSteps() {
  const { first, steps, variables, left_out: lost } = state.moments;
  if (lost) refuse(`The recording is full: ${count(lost, "act")} did not become steps. Start \`runner studio\` again to go on.`);
  const list = $("steps");
  list.start = first + 1;
  list.replaceChildren(...stepItems(state.moments));
  $("earlier").hidden = first === 0;
  $("step-count").textContent = count(first + steps.length, "step");
  $("variables").textContent = variables.length ? `A run needs these variables of the environment, because their texts are secret: ${variables.join(", ")}` : "";
}

/** Steps with the pictures before and after each. */
function stepItems({ first, steps, done }) {
  return steps.map((text, place) => {
    const mine = done.filter((moment) => moment.step === first + place);
    const back = (name, seq) => {
      if (!seq) return null;
      const button = make("button", { type: "button", className: "small plain", textContent: name, ariaLabel: `${name} step ${first + place + 1}` });
      button.addEventListener("click", () => lookBack(seq, `${name.toLowerCase()} step ${first + place + 1}`));
      return button;
    };
    const byAgent = mine.some((moment) => moment.what.startsWith("agent: "));
    return make("li", {}, make("code", { textContent: text.trim() }), " ", byAgent ? make("span", { className: "quiet", textContent: "agent " }) : null, back("Before", mine[0]?.before), back("After", mine.at(-1)?.after));
  });
}

/** Puts the steps before those in the list: they are asked for, as a page is told of the last only. */
$("earlier").addEventListener("click", async () => {
  const list = $("steps");
  try {
    const shown = list.start - 1;
    const before = await ask(`moments/${Math.max(0, shown - STEPS_AT_ONCE)}`);
    if (list.start - 1 !== shown) return;
    list.prepend(...stepItems({ ...before, steps: before.steps.slice(0, shown - before.first) }));
    list.start = before.first + 1;
    $("earlier").hidden = before.first === 0;
  } catch (error) {
    refuse(error.message);
  }
});
