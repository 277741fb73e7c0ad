"""Warp divergence: the issue slots of one warp whose lanes take different paths.

A warp issues one instruction a slot, for those lanes that need it. Where lanes disagree, each path taken is
issued in turn with the other lanes masked off. So slots = common part + sum of the lengths of the paths
taken, however few lanes take them; a path that no lane takes costs nothing, and neither does a branch on
which whole warps differ. A loop is issued until its longest lane is done.

Efficiency = lane slots used / (32 × issue slots): thread instructions per warp instruction, over 32.

Order, by convention: the common part first, then paths by their number.

Source: CUDA C++ Programming Guide 13.0, 20.6.2, and PTX ISA, chapter 3 (paths are issued in turn); Nsight
Compute Profiling Guide (`smsp__thread_inst_executed_per_inst_executed`); readings of an NVIDIA H200
(chapters/recorded/tables/h200/), whose cycles follow slots and paths taken on a straight line (sim/divergence_fit.py).
Left out: the order of paths and how independent thread scheduling (compute capability 7.0 on) interleaves
them; branch and convergence instructions, a fixed cost a path; predication; latency; other warps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WARP_LANES = 32
INACTIVE = -1

Piece = tuple[int | None, int, int]  # path, mask, length


@dataclass(frozen=True, slots=True)
class Phase:
    """Successive slots issued under one active mask."""

    path: int | None
    """Index into the lengths given (0 in a loop); None for the common part."""
    mask: int
    """Bit i is set when lane i is active."""
    first_slot: int
    """1-based."""
    length: int
    """Slots, ≥ 1."""

    @property
    def lanes(self) -> tuple[int, ...]:
        """The active lanes, ascending."""
        return tuple(lane for lane in range(WARP_LANES) if self.mask >> lane & 1)


@dataclass(frozen=True, slots=True)
class Divergence:
    """The whole trace of one warp through one branch or one loop."""

    phases: tuple[Phase, ...]
    paths_taken: int
    """Paths with a lane on them, empty ones included; a loop is one path."""

    @property
    def issue_slots(self) -> int:
        """Warp instructions issued, ≥ 1."""
        return sum(phase.length for phase in self.phases)

    @property
    def lane_slots(self) -> int:
        """Thread instructions: active lanes, summed over the slots."""
        return sum(phase.length * phase.mask.bit_count() for phase in self.phases)

    @property
    def efficiency(self) -> float:
        """Share of the 32 × issue_slots lane slots that a lane uses, in (0, 1]."""
        return self.lane_slots / (WARP_LANES * self.issue_slots)

    def phase_at(self, slot: int) -> Phase:
        """The phase that slot 1..issue_slots belongs to; ValueError outside."""
        for phase in self.phases:
            if phase.first_slot <= slot < phase.first_slot + phase.length:
                return phase
        raise ValueError(f"slot {slot!r} is outside 1..{self.issue_slots}")


def simulate(paths: Sequence[int], lengths: Sequence[int], common: int = 0) -> Divergence:
    """Trace one warp through one branch.

    Args:
        paths: for each of the 32 lanes an index into `lengths`; -1 for a lane that is not active at all, as
            in the last warp of a block of 100 threads: it uses no slot, not even of the common part.
        lengths: instructions on each path, ≥ 0 (0: an `if` without `else`).
        common: instructions that all active lanes execute together, ≥ 0.

    Raises:
        ValueError: not 32 paths, a path without a length, a value that is not a whole number ≥ 0, no active
            lane, or nothing to issue.

    >>> half = simulate([0] * 16 + [1] * 16, lengths=[10, 10])
    >>> half.issue_slots, half.lane_slots, half.efficiency
    (20, 320, 0.5)
    >>> [(phase.path, phase.first_slot, hex(phase.mask)) for phase in half.phases]
    [(0, 1, '0xffff'), (1, 11, '0xffff0000')]
    """
    _check_lanes("path", paths)
    _check_counts(lengths, common)
    for lane, path in enumerate(paths):
        if path >= len(lengths):
            raise ValueError(f"lane {lane}: path {path}, but lengths has paths 0..{len(lengths) - 1}")
    taken = sorted(set(paths) - {INACTIVE})
    pieces: list[Piece] = [(None, _mask(path != INACTIVE for path in paths), common)]
    pieces += [(path, _mask(other == path for other in paths), lengths[path]) for path in taken]
    return Divergence(_phases(pieces), len(taken))


def loop(trip_counts: Sequence[int], common: int = 0) -> Divergence:
    """Trace one warp through a loop with its own trip count a lane and a body of one slot.

    Args:
        trip_counts: iterations of each of the 32 lanes, ≥ 0; -1 for a lane that is not active at all.
        common: instructions that all active lanes execute together before the loop, ≥ 0.

    Raises:
        ValueError: as `simulate`.

    >>> one_long = loop([10] * 31 + [320])
    >>> one_long.issue_slots, one_long.lane_slots, one_long.efficiency
    (320, 630, 0.0615234375)
    """
    _check_lanes("trip count", trip_counts)
    _check_counts([0], common)
    pieces: list[Piece] = [(None, _mask(count != INACTIVE for count in trip_counts), common)]
    done = 0
    for bound in sorted({count for count in trip_counts if count > 0}):
        pieces.append((0, _mask(count >= bound for count in trip_counts), bound - done))
        done = bound
    return Divergence(_phases(pieces), paths_taken=1)


def _phases(pieces: Sequence[Piece]) -> tuple[Phase, ...]:
    phases: list[Phase] = []
    slot = 1
    for path, mask, length in pieces:
        if length:
            phases.append(Phase(path, mask, slot, length))
            slot += length
    if not phases:
        raise ValueError("nothing to issue: the common part and every path taken are 0 long; one must be ≥ 1")
    return tuple(phases)


def _mask(active: Iterable[bool]) -> int:
    return sum(1 << lane for lane, on in enumerate(active) if on)


def _check_lanes(what: str, values: Sequence[int]) -> None:
    if len(values) != WARP_LANES:
        raise ValueError(f"{len(values)} {what}s given; a warp has {WARP_LANES} lanes, so {WARP_LANES}")
    for lane, value in enumerate(values):
        if type(value) is not int or value < INACTIVE:
            raise ValueError(
                f"lane {lane}: {what} {value!r}; it must be a whole number ≥ 0, or {INACTIVE} for an inactive lane"
            )
    if all(value == INACTIVE for value in values):
        raise ValueError("all 32 lanes are inactive; such a warp issues nothing, one lane must be active")


def _check_counts(lengths: Sequence[int], common: int) -> None:
    if not lengths:
        raise ValueError("lengths is empty; one path at least is needed")
    for path, length in enumerate(lengths):
        if type(length) is not int or length < 0:
            raise ValueError(f"path {path}: length {length!r}; it must be a whole number of instructions ≥ 0")
    if type(common) is not int or common < 0:
        raise ValueError(f"common is {common!r}; it must be a whole number of instructions ≥ 0")
