// Which screens a step of a trace is shown with: those of its number, whatever the rounded moments say. Needs no page.
import fs from "node:fs";
import vm from "node:vm";

vm.runInThisContext(fs.readFileSync(new URL("../../crates/pages/web/walk/walk.js", import.meta.url), "utf8"));
const walkStops = vm.runInThisContext("walkStops");

const step = (at, ms, depth = 0) => ({ at, ms, depth });
const screens = (frames, steps, acts, seen) =>
  walkStops(steps, { frames, acts, seen }).map(({ before, after }) => [before?.name ?? null, after?.name ?? null].join(" "));
const same = (found, expected, what) => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${what}: ${JSON.stringify(found)}`);
};

// The failing step ends at 192, and what it saw is noted at 193; the next act comes in the millisecond before its screen.
const steps = [step(0, 100), step(100, 92), step(192, 0), step(192, 8, 0), step(193, 5, 1), step(198, 2, 1), step(200, 1)];
const frames = [
  { name: "a", at: 50, step: 0 },
  { name: "b", at: 193, step: 1 },
  { name: "c", at: 193, step: 4 },
  { name: "d", at: 193, step: 3 },
];
const acts = [{ at_ms: 51, step: 0, frame: 0 }, { at_ms: 192, step: 4, frame: 1 }, { at_ms: 192, step: 5, frame: 3 }];
const seen = [0, 1, 1, 3, 2, 3, null];
same(screens(frames, steps, acts, seen), ["a b", " b", " b", "b d", "d d", " "], "by number");

// Nothing was recorded before the first screen, and a place that is still being written has none.
same(screens([], [step(0, 1), step(1, 1)], [{ at_ms: 1, step: 1, frame: 4 }], [null]), [" ", " "], "no screens");

// A trace of a version without numbers still never goes by time.
same(screens(frames.slice(0, 2), steps.slice(0, 2), [{ at_ms: 51, step: 0 }], undefined), ["a b", " b"], "an older trace");
