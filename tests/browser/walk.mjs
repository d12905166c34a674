// What was recorded of flows, walked through in the report: by mouse and keys, light and dark, on a phone, with the video.
import { accessible, assert, drive, fits, picture, same, until } from "./page.mjs";

const index = process.argv[2];
const FLOW = "#flow=flows/sign-in.yaml&device=virtual";

await drive(async ({ open, problems }) => {
  const page = await open(index + FLOW);
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) problems.push(`request: ${request.url()}`);
  });
  const texts = (selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
  const chosen = async () => (await texts('.walk-step[aria-current="step"] .words'))[0];
  await page.click('[data-tab="steps"]');
  await loaded(page, ".walk-screen img");

  // Each innermost step is a stop; it begins with the first, and goes on by button, key, slider and click.
  const steps = await texts(".walk-step .words");
  assert(steps.length === 8 && steps[0].startsWith("launch"), "steps: " + steps);
  same(await chosen(), steps[0], "the first");
  await page.click('[aria-label="Next step"]');
  same(await chosen(), steps[1], "by button");
  await page.keyboard.press("ArrowRight");
  same(await chosen(), steps[2], "by key");
  await page.keyboard.press("End");
  same(await chosen(), steps.at(-1), "the last");
  await page.keyboard.press("ArrowLeft");
  same(await chosen(), steps.at(-2), "back by key");
  await page.focus(".walk-bar input");
  await page.keyboard.press("Home");
  same(await chosen(), steps[0], "by slider");

  // A click: where it went, the screens before and after, and the rows that came and went.
  await page.click(".walk-step:has-text('sign_in')");
  same(await texts(".walk-screen figcaption"), ["Before", "After"], "two screens");
  await loaded(page, ".walk-screen img");
  assert((await page.$$(".walk-screen:first-child .walk-touches circle")).length === 1, "where the finger was");
  assert((await page.$$(".walk-screen:last-child .walk-touches")).length === 0, "only where it was");
  const changes = (await texts(".walk-changes li")).join("\n");
  assert(/added.*Welcome, /.test(changes) && /removed.*Sign in/.test(changes), "changed rows: " + changes);
  await accessible(page, "a step of a trace");
  same((await page.$$("#steps .step")).length, 0, "the steps are listed once");
  await picture(page, "walk");
  await page.click(".walk-step:has-text('scroll_to')");
  assert((await page.$$(".walk-touches polyline")).length > 0, "the way of the finger");

  // The video of the virtual device: frames, and steps that jump.
  await page.click('[data-tab="video"]');
  await loaded(page, ".film-player img");
  const shown = () => page.$eval(".film-player img", (image) => image.src);
  const before = await shown();
  await page.click(".chapter:has-text('scroll_to')");
  assert((await texts('.chapter[aria-current="true"] .words'))[0].startsWith("scroll_to"), "the chapter");
  assert((await shown()) !== before, "another frame");
  const time = () => page.$eval(".film-bar input", (slider) => Number(slider.value));
  const began = await time();
  await page.click(".film-bar button");
  await until(async () => (await time()) > began, "the next moment");
  await page.click(".film-bar button");
  same(await texts(".film-bar button"), ["Play"], "it rests");
  same((await texts('.chapter[aria-current="true"] .words')).length, 1, "one chapter");
  await accessible(page, "a video");
  await picture(page, "walk-video");

  // A flow that failed begins at the step that failed it.
  await page.goto("about:blank");
  await page.goto(index + "#flow=flows/fails.yaml&device=virtual");
  await page.click('[data-tab="steps"]');
  await page.waitForSelector(".walk");
  assert((await chosen()).includes("Nothing"), "the step that failed: " + (await chosen()));
  assert((await texts(".walk-failure"))[0].includes("Nothing"), "why");

  // A phone, in the dark.
  const phone = await open(index + FLOW, { width: 390, height: 844, scheme: "dark" });
  await phone.click('[data-tab="steps"]');
  await phone.click(".walk-step:has-text('sign_in')");
  await loaded(phone, ".walk-screen img");
  await fits(phone, "a trace at 390 px");
  await accessible(phone, "a trace in the dark");
  await picture(phone, "walk-phone");
  await phone.click('[data-tab="video"]');
  await picture(phone, "walk-phone-video");
});

/** Waits until all pictures are there. */
async function loaded(page, selector) {
  await page.waitForSelector(selector);
  await until(() => page.$$eval(selector, (images) => images.every((image) => image.naturalWidth > 0)), "pictures of " + selector);
}
