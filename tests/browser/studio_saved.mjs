// Saved runs in the studio: a stream, an archive, a report whose data are gone, and a stream without its artifacts.
//
// Arguments: the addresses of their pages.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, part, until } from "./page.mjs";

const [stream, archive, report, broken, cut] = process.argv.slice(2);

await drive(async ({ open }) => {
  const texts = (page, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
  const walked = (page) => until(() => page.locator(".walk-step").count(), "the steps");
  const seen = (page) => until(() => page.$$eval("#picture", (images) => images.length > 0 && images.every((image) => image.naturalWidth > 0 && !image.hidden)), "the screen of the step");
  const says = (page, text) => until(async () => (await page.locator("#timeline-state").textContent()).includes(text), text);

  for (const [name, address] of [["events.ndjson", stream], ["run.zip", archive], ["report", report]]) {
    const page = await open();
    page.expected.push("409");
    await page.goto(address);
    await walked(page);
    assert((await page.locator("#device").textContent()).includes(name), `the run's name: ${name}`);
    // It stands at what failed, with its screen, and the flow's text beside it.
    await until(async () => (await texts(page, '.walk-step[aria-current="step"] .words'))[0]?.includes("Nothing like this"), `${name}: the failed step`);
    await seen(page);
    await page.locator(".walk-step", { hasText: "sign_in" }).click();
    await until(async () => /Welcome, /.test((await texts(page, ".walk-changes li")).join()), `${name}: rows that changed`);
    await page.getByRole("button", { name: "Inspect before" }).click();
    await page.locator("#rows li", { hasText: "Sign in" }).first().click();
    await page.locator("#selector").fill("{ id: sign_in }");
    await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), `${name}: a selector`);
    await until(async () => (await page.locator("#age").textContent()).includes("recorded"), `${name}: a recorded screen`);
    const isReport = (await page.locator("#age").textContent()).includes("recorded rows");
    assert(isReport === (name === "report"), `${name}: what is known of the screen is told`);
    assert((await page.locator("#saved-state").textContent()).includes("sign-in.yaml"), "the file of the step");
    assert((await page.locator("#saved-source .now").textContent()).includes("click: { id: sign_in }"), "the line of the step");
    await page.locator(".walk-step", { hasText: "Nothing like this" }).click();
    await until(async () => (await page.locator("#saved-state").textContent()).includes("was changed since"), "a file that was changed");
    assert(!(await page.locator("#run-all").isVisible()), "nothing is run");
    const refused = await page.evaluate(async () => (await fetch("run", { method: "POST", headers: { "content-type": "application/json" }, body: '{"part":"all"}' })).status).catch(() => 0);
    assert(refused === 409, `a run is refused: ${refused}`);
    await page.locator("#steps-panel-tab").press("ArrowRight");
    assert(await page.locator("#steps-panel").isVisible(), "keys go to no tab that is not there");
    await accessible(page, `saved: ${name}`);
    await page.locator("#picker").evaluate((picker) => picker.scrollTo(0, 0));
    if (name === "run.zip") await look(page, "studio-saved");
    await page.close();
  }

  // The data of a report went: told, and no crash.
  const gone = await open();
  gone.expected.push("409");
  await gone.goto(broken);
  await says(gone, "data/");
  await gone.close();

  // A stream that was cut off, and no files beside it: steps are there, and why there are no screens.
  const page = await open(cut, { width: 390, height: 844, scheme: "dark" });
  await until(() => page.locator(".walk-step").count(), "the steps");
  await fits(page, "a saved run on a phone");
  await accessible(page, "a saved run on a phone in the dark");
});
