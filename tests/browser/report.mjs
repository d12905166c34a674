// The HTML report of a run that ended in every way, as a person uses it.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, same, until } from "./page.mjs";

const index = process.argv[2];
const isOneFile = !index.endsWith("/index.html");

await drive(async ({ open, problems }) => {
  const page = await open(index);
  page.on("request", (request) => {
    // A report of one file needs nothing beside it, not even from its own folder.
    const isInside = isOneFile ? request.url().split("#")[0] === index || request.url().startsWith("blob:") : request.url().startsWith("file:");
    if (!isInside) problems.push(`request: ${request.url()}`);
  });
  const texts = (selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
  const go = async (hash) => {
    await page.goto("about:blank");
    await page.goto(index + hash);
    await page.waitForSelector(hash.includes("flow=") ? "#main .flow-title" : "#main .run-head");
  };
  /** Shows a tab of a flow. */
  const tab = (name) => page.click(`[role="tab"][data-tab="${name}"]`);

  // Failures stand first, in the list and on the page; what changed for one reason is one group.
  const groups = await page.$$eval("#flows section", (found) => found.map((one) => one.getAttribute("aria-label")));
  same(groups, ["error", "failed", "flaky", "skipped", "passed"], "groups of the list");
  assert((await texts("#main .run-head h2"))[0] === "6 of 9 flows did not pass", "the result: " + (await texts("#main .run-head h2")));
  same(await page.title(), "1 error, 5 failed, 1 flaky, 1 skipped, 1 passed · " + (await texts("#head h1"))[0] + " · runner", "the title");
  const cards = await texts("#failures .card");
  // As the terminal groups it: a cause of two snapshots first, the other snapshot of one of these flows for itself.
  assert(cards.length === 7 && cards[0].includes("2 snapshots in 2 flows"), "a card a reason, the shared one first: " + cards.join("\n"));
  assert(cards.filter((card) => card.includes("changed/more")).length === 1, "the other snapshot: " + cards.join("\n"));
  assert(cards.every((card) => !card.includes("~virtual1")), "the only render class tells nothing: " + cards.join("\n"));
  const near = cards.find((card) => card.includes("flows/near.yaml"));
  assert(near?.includes("near miss: ") && near.includes("after "), "the near miss stands in the card: " + cards.join("\n"));
  assert((await texts(".next code"))[0] === "runner review", "what to do next");
  assert((await page.$$("#timeline .span")).length === 8, "a bar an attempt: " + (await page.$$("#timeline .span")).length);
  assert((await texts("#devices dd")).includes("com.example.notes 1.4.2 (1)"), "the app: " + (await texts("#devices dd")));
  await loaded(page, "#failures img");
  // U19: plain pictures, large enough to be known by.
  const shots = await page.$$eval("#failures .shot img", (found) => found.map(({ src, offsetHeight }) => ({ src, offsetHeight })));
  assert(shots.every(({ offsetHeight }) => offsetHeight >= 120), "small pictures: " + JSON.stringify(shots));
  await accessible(page, "overview");
  await look(page, "report-overview");

  // A reader sees the run's own time, in their language and zone.
  const reader = await open(index, { time: {}, locale: "ja-JP", timezoneId: "Pacific/Auckland" });
  const written = await reader.evaluate(() => new Date(summary.started).toLocaleString("ja-JP", { dateStyle: "medium", timeStyle: "medium", timeZone: "Pacific/Auckland" }));
  const head = await reader.textContent("#main .run-head");
  assert(head.includes(written), `${written} in ${head}`);
  await reader.close();

  // Filters stand in the address and survive a new page.
  await page.click('[data-status="failed"]');
  assert((await page.$$("#flows li")).length === 5, "five failed");
  await page.selectOption('[data-filter="tag"]', "login");
  same(await texts("#flows .name"), ["It fails <b>&amp;</b>"], "text is text");
  const link = page.url();
  const other = await open(link);
  assert((await other.$$("#flows li")).length === 1, "a shared link filters too");
  await other.close();
  await go("#q=second%20nothing");
  assert((await texts("#flows p"))[0].startsWith("No flow fits"), "nothing fits");
  await go("#");
  await page.keyboard.press("/");
  await page.keyboard.type("passes");
  same(await texts("#flows .name"), ["It passes"], "search");
  await page.keyboard.press("Escape");
  await go("#");

  // j and k go from failure to failure.
  const titles = [];
  for (const key of ["j", "j", "k"]) {
    await page.keyboard.press(key);
    await page.waitForFunction((before) => document.querySelector(".flow-title") && location.hash !== before, titles.at(-1) ?? "");
    titles.push(await page.evaluate(() => location.hash));
  }
  assert(titles[0] === titles[2] && titles[0] !== titles[1], "j and k: " + titles);
  assert((await texts("#failure .output"))[0].includes("clik"), "a flow that does not read");

  // A link to a step opens it; the failing line is marked, in the excerpt and in the file.
  await go("#flow=flows/login/fails.yaml&device=virtual");
  same((await texts(".values dd")), ["text: Log in", "text: Sign in"], "expected and actual");
  const marked = await page.$$eval("tr.failed .line", (lines) => lines.map((line) => line.textContent));
  same(marked, ["8"], "failing line");
  await oneViewport(page, "a failure");
  same(await page.title(), "It fails <b>&amp;</b> · failed · " + (await texts("#head h1"))[0] + " · runner", "the title of a flow");
  const step = await page.$$eval(".step.failed", (steps) => steps.at(-1).dataset.step);
  assert((await texts("#main .flow-head .facts"))[0].includes("com.example.notes 1.4.2 (1)"), "the app of the flow");
  await loaded(page, "#screen img");
  await page.hover("#screen tr[data-row]:last-child");
  await page.waitForSelector("#screen .frame .lit");
  await accessible(page, "a failure");
  await look(page, "report-failure");
  await go(`#flow=flows/login/fails.yaml&device=virtual&step=${step}`);
  await page.waitForSelector(".step-body");
  await until(() => page.$eval(".step.chosen", (one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }), "the step in sight");

  // A snapshot: golden, actual, difference, what changed and who else.
  await go("#flow=flows/changed.yaml&device=virtual");
  await loaded(page, "#differences .stage img");
  await oneViewport(page, "a snapshot");
  await changeInView(page);
  assert((await texts("#failure .cause"))[0].includes("text"), "the cause: " + (await texts("#failure .cause")));
  assert((await texts(".changes ins")).join().includes("your notes"), "what changed: " + (await texts(".changes li")));
  // U19: words first, numbers where they are asked for.
  assert((await page.$$(".changes .numbers:not([open]) li")).length > 0, "numbers are folded");
  same((await texts(".changes > ul li")).filter((text) => /bounds|\d px/.test(text)), [], "numbers among words");
  same(await texts("#failure .cause a"), ["login/changed-too/home"], "who changed too");
  same([(await texts(".snapshot-view tr.before del")).join(), (await texts(".snapshot-view tr.after ins")).join()],
    ["Sign in to read what you wrote.", "Sign in to read your notes."], "rows of both sides");
  const drawn = async (kind) => (await page.$$(".compare-pane.actual .compare-" + kind)).length;
  assert((await drawn("place")) > 0 && (await drawn("mask")) > 0, "changed places and masks are drawn");
  await page.click(".changed-rows summary");
  await page.hover(".snapshot-view tr.before");
  await page.waitForSelector(".compare-pane.golden .compare-lit:not(.other)");
  same(await texts(".others li a"), ["changed/home", "changed/more"], "both snapshots");
  await accessible(page, "a snapshot");
  await look(page, "report-snapshot");
  // Slider, blink and difference by keys; the same key leads back.
  const mode = () => page.getAttribute(".compare", "data-mode");
  await page.keyboard.press("l");
  same(await mode(), "slider", "l");
  await page.keyboard.press("ArrowLeft");
  same(await page.$eval(".compare-split input", (range) => range.value), "48", "an arrow moves the slider");
  await page.keyboard.press("b");
  same(await mode(), "blink", "b");
  same(await page.getAttribute(".compare", "data-face"), "golden", "blinking begins with the golden, and rests where motion is reduced");
  await page.keyboard.press("Space");
  same(await page.getAttribute(".compare", "data-face"), "actual", "Space turns");
  await page.keyboard.press("b");
  same(await mode(), "side", "b again");
  await page.keyboard.press("d");
  same(await mode(), "difference", "d");
  await page.keyboard.press("d");
  await page.click(".others a:not([aria-current])");
  await page.waitForFunction(() => document.querySelector('.others [aria-current="true"]')?.textContent === "changed/more");
  assert(!(await page.isHidden("#differences")), "the tab stays");

  // One tab at a time, by click and key; the address holds it.
  await page.keyboard.press("t");
  same([page.url().includes("tab=steps"), await page.isVisible("#steps"), await page.isVisible("#differences")], [true, true, false], "t");
  await tab("source");
  same(await page.$$eval('[role="tabpanel"]:not([hidden])', (panels) => panels.map(({ id }) => id)), ["source"], "one tab");
  await page.keyboard.press("ArrowRight");
  same(await page.evaluate(() => document.activeElement.getAttribute("data-tab")), "about", "arrows go from tab to tab");

  // Rounds of a loop stand beside each other, and the innermost step that failed is told.
  await go("#flow=flows/loops.yaml&device=virtual&step=1.repeat.2.0");
  await page.waitForSelector(".step-body");
  same(await texts(".steps .tag"), ["round 1", "round 2"], "rounds");
  assert((await page.$$(".steps .step-list .step-list .step-list")).length === 0, "no round is inside another");
  assert((await page.$$("#steps .step-body .screen")).length === 0, "its screen stands in one place");

  // All attempts, a skip, a screenshot of a step that passed.
  await go("#flow=flows/flaky.yaml&device=virtual");
  assert((await texts(".attempts a")).length === 2, "attempts");
  await page.click(".attempts a:last-child");
  await page.waitForFunction(() => !document.querySelector("#failure"));
  await go("#flow=flows/skipped.yaml&device=virtual");
  assert((await texts("#failure .message"))[0] === "not today", "why it was skipped");
  await go("#flow=flows/passes.yaml&device=virtual");
  await loaded(page, "#steps .thumb");

  // A phone, in the dark.
  const phone = await open(index, { width: 360, height: 780, scheme: "dark" });
  await fits(phone, "overview at 360 px");
  await accessible(phone, "overview in the dark");
  await phone.goto("about:blank");
  await phone.goto(index + "#flow=flows/changed.yaml&device=virtual");
  await phone.waitForSelector(".flow-title");
  await loaded(phone, "#differences .stage img");
  await fits(phone, "snapshot at 360 px");
  await accessible(phone, "snapshot in the dark");
  const dark = await phone.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert(Math.max(...dark.match(/\d+/g).slice(0, 3)) < 64, "dark: " + dark);
  await phone.goto("about:blank");
  await phone.goto(index + "#flow=flows/login/fails.yaml&device=virtual");
  await phone.waitForSelector("#failure");
  await fits(phone, "failure at 360 px");

  // What is not there is said.
  await page.goto(index + "#flow=flows/none.yaml");
  await page.waitForSelector("#main > .missing");
});

/** The page of a flow needs no scrolling but inside its tab. */
async function oneViewport(page, what) {
  await page.setViewportSize({ width: 1440, height: 900 });
  const seen = await page.evaluate(() => {
    const [main, panel] = [document.getElementById("main"), document.querySelector(".panel:not([hidden])")];
    return { page: document.scrollingElement.scrollHeight, main: main.scrollHeight - main.clientHeight, bottom: panel.getBoundingClientRect().bottom, high: panel.clientHeight, tabs: document.querySelectorAll('[role="tab"]').length };
  });
  assert(seen.page <= 900 && seen.main <= 0 && seen.bottom <= 900 && seen.high >= 400 && seen.tabs >= 4, `${what} in one viewport: ${JSON.stringify(seen)}`);
}

/** A changed snapshot opens at its change, large: a quarter of its pane, or a pixel each. */
async function changeInView(page) {
  await until(() => page.$(".compare-pane.actual .compare-place.focused"), "the change");
  const seen = await page.evaluate(() => ["golden", "actual"].map((side) => {
    const pane = document.querySelector(`.compare-pane.${side}`);
    const [port, box] = [pane.querySelector(".compare-port"), pane.querySelector(".compare-place.focused")].map((one) => one.getBoundingClientRect());
    const inside = box.left >= port.left - 1 && box.right <= port.right + 1 && box.top >= port.top - 1 && box.bottom <= port.bottom + 1 && port.bottom <= innerHeight;
    return { inside, share: box.width / port.width, scale: pane.querySelector(".compare-stage").offsetWidth / pane.querySelector("img").naturalWidth };
  }));
  for (const { inside, share, scale } of seen) assert(inside && (share >= 0.25 || scale >= 0.99), "the change in view: " + JSON.stringify(seen));
}

/** Waits until all pictures are there, those put off brought into sight. */
async function loaded(page, selector) {
  await page.waitForSelector(selector);
  await until(() => page.$$eval(selector, (images) => images.every((image) => {
    if (!image.naturalWidth) image.scrollIntoView();
    return image.naturalWidth > 0;
  })), "pictures of " + selector);
}
