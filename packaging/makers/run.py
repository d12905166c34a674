"""Where the sources are, and how other programs are run."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds that a program may take.
LIMIT = 300


class ReleaseError(Exception):
    """Why no package can be made, and what to do."""


def run(command, **options):
    """Runs a program to its end and gives what it printed."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, timeout=LIMIT, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ReleaseError(f"{words[0]} did not run: {error}") from error
    if done.returncode != 0:
        printed = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise ReleaseError(f"{words[0]} failed with {done.returncode}: {printed}")
    return done.stdout
