"""What a flow costs beside maestro-runner: the same Maestro flow, the same UiAutomator2 server, the same device.

flows.py RUNNER FOLDER [--rounds 5] [--flows 10] [--linted 1000]

FOLDER has `npm install @devicelab/maestro-runner-linux-x64`; the server's two APKs are taken from there. The demo app is
served with `runner virtual --realistic`, which gives commands what they cost a phone; RUNNER is built with
`--features other-clients`, for maestro-runner asks for routes of the server that packages leave out. Both run one flow of 13 commands, and a
folder of so many, in turns. Without a device both print their version and check many flows. The ratios are of one round each: they, and not the times, say something.
"""

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from ratio import head, row

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("node_modules/@devicelab/maestro-runner-linux-x64")

FLOW = """appId: com.example.notes
---
- launchApp
- tapOn: { id: username }
- inputText: ada
- tapOn: { id: password }
- inputText: lovelace
- hideKeyboard
- tapOn: { id: sign_in }
- assertVisible: "Welcome, ada"
- tapOn: Groceries
- assertVisible: { id: title }
- back
- assertVisible: "Welcome, ada"
- scroll
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def timed(command, folder):
    begun = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, NO_COLOR="1"), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command} does not pass ({done.returncode})\n{done.stdout}{done.stderr}")
    return time.monotonic() - begun


def steps_of_ours(events):
    ended = [json.loads(line) for line in events.read_text().splitlines()]
    return sum(event["duration_ms"] for event in ended if event["event"] == "step_finished") / 1000


def check_driver(events):
    """Ends the program unless the flows ran through the server that the peer uses too."""
    drivers = {event["info"]["driver"] for event in map(json.loads, events.read_text().splitlines()) if event["event"] == "device"}
    if drivers != {"uia2"}:
        raise SystemExit(f"the flows did not run with the driver uia2 but with {drivers}")


def steps_of_theirs(folder):
    flows = sorted((folder / "flows").glob("flow-*.json"))
    commands = [command for flow in flows for command in json.loads(flow.read_text())["commands"]]
    return sum(command["duration"] for command in commands) / 1000


def one_round(runner, peers, serial, flows, folder):
    """The times of ours and theirs, whole and of the steps alone."""
    events, reports = folder / "events.ndjson", folder / "reports"
    ours = [runner, "test", *flows, "--device", serial, "--json", str(events), "--quiet"]
    peer = str(peers / PACKAGE / "bin/maestro-runner")
    theirs = [peer, "--platform", "android", "--device", serial, "--no-ansi", "test"]
    theirs += ["--output", str(reports), "--flatten", *flows]
    whole = timed(ours, folder), timed(theirs, folder)
    check_driver(events)
    return whole, (steps_of_ours(events), steps_of_theirs(reports))


def install(runner, apks, serial, folder):
    # It takes the folder of the APKs from a setting only.
    (folder / "runner.yaml").write_text(f"uia2: {apks}\n")
    subprocess.run([runner, "driver", "install", "uia2", "--device", serial], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def without_device(runner, peers, linted, rounds, folder):
    peer = str(peers / PACKAGE / "bin/maestro-runner")
    (folder / "many").mkdir()
    for number in range(linted):
        (folder / f"many/flow-{number}.yaml").write_text(FLOW)
    for name, ours, theirs in [
        ("version", ["--version"], ["--version"]),
        (f"lint of {linted} flows", ["lint", "many"], ["lint", "many"]),
    ]:
        pairs = [(timed([runner, *ours], folder), timed([peer, *theirs], folder)) for _ in range(rounds)]
        ratios(name, pairs)


def ratios(name, pairs):
    row(name, "maestro-runner", pairs)


def measure(runner, peers, arguments):
    """Prints all rows beside maestro-runner."""
    port = free_port()
    command = [runner, "virtual", "--realistic", "--port", str(port), "--app", "examples/demo"]
    served = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        served.stdout.readline()
        serial = f"127.0.0.1:{port}"
        subprocess.run(["adb", "connect", serial], check=True, stdout=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "flows").mkdir()
            for number in range(arguments.flows):
                (folder / f"flows/flow-{number}.yaml").write_text(FLOW)
            without_device(runner, peers, arguments.linted, arguments.rounds, folder)
            # By default a device with the server is driven through it; both use the same one.
            install(runner, peers / PACKAGE / "drivers/android", serial, folder)
            # The first of each starts the server for the first time.
            one_round(runner, peers, serial, ["flows/flow-0.yaml"], folder)
            one = [one_round(runner, peers, serial, ["flows/flow-0.yaml"], folder) for _ in range(arguments.rounds)]
            ratios("one flow", [whole for whole, _ in one])
            ratios("its steps", [steps for _, steps in one])
            many = [one_round(runner, peers, serial, ["flows"], folder) for _ in range(max(1, arguments.rounds // 2))]
            ratios(f"{arguments.flows} flows", [whole for whole, _ in many])
            ratios("their steps", [steps for _, steps in many])
    finally:
        served.terminate()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("peers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--linted", type=int, default=1000)
    arguments = parser.parse_args()
    head()
    measure(str(Path(arguments.runner).resolve()), Path(arguments.peers).resolve(), arguments)


if __name__ == "__main__":
    main()
