// What was done so far, as steps, each with the pictures before and after it.

function drawSteps() {
  const { first, steps, done, variables, left_out: lost } = state.moments;
  if (lost) refuse(`The recording is full: ${count(lost, "act")} did not become steps. Start \`runner studio\` again to go on.`);
  const list = $("steps");
  list.start = first + 1;
  list.replaceChildren(...steps.map((text, place) => {
    const mine = done.filter((moment) => moment.step === first + place);
    const back = (name, seq) => {
      if (!seq) return null;
      const button = make("button", { type: "button", className: "small plain", textContent: name, ariaLabel: `${name} step ${first + place + 1}` });
      button.addEventListener("click", () => lookBack(seq, `${name.toLowerCase()} step ${first + place + 1}`));
      return button;
    };
    const byAgent = mine.some((moment) => moment.what.startsWith("agent: "));
    return make("li", {}, make("code", { textContent: text.trim() }), " ", byAgent ? make("span", { className: "quiet", textContent: "agent " }) : null, back("Before", mine[0]?.before), back("After", mine.at(-1)?.after));
  }));
  $("step-count").textContent = count(first + steps.length, "step");
  $("variables").textContent = variables.length ? `A run needs these variables of the environment, because their texts are secret: ${variables.join(", ")}` : "";
}
