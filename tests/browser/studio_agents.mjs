// Agents beside the page: a client of MCP acts, the page shows the step; a person takes over, and gives back.
//
// Arguments: the page's address, a command that speaks MCP to the studio: its words, the last is the script.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { look } from "./look.mjs";
import { accessible, assert, drive, fits, panel, same, until } from "./page.mjs";

const [address, app, ...client] = process.argv.slice(2);
const { searchParams, origin } = new URL(address);

const flow = (page) => page.locator("#text").inputValue();
const said = (page, text) => until(async () => (await page.locator("#agents-said").textContent()).includes(text), text);

await drive(async ({ open }) => {
  const page = await open(address);
  await panel(page, "Device", "Agents");
  // What is copied is all that a client needs.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy address" }).click();
  const copied = await until(() => page.evaluate(() => navigator.clipboard.readText()), "what was copied");
  same(copied, `${origin}/mcp?token=${searchParams.get("token")}`, "the address with its token");
  const tools = await fetch(copied, { method: "POST", headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' });
  assert(tools.status !== 401 && tools.status !== 403, `the address lets in: ${tools.status}`);
  assert((await page.getByLabel("MCP server").inputValue()) === `${origin}/mcp`, "the address");
  await until(async () => (await page.locator("#rows").textContent()).includes("Notes"), "the screen");

  const [program, ...words] = client;
  const agent = spawn(program, [...words, `${origin}/mcp`, searchParams.get("token")], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
  /** Calls a tool; whether it failed, and what it said. */
  const call = async (name, args) => {
    agent.stdin.write(`${JSON.stringify({ name, args })}\n`);
    return JSON.parse((await answers.next()).value);
  };
  try {
    let answer = await call("android_open_app", { package_id: app });
    assert(!answer.error, `the app opens: ${answer.text}`);
    await said(page, "1 step of agents is not in the flow yet");
    await until(async () => (await page.locator("#agents-steps").textContent()).includes("launch"), "its step");
    await panel(page, "Run", "Steps");
    await until(async () => (await page.locator("#steps").textContent()).includes("agent"), "whose step it is");
    await panel(page, "Device", "Agents");
    // What a person does then is written, and is not the agent's.
    await page.getByRole("button", { name: "Recents" }).click();
    await until(async () => (await flow(page)).includes("- press_recents"), "the person's step");
    await said(page, "1 step of agents is not in the flow yet");
    await page.getByRole("button", { name: "Add the agents' steps to the flow" }).click();
    await until(async () => (await flow(page)).includes("- launch"), "the step in the flow");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await until(async () => (await flow(page)).includes("- back"), "what comes then");
    const steps = (await flow(page)).split("\n").filter((line) => line.startsWith("  - "));
    same(steps, ["  - press_recents", "  - launch: { clear: true }", "  - back"], "each step once");
    await said(page, "The last that acted: android_open_app");

    await page.getByRole("button", { name: "Take over" }).click();
    await said(page, "You have the device");
    answer = await call("android_press_home", {});
    assert(answer.error && answer.text.includes("Give back"), `taken over: ${answer.text}`);
    answer = await call("runner_look", {});
    assert(!answer.error, `it may look: ${answer.text}`);
    await look(page, "studio-agents");
    await accessible(page, "agents");
    const other = await open(address, { width: 390, height: 800, scheme: "dark" });
    await panel(other, "Device", "Agents");
    await said(other, "You have the device");
    await fits(other, "agents on a phone");
    await accessible(other, "agents on a phone");
    await other.getByRole("button", { name: "Give back" }).click();
    await said(page, "Agents made");
    answer = await call("android_press_home", {});
    assert(!answer.error, `given back: ${answer.text}`);
    answer = await call("runner_record", { action: "discard" });
    assert(answer.error && answer.text.includes("the studio records"), `the recording is the studio's: ${answer.text}`);

    // A flow of the agent has the device for itself, and the page shows what it does all the same.
    await until(async () => (await page.locator("#rows").textContent()).includes("launcher") && (await page.locator("#age").textContent()).includes("elements of this picture"), "the home screen");
    const home = await page.locator("#picture").getAttribute("src");
    let isAnswered = false;
    const text = `app: ${app}\ntimeout: 2h\nsteps:\n  - launch\n  - repeat: { times: 1000, steps: [ repeat: { times: 1000, steps: [ find: Username ] } ] }\n`;
    const running = call("runner_run_flow", { text }).then(() => { isAnswered = true; }, () => {});
    await until(async () => (await page.locator("#picture").getAttribute("src")) !== home, "another picture while the flow goes on");
    assert(!isAnswered, "the flow goes on");
    agent.kill();
    await running;
  } finally {
    agent.kill();
  }
});
