"""The archive: a folder with bin/ and share/, as a prefix has them. `packaging/install.sh` installs it."""

import gzip
import shutil
import tarfile

from .release import TIME


def make(release, folder):
    """NAME-VERSION-TARGET.tar.gz."""
    name = f"{release.name}-{release.version}-{release.target.triple}"
    top = folder / name
    release.share(top)
    (top / "bin").mkdir()
    shutil.copyfile(release.program, top / "bin" / release.target.program)
    return pack(release, top, name, folder / f"{name}.tar.gz")


def pack(release, top, name, to):
    """Packs a folder under a name. Owners, times and order do not depend on the machine; what is in bin/ may be run."""
    level = 1 if release.quick else 9
    with to.open("wb") as file, gzip.GzipFile("", "wb", level, file, TIME) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(top.rglob("*")):
                below = path.relative_to(top)
                entry = archive.gettarinfo(path, f"{name}/{below.as_posix()}")
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mtime = TIME
                entry.mode = 0o755 if path.is_dir() or below.parts[0] == "bin" else 0o644
                if path.is_dir():
                    archive.addfile(entry)
                    continue
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    return to
