"""What the driver uia2 saves on a device with a phone's prices, against the driver stock in the same run.

drivers.py RUNNER --uia2 FOLDER [--rounds 3]

Serves the demo app with `runner virtual --realistic`, installs the server's two APKs from FOLDER (the folder `apks` of the
npm package appium-uiautomator2-server), and runs the demo flows with each driver in turn. It compares the steps that look
or touch; the server's start is before the first of them and told apart. Then it compares the looks of the logs: a look of
`stock` with the dump alone, one of `uia2` with the 200 ms that its server takes here.
"""

import argparse
import json
import re
import socket
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DUMP_MS = 1000
SOURCE_MS = 200
# What takes as long with every driver, and what is a sum of other steps.
OTHERS = re.compile(r"^(launch|stop|clear|set_device|run:|repeat:|if:)")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(runner, serial, driver, apks, folder):
    events, log = folder / "events.json", folder / "run.log"
    command = [runner, "test", "flows/", "--device", serial, "--driver", driver, "--json", str(events), "--log", str(log)]
    command += ["--artifacts", str(folder / "artifacts"), "--update", "none", "--quiet"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "RUNNER_LOG": "debug"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{driver}: the flows do not pass ({done.returncode})\n{done.stdout}{done.stderr}")
    steps = {}
    for line in events.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "step_finished" and not OTHERS.match(event["title"]):
            key = (event["id"]["flow"], json.dumps(event["step"]))
            steps[key] = event["duration_ms"]
    text = log.read_text()
    looks = [int(ms) for ms in re.findall(r"engine: look ms=(\d+)", text)]
    starts = [int(ms) for ms in re.findall(r"the server runs ms=(\d+)", text)]
    return steps, looks, starts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("--uia2", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    runner, apks = str(Path(arguments.runner).resolve()), str(Path(arguments.uia2).resolve())
    port = free_port()
    serial = f"127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        device = [runner, "virtual", "--realistic", "--port", str(port), "--app", str(ROOT / "examples" / "demo")]
        served = subprocess.Popen(device, stdout=subprocess.PIPE, cwd=folder)
        try:
            served.stdout.readline()
            (folder / "runner.yaml").write_text(f"uia2: {apks}\n")
            install = [runner, "driver", "install", "uia2", "--device", serial]
            subprocess.run(install, cwd=folder, check=True, capture_output=True)
            measured = {"stock": [], "uia2": []}
            for _ in range(arguments.rounds):
                for driver, runs in measured.items():
                    runs.append(run(runner, serial, driver, apks, folder))
        finally:
            served.terminate()
            served.wait()
    totals = {driver: [sum(steps.values()) for steps, _, _ in runs] for driver, runs in measured.items()}
    looks = {driver: [look for _, all_looks, _ in runs for look in all_looks] for driver, runs in measured.items()}
    for driver in measured:
        print(f"{driver}: {statistics.median(totals[driver])} ms for the steps, a look {statistics.median(looks[driver])} ms, {len(looks[driver])} looks")
    starts = [start for _, _, all_starts in measured["uia2"] for start in all_starts]
    print(f"start of the server: {starts} ms")
    print(f"steps, stock / uia2: {statistics.median(totals['stock']) / statistics.median(totals['uia2']):.2f}")
    print(f"a stock look / its dump: {statistics.median(looks['stock']) / DUMP_MS:.3f}")
    print(f"a uia2 look beyond its server: {statistics.median(looks['uia2']) - SOURCE_MS} ms")


main()
