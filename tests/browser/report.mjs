// The HTML report of a run that ended in every way, as a person uses it.
import { accessible, assert, drive, fits, picture, same, until } from "./page.mjs";

const index = process.argv[2];

await drive(async ({ open, problems }) => {
  const page = await open(index);
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) problems.push(`request: ${request.url()}`);
  });
  const texts = (selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
  const go = async (hash) => {
    await page.goto("about:blank");
    await page.goto(index + hash);
    await page.waitForSelector(hash.includes("flow=") ? "#main .flow-title" : "#main .run-head");
  };

  // Failures stand first, in the list and on the page; what changed for one reason is one group.
  const groups = await page.$$eval("#flows section", (found) => found.map((one) => one.getAttribute("aria-label")));
  same(groups, ["error", "failed", "flaky", "skipped", "passed"], "groups of the list");
  assert((await texts("#main .run-head h2"))[0] === "5 of 8 flows did not pass", "the result: " + (await texts("#main .run-head h2")));
  assert((await texts("#causes .cause")).join().includes("2 snapshots"), "one cause: " + (await texts("#causes .cause")));
  const cards = await texts("#failures .card");
  assert(cards.length === 5 && cards.filter((card) => card.includes("for the same reason")).length === 1, "a card a reason: " + cards);
  assert(cards.filter((card) => card.includes("and 1 more snapshot not as the golden")).length === 1, "the other snapshot: " + cards);
  assert((await texts(".next code"))[0] === "runner review", "what to do next");
  assert((await page.$$("#timeline .span")).length === 7, "a bar an attempt: " + (await page.$$("#timeline .span")).length);
  assert((await texts("#devices dd")).includes("com.example.notes 1.4.2 (1)"), "the app: " + (await texts("#devices dd")));
  await loaded(page, "#failures img");
  // U19: plain pictures, large enough to be known by.
  const shots = await page.$$eval("#failures .shot img", (found) => found.map(({ src, offsetHeight }) => ({ src, offsetHeight })));
  assert(shots.every(({ offsetHeight }) => offsetHeight >= 120), "small pictures: " + JSON.stringify(shots));
  await accessible(page, "overview");
  await picture(page, "report-overview");

  // Filters stand in the address and survive a new page.
  await page.click('[data-status="failed"]');
  assert((await page.$$("#flows li")).length === 4, "four failed");
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
  same(marked, ["8", "8"], "failing line");
  const step = await page.$$eval(".step.failed", (steps) => steps.at(-1).dataset.step);
  assert((await texts("#main > .facts"))[0].includes("com.example.notes 1.4.2 (1)"), "the app of the flow");
  await loaded(page, "#failure img");
  await page.hover("#failure tr[data-row]:last-child");
  await page.waitForSelector("#failure .frame .lit");
  await accessible(page, "a failure");
  await picture(page, "report-failure");
  await go(`#flow=flows/login/fails.yaml&device=virtual&step=${step}`);
  await page.waitForSelector(".step-body");
  await until(() => page.$eval(".step.chosen", (one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }), "the step in sight");

  // A snapshot: golden, actual, difference, what changed and who else.
  await go("#flow=flows/changed.yaml&device=virtual");
  await loaded(page, "#failure .stage img");
  assert((await texts(".changes ins")).join().includes("your notes"), "what changed: " + (await texts(".changes li")));
  // U19: words first, numbers where they are asked for.
  assert((await page.$$(".changes .numbers:not([open]) li")).length > 0, "numbers are folded");
  same((await texts(".changes > ul li")).filter((text) => /bounds|\d px/.test(text)), [], "numbers among words");
  assert((await texts(".changes a")).join().includes("login/changed-too/home"), "who changed too");
  same([(await texts(".snapshot-view tr.before del")).join(), (await texts(".snapshot-view tr.after ins")).join()],
    ["Sign in to read what you wrote.", "Sign in to read your notes."], "rows of both sides");
  const drawn = async (kind) => (await page.$$(".compare-pane.actual .compare-" + kind)).length;
  assert((await drawn("place")) > 0 && (await drawn("mask")) > 0, "changed places and masks are drawn");
  await page.hover(".snapshot-view tr.before");
  await page.waitForSelector(".compare-pane.golden .compare-lit:not(.other)");
  same(await texts(".others li a"), ["changed/more~virtual1-34-1080x2400-420-en-light"], "the other snapshot");
  await accessible(page, "a snapshot");
  await picture(page, "report-snapshot");
  await page.click(".others a");
  await page.waitForFunction(() => document.querySelector(".step-body")?.textContent.includes("changed/more"));

  // Rounds of a loop stand beside each other, and the innermost step that failed is told.
  await go("#flow=flows/loops.yaml&device=virtual&step=1.repeat.2.0");
  await page.waitForSelector(".step-body");
  same(await texts(".steps .tag"), ["round 1", "round 2"], "rounds");
  assert((await page.$$(".steps ol ol ol")).length === 0, "no round is inside another");
  assert((await texts(".step-body")).join().includes("shown above"), "the step that failed");

  // All attempts, a skip, a screenshot of a step that passed.
  await go("#flow=flows/flaky.yaml&device=virtual");
  assert((await texts(".attempts a")).length === 2, "attempts");
  await page.click(".attempts a:last-child");
  await page.waitForFunction(() => !document.querySelector("#failure"));
  await go("#flow=flows/skipped.yaml&device=virtual");
  assert((await texts("#failure .message"))[0] === "not today", "why it was skipped");
  await go("#flow=flows/passes.yaml&device=virtual");
  await loaded(page, ".thumb");

  // A phone, in the dark.
  const phone = await open(index, { width: 360, height: 780, scheme: "dark" });
  await fits(phone, "overview at 360 px");
  await accessible(phone, "overview in the dark");
  await picture(phone, "report-phone");
  await phone.goto("about:blank");
  await phone.goto(index + "#flow=flows/changed.yaml&device=virtual");
  await phone.waitForSelector(".flow-title");
  await loaded(phone, "#failure .stage img");
  await fits(phone, "snapshot at 360 px");
  await accessible(phone, "snapshot in the dark");
  const dark = await phone.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert(Math.max(...dark.match(/\d+/g).slice(0, 3)) < 64, "dark: " + dark);
  await picture(phone, "report-phone-snapshot");
  await phone.goto("about:blank");
  await phone.goto(index + "#flow=flows/login/fails.yaml&device=virtual");
  await phone.waitForSelector("#failure");
  await fits(phone, "failure at 360 px");

  // What is not there is said.
  await page.goto(index + "#flow=flows/none.yaml");
  await page.waitForSelector("#main > .missing");
});

/** Waits until all pictures are there, those put off brought into sight. */
async function loaded(page, selector) {
  await page.waitForSelector(selector);
  await until(() => page.$$eval(selector, (images) => images.every((image) => {
    if (!image.naturalWidth) image.scrollIntoView();
    return image.naturalWidth > 0;
  })), "pictures of " + selector);
}
