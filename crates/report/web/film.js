// The video of a flow, its steps as chapters that jump. What a browser plays is a `<video>`; of the virtual device's video
// the frames are shown one after the other.

/** How fast frames may be shown: a flow on the virtual device takes less time than a person to look. */
const FILM_SPEEDS = [[1, "1×"], [0.5, "½×"], [0.25, "¼×"], [0.1, "⅒×"]];

/** A video, its parts below each other. */
function filmView(pieces, steps) {
  return pieces.map((piece, index) => {
    if (piece.file.missing) return missing(piece.file);
    const end = pieces[index + 1]?.at ?? Infinity;
    const chapters = steps.filter((step) => step.at < end && (index === 0 || step.at + step.ms >= piece.at))
      .map((step) => ({ step, ms: Math.max(0, step.at - piece.at) }));
    const words = pieces.length > 1 ? "Part " + (index + 1) + " of the video" : "Video of the attempt";
    const marks = chapterList(chapters, (ms) => player.seek(ms));
    const player = piece.frames ? framePlayer(piece, words, marks.follow) : videoPlayer(piece, words, marks.follow);
    return el("div", { class: "film" }, player.element, marks.element);
  });
}

/** The steps as buttons; the one that is shown is marked. */
function chapterList(chapters, seek) {
  const buttons = chapters.map(({ step, ms }) => el("button", { type: "button", class: "chapter", onclick: () => seek(ms) },
    el("span", { class: "quiet number" }, duration(ms)), sign(step.status || "unfinished"), el("span", { class: "words" }, step.title)));
  const follow = (now) => {
    const current = chapters.findLastIndex(({ ms }) => ms <= now);
    buttons.forEach((button, index) => {
      if (index === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  };
  return { follow, element: el("ol", { class: "chapters", "aria-label": "Chapters" }, buttons.map((button) => el("li", {}, button))) };
}

function videoPlayer(piece, words, follow) {
  const video = el("video", { src: piece.file.href, controls: true, preload: "metadata", "aria-label": words,
    ontimeupdate: () => follow(video.currentTime * 1000) });
  const element = el("div", {}, video);
  video.addEventListener("error", () => element.replaceChildren(el("p", { class: "missing" }, "This browser does not play the video: ", fileLine(piece.file))));
  return { element, seek: (ms) => { video.currentTime = ms / 1000; follow(ms); } };
}

function framePlayer(piece, words, follow) {
  const total = Math.max(1, piece.ms ?? 1);
  let [now, timer, last, shown, speed] = [0, 0, 0, -1, 1];
  const picture = el("img", { alt: words });
  const slider = el("input", { type: "range", min: 0, max: total, step: 1, "aria-label": "Time", oninput: () => seek(Number(slider.value)) });
  const button = el("button", { type: "button", onclick: () => (timer ? pause() : play()) });
  const pace = el("select", { "aria-label": "Speed", onchange: () => (speed = Number(pace.value)) }, FILM_SPEEDS.map(([value, name]) => el("option", { value }, name)));
  const time = el("span", { class: "quiet number" });

  function draw() {
    const next = Math.max(0, piece.frames.findLastIndex(([at]) => at <= now));
    if (next !== shown) picture.src = piece.frames[next][1];
    shown = next;
    slider.value = String(Math.round(now));
    slider.setAttribute("aria-valuetext", duration(Math.round(now)) + " of " + duration(total));
    time.textContent = duration(Math.round(now)) + " / " + duration(total);
    follow(now);
  }
  function seek(ms) {
    now = Math.min(total, Math.max(0, ms));
    draw();
  }
  function pause() {
    cancelAnimationFrame(timer);
    timer = 0;
    button.textContent = "Play";
  }
  function tick(at) {
    // A page that shows something else ends it.
    if (!picture.isConnected) return pause();
    seek(now + (at - last) * speed);
    last = at;
    if (now >= total) return pause();
    timer = requestAnimationFrame(tick);
  }
  function play() {
    if (now >= total) now = 0;
    // What comes next is loaded before it is shown.
    for (const [, source] of piece.frames) new Image().src = source;
    last = performance.now();
    button.textContent = "Pause";
    timer = requestAnimationFrame(tick);
  }
  pause();
  seek(0);
  return { seek, element: el("div", { class: "film-player" }, picture, el("div", { class: "film-bar" }, slider, button, pace, time)) };
}
