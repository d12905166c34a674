// The studio's screen: gestures become steps, selectors are offered and tried, all by mouse, by keys, and by a second page.
//
// Arguments: the page's address, the app's package.
import { accessible, assert, drive, fits, part, same, until } from "./page.mjs";

const [address, app] = process.argv.slice(2);

const flow = (page) => page.locator("#text").inputValue();
const shows = (page, text) => until(async () => (await page.locator("#rows").textContent()).includes(text), `the element ${text}`);
const says = (page, text) => until(async () => (await flow(page)).includes(text), `${text} in the flow`);
/** The steps that the flow has. */
const steps = async (page) => (await flow(page)).split("\n").filter((line) => line.trim().startsWith("- ")).map((line) => line.trim());

/** Where an element is in the picture: the box that lights while one points at its row. */
async function boxOf(page, text) {
  return until(async () => {
    await page.locator("#rows li", { hasText: text }).first().hover();
    return page.locator("#boxes .lit").boundingBox();
  }, `the box of ${text}`);
}

async function touch(page, text) {
  const { x, y, width, height } = await boxOf(page, text);
  await page.mouse.click(x + width / 2, y + height / 2);
}

await drive(async ({ open }) => {
  const page = await open(address);
  const pictures = [];
  page.on("request", (request) => pictures.push(.../\/picture\/\d+$/.exec(request.url()) || []));
  await shows(page, "Notes");
  await accessible(page, "the first screen");
  await fits(page, "the first screen");
  for (const name of ["screen", "rows", "steps", "editor", "run"]) assert((await page.getByTestId(name).count()) === 1, `data-testid ${name}`);

  // A click is a step that names what was clicked.
  await page.locator("#app").fill(app);
  await page.getByRole("button", { name: "Launch" }).click();
  await shows(page, "Welcome to Notes");
  await page.locator("#rows li", { hasText: "onerror" }).first().click();
  await until(async () => (await page.locator("#selectors").textContent()).includes("<img src=x"), "a text that looks like markup");
  assert(!(await page.evaluate(() => "hurt" in window)), "texts of the screen are texts");
  await touch(page, "Username");
  await says(page, "- click: ");
  // What is typed in one go is one step, and the click that only gave the focus belongs to it.
  await page.keyboard.type("ada");
  await says(page, "text: ada");
  same(await steps(page), ["- launch: { clear: true }", "- type: { into: { id: username }, text: ada }"], "the steps after typing");
  await touch(page, "#password");
  await until(async () => (await steps(page)).length === 3, "the click into the password field");
  await page.evaluate(() => {
    window.typed = "";
    new MutationObserver(() => { window.typed += document.getElementById("typing").textContent; }).observe(document.getElementById("typing"), { childList: true });
  });
  await page.keyboard.type("lovelace");
  await touch(page, "#sign_in");
  await says(page, "- click: ");
  await shows(page, "Welcome, Ada");
  assert(!(await flow(page)).includes("lovelace"), "the password is not in the flow");
  const typed = await page.evaluate(() => window.typed);
  assert(typed.includes("••") && !typed.includes("lo"), `what is read aloud of the password: ${typed}`);
  await says(page, "${os.NOTES_PASSWORD}");
  assert((await page.locator("#variables").textContent()).includes("NOTES_PASSWORD"), "the variable is told");

  // Pointing lights both ways.
  const box = await boxOf(page, "New note");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await until(async () => (await page.locator("#rows li.lit").textContent()).includes("New note"), "the row of what is pointed at");

  // The picker: the best selector first, each counted; what may change is said to.
  await page.getByRole("button", { name: "Inspect" }).click();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const selectors = page.locator("#selectors li");
  await until(() => selectors.count(), "selectors");
  assert((await selectors.first().textContent()).includes("1 here"), "the first selector is the only one here");
  await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), "the count");
  await page.locator("#rows li", { hasText: "40" }).first().click();
  await until(async () => (await page.locator("#selectors").textContent()).includes("unstable: its words look like ones that change"), "the mark of a count");
  await accessible(page, "the picker");

  // A selector that selects nothing: the nearest misses, and one of them taken.
  await page.locator("#selector").fill("new note");
  await until(async () => (await page.locator("#found").textContent()).includes("selects 0 elements"), "nothing found");
  await page.locator("#misses button").first().click();
  await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), "the near miss taken");
  await page.locator("#selector").fill("{ idd: x }");
  await until(async () => (await page.locator("#found").textContent()).includes("no key `idd`"), "what is wrong with it");
  await page.locator("#selector").fill("Welcome, *");
  await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), "the pattern");

  // Assertions are steps too.
  await page.getByRole("button", { name: "Assert visible" }).click();
  await says(page, '- assert visible: "Welcome, *"');
  await page.locator("#rows li", { hasText: "#inbox_count" }).first().click();
  await until(async () => (await page.locator("#selector").inputValue()) === "{ id: inbox_count }", "the id of the count");
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await says(page, '- assert: { id: inbox_count, text: "40" }');
  assert((await selectors.first().textContent()).includes("recorded screen"), "counted on what was done");

  // The wheel scrolls; what it was for becomes one step.
  await page.getByRole("button", { name: "Act", exact: true }).click();
  const screen = await page.locator("#screen").boundingBox();
  const seen = (text) => page.locator("#rows li", { hasText: text }).count();
  await page.mouse.move(screen.x + screen.width / 2, screen.y + screen.height / 2);
  const before = (await steps(page)).length;
  await page.mouse.wheel(0, 120);
  await until(async () => (await steps(page)).length === before + 1, "the scroll");
  await until(async () => !(await seen("Groceries")), "what was above is gone");
  await page.locator("#filter").fill("TextView");
  await page.locator("#filter").fill("");
  const title = await until(async () => {
    const texts = await page.locator("#rows li", { hasText: "#note_title" }).allTextContents();
    return texts[2]?.split("TextView")[0];
  }, "notes further down");
  await touch(page, title);
  await says(page, "- scroll_to: ");
  await shows(page, "Delete");

  // Two fingers are one gesture, and so is the pinch of a trackpad; a key that is held waits for it.
  const acts = [];
  await page.route("**/act", (route) => {
    acts.push(route.request().postDataJSON().wish.what.act);
    return route.fulfill({ status: 409, json: { error: "not done" } });
  });
  page.expected.push("409");
  await page.locator("#screen").evaluate((part) => {
    const { left, top } = part.getBoundingClientRect();
    const finger = (kind, pointerId, y) => part.dispatchEvent(new PointerEvent(kind, { pointerId, isPrimary: pointerId === 1, clientX: left + 60, clientY: top + y, bubbles: true }));
    part.setPointerCapture = () => {};
    finger("pointerdown", 1, 60);
    finger("pointerdown", 2, 160);
    finger("pointerup", 2, 200);
    finger("pointerup", 1, 20);
    part.dispatchEvent(new WheelEvent("wheel", { deltaY: 300, ctrlKey: true, bubbles: true }));
    for (let times = 0; times < 30; times += 1) part.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", repeat: times > 0, bubbles: true }));
  });
  await until(() => acts.length >= 3, "all of them");
  await until(async () => (await page.locator("#screen").getAttribute("aria-busy")) === null, "its end");
  same(acts, ["two_fingers", "press", "two_fingers"], "what the device was asked for");
  await page.unroute("**/act");

  // By keys alone: an element from the list, Tab out of the screen, the modes, the picture of what was done.
  await page.locator("#rows").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(() => page.locator("#picker:not([hidden])").count(), "the picker by keys");
  await page.locator("#screen").focus();
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.textContent), "Act", "what has the focus after Tab");
  await page.keyboard.press("2");
  same(await page.locator("#modes [aria-pressed=true]").textContent(), "Inspect", "the mode by its key");
  await page.keyboard.press("1");
  same(pictures.length, new Set(pictures).size, "pictures that were asked for, each once");
  await page.getByRole("button", { name: "Before step 1" }).click();
  await shows(page, "launcher");
  await page.mouse.click(screen.x + screen.width / 2, screen.y + screen.height / 2);
  await until(async () => (await page.locator("#toast").textContent()).includes("Choose Live"), "that this is no live picture");
  await page.getByRole("button", { name: "Live" }).click();
  await shows(page, "Delete");

  // What is not kept any more is told, and the live picture stays; so is a screen without elements.
  page.expected.push("404", "409");
  const refusal = (why) => (route) => route.fulfill({ status: why.startsWith("this picture") ? 404 : 409, json: { error: why } });
  const look = "**/look/*";
  await page.route(look, refusal("the elements of this picture were not kept"));
  await page.getByRole("button", { name: "Before step 1" }).click();
  await until(async () => (await page.locator("#age").textContent()).includes("no elements: the elements of this picture were not kept"), "why there are no elements");
  await page.route("**/picture/*", refusal("this picture is not kept any more; look at the newest"));
  await page.getByRole("button", { name: "After step 1" }).click();
  await until(async () => (await page.locator("#toast").textContent()).includes("this picture is not kept any more"), "why it is not shown");
  await page.unroute("**/picture/*");
  await page.unroute(look);
  assert(await page.locator("#past").isHidden(), "it is the live picture again");
  await page.getByRole("button", { name: "Before step 1" }).click();
  await shows(page, "launcher");
  await page.getByRole("button", { name: "Live" }).click();
  await shows(page, "Delete");

  // A page that is hidden hears nothing, and everything once it is seen again; a second page acts meanwhile.
  const hide = (hidden) => page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { value: is, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await hide(true);
  const other = await open(address, { width: 390, height: 800, scheme: "dark" });
  await shows(other, "Delete");
  await other.getByRole("button", { name: "Back" }).click();
  await shows(other, "New note");
  assert((await page.locator("#rows").textContent()).includes("Delete"), "the hidden page was told nothing");
  await hide(false);
  await shows(page, "New note");
  await until(async () => (await steps(page)).at(-1) === "- back", "the step that the other page made");
  same(await steps(page), await steps(other), "both pages' steps");
  await fits(other, "a phone");
  await part(other, "Elements");
  await other.locator("#rows li", { hasText: "New note" }).first().click();
  await until(() => other.locator("#selectors li").count(), "selectors on a phone");
  await accessible(other, "a phone in the dark");
  await other.close();

  // Who writes a selector goes on writing, whatever becomes of the element.
  await page.locator("#rows li", { hasText: "New note" }).first().click();
  await page.locator("#selector").fill("Notes");
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(async () => (await page.locator("#picked-states").textContent()) === "The element is gone.", "that the element is gone");
  assert(await page.locator("#selector").isVisible(), "the field stays");
  await until(async () => (await page.locator("#found").textContent()).startsWith("selects 1 element here"), "tried on the new screen");

  // The studio is started again, with an empty flow: the text that only this page has is not given up.
  const news = await page.evaluate(() => new Promise((resolve) => {
    const source = new EventSource("events");
    source.onmessage = (message) => {
      source.close();
      resolve(JSON.parse(message.data));
    };
  }));
  const anew = { ...news, start: "another", picture: null, look: null, file: { path: null, text: "", version: "none" } };
  await page.route("**/events*", (route) => route.fulfill({ contentType: "text/event-stream", body: `id: another-1\ndata: ${JSON.stringify(anew)}\n\n` }));
  await until(async () => (await page.locator("#saved").textContent()) === "", "that the server has the text");
  const mine = await flow(page);
  await hide(true);
  await hide(false);
  await until(() => page.locator("#conflict:not([hidden])").count(), "both texts to choose from");
  same(await flow(page), mine, "the text");
  assert(await page.locator("#nothing").isVisible(), "what the studio before showed is gone");
  await page.unroute("**/events*");
  await shows(page, "Notes");
  // Who refuses before the studio does says so in plain words: they are told, and told once.
  page.expected.push("401");
  await page.route("**/events*", (route) => route.fulfill({ status: 401, contentType: "text/plain", body: "Open the address that `runner` printed: it holds the token.\n" }));
  await hide(true);
  await hide(false);
  await until(async () => (await page.locator("#veil-text").textContent()).includes("Open the address that `runner` printed"), "what the server says");
  await page.unroute("**/events*");
  await until(async () => (await page.locator("#age").textContent()).includes("live"), "news again");
  assert(await page.locator("#conflict").isHidden(), "both have the same text again");

  // What is focused stays so while the list goes on.
  const firstStep = page.getByRole("button", { name: "Before step 1", exact: true });
  await firstStep.focus();
  const many = await page.locator("#steps li").count();
  await page.locator("[data-key=home]").evaluate((button) => button.click());
  await until(async () => (await page.locator("#steps li").count()) > many && (await page.locator("#steps li").last().textContent()).includes("After"), "another step");
  assert(await firstStep.evaluate((button) => button === document.activeElement), "the focus stays where it was");

  // Kept under a name.
  await page.locator("#name").fill("made");
  await page.getByRole("button", { name: "Save as" }).click();
  await until(async () => (await page.locator("#file").textContent()) === "flows/made.yaml", "the file's name");
  console.log(await flow(page));
});
