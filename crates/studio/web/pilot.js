// Breakpoints, pauses, what is decided at them, and runs on save. All of it is the server's: this page only shows it.

let pilot = { breakpoints: [], pauses_at_failures: true, runs_on_save: false, pause: null, values: [] };
/** The pause that was shown last, so that its panel opens once. */
let shownTurn = 0;
/** The part that waits for values. */
let partToRun = null;

/** What the gutter shows at a line, beside what came of it. */
function pilotMark(line) {
  const marks = [pilot.breakpoints.includes(line) && "break", pilot.pause?.line === line && "paused-here"];
  return marks.filter(Boolean).join(" ");
}

const lineText = (line) => (area.value.split("\n")[line - 1] || "").trim();

function pauseText(pause) {
  const where = pause.line ? `line ${pause.line}` : `${pause.file}, line ${pause.at}`;
  if (pause.why === "failure") return `Paused: ${pause.title} failed at ${where}.`;
  return `Paused before ${pause.title}, at ${where}${pause.why === "breakpoint" ? ": a breakpoint" : ""}.`;
}

function drawPause() {
  const { pause } = pilot;
  $("paused").hidden = !pause;
  $("pause-state").className = pause?.why === "failure" ? "failure" : "";
  $("pause-state").textContent = pause ? pauseText(pause) : "";
  const lines = pause ? failureText(pause.failure).split("\n") : [];
  // What can be applied stands above.
  $("pause-why").textContent = lines.filter((line) => !pause.fixes.length || !line.startsWith("near miss:")).join("\n");
  $("pause-go").textContent = pause?.why === "failure" ? "Run it again" : "Continue";
  $("fixes").replaceChildren(...(pause?.fixes || []).map((fix, place) => {
    const button = make("button", { type: "button", className: "small", textContent: "Apply", ariaLabel: `Apply: ${fix}` });
    button.addEventListener("click", () => applyFix(place));
    return make("li", { className: "fix-line" }, button, make("span", { textContent: fix }));
  }));
  if (pause) runState(pauseText(pause), pause.why === "failure" ? "failed" : "");
  if (pause && pause.turn !== shownTurn) {
    shownTurn = pause.turn;
    showPanel("pilot-panel");
    if (pause.line) showLine(pause.line);
  }
}

/** Scrolls the editor to a line; the focus and the cursor stay where they are. */
function showLine(line) {
  $("port").scrollTop = Math.max(0, (line - 4) * 18);
}

/** What names in `${}` stand for: at the pause, or when the last run ended. */
function drawValues() {
  const { values } = pilot;
  $("values-part").hidden = !values.length;
  $("values-title").textContent = pilot.pause ? "Values at this step" : "Values at the end of the run";
  $("values").replaceChildren(...values.flatMap(({ name, value }) => [make("dt", { textContent: name }), make("dd", { textContent: value })]));
}

function drawBreakpoints() {
  $("breaks-none").hidden = pilot.breakpoints.length > 0;
  $("breaks").replaceChildren(...pilot.breakpoints.map((line) => {
    const go = make("button", { type: "button", className: "small plain mono", textContent: `line ${line}: ${lineText(line)}` });
    go.addEventListener("click", () => goTo(line));
    const remove = make("button", { type: "button", className: "small plain", textContent: "✕", ariaLabel: `Remove the breakpoint at line ${line}` });
    remove.addEventListener("click", () => toggleBreakpoint(line));
    return make("li", {}, go, remove);
  }));
}

/** News of the pilot. */
function hearPilot(news) {
  const wasPaused = pilot.pause;
  pilot = news;
  $("pause-failures").checked = pilot.pauses_at_failures;
  $("run-on-save").checked = pilot.runs_on_save;
  if (wasPaused && !pilot.pause && going) runState("The run goes on.");
  drawPause();
  drawValues();
  drawBreakpoints();
  drawGutter();
  counter("pilot-panel", pilot.pause ? "paused" : pilot.breakpoints.length, Boolean(pilot.pause));
  drawAbilities();
}

/** Whether the flow is Maestro's, as it was read last. */
function drawDialect() {
  $("import-flow").hidden = !flow.maestro;
}

async function toggleBreakpoint(line) {
  try {
    await save();
    const answer = await ask("breakpoint", { line });
    tell(`Breakpoint ${answer.set ? "set" : "removed"} at line ${answer.line}.`);
  } catch (error) {
    refuse(error.message);
  }
}

async function decide(choice) {
  if (!pilot.pause) return refuse("No run is paused.");
  const { turn } = pilot.pause;
  try {
    if (choice !== "stop" && !(await save())) return refuse("The flow is not saved, so the run did not go on. Choose which text to keep first.");
    return await ask("decide", { turn, choice });
  } catch (error) {
    return refuse(error.message);
  }
}

async function applyFix(fix) {
  const { turn } = pilot.pause;
  try {
    if (!(await save())) return refuse("The flow is not saved. Choose which text to keep first.");
    await ask("apply", { turn, fix });
    return tell("Applied. The step runs again.");
  } catch (error) {
    return refuse(error.message);
  }
}

/** What was written into the fields, by their names. */
const missingValues = () => Object.fromEntries([.../** @type {NodeListOf<HTMLInputElement>} */ ($("missing-names").querySelectorAll("input"))].map((field) => [field.name, field.value]));

/** A part of the flow reads names that only steps before it set. */
function askValues(names, part) {
  partToRun = part;
  const known = missingValues();
  $("missing-why").textContent = `Steps before this part would set ${count(names.length, "value")}. Give ${names.length === 1 ? "it" : "them"} here: a text, or JSON. Leave a field empty if the part does without.`;
  $("missing-names").replaceChildren(...names.map((name) => make("label", {}, name, make("input", { name, value: known[name] ?? "", autocomplete: "off", spellcheck: false }))));
  $("missing").hidden = false;
  showPanel("pilot-panel");
  $("missing").querySelector("input")?.focus();
  runState("Not run yet: values are missing.");
}

$("missing").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await runPart(partToRun, { values: missingValues() })) $("missing").hidden = true;
});
$("missing-close").addEventListener("click", () => {
  $("missing").hidden = true;
  runState("Not run.");
});
$("import-flow").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("take-over-name").value.trim();
  if (!name) return refuse("Give the flow a name, such as login.yaml.");
  try {
    if (!(await save())) return refuse("The flow is not saved. Choose which text to keep first.");
    const answer = await ask("take-over", { name });
    return tell(`Taken over as ${answer.path}.`);
  } catch (error) {
    return refuse(error.message);
  }
});
$("paused").addEventListener("click", (event) => {
  const { choice } = /** @type {HTMLElement} */ (event.target).dataset;
  if (choice) decide(choice);
});
for (const [id, key] of [["pause-failures", "pauses_at_failures"], ["run-on-save", "runs_on_save"]]) {
  $(id).addEventListener("change", () => ask("pilot", { [key]: $(id).checked }).catch((error) => refuse(error.message)));
}
$("break-here").addEventListener("click", () => toggleBreakpoint(caretLine()));
$("run-stepping").addEventListener("click", () => runPart("all", { paused: true }));
$("gutter").addEventListener("click", (event) => {
  const line = [...$("gutter").children].indexOf(event.target) + 1;
  if (line) toggleBreakpoint(line);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.target === $("screen")) return;
  if (event.key === "F9") {
    event.preventDefault();
    toggleBreakpoint(caretLine());
  } else if (event.key === "F8" && pilot.pause) {
    event.preventDefault();
    decide("go");
  } else if (event.key === "F10" && pilot.pause) {
    event.preventDefault();
    decide("step");
  }
});
