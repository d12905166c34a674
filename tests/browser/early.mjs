// U9: keys that come before what they are about, with answers held back. Arguments: the page's address, then the keys.
import { assert, drive, same, shows, told, until } from "./page.mjs";

const [address, given] = process.argv.slice(2);
const keys = JSON.parse(given);

/** A gate for the answers to what matches `path`: they pass while it is open. */
async function gate(page, path) {
  let open;
  let passing = Promise.resolve();
  const asked = [];
  await page.route(path, async (route) => {
    asked.push(new URL(route.request().url()).pathname);
    await passing;
    await route.continue().catch(() => {});
  });
  return { asked, close: () => { passing = new Promise((resolve) => { open = resolve; }); }, open: () => open() };
}

await drive(async ({ open }) => {
  const page = await open(address);
  const press = (key) => page.keyboard.press(key);
  await shows(page, keys.size);
  const decided = [];
  page.on("request", (request) => request.method() === "POST" && decided.push(new URL(request.url()).pathname));
  const cases = await gate(page, "**/api/case/**");
  const pictures = await gate(page, "**/api/picture/**");
  const accepting = await gate(page, "**/api/accept");

  // While the next one loads: each key that decides is refused with a word, and its button says that it waits.
  cases.close();
  await press("j");
  await until(() => cases.asked.some((path) => decodeURIComponent(path).endsWith(keys.layout)), "the question for the next one");
  for (const [key, word] of [["a", "Accept"], ["r", "Reject"], ["s", "Skip"], ["g", "Whole group"], ["Shift+A", "Accept all"], ["Shift+R", "Reject all"], ["m", "Mask"]]) {
    await press(key);
    await told(page, `${word} was not taken: ${keys.layout} is still loading`);
  }
  for (const id of ["accept", "reject", "whole", "accept-rest"]) same(await page.locator(`#${id}`).getAttribute("aria-disabled"), "true", `#${id} waits`);
  await page.locator("#accept").click({ force: true });
  assert(!(await page.locator("#ask").isVisible()), "nothing is asked");
  // What looks waits in its order: another way to compare, then the next change of what is to come.
  await press("v");
  await press("n");
  same(await page.locator(".compare").getAttribute("data-mode"), "side", "the mode of what is shown still");
  cases.open();
  await shows(page, keys.layout);
  same(await page.locator(".compare").getAttribute("data-mode"), "slider", "the mode after v");
  await until(async () => /^2 of /.test(await page.locator(".compare-where").textContent()), "the change after n");
  same(await page.locator("#whole").getAttribute("aria-pressed"), "false", "the group is not meant");
  same(decided, [], "decisions");

  // Several steps: where they lead is shown.
  cases.close();
  for (const key of ["k", "J", "J", "j", "j"]) await press(key);
  cases.open();
  await shows(page, keys.text[2]);

  // Words without pictures are not what a person decides about.
  pictures.close();
  await press("k");
  await until(async () => (await page.locator("#title").getAttribute("title")) === keys.text[1], "its words");
  await press("g");
  await told(page, "Whole group was not taken");
  await press("a");
  await told(page, "Accept was not taken");
  pictures.open();
  await shows(page, keys.text[1]);
  same(decided, [], "decisions");

  // While a decision is on its way the next is refused, and going on begins at where it leads.
  accepting.close();
  await press("a");
  await until(() => decided.length === 1, "the decision");
  await press("a");
  await told(page, "Accept was not taken: the decision before is on its way");
  await press("j");
  accepting.open();
  await shows(page, keys.pixels);
  await told(page, "Accept was not taken");
  same(decided, ["/api/accept"], "decisions");

  // In time everything counts again.
  await press("k");
  await shows(page, keys.text[2]);
  await press("g");
  same(await page.locator("#accept").textContent(), "Accept all 2", "what a is about");
  await press("a");
  await until(() => decided.length === 2, "the decision about the group");
  await shows(page, keys.pixels);
});
