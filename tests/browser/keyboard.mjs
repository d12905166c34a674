// A whole review without a pointer. Arguments: the page's address, then the keys.
import { assert, drive, same, shows, until, waits } from "./page.mjs";

const [address, given] = process.argv.slice(2);
const keys = JSON.parse(given);

await drive(async ({ open }) => {
  const page = await open(address);
  page.expected = ["status of 404"];
  const press = (key) => page.keyboard.press(key);
  await waits(page, 8);
  await shows(page, keys.size);

  // Looking.
  await press("j");
  await shows(page, keys.layout);
  await press("n");
  await until(async () => (await page.locator(".compare-where").textContent()).startsWith("2 of "), "the change after the first");
  await press("p");
  await until(async () => (await page.locator(".compare-where").textContent()).startsWith("1 of "), "the first change");
  await press("v");
  same(await page.locator(".compare").getAttribute("data-mode"), "slider", "the mode");
  await press("J");
  await shows(page, keys.text[0]);
  await press("K");
  await shows(page, keys.layout);
  await press("k");
  await shows(page, keys.size);
  for (let steps = 0; !(await page.evaluate(() => document.activeElement.matches("#rows li"))); steps += 1) {
    assert(steps < 200, "Tab comes to the rows");
    await press("Tab");
  }
  assert(await page.locator(".actual .compare-lit").count(), "the row's box is lit");
  await press("?");
  await press("Escape");
  await press("Escape");
  await waits(page, 8);

  // Deciding: each time the next one is shown.
  await press("a");
  await waits(page, 7);
  await shows(page, keys.layout);
  await press("s");
  await shows(page, keys.text[0]);
  await press("g");
  await press("a");
  await waits(page, 4);
  await shows(page, keys.pixels);
  await press("r");
  await waits(page, 3);
  await shows(page, keys.new);
  await press("a");
  await waits(page, 2);
  await shows(page, keys.obsolete);
  await press("a");
  await waits(page, 1);
  await shows(page, keys.layout);
  await press("Shift+A");
  await until(async () => (await page.locator("#toast").textContent()).includes("Nothing is left"), "what was skipped is not meant");
  await press("u");
  await waits(page, 2);
  await shows(page, keys.obsolete);
  await press("Shift+A");
  await press("y");
  await waits(page, 1);
  await shows(page, keys.layout);
  await press("a");
  await waits(page, 0);
  assert((await page.locator("#empty").textContent()).includes("Everything is reviewed"), "the end is told");
});
