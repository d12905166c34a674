#!/usr/bin/env python3
"""Counts what a reader of the sources meets, by crate, as the table of docs/developers/figures.md.

    benches/figures.py [FOLDER]     of a workspace with crates in crates/, or with crates at its top

A circle is a group of module files that use each other: see circles.py. Lines are those of rustfmt's output: run `cargo fmt` first. Code is lines that are neither blank nor comments, outside of tests.
"""

import re
import subprocess
import sys
from pathlib import Path

import circles

# What documentation does not begin with; see docs/developers/style.md.
OPENINGS = re.compile(r"(What|Whether|How|Where|When|Why|Which|Of|As|So many)\b")
CONSTANT = re.compile(r"\s*(pub(\([a-z]+\))? )?const [A-Z_0-9]+: (u|i|f)(8|16|32|64|128|size)\b.*= *[0-9(]")
NAMES = re.compile(r"\bfn of(_\w+)?\b|\bconst \w*(LONGEST|MOST|LEAST|LARGEST|DEEPEST|SHORTEST|FEWEST)\w*\b")
COLUMNS = ["code", "tests", "docs", "opens oddly", "constants", "without a source", "odd names", "circles"]


def is_test_file(path):
    parts = path.parts
    return "tests" in parts or path.name in ("tests.rs", "testing.rs", "fixture.rs") or path.name.endswith("_tests.rs")


def end_of_block(lines, start):
    """The line behind the item or field that begins at or after `start`; rustfmt ends it at its own indentation."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    for number in range(start, len(lines)):
        if re.match(r"(?!//|\s).*[};,]$", lines[number][indent:]):
            return number + 1
    return len(lines)


def count(path):
    figures = dict.fromkeys(COLUMNS, 0)
    lines = path.read_text(encoding="utf-8").splitlines()
    in_tests = is_test_file(path)
    number = 0
    before = ""
    while number < len(lines):
        line = lines[number].strip()
        if line == "#[cfg(test)]":
            end = end_of_block(lines, number + 1)
            figures["tests"] += sum(1 for it in lines[number:end] if it.strip())
            number = end
            continue
        doc = re.match(r"//[/!](?!/) ?(.*)", line)
        if doc:
            if not re.match(r"//[/!](?!/)", before):
                figures["docs"] += 1
                figures["opens oddly"] += bool(OPENINGS.match(doc[1]))
        elif line and not line.startswith("//"):
            figures["tests" if in_tests else "code"] += 1
            if not in_tests and CONSTANT.match(lines[number]):
                figures["constants"] += 1
                figures["without a source"] += not before.startswith("//") and "//" not in line
        if not in_tests:
            figures["odd names"] += bool(NAMES.search(line)) and not line.startswith("//")
        before = line
        number += 1
    return figures


def crate_of(path):
    parts = path.parts
    return parts[1] if parts[0] == "crates" and len(parts) > 2 else parts[0] if len(parts) > 1 else "."


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.rs"], capture_output=True, text=True, check=True)
    crates = {}
    for name in listed.stdout.splitlines():
        if not (root / name).is_file():
            continue
        path = Path(name)
        figures = count(root / path) if not is_test_file(path) else count_tests(root / path)
        total = crates.setdefault(crate_of(path), dict.fromkeys(COLUMNS, 0))
        for column in COLUMNS:
            total[column] += figures[column]
    for name, total in crates.items():
        # A folder `src` at the top is of the crate of the workspace itself.
        folder = root / "crates" / name if (root / "crates" / name).is_dir() else root / name
        total["circles"] = len(circles.count(root if name == "src" else folder))
    print("| crate | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * len(COLUMNS))
    rows = sorted(crates.items())
    rows.append(("**all**", {column: sum(it[column] for it in crates.values()) for column in COLUMNS}))
    for name, figures in rows:
        print(f"| {name} | " + " | ".join(f"{figures[column]:,}" for column in COLUMNS) + " |")
    total = rows[-1][1]
    if total["docs"]:
        print(f"\n{100 * total['opens oddly'] / total['docs']:.1f} % of documentation comments open oddly.")


def count_tests(path):
    """Of a file of tests only its size and its documentation count."""
    figures = count(path)
    return {**figures, "constants": 0, "without a source": 0, "odd names": 0}


if __name__ == "__main__":
    main()
