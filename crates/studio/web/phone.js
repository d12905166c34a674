// How the device is: what hinders people from it, and what may be pressed now. What may not be looks so.

/** An act that takes longer is told, in milliseconds. */
const SLOW = 4000;
/** States of a device that shows its screen. */
const THERE = ["ready", "restless", "slow", "locked"];

const isThere = () => !trouble && THERE.includes(state.device.state);
/** Whether something may be done on the device. */
const canAct = () => isThere() && !state.past && (!going || Boolean(pilot.pause));

/** Why nothing can be run; empty where it can. */
function whyNoRun() {
  if (going) return "A run is under way.";
  if (!isThere()) return "There is no device to run on.";
  return flow.isNew ? "There is nothing to run yet: touch the screen, or write a step." : "";
}

/** What the server says of the device as a sentence. */
const sentence = (text = "") => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

const lookAgain = () => ask("again", {});

/** Why the phone cannot be used: a sentence, and what the one button does. Where it `lets`, the phone may be touched all the same. */
function hindrance() {
  const { state: is, message } = state.device;
  if (trouble) return { text: trouble, does: "Try again", act: async () => listen() };
  if (state.past) return null;
  if (is === "lost") return { text: `No device: ${sentence(message)} It is looked for again.`, does: "Look again", act: lookAgain };
  if (is === "in_use") return { text: sentence(message), does: "Look again", act: lookAgain };
  if (is === "locked") return { text: message, does: "Wake and unlock", act: () => ask("device/wake", {}), lets: true };
  const isLate = waiting > 0 && !going && Time.now() - waitingSince > SLOW;
  if (is === "slow" || isLate) return { text: message || "The device is slow: it has not done yet what you did last.", does: "Look again", act: lookAgain, lets: true };
  return null;
}

let hindered = null;
function drawVeil() {
  hindered = hindrance();
  $("veil").hidden = !hindered;
  document.querySelector(".phone").classList.toggle("is-dim", Boolean(hindered));
  if (!hindered) return;
  $("veil").classList.toggle("lets", Boolean(hindered.lets));
  if ($("veil-text").textContent !== hindered.text) $("veil-text").textContent = hindered.text;
  $("veil-do").textContent = hindered.does;
}
$("veil-do").addEventListener("click", () => hindered?.act().catch((error) => refuse(error.message)));

/** What can be pressed, and what cannot. */
function drawAbilities() {
  const why = whyNoRun();
  for (const button of document.querySelectorAll("[data-run], #run-more, #run-stepping")) Object.assign(button, { disabled: Boolean(why) });
  $("run-all").title = why || "The whole flow, with setup and teardown (Ctrl+Enter)";
  Object.assign($("stop"), { disabled: !going, hidden: !going });
  const able = canAct();
  for (const control of document.querySelectorAll("#device-keys > button, #scrolls > button, #launch button, #tap-it, #hold-it, #take > button, #apps-panel fieldset, #device-panel fieldset")) Object.assign(control, { disabled: !able });
  $("screen").setAttribute("aria-disabled", String(!able && state.mode === "act"));
  drawSweepCount();
  drawVeil();
  drawTitle();
}

/** The page's title says what it is about, and how that is. */
function drawTitle() {
  const { device } = state;
  const about = device.state === "saved" ? device.message : flow.path?.split("/").pop() || "new flow";
  const run = pilot.pause ? "paused" : going ? "running" : $("run-state").className;
  document.title = [trouble ? "no server" : device.state === "lost" ? "no device" : run, about, "Studio"].filter(Boolean).join(" · ");
}

function drawDevice() {
  const { device } = state;
  const told = {
    ready: `${device.label} · ${device.model}, Android ${device.release}`,
    restless: `${device.message}${device.details?.length ? ` — ${device.details[0]}` : ""}`,
    saved: `Saved run: ${device.message}`,
    // The phone says more.
    lost: "No device",
    in_use: "In use by another run",
    slow: "Slow",
    locked: "Locked",
  };
  $("device").textContent = trouble ? "No server" : told[device.state] ?? device.message ?? "";
  $("device").title = trouble || device.message || "";
  $("device").className = !trouble && device.state === "ready" ? "quiet ready" : !trouble && ["waiting", "saved"].includes(device.state) ? "quiet" : "bad";
  if (device.state === "waiting") $("nothing").textContent = sentence(device.message);
  drawAbilities();
}
