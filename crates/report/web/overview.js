// What a person sees first: how it went, what failed and why, what to do next.

function drawOverview() {
  document.title = overviewTitle();
  document.getElementById("main").replaceChildren(...[
    runHead(),
    failures(),
    timeline(),
    slowest(),
    summary.log && section("notes", "Notes", el("ul", { class: "notes" }, summary.log.map((line) => el("li", { class: line.level }, line.message)))),
    section("devices", "Devices and apps", summary.devices.map((device) => deviceFacts(device, items.filter((item) => item.label === device.label)))),
    section("run", "Run", runFacts()),
  ].filter(Boolean));
}

function overviewTitle() {
  const totals = ORDER.map((status) => [items.filter((item) => item.status === status).length, STATUS[status][0]])
    .filter(([number]) => number).map(([number, word]) => number + " " + (word === "error" && number > 1 ? "errors" : word)).join(", ");
  return [totals || "Test report", projectName(), "runner"].filter(Boolean).join(" · ");
}

function runHead() {
  const bad = items.filter((item) => ["error", "failed", "interrupted", "unfinished", "not_run"].includes(item.status)).length;
  const flaky = items.filter((item) => item.status === "flaky").length;
  const words = bad ? bad + " of " + count(items.length, "flow") + " did not pass"
    : (summary.because ? "The run failed. " : "") + passedWords();
  const open = summary.flows.flatMap((flow) => flow.snapshots || []).filter((snapshot) => snapshot.verdict !== "unstable");
  return el("section", { class: "run-head", "aria-label": "Result" },
    el("h2", {}, words, flaky > 0 && !bad && ", " + flaky + " at a later attempt"),
    el("p", { class: "facts" }, [Time.moment(summary.started), duration(summary.ms), count(summary.devices.length, "device"), exitWords()].filter(Boolean).join(" · ")),
    summary.because && el("ul", { class: "notes" }, summary.because.map((why) => el("li", { class: "error" }, why))),
    open.length > 0 && nextForSnapshots(open),
    summary.left_out && leftOutWords(summary.left_out));
}

/** What is said where nothing went wrong. */
function passedWords() {
  const skipped = items.filter((item) => item.status === "skipped").length;
  const ran = items.length - skipped;
  if (!ran) return skipped ? "No flow ran, " + skipped + " skipped" : "No flow ran";
  return (ran === 1 ? "The flow" : "All " + ran + " flows") + (skipped ? " that ran" : "") + " passed" + (skipped ? ", " + skipped + " skipped" : "");
}

function exitWords() {
  const why = { user: "stopped by the user", fail_fast: "stopped by --fail-fast", unfit: "a flow fits no device" }[summary.stopped];
  if (summary.exit_code === undefined) return "the run is not over, or was cut off: " + (why || "flows may be missing");
  return "exit code " + summary.exit_code + (why ? ", " + why : "");
}

/** Snapshots of the same cause. */
function sameCause(id) {
  return items.flatMap((item) => (item.snapshots || []).filter((snapshot) => snapshot.cause?.id === id).map((snapshot) => ({ item, snapshot })));
}

function snapshotLink({ item, snapshot }) {
  return el("a", { href: hashOfItem(item) }, keyWords(snapshot.key) + (sharesName(item) ? " on " + item.label : ""));
}

/** Links to some of these, and how many there are more. */
function flowLinks(list) {
  return [list.slice(0, 12).map(flowLink),
    list.length > 12 && el("span", {}, "and " + (list.length - 12) + " more, in the list")];
}

/** A flow by its name, with its device where it ran on several. */
function flowLink(item) {
  return el("a", { href: hashOfItem(item) }, item.title + (sharesName(item) ? " on " + item.label : ""));
}

const sharesName = (item) => summary.devices.length > 1 && items.some((other) => other !== item && other.flow === item.flow && other.case === item.case);

/** So many cards are shown; the rest is in the list. */
const CARDS = 100;

/** What went wrong, as the terminal groups it: what several flows or snapshots share comes first. */
function failures() {
  const told = (summary.problems || []).map((problem) => ({ ...problem, items: problem.unreadable === undefined ? problem.flows.map((place) => byPlace[place]) : [unreadable[problem.unreadable]] }));
  const size = ({ status, items, keys }) => (status === "flaky" ? 0 : Math.max(items.length, keys?.length || 0));
  told.sort((a, b) => size(b) - size(a));
  const isTold = new Set(told.flatMap(({ items }) => items));
  const others = items.filter((item) => BAD.includes(item.status) && !isTold.has(item))
    .map((item) => ({ status: item.status, title: item.message || notRun(item), details: [], items: [item], at: item.at }));
  const all = [...told, ...others];
  if (!all.length) return null;
  return section("failures", "What went wrong",
    el("ul", { class: "cards" }, all.slice(0, CARDS).map(card)),
    all.length > CARDS && el("p", { class: "quiet" }, "and " + (all.length - CARDS) + " more, in the list"));
}

/** One problem: what it is, the nearest matches or what changed, where, and whom it met. */
function card({ status, title, details, items: [item, ...others], at, waited, cause, keys }) {
  const snapshots = new Set(keys || []).size;
  const words = (details || []).filter((line) => !IS_NUMBERS.test(line) && !isSaid(line, title));
  return el("li", { class: "card " + status },
    item.picture && el("a", { class: "shot", href: hashOfItem(item), tabindex: "-1", "aria-hidden": "true" },
      el("img", { src: item.picture, alt: "", loading: "lazy" })),
    el("div", { class: "words" },
      el("p", { class: "card-title" }, sign(status), el("span", {}, el("a", { href: hashOfItem(item) }, snapshots && !cause ? shortKeys(title, keys) : title.replace(/^error\[[\w-]+\]: /, "")),
        cause && el("span", { class: "badge " + cause.kind }, cause.kind),
        snapshots > 0 && el("span", { class: "quiet" }, count(snapshots, "snapshot") + (others.length ? " in " + count(others.length + 1, "flow") : "")))),
      item.unreadable ? el("pre", { class: "output", tabindex: "0", role: "region", "aria-label": "Why " + item.flow + " does not read" }, item.message.split("\n").slice(1).join("\n"))
        : words.length > 0 && el("ul", { class: "hints" }, words.map((line) => el("li", {}, keys ? changeWords(shortKeys(line, keys)) : line))),
      el("p", { class: "links" }, flowLinks([item, ...others]),
        at && !item.unreadable && el("span", { class: "at" }, el("code", {}, place(at)), waited && el("span", { class: "quiet" }, " after " + waited)))));
}

/** Whether a line only says again what the title says. */
const isSaid = (line, title) => line === title || /^snapshot \S+ (differs from its golden|is new)$/.test(line);

const shortKeys = (text, keys) => keys.reduce((words, key) => words.replaceAll(key, keyWords(key)), text);

function slowest() {
  const slow = items.filter((item) => item.ms).sort((a, b) => b.ms - a.ms).slice(0, 5);
  if (items.length < 5) return null;
  return section("slowest", "Slowest flows", el("ol", { class: "slow" }, slow.map((item) => el("li", {},
    flowLink(item), el("span", {}, duration(item.ms)), el("span", { class: "quiet" }, cost(item.trips, item.dumps))))));
}

function runFacts() {
  const host = summary.host;
  return el("dl", { class: "facts-list" }, [
    ["Project", summary.root],
    ["Started", summary.started],
    ["Run", summary.run],
    ["runner", summary.version],
    ["Machine", host && host.os + " " + host.arch],
    ["CI", host?.ci],
    ...(host?.facts || []),
  ].filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}
