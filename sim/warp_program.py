"""Who waits for whom when warps are specialised: turns of warps, and the barrier phases between them.

Source: PTX ISA, "mbarrier": a phase completes when its expected arrivals are in, and a wait names a phase.
Left out: the parity bit that tells phases apart on hardware. A warp that is two phases ahead, since a wait
was taken away, is read wrong there; such a program races, and `sim.warp_specialization` says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["fill", "consume", "epilogue"]
Barrier = Literal["full", "empty", "accumulator full", "accumulator empty"]
Fault = Literal[
    "wait full", "wait empty", "wait accumulator full", "wait accumulator empty",
    "arrive full", "arrive empty", "arrive accumulator full", "arrive accumulator empty", "start phase",
]  # fmt: skip


class Turn(NamedTuple):
    """One warp with one item (with one tile, for an epilogue)."""

    kind: Kind
    item: int
    warp: str


class Hand(NamedTuple):
    """Phase ``number`` of the barrier of a slot or accumulator: after which turns which turns may start.

    ``silent``: the warp that does not arrive although it should, None if they all do.
    """

    barrier: Barrier
    slot: int
    number: int
    item: int
    arrive: Sequence[Turn]
    wait: Sequence[Turn]
    silent: str | None


@dataclass(frozen=True, slots=True)
class Shape:
    """How many of everything; what `sim.warp_specialization.simulate` takes, already checked."""

    tiles: int
    k_steps: int
    slots: int
    producers: int
    consumers: int
    epilogue_warps: int
    accumulators: int

    def fill(self, item: int) -> list[Turn]:
        """The turn that fills the slot for ``item``; none beyond the last item."""
        warp = f"producer {item % self.producers}"
        return [Turn("fill", item, warp)] if item < self.tiles * self.k_steps else []

    def consume(self, item: int) -> list[Turn]:
        """The turns that read ``item``; none beyond the last item."""
        warps = range(self.consumers) if item < self.tiles * self.k_steps else ()
        return [Turn("consume", item, f"consumer {c}") for c in warps]

    def epilogue(self, tile: int) -> list[Turn]:
        """The turns that finish ``tile``, by the epilogue warps or, without any, by the consumers."""
        role, count = ("epilogue", self.epilogue_warps) if self.epilogue_warps else ("consumer", self.consumers)
        return [Turn("epilogue", tile, f"{role} {e}") for e in range(count)]

    def turns(self) -> Iterator[Turn]:
        """Every turn; those of one warp in its program's order."""
        for item in range(self.tiles * self.k_steps):
            yield from self.fill(item)
            yield from self.consume(item)
            if (item + 1) % self.k_steps == 0:
                yield from self.epilogue(item // self.k_steps)

    def hands(self, fault: Fault | None) -> Iterator[Hand]:
        """Every phase; ``fault`` takes waits or one warp's arrivals away (see `simulate`)."""
        first = 0 if fault == "start phase" else self.slots
        items = self.tiles * self.k_steps
        last_producer = f"producer {min(self.producers, items) - 1}"
        for i in range(items):
            fill, consume = self.fill(i), self.consume(i)
            yield _hand(fault, "full", self.slots, i, fill, consume, last_producer)
            yield _hand(fault, "empty", self.slots, i, consume, self.fill(i + first), consume[-1].warp)
        for t in range(self.tiles if self.epilogue_warps else 0):
            last, end = self.consume((t + 1) * self.k_steps - 1), self.epilogue(t)
            reuse = self.consume((t + self.accumulators) * self.k_steps)
            yield _hand(fault, "accumulator full", self.accumulators, t, last, end, last[-1].warp)
            yield _hand(fault, "accumulator empty", self.accumulators, t, end, reuse, end[-1].warp)


def _hand(
    fault: Fault | None, barrier: Barrier, slots: int, item: int, arrive: list[Turn], wait: list[Turn], last: str
) -> Hand:
    silent = last if fault == f"arrive {barrier}" else None
    waits = [] if fault == f"wait {barrier}" else wait
    return Hand(barrier, item % slots, item // slots, item, arrive, waits, silent)
