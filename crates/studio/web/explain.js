// What the word at the cursor or under the pointer means, as the server tells; and what `${}` stands for.

/** The pointer rests so long on a word before it is explained, in milliseconds. */
const REST = 450;
let resting = 0;
const hint = make("div", { id: "hint", className: "hint", role: "tooltip", hidden: true });
area.after(hint);

/** The values of the names in the `${}` at an offset, a line each; nothing where no run has told them. */
function valuesAt(text, offset) {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(begin).split("\n", 1)[0];
  const inside = [...line.matchAll(/\$\{[^}]*\}/g)].find(({ index, 0: all }) => offset >= begin + index && offset <= begin + index + all.length);
  const names = inside?.[0].match(/[A-Za-z_]\w*/g) || [];
  return pilot.values.filter(({ name }) => names.includes(name)).map(({ name, value }) => `${name} = ${value}`).join("\n");
}

/** What stands at an offset, in words; empty where there is nothing to tell. */
async function explainedAt(text, offset) {
  try {
    return valuesAt(text, offset) || (await ask("hover", { before: text.slice(0, offset), behind: text.slice(offset) })).text;
  } catch {
    return "";
  }
}

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
  resting = 0;
  hint.hidden = true;
}

area.addEventListener("mousemove", (event) => {
  hideHint();
  const { clientX, clientY } = event;
  const mine = setTimeout(async () => {
    const offset = offsetAt(clientX, clientY);
    const text = offset === null ? "" : await explainedAt(area.value, offset);
    // The pointer went on meanwhile.
    if (!text || mine !== resting) return;
    hint.textContent = text;
    hint.hidden = false;
    placeAt(hint, clientX, clientY - 12, clientY + 16);
  }, REST);
  resting = mine;
});
for (const name of ["mouseleave", "input", "blur"]) area.addEventListener(name, hideHint);
area.addEventListener("keydown", async (event) => {
  hideHint();
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  $("offer-help").textContent = (await explainedAt(area.value, area.selectionStart)) || "There is no word of the flow language at the cursor.";
});
