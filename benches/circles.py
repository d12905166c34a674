#!/usr/bin/env python3
"""Finds module files of a crate that use each other in a circle: none of them can be understood or moved without the others.

    benches/circles.py [-v] [CRATE...]     of crates/, or src; all if none is named; -v lists the uses that hold a circle together

A use counts for the file that defines the item, whatever re-exports are between; a re-export is a use too. Tests do not count.
This is no compiler: a local variable counts as a use if a glob brings in an item of its name. If features choose between files
of a module, the one that is declared first counts. Sources are as rustfmt leaves them.
"""

import re
import sys
from pathlib import Path

TOKEN = re.compile(r"""
    (?: //[^\n]* | /\*.*?\*/ | b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])' | '\w+ )     # left out: comments, characters, lifetimes
  | ( [bc]?r(?P<fence>\#*)".*?"(?P=fence) | [bc]?"(?:\\.|[^"\\])*" | (?:r\#)?[A-Za-z_]\w* | \d\w* | :: | \.\.=? | \S )
""", re.X | re.S)
WORD = re.compile(r'[A-Za-z_]\w*|"\w+(::\w+)+"')  # In strings, serde's attributes name functions.
# An item, field or branch for tests; rustfmt ends it at its own indentation.
TEST = re.compile(r"^( *)#\[cfg\((all\()?test\b.*\n(.*\n)*?\1(?!\s|//).*[};,]$", re.M)
BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
DEFINES = ("fn", "struct", "enum", "union", "trait", "type", "const", "static")


class Module:
    """A module: its crate's modules, the root first; its items, modules, imports, the paths of its globs, and all that it uses."""

    def __init__(self, file, folder, parent=None):
        self.file, self.folder, self.parent, self.crate = file, folder, parent, parent.crate if parent else []
        self.items, self.children, self.imports, self.globs, self.paths = set(), {}, {}, [], set()
        self.crate.append(self)


def tokens_of(file):
    """The words, strings and signs of a file, without tests."""
    text = TEST.sub("", file.read_text(encoding="utf-8"))
    return [match[1].removeprefix("r#") for match in TOKEN.finditer(text) if match[1]]


def end_of_group(tokens, start):
    """The place behind the group that opens at `start`, or behind a token that opens none."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += BRACKETS.get(tokens[place], 0)
        if depth <= 0:
            return place + 1
    return len(tokens)


def read(module, tokens):
    """Reads the items and modules of a module, and what they use."""
    depth = place = macro = 0
    while place < len(tokens):
        token, start, place = tokens[place], place, place + 1
        depth += BRACKETS.get(token, 0)
        if depth == 0 and token == "mod":
            place = end_of_group(tokens, start + 2)
            read_module(module, tokens[start + 1], tokens[start + 3:place])
        elif token == "use" and tokens[place] != "<":
            place = read_use(module, tokens, place, ())
        elif token in (".", "::"):
            place += bool(WORD.fullmatch(tokens[place]))
        elif WORD.fullmatch(token):
            if depth == 0 and tokens[place] == "!":
                module.items.add(tokens[place + 1])  # A macro's name; what the macro makes follows.
                macro = end_of_group(tokens, place + 1 + (token == "macro_rules"))
            if token in DEFINES and (depth == 0 or start < macro):
                module.items.add(tokens[place])
            while tokens[place] == "::" and WORD.fullmatch(tokens[place + 1]):
                place += 2
            module.paths.add(tuple("".join(tokens[start:place]).strip('"').split("::")))


def read_module(parent, name, body):
    """Reads a module that `parent` declares, from its `body` or its file."""
    folder = parent.folder / name
    files = [parent.file] if body else [parent.folder / f"{name}.rs", folder / "mod.rs"]
    for file in filter(Path.is_file, files if name not in parent.children else []):
        parent.children[name] = Module(file, folder, parent)
        read(parent.children[name], body or tokens_of(file))


def read_use(module, tokens, place, path):
    """Reads a tree of imports below `path`, and returns the place behind it."""
    while tokens[place] == "::" or WORD.fullmatch(tokens[place]) and tokens[place] != "as":
        path += (tokens[place],) if tokens[place] != "::" else ()
        place += 1
    if tokens[place] == "{":
        end, place = end_of_group(tokens, place), place + 1
        while place < end - 1:
            place = read_use(module, tokens, place, path)
            place += tokens[place] == ","
        return end
    path = path[:-1] if len(path) > 1 and path[-1] == "self" else path
    module.paths.add(path)
    if tokens[place] == "*":
        module.globs.append(path)
    elif path:
        module.imports[tokens[place + 1] if tokens[place] == "as" else path[-1]] = path
    return place + {"*": 1, "$": 1, "as": 2}.get(tokens[place], 0)


def resolve(module, path, seen=frozenset()):
    """The module that a path names, or the file that defines its item; None for what is of another crate."""
    for name in path:
        steps = {"crate": module.crate[0], "self": module, "super": module.parent}
        module = steps[name] if name in steps else lookup(module, name, seen)
        if not isinstance(module, Module):
            break
    return module


def lookup(module, name, seen):
    if name in module.children or name in module.items:
        return module.children.get(name, module.file)
    if (module, name) in seen:
        return None
    seen |= {(module, name)}
    if name in module.imports:
        return resolve(module, module.imports[name], seen)
    targets = (resolve(module, path, seen) for path in module.globs)
    found = (lookup(target, name, seen) for target in targets if isinstance(target, Module))
    return next(filter(None, found), None)


def uses_in(crate_folder):
    """The paths by which each file of a crate uses each other; none if it is no library."""
    uses, folder = {}, crate_folder / "src"
    root = Module(folder / "lib.rs", folder)
    read(root, tokens_of(root.file) if root.file.is_file() else [])
    for module, path in ((module, path) for module in root.crate for path in sorted(module.paths)):
        file = resolve(module, path)
        if isinstance(file, Path) and file != module.file:
            uses.setdefault(module.file, {}).setdefault(file, []).append("::".join(path))
    return uses


def count(crate_folder):
    """The circles of a crate: the files of each, with those that they use in it and the paths of these uses."""
    uses, reach = uses_in(crate_folder), {}
    for file in uses:
        reach[file], left = set(), {file}
        while left:
            left = set().union(*(uses.get(it, ()) for it in left)) - reach[file]
            reach[file] |= left
    circles = {tuple(sorted(other for other in reach[file] if file in reach.get(other, ()))) for file in uses}
    return [{file: {other: uses[file][other] for other in circle if other in uses[file]} for file in circle}
            for circle in sorted(circles) if circle]


def main():
    named = [Path("." if it == "src" else f"crates/{it}") for it in sys.argv[1:] if it != "-v"]
    crates = named or [Path("."), *sorted(Path("crates").iterdir())]
    circles = [(crate / "src", circle) for crate in crates for circle in count(crate)]
    for folder, circle in circles:
        print(f"{len(circle)} files of {folder}:", *(file.relative_to(folder) for file in circle))
        for file, others in circle.items() if "-v" in sys.argv else ():
            for other, paths in others.items():
                print(f"    {file.relative_to(folder)} uses {other.relative_to(folder)}:", ", ".join(paths))
    print(f"{len(circles)} circles")


if __name__ == "__main__":
    main()
