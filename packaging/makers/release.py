"""What all packages are made of: the name, the version, the program, and the files that go with it."""

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .notices import notices
from .run import ROOT, ReleaseError, run

# What packaging/name holds until the owner has chosen.
PLACEHOLDER = "name-to-be-chosen"
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "docs/licences/NotoSans-OFL.txt", "docs/licences/material-icons.md"]
NOTICES = "THIRD-PARTY.txt"
# All packages of a release have one time, so that the same program gives the same bytes: 1980, the first that a zip knows.
TIME = 315532800

@dataclass(frozen=True)
class Target:
    """A platform under the names that each kind of package has for it."""

    triple: str
    npm_os: str
    npm_cpu: str
    wheel: str
    deb: str | None = None

    @property
    def glibc(self):
        """Whether the program is linked with glibc."""
        return self.npm_os == "linux"

    @property
    def program(self):
        """The name of the program's file."""
        return "runner.exe" if self.npm_os == "win32" else "runner"


TARGETS = {
    target.triple: target
    for target in [
        # The tag of a wheel gets the version of glibc that the program needs.
        Target("x86_64-unknown-linux-gnu", "linux", "x64", "manylinux_{glibc}_x86_64", "amd64"),
        Target("aarch64-unknown-linux-gnu", "linux", "arm64", "manylinux_{glibc}_aarch64", "arm64"),
        # The oldest systems that Rust's own programs run on.
        Target("x86_64-apple-darwin", "darwin", "x64", "macosx_10_12_x86_64"),
        Target("aarch64-apple-darwin", "darwin", "arm64", "macosx_11_0_arm64"),
        Target("x86_64-pc-windows-msvc", "win32", "x64", "win_amd64"),
    ]
}


class Release:
    """One version of the program for one target."""

    def __init__(self, program, target, repository, quick):
        self.program = program and program.resolve()
        self.target = target
        self.repository = repository
        self.quick = quick
        manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
        self.version = manifest["workspace"]["package"]["version"]
        self.licence = manifest["workspace"]["package"]["license"]
        self.description = manifest["package"]["description"]
        self.keywords = manifest["package"]["keywords"]
        self.name = (ROOT / "packaging/name").read_text(encoding="utf-8").strip()
        self.maintainer = (ROOT / "packaging/maintainer").read_text(encoding="utf-8").strip()
        # What npm, PyPI and Debian all take.
        if not re.fullmatch(r"[a-z][a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ReleaseError(f"packaging/name holds {self.name!r}: use small letters, digits and single hyphens")

    @property
    def chosen(self):
        """Whether the owner has chosen under which names the packages are published."""
        return self.name != PLACEHOLDER and not self.maintainer.endswith(".invalid>")

    @property
    def page(self):
        """What a registry shows of the package."""
        return (
            f"# {self.name}\n\n{self.description}.\n\nThis package installs the program `runner`. `runner init` writes a first"
            " flow, and `runner test` runs it on the built-in virtual device. No phone is needed.\n"
        )

    @cached_property
    def glibc(self):
        """The oldest glibc that the program runs with, as (major, minor)."""
        versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", self.program.read_bytes())
        if not versions:
            raise ReleaseError(f"{self.program} names no version of glibc: was it built for {self.target.triple}?")
        return max((int(major), int(minor)) for major, minor in versions)

    def share(self, prefix):
        """Writes man pages, completions and licences below a prefix such as /usr."""
        man = prefix / "share/man/man1"
        run([self.program, "man", man])
        for shell, file in [
            ("bash", "bash-completion/completions/runner"),
            ("zsh", "zsh/site-functions/_runner"),
            ("fish", "fish/vendor_completions.d/runner.fish"),
        ]:
            to = prefix / "share" / file
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(run([self.program, "completions", shell]))
        self.licences(prefix / "share/doc" / self.name)

    def licences(self, folder, crates=True):
        """Writes the licences into a folder and gives their names. What has the program has those of its crates too."""
        folder.mkdir(parents=True, exist_ok=True)
        for licence in LICENCES:
            (folder / Path(licence).name).write_bytes((ROOT / licence).read_bytes())
        names = [Path(licence).name for licence in LICENCES]
        if crates:
            (folder / NOTICES).write_text(self.notices, encoding="utf-8", newline="\n")
            names.append(NOTICES)
        return names

    @cached_property
    def notices(self):
        """The licences of the crates in the program."""
        return notices(self.target)
