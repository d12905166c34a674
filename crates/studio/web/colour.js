// The colours of the flow's text, line by line.

/** What a line is made of, the first that fits. */
const PARTS = [
  [/^#.*/, "y-comment"],
  [/^"(?:[^"\\]|\\.)*"?|^'(?:[^']|'')*'?/, "y-string"],
  [/^\$\{[^}]*\}?/, "y-value"],
  [/^[\w.][\w. -]*(?=\s*:(?:\s|$))/, "y-key"],
  [/^(?:true|false|null|-?\d+(?:\.\d+)?(?:ms|s|m|h)?)(?=[\s,\]}]|$)/, "y-value"],
];

function colouredLine(line) {
  const parts = [];
  let plain = "";
  let rest = line;
  let before = " ";
  while (rest) {
    const isBegin = /[\s,[{(-]/.test(before);
    const found = isBegin || rest.startsWith("${") ? PARTS.map(([pattern, kind]) => [rest.match(pattern)?.[0], kind]).find(([text]) => text) : null;
    const text = found ? found[0] : rest[0];
    if (found) {
      if (plain) parts.push(plain);
      plain = "";
      parts.push(make("span", { className: found[1], textContent: text }));
    } else {
      plain += text;
    }
    before = text.at(-1);
    rest = rest.slice(text.length);
  }
  if (plain) parts.push(plain);
  return parts;
}

function colour(text) {
  const lines = text.split("\n");
  $("colours").replaceChildren(...lines.flatMap((line) => [...colouredLine(line), "\n"]), "\n");
}
