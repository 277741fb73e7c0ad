"""What the profiler's counters say of one launch each: sectors, wavefronts, lanes; against the simulators' counts.

Nsight Compute (`ncu`) runs this module as a program of its own: it launches every case once, in order, and the counters
come back in that order. Clocks are left alone (`--clock-control none`). Structural counts must be equal to the model's.

The counters of the pipe (`pipe_…`) also hold wavefronts that had to yield to other warps' accesses, so with many warps
they are a little higher than those that belong to the instructions. Active lanes are those of the whole kernel, the
model's those of the branch alone.

Source: Nsight Compute Profiling Guide, metrics reference; the counters of `chapters/recorded/tables/h200`.
"""

import csv
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from shutil import which

import torch

from gpu_backend.experiments.experiment import Row

FIGURES = {"strided copy": "coalescing", "transpose": "transpose", "divergence": "divergence"}
METRICS = {
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "pipe_shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "pipe_shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "active_lanes": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "device_memory_read_bytes": "dram__bytes_read.sum",
}
KERNELS = "regex:_gather|padded_transpose|divergent_paths"
N, SIDE = 1 << 22, 1024
METHOD = "Nsight Compute, --clock-control none, caches flushed before each launch (its default); one launch a case"


class NoProfiler(RuntimeError):
    """Nsight Compute is not there, or may not read the counters."""


@dataclass(frozen=True, slots=True)
class Case:
    """One launch, and what the simulators say of it."""

    row: Row
    model: Row
    launch: Callable[[], object]


def cases() -> Iterator[Case]:
    """Every launch, in order."""
    yield from _strided()
    yield from _transposes()
    yield from _branches()


def _strided() -> Iterator[Case]:
    from gpu_backend.experiments.strided_copy import CASES
    from gpu_backend.kernels import strided_copy
    from sim.coalescing import simulate, strided

    for stride, offset in CASES:
        x, *how = strided_copy.make_input(1, N, stride, offset, "cuda")
        sectors = simulate(strided(4, stride, 4 * offset), 4).sectors
        yield Case(
            {"kernel": "_gather", "case": f"stride {stride}, offset {offset}"},
            {"load_requests": N // 32, "load_sectors": N // 32 * sectors, "store_sectors": N // 8},
            lambda x=x, how=how: strided_copy.run(x, *how),
        )


def _transposes() -> Iterator[Case]:
    from gpu_backend.experiments.transpose_tiles import LAYOUTS, TILES
    from gpu_backend.kernels import padded_transpose
    from sim.transpose import simulate

    (x,) = padded_transpose.make_input(1, SIDE, SIDE)
    out = torch.empty_like(x)
    for tile in TILES:
        for padding, swizzle in LAYOUTS:
            model = simulate(SIDE, SIDE, tile, padding, "xor" if swizzle else "none")
            yield Case(
                {"kernel": "padded_transpose", "case": f"tile {tile}, padding {padding}{', xor' * swizzle}"},
                {
                    "load_requests": model.global_loads.requests,
                    "load_sectors": model.global_loads.sectors,
                    "store_sectors": model.global_stores.sectors,
                    "shared_load_wavefronts": model.shared_loads.wavefronts,
                    "shared_store_wavefronts": model.shared_stores.wavefronts,
                },
                lambda tile=tile, padding=padding, swizzle=swizzle: padded_transpose.run(
                    x, out, tile, padding, swizzle
                ),
            )


def _branches() -> Iterator[Case]:
    from gpu_backend.experiments.divergence_cycles import LANES, LENGTHS
    from gpu_backend.kernels import divergent_paths
    from sim.divergence import simulate

    for pattern in (name for name in LANES if name.startswith("P")):
        model = simulate(LANES[pattern], LENGTHS["L0"])
        yield Case(
            {"kernel": "divergent_paths", "case": f"{pattern}, four loops of 1000"},
            {"active_lanes": 32 * model.efficiency},
            lambda pattern=pattern: divergent_paths.run(LANES[pattern], LENGTHS["L0"], repeats=1),
        )


def read() -> list[Row]:
    """Run every case under the profiler; `NoProfiler` says why not."""
    profiler = which("ncu") or which("/usr/local/cuda/bin/ncu")
    if profiler is None:
        raise NoProfiler("ncu is not on the PATH; Nsight Compute comes with the CUDA toolkit")
    done = subprocess.run(
        [
            *(profiler, "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"),
            *("--kernel-name", KERNELS, "--metrics", ",".join(METRICS.values())),
            *(sys.executable, "-m", "gpu_backend.counters"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "==ERROR==" in line or "Error" in line]
        raise NoProfiler(f"ncu ended with status {done.returncode}: {(lines or ['it says nothing'])[0].strip()}")
    return paired([(case.row, case.model) for case in cases()], table(done.stdout))


def table(text: str) -> list[dict[str, str]]:
    """The rows of ncu's CSV, one a launch; lines before its head and the row of units are left out."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise NoProfiler("ncu printed no table: it profiled no kernel")
    return [row for row in csv.DictReader(lines[start:]) if row["ID"]]


def paired(asked: Sequence[tuple[Row, Row]], launches: Sequence[dict[str, str]]) -> list[Row]:
    """One row a case: its counters, and the model's beside those that it speaks of. ValueError if they do not pair."""
    if len(asked) != len(launches):
        raise ValueError(f"{len(asked)} cases were launched; ncu has {len(launches)}")
    rows = []
    for (row, model), launch in zip(asked, launches, strict=True):
        if row["kernel"] not in launch["Kernel Name"]:
            raise ValueError(f"{row['case']} is a launch of {row['kernel']}; ncu has {launch['Kernel Name']} there")
        read = {name: _number(launch[metric]) for name, metric in METRICS.items()}
        rows.append(row | read | {f"model_{name}": value for name, value in model.items()})
    return rows


def _number(text: str) -> float | int | None:
    plain = text.replace(",", "")
    if not plain:
        return None
    value = float(plain)
    return int(value) if value.is_integer() else value


if __name__ == "__main__":
    for case in cases():
        case.launch()
        torch.cuda.synchronize()
