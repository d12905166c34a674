// A report of a thousand flows: how long it takes to open, to filter, and to show one flow.
import { assert, drive } from "./page.mjs";

const index = process.argv[2];

await drive(async ({ open }) => {
  const page = await open();
  const began = Date.now();
  await page.goto(index);
  await page.waitForSelector("#main .run-head");
  const opened = Date.now() - began;
  const timing = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  assert((await page.$$("#flows li")).length === 1000, "all flows are in the list");
  assert((await page.$$("head script")).length === 0, "no flow's data is loaded before somebody looks at it");
  const filtered = await page.evaluate(() => {
    const search = document.getElementById("search");
    const start = performance.now();
    search.value = "number 77";
    search.dispatchEvent(new Event("input"));
    document.getElementById("flows").getBoundingClientRect();
    return [performance.now() - start, document.querySelectorAll("#flows li").length];
  });
  assert(filtered[1] === 19, "the search finds 19: " + filtered[1]);
  const start = Date.now();
  await page.click("#flows li a");
  await page.waitForSelector("#steps .step", { state: "attached" });
  console.log(`opened in ${opened} ms (DOM ready at ${Math.round(timing)} ms), filtered in ${Math.round(filtered[0])} ms, a flow shown in ${Date.now() - start} ms`);
  assert((await page.$$("#steps .step")).length === 20, "its steps");
});
