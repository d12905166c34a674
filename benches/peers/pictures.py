"""What comparing two pictures costs and comes to, beside other tools on the same files in the same run.

pictures.py PROGRAM PEERS [--rounds 15] [--node node]

PROGRAM is the built `benches/pictures.rs`; PEERS a folder with `npm install odiff-bin@4.5.0 pixelmatch@7.2.0 pngjs@7.0.0`.
Every tool reads both files, decodes them, compares, and says whether they differ. All but odiff's command line run as
servers that take a request a line, and take turns, round by round, so that a busy machine slows all of them alike. What
is not installed is named and left out.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Server:
    """A tool that speaks the protocol of `odiff --server`."""

    def __init__(self, command, options=None):
        self.options = options or {}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.requests = 0
        if not json.loads(self.process.stdout.readline()).get("ready"):
            raise RuntimeError(f"{command} is not ready")

    def differs(self, golden, actual, output):
        self.requests += 1
        request = {"requestId": self.requests, "base": golden, "compare": actual, "output": output}
        if self.options:
            request["options"] = self.options
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("requestId") != self.requests or "match" not in answer:
            raise RuntimeError(f"{answer} of {request}")
        return not answer["match"]

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class CommandLine:
    """odiff started for every pair; without a third file it writes no picture of the difference."""

    def __init__(self, *command):
        self.command = command

    def differs(self, golden, actual, _output):
        status = subprocess.run(
            [self.command[0], golden, actual, *self.command[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        if status not in (0, 21, 22):
            raise RuntimeError(f"{self.command} ended with {status}")
        return status != 0

    def end(self):
        pass


def timed(call, *arguments):
    began = time.perf_counter()
    result = call(*arguments)
    return (time.perf_counter() - began) * 1000, result


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def start_of(program, rounds):
    """How long the process alone takes, in ms."""
    run = lambda: subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return statistics.median(timed(run)[0] for _ in range(rounds))


def tools_of(arguments, node, odiff):
    """The tools to time, and those to judge by."""
    runner = Server([arguments.program, "serve", "runner"])
    crate = Server([arguments.program, "serve", "image-compare"])
    time_these = {"runner": runner}
    judges = {"runner": runner}
    if odiff:
        time_these["odiff"] = CommandLine(odiff)
        time_these["odiff --enable-asm"] = CommandLine(odiff, "--enable-asm")
        time_these["odiff --server"] = Server([odiff, "--server"])
        judges["odiff"] = CommandLine(odiff)
        judges["odiff --antialiasing"] = CommandLine(odiff, "--antialiasing")
    if node:
        script = [node, str(HERE / "pictures_pixelmatch.mjs"), str(Path(arguments.peers).resolve())]
        time_these["pixelmatch"] = Server(script)
        # Smoothing is left out unless `includeAA` is set.
        judges["pixelmatch, includeAA"] = Server(script, {"includeAA": True})
        judges["pixelmatch"] = time_these["pixelmatch"]
    time_these["image-compare"] = judges["image-compare"] = crate
    return time_these, judges


def time_all(pairs, tools, rounds, folder, start):
    """Medians in ms by pair and tool."""
    tools = dict(tools)
    found = []
    for pair in pairs:
        golden, actual = (str(folder / name) for name in pair["files"])
        times = {name: [] for name in tools}
        spent = dict.fromkeys(tools, 0)
        for turn in range(rounds + 1):
            for name, tool in tools.items():
                # The slow ones need fewer rounds for a steady median.
                if turn > 2 and spent[name] > 2000:
                    continue
                took, _ = timed(tool.differs, golden, actual, str(folder / "difference.png"))
                spent[name] += took
                if turn > 0:
                    times[name].append(took)
        medians = {name: statistics.median(took) for name, took in times.items()}
        found.append((pair, medians))
    names = list(tools)
    print("\nMedians in ms, in brackets how many times runner's:\n")
    head("pictures", "pair", *names)
    for pair, medians in found:
        cells = [
            f"{medians[name]:.2f}" if name == "runner" else f"{medians[name]:.1f} ({medians[name] / medians['runner']:.1f})"
            for name in names
        ]
        row(pair["kind"], pair["name"], *cells)
    if start is not None:
        print(f"\n`odiff --version` alone takes {start:.2f} ms.\n")
        print("Against the best way of odiff, its start not counted, and the other tools:\n")
        head("pictures", "pair", "odiff", "pixelmatch", "image-compare", "aim", "")
        for pair, medians in found:
            best = min(medians[name] - (0 if name.endswith("server") else start) for name in names if "odiff" in name)
            against = {"odiff": best, **{name: medians[name] for name in ("pixelmatch", "image-compare") if name in medians}}
            ratios = {name: took / medians["runner"] for name, took in against.items()}
            aims = {"equal bytes": (100, 100, 100), "1 %": (2, 10, 1)}.get(pair["name"], (1, 1, 1))
            wanted = dict(zip(("odiff", "pixelmatch", "image-compare"), aims))
            reached = all(ratio >= wanted[name] for name, ratio in ratios.items())
            cells = [f"{ratios[name]:.1f}" if name in ratios else "-" for name in wanted]
            row(pair["kind"], pair["name"], *cells, "/".join(map(str, aims)), "reached" if reached else "MISSED")


def judge_all(cases, judges, folder):
    """Each tool's verdict on each case; what a person would not say is marked."""
    print("\nVerdicts; **bold** is what a person would not say:\n")
    head("case", "a person", *judges)
    words = {True: "differs", False: "passes"}
    wrong = dict.fromkeys(judges, 0)
    for case in cases:
        golden, actual = (str(folder / name) for name in case["files"])
        cells = []
        for name, judge in judges.items():
            verdict = judge.differs(golden, actual, str(folder / "difference.png"))
            is_wrong = verdict != case["differs"]
            wrong[name] += is_wrong
            cells.append(f"**{words[verdict]}**" if is_wrong else words[verdict])
        row(case["name"], words[case["differs"]], *cells)
    row("wrong", "", *wrong.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("peers", nargs="?", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--node", default=shutil.which("node"))
    arguments = parser.parse_args()

    odiffs = sorted(Path(arguments.peers).glob("node_modules/@odiff/*/odiff")) if arguments.peers else []
    odiff = str(odiffs[0]) if odiffs else None
    has_pixelmatch = arguments.peers and (Path(arguments.peers) / "node_modules/pixelmatch").exists()
    node = arguments.node if has_pixelmatch else None
    if not odiff:
        print("NOT MEASURED: odiff (npm install odiff-bin@4.5.0 in PEERS)")
    if not node:
        print("NOT MEASURED: pixelmatch (npm install pixelmatch@7.2.0 pngjs@7.0.0 in PEERS, and node)")

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([arguments.program, "make", str(folder)], check=True)
        listed = json.loads((folder / "list.json").read_text())
        tools, judges = tools_of(arguments, node, odiff)
        pairs = [entry for entry in listed if entry["kind"] != "case"]
        start = start_of(odiff, arguments.rounds) if odiff else None
        time_all(pairs, tools, arguments.rounds, folder, start)
        judge_all([entry for entry in listed if entry["kind"] == "case"], judges, folder)
        for tool in {id(tool): tool for tool in [*tools.values(), *judges.values()]}.values():
            tool.end()

        print("\n1,000 unchanged goldens of 1080x2400, flat, loaded and checked on two threads:\n")
        many = subprocess.run([arguments.program, "many", str(folder)], check=True, capture_output=True, text=True)
        head("the device sent", "seconds", "passed")
        for line in many.stdout.splitlines():
            said = json.loads(line)
            row(said["what"], f"{said['seconds']:.2f}", f"{said['passed']} of {said['of']}")
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
