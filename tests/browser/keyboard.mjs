// A whole review without a pointer. Arguments: the page's address, then the keys.
import { assert, drive, same, until } from "./page.mjs";

const [address, given] = process.argv.slice(2);
const keys = JSON.parse(given);

await drive(async ({ open }) => {
  const page = await open(address);
  page.expected = ["status of 404"];
  const title = page.locator("#title");
  const press = (key) => page.keyboard.press(key);
  const shows = (key) => until(async () => (await title.textContent()).endsWith(` ${key}`), `${key} shown`);
  const waits = (number) => until(async () => (await page.locator("#progress").textContent()).startsWith(`${number} waiting`), `${number} waiting`);
  await waits(8);
  await shows(keys.size);

  // Looking.
  await press("j");
  await shows(keys.layout);
  await press("n");
  await until(async () => (await page.locator(".compare-where").textContent()).startsWith("1 of "), "the first change");
  await press("p");
  await press("v");
  same(await page.locator(".compare").getAttribute("data-mode"), "slider", "the mode");
  await press("J");
  await shows(keys.text[0]);
  await press("K");
  await shows(keys.layout);
  await press("k");
  await shows(keys.size);
  for (let steps = 0; !(await page.evaluate(() => document.activeElement.matches("#rows tr"))); steps += 1) {
    assert(steps < 200, "Tab comes to the rows");
    await press("Tab");
  }
  assert(await page.locator(".actual .compare-lit").count(), "the row's box is lit");
  await press("?");
  await press("Escape");
  await press("Escape");
  await waits(8);

  // Deciding: each time the next one is shown.
  await press("a");
  await waits(7);
  await shows(keys.layout);
  await press("s");
  await shows(keys.text[0]);
  await press("g");
  await press("a");
  await waits(4);
  await shows(keys.pixels);
  await press("r");
  await waits(3);
  await shows(keys.new);
  await press("a");
  await waits(2);
  await shows(keys.obsolete);
  await press("a");
  await waits(1);
  await shows(keys.layout);
  await press("Shift+A");
  await until(async () => (await page.locator("#toast").textContent()).includes("Nothing is left"), "what was skipped is not meant");
  await press("u");
  await waits(2);
  await shows(keys.obsolete);
  await press("Shift+A");
  await press("y");
  await waits(1);
  await shows(keys.layout);
  await press("a");
  await waits(0);
  assert((await page.locator("#empty").textContent()).includes("Everything is reviewed"), "the end is told");
});
