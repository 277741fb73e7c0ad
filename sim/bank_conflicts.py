"""Bank conflicts of one warp's load from, or store to, shared memory.

Shared memory has 32 banks; successive 4-byte words lie in successive banks. In one wavefront a bank delivers
one word, to every lane that asks for that word. Lanes that ask for different words of one bank therefore take
a wavefront each: a bank conflict.

A warp's request is cut into parts before conflicts are counted: the whole warp (4 bytes a lane), half-warps
(8 bytes) or quarter-warps (16 bytes), so that a part asks for at most 128 bytes. Loads have an exception:
when every active lane i holds the address of lane i^1, or every active lane i that of lane i^2 (over the
whole warp; an inactive lane agrees with anything), the two halves of the warp, or the two quarters of each
half, are merged into one part. Wavefronts needed by the width ("ideal") are the parts that hold an active
lane; the others are extra.

Order, by convention: parts one after the other; inside a part, the words of a bank queue in the order of the
first lane that asks. Accesses are aligned, so the 2 or 4 banks of a wide lane hold queues of equal length and
the lane gets all its words in one wavefront.

Source: CUDA C++ Programming Guide 13.0, 20.4.3 (banks, broadcast); NVIDIA developer forum, threads 260900 and
77228 (parts, merging); readings of an NVIDIA H200 taken with Nsight Compute (chapters/recorded/tables), of which
this rule gives every count.
Left out: the order in which hardware serves wavefronts; which lane's value stays when several store to one
word; latency; accesses of 1 and 2 bytes, atomics, ldmatrix, and the unit that moves tiles (TMA).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

WARP_LANES = 32
BANKS = 32
WORD_BYTES = 4
INACTIVE = -1
PART_LANES = {4: 32, 8: 16, 16: 8}
"""Lanes in one part, by bytes a lane: a part asks for at most 32 banks × 4 bytes = 128 bytes."""

Op = Literal["load", "store"]


@dataclass(frozen=True, slots=True)
class Service:
    """One active lane, the words it asks for and when it gets them."""

    lane: int
    part: int
    """Index into `SharedAccess.parts`."""
    wavefront: int
    """1-based, counted over the whole access."""
    words: tuple[int, ...]
    """Word numbers, byte address // 4: one, two or four successive ones."""
    banks: tuple[int, ...]
    """The bank of each word."""
    broadcast: tuple[int, ...]
    """Lanes of the part that ask for the same words and are served at once, this one included."""


@dataclass(frozen=True, slots=True)
class Wavefront:
    """One pass over the banks."""

    number: int
    """1-based, counted over the whole access."""
    part: int
    extra: bool
    """False for the first wavefront of a part, which the width needs; True for what conflicts add."""
    lanes: tuple[int, ...]
    """The lanes served, ascending."""
    cells: tuple[tuple[int, int], ...]
    """(bank, word) for each bank that works, banks ascending."""


@dataclass(frozen=True, slots=True)
class Part:
    """Lanes among which conflicts are counted."""

    lanes: tuple[int, ...]
    active: tuple[int, ...]
    wavefronts: int
    """The degree of conflict: the most words that queue at one bank; 0 without an active lane."""


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """The whole trace of one request of one warp."""

    addresses: tuple[int, ...]
    width_bytes: int
    op: Op
    merged_by: int | None
    """1 or 2 if parts were merged because lanes i and i^1, or i and i^2, agree; else None."""
    parts: tuple[Part, ...]
    steps: tuple[Wavefront, ...]
    served: tuple[Service, ...]
    """One for each active lane, lanes ascending."""

    @property
    def wavefronts(self) -> int:
        """Wavefronts in all: the profiler's `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*`."""
        return len(self.steps)

    @property
    def pipe_cycles(self) -> int:
        """Cycles of the data path, where requests queue so that it never idles: it does one wavefront a cycle.

        Source: Nsight Compute Profiling Guide, 2.3.7 (a wavefront is what the unit can process in one cycle).
        """
        return self.wavefronts

    @property
    def ideal_wavefronts(self) -> int:
        """Wavefronts that the width needs without any conflict: parts that hold an active lane."""
        return sum(1 for part in self.parts if part.active)

    @property
    def extra_wavefronts(self) -> int:
        """Wavefronts added by conflicts: `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*`."""
        return self.wavefronts - self.ideal_wavefronts


def simulate(addresses: Sequence[int], width_bytes: int = 4, op: Op = "load") -> SharedAccess:
    """Trace one shared-memory request of one warp.

    Args:
        addresses: one byte offset for each of the 32 lanes, a multiple of `width_bytes`; -1: inactive.
        width_bytes: bytes a lane: 4, 8 or 16.
        op: "load" or "store".

    Raises:
        ValueError: not 32 addresses, an address that is not a whole number ≥ -1 or is misaligned (hardware
            faults on it), another width or operation.

    A column of a 32 × 32 tile of floats, rows 32 words apart, then 33:

    >>> column = simulate([lane * 128 for lane in range(32)])
    >>> column.wavefronts, column.ideal_wavefronts, column.extra_wavefronts
    (32, 1, 31)
    >>> simulate([lane * 132 for lane in range(32)]).wavefronts
    1
    """
    _check(addresses, width_bytes, op)
    merged_by = _merged_by(addresses) if op == "load" and width_bytes > WORD_BYTES else None
    part_lanes = PART_LANES[width_bytes] * (1 if merged_by is None else 2)
    words_per_lane = width_bytes // WORD_BYTES
    parts: list[Part] = []
    steps: list[Wavefront] = []
    served: list[Service] = []
    for part, first_lane in enumerate(range(0, WARP_LANES, part_lanes)):
        lanes = tuple(range(first_lane, first_lane + part_lanes))
        active = tuple(lane for lane in lanes if addresses[lane] != INACTIVE)
        askers: dict[int, list[int]] = {}  # first word of a lane → lanes that ask for it
        queues: dict[int, list[int]] = {}  # bank of that word → words that wait there
        for lane in active:
            word = addresses[lane] // WORD_BYTES
            if word not in askers:
                queues.setdefault(word % BANKS, []).append(word)
            askers.setdefault(word, []).append(lane)
        for lane in active:
            word = addresses[lane] // WORD_BYTES
            bank = word % BANKS  # aligned, so bank + words_per_lane never passes bank 31
            number = len(steps) + 1 + queues[bank].index(word)
            words, banks = range(word, word + words_per_lane), range(bank, bank + words_per_lane)
            served.append(Service(lane, part, number, tuple(words), tuple(banks), tuple(askers[word])))
        degree = max(map(len, queues.values()), default=0)
        parts.append(Part(lanes, active, degree))
        for turn in range(degree):
            now = [(bank, queue[turn]) for bank, queue in sorted(queues.items()) if turn < len(queue)]
            cells = tuple((bank + k, word + k) for bank, word in now for k in range(words_per_lane))
            now_lanes = tuple(sorted(lane for _, word in now for lane in askers[word]))
            steps.append(Wavefront(len(steps) + 1, part, turn > 0, now_lanes, cells))
    return SharedAccess(tuple(addresses), width_bytes, op, merged_by, tuple(parts), tuple(steps), tuple(served))


def count(addresses: Sequence[int], width_bytes: int = 4, op: Op = "load") -> tuple[int, int]:
    """Return `wavefronts` and `ideal_wavefronts` of `simulate` without its trace: for sums over many requests.

    Raises:
        ValueError: as `simulate`.

    >>> count([lane * 128 for lane in range(32)])
    (32, 1)
    """
    _check(addresses, width_bytes, op)
    merged_by = _merged_by(addresses) if op == "load" and width_bytes > WORD_BYTES else None
    part_lanes = PART_LANES[width_bytes] * (1 if merged_by is None else 2)
    wavefronts = ideal = 0
    for first_lane in range(0, WARP_LANES, part_lanes):
        lanes = addresses[first_lane : first_lane + part_lanes]
        waiting = [0] * BANKS
        for word in {address // WORD_BYTES for address in lanes if address != INACTIVE}:
            waiting[word % BANKS] += 1
        degree = max(waiting)
        wavefronts += degree
        ideal += degree > 0
    return wavefronts, ideal


def _merged_by(addresses: Sequence[int]) -> int | None:
    """The distance, 1 or 2, at which every pair of active lanes i and i^distance agrees."""
    for distance in (1, 2):
        pairs = ((addresses[lane], addresses[lane ^ distance]) for lane in range(WARP_LANES))
        if all(a == b or INACTIVE in (a, b) for a, b in pairs):
            return distance
    return None


def _check(addresses: Sequence[int], width_bytes: int, op: Op) -> None:
    if type(width_bytes) is not int or width_bytes not in PART_LANES:
        raise ValueError(f"width_bytes is {width_bytes!r}; a lane loads or stores 4, 8 or 16 bytes")
    if op not in get_args(Op):
        raise ValueError(f'op is {op!r}; it must be "load" or "store"')
    if len(addresses) != WARP_LANES:
        raise ValueError(f"{len(addresses)} addresses given; a warp has {WARP_LANES} lanes, so {WARP_LANES}")
    for lane, address in enumerate(addresses):
        if type(address) is not int or address < INACTIVE:  # `type`: a bool is an int, but no address
            raise ValueError(
                f"lane {lane}: address {address!r}; it must be a whole number of bytes ≥ 0, "
                f"or {INACTIVE} for an inactive lane"
            )
        if address != INACTIVE and address % width_bytes:
            raise ValueError(
                f"lane {lane}: address {address} is misaligned; "
                f"an access of {width_bytes} bytes needs a multiple of {width_bytes}"
            )
