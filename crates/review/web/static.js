// What the page asks, where no server answers: it was written into files, and decisions stay in it until they are taken
// along. `REVIEW` is in queue.js; each case is a script of its own, for a page on disk cannot read files.
/* global REVIEW */

/** The page's name in the title. */
const PAGE = "Review · runner";
const TAKE_BACK = "u takes it back.";
const MASK_TITLE = "";
const HOW_TO_MASK = "Masks are written where the flows are: run `runner review --from` there.";
const EMPTY = { done: "Now download the decisions, or copy them as a comment.", none: ["Nothing waits for review."] };

const thumbnailOf = (item) => `pictures/${REVIEW.cases[item.key]}-thumbnail.png`;
const pictureOf = (found, name) => `pictures/${REVIEW.cases[found.key]}-${name}.png`;

/** Whether an item belongs on this page. */
const isWanted = (_item) => true;

/** A mask was written, or is not any more. */
const masked = (_keys) => {};

/** What was decided, oldest first: steps of keys, each with its choice. */
let steps = [];
const store = `runner-review-${REVIEW.archive}`;
try { steps = readSteps(JSON.parse(localStorage.getItem(store) || "[]")); } catch { /* a browser may keep nothing for files */ }

/** What an earlier visit left, as far as this page knows it. */
function readSteps(stored) {
  const known = new Set(REVIEW.queue.groups.flatMap((group) => group.items.map((item) => item.key)));
  return stored.map(({ choice, keys }) => ({ choice: choice === "accept" ? "accept" : "reject", keys: keys.filter((key) => known.has(key)) })).filter((step) => step.keys.length);
}

const choices = () => new Map(steps.flatMap(({ choice, keys }) => keys.map((key) => [key, choice])));

function keep() {
  try { localStorage.setItem(store, JSON.stringify(steps)); } catch { /* as above */ }
}

/** How many wait was told. */
function counted() {
  const decided = choices().size;
  state.decided = decided;
  $("finish").hidden = !decided;
  $("take").textContent = `Take ${count(decided, "decision")} along`;
}

const cases = new Map();

/** Called by the script of a case. */
Object.assign(window, { takeCase: (key, found) => cases.get(key)?.(found) });

function loadCase(key) {
  const number = REVIEW.cases[key];
  if (number === undefined) return Promise.reject(Object.assign(new Error(`${key} is not on this page.`), { status: 404 }));
  return new Promise((resolve, reject) => {
    const script = make("script", { src: `cases/${number}.js` });
    const end = () => {
      cases.delete(key);
      script.remove();
    };
    cases.set(key, (found) => {
      end();
      // Nothing is masked from here.
      found.rows.forEach((row) => { row.maskable = false; });
      resolve(found);
    });
    script.onerror = () => {
      end();
      reject(new Error(`cases/${number}.js is not beside this page: download the whole folder.`));
    };
    document.head.append(script);
  });
}

/** What still waits. */
function queueNow() {
  const made = choices();
  const groups = REVIEW.queue.groups.map((group) => ({ ...group, items: group.items.filter((item) => !made.has(item.key)) })).filter((group) => group.items.length);
  return { version: "1", groups, total: groups.reduce((sum, group) => sum + group.items.length, 0) };
}

function decideHere(choice, keys) {
  steps.push({ choice, keys });
  keep();
  return { keys, refused: [] };
}

async function ask(path, body) {
  const [, what, rest] = /^api\/(\w+)\/?(.*)$/.exec(path) || [];
  switch (what) {
    case "queue": return queueNow();
    case "case": return loadCase(decodeURIComponent(rest));
    case "accept": case "reject": return decideHere(what, Object.keys(body.seen));
    case "undo": {
      const keys = steps.pop()?.keys || [];
      keep();
      return { keys, mask: null };
    }
    case "mask": throw new Error(HOW_TO_MASK);
    // Nothing changes by itself.
    default: return new Promise(() => {});
  }
}

/** Longest line that a comment takes: GitHub allows 65,536 characters. */
const LONGEST = 60000;

const decisionFile = () => ({
  "runner-decisions": 1, run: REVIEW.run, commit: REVIEW.commit, archive: REVIEW.archive,
  decisions: [...choices()].map(([snapshot, decision]) => ({ snapshot, golden: REVIEW.sides[snapshot][0], actual: REVIEW.sides[snapshot][1], decision })),
});

function decisionLine() {
  const of = (wanted) => [...choices()].filter(([, choice]) => choice === wanted).map(([key]) => key);
  return `/runner decide ${JSON.stringify({ run: REVIEW.run, commit: REVIEW.commit, archive: REVIEW.archive, accept: of("accept"), reject: of("reject") })}`;
}

function openTake() {
  const line = decisionLine();
  const fits = line.length <= LONGEST;
  const made = [...choices().values()];
  const number = (wanted) => made.filter((choice) => choice === wanted).length;
  $("take-words").textContent = `${number("accept")} accepted, ${number("reject")} rejected, ${state.queue.total} not decided.`;
  $("take-line").value = fits ? line : "";
  $("take-comment").hidden = !fits;
  $("take-long").hidden = fits;
  $("take-dialog").showModal();
}

function download() {
  const bytes = new Blob([`${JSON.stringify(decisionFile(), null, 1)}\n`], { type: "application/json" });
  const link = make("a", { href: URL.createObjectURL(bytes), download: "decisions.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function copyLine() {
  $("take-line").select();
  try {
    await navigator.clipboard.writeText($("take-line").value);
    $("take-copied").textContent = "Copied.";
  } catch {
    $("take-copied").textContent = "The browser does not let this page copy: press Ctrl-C.";
  }
}

$("take").addEventListener("click", openTake);
$("take-file").addEventListener("click", download);
$("take-copy").addEventListener("click", copyLine);
