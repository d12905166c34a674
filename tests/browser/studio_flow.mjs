// The studio's editor and runs: typing, completion, faults, parts of the flow, changes from outside.
//
// Arguments: the page's address, the flow's file.
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, part, runPart, same, until } from "./page.mjs";

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
  await runPart(page, name);
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
  await panel(page, "Run", "Debug");
  await page.getByLabel("Pause at failures").uncheck();

  // The whole flow, by the engine of `runner test`; what each step came to stands at its line.
  assert((await run(page, "Run all")).startsWith("Passed"), "the flow passes");
  same((await marks(page)).slice(2, 6), ["", "✓", "✓", "✓"], "marks at the lines");
  await look(page, "studio-run");
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
  // A part of the word is read too, on a machine where typing takes longer than the page waits.
  await until(async () => /line 7.*clik.*click/s.test(await problems(page)), "the fault's line and the step that was meant");
  await saved(page);
  // The browser logs each refusal.
  page.expected.push("409");
  await runPart(page, "Run all");
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

  // A step that is whole ends with Enter, though the same with arguments is offered.
  await cursor(page, "id: sign_in }");
  await page.keyboard.type("\n  - screenshot");
  await until(() => page.locator("#offers li").count(), "the step with arguments");
  await page.keyboard.press("Enter");
  assert((await text(page)).includes("  - screenshot\n"), `the line ends: ${await text(page)}`);
  await page.locator("#text").evaluate((area) => area.setSelectionRange(area.value.indexOf("\n  - screenshot"), area.value.length));
  await page.keyboard.press("Delete");
  await saved(page);

  // The button is disabled while nothing is typed.
  await cursor(page, "id: sign_in");
  await page.keyboard.type(", force: true");
  await saved(page);

  // A failure: where, what nearly fits.
  await cursor(page, "force: true }");
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
  await until(async () => (await page.locator("#theirs").textContent()).startsWith("# theirs"), "their text");
  await accessible(page, "a conflict");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await saved(page);
  assert(onDisk().includes("# mine") && !onDisk().includes("# theirs"), "mine is kept");

  // A change that is taken back is no conflict any more: what was typed is saved.
  const good = onDisk();
  await page.route("**/flow", (route) => (route.request().method() === "POST" ? until(() => onDisk() === `# X\n${good}`, "their text").then(() => route.continue()) : route.continue()));
  await cursor(page, "# mine");
  await page.keyboard.type("2");
  writeFileSync(file, `# X\n${good}`);
  await until(() => page.locator("#conflict:not([hidden])").count(), "the second conflict");
  await page.unroute("**/flow");
  writeFileSync(file, good);
  await until(async () => !(await page.locator("#conflict:not([hidden])").count()), "the end of the conflict");
  await until(() => onDisk().includes("# mine2"), "what was typed on disk");

  // What is done on the screen goes behind the step with the cursor, and goes on there.
  await cursor(page, "- launch");
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(async () => (await text(page)).includes("- launch\n  - home\n  - assert visible"), "the step behind the cursor");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await until(async () => /- launch\n  - home\n(  - wait_for: .*\n)?  - back\n  - assert visible/.test(await text(page)), "the next one behind it");
  await saved(page);

  // What is added can be undone, and what was typed before it too.
  const written = await text(page);
  await cursor(page, "# mine2");
  await page.keyboard.type(" typed");
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(async () => (await text(page)).includes("# mine2 typed\n  - home\n"), "the step behind what was typed");
  assert(await page.getByRole("button", { name: "Home", exact: true }).evaluate((it) => it === document.activeElement), "the focus stays");
  await page.locator("#text").focus();
  await page.keyboard.press("Control+z");
  same(await text(page), written.replace("# mine2", "# mine2 typed"), "the step is undone alone");
  await until(async () => {
    await page.keyboard.press("Control+z");
    return (await text(page)) === written;
  }, "that what was typed is undone");
  await saved(page);

  // Who goes elsewhere in the text while something is done: each step is written once, and the cursor stays.
  let goOn = null;
  const held = () => page.route("**/act", (route) => new Promise((resolve) => { goOn = () => route.continue().then(resolve); }));
  const answered = async () => {
    await goOn();
    await page.unroute("**/act");
  };
  await cursor(page, "- launch");
  await page.getByRole("button", { name: "Recents" }).click();
  await until(async () => (await text(page)).includes("- launch\n  - press_recents\n  - home"), "the first of two");
  await held();
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(() => goOn, "the act under way");
  await cursor(page, "# mine2");
  await page.keyboard.type("\n  - long_c");
  await until(() => page.locator("#offers li").count(), "completions while something is done");
  await answered();
  await until(async () => (await text(page)).includes("- launch\n  - press_recents\n  - home\n  - home"), "the second in its place");
  same((await text(page)).match(/press_recents/g).length, 1, "the first stands once");
  await until(async () => !(await page.locator("#offers li").count()), "no offer for another place");
  await page.keyboard.type("lick: Sign in");
  await until(async () => (await text(page)).includes("# mine2\n  - long_click: Sign in"), "the cursor stayed");
  await page.keyboard.press("Escape");

  // An assertion comes behind the act before it, though that takes longer.
  goOn = null;
  await cursor(page, "long_click: Sign in");
  await held();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await until(() => goOn, "the act under way");
  await page.locator("#rows li").first().click();
  await until(async () => (await page.locator("#selector").inputValue()) !== "", "a selector");
  await page.getByRole("button", { name: "Assert visible" }).click();
  await answered();
  await until(async () => /long_click: Sign in\n  - back\n  - assert visible: .*\n$/.test(await text(page)), "both in order");
  await page.getByRole("button", { name: "Close the picker" }).click();
  await saved(page);

  // Ends of lines stay as the file has them; what nobody edits is not written.
  const windows = "\ufeffname: Windows\r\nsteps:\r\n  - back\r\n";
  writeFileSync(file, windows);
  const unix = "name: Windows\nsteps:\n  - back\n";
  await until(async () => (await text(page)) === unix, "the text of a file with other ends of lines");
  assert((await run(page, "Run all")).startsWith("Passed"), "it runs");
  same([await page.locator("#saved").textContent(), onDisk()], ["saved", windows], "nothing was edited");
  await cursor(page, "- back");
  await page.keyboard.type("\n  - home");
  await until(() => onDisk() === windows.replace("- back", "- back\r\n  - home"), "the ends of lines that it had");

  // A file that goes away is kept here.
  const before = onDisk();
  unlinkSync(file);
  await until(async () => (await page.locator("#toast").textContent()).includes("flows/sign.yaml is gone"), "that it is gone");
  same(await text(page), unix.replace("- back", "- back\n  - home"), "the text is kept");
  await page.locator("#text").focus();
  await page.keyboard.press("Control+s");
  await until(async () => (await page.locator("#saved").textContent()) === "saved", "that it is there again");
  same(onDisk(), before, "the file as it was");

  // Nothing is written into a flow of Maestro's, and the page says so.
  writeFileSync(file, "appId: com.example.notes\n---\n- launchApp\n");
  await until(() => page.locator("#import-flow:not([hidden])").count(), "a flow of Maestro's");
  await page.locator("#rows li").first().click();
  await until(async () => (await page.locator("#selector").inputValue()) !== "", "a selector");
  await page.getByRole("button", { name: "Assert visible" }).click();
  await until(async () => (await page.locator("#toast").textContent()).includes("not written: this is a flow of Maestro's"), "that it is not written");
  await page.getByRole("button", { name: "Close the picker" }).click();

  // A run that is stopped ends in order.
  writeFileSync(file, "steps:\n  - wait_for: never\n    timeout: 60s\n");
  await until(async () => (await text(page)).includes("never"), "the long flow");
  await runPart(page, "Run all");
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Running: wait_for"), "the step under way");
  await page.locator("#text").press("Control+Enter");
  await until(async () => (await page.locator("#toast").textContent()).includes("A run is under way"), "one run at a time");
  assert((await page.locator("#run-state").textContent()).startsWith("Running: wait_for"), "what is under way is still told");
  await page.getByRole("button", { name: "Stop" }).click();
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Interrupted"), "the end");

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await part(page, "Flow");
  await fits(page, "the flow on a phone");
  await accessible(page, "the flow on a phone in the dark");
});
