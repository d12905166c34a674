// What is asked of the server, and what it tells.

/** What the page knows. All of it comes from the server, and is asked for again when the page comes back. */
const state = {
  /** The newest picture, and the one that is shown. Those up to `elsewhere` are of a device that was shown before. */
  newest: null, shown: null, elsewhere: 0,
  /** When the picture was known to be what the device shows, and the newest picture whose rows are read. */
  confirmed: 0, newestLook: null,
  /** Rows: of which picture, and what they are. */
  look: null,
  /** A picture of what was done, that is looked at instead of the live one. */
  past: null,
  mode: "act", picked: null, matches: [], lit: null,
  moments: { first: 0, steps: [], done: [], variables: [], left_out: 0 },
  device: { state: "waiting" },
  /** The last news that was heard, and which start of the server told it: all numbers begin anew in each. */
  heard: null, start: null,
};

function ask(path, body) {
  return send(path, body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function fetched(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer: `runner studio` has ended. Start it again and open its address.");
  }
  if (response.ok) return response;
  // The studio refuses in JSON, and who lets in before it in plain words.
  const text = await response.text();
  let answer = null;
  try { answer = JSON.parse(text); } catch { /* plain words */ }
  throw new Error(answer?.error || text.trim() || response.statusText);
}

const send = async (path, options) => (await fetched(path, options)).json();

let source = null;
let again = 0;
/** Why no news come, as it was told: once. */
let trouble = "";

function setTrouble(text) {
  if (text === trouble) return;
  trouble = text;
  drawDevice();
  drawAge();
}

/** Listens while the page is seen, and no longer: nobody takes pictures for a hidden page. */
function listen() {
  clearTimeout(again);
  if (document.hidden) {
    source?.close();
    source = null;
    return;
  }
  if (source) return;
  const mine = new EventSource(state.heard === null ? "events" : `events?from=${state.heard}`);
  source = mine;
  // There may be no news since the last that was heard.
  mine.onopen = () => source === mine && setTrouble("");
  mine.onmessage = (message) => {
    if (source !== mine) return;
    state.heard = message.lastEventId;
    hear(JSON.parse(message.data));
  };
  mine.onerror = () => {
    if (source !== mine) return;
    mine.close();
    source = null;
    why();
  };
}

/** Says why no news come, and tries again. */
async function why() {
  const stop = new AbortController();
  try {
    await fetched("events", { signal: stop.signal });
  } catch (error) {
    setTrouble(error.message);
  }
  stop.abort();
  again = setTimeout(listen, 2000);
}

document.addEventListener("visibilitychange", listen);
