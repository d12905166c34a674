// Agents that share the device: what they did, and who has it.

let agents = { taken: false, calls: 0, going: [], last: null, open: 0, steps: [] };

function takeAgents(told) {
  agents = told;
  const { taken, calls, going, last, open, steps } = told;
  $("take-over").textContent = taken ? "Give back" : "Take over";
  $("agents-add").disabled = open === 0;
  counter("agents-panel", open, true);
  const words = [
    taken ? "You have the device; agents may only look." : calls ? `Agents made ${count(calls, "call")}.` : "No agent has called yet.",
    going.length ? `Under way: ${few(going)}.` : last ? `The last that acted: ${last}.` : "",
    open ? `${count(open, "step")} of agents ${open === 1 ? "is" : "are"} not in the flow yet.` : "",
  ];
  $("agents-said").textContent = words.filter(Boolean).join(" ");
  $("agents-steps").start = open - steps.length + 1;
  $("agents-steps").replaceChildren(...steps.map((text) => make("li", {}, make("code", { textContent: text.trim() }))));
}

$("mcp-address").value = new URL("mcp", location.href).href;
$("copy-mcp").addEventListener("click", async () => {
  let address;
  try {
    const { token } = await ask("agents/token", {});
    address = `${$("mcp-address").value}?token=${token}`;
  } catch (error) {
    return refuse(error.message);
  }
  try {
    await navigator.clipboard.writeText(address);
    return tell("The address is copied, with its token.");
  } catch {
    $("mcp-address").value = address;
    $("mcp-address").select();
    return tell("The browser does not let the page copy. The address is selected: press Ctrl+C.");
  }
});
$("take-over").addEventListener("click", () => {
  ask("agents/take", { taken: !agents.taken }).catch((error) => refuse(error.message));
});
$("agents-add").addEventListener("click", () => {
  const asking = () => ask("agents/steps", { wish: {}, block: null });
  inTurn(() => insertSteps(asking, true)).catch((error) => refuse(error.message));
});
