"""What --trace and --video cost: the demo flows with and without them, in turns.

trace.py RUNNER [--rounds 15]

Says by how many percent a run takes longer than the one without a trace in the same round, and how much more it computes
(user and system time of the process, which a busy machine disturbs less). Every round runs all, one after the other, the
order changing; the first round is not counted. RUNNER may be a debug build, to see that this works.
"""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from reports import run


def pictures(stream):
    """Screenshots and changed screens of the traces."""
    events = [json.loads(line) for line in Path(stream).read_text(encoding="utf-8").splitlines()]
    frames = [frame for event in events if event["event"] == "trace" for frame in event["trace"]["frames"]]
    return sum("picture" in frame for frame in frames), len(frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds: at least 2, to have something to compare")
    runner = str(Path(arguments.runner).resolve())
    with tempfile.TemporaryDirectory() as folder:
        stream = f"{folder}/events.ndjson"
        plain = [runner, "test", "flows/", "--update", "none", "--history", f"{folder}/history", "--artifacts", f"{folder}/artifacts", "--json", stream]
        ways = {"off": plain, "--trace": [*plain, "--trace"], "--video": [*plain, "--video"]}
        times = {name: [] for name in ways}
        for turn in range(arguments.rounds + 1):
            names = list(ways) if turn % 2 else list(reversed(ways))
            for name in names:
                measured = run(ways[name])
                if name == "--trace":
                    taken, screens = pictures(stream)
                if turn > 0:
                    times[name].append(measured)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds; medians, quartiles in brackets\n")
    print("| | s | more in the same round | s of computing | more in the same round |")
    print("| --- | --- | --- | --- | --- |")
    for name, measured in times.items():
        cells = [name]
        for column in (0, 1):
            more = [(now[column] / then[column] - 1) * 100 for now, then in zip(measured, times["off"])]
            low, middle, high = statistics.quantiles(more, n=4)
            cells.append(f"{statistics.median(pair[column] for pair in measured):.3f}")
            cells.append("" if name == "off" else f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})")
        print(f"| {' | '.join(cells)} |")
    print(f"\nA traced run keeps {screens} screens and {taken} screenshots.")


if __name__ == "__main__":
    main()
