// What hinders people from the phone: each state dims it, with one sentence and one button.
//
// Arguments: the page's address, the process of the device, the process of the studio. Both are ended here.
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, part, same, until } from "./page.mjs";

const [address, device, studio] = process.argv.slice(2);

const says = (page, text) => until(async () => (await page.locator("#veil").isVisible()) && (await page.locator("#veil-text").textContent()).includes(text), text);
/** The picture is dimmed, with one sentence and one button. */
async function dimmed(page, button, what) {
  const { opacity, filter } = await page.locator("#picture").evaluate((image) => {
    const style = getComputedStyle(image);
    return { opacity: Number(style.opacity), filter: style.filter };
  });
  assert(opacity < 0.6 && filter.includes("grayscale"), `${what}: the phone is dimmed`);
  same([await page.locator("#veil p").count(), await page.locator("#veil button").count()], [1, 1], `${what}: one sentence and one button`);
  same(await page.locator("#veil button").textContent(), button, what);
  await accessible(page, what);
}

await drive(async ({ open }) => {
  const page = await open(address, { width: 1440, height: 900 });
  // Each refused connection is logged.
  page.expected.push("ERR_", "409");
  await until(() => page.locator("#picture:not([hidden])").count(), "the screen");
  await until(() => page.locator("#run-all").isEnabled(), "a flow to run");
  assert(await page.locator("#veil").isHidden(), "nothing hinders");
  assert(await page.locator("#nothing").isHidden(), "no picture says that there is none");

  // States that the server tells of, one after the other.
  const news = await page.evaluate(() => new Promise((resolve) => {
    const source = new EventSource("events");
    source.onmessage = (message) => {
      source.close();
      resolve(JSON.parse(message.data));
    };
  }));
  const hide = (hidden) => page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { value: is, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  for (const [state, message, button, isUsable] of [
    ["in_use", "device 'phone' is in use: runner test, process 7 on here", "Look again", false],
    ["slow", "The device is slow: it has not answered for some seconds.", "Look again", true],
    ["locked", "The device is locked.", "Wake and unlock", true],
  ]) {
    await page.route("**/events*", (route) => route.fulfill({ contentType: "text/event-stream", body: `id: a-1\ndata: ${JSON.stringify({ ...news, device: { state, message } })}\n\n` }));
    await hide(true);
    await hide(false);
    await says(page, message.slice(1));
    await dimmed(page, button, state);
    same(await page.getByRole("button", { name: "Home", exact: true }).isEnabled(), isUsable, `${state}: the device's keys`);
    await look(page, `studio-${state.replace("_", "-")}`);
    await page.unroute("**/events*");
    await hide(true);
    await hide(false);
    await until(() => page.locator("#veil").isHidden(), `the end of ${state}`);
  }

  // The device goes.
  process.kill(Number(device), "SIGKILL");
  await says(page, "No device: ");
  await dimmed(page, "Look again", "a lost device");
  for (const id of ["run-all", "run-more"]) assert(await page.locator(`#${id}`).isDisabled(), `${id} cannot be pressed`);
  assert(await page.getByRole("button", { name: "Home", exact: true }).isDisabled(), "the device's keys cannot be pressed");
  assert((await page.title()).startsWith("no device · "), await page.title());
  await page.getByRole("button", { name: "Look again" }).click();
  await until(async () => (await page.locator("#age").textContent()).includes(" old"), "how old the picture is");
  await look(page, "studio-lost");
  const narrow = await open(address, { width: 390, height: 844, scheme: "dark" });
  narrow.expected.push("ERR_");
  await part(narrow, "Screen");
  await says(narrow, "No device: ");
  await fits(narrow, "a lost device on a narrow page");
  await narrow.close();

  // The studio goes.
  process.kill(Number(studio), "SIGKILL");
  await says(page, "The server does not answer");
  await dimmed(page, "Try again", "a server that is gone");
  assert((await page.title()).startsWith("no server · "), await page.title());
  await look(page, "studio-gone");
});
