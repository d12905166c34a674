"""What the reports of a run cost: the demo flows with and without --html, --junit and --json, in turns.

reports.py RUNNER [--rounds 15]

Says by how many percent the median run takes longer, and how much more it computes (user and system time of the
process, which a busy machine disturbs less). Every round runs both, one after the other, the order changing.
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(command):
    """Seconds it took, and seconds it computed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    runner = str(Path(arguments.runner).resolve())
    with tempfile.TemporaryDirectory() as folder:
        plain = [runner, "test", "flows/", "--update", "none", "--artifacts", f"{folder}/artifacts"]
        ways = {
            "no report": plain,
            "--html": [*plain, "--html", f"{folder}/html"],
            "--html --junit --json": [
                *plain,
                *("--html", f"{folder}/html"),
                *("--junit", f"{folder}/junit.xml"),
                *("--json", f"{folder}/events.jsonl"),
            ],
        }
        times = {name: [] for name in ways}
        for turn in range(arguments.rounds + 1):
            names = list(ways) if turn % 2 else list(reversed(ways))
            for name in names:
                measured = run(ways[name])
                if turn > 0:
                    times[name].append(measured)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds, medians\n")
    print("| reports | s | more | s of computing | more |")
    print("| --- | --- | --- | --- | --- |")
    base = [statistics.median(column) for column in zip(*times["no report"])]
    for name, measured in times.items():
        took, computed = (statistics.median(column) for column in zip(*measured))
        more = [f"{(now / then - 1) * 100:+.1f} %" for now, then in zip((took, computed), base)]
        print(f"| {name} | {took:.3f} | {more[0]} | {computed:.3f} | {more[1]} |")


if __name__ == "__main__":
    main()
