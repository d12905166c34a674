// Compares two pictures. Plain script without modules: a report is opened from disk. Its looks are in style.css.
// It reads no pixels and fetches nothing, so it works from `file:` as well as from a server with a strict policy.
//
// const view = Compare.mount(element, {
//   golden: URL | null, actual: URL | null,   // the pictures; null: there is none on that side
//   difference: URL | null,                   // a drawn difference; without one, the two are blended
//   goldenSize: [w, h], actualSize: [w, h],   // in pixels; may be left out, then they are known once loaded
//   names: { golden: "…", actual: "…" },      // captions, where they are others than Golden and Actual
//   missing: { golden: "…", actual: "…" },    // what stands where a picture is missing
//   boxes: [{ id, side: "golden" | "actual", bounds: [l, t, r, b], label }],  // elements: lit by hover and `light`
//   places: [{ bounds: [l, t, r, b], label }],                                // what changed, largest first
//   masks: [{ bounds: [l, t, r, b], label }],                                 // what is left out
//   moved: [{ below, by: [dx, dy], label }],                                  // rows below y that only moved
//   mode: "side" | "slider" | "blink" | "difference" | "text",
//   start: "change",                          // begins at the first place, as large as it can be seen in its surroundings
//   text: true,                               // offers the mode "text", which shows no picture
//   onHover(id | null), onPick(box, event), onMode(mode), onPlace(index),
// });
// view.mode(name?)   sets or tells the mode          view.light(id | null, reveal?)   lights an element's boxes
// view.focus(index)  shows a changed place           view.step(by)                    the next or one before
// view.zoom(factor | "fit")   1 is one pixel each    view.toggle()                    blink: the other picture
// view.drawing(on, onDraw)    a drag draws a rectangle, and `onDraw([l, t, r, b])` is told of it
// view.key(name)     l, b, d: slider, blink, difference, again: side by side; n, p: the next change or the one before
// view.marks(shown?) places, masks, moved            view.destroy()
// view.ready         resolves once each picture is there or cannot be read
//
// Bounds are in pixels of the pictures. `view.element` is the element made; its `data-mode` is the mode.
// Its height is the custom property `--compare-height` of the host.
(() => {
  "use strict";
  const MODES = { side: "Side by side", slider: "Slider", blink: "Blink", difference: "Difference", text: "Text" };
  /** The keys of a page, for `view.key`. */
  const KEYS = { l: "slider", b: "blink", d: "difference" };
  const BLINK = 700;
  const DRAG = 4;
  /** What is shown around a change, as a share of the picture's width. */
  const AROUND = 0.22;
  /** Pictures are not enlarged beyond this by themselves. */
  const CLOSEST = 1.5;
  /** A small change is brought to this share of its pane, or to one pixel each. */
  const SHARE = 0.27;
  /** Of a scroll bar, about. */
  const BAR = 12;
  /** Between two panes, and the whole picture's width beside them, in pixels; as in style.css. */
  const GAP = 10;
  const MAP = 84;
  /** Only in a page this wide the whole picture has room beside. */
  const MAP_FROM = 700;

  /** An element: `make("p", { className: "quiet" }, "text", child)`. */
  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter((child) => child != null));
    return element;
  }

  const area = ([l, t, r, b]) => Math.max(0, r - l) * Math.max(0, b - t);
  const holds = ([l, t, r, b], x, y) => x >= l && x < r && y >= t && y < b;

  function mount(host, options) {
    const list = (name) => options[name] || [];
    // Smaller boxes first: the one that is hit is the innermost.
    const boxes = list("boxes").filter((box) => area(box.bounds)).sort((a, b) => area(a.bounds) - area(b.bounds));
    const both = Boolean(options.golden && options.actual);
    const sizes = { golden: options.goldenSize || null, actual: options.actualSize || null };
    const ended = new AbortController();
    /** `zoom` is a factor, or `fit`; `split` is a share in percent. */
    const state = { mode: "side", zoom: /** @type {number | "fit"} */ ("fit"), scale: 1, split: 50, place: -1, lit: null, timer: 0, onDraw: null, drawn: null };
    const on = (target, type, listener, more) => target.addEventListener(type, listener, { signal: ended.signal, ...more });

    const waits = [];
    // Three panes: the golden, what was seen (the golden above it for slider and blink), the difference.
    const panes = ["golden", "actual", "difference"].map(pane);
    const root = make("div", { className: "compare" });
    const bar = makeBar();
    const map = makeMap();
    const row = make("div", { className: "compare-panes" }, ...panes.map((one) => one.figure), map?.element);
    root.append(bar.element, row);
    host.replaceChildren(root);

    function pane(side) {
      const images = {
        golden: () => (options.golden ? [image("golden")] : []),
        actual: () => (options.actual ? [image("actual", "under"), both ? image("golden", "over") : null] : []),
        difference: () =>
          options.difference ? [image("difference")] : both ? [image("actual"), image("golden", "blend")] : [],
      }[side]();
      const name = { golden: "Golden", actual: "Actual", difference: "Difference", ...options.names }[side];
      const size = make("span", { className: "quiet number" });
      const layer = make("div", { className: "compare-layer" });
      const handle = side === "actual" && both ? make("div", { className: "compare-handle" }) : null;
      const stage = make("div", { className: "compare-stage" }, ...images, layer, handle);
      const none = (options.missing || {})[side] || "no picture";
      const port = make("div", { className: "compare-port", tabIndex: 0 });
      port.setAttribute("role", "group");
      port.setAttribute("aria-label", `${name} picture${images.length ? "" : `: ${none}`}`);
      port.append(images.length ? stage : make("div", { className: "compare-none" }, none));
      const caption = make("b", {}, name);
      const figure = make("figure", { className: `compare-pane ${side}` }, make("figcaption", {}, caption, size), port);
      if (side === "difference" && options.difference) {
        const samples = [["changed", "changed"], list("moved").length ? ["shifted", "moved"] : null, list("masks").length ? ["striped", "left out"] : null];
        size.before(...samples.filter(Boolean).map(([kind, text]) => make("span", { className: "quiet" }, make("i", { className: `sample ${kind}` }), text)));
      }
      if (side === "difference" && !options.difference) figure.classList.add("extra");
      return { side, name, caption, figure, port, stage, layer, handle, size, images: images.filter(Boolean) };
    }

    function image(source, className = "") {
      const element = make("img", { className, decoding: "async", draggable: false });
      element.alt = className === "over" || className === "blend" ? "" : { golden: "the golden", actual: "what was seen", difference: "what differs" }[source];
      element.dataset.source = source;
      waits.push(new Promise((resolve) => ["load", "error"].forEach((type) => element.addEventListener(type, resolve, { once: true }))));
      on(element, "load", () => {
        if (source !== "difference") sizes[source] ||= [element.naturalWidth, element.naturalHeight];
        arrange();
      });
      on(element, "error", () => {
        element.closest(".compare-port")?.replaceChildren(make("div", { className: "compare-none" }, "the picture cannot be read"));
      });
      element.src = options[source];
      return element;
    }

    /** The whole picture, small, with its changes and with what is shown of it: where one is while it is enlarged. */
    function makeMap() {
      if (!options.actual && !options.golden) return null;
      const picture = make("img", { decoding: "async", draggable: false, alt: "" });
      picture.src = options.actual || options.golden;
      const layer = make("div", { className: "compare-layer" });
      const seen = make("div", { className: "compare-seen" });
      const stage = make("div", { className: "compare-map-stage" }, picture, layer, seen);
      // For pointers; keys go from change to change.
      const element = make("div", { className: "compare-map", hidden: true }, stage);
      element.setAttribute("aria-hidden", "true");
      const go = (event) => {
        if (!(event.buttons & 1)) return;
        const frame = stage.getBoundingClientRect();
        const [width, height] = extent();
        const x = ((event.clientX - frame.left) / frame.width) * width;
        const y = ((event.clientY - frame.top) / frame.height) * height;
        show([x, y, x, y]);
      };
      on(stage, "pointerdown", go);
      on(stage, "pointermove", go);
      return { element, layer, seen, stage, picture };
    }

    /** Marks what is shown in the small picture. */
    function drawMap() {
      const port = panes.find((one) => one.port.clientWidth)?.port;
      if (!map || !port) return;
      const [width, height] = extent();
      const area = [port.scrollLeft, port.scrollTop, port.scrollLeft + port.clientWidth, port.scrollTop + port.clientHeight];
      at(map.seen, /** @type {[number, number, number, number]} */ (area.map((edge) => edge / state.scale)));
      const [own] = [sizes.actual || sizes.golden || [width, height]];
      map.picture.style.width = `${(own[0] / width) * 100}%`;
      map.stage.style.aspectRatio = `${width} / ${height}`;
    }

    // The larger of the two, so that both are drawn to one scale.
    function extent() {
      const known = [sizes.golden, sizes.actual].filter(Boolean);
      return known.length ? [Math.max(...known.map((size) => size[0])), Math.max(...known.map((size) => size[1]))] : [1, 1];
    }

    function makeBar() {
      const element = make("div", { className: "compare-bar" });
      element.setAttribute("role", "toolbar");
      element.setAttribute("aria-label", "How to compare");
      const button = (text, label, act) => {
        const made = make("button", { type: "button", title: label }, text);
        // A sign needs a name; a word is one.
        if (!/^[a-z]/i.test(text)) made.setAttribute("aria-label", label);
        on(made, "click", act);
        return made;
      };
      const modes = {};
      const choice = make("div", { className: "choice" });
      choice.setAttribute("role", "group");
      choice.setAttribute("aria-label", "Mode");
      for (const [name, label] of Object.entries(MODES)) {
        if (name === "text" && !options.text) continue;
        modes[name] = make("button", { type: "button", disabled: !both && name !== "side" && name !== "text" }, label);
        on(modes[name], "click", () => mode(name));
        choice.append(modes[name]);
      }
      const range = make("input", { type: "range", min: 0, max: 100, step: 0.5, value: 50 });
      range.setAttribute("aria-label", "Golden left of this share of the picture");
      on(range, "input", () => split(Number(range.value)));
      const split_ = make("span", { className: "compare-split", hidden: true }, range);
      const play = button("Pause", "Pause or go on blinking", () => blink(!state.timer));
      const face = button("Show golden", "Show the other picture (Space)", toggle);
      const blinking = make("span", { className: "compare-blink", hidden: true }, face, play);
      const where = make("span", { className: "compare-where" });
      where.setAttribute("aria-live", "polite");
      const places = list("places").length
        ? make("span", { className: "compare-places" }, button("‹", "Previous change", () => step(-1)), button("›", "Next change", () => step(1)))
        : null;
      const fit = button("Fit", "Fit the whole picture (0)", () => zoom("fit"));
      const marks_ = button("Marks", "Show what changed, moved and is masked", () => marks(root.classList.contains("plain")));
      marks_.setAttribute("aria-pressed", "true");
      const zooms = make("span", { className: "compare-zoom" }, button("−", "Smaller (−)", () => zoom(state.scale / 1.5)), fit, button("+", "Larger (+)", () => zoom(state.scale * 1.5)), button("1:1", "1:1, one pixel each (1)", () => zoom(1)), marks_);
      // What is told last is as long as it likes, and moves no button.
      element.append(choice, split_, blinking, ...(places ? [places] : []), zooms, ...(places ? [where] : []));
      return { element, modes, range, split: split_, blinking, play, face, where, fit, zooms, marks: marks_ };
    }

    function mode(name) {
      if (name === undefined) return state.mode;
      if (!bar.modes[name] || bar.modes[name].disabled) return state.mode;
      const changed = state.mode !== name;
      state.mode = name;
      root.dataset.mode = name;
      for (const [other, button] of Object.entries(bar.modes)) button.setAttribute("aria-pressed", String(other === name));
      bar.split.hidden = name !== "slider";
      bar.blinking.hidden = name !== "blink";
      bar.zooms.hidden = name === "text";
      blink(name === "blink" && !matchMedia("(prefers-reduced-motion: reduce)").matches);
      if (name === "blink") face("golden");
      else panes[1].caption.textContent = name === "slider" ? "Golden ‹ › Actual" : panes[1].name;
      split(state.split);
      arrange();
      if (changed && options.onMode) options.onMode(name);
      return name;
    }

    function face(side) {
      root.dataset.face = side;
      const shown = side === "golden" ? "Golden" : "Actual";
      bar.face.textContent = shown;
      panes[1].caption.textContent = shown;
    }

    function toggle() {
      face(root.dataset.face === "golden" ? "actual" : "golden");
    }

    function blink(goes) {
      clearInterval(state.timer);
      state.timer = goes ? setInterval(toggle, BLINK) : 0;
      bar.play.textContent = goes ? "Pause" : "Play";
    }

    function split(percent) {
      state.split = Math.min(100, Math.max(0, percent));
      bar.range.value = state.split;
      const over = panes[1].stage.querySelector(".over");
      if (!over) return;
      // The golden may be narrower than the stage: the cut is reckoned in the stage's share of it.
      const width = sizes.golden ? sizes.golden[0] / extent()[0] : 1;
      const cut = Math.max(0, 100 - state.split / width);
      over.style.clipPath = state.mode === "slider" ? `inset(0 ${cut}% 0 0)` : "";
      panes[1].handle.style.left = `${state.split}%`;
    }

    function zoom(to) {
      state.zoom = to === "fit" ? "fit" : Math.min(8, Math.max(0.05, to));
      arrange();
    }

    /** Sizes of the stages, and what lies over the pictures. */
    function arrange() {
      const [width, height] = extent();
      bar.fit.setAttribute("aria-pressed", String(state.zoom === "fit"));
      root.style.height = "";
      const fit = fitting();
      if (!(fit > 0)) return;
      const scale = state.zoom === "fit" ? fit : state.zoom;
      state.scale = scale;
      const across = width * scale;
      const down = height * scale;
      if (map) map.element.hidden = !(hasMap() && state.zoom !== "fit" && scale > fit * 1.1);
      const room = space(map && !map.element.hidden);
      for (const { side, figure, stage, port, size, images } of panes) {
        // As wide and as high as the picture, not more: an empty gutter tells nothing.
        const bars = [down > room.down ? BAR : 0, across > room.across ? BAR : 0];
        figure.style.width = images.length ? `${Math.min(room.across, Math.ceil(across) + 2 + bars[0])}px` : "";
        port.style.height = images.length ? `${Math.min(room.down, Math.ceil(down) + 2 + bars[1])}px` : "";
        stage.style.width = `${across}px`;
        stage.style.height = `${down}px`;
        stage.classList.toggle("sharp", scale * devicePixelRatio >= 2);
        port.classList.toggle("pans", across > port.clientWidth + 1 || down > port.clientHeight + 1);
        for (const one of images) {
          const own = sizes[one.dataset.source] || [width, height];
          one.style.width = `${(own[0] / width) * 100}%`;
          one.style.height = `${(own[1] / height) * 100}%`;
        }
        size.textContent = sizes[side] ? `${sizes[side][0]} × ${sizes[side][1]}` : "";
      }
      // No room beneath that nothing needs.
      const used = Math.max(...panes.map(({ port }) => port.offsetHeight));
      if (state.mode !== "text" && used && used < room.down - 1) root.style.height = `${root.offsetHeight - (room.down - used)}px`;
      draw();
      begin();
      drawMap();
    }

    /** Room for one pane's port. */
    function space(besideMap = false) {
      const shown = panes.filter((one) => one.figure.offsetParent !== null).length || 1;
      const taken = besideMap ? MAP + GAP : 0;
      const caption = Math.max(...panes.map((one) => one.port.offsetTop - one.figure.offsetTop), 0);
      return { across: (row.clientWidth - taken - GAP * (shown - 1)) / shown, down: row.clientHeight - caption };
    }

    const hasMap = () => Boolean(map) && root.clientWidth > MAP_FROM;

    /** The scale at which the whole picture is seen. */
    function fitting() {
      const [width, height] = extent();
      const room = space();
      return Math.min((room.across - 2) / width, (room.down - 2) / height, 1);
    }

    let isBegun = options.start !== "change" || !list("places").length;
    /** Shows the first change, once there is room and the size is known. */
    function begin() {
      if (isBegun || !(sizes.golden || sizes.actual)) return;
      isBegun = true;
      if (state.mode !== "text") focus(0, true);
    }

    function at(element, [l, t, r, b]) {
      const [width, height] = extent();
      element.style.left = `${(l / width) * 100}%`;
      element.style.top = `${(t / height) * 100}%`;
      element.style.width = `${((r - l) / width) * 100}%`;
      element.style.height = `${((b - t) / height) * 100}%`;
      return element;
    }

    /** `↓ 74 px`: short, for it lies over the picture. */
    function shift([x, y]) {
      if (x && y) return `${x > 0 ? "+" : ""}${x},${y > 0 ? "+" : ""}${y} px`;
      return `${y > 0 ? "↓" : y < 0 ? "↑" : x > 0 ? "→" : "←"} ${Math.abs(x || y)} px`;
    }

    function draw() {
      const [width, height] = extent();
      for (const { side, layer } of panes) {
        const marks = list("masks").map(({ bounds, label }) => at(make("div", { className: "compare-mask", title: label || "masked" }), bounds));
        for (const { below, by, label } of list("moved")) {
          const y = side === "golden" ? below : below + by[1];
          const line = make("div", { className: "compare-moved" });
          line.append(make("span", { title: label || "" }, shift(by)));
          line.style.top = `${(y / height) * 100}%`;
          marks.push(line);
        }
        list("places").forEach(({ bounds }, index) => {
          const place = at(make("div", { className: "compare-place" }), bounds);
          place.classList.toggle("focused", index === state.place);
          marks.push(place);
        });
        if (state.drawn) marks.push(at(make("div", { className: "compare-drawn" }), state.drawn));
        const own = boxes.filter((box) => box.id === state.lit);
        const here = own.find((box) => box.side === side) || (side === "golden" ? null : own[0]);
        if (here && state.lit !== null) {
          const lit = at(make("div", { className: "compare-lit" }), here.bounds);
          // A tint over a whole screen would hide what it is to show.
          lit.classList.toggle("wide", area(here.bounds) > 0.4 * width * height);
          lit.classList.toggle("other", side !== "difference" && here.side !== side);
          lit.classList.toggle("high", here.bounds[1] < height * 0.04);
          lit.classList.toggle("late", here.bounds[0] > width * 0.5);
          if (here.label) lit.append(make("span", {}, here.label));
          marks.push(lit);
        }
        layer.replaceChildren(...marks);
      }
      map?.layer.replaceChildren(...list("places").map(({ bounds }, index) => {
        const place = at(make("div", { className: "compare-spot" }), bounds);
        place.classList.toggle("focused", index === state.place);
        return place;
      }));
    }

    /** Lets a person draw a rectangle over any of the pictures; `null` ends it. */
    function drawing(isOn, onDraw) {
      state.onDraw = isOn ? onDraw : null;
      if (isOn) state.drawn = null;
      root.classList.toggle("draws", isOn);
      draw();
    }

    /** The place under the pointer, in pixels of the picture. */
    function pointAt({ stage }, event) {
      const [width, height] = extent();
      const frame = stage.getBoundingClientRect();
      const within = (part, most) => Math.round(Math.min(1, Math.max(0, part)) * most);
      return [within((event.clientX - frame.left) / frame.width, width), within((event.clientY - frame.top) / frame.height, height)];
    }

    function light(id, reveal = false) {
      if (state.lit !== id) {
        state.lit = id;
        draw();
      }
      const box = reveal && boxes.find((one) => one.id === id);
      if (box) show(box.bounds);
    }

    /** Scrolls all ports so that these bounds are in their middle. */
    function show([l, t, r, b]) {
      for (const { port } of panes) {
        port.scrollTo({ left: ((l + r) / 2) * state.scale - port.clientWidth / 2, top: ((t + b) / 2) * state.scale - port.clientHeight / 2 });
      }
    }

    /** Shows a change, large enough to be seen and with its surroundings in view; `quietly` without telling of it. */
    function focus(index, quietly = false) {
      const places = list("places");
      if (!places[index]) return;
      state.place = index;
      const { bounds, label } = places[index];
      const [width, height] = extent();
      const around = AROUND * width;
      const [l, t, r, b] = [Math.max(0, bounds[0] - around), Math.max(0, bounds[1] - around), Math.min(width, bounds[2] + around), Math.min(height, bounds[3] + around)];
      const fit = fitting();
      if (fit > 0) {
        const room = space(hasMap());
        const close = Math.min(CLOSEST, (room.across - BAR) / Math.max(1, r - l), (room.down - BAR) / Math.max(1, b - t));
        const [across, down] = [Math.max(1, bounds[2] - bounds[0]), Math.max(1, bounds[3] - bounds[1])];
        const large = Math.min(1, (SHARE * room.across) / across, (0.9 * room.across) / across, (0.9 * room.down) / down);
        const to = Math.max(close, large);
        zoom(to > fit * 1.15 ? to : "fit");
        show(bounds);
      }
      bar.where.classList.toggle("spoken", quietly && places.length === 1);
      bar.where.textContent = `${index + 1} of ${places.length}${label ? `: ${label}` : ""}`;
      if (options.onPlace) options.onPlace(index);
    }

    /** The next change, or the one before; `false` where there is none. */
    function step(by) {
      const count = list("places").length;
      if (count) focus((Math.max(state.place, by > 0 ? -1 : 0) + by + count) % count);
      return count > 0;
    }

    /** Does what a key of the page asks; `false` where it is none of these, or there is nothing to compare. */
    function key(name) {
      const wanted = KEYS[name];
      if (wanted) {
        if (!both) return false;
        mode(state.mode === wanted ? "side" : wanted);
        // So that the arrows move the slider and Space turns at once.
        panes[state.mode === "difference" ? 2 : 1].port.focus({ preventScroll: true });
        return true;
      }
      if (name === "n" || name === "p") return step(name === "n" ? 1 : -1);
      return false;
    }

    function marks(shown) {
      if (shown === undefined) return !root.classList.contains("plain");
      root.classList.toggle("plain", !shown);
      bar.marks.setAttribute("aria-pressed", String(shown));
      return shown;
    }

    /** The innermost element under the pointer. */
    function hit({ side, stage }, event) {
      const [width, height] = extent();
      const frame = stage.getBoundingClientRect();
      const x = ((event.clientX - frame.left) / frame.width) * width;
      const y = ((event.clientY - frame.top) / frame.height) * height;
      const showsGolden = side === "golden" || (state.mode === "blink" && root.dataset.face === "golden") || (state.mode === "slider" && x < (width * state.split) / 100);
      const wanted = showsGolden ? "golden" : "actual";
      const under = boxes.filter((box) => holds(box.bounds, x, y));
      return under.find((box) => box.side === wanted) || under[0] || null;
    }

    for (const one of panes) {
      let drag = null;
      let corner = null;
      const slide = (event) => {
        const frame = one.stage.getBoundingClientRect();
        split(((event.clientX - frame.left) / frame.width) * 100);
      };
      on(one.port, "pointerdown", (event) => {
        if (state.onDraw && event.button === 0 && one.images.length) {
          event.preventDefault();
          corner = pointAt(one, event);
          one.port.setPointerCapture(event.pointerId);
          return;
        }
        if (event.button !== 0 || (event.pointerType !== "mouse" && event.target !== one.handle)) return;
        const slides = state.mode === "slider" && one.side === "actual";
        drag = { x: event.clientX, y: event.clientY, left: one.port.scrollLeft, top: one.port.scrollTop, slides };
        if (event.target === one.handle) one.handle.setPointerCapture(event.pointerId);
      });
      on(one.port, "pointermove", (event) => {
        if (corner) {
          const [x, y] = pointAt(one, event);
          state.drawn = [Math.min(x, corner[0]), Math.min(y, corner[1]), Math.max(x, corner[0]), Math.max(y, corner[1])];
          draw();
          return;
        }
        if (drag && event.buttons & 1) {
          light(null);
          if (drag.slides) slide(event);
          else one.port.scrollTo(drag.left + drag.x - event.clientX, drag.top + drag.y - event.clientY);
          return;
        }
        const box = hit(one, event);
        const id = box ? box.id : null;
        if (id === state.lit) return;
        light(id);
        if (options.onHover) options.onHover(id);
      });
      on(one.port, "pointerup", () => {
        if (!corner) return;
        corner = null;
        const { drawn, onDraw } = state;
        if (drawn && area(drawn) && onDraw) onDraw(drawn);
      });
      on(one.port, "pointercancel", () => { corner = null; });
      on(one.port, "pointerleave", () => {
        drag = null;
        if (state.lit === null) return;
        light(null);
        if (options.onHover) options.onHover(null);
      });
      on(one.port, "click", (event) => {
        const moved = drag && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG;
        drag = null;
        const box = moved || state.onDraw ? null : hit(one, event);
        if (box && options.onPick) options.onPick(box, event);
      });
      on(one.port, "dblclick", () => zoom(state.zoom === "fit" ? 1 : "fit"));
      on(one.port, "wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        zoom(state.scale * (event.deltaY < 0 ? 1.2 : 1 / 1.2));
      }, { passive: false });
      // Both sides show the same part.
      on(one.port, "scroll", () => {
        drawMap();
        for (const { port } of panes) {
          if (port === one.port || !port.clientWidth) continue;
          if (port.scrollLeft !== one.port.scrollLeft) port.scrollLeft = one.port.scrollLeft;
          if (port.scrollTop !== one.port.scrollTop) port.scrollTop = one.port.scrollTop;
        }
      });
      on(one.port, "keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const act = {
          "+": () => zoom(state.scale * 1.5), "=": () => zoom(state.scale * 1.5), "-": () => zoom(state.scale / 1.5),
          0: () => zoom("fit"), 1: () => zoom(1),
          " ": state.mode === "blink" && toggle,
          ArrowLeft: state.mode === "slider" && (() => split(state.split - 2)),
          ArrowRight: state.mode === "slider" && (() => split(state.split + 2)),
        }[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      });
    }

    const resized = new ResizeObserver(() => arrange());
    resized.observe(root);
    mode(bar.modes[options.mode] && !bar.modes[options.mode].disabled ? options.mode : "side");

    return {
      element: root, ready: Promise.all(waits), mode, light, focus, step, zoom, toggle, marks, drawing, key,
      destroy() {
        ended.abort();
        resized.disconnect();
        clearInterval(state.timer);
        root.remove();
      },
    };
  }

  window.Compare = { mount, modes: MODES, keys: KEYS };
})();
