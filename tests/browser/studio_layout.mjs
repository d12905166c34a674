// Where the studio's parts are: the phone's size, the panel's height, the editor, and a narrow page.
//
// Arguments: the page's address.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, part, picture, runPart, same, until } from "./page.mjs";

const [address] = process.argv.slice(2);

/** All panels, by their groups. */
const PANELS = { Run: ["Steps", "Debug", "Log"], Goldens: ["Changes", "Sweep"], Device: ["Apps", "Settings", "All devices", "Agents"] };

const boxOf = (page, selector) => page.locator(selector).boundingBox();
const sizeOf = async (page, selector) => {
  const { x, y, width, height } = await boxOf(page, selector);
  return [x, y, width, height].map(Math.round);
};
const whole = ({ x, y, width, height }, page) => {
  const { width: wide, height: high } = page.viewportSize();
  return x >= 0 && y >= 0 && x + width <= wide && y + height <= high;
};

await drive(async ({ open }) => {
  const page = await open(address, { width: 1440, height: 900 });
  await until(() => page.locator("#rows li").count(), "the screen");
  await until(() => page.locator("#run-all").isEnabled(), "the flow was read");
  await runPart(page, "Run all");
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Passed"), "the run");

  // The phone has the height that the header leaves, and one size whatever else is open.
  for (const [width, height] of [[1440, 900], [1280, 800]]) {
    await page.setViewportSize({ width, height });
    const head = await boxOf(page, "header.top");
    const size = await sizeOf(page, "#screen");
    const left = height - head.height - size[3];
    assert(left >= 0 && left <= 28, `of ${height} px the phone leaves ${left}`);
    assert(Math.abs(size[2] / size[3] - 9 / 20) < 0.01, `a screen of 9:20: ${size}`);
    assert(head.height <= 48, `the header is one line: ${head.height}`);
    assert((await boxOf(page, "#run")).height <= 40, "the buttons of the run are one line");
    for (const [group, names] of Object.entries(PANELS)) {
      for (const name of names) {
        await panel(page, group, name);
        same(await sizeOf(page, "#screen"), size, `the phone while ${name} is open`);
        await fits(page, name);
      }
    }
    await page.getByRole("button", { name: "Inspect", exact: true }).click();
    await page.locator("#rows li").first().click();
    await until(() => page.locator("#selectors li").count(), "selectors");
    same(await sizeOf(page, "#screen"), size, "the phone beside the picker");
    if (width === 1440) await look(page, "studio-picker");
    await page.getByRole("button", { name: "Close the picker" }).click();
  }

  // All steps have their screen: none is missing below a picture that is there.
  await panel(page, "Run", "Steps");
  const steps = page.locator(".walk-step");
  await until(() => steps.count(), "the steps of the run");
  for (let at = 0; at < await steps.count(); at += 1) {
    await steps.nth(at).click();
    await until(async () => (await page.locator(".walk-screen img").count()) > 0, `a screen of step ${at + 1}`);
    assert(!(await page.locator(".walk-stage").textContent()).includes("No screenshot"), "no picture says that there is none");
  }
  await until(async () => (await page.locator("#film img").count()) > 0, "the film strip");
  await accessible(page, "the film strip");

  // The panel's height is dragged, kept, and the panel is hidden by its key.
  const dock = () => boxOf(page, "#dock").then(({ height }) => Math.round(height));
  const before = await dock();
  const grip = await boxOf(page, "#grip");
  await page.mouse.move(grip.x + 200, grip.y + 4);
  await page.mouse.down();
  await page.mouse.move(grip.x + 200, grip.y + 4 - 90, { steps: 4 });
  await page.mouse.up();
  const dragged = await dock();
  assert(Math.abs(dragged - before - 90) <= 6, `dragged by 90: ${before}, ${dragged}`);
  await page.reload();
  await until(() => page.locator("#rows li").count(), "the screen again");
  same(await dock(), dragged, "the height is kept");
  await page.locator("#grip").focus();
  await page.keyboard.press("ArrowDown");
  assert(await dock() < dragged, "lower by the arrows");
  await page.keyboard.press("Control+j");
  assert(await page.locator("#panels").isHidden() && await dock() < 60, "hidden by its key");
  await page.reload();
  assert(await page.locator("#panels").isHidden(), "that is kept too");
  await page.keyboard.press("Control+j");
  assert(await page.locator("#panels").isVisible(), "there again");

  // A long line scrolls as a whole: the numbers never cover its beginning.
  const area = page.locator("#text");
  await until(async () => (await area.inputValue()).includes("Greets"), "the flow");
  const port = await boxOf(page, "#port");
  const gutter = await boxOf(page, "#gutter");
  assert(gutter.x + gutter.width <= port.x + 1, "the numbers stand beside the text");
  const scrolled = () => page.locator("#port").evaluate((it) => it.scrollLeft);
  const covered = () => page.locator("#text").evaluate((it) => it.getBoundingClientRect().left - document.getElementById("port").getBoundingClientRect().left);
  await area.press("Control+End");
  await page.keyboard.type(`  - assert visible: ${"a long text ".repeat(30)}`);
  await until(async () => (await scrolled()) > 0, "the end of the line is in view");
  await page.keyboard.press("Home");
  await until(async () => (await scrolled()) === 0, "the beginning of the line");
  same(Math.round(await covered()), 0, "nothing is cut off at the left");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  await until(async () => (await scrolled()) === 0, "the beginning of a short line");

  // What completes is in view: at the bottom, and at the right.
  await area.press("Control+End");
  await page.keyboard.type(`\n${"  - back\n".repeat(30)}  - cl`);
  await until(() => page.locator("#offers li").count(), "completions at the bottom");
  assert(whole(await boxOf(page, "#offers"), page), `in view at the bottom: ${JSON.stringify(await boxOf(page, "#offers"))}`);
  assert((await boxOf(page, "#offers")).height > 60, "more than one of them");
  await picture(page, "studio-completion");
  await page.keyboard.press("Escape");
  await page.keyboard.type(`ick: { id: ${"x".repeat(120)}, t`);
  await until(() => page.locator("#offers li").count(), "completions at the right");
  assert(whole(await boxOf(page, "#offers"), page), `in view at the right: ${JSON.stringify(await boxOf(page, "#offers"))}`);
  await page.keyboard.press("Escape");
  await accessible(page, "a wide page");
  await page.locator("#port").evaluate((port) => port.scrollTo(0, 0));
  await look(page, "studio-editor");
  same((await page.title()).endsWith("greets.yaml · Studio"), true, "what the title says");

  // A narrow page shows one part at a time.
  const narrow = await open(address, { width: 390, height: 844 });
  await until(() => narrow.locator("#picture:not([hidden])").count(), "the screen on a narrow page");
  const parts = { Screen: "#phone-part", Elements: "#rows-part", Flow: "#flow-part", Run: "#panels", Goldens: "#panels", Device: "#panels" };
  for (const [name, selector] of Object.entries(parts)) {
    await part(narrow, name);
    for (const other of new Set(Object.values(parts))) same(await narrow.locator(other).isVisible(), other === selector, `${other} while ${name} is chosen`);
    const bar = await boxOf(narrow, "#groups");
    same(Math.round(bar.y + bar.height), 844, "the bar is at the bottom");
    await fits(narrow, `${name} on a narrow page`);
    await accessible(narrow, `${name} on a narrow page`);
  }
  await part(narrow, "Screen");
  assert(whole(await boxOf(narrow, "#screen"), narrow), "the whole phone is seen");
});
