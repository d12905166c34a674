// The studio's device and log: each control acts on the device now, and appends the flow language's own step.
//
// Arguments: the page's address, the app's package, a file that is no APK but is called one, an APK or nothing.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, told, until } from "./page.mjs";

const [address, app, noApk, apk] = process.argv.slice(2);

const flow = (page) => page.locator("#text").inputValue();
const says = (page, text) => until(async () => (await flow(page)).includes(text), `${text} in the flow`);
const shows = (page, text) => until(async () => (await page.locator("#rows").textContent()).includes(text), `the element ${text}`);
/** How the device is set, asked of the device itself. */
const set = (page, name, value) => until(async () => {
  const said = await page.evaluate(async (of) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("device/state", { method: "POST", headers, body: JSON.stringify({ app: of }) });
    return answer.json();
  }, app);
  return name === "permissions" ? said.permissions?.find?.((one) => one.name.endsWith(value[0]))?.granted === value[1] : said.settings?.[name].value === value;
}, `${name} is ${value}`);

await drive(async ({ open }) => {
  const page = await open(address);
  await shows(page, "Notes");
  await page.locator("#app").fill(app);
  await page.getByRole("button", { name: "Launch" }).click();
  await shows(page, "Welcome to Notes");
  await says(page, "- launch");

  // Settings.
  await panel(page, "Device", "Settings");
  await until(async () => (await page.locator("#device-locale").inputValue()) !== "", "the settings that were read");
  await accessible(page, "the device's panel");
  await fits(page, "the device's panel");
  await page.getByLabel("Dark theme").check();
  await says(page, "- set_device: { dark: true }");
  await set(page, "dark", true);
  await page.locator("#device-locale").fill("de-DE");
  await page.locator("#device-locale").press("Enter");
  await says(page, "- set_device: { locale: de-DE }");
  await set(page, "locale", "de-DE");
  await page.getByLabel("Font size").selectOption("1.3");
  await says(page, "- set_device: { font_scale: 1.3 }");
  await set(page, "font_scale", 1.3);
  await page.getByLabel("Airplane mode").check();
  await says(page, "- set_device: { airplane: true }");
  await set(page, "airplane", true);
  await page.getByLabel("Rotation").selectOption("landscape");
  await says(page, "- rotate: landscape");
  await set(page, "rotation", "landscape");
  await page.getByLabel("Rotation").selectOption("portrait");
  await says(page, "- rotate: portrait");
  await look(page, "studio-settings");

  // What the device does not take is told, and not shown as if it were; what somebody writes meanwhile stays.
  page.expected.push("409");
  await page.route("**/act", (route) => route.fulfill({ status: 409, json: { error: "a run has the device; stop it, or wait until it ends" } }));
  await page.locator("#device-locale").fill("fr");
  await page.getByLabel("Airplane mode").click();
  await told(page, "a run has the device");
  await until(async () => page.getByLabel("Airplane mode").isChecked(), "the box as the device is");
  await page.unroute("**/act");
  assert((await page.locator("#device-locale").inputValue()) === "fr", "what was written stays");
  await page.locator("#device-locale").fill("not a tag!");
  await page.locator("#device-locale").press("Enter");
  await until(async () => (await page.locator("#toast").textContent()) !== "", "why the locale cannot be");
  await set(page, "locale", "de-DE");

  // A second page sees what was set.
  const other = await open(address, { width: 390, height: 800, scheme: "dark" });
  await panel(other, "Device", "Settings");
  await until(async () => other.getByLabel("Dark theme").isChecked(), "the second page reads the device");
  await accessible(other, "the panel on a phone");
  await fits(other, "the panel on a phone");

  // Permissions, links, the clipboard.
  await panel(page, "Device", "Apps");
  const permission = page.locator("#device-permissions label").first();
  if (await permission.count()) {
    const name = (await permission.textContent()).trim();
    const was = await permission.locator("input").isChecked();
    await permission.locator("input").click();
    await says(page, `- ${was ? "revoke" : "grant"}: { `);
    await set(page, "permissions", [name, !was]);
  }
  await panel(page, "Device", "Settings");
  await page.getByLabel("Clipboard", { exact: true }).fill("from the page");
  await page.getByRole("button", { name: "Set clipboard" }).click();
  await says(page, "- set_clipboard: { text: from the page }");
  await page.getByLabel("Clipboard", { exact: true }).fill("");
  await page.getByRole("button", { name: "Read clipboard" }).click();
  await until(async () => (await page.getByLabel("Clipboard", { exact: true }).inputValue()) === "from the page", "the clipboard");
  await page.getByLabel("Deep link").fill("notes://settings");
  await page.getByRole("button", { name: "Open link" }).click();
  await until(async () => (await flow(page)).includes("- open_link: ") || (await page.locator("#toast").textContent()) !== "", "the link opened or refused");

  // An app from a file; what is none is refused.
  await panel(page, "Device", "Apps");
  await page.locator("#device-apk").setInputFiles(noApk);
  await told(page, "this is not an APK");
  if (apk) {
    await page.locator("#device-apk").setInputFiles(apk);
    await told(page, "is installed");
    await says(page, "- install: ");
  }

  // The log: the app's lines, one of them asserted.
  await panel(page, "Run", "Log");
  assert((await page.locator("#log-app").inputValue()) === app, "the log begins with the flow's app");
  await page.locator("#log-app").fill("");
  await page.locator("#log-app").press("Enter");
  const lines = page.locator("#log-lines li");
  await until(() => lines.count(), "lines of the log");
  assert(/line/.test(await page.locator("#log-count").textContent()), "how many there are");
  assert((await page.locator("#log-said").textContent()) === "", "which is not read aloud");
  await accessible(page, "the log");
  await look(page, "studio-log");
  await panel(other, "Run", "Log");
  await other.locator("#log-app").fill("");
  await other.locator("#log-app").press("Enter");
  await until(() => other.locator("#log-lines li").count(), "lines on a phone");
  await fits(other, "the log on a phone");
  await page.locator("#log-filter").fill("nothing says this");
  await until(async () => (await lines.count()) === 0, "the filter");
  await page.locator("#log-filter").fill("");
  // By keys alone.
  await until(() => lines.count(), "the lines again");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("#log-lines").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await says(page, "- assert log: { contains: ");

  // The app's end: stop and clear.
  await panel(page, "Device", "Apps");
  await page.getByRole("button", { name: "Stop app" }).click();
  await says(page, `- stop: ${app}`);
  await page.getByRole("button", { name: "Clear data" }).click();
  await says(page, `- clear: ${app}`);
});
