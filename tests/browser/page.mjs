// A browser for the scripts beside this file. A script is `await drive(async ({ open, check }) => { … })`.
//
// Environment: CHROMIUM (program), CLIENTS (folder with node_modules), PICTURES (folder for screenshots).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.env.CLIENTS, "package.json"));
const { chromium } = require("playwright-core");
const FONTS = fileURLToPath(new URL("fonts.conf", import.meta.url));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** How long one wait may take, in milliseconds: CI is slow. */
export const LIMIT = 120_000;

/** How long a script may take: it only ends one that hangs. On a busy machine of CI some took more than eight times as long as alone. */
const ALL = 900_000;

/**
 * The time of a page, see crates/pages/web/time.js: no look depends on the day, the zone or the language of this machine.
 * PAGE_SHIFT is how far the program's clock is ahead of the browser's, in milliseconds.
 */
export const TIME = { moment: "2026-11-26T12:00Z", locale: "en-US", zone: "UTC", shift: Number(process.env.PAGE_SHIFT || 0) };

/** Fails the script. */
export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

/** Fails the script where the two are not the same as JSON. */
export function same(seen, wanted, what) {
  assert(JSON.stringify(seen) === JSON.stringify(wanted), `${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
}

/** Waits until `probe` gives something true, and gives it. */
export async function until(probe, what) {
  const end = Date.now() + LIMIT;
  for (;;) {
    const found = await probe();
    if (found) return found;
    assert(Date.now() < end, `${what} did not come within ${LIMIT / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Answers that come later than they were given, by the same times in each run. */
function held(most) {
  let seed = 1;
  return async (route) => {
    seed = (seed * 48271) % 2147483647;
    const wait = seed % most;
    try {
      const response = await route.fetch({ timeout: 0 });
      await new Promise((resolve) => setTimeout(resolve, wait));
      await route.fulfill({ response });
    } catch {
      // The page was closed, or asks no longer.
    }
  };
}

/** Waits until the review shows the case of `key`, and keys and buttons are about it. */
export const shows = (page, key) => until(async () => {
  const article = page.locator("#case[aria-busy=false]:not([hidden]) #title");
  return (await article.count()) === 1 && (await article.getAttribute("title")) === key;
}, `${key} shown`);

/** Waits until the page was painted once: until then Chromium drops keys, which a person could not have aimed either. */
const painted = (page) => page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, null, { timeout: LIMIT });

/** Clicks the review's link to the case of `key`, and waits until it is shown. */
export async function go(page, key) {
  await page.locator(`#groups a[data-key="${key}"]`).click();
  await shows(page, key);
}

/** Waits until the page says `text`, or has said it: the next message may come before a slow machine looks. */
export const told = (page, text) => until(async () => {
  if ((await page.locator("#toast").textContent()).includes(text)) return true;
  return page.evaluate((wanted) => {
    const met = (window.messagesForTests || []).findIndex((message) => message.includes(wanted));
    if (met >= 0) window.messagesForTests.splice(0, met + 1);
    return met >= 0;
  }, text);
}, `the message ${text}`);

/** Keeps the messages that a page shows. */
function keepMessages() {
  window.messagesForTests = [];
  addEventListener("DOMContentLoaded", () => {
    const toast = document.getElementById("toast");
    if (toast) new MutationObserver(() => window.messagesForTests.push(toast.textContent)).observe(toast, { childList: true, characterData: true, subtree: true });
  });
}

/** Shows a panel of the studio: by its group, and its own name there. */
export async function panel(page, group, name) {
  await page.locator("#groups").getByRole("tab", { name: group }).click();
  await page.locator("#tabs").getByRole("tab", { name }).click();
}

/** Shows a part of the studio on a narrow page. */
export const part = (page, name) => page.locator("#groups").getByRole("tab", { name }).click();

/** Runs the studio's flow, or a part of it by the menu beside the button. */
export async function runPart(page, name) {
  if (name === "Run all") return page.locator("#run-all").click();
  await page.getByRole("button", { name: "More ways to run" }).click();
  return page.getByRole("menuitem", { name, exact: true }).click();
}

/** Waits until the review tells that so many wait. */
export const waits = (page, number) => until(async () => (await page.locator("#progress").textContent()).startsWith(`${number} waiting`), `${number} waiting`);

/**
 * Runs `script` with a browser. `open(url, { width, height, scheme, motion, time })` gives a page in a profile of its own.
 * PAGE_LOCALE (in the environment) is the browser's language.
 * SLOW (milliseconds, in the environment) holds each answer of the server back by up to that long, each by another time.
 * What a page logs as an error, throws, or asks of another machine fails the script.
 */
export async function drive(script) {
  const late = setTimeout(() => {
    console.error(`the script took more than ${ALL / 1000} s`);
    process.exit(1);
  }, ALL);
  const env = { ...process.env, FONTCONFIG_FILE: FONTS };
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"], env });
  const problems = [];
  const open = async (url, { width = 1280, height = 860, scheme = "light", motion = "reduce", time = TIME, locale = process.env.PAGE_LOCALE || "en-US", timezoneId } = {}) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: motion, locale, timezoneId });
    await context.addInitScript((set) => { window.timeForTests = set; }, time);
    // The checker is put into the page past its policy; the page's own scripts keep to it.
    await context.addInitScript(axe);
    await context.addInitScript(keepMessages);
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT);
    page.expected = [];
    page.on("console", (message) => {
      const text = `${message.text()} (${message.location().url})`;
      if (message.type() === "error" && !page.expected.some((part) => text.includes(part))) problems.push(`console: ${text}`);
    });
    page.on("pageerror", (error) => problems.push(`thrown: ${error.stack || error}`));
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      const local = ["file:", "data:", "blob:"].includes(protocol) || hostname === "127.0.0.1";
      if (!local) problems.push(`request: ${request.url()}`);
    });
    if (process.env.SLOW) await page.route("**/api/**", held(Number(process.env.SLOW)));
    if (url) await page.goto(url);
    if (url) await painted(page);
    return page;
  };
  try {
    await script({ open, problems });
  } catch (error) {
    problems.push(String(error.stack || error));
  } finally {
    await browser.close();
    clearTimeout(late);
  }
  if (problems.length) {
    console.error(problems.join("\n"));
    process.exitCode = 1;
  }
}

/** Waits until nothing is on its way, which is drawn faintly on purpose, and the pictures in view are there. */
export async function rests(page) {
  const isAtRest = () => {
    const inView = (it) => {
      const { left, top, right, bottom } = it.getBoundingClientRect();
      return right > Math.max(left, 0) && bottom > Math.max(top, 0) && left < innerWidth && top < innerHeight;
    };
    return !document.querySelector('[aria-busy="true"]') && document.getAnimations().every((it) => it.playState !== "running")
      && [...document.images].every((image) => image.complete || !inView(image));
  };
  await page.waitForFunction(isAtRest, null, { timeout: LIMIT });
  await page.evaluate(() => Promise.allSettled([...document.images].filter((image) => image.complete).map((image) => image.decode())));
}

/** Fails the script where the page has what hinders people: any violation that axe finds. */
export async function accessible(page, what) {
  await rests(page);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((node) => `    ${node.target} ${node.failureSummary}`).join("\n")}`);
  assert(violations.length === 0, `${what}: ${told.join("\n")}`);
}

/** Fails the script where the page is wider than its window. */
export async function fits(page, what) {
  const { wide, window: seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, window: innerWidth }));
  assert(wide <= seen, `${what}: the page is ${wide} px wide in a window of ${seen} px`);
}

/** A picture of the page, for people to look at. */
export async function picture(page, name) {
  await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
}
