"""A client of the app host: starts one, talks its protocol (standard library only). See checks.py for what it is used for.

PARTS names the folder with lib/ (Robolectric and what it needs, androids-all) and deps/ (android-all-instrumented, native
runtime); HOST_JAR the compiled host; JAVA the JVM."""
import glob
import json
import os
import shutil
import socket
import struct
import subprocess
import time

PARTS = os.environ.get("PARTS", "/tmp/host-try")
HOST_JAR = os.environ.get("HOST_JAR", "/tmp/hrun/host.jar")
JAVA = os.environ.get("JAVA", sorted(glob.glob("/usr/lib/jvm/temurin-2*/bin/java"))[-1])
OPENS = ["java.lang", "java.lang.reflect", "java.util", "java.io", "java.net", "java.text"]
CONFIG = {"width": 1080, "height": 2400, "density": 480, "rotation": 0, "dark": False, "font_scale": 1.0, "locale": "en-US",
          "time_zone": "UTC", "wall_clock": 1767268800000, "twenty_four_hours": False, "airplane": False,
          "insets": {"status": 72, "navigation": 72, "ime": 0}}


class HostError(Exception):
    def __init__(self, error):
        super().__init__(f"{error.get('kind')}: {error.get('message')}\n{error.get('trace', '')}")
        self.kind = error.get("kind")


class Host:
    def __init__(self, run, apk, package, classes, application=None, target=35, flags=(), real_time=False):
        """run: a folder for this process; classes: jars (and folders) of the app."""
        self.run, self.package, self.events, self.state = run, package, [], {}
        os.makedirs(f"{run}/conf", exist_ok=True)
        os.makedirs(f"{run}/tmp", exist_ok=True)
        name = f' android:name="{application}"' if application else ""
        with open(f"{run}/conf/AndroidManifest.xml", "w") as f:
            f.write(f'<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}"><uses-sdk android:minSdkVersion="21" '
                    f'android:targetSdkVersion="{target}"/><application{name}/></manifest>')
        lib = sorted(glob.glob(PARTS + "/lib/*.jar"))
        server = socket.socket()
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        boot = {"port": server.getsockname()[1], "token": "secret", "package": package, "apk": apk, "manifest": f"{run}/conf/AndroidManifest.xml",
                "classes": list(classes), "data_dir": f"{run}/data", "real_time": real_time}
        command = [JAVA]
        for p in OPENS:
            command += [f"--add-opens=java.base/{p}=ALL-UNNAMED"]
        command += ["--add-opens=java.base/jdk.internal.access=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", *flags,
                    f"-Djava.io.tmpdir={run}/tmp", f"-Duser.home={run}", f"-Drobolectric.dependency.dir={PARTS}/deps",
                    "-cp", ":".join([HOST_JAR, *lib]), "runner.host.Main"]
        self.command, self.begun_at = command, time.time()
        self.err = open(f"{run}/stderr", "w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.err, stderr=self.err, env={}, cwd=run)
        self.process.stdin.write(json.dumps(boot).encode() + b"\n")
        self.process.stdin.flush()
        server.settimeout(0.1)
        while True:
            try:
                self.socket, _ = server.accept()
                break
            except socket.timeout:
                if self.process.poll() is not None or time.time() > self.begun_at + 90:
                    self.process.kill()
                    raise RuntimeError("no host came: " + open(f"{run}/stderr").read()[-4000:])
        self.socket.settimeout(120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ids = 0
        self.hello, _ = self.frame()
        assert self.hello["token"] == "secret", self.hello

    def read(self, n):
        out = bytearray()
        while len(out) < n:
            part = self.socket.recv(min(n - len(out), 1 << 20))
            if not part:
                raise EOFError("the host has gone: " + open(f"{self.run}/stderr").read()[-4000:])
            out += part
        return bytes(out)

    def frame(self):
        length, payload = struct.unpack(">II", self.read(8))
        header = json.loads(self.read(length))
        return header, self.read(payload)

    def ask(self, op, **fields):
        self.ids += 1
        header = json.dumps({"id": self.ids, "op": op, **fields}).encode()
        self.socket.sendall(struct.pack(">II", len(header), 0) + header)
        answer, self.payload = self.frame()
        assert answer["id"] == self.ids, answer
        self.state = answer.get("state", self.state)
        self.new = answer.get("events", [])
        self.events += self.new
        if "error" in answer:
            raise HostError(answer["error"])
        return answer["ok"]

    def begin(self, config=CONFIG, **fields):
        return self.ask("begin", data_dir=f"{self.run}/data", config=config, **{"permissions": [], "now": 60_000, **fields})

    def close(self):
        try:
            self.ask("quit")
        except (EOFError, OSError):
            pass
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.socket.close()

    # ---- as the virtual device will do

    def look(self):
        self.windows = self.ask("look")["windows"]
        return self.windows

    def nodes(self, windows=None):
        for window in reversed(windows if windows is not None else self.look()):
            for node in window.get("nodes", []):
                yield node, window

    def find(self, text=None, res=None, desc=None, cls=None):
        for node, window in self.nodes():
            if text is not None and node.get("text") != text and not (hasattr(text, "search") and text.search(node.get("text", ""))):
                continue
            if res is not None and not node.get("res", "").endswith(res):
                continue
            if desc is not None and node.get("desc") != desc:
                continue
            if cls is not None and not node.get("class", "").endswith(cls):
                continue
            l, t, r, b = node["bounds"]
            if r > l and b > t:
                return node, window
        raise AssertionError(f"nothing with {text or ''}{res or ''}{desc or ''}{cls or ''} among {self.texts()}")

    def texts(self):
        return [n.get("text") or n.get("desc") for n, _ in self.nodes() if n.get("text") or n.get("desc")]

    def target(self, x, y):
        """The window of a touch, and those that hear of one beside them."""
        outside = []
        for window in reversed(self.windows):
            if not window.get("touchable"):
                continue
            inside = any(l <= x < r and t <= y < b for l, t, r, b in window["touch_region"])
            if inside or window.get("touch_modal"):
                return window["id"], outside
            if window.get("watch_outside"):
                outside.append(window["id"])
        return None, outside

    def touch(self, points, ms=50):
        """points: the way of one finger."""
        window, outside = self.target(*points[0])
        if window is None:
            return
        at = lambda p: [{"id": 0, "x": float(p[0]), "y": float(p[1])}]
        events = [{"t": 0, "action": "down", "pointers": at(points[0])}]
        steps = max(1, ms // 16) if len(points) > 1 else 0
        for i in range(1, steps + 1):
            (x1, y1), (x2, y2) = points[0], points[-1]
            events.append({"t": ms * i // steps, "action": "move", "pointers": at((x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps))})
        events.append({"t": ms, "action": "up", "pointers": at(points[-1])})
        self.ask("pointer", window=window, outside=outside, events=events)

    def settle(self, limit=10_000):
        return self.ask("settle", limit=limit)

    def tap(self, text=None, ms=50, **by):
        node, _ = self.find(text, **by)
        l, t, r, b = node["bounds"]
        self.touch([((l + r) // 2, (t + b) // 2)], ms)
        self.settle()

    def key(self, code, **fields):
        handled = self.ask("key", code=code, action="press", **fields)["handled"]
        self.settle()
        return handled

    def type(self, text, mode="commit"):
        typed = self.ask("text", text=text, mode=mode)["typed"]
        self.settle()
        return typed

    def picture(self):
        self.look()
        shown = self.ask("draw", windows=[w["id"] for w in self.windows])["windows"]
        return shown, self.payload


def png(path, width, height, rgba):
    import zlib
    rows = b"".join(b"\0" + rgba[y * width * 4:(y + 1) * width * 4] for y in range(height))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


APPS = os.environ.get("APPS", "/tmp/apps")


def app(name, run, **options):
    """One of the three test apps, in a fresh folder unless it exists already."""
    if name == "apidemos":
        return Host(run, f"{APPS}/apidemos.apk", "io.appium.android.apis", [os.environ.get("APIDEMOS_JAR", "/tmp/hrun/apidemos.jar")], application="io.appium.android.apis.ApiDemosApplication", target=33, **options)
    if name == "kit":
        return Host(run, f"{APPS}/kit/kit.apk", "com.example.kit", [f"{APPS}/kit/kit.jar"], application=".KitApplication", **options)
    return Host(run, f"{APPS}/{name}-resources.apk", f"com.example.{name}", [f"{APPS}/{name}/all.jar"], **options)


def fresh(run):
    shutil.rmtree(run, ignore_errors=True)
    os.makedirs(run)
    return run
