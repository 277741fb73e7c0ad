"""Eleven GPUs and the limits of their SMs, each number with its unit, condition and sources.

The numbers are in gpus.toml beside this file. What is not there is an error that names what is: no GPU, no
precision and no compute capability stands in for another, and a sparse peak is never taken for a dense one.

Source: named for each number in gpus.toml.
Left out: boards of the same name with other memory or clocks; clocks under load; numbers without a source.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of the table; ``sources`` are keys of `sources`."""

    value: float
    unit: str
    condition: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """What one SM of a compute capability has; "block" limits hold for each block."""

    compute_capability: str
    threads: int
    warps: int
    blocks: int
    registers: int
    """32-bit registers of an SM, and the most that one block may have."""
    register_unit: int
    """A warp's registers are rounded up to a multiple of this."""
    partitions: int
    shared_bytes: int
    """The largest share of the unified store that can be shared memory."""
    block_shared_bytes: int
    """Static and dynamic together, with the opt-in."""
    reserved_shared_bytes: int
    """Taken by the driver for each block on top of what it asks for."""
    shared_unit_bytes: int
    """A block's shared memory, the reserve included, is rounded up to a multiple of this."""
    unified_bytes: int
    fp32_cores: int
    tensor_cores: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU; ``quantities`` by key, for example "sms", "bandwidth", "dense.bf16", "latency.l2"."""

    key: str
    name: str
    compute_capability: str
    memory_kind: str
    quantities: Mapping[str, Quantity]

    @property
    def sm(self) -> Multiprocessor:
        """The limits of one of its SMs."""
        return multiprocessor(self.compute_capability)

    @property
    def sms(self) -> int:
        """How many SMs it has."""
        return int(self["sms"].value)

    def __getitem__(self, key: str) -> Quantity:
        """The quantity, or ValueError with those that exist."""
        if key not in self.quantities:
            raise ValueError(f"{self.name} has no {key!r} in the table; it has {', '.join(self.quantities)}")
        return self.quantities[key]

    def peak(self, precision: str, *, sparse: bool = False) -> Quantity:
        """Peak in TFLOP/s: "fp32" of the FP32 cores, "fp16", "bf16", "fp8" of the tensor cores.

        ValueError names the precisions of that kind, dense or sparse, if it has no such one.

        >>> gpu("h100").peak("bf16").value, gpu("h100").peak("bf16", sparse=True).value
        (989.4, 1978.9)
        >>> gpu("v100").peak("bf16")
        Traceback (most recent call last):
        ...
        ValueError: V100 SXM2 has no dense peak for 'bf16'; it has fp32, fp16
        """
        kind = "sparse" if sparse else "dense"
        found = self.quantities.get(f"{kind}.{precision}")
        if found is None:
            have = [key.partition(".")[2] for key in self.quantities if key.startswith(f"{kind}.")]
            raise ValueError(f"{self.name} has no {kind} peak for {precision!r}; it has {', '.join(have) or 'none'}")
        return found


def names() -> tuple[str, ...]:
    """Keys of the GPUs, oldest first."""
    return tuple(piece for piece in _pieces() if piece not in ("sm", "sources"))


def compute_capabilities() -> tuple[str, ...]:
    """The compute capabilities with limits, lowest first.

    >>> compute_capabilities()
    ('7.0', '7.5', '8.0', '8.6', '8.9', '9.0', '10.0', '12.0')
    """
    return tuple(_table("sm")["sm"]["warps"]["by"])


def sources() -> Mapping[str, str]:
    """What each source key stands for."""
    return MappingProxyType(_table("sources"))


def gpu(key: str) -> Gpu:
    """The GPU of that key; ValueError names the keys.

    >>> gpu("a100").name, gpu("a100").sms * gpu("a100").sm.fp32_cores
    ('A100 SXM4 80GB', 6912)
    >>> gpu("h200")["l2"]
    Quantity(value=60, unit='MiB', condition='some public tables print 50', sources=('H200',))
    """
    if key not in names():
        raise ValueError(f"there is no GPU {key!r} in the table; it has {', '.join(names())}")
    return _gpu(key)


@lru_cache(maxsize=64)
def device_capability(device: str) -> str | None:
    """Compute capability of the GPU whose model is in the name that a device gives itself; None if no one is.

    Boards of one model differ in memory and number of SMs, not in this.

    >>> [device_capability(name) for name in ("NVIDIA H200", "Tesla V100-SXM2-16GB", "NVIDIA L40S")]
    ['9.0', '7.0', None]
    """
    said = f" {device.replace('-', ' ')} "
    models = {gpu(key).name.partition(" SXM")[0].partition(" (")[0]: gpu(key) for key in names()}
    found = {chip.compute_capability for model, chip in models.items() if f" {model} " in said}
    return found.pop() if len(found) == 1 else None


def multiprocessor(compute_capability: str) -> Multiprocessor:
    """The limits of an SM of "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0" or "12.0"; ValueError otherwise."""
    if compute_capability not in compute_capabilities():
        have = ", ".join(compute_capabilities())
        raise ValueError(f"compute capability {compute_capability!r} is not in the table; it has {have}")
    return _multiprocessor(compute_capability)


def sm_quantities(compute_capability: str) -> Mapping[str, Quantity]:
    """The limits of an SM by name, with unit, condition and sources, and rates that only some have.

    >>> sm_quantities("8.6")["blocks"].value, "exponentials" in sm_quantities("8.6")
    (16, False)
    """
    multiprocessor(compute_capability)  # refuses what is not in the table
    entries = _table("sm")["sm"].items()
    given = {limit: entry for limit, entry in entries if compute_capability in entry["by"]}
    return {limit: _quantity(entry, entry["by"][compute_capability]) for limit, entry in given.items()}


@cache
def _gpu(key: str) -> Gpu:
    entry = _table(key)
    quantities: dict[str, Quantity] = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            parts = {name: value} if "value" in value else {f"{name}.{part}": value[part] for part in value}
            quantities |= {part: _quantity(number, number["value"]) for part, number in parts.items()}
    return Gpu(key, entry["name"], entry["compute_capability"], entry["memory_kind"], MappingProxyType(quantities))


@cache
def _multiprocessor(compute_capability: str) -> Multiprocessor:
    limits = [field.name for field in fields(Multiprocessor) if field.name != "compute_capability"]
    table = _table("sm")["sm"]
    return Multiprocessor(compute_capability, *(table[limit]["by"][compute_capability] for limit in limits))


def _quantity(entry: Mapping[str, Any], value: float) -> Quantity:
    return Quantity(value, entry["unit"], entry["condition"], tuple(entry["source"]))


@cache
def _pieces() -> dict[str, str]:
    """The file cut at its tables, by name of GPU, "sm" and "sources": parsing all of it takes a browser 0.1 s."""
    text, found = Path(__file__).with_name("gpus.toml").read_text(encoding="utf-8"), {}
    text, _, found["sources"] = text.partition("\n[sources]\n")
    found["sm"], *chips = text.split("\n[gpu.")
    return found | {chip.partition("]")[0]: chip.partition("]")[2] for chip in chips}


@cache
def _table(piece: str) -> dict[str, Any]:
    return tomllib.loads(_pieces()[piece])
