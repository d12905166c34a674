// What is done becomes steps of the flow: where they go, and the block of those that were added last.

/** The steps of the flow itself, as they are written: their indentation and lines, and where the next one goes. */
function listOfSteps(text) {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => /^steps:\s*(\[\s*\])?\s*(#.*)?$/.test(line));
  if (head < 0) return null;
  let end = lines.findIndex((line, at) => at > head && /^[^\s#-]/.test(line));
  if (end < 0) end = lines.length;
  while (end > head + 1 && /^\s*(#.*)?$/.test(lines[end - 1])) end -= 1;
  const indent = lines.slice(head + 1, end).map((line) => line.match(/^(\s*)- /)?.[1]).find((it) => it !== undefined) ?? "  ";
  const begins = [];
  for (let at = head + 1; at < end; at += 1) if (lines[at].startsWith(`${indent}-`)) begins.push(at);
  return { lines, head, end, indent, begins };
}

/** Where steps go that are done now: behind the step with the cursor, else behind the last. */
function insertionPlace() {
  let text = area.value;
  let list = listOfSteps(text);
  if (!list) {
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    replace(text.length, text.length, `${gap}steps:\n`);
    text = area.value;
    list = listOfSteps(text);
  } else if (/\[/.test(list.lines[list.head])) {
    const start = list.lines.slice(0, list.head).join("\n").length + (list.head ? 1 : 0);
    replace(start, start + list.lines[list.head].length, "steps:");
    list = listOfSteps(area.value);
  }
  const { lines, head, end, indent, begins } = list;
  const now = caretLine() - 1;
  let line = Math.max(end, head + 1);
  const mine = now > head ? begins.filter((at) => at <= now).length : 0;
  if (mine && mine < begins.length) {
    line = begins[mine];
    // What is written right above the next step belongs to it.
    while (line > begins[mine - 1] + 1 && /^\s*(#.*)?$/.test(lines[line - 1])) line -= 1;
  }
  const before = lines.slice(0, line).join("\n");
  const at = Math.min(area.value.length, before.length + 1);
  const gap = at === area.value.length && !area.value.endsWith("\n") ? "\n" : "";
  return { at, gap, indent, isFirst: !begins.length };
}

/**
 * Whether what is done now goes on with the block: it stands as it was added, and the cursor is behind it, or in the line in
 * which it was left.
 */
const isOn = (block) => Boolean(block) && block.at !== null && (flow.caret === block.at + block.text.length || caretLine() === block.line);

/**
 * Does something after all that was done before, and gives what it gives.
 *
 * @param {() => Promise<any>} work
 * @returns {Promise<any>}
 */
function inTurn(work) {
  const done = line.then(work);
  line = done.catch(() => {});
  return done;
}

/** Does something that is recorded, and writes its steps into the flow; gives whether they are written. */
async function insertRecorded(path, wish) {
  return insertSteps((block) => ask(path, { wish, block }));
}

/** An app that the flow does not name yet. */
function nameApp(app) {
  if (!app || /^app:/m.test(area.value)) return;
  const name = area.value.match(/^name:.*\n/m);
  const at = name ? name.index + name[0].length : 0;
  replace(at, at, `app: ${app}\n`);
}

/**
 * Puts the steps that `asking` answers into the flow; it is given the first step that may still change. Those that stand
 * apart are never changed: what is done then comes behind them. Gives whether they are written.
 */
async function insertSteps(asking, isApart = false) {
  if (flow.maestro) {
    if (!isApart) await asking(null);
    tell(`${isApart ? "Not" : "Done, but not"} written: this is a flow of Maestro's. Take it over under Debug to write into it.`);
    return false;
  }
  const known = !isApart && isOn(flow.block) ? flow.block : null;
  const answer = await asking(known ? known.from : null);
  nameApp(answer.app);
  // While it was done somebody may have typed, or the file may be another.
  const stands = known && known === flow.block && known.at !== null;
  const isBehind = !stands || isOn(known);
  // Where somebody edited the block, what it holds is not written again.
  let skipped = 0;
  if (stands) skipped = known.skipped;
  else if (known) while (skipped < known.steps.length && known.steps[skipped] === answer.steps[skipped]) skipped += 1;
  const place = stands ? { ...known, gap: "" } : insertionPlace();
  const lead = place.isFirst && !skipped && answer.opening ? [answer.opening] : [];
  const lines = [...lead, ...answer.steps.slice(skipped)].join("").split("\n");
  const text = lines.map((it) => (it ? place.indent + it : "")).join("\n");
  const { gap, indent, isFirst } = place;
  const at = place.at + gap.length;
  const isThere = flow.caret === at;
  replace(place.at, place.at + (stands ? known.text.length : 0), gap + text);
  const end = at + text.length;
  const { block: from, steps } = answer;
  flow.block = isApart ? { at: end, text: "", indent, isFirst: false, from, steps: [], skipped: 0, line: null }
    : { at, text, indent, isFirst, from, steps, skipped, line: null };
  // Who writes in the editor keeps the cursor, and who moved it does too.
  if (isBehind && (document.activeElement !== area || isThere)) setCaret(end);
  else if (isBehind) flow.block.line = caretLine();
  changed();
  return true;
}
