// Decides in every way and takes each decision back, then writes masks. Arguments: the page's address, then the keys.
import { assert, drive, go, shows, told, until, waits } from "./page.mjs";

const [address, given] = process.argv.slice(2);
const keys = JSON.parse(given);

await drive(async ({ open }) => {
  const page = await open(address);
  // A picture or a case may be asked for while it is decided.
  page.expected = ["status of 404", "ERR_FAILED"];
  const press = (key) => page.keyboard.press(key);
  await waits(page, 8);

  // By clicks, and by keys; what was taken back is shown again.
  await go(page, keys.layout);
  await page.getByRole("button", { name: "Accept", exact: true }).click();
  await waits(page, 7);
  await page.getByRole("button", { name: "Undo" }).click();
  await told(page, `${keys.layout} waits again`);
  await waits(page, 8);
  await shows(page, keys.layout);
  await go(page, keys.pixels);
  await press("r");
  await waits(page, 7);
  await press("u");
  await waits(page, 8);
  await shows(page, keys.pixels);

  // A server that is not reached for once: nothing is decided, and the same key decides then.
  for (const path of ["reject", "queue"]) await page.route(`**/api/${path}`, (route) => route.abort(), { times: 1 });
  await press("r");
  await told(page, "The server does not answer");
  await shows(page, keys.pixels);
  await press("r");
  await waits(page, 7);
  await press("u");
  await waits(page, 8);

  // What is obsolete, a group, and all that is left.
  await go(page, keys.obsolete);
  await page.getByRole("button", { name: "Accept: remove it" }).click();
  await waits(page, 7);
  await press("u");
  await told(page, `${keys.obsolete} waits again`);
  await waits(page, 8);
  await go(page, keys.obsolete);
  await press("r");
  await waits(page, 7);
  await press("u");
  await waits(page, 8);
  await go(page, keys.text[0]);
  await press("g");
  assert(await page.getByRole("button", { name: "Reject all 3", exact: true }).isVisible(), "the group is meant");
  await press("r");
  await waits(page, 5);
  await press("u");
  await told(page, "wait again");
  await waits(page, 8);
  await page.getByRole("button", { name: "Accept all 8 left" }).click();
  assert((await page.locator("#ask").textContent()).includes("1 obsolete golden is removed"), "what goes is told");
  await press("n");
  assert(!(await page.locator("#ask").isVisible()), "n is no");
  await press("Shift+A");
  await press("Escape");
  await waits(page, 8);
  await press("Shift+A");
  await page.getByRole("button", { name: "Yes" }).click();
  await waits(page, 0);
  await press("u");
  await told(page, "and 5 more wait again");
  await waits(page, 8);
  await press("u");
  await told(page, "nothing to take back");

  // A mask by a row's button, and by a click on an element and a key. The head of a window cannot be masked.
  await go(page, keys.layout);
  await page.locator("#all-rows").check();
  assert(await page.getByRole("button", { name: /^Mask window / }).count() === 0, "a window's head has a button to mask it");
  await page.locator("#all-rows").uncheck();
  await page.getByRole("button", { name: "Mask TextView#notice", exact: true }).click();
  await told(page, "Wrote { id: notice } at flows/form.yaml");
  await told(page, "runner test flows/form.yaml");
  await go(page, keys.pixels);
  const stage = page.locator(".actual .compare-stage");
  await until(() => stage.evaluate((element) => element.clientWidth > 50 && [...element.querySelectorAll("img")].every((image) => image.complete)), "the picture");
  const box = await stage.boundingBox();
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.15);
  await until(() => page.evaluate(() => document.activeElement.matches("li.lit")), "the row of the box");
  await press("m");
  await told(page, "at flows/sign-in.yaml");
  await waits(page, 8);
});
