// The studio's time line: all steps of a run, nested; the screens before and after; selectors tried on them.
//
// Arguments: the page's address.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, runPart, same, until } from "./page.mjs";

const [address] = process.argv.slice(2);

await drive(async ({ open }) => {
  const page = await open(address);
  const texts = (selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
  const chosen = async () => (await texts('.walk-step[aria-current="step"] .words'))[0];
  const loaded = () => until(() => page.$$eval(".walk-screen img", (images) => images.length > 0 && images.every((image) => image.naturalWidth > 0)), "pictures of the step");

  await panel(page, "Run", "Steps");
  await page.getByRole("button", { name: "Last run" }).click();
  await until(async () => (await page.locator("#timeline-state").textContent()).includes("Nothing ran yet"), "what is said before a run");
  await until(() => page.locator("#rows li").count(), "the screen");
  await panel(page, "Run", "Debug");
  await page.getByLabel("Pause at failures").uncheck();
  await panel(page, "Run", "Steps");
  await runPart(page, "Run all");
  // While it goes on there are steps already.
  await until(async () => (await page.locator(".walk-step").count()) > 0, "the first step");
  await until(async () => (await page.locator("#run-state").textContent()).startsWith("Failed"), "the end of the run");
  await until(async () => (await page.locator("#timeline-state").textContent()).includes("failed in"), "the whole time line");

  // Steps inside others, setup too; those that hold others fold.
  const steps = await texts(".walk-step .words");
  assert(steps.length === 10, `steps: ${steps.join(" | ")}`);
  const marks = await texts(".walk-mark");
  assert(marks.includes("Setup") && marks.includes("round 1") && marks.includes("round 2"), `marks: ${marks}`);
  const folds = page.locator(".walk-fold");
  same(await folds.count(), 3, "run, repeat and group");
  await folds.nth(1).click();
  same(await folds.nth(1).getAttribute("aria-expanded"), "false", "folded");
  same(await page.locator(".walk-step:visible").count(), steps.length - 4, "what is inside is not shown");
  await folds.nth(1).click();

  // It stands at what failed: expected, near misses.
  await until(async () => (await chosen())?.includes("Nothing like this"), "the step that failed");
  await until(async () => (await texts(".walk .failure .message"))[0]?.includes("Nothing like this"), "why");

  // By keys: to the step before, to the first.
  await page.locator('.walk-step[aria-current="step"]').focus();
  await page.keyboard.press("Home");
  await until(async () => (await chosen())?.startsWith("launch"), "the first");
  const film = page.locator("#film button");
  await until(async () => (await film.count()) > 3, "the film strip");
  await film.nth(1).click();
  const there = await chosen();
  await page.keyboard.press("ArrowRight");
  await until(async () => (await chosen()) !== there && (await film.nth(2).getAttribute("aria-current")) === "true", "by the film strip");
  await page.locator(".walk-step").nth(1).click();

  // A click: before and after, where the finger was, what changed, what was written.
  await until(async () => (await texts(".walk-beside code")).join().includes("${WHO}"), "the line as written");
  await page.locator(".walk-step", { hasText: "sign_in" }).click();
  await loaded();
  await until(async () => String(await texts(".walk-screen figcaption")) === "Before,After", "two screens");
  await until(async () => (await page.locator(".walk-screen:first-child .walk-touches circle").count()) === 1, "where the finger was");
  await until(async () => /Welcome, /.test((await texts(".walk-changes li")).join()), "rows that changed");
  await accessible(page, "the time line");
  await look(page, "studio-timeline");

  // The screen before is looked into: its elements, and selectors tried on it.
  await page.getByRole("button", { name: "Inspect before" }).click();
  await until(async () => (await page.locator("#age").textContent()).includes("recorded elements"), "the recorded screen");
  await page.locator("#rows li", { hasText: "Sign in" }).first().click();
  await page.locator("#selector").fill("{ id: sign_in }");
  await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), "what it selects there");
  await page.getByRole("button", { name: "Live" }).click();

  // Words of the flow are explained, by key and by pointer.
  await page.locator("#text").evaluate((area) => {
    area.focus();
    const at = area.value.indexOf("repeat") + 2;
    area.setSelectionRange(at, at);
  });
  await page.keyboard.press("Control+k");
  await until(async () => (await page.locator("#offer-help").textContent()).startsWith("repeat: "), "what repeat means");
  await page.locator("#text").hover({ position: { x: 18, y: 14 } });
  await until(async () => (await page.locator("#hint:visible").count()) && (await page.locator("#hint").textContent()).startsWith("name: "), "what name means");

  // A second page sees the same; so does a phone in the dark.
  const phone = await open(address, { width: 390, height: 844, scheme: "dark" });
  await panel(phone, "Run", "Steps");
  await until(async () => (await phone.locator(".walk-step").count()) === steps.length, "the steps on a second page");
  // The rows of a screen come late, and two steps have that screen: the second waits for them too.
  await phone.route("**/timeline/rows/*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    // Whoever unroutes meanwhile has let it go on.
    await route.continue().catch(() => {});
  });
  await phone.locator(".walk-step", { hasText: "sign_in" }).click();
  await phone.locator(".walk-step", { hasText: "wait_for" }).click();
  await until(async () => (await phone.locator(".walk-stage").textContent()).includes("All rows of the screen"), "the rows of the second step");
  await phone.unroute("**/timeline/rows/*");
  await phone.locator(".walk-step", { hasText: "sign_in" }).click();
  await until(() => phone.$$eval(".walk-screen img", (images) => images.length > 0 && images.every((image) => image.naturalWidth > 0)), "pictures on the phone");
  await fits(phone, "the time line on a phone");
  await accessible(phone, "the time line in the dark");
});
