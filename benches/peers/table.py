"""The table of docs/developers/performance.md beside other tools, each row a ratio of rounds that took turns.

table.py RUNNER FOLDER [--pictures PROGRAM] [--rounds 5] [--flows 10] [--realistic]

FOLDER has what `npm install @mobilenext/mobile-mcp @devicelab/maestro-runner-linux-x64 @playwright/test odiff-bin pixelmatch
pngjs` installed, and a virtual environment `venv` with pytest and adbutils. PROGRAM is the built `benches/pictures.rs`. What
is not there is named and left out. Calls are made on the demo app, which costs nothing, or a phone's prices with --realistic;
flows always have a phone's prices.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import flows
import mcp
import pictures
from mcp_login import APP
from ratio import alternate, head, row, timed

HERE = Path(__file__).resolve().parent
FIELD, FIELDS_PLACE = "username", {"x": 540, "y": 900}
# One round of calls warms up, and calls take a millisecond each.
CALLS_A_ROUND = 5


def missing(what, how):
    print(f"NOT MEASURED: {what} ({how})")


class Python:
    """adbutils in a process of its own."""

    def __init__(self, python, port, serial):
        command = [python, str(HERE / "adbutils_calls.py"), str(port), serial]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __call__(self, call):
        self.process.stdin.write(call + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise SystemExit(f"adbutils does not {call}")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def calls(serial):
    """Each act as our call and as those of mobile-mcp. Typing is one call here and two there."""
    device = {"device": serial}
    tap = {"x": mcp.TAP[0], "y": mcp.TAP[1]}
    scroll = {"start_x": 540, "start_y": 1560, "end_x": 540, "end_y": 840, "duration": 300}
    return {
        "tap": (("tap", tap), [("mobile_click_on_screen_at_coordinates", device | tap)]),
        "list of elements": (
            ("get_app_window_controls_target_info", {"force_refresh": True}),
            [("mobile_list_elements_on_screen", device)],
        ),
        "picture": (("capture_screenshot", {}), [("mobile_take_screenshot", device)]),
        "scroll": (("swipe", scroll), [("mobile_swipe_on_screen", device | {"direction": "up", "distance": 720})]),
        "launch": (("launch_app", {"package_name": APP}), [("mobile_launch_app", device | {"packageName": APP})]),
    }


def of_calls(runner, folder, arguments, temporary):
    adb = shutil.which("adb")
    port, adb_port = mcp.free_port(), mcp.free_port()
    serial = f"127.0.0.1:{port}"
    environment = dict(os.environ) | {"ANDROID_ADB_SERVER_PORT": str(adb_port)}
    realistic = ["--realistic"] if arguments.realistic else []
    served = subprocess.Popen(
        [runner, "virtual", "--port", str(port), "--app", str(mcp.ROOT / "examples/demo"), *realistic],
        stdout=subprocess.PIPE, cwd=temporary,
    )
    clients = []
    try:
        served.stdout.readline()
        for command in [["start-server"], ["connect", serial]]:
            subprocess.run([adb, *command], env=environment, check=True, capture_output=True)
        at = (serial, "--adb-port", str(adb_port))
        ours = mcp.own(runner, "runner", temporary / "agent", at, mcp.MOBILE_AGENT).start()
        clients.append(ours)
        script = folder / "node_modules/@mobilenext/mobile-mcp/lib/index.js"
        mobile = None
        if script.exists():
            quiet = environment | {"MOBILEMCP_LEGACY_ROBOT": "1", "MOBILEMCP_DISABLE_TELEMETRY": "1"}
            mobile = mcp.Client(["node", str(script)], quiet, temporary)
            clients.append(mobile)
        else:
            missing("mobile-mcp", "npm install @mobilenext/mobile-mcp")
        python = folder / "venv/bin/python"
        has_adbutils = python.exists() and not subprocess.run([python, "-c", "import adbutils"], capture_output=True).returncode
        adbutils = Python(str(python), adb_port, serial) if has_adbutils else None
        if adbutils:
            clients.append(adbutils)
        else:
            missing("adbutils", "pip install adbutils in FOLDER/venv")
        show = lambda page: subprocess.run(
            [adb, "-s", serial, "shell", "am", "start", "-a", "android.intent.action.VIEW", "-d", f"notes://{page}"],
            env=environment, check=True, capture_output=True,
        )
        show("inbox")
        rounds = arguments.rounds * CALLS_A_ROUND
        for name, (call, theirs) in calls(serial).items():
            if mobile:
                row(name, "mobile-mcp", alternate(lambda: ours.call(*call), lambda: [mobile.call(*each) for each in theirs], rounds))
            if adbutils:
                row(name, "adbutils", alternate(lambda: ours.call(*call), lambda: adbutils(name), rounds))
        subprocess.run([adb, "-s", serial, "shell", "pm", "clear", APP], env=environment, check=True, capture_output=True)
        # A device is one server's.
        ours.end()
        clients[0] = lean = mcp.own(runner, "runner", temporary / "lean", at, options=("--tools", "lean")).start()
        lean.call("runner_launch", {"app": APP})
        if mobile:
            device = {"device": serial}
            both = [("mobile_click_on_screen_at_coordinates", device | FIELDS_PLACE), ("mobile_type_keys", device | {"text": "a", "submit": False})]
            type_ours = lambda: lean.call("runner_type", {"id": FIELD, "text": "a"})
            row("click a field, type", "mobile-mcp", alternate(type_ours, lambda: [mobile.call(*each) for each in both], arguments.rounds))
    finally:
        for client in clients:
            client.end()
        subprocess.run([adb, "kill-server"], env=environment, capture_output=True)
        served.terminate()


def of_starts(runner, folder, arguments, temporary):
    """From nothing to the end of one empty test."""
    (temporary / "runner.yaml").write_text("apps: [demo]\ndevices: [virtual]\n")
    shutil.copytree(mcp.ROOT / "examples/demo", temporary / "demo")
    (temporary / "flows").mkdir()
    (temporary / "flows/one.yaml").write_text("app: com.example.notes\nsteps:\n  - press: back\n")
    (temporary / "test_one.py").write_text("def test_one():\n    pass\n")
    (temporary / "one.spec.js").write_text(
        f"const {{ test }} = require({json.dumps(str(folder / 'node_modules/@playwright/test'))});\ntest('one', () => {{}});\n"
    )
    run = lambda *command: flows.timed([str(part) for part in command], temporary)
    peers = [
        ("pytest", [folder / "venv/bin/pytest", "-q", "test_one.py"], "pip install pytest in FOLDER/venv"),
        ("Playwright", ["node", folder / "node_modules/@playwright/test/cli.js", "test", "one.spec.js"], "npm install @playwright/test"),
    ]
    for name, command, how in peers:
        if not all(Path(part).exists() for part in command if isinstance(part, Path)):
            missing(name, how)
            continue
        pairs = alternate(lambda: run(runner, "test", "--quiet"), lambda: run(*command), arguments.rounds)
        row("start: one empty test", name, pairs)


def of_pictures(program, folder, arguments, temporary):
    odiffs = sorted(folder.glob("node_modules/@odiff/*/odiff"))
    has_pixelmatch = (folder / "node_modules/pixelmatch").exists()
    subprocess.run([program, "make", str(temporary)], check=True)
    listed = json.loads((temporary / "list.json").read_text())
    ours = pictures.Server([program, "serve", "runner"])
    peers = {}
    if odiffs:
        peers["odiff --server"] = pictures.Server([str(odiffs[0]), "--server"])
    else:
        missing("odiff", "npm install odiff-bin")
    if has_pixelmatch:
        peers["pixelmatch"] = pictures.Server(["node", str(HERE / "pictures_pixelmatch.mjs"), str(folder)])
    else:
        missing("pixelmatch", "npm install pixelmatch pngjs")
    for pair in (entry for entry in listed if entry["kind"] != "case"):
        files = [str(temporary / name) for name in pair["files"]] + [str(temporary / "difference.png")]
        for name, peer in peers.items():
            pairs = alternate(lambda: ours.differs(*files), lambda: peer.differs(*files), arguments.rounds)
            row(f"pictures: {pair['kind']}, {pair['name']}", name, pairs)
    for server in [ours, *peers.values()]:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("folder")
    parser.add_argument("--pictures")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--linted", type=int, default=1000)
    parser.add_argument("--realistic", action="store_true", help="calls take what they take on a phone")
    arguments = parser.parse_args()
    runner, folder = str(Path(arguments.runner).resolve()), Path(arguments.folder).resolve()
    if not shutil.which("adb"):
        raise SystemExit("`adb` is not on the PATH: the other tools reach the device through it")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    head()
    parts = [of_starts, of_calls]
    for part in parts:
        with tempfile.TemporaryDirectory() as temporary:
            part(runner, folder, arguments, Path(temporary))
    if arguments.pictures:
        with tempfile.TemporaryDirectory() as temporary:
            of_pictures(arguments.pictures, folder, arguments, Path(temporary))
    else:
        missing("pictures", "--pictures names the built benches/pictures.rs")
    if (folder / flows.PACKAGE).exists():
        flows.measure(runner, folder, arguments)
    else:
        missing("maestro-runner", "npm install @devicelab/maestro-runner-linux-x64")
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
