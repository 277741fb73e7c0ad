"""What the compiler made of one kernel, stage by stage: sizes, a few lines of each, registers, spills, shared bytes."""

from collections.abc import Iterator

import torch
from pydantic import Field

from gpu_backend.checking import verify
from gpu_backend.experiments.common import compiled_facts
from gpu_backend.experiments.experiment import Experiment, Inputs, Row
from gpu_backend.kernels import silu_mul as kernel

STAGES = (
    ("source", "the Python text of the kernel", "tl.load"),
    ("ttir", "Triton IR: blocks of elements", "tt.load"),
    ("ttgir", "Triton GPU IR: with the layout over threads", "tt.load"),
    ("llir", "LLVM IR: what one thread does", "tail call"),
    ("ptx", "PTX: NVIDIA's virtual instructions", "ld.global"),
    ("sass", "SASS: the instructions an SM runs", "LDG"),
)
LINES = 3
LONGEST = 160


class Chosen(Inputs):
    """Size of the vectors that the kernel is compiled for and run on."""

    rows: int = Field(16, ge=1, le=4096, description="rows")
    width: int = Field(12288, ge=64, le=16384, multiple_of=64, description="columns")


def rows(chosen: Chosen) -> Iterator[Row]:
    """One row a stage."""
    gate, up = kernel.make_input(chosen.seed, chosen.rows, chosen.width, "cuda")
    out = torch.empty_like(gate)
    n = gate.numel()
    compiled = kernel.silu_mul_kernel[(-(-n // kernel.BLOCK),)](gate, up, out, n, kernel.BLOCK, num_warps=8)
    error = verify(out, kernel.reference(gate, up))
    facts = compiled_facts(compiled)
    for stage, what, mark in STAGES:
        text = kernel.silu_mul_kernel.src if stage == "source" else compiled.asm[stage]
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if mark in line), 0)
        yield {
            "stage": stage, "what": what, "bytes": len(text.encode()), "lines": len(lines),
            "excerpt": [line.strip()[:LONGEST] for line in lines[first : first + LINES]],
            "machine_code_bytes": len(compiled.asm["cubin"]), "warps": 8, "block": kernel.BLOCK, **facts,
            "kernel": compiled.name, "error": error,
        }  # fmt: skip


EXPERIMENT = Experiment(
    "compile_path", "compile_path",
    "the artefacts that Triton kept of the compiled kernel; registers and spills as the driver reports them; SASS by "
    "cuobjdump",
    Chosen, rows, needs_gpu=True, points=lambda _: len(STAGES),
)  # fmt: skip
