// A page as people see it, for the goldens in tests/looks: at three widths, light and dark.
//
// Environment: LOOKS, a folder. NAME-WIDTH~SCHEME.png is the picture, .xml what is seen on it, in the form of a device's
// dump, and `browser` the browser's version.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, rests } from "./page.mjs";

const SIZES = [[1440, 900], [1280, 800], [390, 844]];
const SCHEMES = ["light", "dark"];
/** A page that changes by itself is looked at so often. */
const TRIES = 20;
/** What shows how long something took, or comes when it comes: the goldens mask it. */
const VARIES = "#timeline .span, #timeline .tick, .step span.bar, #all-devices img";

/** Takes the page in all its looks; it is left as it was. */
export async function look(page, name) {
  mkdirSync(process.env.LOOKS, { recursive: true });
  writeFileSync(join(process.env.LOOKS, "browser"), page.context().browser().version());
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  const size = page.viewportSize();
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await take(page, `${name}-${width}~${colorScheme}`);
    }
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
}

async function take(page, name) {
  const path = join(process.env.LOOKS, name);
  for (let at = 0; at < TRIES; at += 1) {
    await rests(page);
    // The flow is on its way to the file.
    await page.waitForFunction(() => document.getElementById("saved")?.textContent !== "…");
    const before = await page.evaluate(seen, VARIES);
    const picture = await page.screenshot({ animations: "disabled" });
    const after = await page.evaluate(seen, VARIES);
    await page.evaluate(restore);
    if (before !== after) continue;
    writeFileSync(`${path}.xml`, before);
    writeFileSync(`${path}.png`, picture);
    return;
  }
  assert(false, `${name} does not come to rest`);
}

/** In the page: puts what differs from run to run into fixed words, and tells what is seen, as a dump. */
function seen(varies) {
  const FIXED = [
    [/\d+(?:\.\d+)?\s?(?:ms|s|min|h)(?: \d+ (?:ms|s|min))?(?![\w%])/g, "0 s"],
    [/(?:\/[^\s/"']+)*\/\.tmp\w{6}/g, "/project"],
    [/\.tmp\w{6}/g, "project"],
    [/127\.0\.0\.1:\d+/g, "127.0.0.1:5555"],
    [/process \d+/g, "process 1"],
    [/on \d+ of \d+ recorded screens/g, "on 1 of 1 recorded screens"],
    [/\d+ round trips?(?:, \d+ dumps?)?/g, "9 round trips"],
    [/token=\w+/g, "token=0"],
  ];
  const fixed = (text) => FIXED.reduce((some, [pattern, words]) => some.replace(pattern, words), text);
  const texts = (window.textsForTests ??= []);
  const fix = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = root.nodeType === Node.TEXT_NODE ? root : walker.nextNode(); node; node = walker.nextNode()) {
      const words = fixed(node.data);
      if (words === node.data || ["SCRIPT", "STYLE"].includes(node.parentElement?.tagName)) continue;
      texts.push([node, "data", node.data, words]);
      node.data = words;
    }
  };
  fix(document.body);
  // What the page writes meanwhile is in fixed words before it is painted.
  window.observerForTests ??= new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) [target, ...addedNodes].filter((node) => node.nodeType === Node.TEXT_NODE || addedNodes.length).forEach(fix);
  });
  window.observerForTests.observe(document.body, { subtree: true, childList: true, characterData: true });
  for (const input of document.querySelectorAll("input:not([type=checkbox], [type=radio], [type=file])")) {
    const words = fixed(input.value);
    if (words === input.value) continue;
    texts.push([input, "value", input.value, words]);
    input.value = words;
  }
  // A message goes by itself.
  const toast = document.getElementById("toast");
  if (toast) toast.style.visibility = "hidden";
  const ROLES = { A: "link", BUTTON: "button", INPUT: "input", SELECT: "select", TEXTAREA: "textarea", IMG: "image", CANVAS: "image", SUMMARY: "summary", OPTION: null, SCRIPT: null, STYLE: null };
  const quoted = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.codePointAt(0)};`).replace(/\p{Cc}/gu, " ");
  const row = (it, text, role, id, { left, top, right, bottom }) => {
    const bounds = `[${Math.round(left)},${Math.round(top)}][${Math.round(right)},${Math.round(bottom)}]`;
    const is = (name) => it.getAttribute(name) === "true";
    const chosen = is("aria-selected") || is("aria-pressed") || (it.hasAttribute("aria-current") && !it.matches("[aria-current=false]"));
    const clicked = ["link", "button", "summary", "tab"].includes(role);
    return `<node text="${quoted(text)}" content-desc="${quoted(fixed(it.getAttribute("aria-label") ?? ""))}" resource-id="${quoted(id)}" class="${role}" package="page" enabled="${!it.matches(":disabled, [aria-disabled=true]")}" selected="${chosen}" checked="${Boolean(it.checked) && it.type !== "radio"}" clickable="${clicked}" focused="${it === document.activeElement && it !== document.body}" bounds="${bounds}"/>`;
  };
  const rows = [];
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (const it of document.querySelectorAll("body *")) {
    const own = [...it.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(" ").replace(/\s+/g, " ").trim();
    const known = ROLES[it.tagName];
    const isMasked = it.matches(varies);
    if (known === null || (!own && !known && !it.hasAttribute("role") && !isMasked)) continue;
    if (!it.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
    const box = it.getBoundingClientRect();
    const part = { left: Math.max(0, box.left), top: Math.max(0, box.top), right: Math.min(innerWidth, box.right), bottom: Math.min(innerHeight, box.bottom) };
    if (part.right - part.left < 1 || part.bottom - part.top < 1) continue;
    // What has scrolled away within its list is not seen.
    const there = document.elementFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
    if (!there || !(it.contains(there) || there.contains(it))) continue;
    const text = ["input", "textarea"].includes(known) && it.type !== "checkbox" ? fixed(it.value || it.placeholder || "").slice(0, 200) : own;
    rows.push(row(it, text, it.getAttribute("role") || known || it.tagName.toLowerCase(), isMasked ? "varies" : it.id, part));
  }
  return `<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="0">${row(document.body, document.title && fixed(document.title), "page", "", window_).replace("/>", ">")}${rows.join("")}</node></hierarchy>`;
}

/** In the page: gives the texts back. */
function restore() {
  window.observerForTests.disconnect();
  window.observerForTests = undefined;
  for (const [node, what, words, seen] of window.textsForTests.splice(0)) if (node[what] === seen) node[what] = words;
  document.getElementById("toast")?.style.removeProperty("visibility");
}
