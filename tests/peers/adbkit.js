// What adbkit's client can ask a device for, asked of the virtual device. The checks are ours, the client is the published one.

const assert = require("node:assert/strict");
const net = require("node:net");
const { Readable } = require("node:stream");
const { Adb } = require("@devicefarmer/adbkit");
const { bytes, runAll } = require("./checks.js");

const client = Adb.createClient({ port: Number(process.env.ANDROID_ADB_SERVER_PORT) });
const serial = process.env.ANDROID_SERIAL;
const device = client.getDevice(serial);
const said = async (command) => (await bytes(await device.shell(command))).toString();
const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));

runAll({
  version: async () => assert.ok((await client.version()) > 30),
  listDevices: async () =>
    assert.deepEqual(await client.listDevices(), [{ id: serial, type: "device" }]),
  getState: async () => assert.equal(await device.getState(), "device"),
  getSerialNo: async () => assert.equal(await device.getSerialNo(), serial),
  getProperties: async () =>
    assert.equal((await device.getProperties())["ro.build.version.sdk"], "34"),
  getFeatures: async () => assert.ok(await device.getFeatures()),
  getPackages: async () =>
    assert.ok((await device.getPackages()).includes("com.example.notes")),
  isInstalled: async () => {
    assert.equal(await device.isInstalled("com.example.notes"), true);
    assert.equal(await device.isInstalled("com.example.nothing"), false);
  },
  getDHCPIpAddress: async () => assert.ok(await device.getDHCPIpAddress()),
  shell: async () => assert.equal(await said("echo hello"), "hello\n"),
  "forward and openTcp": async () => {
    await device.forward("tcp:0", "tcp:7912");
    await assert.rejects(device.openTcp(7912));
  },
  "reverse, listReverses and the tunnel": async () => {
    const server = net.createServer((socket) => socket.end("hello"));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const target = `tcp:${server.address().port}`;
    await device.reverse("tcp:7001", target);
    assert.deepEqual(await device.listReverses(), [{ remote: "tcp:7001", local: target }]);
    assert.equal((await bytes(await device.openTcp(7001))).toString(), "hello");
    server.close();
  },
  trackJdwp: async () => {
    const tracker = await device.trackJdwp();
    tracker.end();
  },
  screencap: async () => {
    const png = await bytes(await device.screencap());
    assert.equal(png.subarray(1, 4).toString(), "PNG");
  },
  framebuffer: async () => {
    const stream = await device.framebuffer("raw");
    assert.deepEqual([stream.meta.width, stream.meta.height], [1080, 2400]);
    assert.equal((await bytes(stream)).length, stream.meta.size);
  },
  openLog: async () => {
    await said("log -t Peer hello");
    const stream = await device.openLog("main");
    const head = await bytes(stream, 20);
    // Eight bytes are the length and the process.
    assert.ok(head.readUInt16LE(0) > 3);
  },
  openLogcat: async () => {
    await said("log -t Peer -p w hello");
    const log = await device.openLogcat({ clear: false });
    const message = await new Promise((resolve, reject) => {
      log.on("error", reject);
      log.on("entry", (entry) => {
        if (entry.tag === "Peer" && entry.priority === 5) {
          resolve(entry.message);
        }
      });
    });
    assert.equal(message, "hello");
    log.end();
  },
  openMonkey: async () => {
    await device.openMonkey(1080);
  },
  openProcStat: async () => {
    const stat = await device.openProcStat();
    stat.end();
  },
  openLocal: async () => {
    await device.openLocal("/dev/socket/logd");
  },
  startActivity: async () => {
    await device.startActivity({
      action: "android.intent.action.VIEW",
      data: "https://example.org/a",
    });
    assert.match(await said("dumpsys activity activities"), /com\.android\.browser\/\.Main/);
  },
  clear: async () => assert.equal(await device.clear("com.example.notes"), true),
  "push, stat, readdir and pull": async () => {
    const path = "/data/local/tmp/peer.txt";
    const pushed = await device.push(Readable.from([Buffer.from("hello")]), path);
    await once(pushed, "end");
    assert.equal((await device.stat(path)).size, 5);
    const names = (await device.readdir("/data/local/tmp")).map((entry) => entry.name);
    assert.ok(names.includes("peer.txt"));
    assert.equal((await bytes(await device.pull(path))).toString(), "hello");
  },
  "pull of a file that the system makes": async () =>
    assert.match((await bytes(await device.pull("/system/build.prop"))).toString(), /ro\.build/),
  waitBootComplete: async () => assert.equal(await device.waitBootComplete(), true),
  root: async () => assert.rejects(device.root(), /production builds/),
});
