// The review as files: a person decides from disk and takes the decisions along. Arguments: the page's address, the keys,
// where the file of decisions goes. Prints the line for a comment.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, go, same, shows, told, until, waits } from "./page.mjs";

const [address, given, file] = process.argv.slice(2);
const keys = JSON.parse(given);

await drive(async ({ open }) => {
  const page = await open(address);
  await waits(page, 7);
  assert(await page.locator("#finish").isHidden(), "there is nothing to take along yet");

  await go(page, keys.text[0]);
  same(await page.locator("#rows ins").textContent(), keys.hostile, "what is there now, as text");
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await waits(page, 4);
  await go(page, keys.layout);
  await until(() => page.evaluate(() => [...document.querySelectorAll(".compare img")].every((image) => image.complete && image.naturalWidth)), "the pictures");
  await look(page, "review-static");
  await accessible(page, "the page of files");
  await fits(page, "the page of files");
  await page.keyboard.press("m");
  await told(page, "runner review --from");
  await page.keyboard.press("r");
  await waits(page, 3);
  await go(page, keys.new);
  await page.keyboard.press("a");
  await waits(page, 2);

  // The last one was a mistake, and is taken back; then it is made again.
  await page.keyboard.press("u");
  await waits(page, 3);
  await shows(page, keys.new);
  await page.keyboard.press("a");
  await waits(page, 2);

  // What was decided outlives the page.
  await page.reload();
  await waits(page, 2);
  same(await page.locator("#take").textContent(), "Take 5 decisions along", "the button");
  await page.locator("#take").click();
  same(await page.locator("#take-words").textContent(), "4 accepted, 1 rejected, 2 not decided.", "what is taken along");
  await accessible(page, "the dialog");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#take-file").click()]);
  same(download.suggestedFilename(), "decisions.json", "the file's name");
  await download.saveAs(file);
  const line = await page.locator("#take-line").inputValue();
  assert(line.startsWith("/runner decide {"), line);
  assert(!(await page.evaluate(() => "hurt" in window)), "no text of the app ran");
  console.log(line);
});
