"""How the program's cost grows: with the number of flows, of new goldens, and of nodes on a screen.

scale.py RUNNER [--flows 10,100,1000,10000] [--nodes 50,500,1000,5000,10000] [--goldens 100] [--rounds 3]

Prints the seconds that the program computes, user and system time, and two exponents: the slope of a line through the
logarithms of all sizes and seconds, and that between the two largest sizes. What is twice as much work for twice the size has
the exponent 1. The start of the program weighs on small sizes, so the second exponent says more. Of several rounds the
quickest counts; `test` runs once. RUNNER may be a debug build, to see that this works.
"""

import argparse
import math
import os
import shutil
import tempfile
from pathlib import Path

from spread import run

FLOW = """app: com.example.notes
steps:
  - press: back
"""
MAESTRO = """appId: com.example.notes
---
- launchApp
- tapOn: { id: username }
- inputText: ada
- assertVisible: "Welcome, ada"
"""
ROOT = Path(__file__).resolve().parents[1]


def exponent(sizes, seconds):
    pairs = [(math.log(size), math.log(took)) for size, took in zip(sizes, seconds)]
    middle = [sum(column) / len(pairs) for column in zip(*pairs)]
    over = sum((size - middle[0]) * (took - middle[1]) for size, took in pairs)
    return over / sum((size - middle[0]) ** 2 for size, _ in pairs)


def row(name, sizes, seconds):
    cells = " | ".join(f"{took:.3f}" for took in seconds)
    last = exponent(sizes[-2:], seconds[-2:])
    print(f"| {name} | {cells} | {exponent(sizes, seconds):.2f} | {last:.2f} |", flush=True)


def flows_project(folder, flows, text):
    """A project with so many flows, a hundred in a folder."""
    shutil.copytree(ROOT / "examples/demo", folder / "demo")
    (folder / "runner.yaml").write_text("apps: [demo]\ndevices: [virtual]\n")
    for number in range(flows):
        path = folder / f"flows/f{number // 100:03}/flow-{number:05}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def of_flows(runner, sizes, rounds):
    seconds = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            flows_project(folder, size, FLOW)
            (folder / "maestro").mkdir()
            for number in range(size):
                (folder / f"maestro/flow-{number:05}.yaml").write_text(MAESTRO)
            events = folder / "events.ndjson"
            test = [runner, "test", "--quiet", "--json", str(events), "--junit", str(folder / "junit.xml")]
            commands = {
                "`lint`": ([runner, "lint"], folder),
                "`lint` of Maestro's": ([runner, "lint", "maestro"], folder),
                "`test --list`": ([runner, "test", "--list"], folder),
                "`test --json --junit`": (test, folder),
                "`test` again, with a history": (test, folder),
                "`report --junit --html`": ([runner, "report", str(events), "--junit", "again.xml", "--html", "html"], folder),
            }
            for name, (command, place) in commands.items():
                best = min(run(command, place)[1] for _ in range(1 if command[1] == "test" else rounds))
                seconds.setdefault(name, []).append(best)
    for name, column in seconds.items():
        row(name, sizes, column)


def dump(nodes):
    """A list of rows, each a layout with a label and a switch, as an app dumps it."""

    def node(kind, text, name, bounds, inside=""):
        flags = 'checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false"'
        return (
            f'<node index="0" text="{text}" resource-id="com.example:id/{name}" class="android.widget.{kind}" '
            f'package="com.example" content-desc="" {flags} scrollable="false" bounds="{bounds}">{inside}</node>'
        )

    def row(number):
        top, bottom = number * 20, number * 20 + 20
        label = node("TextView", f"Row {number}", "label", f"[0,{top}][800,{bottom}]")
        switch = node("Switch", "", "switch", f"[900,{top}][1080,{bottom}]")
        return node("LinearLayout", "", "row", f"[0,{top}][1080,{bottom}]", label + switch)

    rows = "".join(row(number) for number in range(nodes // 3))
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{rows}</hierarchy>"


def of_nodes(runner, sizes, rounds):
    formats = {"tsv": [], "json": [], "list": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            (folder / "dump.xml").write_text(dump(size))
            for form, column in formats.items():
                command = [runner, "inspect", "--dump", "dump.xml", "--format", form]
                column.append(min(run(command, folder)[1] for _ in range(rounds)))
    for form, column in formats.items():
        row(f"`inspect --format {form}`", sizes, column)


def of_goldens(runner, goldens):
    """What storing new goldens costs beside taking and comparing their pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        flows_project(folder, 0, "")
        (folder / "flows").mkdir()
        steps = "".join(f"  - snapshot: s{number}\n" for number in range(goldens))
        (folder / "flows/all.yaml").write_text(f"app: com.example.notes\nsteps:\n  - launch\n{steps}")
        stored = run([runner, "test", "--quiet", "--update", "new"], folder)
        compared = run([runner, "test", "--quiet"], folder)
        ratios = [new / taken for new, taken in zip(stored, compared)]
        print(f"{goldens} new goldens: {stored[0]:.2f} s, {stored[1]:.2f} s computed; compared: {compared[0]:.2f} s, ", end="")
        print(f"{compared[1]:.2f} s computed; {ratios[0]:.2f} times as long, {ratios[1]:.2f} times as much computed")


def heading(sizes):
    print(f"\n| seconds computed | {' | '.join(map(str, sizes))} | exponent | of the last two |")
    print("|---|" + "---|" * (len(sizes) + 2), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    numbers = {"type": lambda text: [int(number) for number in text.split(",")]}
    parser.add_argument("--flows", default="10,100,1000,10000", **numbers)
    parser.add_argument("--nodes", default="50,500,1000,5000,10000", **numbers)
    parser.add_argument("--goldens", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    runner = str(Path(arguments.runner).resolve())
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    heading(arguments.nodes)
    of_nodes(runner, arguments.nodes, arguments.rounds)
    heading(arguments.flows)
    of_flows(runner, arguments.flows, arguments.rounds)
    print()
    of_goldens(runner, arguments.goldens)


if __name__ == "__main__":
    main()
