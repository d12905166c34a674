// What a person sees first: how it went, what failed and why, what to do next.

function drawOverview() {
  document.title = overviewTitle();
  document.getElementById("main").replaceChildren(...[
    runHead(),
    causes(),
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
  return totals || "Test report";
}

function runHead() {
  const bad = items.filter((item) => ["error", "failed", "interrupted", "unfinished", "not_run"].includes(item.status)).length;
  const flaky = items.filter((item) => item.status === "flaky").length;
  const words = bad ? bad + " of " + count(items.length, "flow") + " did not pass"
    : passedWords();
  const open = summary.flows.flatMap((flow) => flow.snapshots || []).filter((snapshot) => snapshot.verdict !== "unstable");
  return el("section", { class: "run-head", "aria-label": "Result" },
    el("h2", {}, words, flaky > 0 && !bad && ", " + flaky + " at a later attempt"),
    el("p", { class: "facts" }, [moment(summary.started), duration(summary.ms), count(summary.devices.length, "device"), exitWords()].filter(Boolean).join(" · ")),
    open.length > 0 && nextForSnapshots(open));
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
  return el("a", { href: hashOfItem(item) }, snapshot.key + (sharesName(item) ? " on " + item.label : ""));
}

function causes() {
  const ids = [...new Set(items.flatMap((item) => (item.snapshots || []).map((snapshot) => snapshot.cause?.id).filter(Boolean)))];
  const groups = ids.map(sameCause).filter((group) => group.length > 1).sort((a, b) => b.length - a.length);
  if (!groups.length) return null;
  return section("causes", "Changed for the same reason", groups.map((group) => {
    const { cause } = group[0].snapshot;
    return el("div", { class: "cause" },
      el("p", {}, el("strong", {}, count(group.length, "snapshot")), " ", el("span", { class: "tag" }, cause.kind), " ", cause.title),
      el("p", { class: "links" }, group.slice(0, 12).map(snapshotLink),
        group.length > 12 && "and " + (group.length - 12) + " more"));
  }));
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

/** The failures, most serious first; the rest is in the list. */
const CARDS = 100;

/** Snapshots that the message of a flow is not about: it goes on after one that is not its golden. */
function moreSnapshots(item) {
  return (item.snapshots || []).length - (item.ended_otherwise ? 0 : 1);
}

/** Flows that ended the same way for the same reason. */
function sameReason(bad) {
  const groups = new Map();
  for (const item of bad) {
    const cause = !item.ended_otherwise && (item.snapshots || []).find((snapshot) => snapshot.cause)?.cause.id;
    const why = item.unreadable ? item.flow : cause || (item.message || notRun(item)) + "\n" + (item.at?.text.trim() || "");
    const key = item.status + "\n" + why;
    groups.set(key, [...(groups.get(key) || []), item]);
  }
  return [...groups.values()];
}

function failures() {
  const bad = sameReason(items.filter((item) => BAD.includes(item.status)));
  if (!bad.length) return null;
  return section("failures", "What went wrong",
    el("ul", { class: "cards" }, bad.slice(0, CARDS).map(([item, ...others]) => el("li", { class: "card " + item.status },
      el("div", { class: "words" },
        el("p", { class: "card-title" }, sign(item.status), el("a", { href: hashOfItem(item) }, item.title),
          el("span", { class: "quiet" }, [item.name && item.flow, summary.devices.length > 1 && item.label].filter(Boolean).join(" · "))),
        item.unreadable ? el("pre", { class: "output", tabindex: "0" }, item.message) : el("p", { class: "message" }, item.message || notRun(item)),
        item.at && !item.unreadable && el("p", { class: "at" }, el("code", {}, place(item.at)), el("code", { class: "quiet" }, item.at.text.trim())),
        moreSnapshots(item) > 0 && el("p", { class: "quiet" }, "and " + count(moreSnapshots(item), "more snapshot") + " not as the golden"),
        others.length > 0 && el("p", { class: "links" }, el("span", {}, "and for the same reason"), flowLinks(others))),
      item.picture && el("a", { class: "shot", href: hashOfItem(item), tabindex: "-1", "aria-hidden": "true" },
        el("img", { src: item.picture, alt: "", loading: "lazy" }))))),
    bad.length > CARDS && el("p", { class: "quiet" }, "and " + (bad.length - CARDS) + " more, in the list"));
}

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
