// The studio's gestures: Escape is Back, a held drag, two fingers, and the ruler between two elements.
//
// Arguments: the page's address. The flow opens a page with a slider, and says its value in words.
import { accessible, assert, drive, picture, runPart, same, until } from "./page.mjs";

const [address] = process.argv.slice(2);
/** The row of the slider, which has no words. */
const SLIDER = /text_sizeSeekBar/;

const text = (page) => page.locator("#text").inputValue();
/** The last step of the flow. */
const last = async (page) => (await text(page)).trimEnd().split("\n").at(-1).trim();
const row = (page, words) => page.locator("#rows li", { hasText: words }).first();
/** Runs the flow, and waits until its last step has passed: a run may be over before anybody sees that it began. */
async function passes(page) {
  const at = (await text(page)).trimEnd().split("\n").length - 1;
  await runPart(page, "Run all");
  await until(async () => (await page.locator("#gutter > div").nth(at).textContent()).includes("✓"), "the last step's mark");
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Passed") && (await page.locator("#stop").isDisabled()), "the flow passes");
}
/** The value that the slider has. */
const size = async (page) => Number(/size (\d+)/.exec(await page.locator("#rows").textContent())?.[1]);

/** Where an element is on the page, by the box that lights while one points at its row. */
const boxOf = (page, words) => until(async () => {
  await row(page, words).hover();
  return page.locator("#boxes .lit").boundingBox();
}, `the box of ${words}`);

/** Presses in the middle of a box, and waits until the page says that the finger holds. */
async function hold(page, { x, y, width, height }) {
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await until(() => page.locator("#fingers.ring i").count(), "the ring");
}

/** An element's edges, as the picker says them. */
async function edges(page, words, name) {
  await row(page, words).click();
  const at = await until(async () => {
    const states = await page.locator("#picked-states").textContent();
    return (await page.locator("#picked").textContent()).includes(`“${name}”`) && /at (.*)$/.exec(states);
  }, `${name} picked`);
  return at[1].split(", ").map(Number);
}

await drive(async ({ open }) => {
  const page = await open(address, { width: 1440, height: 900 });
  // A run that begins takes the time line and the pictures of the one before away.
  page.expected.push("404");
  const acts = [];
  page.on("request", (request) => request.url().endsWith("/act") && acts.push(request.postDataJSON().wish.what));
  await until(() => page.locator("#run-all").isEnabled(), "the flow was read");
  await passes(page);
  await until(async () => (await size(page)) === 16, "the slider");

  // A finger that holds and then moves drags; the ring moves nothing on the page.
  const phone = await page.locator("#screen").boundingBox();
  const slider = await boxOf(page, SLIDER);
  await hold(page, slider);
  same(await page.locator("#screen").boundingBox(), phone, "the phone while a finger holds");
  await accessible(page, "a finger that holds");
  await picture(page, "studio-hold");
  await page.mouse.move(slider.x + slider.width * 0.9, slider.y + slider.height / 2, { steps: 5 });
  await page.mouse.up();
  await until(async () => (await last(page)).startsWith("- drag: "), "the drag");
  const drag = await last(page);
  assert(/^- drag: \{ from: \{ on: \{ id: text_size \}, at: \{ x: 50%, y: 5\d% \} \}, to: \{ on: \{ id: text_size \}, at: \{ x: (89|90|91)%, y: 5\d% \} \}/.test(drag), drag);
  const value = await until(async () => (await size(page)) !== 16 && size(page), "the new value");
  assert(value > 24, `the slider went along: ${value}`);
  assert(acts[0].hold >= 500, `it held: ${acts[0].hold}`);

  // The flow does the same again: it begins at 16.
  await passes(page);
  same(await size(page), value, "the value after the run");

  // With Ctrl a second finger mirrors the mouse: closer together they zoom out.
  const now = await boxOf(page, SLIDER);
  const middle = [now.x + now.width / 2, now.y + now.height / 2];
  await page.keyboard.down("Control");
  await page.mouse.move(middle[0] + 120, middle[1]);
  await page.mouse.down();
  const dots = page.locator("#fingers.dots i");
  await until(async () => (await dots.count()) === 2, "both fingers");
  const [one, other] = await Promise.all([0, 1].map((which) => dots.nth(which).boundingBox()));
  assert(Math.abs((one.x + other.x + one.width) / 2 - middle[0]) < 3, `mirrored about the element's middle: ${one.x}, ${other.x}`);
  await page.mouse.move(middle[0] + 60, middle[1], { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Control");
  await until(async () => (await last(page)).startsWith("- two_fingers: "), "the pinch");
  assert(/^- two_fingers: \{ on: \{ id: text_size \},.* scale: 0\.(4[89]|5\d?|5) \}$/.test(await last(page)), await last(page));
  same(await dots.count(), 0, "fingers that are left");

  // Two fingers that go around turn; they touch the display.
  // The first of the pinch's fingers has moved the slider.
  const words = await boxOf(page, /size \d+/);
  await page.locator("#screen").evaluate((part, [x, y]) => {
    part.setPointerCapture = () => {};
    const finger = (kind, pointerId, angle) => {
      const [dx, dy] = [Math.cos(angle) * 60, Math.sin(angle) * 60];
      part.dispatchEvent(new PointerEvent(kind, { pointerId, isPrimary: pointerId === 11, pointerType: "touch", clientX: x + dx, clientY: y + dy, bubbles: true }));
    };
    finger("pointerdown", 11, Math.PI);
    finger("pointerdown", 12, 0);
    finger("pointermove", 11, Math.PI * 1.5);
    finger("pointermove", 12, Math.PI / 2);
    finger("pointerup", 12, Math.PI / 2);
    finger("pointerup", 11, Math.PI * 1.5);
  }, [words.x + words.width / 2, words.y + words.height / 2]);
  await until(async () => (await last(page)).includes("turn: "), "the turn");
  assert(/^- two_fingers: \{ on: \{ id: said \},.* turn: (89|90|91) \}$/.test(await last(page)), await last(page));
  await passes(page);

  // A click right after a trackpad's pinch is done too, and after it.
  const first = acts.length;
  await page.locator("#screen").evaluate((part, [clientX, clientY]) => {
    part.dispatchEvent(new WheelEvent("wheel", { deltaY: -20, ctrlKey: true, clientX, clientY, bubbles: true, cancelable: true }));
    for (const kind of ["pointerdown", "pointerup"]) part.dispatchEvent(new PointerEvent(kind, { pointerId: 21, isPrimary: true, clientX, clientY, bubbles: true }));
  }, middle);
  await until(() => acts.length >= first + 2, "both");
  same(acts.slice(first).map((it) => it.act), ["two_fingers", "tap"], "the pinch and the click");
  await until(async () => (await page.locator("#screen").getAttribute("aria-busy")) === null, "their end");

  // Escape calls off what a finger does; otherwise it is Back.
  const before = acts.length;
  await hold(page, await boxOf(page, SLIDER));
  await page.keyboard.press("Escape");
  await until(async () => !(await page.locator("#fingers i").count()), "the ring gone");
  await page.mouse.up();
  same(acts.length, before, "what was called off is not done");

  // The ruler: what it says is the distance of the rows' edges.
  await page.getByRole("button", { name: "Inspect", exact: true }).click();
  const bar = await edges(page, SLIDER, "text_size");
  const label = await edges(page, "Theme", "Theme");
  await row(page, SLIDER).hover();
  const ruler = page.locator("#ruler");
  await until(async () => (await ruler.textContent()).includes("down"), "the distance");
  const said = /down ([\d.]+) dp · (\d+) px/.exec(await ruler.textContent());
  same(Number(said[2]), bar[1] - label[3], "pixels between them");
  same(Number(said[1]), Number(((bar[1] - label[3]) * 160 / 420).toFixed(1)), "dp between them");
  same(await page.locator("#boxes .gap").allTextContents(), [`${said[1]} dp · ${said[2]} px`], "on the picture");
  await accessible(page, "the ruler");
  await picture(page, "studio-ruler");
  const steps = await text(page);
  const group = await edges(page, /themeRadioGroup/, "theme");
  const light = await edges(page, /^Light/, "Light");
  await page.mouse.move(0, 0);
  await page.locator("#rows").focus();
  await page.keyboard.press("ArrowUp");
  await until(async () => /left .*top .*right .*bottom /.test(await ruler.textContent()), "the insets, by keys");
  const insets = [...(await ruler.textContent()).matchAll(/ (\d+) px/g)].map((it) => Number(it[1]));
  same(insets, group.map((edge, side) => Math.abs(edge - light[side])), "the insets");
  same(await text(page), steps, "nothing is recorded of it");
  await page.keyboard.press("1");
  same(await ruler.textContent(), "", "in another mode");

  await page.locator("#screen").focus();
  await page.keyboard.press("Escape");
  await until(async () => (await last(page)) === "- back", "Back");
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.textContent), "Act", "Tab leaves the picture");
});
