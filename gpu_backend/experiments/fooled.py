"""One kernel and what seven switches do to the number printed for it.

The kernel is SiLU·mul on the running example, and for two of the switches the product of matrices. The clock's state is
observed after some idle seconds, never set.
"""

from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import torch
import triton
from pydantic import Field

from gpu_backend import machine, timing
from gpu_backend.checking import WrongResult, poison, verify
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import matmul, silu_mul
from gpu_backend.kernels.matmul import Config
from sim.spread import quantile

SMALL_TILE, LARGE_TILE = Config(16, 64, 128, 4, 4, tma=False), Config(128, 256, 64, 8, 3)

ROWS = 19
"""Two of warm-up, four of the L2, five clocks, two of idling, two tiles, two kinds of data, two of the check; one more
two for each switch added."""


class Chosen(Inputs):
    """Sizes of the running example, and the idle time before the clock is looked at."""

    rows: int = Field(1024, ge=16, le=8192, description="rows, tokens")
    width: int = Field(12288, ge=64, le=16384, multiple_of=64, description="columns, the inner width")
    idle_s: float = Field(3.0, ge=0.0, le=30.0, description="seconds without work")


def rows(chosen: Chosen) -> Iterator[Row]:
    """Two rows or more a switch: what it gives off and on."""
    shape = (chosen.rows, chosen.width)
    sets = timing.sets_for_cold_l2(silu_mul.bytes_moved(*shape, "fused"))
    data = [silu_mul.make_input(chosen.seed + i, *shape, "cuda") for i in range(sets)]
    out = [torch.empty_like(gate) for gate, _ in data]

    def launch(i: int) -> None:
        silu_mul.run(*data[i], "fused", out[i])

    def row(switch: str, state: str, us: float | None, **more: object) -> Row:
        return {"switch": switch, "state": state, "us": us, "sm_mhz": machine.sm_mhz()} | more

    yield row("warm-up", "first call, compiled in it", _first_call(lambda: launch(0)))
    yield row("warm-up", "second call", _wall_us(lambda: launch(0), 1))
    for name, count in (("warm", 1), ("cold", sets)):
        yield row("L2", name, timing.time(launch, sets=count).median, working_set_bytes=count * 6 * shape[0] * shape[1])
    few = max(1, chosen.rows // 4)  # a quarter of the rows fits in the L2 of an H200; all of them do not
    for name, count in (("a quarter of the rows, warm", 1), ("a quarter of the rows, cold", 4 * sets)):
        extra = [silu_mul.make_input(chosen.seed + i, few, chosen.width, "cuda") for i in range(count)]
        results = [torch.empty_like(gate) for gate, _ in extra]
        us = timing.time(lambda i: silu_mul.run(*extra[i], "fused", results[i]), sets=count).median
        yield row("L2", name, us, working_set_bytes=count * 6 * few * shape[1])
    yield row("clock", "wall clock, launch only", _wall_us(lambda: launch(0), 200, wait=False))
    yield row("clock", "wall clock, until done", _wall_us(lambda: launch(0), 200))
    yield row("clock", "events around one launch", timing.time(launch, launches=1, graph=False).median)
    yield row("clock", "events around many launches", timing.time(launch, graph=False).median)
    yield row("clock", "graph of many launches", timing.time(launch).median)
    sleep(chosen.idle_s)
    idle_mhz = machine.sm_mhz()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    launch(0)
    end.record()
    end.synchronize()
    yield row("idle", f"first launch after {chosen.idle_s:g} s idle", begin.elapsed_time(end) * 1e3, idle_mhz=idle_mhz)
    yield row("idle", "under load", timing.time(launch, launches=1, graph=False).median)
    yield from _products(chosen, row)
    yield from _unverified(data[0], out[0], row)


def _products(chosen: Chosen, row: Callable[..., Row]) -> Iterator[Row]:
    a, w = matmul.make_input(chosen.seed, chosen.rows, chosen.width, 4096, "cuda")
    out = torch.empty(chosen.rows, chosen.width, device="cuda", dtype=torch.bfloat16)
    expected = matmul.reference(a, w)
    for state, tile in (("tuned on this shape", LARGE_TILE), ("tuned on 16 rows", SMALL_TILE)):
        us = timing.time(lambda _: matmul.launch(a, w, out, tile), sample_ms=4.0).median
        yield row("autotune", state, us, error=verify(out, expected))
    for state, scale in (("normal numbers", 1.0), ("zeros", 0.0)):
        x, y = a * scale, w * scale
        times = timing.time(lambda _: matmul.launch(x, y, out, LARGE_TILE), sample_ms=20.0)
        yield row("data", state, times.median) | {"sm_mhz": times.sm_mhz}


def _unverified(data: tuple[torch.Tensor, torch.Tensor], out: torch.Tensor, row: Callable[..., Row]) -> Iterator[Row]:
    """A kernel that does half the rows is faster; only a look at its output tells."""
    half = data[0].shape[0] // 2
    for state, count in (("all rows", data[0].shape[0]), ("half the rows, output not looked at", half)):
        poison(out)
        us = timing.time(lambda _: silu_mul.run(data[0][:count], data[1][:count], "fused", out[:count])).median
        try:
            verify(out, silu_mul.reference(*data))
            refused = None
        except WrongResult as wrong:
            refused = str(wrong)
        yield row("verify", state, us, refused=refused)


def _first_call(call: Callable[[], object]) -> float:
    with TemporaryDirectory() as folder, triton.knobs.cache.scope():
        triton.knobs.cache.dir = folder
        for device in silu_mul.silu_mul_kernel.device_caches.values():
            device[0].clear()
        return _wall_us(call, 1)


def _wall_us(call: Callable[[], object], calls: int, wait: bool = True) -> float:
    seen = []
    for _ in range(calls):
        torch.cuda.synchronize()
        begin = perf_counter()
        call()
        if wait:
            torch.cuda.synchronize()
        seen.append((perf_counter() - begin) * 1e6)
    return quantile(sorted(seen), 0.5)


EXPERIMENT = Experiment(
    "fooled", "fooled",
    "what each switch says: host's clock, events around one launch, or events around a graph of many; medians; one "
    "kernel of "
    "this repository throughout", Chosen, rows, needs_gpu=True, points=lambda _: ROWS,
)  # fmt: skip
