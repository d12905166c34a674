// Which flow ran when on which device.

function timeline() {
  const flows = items.filter((item) => item.spans.length && item.status !== "skipped");
  if (!flows.length) return null;
  const total = Math.max(1, summary.ms, ...flows.map((item) => Math.max(...item.spans.map(([at, ms]) => at + ms))));
  const lanes = summary.devices.map((device, place) => {
    const spans = flows.flatMap((item) => item.spans.map(([at, ms, on], index) => ({ item, index, at, ms, on })))
      .filter((span) => span.on === place);
    const there = presence(device, spans, total);
    if (!spans.length && !there.length) return null;
    const tracks = inTracks(spans, total / 100).map((track) => el("div", { class: "track" }, absence(there, total), track.map(({ item, index, at, ms }) => {
      const last = index === item.spans.length - 1;
      const status = last ? item.status : "failed";
      const words = item.title + ": " + STATUS[status][0] + ", " + duration(ms);
      const bar = el("a", { class: "span " + status, href: hashOf({ flow: item.flow, case: item.case, device: item.label, attempt: last ? undefined : index + 1, step: undefined }),
        title: words, "aria-label": words, tabindex: "-1" });
      bar.style.left = (100 * at) / total + "%";
      bar.style.width = (100 * ms) / total + "%";
      return bar;
    })));
    if (!tracks.length) tracks.push(el("div", { class: "track" }, absence(there, total)));
    const busy = spans.reduce((sum, span) => sum + span.ms, 0) / tracks.length;
    const idle = Math.max(0, there.reduce((sum, [from, until]) => sum + until - from, 0) - busy);
    const own = new Set(spans.map((span) => span.item)).size;
    return el("div", { class: "lane" },
      el("span", { class: "label" }, device.label, el("span", { class: "quiet" },
        " " + count(own, "flow") + ", busy " + Math.round((100 * busy) / total) + " %, idle " + duration(Math.round(idle)))),
      tracks);
  });
  const ticks = tickTimes(total).map((time) => {
    const tick = el("span", {}, duration(time));
    tick.style.left = (100 * time) / total + "%";
    return tick;
  });
  return section("timeline", "Lanes", el("div", { class: "lanes" }, lanes, el("div", { class: "ticks", "aria-hidden": "true" }, ticks)));
}

/** From when until when a device was there. Streams of earlier versions do not say: it was there while it worked. */
function presence(device, spans, total) {
  const there = (device.there || []).map(([from, until]) => [from, until ?? total]);
  return there.length ? there : spans.map((span) => [span.at, span.at + span.ms]);
}

/** When a device was not there, as parts of its track. */
function absence(there, total) {
  const edges = [0, ...there.flat(), total];
  const parts = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, until] = [edges[at], edges[at + 1]];
    if (until <= from) continue;
    const part = el("span", { class: "away", title: "not there" });
    part.style.left = (100 * from) / total + "%";
    part.style.width = (100 * (until - from)) / total + "%";
    parts.push(part);
  }
  return parts;
}

/**
 * Attempts at the same time, as devices of one kind in merged shards have them, go into tracks below each other. An
 * event is told a little after it happened, so `unseen` milliseconds at the same time do not count.
 */
function inTracks(spans, unseen) {
  const tracks = [];
  for (const span of spans.sort((a, b) => a.at - b.at)) {
    const free = tracks.find((track) => track.at(-1).at + track.at(-1).ms <= span.at + unseen);
    if (free) free.push(span);
    else tracks.push([span]);
  }
  return tracks;
}

/** Some four round times below `total`. */
function tickTimes(total) {
  const steps = [100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000];
  const step = steps.find((step) => total / step <= 6) || 3600000 * Math.ceil(total / 3600000 / 6);
  const times = [];
  for (let time = 0; time < total * 0.97; time += step) times.push(time);
  return times;
}
