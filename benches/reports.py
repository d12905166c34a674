"""What the reports of a run cost: the demo flows with and without --html, --junit and --json, in turns.

reports.py RUNNER [--rounds 15]

Says by how many percent a run takes longer than the one without reports in the same round, and how much more it computes
(user and system time of the process, which a busy machine disturbs less). Every round runs all, one after the other, the
order changing; the first round is not counted. RUNNER may be a debug build, to see that this works.
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
    if arguments.rounds < 2:
        parser.error("--rounds: at least 2, to have something to compare")
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
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds; medians, quartiles in brackets\n")
    print("| reports | s | more in the same round | s of computing | more in the same round |")
    print("| --- | --- | --- | --- | --- |")
    adds = {}
    for name, measured in times.items():
        took, computed = ([pair[column] for pair in measured] for column in (0, 1))
        cells = [name]
        for column, values in enumerate((took, computed)):
            more = [(now[column] / then[column] - 1) * 100 for now, then in zip(measured, times["no report"])]
            low, middle, high = statistics.quantiles(more, n=4)
            adds.setdefault(name, []).append(middle)
            cells.append(f"{statistics.median(values):.3f}")
            cells.append("" if name == "no report" else f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})")
        print(f"| {' | '.join(cells)} |")
    print()
    for name in list(ways)[1:]:
        print(f"{name} adds {adds[name][0]:.1f} % to the run, {adds[name][1]:.1f} % to its computing.")


if __name__ == "__main__":
    main()
