// Several devices: which one is shown, and small pictures of all while somebody looks at them.

const SMALL_PACE = 1000;
let allDevices = { names: [], chosen: 0, all: false, last: [], elsewhere: 0 };

function takeDevices(devices) {
  const isOther = devices.names.join("\n") !== allDevices.names.join("\n");
  allDevices = devices;
  const { names, chosen, all, last, elsewhere } = devices;
  forgetElsewhere(elsewhere);
  $("device-choice").hidden = names.length < 2;
  $("device-choice").replaceChildren(...names.map((name, place) => make("option", { value: String(place), textContent: name })));
  $("device-choice").value = String(chosen);
  $("devices-one").hidden = names.length > 1;
  $("devices-several").hidden = names.length < 2;
  $("on-all").checked = all;
  if (isOther) {
    $("all-devices").replaceChildren(...names.map((name, place) => {
      const button = make("button", { type: "button" }, make("img", { alt: "", hidden: true }), make("span", { textContent: name }));
      button.addEventListener("click", () => chooseDevice(place));
      return make("li", {}, button, make("p", { className: "quiet" }));
    }));
  }
  [...$("all-devices").children].forEach((item, place) => {
    const button = item.querySelector("button");
    button.setAttribute("aria-pressed", String(place === chosen));
    button.setAttribute("aria-label", place === chosen ? `${names[place]}, shown above` : `Show ${names[place]}`);
  });
  $("all-results").replaceChildren(...last.map(({ device, error }) => make("li", { className: error ? "bad" : "quiet", textContent: error ? `${device}: ${error}` : `${device}: done` })));
  counter("devices-panel", names.length > 1 ? names.length : 0);
  const failed = last.filter(({ error }) => error);
  if (failed.length) refuse(failed.map(({ device, error }) => `On ${device} it failed: ${error}`).join("\n"));
}

/** What is shown is of another device: nobody may touch this one by it. */
function forgetElsewhere(elsewhere) {
  state.elsewhere = elsewhere;
  if (state.newestLook <= elsewhere) state.newestLook = null;
  if (!state.newest || state.newest.seq > elsewhere) return;
  state.newest = null;
  if (!state.past) forgetScreen();
}

async function chooseDevice(place) {
  if (place === allDevices.chosen) return;
  try {
    await ask("devices/choose", { place });
    lookBack(null);
  } catch (error) {
    refuse(error.message);
    $("device-choice").value = String(allDevices.chosen);
  }
}

/** A small picture of each device; one that does not answer keeps no other waiting. */
function lookAround() {
  if (document.hidden || $("devices-panel").hidden || allDevices.names.length < 2) return;
  [...$("all-devices").children].forEach(lookAt);
}

async function lookAt(item, place) {
  if (item.dataset.waits) return;
  item.dataset.waits = "yes";
  const picture = item.querySelector("img");
  let trouble = "";
  try {
    const { number } = await ask("devices/look", { place });
    const source = `devices/${place}/${number}`;
    if (picture.getAttribute("src") !== source) picture.src = source;
    picture.hidden = false;
  } catch (error) {
    trouble = error.message;
  }
  picture.classList.toggle("is-old", Boolean(trouble));
  item.querySelector("p").textContent = trouble;
  delete item.dataset.waits;
}

$("device-choice").addEventListener("change", () => chooseDevice(Number($("device-choice").value)));
$("on-all").addEventListener("change", () => {
  const on = $("on-all").checked;
  // What is done next comes after it.
  line = line.then(() => ask("devices/all", { on })).then(() => {}, (error) => refuse(error.message));
});
$("devices-panel").addEventListener("shown", lookAround);
setInterval(lookAround, SMALL_PACE);
