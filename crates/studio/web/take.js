// Taking a snapshot of the screen that is there, and comparing it now: the run's own step, alone.

/** Elements whose names hold for other parts of this page that have names of their own. */
const Studio = {
  $, ask: (path, body) => ask(path, body), isGoing: () => going, path: () => flow.path,
  show: () => showPanel("goldens-panel"), compare: (line, part) => compareAt(line, part),
  counted: (many) => { counter("goldens-panel", many, true); drawTitle(); },
};

/** Runs the step at a line that takes a snapshot, and nothing else. */
async function compareAt(line, part = "snapshot") {
  try {
    if (!(await save())) return refused("The flow is not saved, so nothing was compared.");
    await ask("run", { part, line });
  } catch (error) {
    refused(error.message);
  }
  return undefined;
}

/** The line of what was added last. */
const addedLine = () => lineAt(flow.block.at + flow.block.text.trimEnd().length);

/** Adds the step, and gives its line; nothing where it could not be. */
async function addSnapshot(name) {
  if (!name.trim()) return refuse("Give the snapshot a name.");
  if (!flow.path) return refuse("Save the flow under a name first (Save as): its goldens are kept by that name.");
  if (!state.newestLook) return refuse("The elements are not read yet; wait a moment.");
  try {
    const wish = { seq: state.newestLook, node: null, selector: null, kind: "snapshot", name };
    return await inTurn(async () => ((await insertRecorded("assert", wish)) ? addedLine() : undefined));
  } catch (error) {
    return refuse(error.message);
  }
}

$("take").addEventListener("submit", async (event) => {
  event.preventDefault();
  const line = await addSnapshot($("take-name").value);
  if (!line) return;
  $("take-name").value = "";
  await compareAt(line);
});
