"""What the server costs: a run through it beside the same run asked of a child directly, and fifty clients at once.

    python tests/gpu_backend/measure.py                                      # here, on the interpreter
    GPUBOOK_GPU=1 python tests/gpu_backend/measure.py loads_in_flight        # on a CUDA machine

Both ways use a child that is warm: `gpubook-box run` starts one each time, which takes seconds and is not counted. Ways
take turns; a way's time is its median. `late` is from the child's reading of a row to its arrival here.
"""

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter, time
from typing import Any

ON_GPU = os.environ.get("GPUBOOK_GPU") == "1"
if not ON_GPU:
    os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import boxes  # noqa: E402  after what the child inherits
from client import Stream, run  # noqa: E402

from gpu_backend.parent import Child  # noqa: E402

CLIENTS = 50


def directly(child: Child, name: str, inputs: dict[str, Any]) -> tuple[float, int]:
    """Seconds and rows of a run as `gpubook-box run` does it, lines printed to nowhere."""
    begin, rows = perf_counter(), 0
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        for event in child.run(name, inputs):
            print(json.dumps(event, ensure_ascii=False), file=nowhere, flush=True)
            rows += event["event"] == "row"
            assert event["event"] != "failed", event
    return perf_counter() - begin, rows


def through(box: boxes.Running, name: str, inputs: dict[str, Any]) -> tuple[float, list[float]]:
    """Seconds of a run through the server, and how late each row was."""
    begin, late = perf_counter(), []
    for kind, data in Stream(box, name, **inputs):
        if kind == "row":
            late.append(time() - data["read_at"])
        assert kind != "failed", data
    return perf_counter() - begin, late


def main() -> None:
    """Print both times, their ratio, and the fifty clients' time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", nargs="?", default="vector_add")
    parser.add_argument("--inputs", type=json.loads, default=None, help="as JSON")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--runs", type=int, default=13, help="runs one after another that make a turn")
    given = parser.parse_args()
    small = {"smallest": 10, "largest": 12} if given.experiment == "vector_add" and not ON_GPU else {}
    inputs = small if given.inputs is None else given.inputs
    with Child() as child, boxes.box(child=boxes.REAL) as box:
        directly(child, given.experiment, inputs)
        through(box, given.experiment, inputs)
        alone, served, late = [], [], []
        rows = 0
        for _ in range(given.turns):
            done = [directly(child, given.experiment, inputs) for _ in range(given.runs)]
            alone.append(sum(took for took, _ in done))
            rows = sum(count for _, count in done)
            streamed = [through(box, given.experiment, inputs) for _ in range(given.runs)]
            served.append(sum(took for took, _ in streamed))
            late += [seconds for _, each in streamed for seconds in each]
    ratio = median(served) / median(alone)
    print(f"{given.experiment}, {rows} rows in {given.runs} runs, {child.machine['gpu']}: medians of {given.turns}")
    print(f"directly {median(alone):.3f} s ({min(alone):.3f} to {max(alone):.3f})")
    print(f"served   {median(served):.3f} s ({min(served):.3f} to {max(served):.3f}), ratio {ratio:.3f}")
    print(f"late: median {1e3 * median(late):.2f} ms, most {1e3 * max(late):.2f} ms")
    with boxes.box(child=boxes.fake(pace=0.0)) as box, ThreadPoolExecutor(CLIENTS) as pool:
        begin = perf_counter()
        ends = list(pool.map(lambda _: run(box, "fake_rows", rows=20, pace_s=0)[-1][0], range(CLIENTS)))
        took = perf_counter() - begin
    print(f"{CLIENTS} clients at once, a fake child, 20 rows each: {ends.count('done')} done in {took:.2f} s")


if __name__ == "__main__":
    main()
