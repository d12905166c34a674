"""The Python wheel, in the form that maturin gives a program (`bindings = "bin"`).

maturin builds the program itself and takes none that is built, so the tests could not pack theirs, and a release would not
hand out the bytes that it tested. The form is small: https://packaging.python.org/en/latest/specifications/.
"""

import base64
import hashlib
import re
import time
import zipfile

from .release import TIME
from .run import ReleaseError


def make(release, folder):
    """NAME-VERSION-py3-none-PLATFORM.whl."""
    name = release.name.replace("-", "_")
    version = pep440(release.version)
    tag = f"py3-none-{platform(release)}"
    info = f"{name}-{version}.dist-info"
    licences = release.licences(folder / "licences")
    files = {f"{name}-{version}.data/scripts/{release.target.program}": (release.program.read_bytes(), 0o755)}
    for licence in licences:
        files[f"{info}/licenses/{licence}"] = ((folder / "licences" / licence).read_bytes(), 0o644)
    files[f"{info}/METADATA"] = (metadata(release, version, licences).encode(), 0o644)
    wheel = f"Wheel-Version: 1.0\nGenerator: packaging/build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    records = [f"{path},sha256={digest(content)},{len(content)}\n" for path, (content, _) in files.items()]
    files[f"{info}/RECORD"] = ("".join([*records, f"{info}/RECORD,,\n"]).encode(), 0o644)
    to = folder / f"{name}-{version}-{tag}.whl"
    level = 1 if release.quick else 9
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path, (content, mode) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(TIME)[:6])
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, level)
    return to


def platform(release):
    """The platform's tag: pip refuses the wheel where the system's glibc is older."""
    if not release.target.glibc:
        return release.target.wheel
    return release.target.wheel.format(glibc="{}_{}".format(*release.glibc))


def pep440(version):
    """A version as Python writes it: 1.0.0-rc.1 is 1.0.0rc1."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if not found:
        raise ReleaseError(f"Python has no version like {version}: use 1.2.3, or 1.2.3-rc.1, -alpha.1, -beta.1")
    release, stage, number = found.groups()
    return release if stage is None else f"{release}{ {'alpha': 'a', 'beta': 'b', 'rc': 'rc'}[stage]}{number}"


def metadata(release, version, licences):
    """The description that PyPI and pip read."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {release.name}",
        f"Version: {version}",
        f"Summary: {release.description}",
        f"Keywords: {','.join(release.keywords)}",
        f"License-Expression: {release.licence}",
        *(f"License-File: {licence}" for licence in licences),
        *([f"Project-URL: Source, {release.repository}"] if release.repository else []),
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*lines, "", release.page])


def digest(content):
    """The SHA-256 as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
