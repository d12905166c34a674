// A failure in words.

/** The process that crashed or hangs, and its calls. */
function crashView(crash) {
  const process = "process " + crash.process + (crash.pid === undefined ? "" : " (pid " + crash.pid + ")");
  return el("pre", { class: "detail crash", tabindex: "0" }, [process, ...(crash.stack || []).map((call) => "  " + call)].join("\n"));
}

/** A failure in words. What a snapshot's own list says is not said twice. */
function failureWords(failure, snapshot) {
  const said = snapshot ? snapshot.changes : [];
  const details = (failure.details || []).filter((detail) => !said.includes(detail));
  const both = failure.expected !== undefined && failure.actual !== undefined;
  const parts = both ? marked(failure.expected, failure.actual) : [failure.expected, failure.actual];
  const value = (name, text) => text !== undefined && el("div", { class: name }, el("dt", {}, name), el("dd", {}, text));
  return el("div", { class: "failure" },
    el("p", { class: "message" }, failure.message,
      failure.waited && el("span", { class: "waited" }, " after " + duration(failure.waited.ms).replace(".0s", "s") + (failure.waited.virtual ? ", virtual" : ""))),
    (failure.expected !== undefined || failure.actual !== undefined) &&
      el("dl", { class: "values" }, value("expected", parts[0]), value("actual", parts[1])),
    details.map((detail) => el("pre", { class: "detail" }, detail)),
    failure.crash && crashView(failure.crash));
}

/** Two texts, the words that differ marked. */
function marked(before, after) {
  const parts = window.Words.differ(before, after);
  if (!parts.some(([kind]) => kind === "same")) return [before, after];
  const side = (own) => parts.filter(([kind]) => kind === "same" || kind === own).map(([kind, text]) => (kind === "same" ? text : el("mark", {}, text)));
  return [side("removed"), side("added")];
}
