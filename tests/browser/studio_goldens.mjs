// Goldens in the studio: from nothing to a passing flow, comparing now, rejecting, masking, a second page.
//
// Arguments: the page's address, the app's package. Prints the flow's path.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, runPart, same, told, until } from "./page.mjs";

const [address, app] = process.argv.slice(2);

const flow = (page) => page.locator("#text").inputValue();
const runState = (page) => page.locator("#run-state").textContent();
const idle = (page) => page.locator("#stop").isDisabled();
const ends = (page, begin) => until(async () => (await runState(page)).startsWith(begin) && idle(page), `a run that ends with ${begin}`);
const key = (page) => page.locator("#golden-case[aria-busy=false]:not([hidden]) #golden-title");
/** Waits until the comparison of a golden is shown, of the kind. */
const compared = (page, kind) => until(async () => (await key(page).count()) === 1 && (await key(page).textContent()).startsWith(kind), `the comparison: ${kind}`);
const nothingWaits = (page) => until(async () => (await page.locator("#accept-goldens").isDisabled()) && (await page.locator("#golden-case").isHidden()), "that nothing waits").catch(async (error) => {
  throw new Error(`${error.message}; the page says: ${await page.locator("#toast").textContent()}`);
});

await drive(async ({ open }) => {
  const page = await open(address);
  // What was decided may be gone while it is shown; the browser logs that.
  page.expected.push("404");
  let clicks = 0;
  const click = async (name) => {
    clicks += 1;
    if (name === "Run all") return runPart(page, name);
    return page.getByRole("button", { name, exact: true }).click();
  };

  // Nobody did anything wrong yet.
  await until(() => page.locator("#no-steps").isVisible(), "what to do first");
  same(await page.locator("#problems").textContent(), "", "no fault");

  // From an empty folder to a passing flow with a golden.
  await page.locator("#app").fill(app);
  await click("Launch");
  await until(async () => (await page.locator("#rows").textContent()).includes("Welcome to Notes"), "the app");
  await page.locator("#name").fill("notes.yaml");
  await click("Save as");
  await until(async () => (await page.locator("#file").textContent()).endsWith("notes.yaml"), "the file");
  await page.locator("#snapshot-name").fill("welcome");
  await click("Snapshot");
  await until(async () => (await flow(page)).includes("- snapshot: welcome"), "the step");
  await click("Run all");
  await ends(page, "Failed");
  await until(() => page.locator("#accept-goldens").isEnabled(), "what waits");
  await click("Accept");
  await nothingWaits(page);
  await click("Run all");
  await ends(page, "Passed");
  assert(clicks <= 12, `${clicks} clicks`);
  await until(async () => (await page.locator("#golden-list").textContent()).includes("welcome~"), "the golden in the list");
  await accessible(page, "goldens of which none waits");

  // Another screen: compared now, seen beside the golden, on a second page too, where somebody rejects it.
  await page.locator("#rows li", { hasText: "Username" }).first().click();
  await page.locator("#tap-it").click();
  await until(async () => (await flow(page)).includes("- click: "), "the click");
  await page.locator("#screen").focus();
  await page.keyboard.type("ada");
  await until(async () => (await flow(page)).includes("ada"), "what was typed");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await until(async () => (await flow(page)).includes("- back"), "the keyboard away");
  const compareNow = page.getByRole("button", { name: /^Compare now: .*welcome$/ });
  await compareNow.click();
  await ends(page, "Failed");
  await compared(page, "text");
  await accessible(page, "a comparison");
  await fits(page, "a comparison");
  await page.locator("#golden-main").scrollIntoViewIfNeeded();
  await look(page, "studio-golden");
  const second = await open(address);
  second.expected.push("404");
  await until(() => second.locator("#accept-goldens").isEnabled(), "what waits, on the second page");
  await panel(second, "Goldens", "Changes");
  await compared(second, "text");
  await second.getByRole("button", { name: "Reject", exact: true }).click();
  await nothingWaits(second);
  await nothingWaits(page);
  await told(page, "decided elsewhere");
  await second.close();

  // A mask of the row: written into the flow, compared again at once, and taken back.
  await compareNow.click();
  await compared(page, "text");
  await page.getByRole("button", { name: /^Mask .*username/i }).first().click();
  await until(async () => /mask: \[.*username/.test(await flow(page)), "the mask in the flow");
  await compared(page, "masks");
  await ends(page, "Failed");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await until(async () => !(await flow(page)).includes("mask:"), "the flow without the mask");
  await compared(page, "text");
  await ends(page, "Failed");

  // A mask that is drawn.
  await page.getByRole("button", { name: "Draw a mask" }).click();
  await page.locator("#golden-pictures .compare-pane.actual .compare-port").scrollIntoViewIfNeeded();
  const port = await page.locator("#golden-pictures .compare-pane.actual .compare-port").boundingBox();
  await page.mouse.move(port.x + port.width * 0.05, port.y + port.height * 0.35);
  await page.mouse.down();
  await page.mouse.move(port.x + port.width * 0.9, port.y + port.height * 0.5, { steps: 3 });
  await page.mouse.up();
  await until(async () => (await page.locator("#golden-bottom").inputValue()) !== "", "the edges of what was drawn");
  // Refused, the edges stay.
  page.expected.push("409");
  await page.route("**/api/mask", (route) => route.fulfill({ status: 409, json: { error: "not written" } }));
  await page.getByRole("button", { name: "Mask this part" }).click();
  await told(page, "not written");
  await page.unroute("**/api/mask");
  assert((await page.locator("#golden-bottom").inputValue()) !== "", "the edges of what was drawn, still");
  await page.getByRole("button", { name: "Mask this part" }).click();
  await until(async () => /mask: \[.*\d/.test(await flow(page)), "the drawn mask in the flow");
  await compared(page, "masks");
  await ends(page, "Failed");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await until(async () => !(await flow(page)).includes("mask:"), "the flow without the drawn mask");
  await compared(page, "text");
  await ends(page, "Failed");

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await fits(page, "goldens on a phone");
  await accessible(page, "goldens on a phone in the dark");
  await page.locator("#golden-main").scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await nothingWaits(page);

  console.log(await page.locator("#file").textContent());
});
