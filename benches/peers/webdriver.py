"""What this program's WebDriver client adds to a request, beside Appium's own Python client on the same server.

webdriver.py RUNNER --clients FOLDER [--rounds 5] [--repeats 20]

To be run with the Python that has Appium-Python-Client. FOLDER is where `.ci/run` installs clients (`target/clients`): it
holds Appium with its uiautomator2 driver. Debian's `adb` is on the path. RUNNER is built with `--features other-clients`.

Serves the demo app on a virtual device, starts an adb server and Appium of its own, and lets both clients do the same in
turn: the source, a tap by actions, a screenshot. Each round is a pair; what is compared are the medians of the pairs. Then
it tells how many requests each step of the demo flows sends. Requests of `runner` are timed by its own log, from the
sending to the last byte; those of the Python client around the call, so its JSON is in it.
"""

import argparse
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from appium import webdriver
from appium.options.android import UiAutomator2Options
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput

ROOT = Path(__file__).resolve().parents[2]
KINDS = ["source", "actions", "screenshot"]
# What the log of `runner` calls the requests.
ASKED = re.compile(r'what="GET (source|screenshot)"|what="POST (actions)"')


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, log, folder, **environment):
    with open(folder / log, "wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, cwd=folder,
                                env={**os.environ, **environment}, start_new_session=True)


def until_ready(url):
    for _ in range(600):
        try:
            urllib.request.urlopen(url + "/status").read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{url} does not answer")


def serve(arguments, folder, started):
    """The device, adb and Appium; gives Appium's address and the device's serial."""
    port, adb_port, appium_port = free_port(), str(free_port()), free_port()
    serial = f"127.0.0.1:{port}"
    device = [arguments.runner, "virtual", "--port", str(port), "--app", str(ROOT / "examples" / "demo")]
    started.append(start(device, "device.log", folder))
    started.append(start(["adb", "-P", adb_port, "nodaemon", "server"], "adb.log", folder))
    for _ in range(100):
        said = subprocess.run(["adb", "-P", adb_port, "connect", serial], capture_output=True, text=True).stdout
        if said.startswith(("connected", "already")):
            break
        time.sleep(0.1)
    tools = folder / "sdk" / "platform-tools"
    tools.mkdir(parents=True)
    (tools / "adb").symlink_to(subprocess.check_output(["which", "adb"], text=True).strip())
    clients = Path(arguments.clients).resolve()
    defaults = {"appium:udid": serial, "appium:adbPort": int(adb_port), "appium:suppressKillServer": True}
    appium = [str(clients / "appium/node_modules/.bin/appium"), "server", "--address", "127.0.0.1", "--port", str(appium_port)]
    appium += ["--use-drivers", "uiautomator2", "--allow-insecure", "uiautomator2:adb_shell", "--log-level", "error"]
    appium += ["--default-capabilities", json.dumps(defaults)]
    path = f"{clients / 'node_modules/.bin'}:{os.environ['PATH']}"
    started.append(start(appium, "appium.log", folder, PATH=path, APPIUM_HOME=str(clients / "appium"),
                         ANDROID_HOME=str(folder / "sdk"), ANDROID_ADB_SERVER_PORT=adb_port))
    url = f"http://127.0.0.1:{appium_port}"
    until_ready(url)
    return url


def run(arguments, folder, flows, *more):
    command = [arguments.runner, "test", *flows, "--update", "none", "--log", str(folder / "run.log"), *more]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "RUNNER_LOG": "debug"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the flows do not pass ({done.returncode})\n{done.stdout}{done.stderr}")


def ours(arguments, folder):
    """Milliseconds of each request, by kind, of one run."""
    run(arguments, folder, ["flows/measured.yaml"])
    times = {kind: [] for kind in KINDS}
    for line in (folder / "run.log").read_text().splitlines():
        found = ASKED.search(line)
        if found and (took := re.search(r"\bus=(\d+)", line) or re.search(r"\bms=(\d+)", line)):
            scale = 1000 if took.group(0).startswith("us") else 1
            times[found.group(1) or found.group(2)].append(int(took.group(1)) / scale)
    return times


def theirs(url, repeats):
    options = UiAutomator2Options()
    options.set_capability("appium:disableWindowAnimation", True)
    driver = webdriver.Remote(url, options=options)
    try:
        driver.update_settings({"waitForIdleTimeout": 0, "actionAcknowledgmentTimeout": 0, "enableMultiWindows": True})
        driver.activate_app("com.example.notes")
        times = {kind: [] for kind in KINDS}
        for _ in range(repeats):
            finger = ActionBuilder(driver, mouse=PointerInput("touch", "finger"))
            finger.pointer_action.move_to_location(20, 20).pointer_down().pointer_up()
            calls = {"source": lambda: driver.page_source, "actions": finger.perform, "screenshot": driver.get_screenshot_as_png}
            for kind, call in calls.items():
                begun = time.perf_counter()
                call()
                times[kind].append((time.perf_counter() - begun) * 1000)
    finally:
        driver.quit()
    return times


def requests_a_step(folder):
    """The requests of each kind of step of the demo flows."""
    costs = {}
    for line in (folder / "events.ndjson").read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "step_finished":
            name = re.split(r"[: ]", event["title"])[0]
            costs.setdefault(name, []).append(event["cost"]["round_trips"])
    return costs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("--clients", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    arguments.runner = str(Path(arguments.runner).resolve())
    started = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            url = serve(arguments, folder, started)
            (folder / "flows").mkdir()
            (folder / "runner.yaml").write_text(f"devices:\n  - {{ webdriver: \"{url}\", label: appium }}\n")
            steps = "[ tap: { x: 20, y: 20 }, assert visible: Username, screenshot ]"
            flow = f"app: com.example.notes\nsteps:\n  - launch\n  - repeat: {{ times: {arguments.repeats}, steps: {steps} }}\n"
            (folder / "flows" / "measured.yaml").write_text(flow)
            pairs = [(ours(arguments, folder), theirs(url, arguments.repeats)) for _ in range(arguments.rounds)]
            for kind in KINDS:
                medians = [(statistics.median(own[kind]), statistics.median(other[kind])) for own, other in pairs]
                added = statistics.median(own - other for own, other in medians)
                own, other = (statistics.median(side) for side in zip(*medians))
                print(f"{kind}: {own:.1f} ms, Appium-Python-Client {other:.1f} ms, added {added:+.1f} ms")
            for name in ("flows", "snapshots", "examples"):
                subprocess.run(["cp", "-r", str(ROOT / name), str(folder)], check=True)
            (folder / "flows" / "measured.yaml").unlink()
            run(arguments, folder, ["flows/"], "--json", "events.ndjson")
            for name, costs in sorted(requests_a_step(folder).items()):
                print(f"{name}: {statistics.median(costs):g} requests (most {max(costs)}), {len(costs)} steps")
        finally:
            for process in reversed(started):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


main()
