// The apps of the device: a list, and a menu, that launch one.

/** So many are in the menu; the list has all. */
const MOST_IN_MENU = 12;

const launchApp = (app) => act({ act: "launch", app });

/** What is installed; asked for each time, as apps come and go. */
async function readApps(said) {
  try {
    return (await ask("device/apps", {})).apps;
  } catch (error) {
    said.textContent = `The device does not say which apps it has: ${error.message}`;
    return [];
  }
}

let installedApps = [];
async function drawAppList() {
  if ($("apps-panel").hidden) return;
  const said = $("apps-said");
  said.textContent = installedApps.length ? "" : "Asking the device …";
  installedApps = await readApps(said);
  if (installedApps.length) said.textContent = "";
  filterApps();
}

function filterApps() {
  const words = $("apps-filter").value.trim().toLowerCase();
  const found = installedApps.filter(({ label, package: name }) => `${label || ""} ${name}`.toLowerCase().includes(words));
  drawList($("apps"), found.map((app) => [app.package, app, () => {
    const launch = make("button", { type: "button", className: "small", textContent: "Launch", ariaLabel: `Launch ${app.label || app.package}` });
    launch.addEventListener("click", () => launchApp(app.package));
    return make("li", {}, make("span", {}, make("b", { textContent: app.label || app.package }), " ",
      make("span", { className: "quiet mono", textContent: [app.label && app.package, app.version, app.system && "system"].filter(Boolean).join(" · ") })), launch);
  }]));
}

opensMenu($("apps-open"), $("apps-menu"), async () => {
  const menu = $("apps-menu");
  if (!menu.children.length) menu.append(make("p", { textContent: "Asking the device …" }));
  const said = make("p");
  const apps = await readApps(said);
  const own = apps.filter((app) => !app.system);
  const items = (own.length ? own : apps).slice(0, MOST_IN_MENU).map((app) => {
    const item = make("button", { type: "button", role: "menuitem", textContent: app.label || app.package });
    if (app.label) item.append(make("small", { className: "mono", textContent: app.package }));
    item.addEventListener("click", () => launchApp(app.package));
    return item;
  });
  const all = make("button", { type: "button", role: "menuitem", textContent: `All ${count(apps.length, "app")} …` });
  all.addEventListener("click", () => showPanel("apps-panel"));
  menu.replaceChildren(...(said.textContent ? [said] : []), ...items, all);
});
$("launch").addEventListener("submit", (event) => {
  event.preventDefault();
  const app = $("app").value.trim();
  if (app) launchApp(app);
  else refuse("Name the app's package, such as com.example.");
});
$("apps-filter").addEventListener("input", filterApps);
$("apps-panel").addEventListener("shown", () => { drawAppList(); readDevice(); });
