// The whole review of the scripted change, as a person does it. Arguments: the page's address, then the keys.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, go, picture, same, shows, told, until, waits } from "./page.mjs";

const [address, given] = process.argv.slice(2);
const keys = JSON.parse(given);

await drive(async ({ open }) => {
  const page = await open(address);

  await waits(page, 8);
  assert(!page.url().includes("token"), "the token leaves the address");
  assert((await page.context().cookies()).every((cookie) => cookie.httpOnly && cookie.sameSite === "Strict"), "the cookie is closed to scripts");

  // A picture or a case may be asked for while it is decided elsewhere.
  page.expected = ["status of 404"];

  // Looking: every mode, in light and dark, wide and narrow.
  await go(page, keys.layout);
  await until(() => page.evaluate(() => [...document.querySelectorAll(".compare img")].every((image) => image.complete)), "the pictures");
  await look(page, "review-layout");
  await accessible(page, "the page in light");
  for (const mode of ["slider", "blink", "difference", "text", "side"]) {
    await page.keyboard.press("v");
    same(await page.locator(".compare").getAttribute("data-mode"), mode, "the mode after v");
    if (mode !== "side") await picture(page, `review-${mode}`);
  }
  // The same by keys of their own: once more leads back; arrows move the slider at once, Space turns while it blinks.
  for (const [key, mode] of [["l", "slider"], ["b", "blink"], ["d", "difference"]]) {
    await page.keyboard.press(key);
    same(await page.locator(".compare").getAttribute("data-mode"), mode, `the mode after ${key}`);
    if (mode === "slider") {
      await page.keyboard.press("ArrowRight");
      same(await page.locator(".compare-split input").inputValue(), "52", "an arrow moves the slider");
    }
    await page.keyboard.press(key);
    same(await page.locator(".compare").getAttribute("data-mode"), "side", `the mode after ${key} again`);
  }

  // The list: small pictures of what was seen. The render class stands there only where there are several.
  await until(() => page.$$eval("#groups a", (links) => links.every((link) => link.querySelector("img.none") || link.querySelector("img").naturalWidth > 0)), "the small pictures");
  for (const key of [keys.layout, keys.new, keys.obsolete, ...keys.text]) {
    const size = await page.locator(`#groups a[data-key="${key}"] img`).evaluate(({ naturalWidth, naturalHeight, offsetWidth }) => [naturalWidth, naturalHeight, offsetWidth]);
    assert(size[0] > 1 && size[1] <= 160 && size[2] >= 24, `a small picture of ${key}: ${size}`);
  }
  same(await page.title(), "8 waiting · Review · runner", "the title");
  same((await page.locator("#groups .side").allTextContents()).join(""), "", "the only class in the list");
  assert(!(await page.locator("#title").textContent()).includes("~") && (await page.locator("#class").isHidden()), "the only class tells nothing");
  const several = await open();
  several.expected = page.expected;
  await several.route("**/api/queue", async (route) => {
    const response = await route.fetch();
    const queue = await response.json();
    queue.groups[0].items[0].class = "another-35-1080x2400-420-en-light";
    await route.fulfill({ response, json: queue });
  });
  await several.goto(address);
  await until(async () => (await several.locator("#groups .side").allTextContents()).includes("another-35-1080x2400-420-en-light"), "the classes where there are two");
  assert(await several.locator("#class").isVisible(), "a choice of classes");
  await several.close();

  const dark = await open(address, { scheme: "dark" });
  dark.expected = page.expected;
  await until(async () => (await dark.locator("#rows li").count()) > 0, "the second page");
  await accessible(dark, "the page in the dark");
  const phone = await open(address, { width: 390, height: 844 });
  await until(async () => (await phone.locator("#rows li, #rows p").count()) > 0, "the page of a phone");
  await fits(phone, "the page on a phone");
  await accessible(phone, "the page on a phone");
  // U19: what changed is in sight, with its words, and numbers only where they are asked for.
  const cards = await phone.$$eval("#rows .row", (rows) => rows.map((row) => row.getBoundingClientRect()).map(({ left, right }) => left >= 0 && right <= innerWidth));
  assert(cards.length && cards.every(Boolean), "each card fits the phone");
  same(await phone.locator("#rows details.numbers[open]").count(), 0, "numbers that nobody asked for");
  await go(phone, keys.text[0]);
  same([await phone.locator("#rows del").textContent(), await phone.locator("#rows ins").textContent()], ["Settings", "Preferences"], "what was, what is");
  await phone.close();

  // U19: a phone's picture is large and begins at the change; its frame is no wider than it is.
  const wide = await open(address, { width: 1440, height: 900 });
  wide.expected = page.expected;
  for (const [key, least] of [[keys.text[0], 500], [keys.layout, 300], [keys.size, 300], [keys.pixels, 300]]) {
    await until(async () => (await wide.locator("#groups a").count()) > 0, "the list");
    await go(wide, key);
    const seen = await wide.evaluate(() => ["golden", "actual"].map((side) => {
      const port = document.querySelector(`.compare-pane.${side} .compare-port`);
      const stage = port.querySelector(".compare-stage");
      const place = stage.querySelector(".compare-place");
      const [frame, inner] = [port.getBoundingClientRect(), place?.getBoundingClientRect()];
      return { port: port.clientWidth, stage: stage.offsetWidth, isSeen: !inner || (inner.top >= frame.top && inner.left >= frame.left && inner.top < frame.bottom && inner.left < frame.right) };
    }));
    for (const { port, stage, isSeen } of seen) {
      assert(stage >= least, `${key}: the picture is ${stage} px wide`);
      assert(port <= stage + 14, `${key}: a frame of ${port} px around a picture of ${stage} px`);
      assert(isSeen, `${key}: the first change is in sight`);
    }
    await fits(wide, key);
    await accessible(wide, `${key} at 1440 px`);
    await picture(wide, `review-wide-${key.split("/")[0]}`);
  }
  await wide.close();

  // A row lights its boxes by hover and by focus; a box lights its row.
  const added = page.locator("#rows li.added").first();
  await added.hover();
  assert(await page.locator(".actual .compare-lit").count(), "the box of the row is lit");
  assert((await added.getAttribute("class")).includes("lit"), "the row is lit");
  await page.mouse.move(5, 5);
  await added.focus();
  assert(await page.locator(".actual .compare-lit").count(), "the box of the row with the focus is lit");

  // Esc decides nothing; help opens and closes; keys typed into the search are text.
  await page.keyboard.press("?");
  assert(await page.locator("#keys").isVisible(), "the keys are shown");
  await accessible(page, "the keys");
  await page.keyboard.press("a");
  await page.keyboard.press("Escape");
  assert(!(await page.locator("#keys").isVisible()), "the keys are closed");
  await page.keyboard.press("Escape");
  await page.locator("#words").fill("about");
  await page.keyboard.type("ra");
  same(await page.locator("#groups a").count(), 0, "listed for the words");
  await page.locator("#words").fill("");
  await page.locator("#kind").selectOption("text");
  same(await page.locator("#groups a").count(), 3, "listed of the kind");
  await page.locator("#kind").selectOption("");
  await waits(page, 8);

  // Deciding: by buttons, by keys, a group at once. The other page follows.
  await go(page, keys.layout);
  await page.locator("#reject").click();
  await told(page, `${keys.layout} rejected`);
  await waits(page, 7);
  await go(page, keys.size);
  await page.locator("#accept").click();
  await waits(page, 6);
  await go(page, keys.pixels);
  await page.keyboard.press("a");
  await waits(page, 5);
  await go(page, keys.new);
  await page.keyboard.press("a");
  await waits(page, 4);
  await go(page, keys.obsolete);
  await page.getByRole("button", { name: "Reject: keep it" }).click();
  await waits(page, 3);
  await until(async () => (await dark.locator("#progress").textContent()).startsWith("3 waiting"), "the second page follows");
  await go(page, keys.text[1]);
  await page.getByRole("button", { name: "Whole group (3)" }).click();
  await page.getByRole("button", { name: "Accept all 3", exact: true }).click();
  await waits(page, 0);
  await until(async () => (await dark.locator("#empty").isVisible()), "the second page is empty too");
  assert((await page.locator("#empty").textContent()).includes("Everything is reviewed"), "the end is told");
  await accessible(page, "the page at the end");
  await look(page, "review-done");
});
