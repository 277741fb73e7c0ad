"""Make the local environment `.venv`: `python3 install.py [extra …]`. Standard library only.

Stops with one sentence where Python is too old, lacks `venv`, or pip cannot install.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"


def stop(sentence: str) -> None:
    """Print what is wrong and what would be right; exit status 1."""
    sys.exit(f"install: {sentence}")


def run(*command: str | Path) -> bool:
    """Run a command; say whether it succeeded."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode == 0


def main(extras: list[str]) -> None:
    """Create the environment if needed and install the project with the extras asked for."""
    if sys.version_info < (3, 11):
        stop(f"Python {sys.version.split()[0]} is too old; 3.11 or newer is needed (make PYTHON=python3.12 …)")
    wanted = hashlib.sha256(
        b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")) + sys.version.encode()
    ).hexdigest()
    stamps = {extra: VENV / f".installed-{extra or 'base'}" for extra in extras or [""]}
    if PYTHON.is_file() and all(s.is_file() and s.read_text() == wanted for s in stamps.values()):
        return
    if not PYTHON.is_file():
        try:
            import ensurepip  # noqa: F401  Debian splits it off: venv fails half way without it
            import venv  # noqa: F401
        except ImportError:
            stop(
                "this Python has no venv module; install it (Debian, Ubuntu: apt install python3-venv) "
                "or name another Python: make PYTHON=/path/to/python3 …"
            )
        if not run(sys.executable, "-m", "venv", VENV):
            stop(f"python -m venv {VENV.name} failed; its message stands above")
    names = ",".join(extra for extra in extras if extra)
    print(f"install: gpubook{f'[{names}]' if names else ''} into {VENV.name} (once)", flush=True)
    target = f".[{names}]" if names else "."
    quiet = ("-q", "--disable-pip-version-check")
    if not run(PYTHON, "-m", "pip", "install", *quiet, "-c", "constraints.txt", "-e", target):
        stop("pip could not install what pyproject.toml and constraints.txt name; its message stands above")
    for stamp in stamps.values():
        stamp.write_text(wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
