// The studio's editor and runs: typing, completion, faults, parts of the flow, changes from outside.
//
// Arguments: the page's address, the flow's file.
import { readFileSync, writeFileSync } from "node:fs";
import { accessible, assert, drive, fits, picture, same, until } from "./page.mjs";

const [address, file] = process.argv.slice(2);

const text = (page) => page.locator("#text").inputValue();
const onDisk = () => readFileSync(file, "utf8");
const problems = (page) => page.locator("#problems").textContent();
const saved = (page) => until(async () => onDisk() === (await text(page)), "the file as it is in the editor");
/** Puts the cursor behind `part`. */
const cursor = (page, part) => page.locator("#text").evaluate((area, words) => {
  area.focus();
  const at = area.value.indexOf(words) + words.length;
  area.setSelectionRange(at, at);
}, part);
/** Runs a part of the flow, and gives what the page says in the end. */
async function run(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
  const ended = /^(Passed|Failed|Error|Interrupted)/;
  await until(async () => ended.test(await page.locator("#run-state").textContent()) && (await page.locator("#stop").isDisabled()), `the end of ${name}`);
  return page.locator("#run-state").textContent();
}
const marks = (page) => page.locator("#gutter > div").evaluateAll((lines) => lines.map((line) => line.textContent.replace(/\d+/, "")));

await drive(async ({ open }) => {
  const page = await open(address);
  await until(async () => (await text(page)) === onDisk(), "the file in the editor");
  await until(() => page.locator("#rows li").count(), "the screen");

  // Pauses have a script of their own.
  await page.getByRole("tab", { name: "Debug" }).click();
  await page.getByLabel("Pause at failures").uncheck();

  // The whole flow, by the engine of `runner test`; what each step came to stands at its line.
  assert((await run(page, "Run all")).startsWith("Passed"), "the flow passes");
  same((await marks(page)).slice(2, 6), ["", "✓", "✓", "✓"], "marks at the lines");
  await picture(page, "studio-run");
  await accessible(page, "after a run");

  // Parts of it: the step alone, to here, from here, each on the screen that is there.
  await cursor(page, "assert visible: Welcome");
  assert((await run(page, "Run step")).startsWith("Passed"), "the step alone");
  same((await marks(page)).slice(2, 6), ["", "", "✓", ""], "only the step was run");
  await cursor(page, "- launch");
  assert((await run(page, "Run to here")).startsWith("Passed"), "to here");
  same((await marks(page)).slice(2, 6), ["", "✓", "", ""], "nothing behind it was run");
  await cursor(page, "assert visible: Welcome");
  assert((await run(page, "Run from here")).startsWith("Passed"), "from here");
  same((await marks(page)).slice(2, 6), ["", "", "✓", "✓"], "nothing before it was run");

  // What is typed is read at once and saved; a fault has its line and what to do.
  await cursor(page, "text: ada }");
  await page.keyboard.type("\n  - clik: Sign in");
  await until(async () => (await problems(page)).includes("line 7"), "the fault's line");
  assert(/clik.*click/.test(await problems(page)), "the step that was meant");
  await saved(page);
  // The browser logs each refusal.
  page.expected.push("409");
  await page.getByRole("button", { name: "Run all" }).click();
  await until(async () => (await page.locator("#toast").textContent()).includes("does not read"), "why it is not run");

  // Completion: a step by its beginning, an id of the screen, a key of a selector.
  await page.locator("#text").evaluate((area) => {
    area.focus();
    area.setSelectionRange(area.value.indexOf("  - clik"), area.value.length);
  });
  await page.keyboard.type("  - long_c");
  await until(() => page.locator("#offers li").count(), "completions");
  await page.keyboard.press("Enter");
  await page.keyboard.type("{ i");
  await until(async () => (await page.locator("#offers").textContent()).includes("id"), "keys");
  await page.keyboard.press("Enter");
  await page.keyboard.type("sign");
  await until(async () => (await page.locator("#offers").textContent()).includes("sign_in"), "ids of the screen");
  await accessible(page, "with completions");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" }");
  await until(async () => (await text(page)).includes("- long_click: { id: sign_in }"), "the completed step");
  await until(async () => (await problems(page)) === "", "no fault is left");
  await saved(page);

  // A failure: where, what nearly fits.
  await cursor(page, "id: sign_in }");
  await page.keyboard.type("\n  - assert visible: Welcome to notes\n    timeout: 1s");
  await saved(page);
  const failed = await run(page, "Run all");
  assert(failed.startsWith("Failed at line 8"), failed);
  assert(failed.includes("Welcome to Notes"), `the near miss: ${failed}`);
  same((await marks(page))[7], "✗", "the mark of what failed");

  // Others change the file: it is taken in, or told where something else was typed.
  writeFileSync(file, onDisk().replace("to notes", "to Notes"));
  await until(async () => (await text(page)).includes("visible: Welcome to Notes\n"), "the change from outside");
  assert((await run(page, "Run all")).startsWith("Passed"), "the mended flow");
  await page.route("**/flow", (route) => (route.request().method() === "POST" ? until(() => onDisk().startsWith("# theirs"), "their text").then(() => route.continue()) : route.continue()));
  await cursor(page, "timeout: 1s");
  await page.keyboard.type(" # mine");
  writeFileSync(file, `# theirs\n${onDisk()}`);
  await until(() => page.locator("#conflict:not([hidden])").count(), "the conflict");
  await page.unroute("**/flow");
  assert((await text(page)).includes("# mine") && onDisk().startsWith("# theirs"), "nothing is lost");
  assert((await page.locator("#theirs").textContent()).startsWith("# theirs"), "their text is shown");
  await accessible(page, "a conflict");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await saved(page);
  assert(onDisk().includes("# mine") && !onDisk().includes("# theirs"), "mine is kept");

  // What is done on the screen goes behind the step with the cursor, and goes on there.
  await cursor(page, "- launch");
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(async () => (await text(page)).includes("- launch\n  - home\n  - assert visible"), "the step behind the cursor");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await until(async () => (await text(page)).includes("- launch\n  - home\n  - back\n  - assert visible"), "the next one behind it");
  await saved(page);

  // A run that is stopped ends in order.
  writeFileSync(file, "steps:\n  - wait_for: never\n    timeout: 60s\n");
  await until(async () => (await text(page)).includes("never"), "the long flow");
  await page.getByRole("button", { name: "Run all" }).click();
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Running: wait_for"), "the step under way");
  await page.locator("#text").press("Control+Enter");
  await until(async () => (await page.locator("#toast").textContent()).includes("A run is under way"), "one run at a time");
  assert((await page.locator("#run-state").textContent()).startsWith("Running: wait_for"), "what is under way is still told");
  await page.getByRole("button", { name: "Stop" }).click();
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Interrupted"), "the end");

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await fits(page, "the flow on a phone");
  await accessible(page, "the flow on a phone in the dark");
});
