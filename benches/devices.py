"""What a virtual device costs: the demo flows on several of them in one process.

devices.py RUNNER [--devices 1 8 16 64] [--flows flows/]

Each run starts that many virtual devices and runs every flow on each. Says the most memory that the process had (VmHWM),
threads and open files as /proc counts them ten times a second, and user and system time. The last column is what a device
beside the first takes. The aims: at most 25 MB a device beside the first, system time under a fifth of all computing. Only
on Linux. RUNNER may be a debug build, to see that this works.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def project(folder, devices):
    """A project with the demo's flows and goldens, and so many devices."""
    for name in ("flows", "snapshots", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    lines = ["flows: [flows/]", "snapshots: snapshots/", "apps: [examples/demo]", "devices:"]
    lines += [f"  - {{ serial: virtual, label: d{number} }}" for number in range(devices)]
    (folder / "runner.yaml").write_text("\n".join(lines) + "\n")


def measure(runner, devices, flows):
    """Memory in MB, threads, files, seconds of user and of system time, seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        project(Path(folder), devices)
        command = [runner, "test", "--update", "none", "--quiet", *flows]
        began = time.perf_counter()
        with open(f"{folder}/out.txt", "w+", encoding="utf-8") as out:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
            threads = files = 0
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                try:
                    threads = max(threads, len(os.listdir(f"/proc/{process.pid}/task")))
                    files = max(files, len(os.listdir(f"/proc/{process.pid}/fd")))
                except OSError:
                    pass
                time.sleep(0.1)
            if os.waitstatus_to_exitcode(status) != 0:
                out.seek(0)
                raise SystemExit(f"{devices} devices: it failed\n{out.read()}")
        took = time.perf_counter() - began
        return usage.ru_maxrss / 1024, threads, files, usage.ru_utime, usage.ru_stime, took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 8, 16, 64])
    parser.add_argument("--flows", nargs="+", default=["flows/"])
    arguments = parser.parse_args()
    runner = str(Path(arguments.runner).resolve())
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| devices | MB | threads | open files | user s | system s | system share | s | MB a further device |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    first = None
    for devices in arguments.devices:
        memory, threads, files, user, system, took = measure(runner, devices, arguments.flows)
        share = f"{system / max(user + system, 0.01) * 100:.0f} %"
        further = ""
        if first is None:
            first = (devices, memory)
        elif devices > first[0]:
            further = f"{(memory - first[1]) / (devices - first[0]):.1f}"
        cells = [devices, f"{memory:.0f}", threads, files, f"{user:.1f}", f"{system:.1f}", share, f"{took:.1f}", further]
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
