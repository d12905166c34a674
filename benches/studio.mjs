// What the studio costs: from a click to the new picture on the page, and server and browser while nothing happens.
//
// node benches/studio.mjs RUNNER [--clicks 30] [--idle SECONDS] [--program chromium]
//
// CLIENTS names the folder that holds node_modules with playwright-core: target/clients after `.ci/run`. The device is the
// virtual one with the demo app. RUNNER may be a debug build, to see that this works.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [runner, ...more] = process.argv.slice(2);
const option = (name, usual) => (more.includes(name) ? more[more.indexOf(name) + 1] : usual);
const clicks = Number(option("--clicks", "30"));
const idle = Number(option("--idle", "60"));
const here = new URL("..", import.meta.url).pathname;
const clients = process.env.CLIENTS || join(here, "target/clients");
const { chromium } = createRequire(join(resolve(clients), "package.json"))("playwright-core");

/** A second of the processor in the kernel's ticks. */
const TICKS = 100;

/** Processes below one, itself too. */
function family(root) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch { /* it ended */ }
  }
  const isOf = (pid) => { for (let at = pid; at > 1; at = parents.get(at)) if (at === root) return true; return false; };
  return [...parents.keys()].filter(isOf);
}

/** Seconds of the processor that processes took. */
function computed(pids) {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch { /* it ended */ }
  }
  return ticks / TICKS;
}

const folder = mkdtempSync(join(tmpdir(), "studio-"));
cpSync(join(here, "examples/demo"), join(folder, "apps/demo"), { recursive: true });
writeFileSync(join(folder, "runner.yaml"), "devices: [virtual]\napps: [apps/demo]\n");
const server = spawn(resolve(runner), ["studio", "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
const address = await new Promise((found) => server.stdout.on("data", (text) => found(String(text).trim().replace("Studio at ", ""))));
const browser = await chromium.launchServer({ executablePath: process.env.CHROMIUM || option("--program", "/usr/bin/chromium"), args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await (await chromium.connect(browser.wsEndpoint())).newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" })).newPage();
await page.goto(address);
const row = (text) => page.locator("#rows li", { hasText: text }).first();
await row("Notes").waitFor();
await page.locator("#app").fill("com.example.notes");
await page.getByRole("button", { name: "Launch" }).click();
await row("Username").waitFor();

// Each click moves the focus from one field to the other, and the keyboard's caret with it.
await page.evaluate(() => {
  const times = { down: 0, drawn: [] };
  Object.assign(window, { times });
  document.getElementById("screen").addEventListener("pointerup", () => { times.down = performance.now(); }, true);
  new MutationObserver((changes) => {
    const isPicture = changes.some((change) => [...change.addedNodes].some((node) => /** @type {Element} */ (node).id === "picture"));
    if (isPicture && times.down) {
      const { down } = times;
      times.down = 0;
      requestAnimationFrame(() => times.drawn.push(performance.now() - down));
    }
  }).observe(document.getElementById("screen"), { childList: true });
});
const middle = async (text) => {
  await row(text).hover();
  const { x, y, width, height } = await page.locator("#boxes .lit").boundingBox();
  return [x + width / 2, y + height / 2];
};
const places = [await middle("Username"), await middle("#password")];
let without = 0;
for (let at = 0; at < clicks; at += 1) {
  const before = await page.evaluate(() => window.times.drawn.length);
  await page.mouse.click(...places[at % 2]);
  // A click that changes nothing has no picture.
  await page.waitForFunction((number) => window.times.drawn.length > number, before, { timeout: 5000 }).catch(() => { without += 1; });
  await page.waitForTimeout(700);
}
const drawn = (await page.evaluate(() => window.times.drawn)).sort((a, b) => a - b);
const part = (share) => Math.round(drawn[Math.min(drawn.length - 1, Math.floor(drawn.length * share))]);
console.log(`${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`);
console.log(`click to picture: ${part(0.5)} ms in the middle of ${drawn.length}, ${part(0)} to ${part(1)} ms, nine of ten within ${part(0.9)} ms; ${without} clicks changed nothing`);

if (idle > 0) {
  await page.waitForTimeout(3000);
  const both = { server: [server.pid], browser: family(browser.process().pid) };
  const before = Object.entries(both).map(([name, pids]) => [name, computed(pids)]);
  await page.waitForTimeout(idle * 1000);
  let all = 0;
  for (const [name, then] of before) {
    const took = computed(both[name]) - then;
    all += took;
    console.log(`idle for ${idle} s, ${name}: ${took.toFixed(2)} s, ${((took / idle) * 100).toFixed(2)} % of a processor`);
  }
  console.log(`together ${((all / idle) * 100).toFixed(2)} %`);
}
await browser.close();
server.kill("SIGINT");
await new Promise((ended) => server.on("exit", ended));
rmSync(folder, { recursive: true });
