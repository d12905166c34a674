// Makes the pictures of docs/ again: `just pictures`. Needs node, chromium, and `playwright-core` in target/clients.
// Argument: the program. The studio's pictures are not made here.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const docs = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(docs));
const runner = resolve(process.argv[2] ?? join(root, "target/debug/runner"));
const require = createRequire(join(root, "target/clients/node_modules/"));
const { chromium } = require("playwright-core");
const scratch = mkdtempSync(join(tmpdir(), "runner-pictures-"));
// The report is titled after it.
const project = join(scratch, "my-tests");

/** Runs the program in the project; a failed run is no fault here. */
function run(...words) {
  const { error, status } = spawnSync(runner, words, { cwd: project, stdio: "inherit" });
  if (error) throw error;
  return status;
}

function write(name, text) {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

/** A project with the demo app. */
function begin() {
  mkdirSync(project);
  cpSync(join(root, "examples/demo"), join(project, "demo"), { recursive: true });
  write("runner.yaml", "devices: [virtual]\napps: [demo]\nallow_shell: true\n");
}

/** Steps that take the screen as it is: `screenshot` paints password fields over. */
const shot = (number) => [
  `  - shell: [screencap, -p, /sdcard/${number}.png]`,
  `  - pull: /sdcard/${number}.png`,
];

/** Four screens of the demo app. */
function demoRun() {
  write(
    "flows/demo.yaml",
    [
      "app: com.example.notes",
      "steps:",
      "  - launch: { clear: true }",
      ...shot(1),
      "  - type: { into: { id: username }, text: ada }",
      "  - type: { into: { id: password }, text: lovelace, secret: true }",
      "  - press: ENTER",
      '  - assert visible: "Welcome, *"',
      ...shot(2),
      "  - click: { desc: New note }",
      "  - assert visible: Title",
      ...shot(3),
      "  - back",
      "  - click: Ideas for the garden",
      "  - click: { id: delete }",
      "  - assert visible: Delete this note?",
      ...shot(4),
      "",
    ].join("\n"),
  );
  if (run("test", "flows/demo.yaml") !== 0) throw new Error("the demo was to pass");
}

/** A label of the form changes after its goldens were accepted. */
function changedRun() {
  cpSync(join(root, "flows"), join(project, "flows"), { recursive: true });
  run("test", "flows/form.yaml", "--update", "new");
  const form = join(project, "demo/form.yaml");
  writeFileSync(form, readFileSync(form, "utf8").replace("label: Kind", "label: Kind of note"));
  if (run("test", "flows/form.yaml") !== 1) throw new Error("the form was to differ");
}

/** The flow of README's red run: the button says "Sign in". */
function failedRun() {
  write(
    "flows/sign-in.yaml",
    [
      "name: Sign in",
      "app: com.example.notes",
      "step_timeout: 2s",
      "setup:",
      "  - launch: { clear: true }",
      "steps:",
      "  - type: { into: { id: username }, text: ada }",
      "  - hide_keyboard",
      "  - click: sign in",
      '  - assert visible: "Welcome, *"',
      "",
    ].join("\n"),
  );
  if (run("test", "--html", "report", "--trace") !== 1) throw new Error("the flow was to fail");
}

/** A picture smaller, as the browser draws it. */
async function smaller(browser, file, width) {
  const page = await browser.newPage({ viewport: { width, height: 400 } });
  const data = readFileSync(file).toString("base64");
  await page.setContent(`<style>body { margin: 0 } img { display: block; width: ${width}px }</style><img src="data:image/png;base64,${data}">`);
  const bytes = await page.locator("img").screenshot();
  await page.close();
  return bytes;
}

async function report(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: "light" });
  const index = pathToFileURL(join(project, "report/index.html")).href;
  await page.goto(`${index}#flow=flows/sign-in.yaml&device=virtual`);
  await page.getByText("no element matches").first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  const bytes = await page.screenshot();
  await page.close();
  return bytes;
}

/** Pictures side by side. */
async function row(browser, files, width) {
  const height = Math.ceil((width * 2400) / 1080);
  const page = await browser.newPage({ viewport: { width: files.length * (width + 8) - 8, height } });
  const images = files.map((file) => `<img src="data:image/png;base64,${readFileSync(file).toString("base64")}">`);
  const style = `body { margin: 0; display: flex; gap: 8px } img { width: ${width}px; height: ${height}px }`;
  await page.setContent(`<style>${style}</style>${images.join("")}`);
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  const bytes = await page.screenshot();
  await page.close();
  return bytes;
}

/** The page of `runner review --web`. */
async function review(browser) {
  const server = spawn(runner, ["review", "--web", "--no-open"], { cwd: project });
  try {
    const address = await new Promise((found, failed) => {
      let text = "";
      const read = (bytes) => {
        text += bytes;
        const match = text.match(/http:\/\/\S+/);
        if (match) found(match[0]);
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.on("exit", () => failed(new Error(text)));
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    await page.goto(address);
    await page.getByText("of note").first().waitFor();
    const areThere = () => document.querySelector('#case[aria-busy="false"]') && [...document.images].every((image) => image.complete && image.src);
    await page.waitForFunction(areThere);
    await page.waitForTimeout(1000);
    const bytes = await page.screenshot();
    await page.close();
    return bytes;
  } finally {
    server.kill();
  }
}

const which = process.env.CHROMIUM ?? execFileSync("which", ["chromium"]).toString().trim();
const browser = await chromium.launch({ executablePath: which });
try {
  begin();
  demoRun();
  const shots = [1, 2, 3, 4].map((number) => join(project, `.runner/artifacts/flows/demo/virtual-1/${number}.png`));
  writeFileSync(join(docs, "demo.png"), await row(browser, shots, 430));
  changedRun();
  writeFileSync(join(docs, "review.png"), await review(browser));
  rmSync(join(project, "flows"), { recursive: true });
  failedRun();
  const failure = join(project, ".runner/artifacts/flows/sign-in/virtual-1/failure.annotated.png");
  writeFileSync(join(docs, "annotated.png"), await smaller(browser, failure, 540));
  writeFileSync(join(docs, "report-failed.png"), await report(browser));
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
