"""A box in a process of its own, at a free port, with a fake child or the real one on Triton's interpreter.

    with boxes.box() as running:                        # the fake child (fake_child.py): recordings, row by row
    with boxes.box(child=boxes.fake(pace=0.2)) as running:
    with boxes.box(child=boxes.REAL, site=built) as running:

`running` has `url`, `token`, `address` (with the token in the fragment), `process`, `pause()` (SIGSTOP), `resume()`,
`kill()`. Any field of `gpu_backend.server.settings.Settings` may be given. Needs FastAPI and uvicorn; no PyTorch unless
the child is the real one.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TOKEN = "a-token-that-only-tests-know"
REAL = (sys.executable, "-m", "gpu_backend.child")


def fake(pace: float = 0.02, start: str = "well", once: Path | None = None) -> tuple[str, ...]:
    """Command of a fake child that yields a row every `pace` seconds and begins as `start` says."""
    more = () if once is None else ("--once", str(once))
    return sys.executable, str(HERE / "fake_child.py"), "--pace", str(pace), "--start", start, *more


@dataclass
class Running:
    """A box that serves."""

    process: "subprocess.Popen[str]"
    port: int
    token: str
    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.url}/#box?token={self.token}"

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> int:
        """End it as Ctrl+C does; its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


def start(child: tuple[str, ...] | None = None, token: str = TOKEN, port: int = 0, **settings: Any) -> Running:
    """Start a box; whoever does ends it. RuntimeError if it does not come up."""
    asked = {"child": child or fake(), "token": token, "port": port, "host": "127.0.0.1", **settings}
    command = [sys.executable, str(HERE / "start_box.py"), json.dumps(asked, default=str)]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    if os.environ.get("GPUBOOK_GPU") != "1":  # on a CUDA machine the real child is to have its GPU
        environment["TRITON_INTERPRET"] = "1"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"(https?)://[^:]+:(\d+)/", line)
    if found is None:
        process.kill()
        raise RuntimeError(f"no box came up; status {process.wait(30)}, it said {line!r}")
    return Running(process, int(found[2]), token, found[1])


@contextmanager
def box(child: tuple[str, ...] | None = None, **settings: Any) -> Iterator[Running]:
    """A box while the block runs."""
    running = start(child, **settings)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.resume()
            running.process.terminate()
            try:
                running.process.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
        if running.process.stdout is not None:
            running.process.stdout.close()


def describe() -> None:
    """Write what the real child says of its experiments, as if there were a GPU, for the fake one."""
    from gpu_backend.child import describe as real

    lines = ",\n ".join(json.dumps(entry | {"available": True}, ensure_ascii=False) for entry in real())
    (HERE / "described.json").write_text(f"[\n {lines}\n]\n", "utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["describe"]:
    os.environ["TRITON_INTERPRET"] = "1"
    describe()
