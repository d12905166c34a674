// A flow's file: the failing line marked, each step's ending in the margin.

/** A line of YAML: comment and key stand out. */
function yaml(line) {
  const comment = /^(\s*)#/.test(line) ? 0 : line.search(/\s#(?=\s|$)/);
  const body = comment > 0 ? line.slice(0, comment) : comment === 0 ? "" : line;
  const rest = comment >= 0 ? line.slice(comment) : "";
  const key = /^(\s*(?:- +)*)([A-Za-z_][\w ]*?)(:)(?=\s|$)/.exec(body);
  return [
    key ? [key[1], el("span", { class: "key" }, key[2]), key[3], body.slice(key[0].length)] : body,
    rest && el("span", { class: "comment" }, rest),
  ];
}

/** The lines `from..to` of a text; `marks` says what stands in the margin, `failed` where it went wrong. */
function sourceLines(text, { from = 1, to = Infinity, failed, marks = undefined, chosenLine = undefined }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const shownLines = lines.slice(from - 1, to).map((line, index) => {
    const number = from + index;
    const isFailed = failed?.line === number;
    const mark = marks?.get(number);
    return el("tr", {
      class: [isFailed ? "failed" : "", chosenLine === number ? "chosen" : ""].join(" ").trim() || undefined,
      "data-line": number,
    },
      el("td", { class: "margin" }, mark ? sign(mark) : ""),
      el("td", { class: "line" }, number),
      el("td", { class: "code" }, el("code", {}, yaml(line)),
        isFailed && el("span", { class: "caret", "aria-label": "it failed here" }, " ".repeat(failed.column - 1), "^".repeat(Math.max(1, line.trimEnd().length - failed.column + 1)))));
  });
  return el("table", { class: "source", role: "presentation" }, el("tbody", {}, shownLines));
}

/** Whether a file has the line that a place was recorded with; a secret may be masked differently in the two, and of a
 * long line only the beginning is recorded. */
function isAsRecorded(at, text) {
  const line = text.split("\n")[at.line - 1]?.replace(/\r$/, "");
  const begins = at.text?.endsWith("…") && line?.startsWith(at.text.slice(0, -1));
  return line !== undefined && (line === at.text || line.includes("***") || begins);
}

/** A few lines around a place; the line alone where the file is not known as it was then. */
function excerpt(at, sources) {
  const text = sources?.[at.file];
  const table = text === undefined || !isAsRecorded(at, text)
    ? at.text && sourceLines("\n".repeat(at.line - 1) + at.text, { from: at.line, to: at.line, failed: at })
    : sourceLines(text, { from: Math.max(1, at.line - 3), to: at.line + 2, failed: at });
  return el("figure", { class: "excerpt" }, el("figcaption", {}, copyable(place(at))), table);
}

/** The worst ending of the steps that begin on each line of a file. */
function marksOf(steps, file) {
  const worst = ["failed", "warned", "skipped", "passed"];
  const marks = new Map();
  for (const step of steps) {
    if (step.file !== file || !step.status) continue;
    const before = marks.get(step.line);
    if (!before || worst.indexOf(step.status) < worst.indexOf(before)) marks.set(step.line, step.status);
  }
  return marks;
}

/** All files of a flow, its own first; the others open where the failure is. */
function sourceFiles(item, detail, attempt) {
  const names = Object.keys(detail.sources).sort((a, b) => Number(b === item.flow) - Number(a === item.flow));
  const failed = attempt.failed_at;
  const step = attempt.steps.find((step) => step.key === state.step);
  return names.map((name) => {
    // A later run may have read it with other lines; what this attempt did stands elsewhere then.
    const isOther = attempt.steps.some((step) => step.file === name && step.text !== undefined);
    const table = sourceLines(detail.sources[name], {
      failed: failed?.file === name && !isOther ? failed : undefined,
      marks: isOther ? undefined : marksOf(attempt.steps, name),
      chosenLine: step?.file === name && !isOther ? step.line : undefined,
    });
    return el("details", { class: "file", "data-file": name, open: name === item.flow || failed?.file === name },
      el("summary", {}, name),
      isOther && el("p", { class: "quiet" }, "The file as a later run read it: it was changed after this attempt."), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Source " + name }, table));
  });
}
