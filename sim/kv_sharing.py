"""Layers that share copies of a KV cache: capacity shrinks with the copies, traffic does not.

What must lie in memory is counted once a copy. What is read in a step is counted once a layer: every layer goes
through the copy that it uses, whoever else uses it too, unless the copy is still in a cache from the layer before.

Source: the counts are elementary; sharing between layers as in W. Brandon et al., "Reducing Transformer Key-Value
Cache Size with Cross-Layer Attention", arXiv 2405.12981 (there, too, memory shrinks and the reading does not).
Left out: what sharing does to the model's answers; writes; caches between "none" and "all".
"""

from dataclasses import dataclass

from sim.decimals import decimal
from sim.inputs import whole

MAX_LAYERS = 1000
MAX_MIB = 1e9
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Counted:
    """The model's counts for one token of output, MiB."""

    resident_mib: float
    read_mib: float
    """Every layer reads its copy from memory."""
    read_if_cached_mib: float
    """Every copy is read from memory once."""


@dataclass(frozen=True, slots=True)
class Change:
    """What two pairs of totals say. Shares are of the amount before; negative where it grew."""

    resident_saved_mib: float
    resident_saved_share: float
    fits_times: float
    """How many times as many such caches fit in the same memory."""
    read_saved_mib: float
    read_saved_share: float
    speed_limit: float
    """A step that did nothing but read would become so many times as fast."""


def count(layers: int, copies: int, copy_mib: float, other_mib: float = 0.0, other_read_mib: float = 0.0) -> Counted:
    """Counts for 1 to 1000 layers with 1 to ``layers`` copies of ``copy_mib`` each.

    ``other_mib`` lies in memory and ``other_read_mib`` is read beside them; all from 0 to 1e9 MiB. Raises ValueError
    for anything else.

    >>> count(38, 38, 0.5), count(38, 4, 0.5)  # doctest: +NORMALIZE_WHITESPACE
    (Counted(resident_mib=19.0, read_mib=19.0, read_if_cached_mib=19.0),
     Counted(resident_mib=2.0, read_mib=19.0, read_if_cached_mib=2.0))
    """
    whole("layers", layers, 1, MAX_LAYERS)
    whole("copies", copies, 1, layers)
    copy = decimal("copy_mib", copy_mib, "MiB", 0, MAX_MIB)
    other = decimal("other_mib", other_mib, "MiB", 0, MAX_MIB)
    read = decimal("other_read_mib", other_read_mib, "MiB", 0, MAX_MIB)
    return Counted(float(copies * copy + other), float(layers * copy + read), float(copies * copy + read))


def change(
    resident_before_mib: float, resident_after_mib: float, read_before_mib: float, read_after_mib: float
) -> Change:
    """What follows from four totals, each above 0 and up to 1e9 MiB; ValueError otherwise.

    >>> told = change(27.455, 6.953, 12.556, 11.375)
    >>> f"{told.resident_saved_mib:.3f} {told.resident_saved_share:.0%} {told.fits_times:.2f}"
    '20.502 75% 3.95'
    >>> f"{told.read_saved_mib:.3f} {told.read_saved_share:.0%} {told.speed_limit:.2f}"
    '1.181 9% 1.10'
    """
    amounts = (resident_before_mib, resident_after_mib, read_before_mib, read_after_mib)
    names = ("resident_before_mib", "resident_after_mib", "read_before_mib", "read_after_mib")
    held, held_after, read, read_after = (
        decimal(name, amount, "MiB", 0, MAX_MIB, above=True) for name, amount in zip(names, amounts, strict=True)
    )
    return Change(
        float(held - held_after),
        float(1 - held_after / held),
        float(held / held_after),
        float(read - read_after),
        float(1 - read_after / read),
        float(read / read_after),
    )


def read_us(mib: float, bandwidth_byte_per_s: float) -> float:
    """Time to read so much, 0 to 1e9 MiB at a bandwidth in (0, 1e15] B/s; ValueError otherwise.

    >>> f"{read_us(12.556, 1792e9):.2f} {read_us(11.375, 1792e9):.2f}"
    '7.35 6.66'
    """
    amount = decimal("mib", mib, "MiB", 0, MAX_MIB)
    bandwidth = decimal("bandwidth_byte_per_s", bandwidth_byte_per_s, "B/s", 0, 1e15, above=True)
    return float(amount * MIB * 10**6 / bandwidth)


def caches_that_fit(memory_mib: float, resident_mib: float) -> int:
    """Whole caches in so much memory, 0 to 1e9 MiB, each above 0; ValueError otherwise.

    >>> caches_that_fit(1024, 27.455), caches_that_fit(1024, 6.953)
    (37, 147)
    """
    memory = decimal("memory_mib", memory_mib, "MiB", 0, MAX_MIB)
    return int(memory // decimal("resident_mib", resident_mib, "MiB", 0, MAX_MIB, above=True))
