"""Find a Chromium for the browser tests, or install one: `python tests/browser/chromium.py` (make browser).

Order: `$GPUBOOK_CHROMIUM`, a `chromium` on PATH, Playwright's own, Playwright's download, Debian's
package. Stops with one sentence where none of these works.

Most tests run in Debian's headless shell where there is one: the same engine without a window's menus and tabs, which
nobody sees here, in about 30 % less time. `find` gives the whole browser, `shell` the shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SHELL = "chromium-headless-shell"
"""Debian's package and command."""
DOWNLOAD_LIMIT_S = 300


def of_playwright() -> str | None:
    """Path of the browser that Playwright downloaded, if it did."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def shell() -> str | None:
    """Path of the headless shell that is there already; None where tests run in the whole browser."""
    return None if os.environ.get("GPUBOOK_CHROMIUM") else shutil.which(SHELL)


def find() -> str | None:
    """Path of a Chromium that is there already."""
    named = os.environ.get("GPUBOOK_CHROMIUM")
    if named:
        if not Path(named).is_file():
            sys.exit(f"GPUBOOK_CHROMIUM={named}: there is no such file")
        return named
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return of_playwright()


def download() -> bool:
    """Let Playwright download its Chromium; False where its host is out of reach."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        return subprocess.run(command, timeout=DOWNLOAD_LIMIT_S, capture_output=True, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def apt(package: str) -> bool:
    """Install Debian's package as root or through sudo without a password; False where that is not possible."""
    if not shutil.which("apt-get"):
        return False
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if root and not shutil.which("sudo"):
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    steps = (
        ["apt-get", "update", "-q"],
        ["apt-get", "install", "-yq", "--no-install-recommends", package],
    )
    return all(
        subprocess.run(root + step, env=quiet, stdout=subprocess.DEVNULL, check=False).returncode == 0 for step in steps
    )


def main() -> None:
    """Make sure that there is a Chromium and print where."""
    path = find()
    if path is None:
        print("browser: installing Chromium for the tests (once)", flush=True)
        path = find() if download() or apt("chromium") else None
    if path is None:
        sys.exit(
            "browser: no Chromium. Playwright could not download its own and apt could not install Debian's; "
            "install Chromium by hand and name it: GPUBOOK_CHROMIUM=/path/to/chromium make test"
        )
    print(f"browser: {path}")
    if Path(path).name == "chromium" and not os.environ.get("GPUBOOK_CHROMIUM"):  # as Debian names it
        there = shell() or (apt(SHELL) and shell())
        print(f"browser: {there or 'no chromium-headless-shell, so that all tests run in the whole browser'}")


if __name__ == "__main__":
    main()
