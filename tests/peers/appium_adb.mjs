// What appium-adb's functional tests ask of a device without an app of Android's own. The checks are ours, the client is
// the published one.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const { runAll } = require("./checks.js");
// `import` does not look where the clients are installed.
const { ADB } = await import(pathToFileURL(`${process.env.NODE_PATH}/appium-adb/build/lib/index.js`));

const adb = await ADB.createADB({
  adbPort: Number(process.env.ANDROID_ADB_SERVER_PORT),
  udid: process.env.ANDROID_SERIAL,
  suppressKillServer: true,
});
adb.setDeviceId(process.env.ANDROID_SERIAL);
const FULL = { outputFormat: adb.EXEC_OUTPUT_FORMAT.FULL };

await runAll({
  getApiLevel: async () => assert.equal(await adb.getApiLevel(), 34),
  getPlatformVersion: async () => assert.equal(await adb.getPlatformVersion(), "14"),
  availableIMEs: async () => assert.ok((await adb.availableIMEs()).length > 1),
  defaultIME: async () => assert.ok(await adb.defaultIME()),
  "enableIME and disableIME": async () => {
    const usual = await adb.defaultIME();
    const other = (await adb.availableIMEs()).find((name) => name !== usual);
    await adb.disableIME(other);
    assert.ok(!(await adb.enabledIMEs()).includes(other));
    await adb.enableIME(other);
    assert.ok((await adb.enabledIMEs()).includes(other));
  },
  ping: async () => assert.equal(await adb.ping(), true),
  "forwardPort and removePortForward": async () => {
    await adb.forwardPort(0, 6790);
    assert.match(await adb.getForwardList().then(String), /tcp:6790/);
  },
  "reversePort and removePortReverse": async () => {
    await adb.reversePort(6790, 8200);
    assert.match(await adb.adbExec(["reverse", "--list"]), /tcp:6790 tcp:8200/);
    await adb.removePortReverse(6790);
    assert.doesNotMatch(await adb.adbExec(["reverse", "--list"]), /tcp:6790/);
  },
  "startLogcat and stopLogcat": async () => {
    await adb.startLogcat();
    assert.ok(adb.logcat.getLogs().length > 0);
    await adb.stopLogcat();
  },
  getModel: async () => assert.equal(await adb.getModel(), "virtual1"),
  getManufacturer: async () => assert.equal(await adb.getManufacturer(), "runner"),
  getScreenSize: async () => assert.equal(await adb.getScreenSize(), "1080x2400"),
  getScreenDensity: async () => assert.equal(await adb.getScreenDensity(), 420),
  toggleGPSLocationProvider: async () => {
    await adb.toggleGPSLocationProvider(true);
    assert.ok((await adb.getLocationProviders()).includes("gps"));
    await adb.toggleGPSLocationProvider(false);
    assert.ok(!(await adb.getLocationProviders()).includes("gps"));
  },
  setAirplaneMode: async () => {
    await adb.setAirplaneMode(true);
    assert.equal(await adb.isAirplaneModeOn(), true);
    await adb.setAirplaneMode(false);
    assert.equal(await adb.isAirplaneModeOn(), false);
  },
  "push to a folder of the system": async () =>
    assert.rejects(adb.push(new URL(import.meta.url).pathname, "/foo/bar/remote.txt"), /\/foo/),
  bugreport: async () => assert.ok(await adb.bugreport()),
  listFeatures: async () => assert.ok(Array.isArray(await adb.listFeatures())),
  resolveLaunchableActivity: async () =>
    assert.match(await adb.resolveLaunchableActivity("com.example.notes"), /SignIn/),
  isStreamedInstallSupported: async () =>
    assert.equal(typeof (await adb.isStreamedInstallSupported()), "boolean"),
  takeScreenshot: async () => assert.ok((await adb.takeScreenshot()).length > 1000),
  listPorts: async () => {
    await adb.reversePort(6791, 8201);
    const ports = [...(await adb.listPorts()), ...(await adb.listPorts("6"))];
    assert.ok(ports.some(({ port }) => port === 6791));
    await adb.removePortReverse(6791);
  },
  startUri: async () => {
    await adb.startUri("https://example.org", "com.android.browser");
    const { appPackage } = await adb.getFocusedPackageAndActivity();
    assert.equal(appPackage, "com.android.browser");
  },
  "startApp and getFocusedPackageAndActivity": async () => {
    await adb.startApp({ pkg: "com.example.notes", activity: ".SignIn" });
    const { appPackage, appActivity } = await adb.getFocusedPackageAndActivity();
    assert.deepEqual([appPackage, appActivity], ["com.example.notes", ".SignIn"]);
  },
  processExists: async () => {
    assert.equal(await adb.processExists("com.android.systemui"), true);
    assert.equal(await adb.processExists("com.nonexistent.app"), false);
  },
  getProcessNameById: async () => {
    const [id] = await adb.getProcessIdsByName("com.android.systemui");
    assert.equal(await adb.getProcessNameById(id), "com.android.systemui");
  },
  getPackageInfo: async () =>
    assert.equal((await adb.getPackageInfo("com.example.notes")).versionName, "1.4.2"),
  dumpWindows: async () => assert.match(await adb.dumpWindows(), /com\.example\.notes/),
  "standard error of content": async () => {
    const said = await adb.shell(["content", "read", "--uri", "content://doesnotexist"], FULL);
    assert.match(said.stderr, /Error while accessing provider/);
  },
  "fileExists and ls": async () => {
    assert.equal(await adb.fileExists("/foo/bar/baz.zip"), false);
    assert.deepEqual(await adb.ls("/foo/bar"), []);
    await adb.shell(["touch", "/data/local/tmp/test"]);
    assert.ok((await adb.ls("/data/local/tmp")).includes("test"));
  },
  "lock credential": async () => {
    await adb.clearLockCredential();
    assert.equal(await adb.verifyLockCredential(), true);
    assert.equal(await adb.isLockEnabled(), false);
  },
});
