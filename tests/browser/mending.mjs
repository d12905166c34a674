// A patch to a selector on the page of the review: both screens, what it writes, and the key that accepts it.
// Arguments: the page's address, the key of the patch.
import { accessible, assert, drive, fits, go, same, told, until } from "./page.mjs";

const [address, key] = process.argv.slice(2);

await drive(async ({ open }) => {
  const page = await open(address);
  await go(page, key);
  same(await page.locator("#title .badge").textContent(), "selector", "the kind");
  const captions = await page.locator(".compare figcaption b").allTextContents();
  same(captions.slice(0, 2).join(), "Last green,Failed", "what the screens are called");
  await until(() => page.evaluate(() => [...document.querySelectorAll(".compare img")].every((image) => image.complete && image.naturalWidth)), "both screens");
  const written = await page.locator("#causes li").allTextContents();
  assert(written.some((line) => line.startsWith("failed: flows/")), written.join("\n"));
  await accessible(page, "a patch");
  await fits(page, "a patch");
  await page.keyboard.press("a");
  await told(page, "accepted");
});
