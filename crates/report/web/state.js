// What is looked at: it stands in the address, so that a link shows the same to another person.

const summary = JSON.parse(document.getElementById("summary").textContent);

/** All rows of the list: flows on devices, and flows that do not read. */
const items = [
  ...(summary.unreadable || []).map((bad) => ({ ...bad, status: "error", unreadable: true, spans: [] })),
  ...summary.flows.map((flow) => ({ ...flow, picture: addressOf(flow.picture), label: summary.devices[flow.device]?.label || "" })),
];
/** As a problem of the summary names them: by their places there. */
const unreadable = items.slice(0, (summary.unreadable || []).length);
const byPlace = items.slice(unreadable.length);
items.forEach((item) => {
  item.title = (item.name || item.flow) + (item.case ? " [" + item.case + "]" : "");
  item.ms = item.spans.reduce((sum, span) => sum + span[1], 0);
  item.words = [item.name, item.flow, item.case, item.label, item.message, ...(item.tags || [])].join("\n").toLowerCase();
});
/** The render class at the end of a key: the path of a flow may hold the same sign. */
const CLASS = /~[^/]*$/;
/** Whether snapshots of several render classes are told of. */
const hasClasses = new Set(summary.flows.flatMap((flow) => flow.snapshots || []).map(({ key }) => CLASS.exec(key)?.[0]).filter(Boolean)).size > 1;

/** A snapshot's key; with its render class only where there are several. */
function keyWords(key) {
  return hasClasses ? key : key.replace(CLASS, "");
}

const ORDER = Object.keys(STATUS);
items.forEach((item, index) => (item.rank = ORDER.indexOf(item.status) * items.length + index));
items.sort((a, b) => a.rank - b.rank);

/** The statuses a person has to look at, in the list's order. */
const BAD = ["error", "failed", "interrupted", "unfinished", "quarantined", "flaky"];

const KEYS = ["flow", "case", "device", "attempt", "step", "tab", "status", "on", "tag", "q"];

let state = readState();
let followed = location.hash;

function readState() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const found = {};
  for (const key of KEYS) if (parts.get(key)) found[key] = parts.get(key);
  return found;
}

/** The address of `change` to what is looked at; filters stay. */
function hashOf(change) {
  const next = { ...state, ...change };
  const parts = new URLSearchParams();
  for (const key of KEYS) if (next[key]) parts.set(key, next[key]);
  return "#" + parts;
}

/** The address of a flow. */
function hashOfItem(item) {
  return hashOf({ flow: item.flow, case: item.case, device: item.label, attempt: undefined, step: undefined, tab: undefined });
}

const overviewHash = () => hashOf({ flow: undefined, case: undefined, device: undefined, attempt: undefined, step: undefined, tab: undefined });

/** Notes in the address what is looked at, without a new entry in the history and without drawing anew. */
function note(change) {
  history.replaceState(null, "", hashOf(change));
  state = readState();
  followed = location.hash;
}

/** Changes filters without a new entry in the history. */
function setFilter(change) {
  history.replaceState(null, "", hashOf(change));
  state = readState();
  drawHead();
  drawList();
}

function chosen() {
  if (!state.flow) return undefined;
  const same = items.filter((item) => item.flow === state.flow && item.case === state.case);
  return same.find((item) => item.label === state.device) || same[0];
}

function chosenStatuses() {
  return state.status ? state.status.split(",") : [];
}

function shown() {
  const statuses = chosenStatuses();
  const words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) =>
    (!statuses.length || statuses.includes(item.status)) &&
    (!state.on || item.label === state.on) &&
    (!state.tag || (item.tags || []).includes(state.tag)) &&
    words.every((word) => item.words.includes(word)));
}

// Each flow's data is a script of its own, which calls this.
const Report = (window.Report = { take: (key, detail) => waiting.get(key.join("\n"))?.(detail) });
const waiting = new Map();
const known = new Map();

/** All that is known of a flow; loaded once. */
function load(item) {
  const key = [item.flow, item.anywhere ? "" : item.label, item.case].join("\n");
  if (!known.has(key)) {
    known.set(key, item.data.startsWith("#") ? unpacked(item.data) : new Promise((resolve, reject) => {
      waiting.set(key, resolve);
      const script = el("script", { src: item.data });
      script.addEventListener("error", () => {
        known.delete(key);
        script.remove();
        reject(new Error("The file " + item.data + " is missing: copy the whole folder of the report."));
      });
      document.head.append(script);
    }));
  }
  return known.get(key);
}
