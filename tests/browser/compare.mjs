// The viewer alone, opened from disk: its modes, its keys, what it lights. Argument: address of compare.html.
import { accessible, assert, drive, fits, picture, same, until } from "./page.mjs";

const [address] = process.argv.slice(2);

/** A drawn picture as an address, so that no file is needed. */
const drawn = (page, width, height, colour, box) =>
  page.evaluate(([w, h, c, b]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: w, height: h });
    const paint = canvas.getContext("2d");
    paint.fillStyle = c;
    paint.fillRect(0, 0, w, h);
    paint.fillStyle = "#223344";
    paint.fillRect(...b);
    return canvas.toDataURL();
  }, [width, height, colour, box]);

async function mounted(page, options = {}) {
  const golden = await drawn(page, 200, 400, "#f0e0d0", [20, 40, 100, 40]);
  const actual = await drawn(page, 200, options.tall || 400, "#f0e0d0", [20, 60, 100, 40]);
  await page.evaluate((given) => {
    window.told = { hover: [], pick: [], mode: [], place: [] };
    window.view = Compare.mount(document.getElementById("host"), {
      boxes: [
        { id: "row-1", side: "golden", bounds: [0, 0, 200, 400], label: "<img src=x onerror=alert(1)>" },
        { id: "row-2", side: "golden", bounds: [20, 40, 120, 80], label: "Button#pay" },
        { id: "row-2", side: "actual", bounds: [20, 60, 120, 100], label: "Button#pay" },
        { id: "row-3", side: "actual", bounds: [150, 300, 190, 340], label: "Button#new" },
      ],
      places: [{ bounds: [20, 40, 120, 100], label: "Button#pay: 4000 px" }, { bounds: [150, 300, 190, 340], label: "Button#new: 9 px" }],
      masks: [{ bounds: [0, 0, 200, 12], label: "the status bar" }],
      moved: [{ below: 120, by: [0, 8], label: "moved by 0,+8" }],
      text: true,
      onHover: (id) => told.hover.push(id),
      onPick: (box) => told.pick.push(box.id),
      onMode: (mode) => told.mode.push(mode),
      onPlace: (index) => told.place.push(index),
      ...given,
    });
  }, { golden, actual, ...options });
  await page.locator(".compare img").first().waitFor({ state: "attached" });
  await until(() => page.evaluate(() => [...document.querySelectorAll(".compare img")].every((image) => image.complete)), "the pictures");
}

/** Whether a picture of a pane is to be seen. */
const seen = (page, selector) =>
  page.evaluate((wanted) => {
    const element = document.querySelector(wanted);
    const style = element && getComputedStyle(element);
    return Boolean(element && element.getClientRects().length && style.display !== "none" && style.visibility !== "hidden");
  }, selector);

await drive(async ({ open }) => {
  const page = await open(address);
  await mounted(page);
  const mode = (name) => page.getByRole("button", { name, exact: true }).click();

  // Side by side: an element is lit on both sides, the innermost first.
  assert((await seen(page, ".golden .under, .golden img")) && (await seen(page, ".actual .under")), "both sides are shown");
  const stage = await page.locator(".golden .compare-stage").boundingBox();
  const point = (x, y) => [stage.x + (x / 200) * stage.width, stage.y + (y / 400) * stage.height];
  await page.mouse.move(...point(60, 60));
  same(await page.evaluate(() => told.hover.at(-1)), "row-2", "hovered");
  same(await page.locator(".golden .compare-lit, .actual .compare-lit").count(), 2, "lit boxes, one a side");
  await page.mouse.click(...point(60, 60));
  same(await page.evaluate(() => told.pick), ["row-2"], "picked");
  await page.mouse.move(...point(60, 300));
  same(await page.evaluate(() => told.hover.at(-1)), "row-1", "hovered");
  same(await page.locator(".compare-lit img").count(), 0, "a label is text, whatever it says");
  await page.mouse.move(2, 2);
  same(await page.evaluate(() => told.hover.at(-1)), null, "hovered after leaving");
  await page.evaluate(() => view.light("row-3"));
  same(await page.locator(".actual .compare-lit").count(), 1, "an added element is lit where it is");
  same(await page.locator(".golden .compare-lit").count(), 0, "and not where it is not");
  await page.evaluate(() => view.light(null));
  same(await page.locator(".golden .compare-mask").count(), 1, "masks");
  assert((await page.locator(".actual .compare-moved").textContent()) === "↓ 8 px", "what moved is told");

  // Slider: by its range, by the keys of the picture, by dragging.
  await mode("Slider");
  assert(!(await seen(page, ".golden img")) && (await seen(page, ".actual .over")), "one picture above the other");
  const cut = () => page.evaluate(() => getComputedStyle(document.querySelector(".actual .over")).clipPath);
  same(await cut(), "inset(0px 50% 0px 0px)", "the slider begins in the middle");
  const range = page.getByRole("slider");
  await range.focus();
  await page.keyboard.press("Home");
  same(await cut(), "inset(0px 100% 0px 0px)", "the slider at its left end");
  await page.keyboard.press("End");
  same(await cut(), "inset(0px 0% 0px 0px)", "the slider at its right end");
  await page.locator(".actual .compare-port").focus();
  await page.keyboard.press("ArrowLeft");
  same(await cut(), "inset(0px 2% 0px 0px)", "the slider by an arrow key");
  const whole = await page.locator(".actual .compare-stage").boundingBox();
  const handle = await page.locator(".compare-handle").boundingBox();
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(whole.x + whole.width / 4, whole.y + 20, { steps: 4 });
  await page.mouse.up();
  const dragged = Number((await cut()).split(" ")[1].replace("%", ""));
  assert(Math.abs(dragged - 75) < 1.5, `the slider was dragged to ${await cut()}`);
  await picture(page, "compare-slider");

  // Blink: people who want less motion begin with a still picture.
  await mode("Blink");
  assert(await page.getByRole("button", { name: "Play" }).isVisible(), "it stands still");
  assert((await seen(page, ".actual .over")) && !(await seen(page, ".actual .under")), "the golden is shown");
  await page.locator(".actual .compare-port").focus();
  await page.keyboard.press(" ");
  assert(!(await seen(page, ".actual .over")) && (await seen(page, ".actual .under")), "then what was seen");

  // Difference, without a drawn one: blended.
  await mode("Difference");
  assert(await seen(page, ".difference .blend"), "the difference is shown");
  same(await page.locator(".compare").getAttribute("data-mode"), "difference", "the mode");
  await mode("Text");
  assert(!(await seen(page, ".compare-panes")), "no picture among text");
  same(await page.evaluate(() => told.mode), ["slider", "blink", "difference", "text"], "the modes told");

  // Changes in turn, and the zoom.
  await mode("Side by side");
  await page.getByRole("button", { name: "Next change" }).click();
  await page.getByRole("button", { name: "Next change" }).click();
  await page.getByRole("button", { name: "Next change" }).click();
  await page.getByRole("button", { name: "Previous change" }).click();
  same(await page.evaluate(() => told.place), [0, 1, 0, 1], "places shown");
  assert((await page.locator(".compare-where").textContent()) === "2 of 2: Button#new: 9 px", "the place is told");
  await page.getByRole("button", { name: "1:1, one pixel each (1)" }).click();
  same(await page.locator(".golden .compare-stage").evaluate((element) => element.offsetWidth), 200, "width at 1:1");
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await page.getByRole("button", { name: "Marks" }).click();
  assert(!(await seen(page, ".compare-place")), "marks are hidden");
  await accessible(page, "the viewer");

  // Pictures of two sizes are drawn to one scale.
  await mounted(page, { tall: 500 });
  const heights = await page.evaluate(() => [".golden img", ".actual .under"].map((one) => document.querySelector(one).offsetHeight));
  assert(Math.abs(heights[0] / heights[1] - 0.8) < 0.02, `heights ${heights}`);

  // One side alone.
  await mounted(page, { golden: null, missing: { golden: "there is no golden yet" } });
  assert(await page.getByText("there is no golden yet").isVisible(), "the missing side says so");
  assert(await page.getByRole("button", { name: "Slider", exact: true }).isDisabled(), "nothing to slide");
  await mounted(page, { actual: null });
  same(await page.locator(".actual img").count(), 0, "no picture of what is obsolete");
  await page.evaluate(() => view.destroy());
  same(await page.locator(".compare").count(), 0, "nothing is left");

  const dark = await open(address, { scheme: "dark", width: 360, height: 740, motion: "no-preference" });
  await mounted(dark, { mode: "blink" });
  const face = () => dark.locator(".compare").getAttribute("data-face");
  await until(async () => (await face()) === "actual", "a blink");
  await until(async () => (await face()) === "golden", "a blink back");
  await dark.getByRole("button", { name: "Pause" }).click();
  await fits(dark, "the viewer on a phone");
  await accessible(dark, "the viewer in the dark");
  await picture(dark, "compare-phone-dark");
});
