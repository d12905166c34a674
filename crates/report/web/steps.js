// The steps of an attempt as a tree, each with its time, cost, picture and, opened, what is known of it.

/** Names that links use: a step that ran again has a number behind its path. */
function nameSteps(attempt) {
  const seen = new Map();
  attempt.steps.forEach((step) => {
    const number = (seen.get(step.path) || 0) + 1;
    seen.set(step.path, number);
    step.key = number === 1 ? step.path : step.path + "~" + number;
  });
}

function stepTree(attempt, open) {
  const roots = [];
  const stack = [];
  attempt.steps.forEach((step, index) => {
    const node = { step, index, children: [] };
    stack.length = Math.min(step.depth, stack.length);
    (stack.length ? stack[stack.length - 1].children : roots).push(node);
    stack.push(node);
  });
  const slowest = Math.max(1, ...attempt.steps.filter((step) => step.depth === 0).map((step) => step.ms));
  const context = { attempt, slowest, few: attempt.steps.length <= 60, open };
  const phases = ["setup", "steps", "on_failure", "teardown"].map((phase) => {
    const nodes = roots.filter((node) => node.step.phase === phase);
    if (!nodes.length) return null;
    return [phase !== "steps" || roots.length > nodes.length ? el("h3", {}, phase) : null, stepList(nodes, context)];
  });
  return el("div", { class: "steps" }, phases);
}

function stepList(nodes, context) {
  return el("div", { class: "step-list", role: "list" }, Parts.of(nodes.map((node) => stepRow(node, context))));
}

function isBad(node) {
  return node.step.status === "failed" || node.step.status === "warned" || !node.step.status || node.children.some(isBad);
}

function stepRow(node, context) {
  const { step } = node;
  const files = (step.files || []).map((index) => context.attempt.files[index]);
  const picture = files.find((file) => file.kind === "difference" && file.href) || files.find((file) => file.kind === "screenshot" && file.href);
  const isChosen = state.step === step.key;
  const bar = el("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = Math.min(100, (100 * step.ms) / context.slowest) + "%";
  const line = el("div", { class: "step " + (step.status || "unfinished") + (isChosen ? " chosen" : ""), "data-step": step.key },
    sign(step.status || "unfinished"),
    roundWords(step) && el("span", { class: "tag" }, roundWords(step)),
    el("a", { class: "title", href: hashOf({ step: isChosen ? undefined : step.key, tab: "steps" }), "aria-expanded": String(isChosen) }, step.title),
    picture && el("img", { class: "thumb", src: picture.href, alt: "", loading: "lazy", width: picture.size?.[0], height: picture.size?.[1] }),
    el("span", { class: "cost", title: cost(step.trips, step.dumps) }, step.trips ? step.trips + "/" + step.dumps : ""),
    el("span", { class: "took" }, bar, el("span", {}, !step.status || step.status === "skipped" ? "" : duration(step.ms))));
  const row = el("li", {}, line);
  if (isChosen) row.append(stepBody(step, files, context.attempt));
  if (node.children.length) {
    const inner = stepList(node.children, context);
    const holdsChosen = (inside) => inside.step.key === state.step || inside.children.some(holdsChosen);
    row.append(el("details", { class: "inner", open: context.few || isBad(node) || node.children.some(holdsChosen) },
      el("summary", {}, count(node.children.length, "step")), inner));
  }
  return row;
}

/** Where a step stands, what it cost, and its snapshot. */
function stepFacts(step) {
  const { snapshot } = step;
  return el("p", { class: "facts" }, copyable(place(step)), " ", cost(step.trips, step.dumps), snapshot && [" · snapshot ",
    isOpen(snapshot) ? el("a", { href: hashOf({ step: step.key, tab: "differences" }) }, keyWords(snapshot.key)) : keyWords(snapshot.key),
    ": " + verdictWords(snapshot.verdict)]);
}

/** What is known of a step. */
function stepBody(step, files, attempt) {
  const picture = files.find((file) => file.kind === "screenshot") || files.find((file) => file.kind === "annotated");
  const rowsFile = files.find((file) => file.kind === "tsv");
  const isFailure = attempt.steps[attempt.failed_step] === step;
  return el("div", { class: "step-body" },
    stepFacts(step),
    step.failure && failureWords(step.failure),
    step.bounds && el("p", { class: "quiet" }, "acted at " + boundsOf(step.bounds).join(",")),
    isFailure
      ? null
      : (picture || rowsFile) && screenView(picture, rowsFile, step.bounds && boundsOf(step.bounds)),
    files.filter((file) => file.kind === "file" || file.kind === "video").map((file) => fileLine(file)));
}
