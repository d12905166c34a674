// What happens while the page is open. Arguments: the page's address, a key that waits, one that comes later.
// Prints "ready" when the page is open, then waits for the one and for the other.
import { assert, drive, same, shows, until } from "./page.mjs";

const [address, first, later] = process.argv.slice(2);

await drive(async ({ open }) => {
  // Somebody else is at the same case.
  const [one, two] = [await open(`${address}#${first}`), await open(address)];
  // A picture may be asked for while it is decided elsewhere.
  for (const page of [one, two]) page.expected = ["status of 404"];
  await shows(one, first);
  await two.goto(`${new URL("/", address)}#${first}`);
  await shows(two, first);
  same(await two.evaluate(() => window.hurt ?? null), null, "markup of a device that ran");
  same(await two.locator("#rows img, #groups img:not(.thumb), #about img").count(), 0, "markup of a device that became an element");
  await one.locator("#reject").click();
  await until(async () => (await two.locator("#toast").textContent()).includes("decided elsewhere"), "the note about the other reviewer");
  await until(async () => (await two.locator("#empty").isVisible()), "an empty queue");
  console.log("ready");
  await until(async () => (await one.locator("#groups a").count()) === 1, "what the run brought");
  await shows(one, later);
  assert(await one.locator("#case").isVisible(), "it is shown");
});
