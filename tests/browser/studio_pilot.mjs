// The studio's breakpoints and pauses: failure, apply, resume, edits, two pages at once, runs on save, missing values.
//
// Arguments: the page's address, the flow's file.
import { readFileSync, writeFileSync } from "node:fs";
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, part, runPart, same, until } from "./page.mjs";

const [address, file] = process.argv.slice(2);

const text = (page) => page.locator("#text").inputValue();
const onDisk = () => readFileSync(file, "utf8");
const state = (page) => page.locator("#run-state").textContent();
const pause = (page) => page.locator("#pause-state").textContent();
const told = (page, words) => until(async () => (await page.locator("#toast").textContent()).includes(words), `the message ${words}`);
const button = (page, name) => page.getByRole("button", { name, exact: true });
/** Puts the cursor behind `part`. */
const cursor = (page, part) => page.locator("#text").evaluate((area, words) => {
  area.focus();
  const at = area.value.indexOf(words) + words.length;
  area.setSelectionRange(at, at);
}, part);
const paused = (page, words) => until(async () => (await pause(page)).includes(words), `the pause ${words}`);
const ended = (page, word) => until(async () => (await state(page)).startsWith(word) && (await page.locator("#stop").isDisabled()), `a run that ${word}`);
/** Writes the file from outside, and waits until the page shows it. */
async function write(page, content) {
  writeFileSync(file, content);
  await until(async () => (await text(page)) === content, "the file in the editor");
}
/** Asks the server past the page's buttons; gives the status. */
const post = (page, path, body) => page.evaluate(async ([at, what]) => {
  const response = await fetch(at, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(what) });
  return [response.status, await response.text()];
}, [path, body]);

const hide = (page, hidden) => page.evaluate((is) => {
  Object.defineProperty(document, "hidden", { value: is, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}, hidden);
/** The page listens anew. */
async function listenAnew(page) {
  await hide(page, true);
  await hide(page, false);
}
/** The server has no order for a step and the pause at it: a page that hears the step later shows the pause all the same. */
async function inEitherOrder(page) {
  const shown = await state(page);
  const news = await page.evaluate(() => new Promise((resolve) => {
    const source = new EventSource("events");
    source.onmessage = (message) => {
      source.close();
      resolve(JSON.parse(message.data));
    };
  }));
  const atStep = { kind: "run", what: "step", title: "late", file: "elsewhere.yaml", line: 1 };
  const atPause = { kind: "pilot", pilot: news.pilot };
  const begun = { ...news, pilot: { ...news.pilot, pause: null } };
  for (const [name, order] of [["step", [atStep, atPause]], ["pause", [atPause, atStep]]]) {
    const last = { kind: "run", what: "log", message: `first the ${name}` };
    const body = [begun, ...order, last].map((one) => `id: a-1\ndata: ${JSON.stringify(one)}\n\n`).join("");
    await page.route("**/events*", (route) => route.fulfill({ contentType: "text/event-stream", body }));
    await listenAnew(page);
    await told(page, last.message);
    same(await state(page), shown, last.message);
    await page.unroute("**/events*");
  }
  await listenAnew(page);
}

await drive(async ({ open }) => {
  const page = await open(address);
  await until(async () => (await text(page)) === onDisk(), "the file in the editor");
  await until(() => page.locator("#rows li").count(), "the screen");

  // A breakpoint by the keyboard; a second page sees it, and a reload keeps it.
  await cursor(page, "into: { id");
  await page.keyboard.press("F9");
  await told(page, "Breakpoint set at line 8");
  const other = await open(address);
  await until(() => other.locator("#gutter > .break").count(), "the breakpoint on another page");
  same(await other.locator("#gutter > .break").textContent(), "8", "its line");

  // A failure pauses; its near miss is applied in place, and the step runs again. Then the breakpoint.
  await runPart(page, "Run all");
  await paused(page, "failed at line 6");
  assert(await page.locator("#pilot-panel").isVisible(), "the panel opens by itself");
  assert((await page.locator("#pause-why").textContent()).includes("no element matches"), "why it failed");
  await inEitherOrder(page);
  await accessible(page, "a pause");
  await look(page, "studio-pause");
  await page.getByRole("button", { name: /^Apply: .*Welcome to Notes/ }).click();
  await paused(page, "a breakpoint");
  assert(onDisk().includes("assert visible: Welcome to Notes   # greets\n    timeout: 1s"), `only the words changed: ${onDisk()}`);
  assert(onDisk().startsWith("# Signs in.\nname: Mends\n"), "all else stays");

  // The device may be used meanwhile.
  same((await post(page, "act", { wish: { what: { act: "tap", x: 1, y: 1 }, seq: null }, block: null }))[0], 200, "an act at a pause");

  // What ran already cannot be edited; what comes can.
  page.expected.push("409");
  const good = onDisk();
  await write(page, good.replace("- launch", "- launch: { app: com.example.notes }"));
  await page.locator("#pause-go").click();
  await told(page, "line 5 changed");
  await write(page, good.replace("text: ada", "text: eve").replace("visible: ada", "visible: eve"));

  // Two pages decide: the first wins, and the other is told.
  await until(async () => (await pause(other)).includes("a breakpoint"), "the pause on the other page");
  const turn = 2;
  await other.locator("#pause-go").click();
  await ended(page, "Passed");
  const [status, late] = await post(page, "decide", { turn, choice: "go" });
  same(status, 409, "too late");
  assert(late.includes("another page decided"), late);
  await other.close();

  // Step by step, and the end of the flow.
  await page.locator("#breaks").getByRole("button", { name: /^Remove/ }).click();
  await until(async () => (await page.locator("#breaks li").count()) === 0, "no breakpoint");
  await runPart(page, "Run step by step");
  await paused(page, "Paused before launch");
  await page.keyboard.press("F10");
  await paused(page, "Paused before assert visible: Welcome");
  // A page that comes back sees the same.
  await page.reload();
  await paused(page, "Paused before assert visible: Welcome");
  await button(page, "Skip it").click();
  await ended(page, "Passed");

  // A part that reads what only a step before it sets.
  await write(page, "app: com.example.notes\nsteps:\n  - launch\n  - set: { WORD: Welcome to Notes }\n  - assert visible: ${WORD}\n");
  await cursor(page, "visible: ${WORD}");
  await runPart(page, "Run from here");
  await page.getByLabel("WORD").fill("Welcome to Notes");
  await accessible(page, "missing values");
  // Refused, they stay; what was edited meanwhile is saved first, and the step is where it is then.
  let wish = null;
  await page.route("**/run", (route) => {
    wish = route.request().postDataJSON();
    return route.fulfill({ status: 409, json: { error: "not now" } });
  });
  await button(page, "Run with these values").click();
  await told(page, "not now");
  same(await page.getByLabel("WORD").inputValue(), "Welcome to Notes", "the value that was written");
  same(wish, { part: "from", line: 5, values: { WORD: "Welcome to Notes" } }, "what was asked for");
  await page.unroute("**/run");
  await page.locator("#text").evaluate((area) => {
    area.focus();
    area.setSelectionRange(0, 0);
  });
  await page.keyboard.type("# one line more\n");
  await cursor(page, "visible: ${WORD}");
  await button(page, "Run with these values").click();
  await ended(page, "Passed");
  assert(onDisk().startsWith("# one line more\n"), "it is saved");
  assert(await page.locator("#missing").isHidden(), "the values are used");

  // What `${}` stands for is shown beside the run, and at the cursor.
  same(await page.locator("#values").innerText(), "WORD\nWelcome to Notes", "the values");
  same(await page.locator("#values-title").textContent(), "Values at the end of the run", "when");
  await cursor(page, "visible: ${WO");
  await page.keyboard.press("Control+k");
  same(await page.locator("#offer-help").textContent(), "WORD = Welcome to Notes", "the value at the cursor");

  // A save from outside runs the flow; one that does not read is told, and runs when it reads again.
  await page.getByLabel("Run on save").check();
  let saves = 0;
  await until(async () => {
    saves += 1;
    writeFileSync(file, `app: com.example.notes\nsteps:\n  - clik: me # ${saves}\n`);
    return (await state(page)).includes("does not read");
  }, "that it does not read");
  await write(page, "app: com.example.notes\nname: Saved\nsteps:\n  - launch\n  - assert visible: Nowhere at all\n    timeout: 500ms\n");
  await paused(page, "failed at line 5");
  await button(page, "End the flow").click();
  await ended(page, "Failed at line 5");

  // What mends a paused run is no reason for another one.
  await write(page, "app: com.example.notes\nsteps:\n  - launch\n  - assert visible: Welcome to notes\n    timeout: 500ms\n");
  await paused(page, "failed at line 4");
  await page.evaluate(() => {
    document.addEventListener("news", ({ detail }) => {
      if (detail.what === "begin") document.body.dataset.begun = "again";
    });
  });
  await page.getByRole("button", { name: /^Apply: / }).first().click();
  await ended(page, "Passed");
  await page.waitForTimeout(1500);
  same(await page.evaluate(() => document.body.dataset.begun), undefined, "no second run");
  await write(page, "app: com.example.notes\nname: Saved\nsteps:\n  - launch\n  - assert visible: Nowhere at all\n    timeout: 500ms\n");
  await paused(page, "failed at line 5");
  await button(page, "End the flow").click();
  await ended(page, "Failed at line 5");

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await part(page, "Flow");
  await runPart(page, "Run all");
  await paused(page, "failed at line 5");
  await fits(page, "a pause on a phone");
  await accessible(page, "a pause on a phone in the dark");
  await part(page, "Flow");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await ended(page, "Failed");
});
