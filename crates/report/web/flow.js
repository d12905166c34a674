// One flow on one device: why it failed, what it did, where it is written, and on what it ran.

function drawFlow(item) {
  const main = document.getElementById("main");
  if (item.unreadable) return main.replaceChildren(...unreadablePage(item));
  if (!item.data) return main.replaceChildren(...flowHead(item), el("p", {}, notRun(item)));
  main.setAttribute("aria-busy", "true");
  return load(item).then(
    (detail) => {
      if (chosen() !== item) return;
      main.replaceChildren(...flowHead(item), ...flowPage(item, detail));
      main.removeAttribute("aria-busy");
    },
    (error) => {
      main.replaceChildren(...flowHead(item), el("p", { class: "missing" }, error.message));
      main.removeAttribute("aria-busy");
    });
}

function notRun(item) {
  if (summary.left_out?.flows && item.spans.length) return "Its steps are not in this file; a report in a folder has them.";
  if (item.status === "unfinished") return "It had begun and not ended when the run was cut off.";
  const why = { user: "the run was stopped by the user", fail_fast: "the run was stopped by --fail-fast", unfit: "a flow fits no device" }[summary.stopped];
  return "It was not run: " + (why || (summary.exit_code === undefined ? "the run was cut off or is not over" : "the run ended before")) + ".";
}

function backLink() {
  return el("p", { class: "back" }, el("a", { href: overviewHash() }, "← All flows"));
}

function flowHead(item) {
  const facts = [
    item.name && item.flow,
    appWords(item),
    item.label,
    item.spans.length && duration(item.ms),
    item.spans.length > 1 && item.spans.length + " attempts",
    item.trips && cost(item.trips, item.dumps),
  ].filter(Boolean);
  document.title = [item.title, STATUS[item.status][0], projectName(), "runner"].filter(Boolean).join(" · ");
  return [
    backLink(),
    el("div", { class: "flow-head" },
      el("h2", { class: "flow-title" }, item.title),
      el("span", { class: "badge " + item.status }, STATUS[item.status][0]),
      (item.tags || []).map((tag) => el("span", { class: "tag" }, tag)),
      el("p", { class: "facts" }, facts.join(" · "))),
    otherDevices(item),
  ].filter(Boolean);
}

/** How the same flow went elsewhere. */
function otherDevices(item) {
  const others = items.filter((other) => other !== item && other.flow === item.flow && other.case === item.case && !other.unreadable);
  return others.length > 0 && el("p", { class: "links" }, el("span", {}, "The same flow on"),
    others.map((other) => el("span", {}, sign(other.status), el("a", { href: hashOfItem(other) }, other.label))));
}

function unreadablePage(item) {
  const sources = item.source === undefined ? undefined : { [item.flow]: item.source };
  return [...flowHead(item), section("failure", "Does not read", el("pre", { class: "output", tabindex: "0" }, item.message),
    item.at && excerpt(item.at, sources))];
}

function flowPage(item, detail) {
  comparing?.destroy();
  comparing = null;
  detail.attempts.forEach(nameSteps);
  const failed = [...detail.attempts].reverse().find((attempt) => attempt.failure);
  const attempt = detail.attempts.find((attempt) => String(attempt.number) === state.attempt) || failed || detail.attempts.at(-1);
  if (!attempt) return [el("p", {}, notRun(item))];
  return [
    detail.attempts.length > 1 && attemptTabs(detail, attempt),
    attempt.failure && failureSection(attempt),
    ...tabs(item, detail, attempt),
  ].filter(Boolean);
}

/** Beneath the failure one thing at a time: what answers most stands first and is open. */
function tabs(item, detail, attempt) {
  const { steps, files = [] } = attempt;
  const of = (kind) => files.find((file) => file.kind === kind);
  const open = steps.filter((step) => step.snapshot && isOpen(step.snapshot));
  const failedStep = steps[attempt.failed_step];
  const sources = sourceFiles(item, detail, attempt);
  const hasScreen = attempt.failure && (of("screenshot") || of("tsv")) && !open.includes(failedStep);
  const log = logSection(attempt);
  const parts = [
    hasScreen && ["screen", "Screen", [screenView(of("screenshot"), of("tsv"), failedStep?.bounds && boundsOf(failedStep.bounds), nearMisses(attempt.failure))]],
    open.length > 0 && ["differences", "Differences", [differences(open, failedStep, files)], open.length],
    steps.length > 0 && ["steps", "Steps", [walk(attempt) || stepTree(attempt)], steps.length],
    sources.length > 0 && ["source", "Source", sources],
    attempt.video?.length > 0 && ["video", "Video", filmView(attempt.video, steps)],
    log && ["log", "Log", log],
    ["about", "About", [pastSection(item), filesSection(attempt), section("device", "Device and app", deviceFacts(summary.devices[item.device], [item], attempt.session))]],
  ].filter(Boolean);
  // A step of the address is among the steps, unless the address says where.
  const wanted = parts.find(([id]) => id === (state.tab || (state.step && "steps"))) || parts[0];
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "What is shown of the flow" }, parts.map(([id, words, , number]) =>
    el("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": id, "data-tab": id, "aria-selected": String(id === wanted[0]),
      tabindex: id === wanted[0] ? "0" : "-1", onclick: () => chooseTab(id) }, words, number > 1 && el("span", { class: "number quiet" }, number))));
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    nextTab(by);
    focusOn('[role="tab"][aria-selected="true"]');
  });
  return [list, ...parts.map(([id, , content]) =>
    el("div", { class: "panel", role: "tabpanel", id, "aria-labelledby": "tab-" + id, tabindex: "0", hidden: id !== wanted[0] }, content))];
}

/** Where the nearest matches of a selector are, as the failure tells it. */
function nearMisses(failure) {
  return (failure.details || []).map((line) => /^near miss: .* at (-?\d+(?:,-?\d+){3})\b/.exec(line)?.[1].split(",").map(Number)).filter(Boolean);
}

function chooseTab(id) {
  note({ tab: id });
  showTab();
}

/** Shows the tab of the address, else the first. */
function showTab() {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);
  const wanted = all.find((tab) => tab.dataset.tab === state.tab) || all[0];
  for (const tab of all) {
    tab.setAttribute("aria-selected", String(tab === wanted));
    tab.tabIndex = tab === wanted ? 0 : -1;
    document.getElementById(tab.dataset.tab).hidden = tab !== wanted;
  }
}

function nextTab(by) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);
  if (!all.length) return;
  const at = all.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  chooseTab(all[(at + by + all.length) % all.length].dataset.tab);
}

/** What was recorded of the attempt, from the step of the address, else from the one that failed it. */
function walk(attempt) {
  if (!attempt.trace?.frames.length) return null;
  const chosenStep = attempt.steps.findIndex((step) => step.key === state.step);
  return walkView(attempt, chosenStep >= 0 ? chosenStep : attempt.failed_step, {
    beside: ({ step }) => stepFacts(step),
    failure: ({ step }) => el("p", { class: "walk-failure" }, shortened(step.failure, step.snapshot).message),
    chosen: ({ step }, byPerson) => byPerson && note({ step: step.key, tab: "steps" }),
  });
}

/** How the flow did in earlier runs: rates, durations, and since when it fails. */
function pastSection(item) {
  const past = item.past;
  if (!past || !past.results) return null;
  const percent = (share) => (share < 1 ? Math.floor(share * 100) : 100) + " %";
  const facts = [
    percent(past.pass_rate) + " of " + count(past.results, "result") + " passed",
    past.flaky > 0 && percent(past.flake_rate) + " only after a failure",
    past.median_ms !== undefined && "takes " + duration(past.median_ms),
    past.slower !== undefined && Math.abs(past.slower) >= 0.1 &&
      Math.round(Math.abs(past.slower) * 100) + " % " + (past.slower > 0 ? "slower" : "faster") + " than before",
  ].filter(Boolean);
  const longest = Math.max(1, ...past.points.map(([, ms]) => ms));
  const bars = past.points.map(([status, ms]) => {
    const bar = el("span", { class: "past-bar " + status, title: STATUS[status][0] + ", " + duration(ms) });
    bar.style.height = Math.max(8, Math.round((ms / longest) * 100)) + "%";
    return bar;
  });
  const words = "The newest " + count(past.points.length, "result") + ", oldest first: " +
    past.points.map(([status, ms]) => STATUS[status][0] + " " + duration(ms)).join(", ");
  return section("past", "Earlier runs",
    el("p", { class: "facts" }, facts.join(" · ")),
    el("div", { class: "past", role: "img", "aria-label": words }, bars),
    el("p", { class: "past-legend" }, "Oldest first; the highest bar took " + duration(longest) + "."),
    past.bad_since && el("p", { class: "facts" }, "Fails since " + Time.moment(past.bad_since.started) + ", in " + count(past.bad_since.runs, "run") + "."));
}

function attemptTabs(detail, current) {
  return el("div", { class: "attempts", role: "group", "aria-label": "Attempts" }, detail.attempts.map((attempt) =>
    el("a", { href: hashOf({ attempt: attempt.number, step: undefined }), "aria-current": attempt === current ? "true" : undefined },
      sign(attempt.status === "flaky" ? "passed" : attempt.status || "unfinished"), "Attempt " + attempt.number + (attempt.device ? " on " + attempt.device : "") + " · " + duration(attempt.ms))));
}

/** Why it failed: the message, the nearest matches, where. Its pictures stand in the tabs. */
function failureSection(attempt) {
  const step = attempt.steps[attempt.failed_step];
  const where = { setup: "Failed in setup", teardown: "Failed in teardown" }[step?.phase];
  const at = attempt.failed_at;
  const made = section("failure", attempt.status === "skipped" ? "Skipped" : where || "Failure",
    failureWords(shortened(attempt.failure, step?.snapshot), step?.snapshot),
    step?.snapshot && causeWords(step.snapshot),
    at && el("p", { class: "at" }, copyable(place(at)), el("code", { class: "quiet" }, at.text.trim())));
  if (!where) made.querySelector("h2").classList.add("unseen");
  return made;
}

/** A failure about a snapshot, without the render class where it tells nothing. */
function shortened(failure, snapshot) {
  const key = snapshot?.key;
  return key && keyWords(key) !== key ? { ...failure, message: failure.message.replace(key, keyWords(key)) } : failure;
}

const isOpen = ({ verdict }) => verdict !== "passed" && verdict !== "written";

/** One snapshot that is not as its golden: that of the address, else the one that ended the flow. */
function differences(open, failedStep, files) {
  const step = open.find((one) => one.key === state.step) || open.find((one) => one === failedStep) || open[0];
  const its = (step.files || []).map((index) => files[index]);
  return snapshotView(step.snapshot, its.length ? its : files, [otherSnapshots(open, step), step !== failedStep && causeWords(step.snapshot), snapshotWords(step.snapshot)]);
}

/** All snapshots that are not as their goldens: a flow goes on after one. */
function otherSnapshots(open, step) {
  if (open.length < 2) return null;
  return el("div", { class: "others" },
    el("h3", {}, count(open.length, "snapshot") + " not as the golden"),
    el("ul", {}, open.map((one) => el("li", {}, el("a", { href: hashOf({ step: one.key, tab: "differences" }), "aria-current": one === step ? "true" : undefined }, keyWords(one.snapshot.key))))));
}

function verdictWords(verdict) {
  return { passed: "passed", written: "written", new: "there is no golden yet", differs: "differs from its golden",
    unstable: "the screen did not come to rest", mask_changed: "its masks are not the golden's" }[verdict] || verdict;
}

/** Why a snapshot changed, who else changed so, and what to do. */
function causeWords(result) {
  const here = chosen();
  const same = result.cause && sameCause(result.cause.id).filter((other) => other.item !== here);
  return [
    result.cause && el("p", { class: "cause" }, el("span", { class: "badge " + result.cause.kind }, result.cause.kind), " ", result.cause.title,
      same.length > 0 && el("span", { class: "quiet" }, " · for the same reason: ", same.slice(0, 5).map((other, index) => [index ? ", " : "", snapshotLink(other)]),
        same.length > 5 && " and " + (same.length - 5) + " more")),
    result.verdict !== "unstable" && nextForSnapshots([{ pending: (result.pending || []).length > 0 }]),
  ];
}

/** What changed in a snapshot. */
function snapshotWords(result) {
  return el("div", { class: "changes" },
    el("h3", {}, result.verdict === "new" ? "New" : result.changes.length ? "What changed" : verdictWords(result.verdict)),
    changeList(result.changes));
}

/** What only an exact eye asks for: rectangles, moves and pixels. */
const IS_NUMBERS = /^picture: |: bounds -?\d|moved by [-+\d]|: \d+ px at |^\d+ px at /;

/** So many changes are told at once. */
const CHANGES = 12;

/** Changes in words; those in numbers are folded. A text that became another has marked what differs. */
function changeList(changes) {
  const words = changes.filter((change) => !IS_NUMBERS.test(change));
  const numbers = changes.filter((change) => IS_NUMBERS.test(change));
  const list = (some) => el("ul", {}, some.map((change) => el("li", {}, changeWords(change))));
  return [
    words.length > 0 && list(words.slice(0, CHANGES)),
    words.length > CHANGES && el("details", {}, el("summary", {}, count(words.length - CHANGES, "more change")), list(words.slice(CHANGES))),
    numbers.length > 0 && el("details", { class: "numbers", open: !words.length && numbers.length < 6 },
      el("summary", {}, words.length ? "In numbers" : "Only in the picture, in numbers"), list(numbers)),
  ];
}

function changeWords(change) {
  const [, name, before, after] = /^(.*: \w+ )"(.*)" → "(.*)"$/s.exec(change) || [];
  return name === undefined ? change : [name, window.Words.shown(visible(before), visible(after))];
}

/** What to do about snapshots that did not pass. */
function nextForSnapshots(snapshots) {
  const them = snapshots.length > 1 ? "them" : "it";
  const way = snapshots.some((snapshot) => snapshot.pending)
    ? [copyable("runner review"), " in the project’s folder accepts or rejects " + them]
    : summary.host?.ci
      ? ["download this run’s artifacts, then ", copyable("runner review --from artifacts.zip"), " in the project’s folder accepts or rejects " + them + " as this machine rendered " + them]
      : [copyable("runner review --from " + summary.artifacts), " in the project’s folder accepts or rejects " + them];
  return el("p", { class: "next" }, "Next: ", way, ".");
}

function logSection(attempt) {
  const logs = (attempt.files || []).filter((file) => file.kind === "log");
  if (!attempt.log?.length && !logs.length) return null;
  return [
    attempt.log?.length > 0 && el("ul", { class: "notes" }, attempt.log.map(([level, text]) => el("li", { class: level }, text))),
    logs.map((file) => file.text === undefined ? fileLine(file)
      : el("details", { open: true }, el("summary", {}, file.path.split("/").pop() + " of the app"),
        el("pre", { class: "output", tabindex: "0" }, file.text))),
  ];
}

function filesSection(attempt) {
  if (!attempt.files?.length) return null;
  return section("files", "Files", el("ul", { class: "files" }, attempt.files.map((file) => el("li", {}, fileLine(file)))),
    attempt.files.filter((file) => file.kind === "video" && file.href).map((file) =>
      el("video", { src: file.href, controls: true, preload: "metadata", "aria-label": "Video of the attempt" })));
}

function fileLine(file) {
  if (file.missing) return missing(file);
  const name = file.path.split("/").pop();
  if (!file.href) return el("span", {}, name, el("span", { class: "quiet" }, " " + file.kind.replace("_", " ")));
  const isSafe = !file.href.endsWith(".bin");
  return el("span", {}, el("a", { href: file.href, target: isSafe ? "_blank" : undefined, rel: "noopener", download: isSafe ? undefined : name }, name),
    el("span", { class: "quiet" }, " " + file.kind.replace("_", " ")));
}

/** `com.example.notes 1.4.2 (31)`: the app that a flow tests. */
function appWords(item) {
  return [item.app, item.app_version].filter(Boolean).join(" ");
}

/** A link to another server; what a stream gives as its address may be anything. */
function outsideLink(address) {
  return address && (/^https?:\/\//.test(address) ? el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address) : address);
}

/** A device, the apps that these flows tested on it, and the session in which a server lent it. */
function deviceFacts(device, flows, session) {
  const display = device.display;
  // A flow that was cut off cannot tell the version; others may.
  const isTold = ({ app }) => flows.some((other) => other.app === app && other.app_version);
  const apps = [...new Set(flows.filter((item) => item.app && (item.app_version || !isTold(item))).map(appWords))];
  return el("dl", { class: "facts-list" }, [
    ["Label", device.label],
    [apps.length > 1 ? "Apps" : "App", apps],
    ["Model", device.model && [device.manufacturer, device.model].filter(Boolean).join(" ")],
    ["Android", device.release && device.release + " (API " + device.sdk + ")"],
    ["Display", display && display.width + "×" + display.height + " at " + display.density + " dpi"],
    ["Locale", device.locale],
    ["Theme", typeof device.dark === "boolean" && (device.dark ? "dark" : "light")],
    ["Font size", device.font_scale_percent && device.font_scale_percent + " %"],
    ["Driver", device.driver],
    ["Session", session?.id],
    ["Dashboard", outsideLink(session?.dashboard)],
    ["Video", outsideLink(session?.video)],
    ["Kind", device.model && (device.virtual_device ? "virtual device" : device.emulator ? "emulator" : "phone")],
  ].filter(([, value]) => value && value.length !== 0).map(([name, value]) =>
    el("div", {}, el("dt", {}, name), [value].flat().map((one) => el("dd", {}, one)))));
}
