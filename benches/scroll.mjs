// What the pages cost while somebody scrolls 2,000 rows: the main thread's work in each drawn frame, from Chromium's trace.
//
// node benches/scroll.mjs RUNNER [--rows 2000] [--program chromium]
//
// The pages: the studio's elements of a screen, its steps after a run, the report's flows and the steps of one of them,
// and the review's rows of a snapshot. CLIENTS names the folder that holds node_modules with playwright-core:
// target/clients after `.ci/run`. RUNNER may be a debug build: the pages are the same.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, ...more] = process.argv.slice(2);
const option = (name, usual) => (more.includes(name) ? more[more.indexOf(name) + 1] : usual);
const runner = resolve(program);
const rows = Number(option("--rows", "2000"));
const here = new URL("..", import.meta.url).pathname;
const clients = process.env.CLIENTS || join(here, "target/clients");
const { chromium } = createRequire(join(resolve(clients), "package.json"))("playwright-core");

const folder = mkdtempSync(join(tmpdir(), "scroll-"));
cpSync(join(here, "examples/demo"), join(folder, "apps/demo"), { recursive: true });
writeFileSync(join(folder, "runner.yaml"), "devices: [virtual]\napps: [apps/demo]\n");
mkdirSync(join(folder, "flows"));
const launched = "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n";
writeFileSync(join(folder, "flows/long.yaml"), `${launched}${"  - assert visible: Welcome to Notes\n".repeat(rows - 1)}`);
writeFileSync(join(folder, "flows/look.yaml"), `${launched}  - snapshot: start\n`);
mkdirSync(join(folder, "many"));
for (let at = 0; at < rows; at += 1) writeFileSync(join(folder, `many/flow-${at}.yaml`), `${launched}  - assert visible: Welcome to Notes\n`);

/** Runs the program; a red run is one of those that are wanted here. */
function run(...parts) {
  try {
    execFileSync(runner, parts, { cwd: folder, stdio: "pipe" });
  } catch (error) {
    if (error.status !== 1) throw new Error(`${parts.join(" ")}: ${error.stderr}`);
  }
}

/** The main thread's milliseconds in each frame that was drawn, from the events of a trace. */
function worked({ traceEvents }) {
  const main = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasks = new Map(main.map(({ pid, tid }) => [`${pid} ${tid}`, []]));
  for (const { name, ph, pid, tid, ts, dur, tdur } of traceEvents) if (name === "RunTask" && ph === "X") tasks.get(`${pid} ${tid}`)?.push({ ts, work: tdur ?? dur });
  const drawn = new Map();
  for (const { name, pid, ts } of traceEvents) if (name === "DrawFrame") drawn.set(pid, [...(drawn.get(pid) ?? []), ts]);
  const [pid, frames] = [...drawn].sort((a, b) => b[1].length - a[1].length)[0];
  frames.sort((a, b) => a - b);
  const own = [...tasks].filter(([key]) => key.startsWith(`${pid} `)).flatMap(([, all]) => all);
  return frames.slice(1).map((end, at) => own.filter(({ ts }) => ts >= frames[at] && ts < end).reduce((sum, { work }) => sum + work, 0) / 1000);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || option("--program", "/usr/bin/chromium"), args: ["--no-sandbox", "--disable-gpu"] });
const open = async (address) => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" })).newPage();
  if (address) await page.goto(address);
  return page;
};

/** Scrolls the list that holds `entry` down and up as a wheel does, and says what that took. */
async function measure(what, page, entry) {
  await page.locator(entry).first().waitFor({ state: "attached" });
  const { number, x, y, isScrolled } = await page.evaluate((selector) => {
    const entries = document.querySelectorAll(selector);
    let list = entries[0].parentElement;
    while (list !== document.documentElement && !(list.scrollHeight > list.clientHeight + 40 && ["auto", "scroll"].includes(getComputedStyle(list).overflowY))) list = list.parentElement;
    const { left, top, width, height } = list === document.documentElement ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : list.getBoundingClientRect();
    return { number: entries.length, x: left + width / 2, y: top + Math.min(height, innerHeight - top) / 2, isScrolled: list.scrollHeight > list.clientHeight };
  }, entry);
  await page.waitForTimeout(1000);
  const devtools = await page.context().newCDPSession(page);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame"] });
  for (const distance of [-6000, 4000, -6000]) await devtools.send("Input.synthesizeScrollGesture", { x, y, yDistance: distance, speed: 3000, gestureSourceType: "mouse" });
  const times = worked(JSON.parse(String(await browser.stopTracing()))).sort((a, b) => a - b);
  const part = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
  console.log(`${what}: ${number} rows${isScrolled ? "" : ", nothing to scroll"}, ${times.length} frames, main thread ${part(0.5)} ms in the middle, ${part(0.95)} ms at the 95th percentile, ${part(1)} ms at most`);
  await page.context().close();
}

/** Starts a server of the program, and gives its address. */
async function served(word, ...parts) {
  const server = spawn(runner, [...parts, "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found) => server.stdout.on("data", (text) => {
    const line = String(text).split("\n").find((one) => one.includes(`${word} at `));
    if (line) found(line.trim().split(" at ")[1]);
  }));
  return { server, address };
}

console.log(`${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`);
{
  const { server, address } = await served("Studio", "studio", "flows/long.yaml");
  const crowded = await open();
  await crowded.route("**/look/*", async (route) => {
    const response = await route.fetch();
    const look = await response.json();
    const kinds = look.rows;
    look.rows = Array.from({ length: rows }, (_, n) => ({ ...kinds[n % kinds.length], n }));
    await route.fulfill({ response, json: look });
  });
  await crowded.goto(address);
  await measure("studio, elements", crowded, "#rows li");
  const stepped = await open(address);
  await stepped.locator("#run-all:enabled").click();
  await stepped.waitForFunction((wanted) => document.querySelectorAll(".walk-step").length >= wanted, rows, { timeout: 240_000 });
  await measure("studio, steps", stepped, ".walk-step");
  server.kill("SIGINT");
}
{
  run("test", "many", "--html", "report");
  await measure("report, flows", await open(pathToFileURL(join(folder, "report/index.html")).href), "#flows li");
  run("test", "flows/long.yaml", "--html", "long");
  const page = await open(pathToFileURL(join(folder, "long/index.html")).href);
  await page.click("#flows li a");
  await measure("report, steps", page, "#steps .step");
}
await browser.close();
if (!more.includes("--keep")) rmSync(folder, { recursive: true });
else console.log(folder, readdirSync(folder), readFileSync(join(folder, "runner.yaml"), "utf8"));
