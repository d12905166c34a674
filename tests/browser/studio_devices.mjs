// Two devices in one studio: each is shown in turn, both live in small, and what is done is done on both.
//
// Arguments: the page's address, the app's package.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, until } from "./page.mjs";

const [address, app] = process.argv.slice(2);

const flow = (page) => page.locator("#text").inputValue();
const shows = (page, text) => until(async () => (await page.locator("#rows").textContent()).includes(text), `the element ${text}`);
const done = (page) => until(async () => (await page.locator("#all-results").textContent()).includes("done"), "the other device did it");

await drive(async ({ open }) => {
  const page = await open(address);
  await shows(page, "Notes");
  const choice = page.getByRole("combobox", { name: "Device" });
  const names = await choice.locator("option").allTextContents();
  assert(names.length === 2 && names[0] !== names[1], `two devices: ${names}`);

  // On one alone, then on all.
  await panel(page, "Device", "All devices");
  await until(async () => (await page.locator("#all-devices img:not([hidden])").count()) === 2, "a picture of each");
  await page.locator("#app").fill(app);
  await page.getByRole("button", { name: "Launch" }).click();
  await shows(page, "Welcome to Notes");
  await page.getByLabel("Act on all devices").check();
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await done(page);
  await until(async () => !(await page.locator("#rows").textContent()).includes("Welcome to Notes"), "the home screen");
  await page.getByRole("button", { name: "Launch" }).click();
  await shows(page, "Welcome to Notes");
  await done(page);
  // By the element, on a device where nothing was touched yet.
  await page.locator("#rows li", { hasText: "Username" }).first().click();
  await page.getByRole("button", { name: "Click it" }).click();
  await until(async () => (await flow(page)).includes("- click: "), "one step");
  await done(page);
  await accessible(page, "all devices");
  await fits(page, "all devices");
  await look(page, "studio-devices");
  const clicks = (await flow(page)).split("\n").filter((line) => line.includes("- click: "));
  assert(clicks.length === 1, `it is recorded once: ${clicks}`);

  // The other device shows the same, and the page works on it from now on; a second page too.
  const other = await open(address, { width: 390, height: 800, scheme: "dark" });
  const shown = Number((await page.locator("#picture").getAttribute("src")).split("/")[1]);
  let goOn;
  const held = new Promise((resolve) => { goOn = resolve; });
  await page.route("**/picture/*", (route) => held.then(() => route.continue()));
  await choice.selectOption({ index: 1 });
  await until(() => page.locator("#nothing").isVisible(), "that nothing of the other device is seen yet");
  assert(await page.locator("#picture").isHidden(), "the picture of the one before is gone");
  // Whoever clicked on it meant the device before.
  page.expected.push("409");
  const late = await page.evaluate(async (seq) => {
    const body = JSON.stringify({ wish: { what: { act: "tap", x: 1, y: 1 }, seq }, block: null });
    return (await fetch("act", { method: "POST", headers: { "content-type": "application/json" }, body })).text();
  }, shown);
  assert(late.includes("the device that was shown before"), late);
  goOn();
  await until(async () => (await page.locator("#device").textContent()).startsWith(names[1]), "the other device");
  await shows(page, "Welcome to Notes");
  await until(async () => (await other.locator("#device-choice").inputValue()) === "1", "the second page follows");
  await panel(other, "Device", "All devices");
  await until(async () => (await other.locator("#all-devices img:not([hidden])").count()) === 2, "pictures on a phone");
  await fits(other, "all devices on a phone");
  await accessible(other, "all devices on a phone");
});
