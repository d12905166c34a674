// News, modes, and what is beside the picture.

function takePicture(picture) {
  if (picture.seq <= state.elsewhere) return;
  state.newest = picture;
  if (!state.past) showPicture(picture);
}

function takeLook(seq) {
  if (seq <= state.elsewhere) return;
  state.newestLook = seq;
  if (!state.past) showLook({ seq });
}

/** The server was started again: what its numbers meant is over. A text that only the old one had is not given up. */
function beginAnew() {
  const isDraft = !flow.path;
  flow.block = null;
  if (isDraft) Object.assign(flow, { saved: "", version: "" });
  Object.assign(deviceLog, { lines: [], next: 0, chosen: null });
  timeline.run = null;
  allDevices.names = [];
  shownTurn = 0;
  actedOn = 0;
  runState("");
  litFinding = null;
  earliestStep = Infinity;
  Object.assign(state, { newest: null, elsewhere: 0 });
  lookBack(null);
}

/** One piece of news. */
function hear(news) {
  if (news.kind === "state") {
    if (state.start && state.start !== news.start) beginAnew();
    state.start = news.start;
  }
  timelineNews(news);
  // Panels listen for what is theirs.
  queueMicrotask(() => document.dispatchEvent(new CustomEvent("news", { detail: news })));
  if (news.kind === "state") {
    state.device = news.device;
    // First: it says which pictures are of another device.
    takeDevices(news.devices);
    if (news.picture) takePicture(news.picture);
    if (news.look) takeLook(news.look);
    state.moments = news.moments;
    takeFile(news.file);
    flow.marks.clear();
    for (const event of news.run.results) heard(event, false);
    setGoing(news.run.going);
    hearPilot(news.pilot);
    drawDevice();
    drawSteps();
    takeAgents(news.agents);
  } else if (news.kind === "picture") {
    takePicture(news);
  } else if (news.kind === "look") {
    takeLook(news.seq);
  } else if (news.kind === "device") {
    state.device = news.device;
    drawDevice();
  } else if (news.kind === "moments") {
    state.moments = news.moments;
    drawSteps();
  } else if (news.kind === "file") {
    takeFile(news.file);
  } else if (news.kind === "pilot") {
    hearPilot(news.pilot);
  } else if (news.kind === "run") {
    heard(news);
  } else if (news.kind === "devices") {
    takeDevices(news.devices);
  } else if (news.kind === "agents") {
    takeAgents(news.agents);
  } else if (news.kind === "settings") {
    readDevice();
  }
}

function setMode(mode) {
  state.mode = mode;
  for (const button of $("modes").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  $("screen").dataset.mode = mode;
  $("ruler").hidden = mode !== "inspect";
  drawBoxes();
  drawAbilities();
}
$("modes").addEventListener("click", (event) => {
  const mode = /** @type {HTMLElement} */ (event.target).dataset.mode;
  if (mode) setMode(mode);
});
$("device-keys").addEventListener("click", (event) => {
  const key = /** @type {HTMLElement} */ (event.target).dataset.key;
  if (key) act({ act: key });
});
$("scrolls").addEventListener("click", (event) => {
  const direction = /** @type {HTMLElement} */ (event.target).dataset.direction;
  if (direction) act({ act: "scroll", direction });
});
document.addEventListener("keydown", (event) => {
  // A panel has taken the key for itself.
  if (event.defaultPrevented) return;
  const typing = /** @type {Element} */ (event.target).closest("input, select, textarea, #screen");
  const mode = { 1: "act", 2: "inspect", 3: "assert" }[event.key];
  if (mode && !typing && !event.ctrlKey && !event.altKey && !event.metaKey) setMode(mode);
});
window.addEventListener("beforeunload", (event) => {
  if (isDirty()) event.preventDefault();
});

setMode("act");
drawText();
listen();
