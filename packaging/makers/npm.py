"""The npm packages: one for each platform with its program, and the main one, which picks among them."""

import json
import shutil

from .archive import pack
from .release import TARGETS
from .run import ROOT

# The oldest Node.js that the launcher is meant for.
NODE = ">=18"


def platform_name(release, target):
    """The package with a target's program. The launcher makes the same name of what Node.js says of the platform."""
    return f"{release.name}-{target.npm_os}-{target.npm_cpu}"


def make(release, folder):
    """The main package: the launcher, which starts the program of the platform's package."""
    top = folder / "npm"
    (top / "bin").mkdir(parents=True)
    shutil.copyfile(ROOT / "packaging/launcher.js", top / "bin/runner.js")
    platforms = {platform_name(release, target): release.version for target in TARGETS.values()}
    more = {"bin": {"runner": "bin/runner.js"}, "keywords": release.keywords, "optionalDependencies": platforms}
    return finish(release, top, release.name, release.licences(top, crates=False), more)


def make_platform(release, folder):
    """The package with the program. npm installs it only where `os`, `cpu` and `libc` fit."""
    target = release.target
    top = folder / "npm-platform"
    (top / "bin").mkdir(parents=True)
    shutil.copyfile(release.program, top / "bin" / target.program)
    fits = {"os": [target.npm_os], "cpu": [target.npm_cpu]}
    if target.glibc:
        fits["libc"] = ["glibc"]
    # A program cannot be started in an archive, as Yarn keeps packages.
    more = {**fits, "preferUnplugged": True}
    return finish(release, top, platform_name(release, target), release.licences(top), more)


def finish(release, top, name, licences, more):
    """Writes what both have, and packs the folder as `npm pack` does."""
    (top / "README.md").write_text(release.page, encoding="utf-8", newline="\n")
    package = {
        "name": name,
        "version": release.version,
        "description": release.description,
        "license": f"({release.licence})",
        "engines": {"node": NODE},
        "files": ["bin", *licences],
        **more,
    }
    if release.repository:
        package["repository"] = {"type": "git", "url": f"git+{release.repository}.git"}
    text = json.dumps(package, indent=2) + "\n"
    (top / "package.json").write_text(text, encoding="utf-8", newline="\n")
    return pack(release, top, "package", top.parent / f"{name}-{release.version}.tgz")
