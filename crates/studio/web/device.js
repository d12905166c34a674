// The device itself. What is changed goes the way of every act, and so becomes a step; what is shown is read from the device.

/** Font sizes that phones offer, and what the device has if that is another. */
const FONTS = [0.85, 1, 1.15, 1.3, 1.5, 2];

// What the device said last.
/** @type {any} */
let deviceState = { settings: {}, app: null, permissions: [] };
let readingDevice = 0;

/** The app that the panel is about: the one that was named, else the flow's, else the one in front. */
const deviceApp = () => $("device-app").value.trim() || /^app:\s*["']?([\w.]+)/m.exec(area.value)?.[1] || state.look?.app || "";

const controlDevice = (what) => act({ act: "device", control: what });

/** Reads how the device is set. The last question counts. */
async function readDevice() {
  if ($("device-panel").hidden && $("apps-panel").hidden) return;
  readingDevice += 1;
  const mine = readingDevice;
  try {
    const said = await ask("device/state", { app: deviceApp() || null });
    if (mine !== readingDevice) return;
    deviceState = said;
    $("device-said").textContent = "What you change here is done at once, and is a step of the flow.";
    drawSettings();
  } catch (error) {
    if (mine === readingDevice) $("device-said").textContent = `The device does not say how it is set: ${error.message}`;
  }
}

/** One control: what is set, or why it cannot be. */
function drawSetting(id, setting, show) {
  const field = $(id);
  const error = setting?.error || "";
  field.disabled = Boolean(error);
  $(`${id}-why`).textContent = error;
  if (error) field.setAttribute("aria-describedby", `${id}-why`);
  else field.removeAttribute("aria-describedby");
  // What somebody writes there, and did not set yet, stays.
  if (setting && !error && !field.dataset.edited) show(setting.value);
}

function drawSettings() {
  const { settings, permissions, app } = deviceState;
  drawSetting("device-rotation", settings.rotation, (value) => { $("device-rotation").value = value; });
  drawSetting("device-dark", settings.dark, (value) => { $("device-dark").checked = value; });
  drawSetting("device-airplane", settings.airplane, (value) => { $("device-airplane").checked = value; });
  drawSetting("device-locale", settings.locale, (value) => { $("device-locale").value = value; });
  const scale = settings.font_scale?.value ?? 1;
  const scales = FONTS.includes(scale) ? FONTS : [...FONTS, scale].sort((a, b) => a - b);
  drawList($("device-font"), scales.map((one) => [one, one, () => make("option", { value: String(one), textContent: one === 1 ? "1 (normal)" : String(one) })]));
  drawSetting("device-font", settings.font_scale, (value) => { $("device-font").value = String(value); });
  $("device-app").placeholder = app || "com.example.notes";
  const list = Array.isArray(permissions) ? permissions : [];
  $("device-permissions-why").textContent = permissions.error || (list.length ? "" : app ? `${app} asks for no permission while it runs.` : "Name an app to see its permissions.");
  const focused = document.activeElement?.closest?.("#device-permissions") ? /** @type {HTMLElement} */ (document.activeElement).dataset.name : null;
  $("device-permissions").replaceChildren(...list.map(({ name, granted }) => {
    const short = name.replace(/^android\.permission\./, "");
    const box = make("input", { type: "checkbox", checked: granted });
    box.dataset.name = name;
    box.addEventListener("change", () => controlDevice({ [box.checked ? "grant" : "revoke"]: { app, permission: short } }).then(readDevice));
    return make("li", {}, make("label", {}, box, " ", short));
  }));
  if (focused) /** @type {HTMLElement} */ ([...$("device-permissions").querySelectorAll("input")].find((box) => box.dataset.name === focused))?.focus();
}

/** A field that changes something: what did not come to pass is not shown as if it had. */
function changesDevice(id, what) {
  $(id).addEventListener("change", () => controlDevice(what($(id))).then(readDevice));
}
changesDevice("device-rotation", (field) => ({ rotate: { to: field.value } }));
changesDevice("device-dark", (field) => ({ dark: { on: field.checked } }));
changesDevice("device-airplane", (field) => ({ airplane: { on: field.checked } }));
changesDevice("device-font", (field) => ({ font_scale: { scale: Number(field.value) } }));
$("device-locale").addEventListener("input", () => { $("device-locale").dataset.edited = $("device-locale").value && "yes"; });
$("device-locale-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const isDone = await controlDevice({ locale: { tag: $("device-locale").value.trim(), app: deviceApp() || null } });
  if (isDone) delete $("device-locale").dataset.edited;
  readDevice();
});
$("device-app").addEventListener("change", readDevice);
for (const what of ["stop", "clear"]) $(`device-${what}`).addEventListener("click", () => controlDevice({ [what]: { app: deviceApp() } }).then(readDevice));
$("device-link-form").addEventListener("submit", (event) => {
  event.preventDefault();
  controlDevice({ open_link: { link: $("device-link").value.trim() } });
});
$("device-clipboard-form").addEventListener("submit", (event) => {
  event.preventDefault();
  controlDevice({ set_clipboard: { text: $("device-clipboard").value } });
});
$("device-clipboard-read").addEventListener("click", async () => {
  try {
    const { text } = await ask("device/clipboard", {});
    $("device-clipboard").value = text ?? "";
    $("device-clipboard-said").textContent = text === null ? "The clipboard is empty." : "This is what the clipboard holds.";
  } catch (error) {
    $("device-clipboard-said").textContent = error.message;
  }
});

/** Installs a file; one after another, as every act. */
function installApp(file) {
  inTurn(async () => {
    $("device-said").textContent = `Installing ${file.name} …`;
    try {
      const isWritten = await insertSteps((block) => send(`device/app?name=${encodeURIComponent(file.name)}${block === null ? "" : `&block=${block}`}`, { method: "PUT", body: file }));
      if (isWritten) tell(`${file.name} is installed.`);
    } catch (error) {
      refuse(error.message);
    }
    readDevice();
  });
}
$("device-apk").addEventListener("change", () => {
  const [file] = $("device-apk").files;
  if (file) installApp(file);
  $("device-apk").value = "";
});
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  $("device-drop").classList.add("is-over");
});
document.addEventListener("dragleave", () => $("device-drop").classList.remove("is-over"));
document.addEventListener("drop", (event) => {
  $("device-drop").classList.remove("is-over");
  const [file] = event.dataTransfer?.files || [];
  if (!file) return;
  event.preventDefault();
  if (file.name.endsWith(".apk")) installApp(file);
  else refuse(`${file.name} is not an APK. Drop a file that ends with .apk.`);
});
$("device-panel").addEventListener("shown", readDevice);
