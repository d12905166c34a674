// What the word at the cursor or under the pointer means, from the schema of the flow language; and what `${}` stands for.

/** The pointer rests so long on a word before it is explained, in milliseconds. */
const REST = 450;
let resting = 0;
const hint = make("div", { id: "hint", className: "hint", role: "tooltip", hidden: true });
area.after(hint);

/** The key in which an offset of a text is: its name, whether it is a step's, and the step around it. */
function keyAt(text, offset) {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(begin, end < 0 ? text.length : end);
  const column = offset - begin;
  const found = [...line.matchAll(/(^\s*-\s+|^\s*|[{,]\s*)([A-Za-z_][\w.]*(?: [a-z_]+)*)(?=\s*(:|$))/g)].find((match) => {
    const from = match.index + match[1].length;
    return column >= from && column <= from + match[2].length;
  });
  if (!found) return null;
  const [, before, name] = found;
  const above = text.slice(0, begin) + line.slice(0, found.index);
  const around = [...above.matchAll(/^\s*-\s+([A-Za-z_][\w.]*(?: [a-z_]+)*)\s*:/gm)].at(-1)?.[1];
  return { name, isStep: before.includes("-"), isHeader: /^\w/.test(line) && found.index === 0, around };
}

/** What a key means, in words; nothing where it is none of the language. */
function explained(key) {
  if (!key) return "";
  const { words } = language;
  const named = (list) => (list || []).find((it) => it.name === key.name && it.about) || (list || []).find((it) => it.name === key.name);
  const step = named(words.steps);
  if (key.isStep) return step && `${key.name}: ${step.about || "a step"}`;
  if (key.isHeader) return named(words.header) && `${key.name}: ${named(words.header).about || "a key of the flow"}`;
  const own = named(words.steps.find((it) => it.name === key.around && it.keys)?.keys);
  const found = own || named(words.modifiers) || (words.selector.includes(key.name) ? { about: "a key of a selector" } : null);
  return found ? `${key.name}${own ? ` of ${key.around}` : ""}: ${found.about || "a key"}` : "";
}

/** The values of the names in the `${}` at an offset, a line each; nothing where no run has told them. */
function valuesAt(text, offset) {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(begin).split("\n", 1)[0];
  const inside = [...line.matchAll(/\$\{[^}]*\}/g)].find(({ index, 0: all }) => offset >= begin + index && offset <= begin + index + all.length);
  const names = inside?.[0].match(/[A-Za-z_]\w*/g) || [];
  return pilot.values.filter(({ name }) => names.includes(name)).map(({ name, value }) => `${name} = ${value}`).join("\n");
}

/** What stands at an offset, in words. */
const explainedAt = (text, offset) => valuesAt(text, offset) || explained(keyAt(text, offset));

/** Where the text begins in the window, and how large its characters are: all are as wide, and no line is wrapped. */
function letters() {
  const { left, top } = area.getBoundingClientRect();
  const style = getComputedStyle(area);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  return { left: left + parseFloat(style.paddingLeft), top: top + parseFloat(style.paddingTop), width: pen.measureText("m").width, height: parseFloat(style.lineHeight) };
}

/** Where in the window a place of the text is. */
function spotOf(offset) {
  const { left, top, width, height } = letters();
  const before = area.value.slice(0, offset).split("\n");
  const y = top + (before.length - 1) * height;
  return { x: left + before.at(-1).length * width, top: y, bottom: y + height };
}

/** Where in the text a point of the window is. */
function offsetAt(x, y) {
  const { left, top, width, height } = letters();
  const line = Math.floor((y - top) / height);
  const column = Math.floor((x - left) / width);
  const lines = area.value.split("\n");
  if (line < 0 || column < 0 || line >= lines.length || column > lines[line].length) return null;
  return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + column;
}

function hideHint() {
  clearTimeout(resting);
  hint.hidden = true;
}

area.addEventListener("mousemove", (event) => {
  hideHint();
  const { clientX, clientY } = event;
  resting = setTimeout(() => {
    const offset = offsetAt(clientX, clientY);
    const text = offset === null ? "" : explainedAt(area.value, offset);
    if (!text) return;
    hint.textContent = text;
    hint.hidden = false;
    placeAt(hint, clientX, clientY - 12, clientY + 16);
  }, REST);
});
for (const name of ["mouseleave", "input", "blur"]) area.addEventListener(name, hideHint);
area.addEventListener("keydown", (event) => {
  hideHint();
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  $("offer-help").textContent = explainedAt(area.value, area.selectionStart) || "There is no word of the flow language at the cursor.";
});
