// A studio without a step: nothing to run; an app is launched from the list of apps.
//
// Arguments: the page's address, an app's name.
import { look } from "./look.mjs";
import { accessible, assert, drive, panel, part, until } from "./page.mjs";

const [address, app] = process.argv.slice(2);

const flow = (page) => page.locator("#text").inputValue();

await drive(async ({ open }) => {
  const page = await open(address);
  await until(() => page.locator("#rows li").count(), "the screen");
  await until(() => page.locator("#no-steps").isVisible(), "what to do first");
  for (const id of ["run-all", "run-more"]) assert(await page.locator(`#${id}`).isDisabled(), `${id} cannot be pressed`);
  assert((await page.locator("#run-all").getAttribute("title")).includes("nothing to run yet"), "why not");
  const filled = await page.locator("#run-all").evaluate((button) => getComputedStyle(button).backgroundColor);
  for (const id of ["accept-goldens", "stop"]) assert(await page.locator(`#${id}`).isHidden(), `${id} is not there`);
  // The first row is the app's, not the system's.
  assert(!/status_bar/.test(await page.locator("#rows li").first().textContent()), "the bars of the system come last");
  await look(page, "studio-new");

  // From the menu at the top, by keys.
  await page.getByRole("button", { name: "Apps of the device" }).press("Enter");
  await until(() => page.getByRole("menuitem", { name: app }).count(), "the app in the menu");
  await accessible(page, "the menu of apps");
  await page.getByRole("menuitem", { name: app }).click();
  await until(async () => (await flow(page)).includes("- launch"), "its step");
  await until(async () => (await page.locator("#rows").textContent()).includes("Welcome to Notes"), "the app in front");
  await until(() => page.locator("#run-all").isEnabled(), "there is something to run");
  assert(filled !== await page.locator("#run-all").evaluate((button) => getComputedStyle(button).backgroundColor), "a button that can be pressed looks so");

  // What is pasted on the phone is typed.
  await page.locator("#rows li", { hasText: "Username" }).first().click();
  await page.getByRole("button", { name: "Click it" }).click();
  await until(async () => (await flow(page)).includes("- click: "), "the field has the focus");
  await page.locator("#screen").evaluate((screen) => {
    const data = new DataTransfer();
    data.setData("text/plain", "ada from elsewhere");
    screen.focus();
    screen.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await until(async () => (await flow(page)).includes("text: ada from elsewhere"), "the text in the flow");

  // And from the list below.
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await until(async () => !(await page.locator("#rows").textContent()).includes("Welcome to Notes"), "the home screen");
  await panel(page, "Device", "Apps");
  await page.getByRole("button", { name: `Launch ${app}` }).click();
  await until(async () => (await page.locator("#rows").textContent()).includes("Welcome to Notes"), "the app in front again");
  await accessible(page, "the list of apps");
  await look(page, "studio-apps");
  const narrow = await open(address, { width: 390, height: 844, scheme: "dark" });
  await part(narrow, "Device");
  await until(() => narrow.getByRole("button", { name: `Launch ${app}` }).count(), "the list on a narrow page");
  await accessible(narrow, "the list of apps on a narrow page in the dark");
});
