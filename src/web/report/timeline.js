// Which flow ran when on which device.

function timeline() {
  const flows = items.filter((item) => item.spans.length && item.status !== "skipped");
  if (!flows.length) return null;
  const total = Math.max(1, summary.ms, ...flows.map((item) => Math.max(...item.spans.map(([at, ms]) => at + ms))));
  const lanes = summary.devices.map((device) => {
    const own = flows.filter((item) => item.label === device.label);
    if (!own.length) return null;
    const spans = own.flatMap((item) => item.spans.map((span, index) => ({ item, index, at: span[0], ms: span[1] })));
    const tracks = inTracks(spans, total / 100).map((track) => el("div", { class: "track" }, track.map(({ item, index, at, ms }) => {
      const last = index === item.spans.length - 1;
      const status = last ? item.status : "failed";
      const words = item.title + ": " + STATUS[status][0] + ", " + duration(ms);
      const bar = el("a", { class: "span " + status, href: hashOf({ flow: item.flow, case: item.case, device: item.label, attempt: last ? undefined : index + 1, step: undefined }),
        title: words, "aria-label": words, tabindex: "-1" });
      bar.style.left = (100 * at) / total + "%";
      bar.style.width = (100 * ms) / total + "%";
      return bar;
    })));
    const busy = own.reduce((sum, item) => sum + item.ms, 0);
    return el("div", { class: "lane" },
      el("span", { class: "label" }, device.label, el("span", { class: "quiet" }, " " + count(own.length, "flow") + ", busy " + Math.round((100 * busy) / total / tracks.length) + " %")),
      tracks);
  });
  const ticks = tickTimes(total).map((time) => {
    const tick = el("span", {}, duration(time));
    tick.style.left = (100 * time) / total + "%";
    return tick;
  });
  return section("timeline", "Timeline", el("div", { class: "lanes" }, lanes, el("div", { class: "ticks", "aria-hidden": "true" }, ticks)));
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
