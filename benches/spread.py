"""What several devices save: short flows on one built-in virtual device, and spread over several, in turns.

spread.py RUNNER [--flows 100] [--devices 8] [--rounds 5]

Says how many times faster the spread run is. Each round runs both, the order changing; the first round is not counted.
The devices are part of the program's process, so they share its cores: on a machine with N cores no ratio above N is to
be had from work that only computes. RUNNER may be a debug build, to see that this works.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLOW = """app: com.example.notes
steps:
  - launch
  - assert visible: Welcome to Notes
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: lovelace }
  - click: { id: sign_in }
  - assert visible: Inbox
"""


def run(command, folder):
    """Seconds it took, and seconds it computed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("--flows", type=int, default=100)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    runner = str(Path(arguments.runner).resolve())
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copytree(ROOT / "examples/demo", project / "demo")
        (project / "runner.yaml").write_text("apps: [demo]\n")
        (project / "flows").mkdir()
        for number in range(arguments.flows):
            (project / f"flows/f{number:03}.yaml").write_text(FLOW)
        ways = {
            "one device": [runner, "test", "--quiet", "--device", "virtual"],
            f"{arguments.devices} devices": [runner, "test", "--quiet", "--spread"] + ["--device", "virtual"] * arguments.devices,
        }
        times = {name: [] for name in ways}
        for turn in range(arguments.rounds + 1):
            for name in list(ways) if turn % 2 else list(reversed(ways)):
                measured = run(ways[name], project)
                if turn > 0:
                    times[name].append(measured)
    one, several = times.values()
    ratios = [alone[0] / spread[0] for alone, spread in zip(one, several)]
    load = os.getloadavg()[0]
    print(f"{arguments.flows} flows, {arguments.rounds} rounds, {os.cpu_count()} cores, load {load:.1f} at the end")
    for name, measured in times.items():
        took, computed = (statistics.median(column) for column in zip(*measured))
        print(f"{name:>12}: {took:.2f} s, {computed:.2f} s computed")
    print(f"  the spread run is {statistics.median(ratios):.2f} times faster ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
