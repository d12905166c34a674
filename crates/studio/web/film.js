// The film strip: the screens of the steps that are listed, in their order. And which steps are listed.

/** "done": what was done on this page. "run": what the last run did. */
let listedSteps = "done";

/** Draws the strip: each screen has a number (`seq`), the number of its step, words, and what choosing it does. */
function drawFilm(screens) {
  drawList($("film"), screens.map((screen) => [screen.seq, [state.start, screen.seq, screen.number, screen.words, screen.isFailed], () => {
    const image = make("img", { alt: "", loading: "lazy", decoding: "async", src: `small/${screen.seq}` });
    const button = make("button", { type: "button", className: screen.isFailed ? "failed" : "", title: screen.words, ariaLabel: screen.words, tabIndex: -1 }, image, make("span", { className: "number", ariaHidden: "true", textContent: String(screen.number) }));
    button.dataset.seq = String(screen.seq);
    button.addEventListener("click", () => {
      markFilm(screen.seq);
      screen.choose();
    });
    const item = make("li", {}, button);
    // What is not kept any more is not in the strip.
    image.addEventListener("error", () => item.remove());
    return item;
  }]));
  markFilm(null);
}

const filmFrames = () => [.../** @type {NodeListOf<HTMLElement>} */ ($("film").querySelectorAll("button"))];

/** Marks the screen that is looked at; without one the keys begin at the last. */
function markFilm(seq) {
  const frames = filmFrames();
  const chosen = frames.find((frame) => frame.dataset.seq === String(seq));
  for (const frame of frames) {
    frame.tabIndex = frame === (chosen || frames.at(-1)) ? 0 : -1;
    if (frame === chosen) frame.setAttribute("aria-current", "true");
    else frame.removeAttribute("aria-current");
  }
  const film = $("film");
  const seen = chosen || frames.at(-1);
  if (seen) film.scrollLeft = Math.max(Math.min(film.scrollLeft, seen.offsetLeft - film.offsetLeft - 60), seen.offsetLeft - film.offsetLeft + seen.offsetWidth + 60 - film.clientWidth);
}

$("film").addEventListener("keydown", (event) => {
  const frames = filmFrames();
  const at = frames.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: frames.length - 1 }[event.key];
  if (to === undefined || !frames[to]) return;
  event.preventDefault();
  frames[to].click();
  frames[to].focus();
});

/** Lists what was done here, or the last run. */
function listSteps(which) {
  const isRun = which === "run";
  const isNew = which !== listedSteps;
  listedSteps = which;
  for (const button of $("steps-of").children) button.setAttribute("aria-pressed", String(button.dataset.of === which));
  for (const id of ["timeline", "run-head", "timeline-notes"]) $(id).hidden = !isRun;
  for (const id of ["done-part", "step-count"]) $(id).hidden = isRun;
  $("earlier").hidden = isRun || !stepEntries.length || stepEntries[0][0] === 0;
  if (isNew) $("film").replaceChildren();
  if (!isRun) return drawDoneFilm();
  timeline.isStale = true;
  timeline.drawn = "";
  return refreshLine();
}
$("steps-of").addEventListener("click", (event) => {
  const { of } = /** @type {HTMLElement} */ (event.target).dataset;
  if (of) listSteps(of);
});
