"""The licences of the crates that the program is made of. Most ask that their text goes with each copy."""

import json
from pathlib import Path

from .run import ROOT, run

NAMES = ("license", "licence", "copying", "notice", "copyright")
SOURCES = (".rs", ".c", ".h", ".py", ".toml")


def notices(target):
    """One text: each licence once, under the crates that have it."""
    known = {(crate["name"], crate["version"]): crate for crate in metadata(target)}
    texts = {}
    for name, version in linked(target):
        crate = known[name, version]
        # Those of this project have the licences beside this text.
        if crate["source"] is None:
            continue
        title = f"{name} {version} ({crate['license'] or 'see its sources'})"
        for text in licences(crate):
            # A dict keeps the order, and each title once.
            texts.setdefault(text, {})[title] = None
    parts = ["\n".join([*titles, "", text or "Its package has no file with a licence.", ""]) for text, titles in texts.items()]
    return f"\n{'=' * 80}\n\n".join(["The program contains these crates.\n", *parts])


def metadata(target):
    """All crates that any part of the workspace uses on the target."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target.triple]
    return json.loads(run(command, cwd=ROOT))["packages"]


def linked(target):
    """The names and versions of the crates in the program: neither those of tests nor those that only build."""
    command = ["cargo", "tree", "--locked", "--package", "runner", "--target", target.triple]
    command += ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    words = (line.split() for line in run(command, cwd=ROOT).decode().splitlines())
    return sorted({(name, version.removeprefix("v")) for name, version, *_ in words})


def licences(crate):
    """The texts of a crate's licences. Where there is a choice with MIT, that one is chosen: it is the shortest."""
    folder = Path(crate["manifest_path"]).parent
    # Below the top lie the licences of C sources that a crate brings, as of QuickJS.
    found = sorted(file for file in folder.rglob("*") if file.is_file() and file.name.lower().startswith(NAMES))
    files = [file for file in found if file.suffix.lower() not in SOURCES]
    choice = " OR " in (crate["license"] or "").replace("/", " OR ")
    top = [file for file in files if file.parent == folder]
    mit = [file for file in top if "mit" in file.name.lower()]
    chosen = files if not choice or not mit else mit + [file for file in files if file not in top]
    return [file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip() for file in chosen] or [""]
