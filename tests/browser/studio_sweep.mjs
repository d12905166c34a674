// The studio's sweep: four appearances side by side with what was found, stopped in the middle, kept as goldens.
//
// Arguments: the page's address.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, runPart, same, told, until } from "./page.mjs";

const [address] = process.argv.slice(2);

const cells = (page) => page.locator("#sweep-cells > li");
const sweepState = (page) => page.locator("#sweep-state").textContent();
const rests = (page) => until(async () => (await page.locator("#sweep-stop").isDisabled()) && (await page.locator("#stop").isDisabled()), "the end of the sweep");
const flow = (page) => page.locator("#text").inputValue();

await drive(async ({ open }) => {
  const page = await open(address);
  await until(() => page.locator("#rows li").count(), "the screen");
  await runPart(page, "Run all");
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Passed"), "the app in front");

  // Four appearances, of which each is told as it comes.
  await panel(page, "Goldens", "Sweep");
  same(await page.locator("#sweep-count").textContent(), "4 appearances", "what is chosen");
  let pictures = 0;
  page.on("request", (request) => { pictures += Number(request.url().includes("/sweep/picture/")); });
  await page.getByRole("button", { name: "Sweep", exact: true }).click();
  await until(async () => (await cells(page).count()) === 4, "the appearances");
  await until(async () => (await page.locator("#sweep-cells img").count()) === 4, "their pictures");
  await rests(page);
  same(pictures, 4, "each picture is asked for once");
  same(await page.locator("#sweep-cells h3").allTextContents(), ["light, font 100 %", "light, font 200 %", "dark, font 100 %", "dark, font 200 %"], "the appearances");
  assert(/findings? in 4 appearances/.test(await sweepState(page)), await sweepState(page));
  assert(!(await page.evaluate(() => "hurt" in window)), "texts of the screen are texts");
  const finding = page.locator(".sweep-findings button").first();
  await finding.click();
  same(await page.locator(".sweep-box.chosen").count(), 1, "the box of the finding");
  await accessible(page, "a sweep");
  await page.locator("#sweep-panel").scrollIntoViewIfNeeded();
  await look(page, "studio-sweep");

  // A page that comes later sees the same.
  const second = await open(address);
  await until(async () => (await second.locator("#sweep-cells img").count()) === 4, "the sweep on a second page");
  await second.close();

  // What is accepted may be gone before it is shown; the browser logs that.
  page.expected.push("404");
  // Kept as goldens: they are the flow's matrix, and each waits for review.
  await page.locator("#sweep-name").fill("looks");
  await page.getByRole("button", { name: "Keep these as goldens" }).click();
  await until(async () => (await flow(page)).includes("matrix: { dark: [no, yes], font_scale: [1, 2] }") && (await flow(page)).includes("- snapshot: looks"), "the matrix and the snapshot");
  await until(async () => (await page.locator("#accept-goldens").textContent()) === "Accept 4", "four that wait");
  await until(() => page.locator("#stop").isDisabled(), "the end");
  await page.locator("#accept-goldens").click();
  // A pause shows another panel meanwhile.
  await page.locator("#pilot-panel-tab").evaluate((tab) => /** @type {HTMLElement} */ (tab).click());
  await page.getByRole("button", { name: "Yes" }).click();
  await told(page, "4 snapshots accepted");
  await until(() => page.locator("#accept-goldens").isDisabled(), "that nothing waits");

  // Stopped in the middle: what was seen stays, the settings are put back.
  await panel(page, "Goldens", "Sweep");
  await page.getByRole("button", { name: "Sweep", exact: true }).click();
  await until(async () => (await page.locator("#sweep-cells img").count()) >= 1 && !(await page.locator("#sweep-stop").isDisabled()), "the first appearance");
  await page.locator("#sweep-stop").click();
  await rests(page);
  assert((await sweepState(page)).includes("stopped"), await sweepState(page));

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await fits(page, "the sweep on a phone");
  await accessible(page, "the sweep on a phone in the dark");
  await page.locator("#sweep-panel").scrollIntoViewIfNeeded();
});
