"""Five places for data, from registers to the host: how much each holds, how late it answers, how fast it is.

Nearer is sooner and faster, yet not always smaller: all registers of an H100 hold 33 MiB, its shared memory 29.4.
A tensor that is to be kept whole goes to the nearest level that holds it: spread over all SMs for a GPU, or a tile
in one SM. Capacities of registers and shared memory are products, SMs × what one has.

Source: sim/gpus.toml. Registers: what the FP32 cores read and write at one multiply-add a clock (three operands
in, one out, 4 bytes each). Shared memory: SMs × bytes a clock × clock. Host: the link, per direction, after
PCIe's 128 bits for every 130 sent (generation 3 on).
Left out: who else is using a level; that a thread cannot read another's registers, nor an SM another's shared
memory (clusters can); L1, which shares its store with shared memory; the host's own memory and its latency.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from sim.gpus import Gpu, Quantity, gpu, sm_quantities
from sim.inputs import whole

LevelName = Literal["registers", "shared", "l2", "memory", "host"]
Scope = Literal["gpu", "sm"]
REGISTER_BYTES = 4
FMA_BYTES = 4 * REGISTER_BYTES
PCIE_CODING = 128 / 130
MAX_BYTES = 2**60


@dataclass(frozen=True, slots=True)
class Level:
    """One level as the SMs of the scope see it; None where the table names no number."""

    name: LevelName
    capacity_bytes: int | None
    """None for the host: as much as the reader's machine has."""
    latency_cycles: float | None
    latency_ns: float | None
    """The cycles at the clock of the table; they were measured with clocks that moved."""
    bandwidth_gb_per_s: float | None
    notes: tuple[str, ...]
    """Conditions of the numbers that went in."""


def ladder(gpu_key: str, scope: Scope = "gpu") -> tuple[Level, ...]:
    """Registers, shared memory, L2, device memory, host, of a GPU of `sim.gpus`.

    ``scope`` "sm": registers and shared memory of one SM alone. ValueError for another scope or GPU.

    >>> [(level.name, level.capacity_bytes) for level in ladder("h100")][:3]
    [('registers', 34603008), ('shared', 30818304), ('l2', 52428800)]
    >>> [f"{level.latency_cycles:g} {level.bandwidth_gb_per_s:.0f}" for level in ladder("h100")[:4]]
    ['4 535265', '29 33454', '291 6919', '700 3350']
    """
    if scope not in get_args(Scope):
        raise ValueError(f'scope is {scope!r}; it must be "gpu" or "sm"')
    chip = gpu(gpu_key)
    sm, sms = chip.sm, chip.sms if scope == "gpu" else 1
    clock = chip["clock"].value
    rates = sm_quantities(chip.compute_capability)
    per_clock, fma = rates.get("shared_bytes_per_clock"), rates.get("fma_cycles")
    shared_gb = None if per_clock is None else sms * per_clock.value * clock
    l2 = chip.quantities.get("l2_bandwidth")
    registers, l2_bytes = sms * sm.registers * REGISTER_BYTES, round(chip["l2"].value * 2**20)
    memory, link = chip["memory"], chip["pcie"]
    register_gb = sms * sm.fp32_cores * FMA_BYTES * clock
    l2_gb = l2.value if l2 else None
    return (
        _level(chip, "registers", registers, fma, register_gb, fma),
        _level(chip, "shared", sms * sm.shared_bytes, chip.quantities.get("latency.shared"), shared_gb, per_clock),
        _level(chip, "l2", l2_bytes, chip.quantities.get("latency.l2"), l2_gb, chip["l2"], l2),
        _level(
            chip, "memory", round(memory.value * 2**30), chip.quantities.get("latency.memory"),
            chip["bandwidth"].value, memory, chip["bandwidth"],
        ),
        _level(chip, "host", None, None, link.value * PCIE_CODING, link),
    )  # fmt: skip


def nearest(gpu_key: str, tensor_bytes: int, scope: Scope = "gpu") -> Level:
    """The first level of the ladder that holds the tensor, 0 to 2⁶⁰ bytes; ValueError otherwise and as `ladder`.

    >>> [nearest("h100", size * 2**20).name for size in (24, 40, 96, 90 * 2**10)]
    ['registers', 'l2', 'memory', 'host']
    >>> nearest("h100", 16 * 2**10, "sm").name
    'registers'
    """
    whole("tensor_bytes", tensor_bytes, 0, MAX_BYTES)
    return next(
        level
        for level in ladder(gpu_key, scope)
        if level.capacity_bytes is None or tensor_bytes <= level.capacity_bytes
    )


def _level(
    chip: Gpu,
    name: LevelName,
    capacity: int | None,
    latency: Quantity | None,
    bandwidth: float | None,
    *more: Quantity | None,
) -> Level:
    cycles = latency.value if latency else None
    conditions = [number.condition for number in (latency, *more) if number and number.condition]
    nanoseconds = None if cycles is None else cycles / chip["clock"].value
    return Level(name, capacity, cycles, nanoseconds, bandwidth, tuple(dict.fromkeys(conditions)))
