"""A row of scores walked block by block, from left to right or as two halves that merge.

Nothing is computed here: each number comes from `simulate` and `merge` of `sim.online_softmax`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sim.online_softmax import OnlineSoftmax, State, Step, merge, simulate

Order = Literal["row", "halves"]


@dataclass(frozen=True, slots=True)
class Move:
    """One step: the block `scores[start:stop]` joins its part, or (`merge`) the right half joins the left.

    `before` and `own` are the two states that become `after`; `kept` and `added` are the same two
    under the new maximum, so that `after` is their sum. `factor` and `own_factor` scale one into the other.
    """

    merge: bool
    part: int
    """Where the part begins that this joins."""
    start: int
    stop: int
    before: State
    own: State
    kept: State
    added: State
    after: State
    factor: float
    own_factor: float
    rescaled: bool

    @property
    def first(self) -> bool:
        """Whether there was nothing in the part before."""
        return self.before.empty

    @property
    def blank(self) -> bool:
        """Whether all that comes in is masked."""
        return self.own.empty


@dataclass(frozen=True, slots=True)
class Walk:
    """All moves in order; `born` holds each score's weight when its block came."""

    scores: tuple[float, ...]
    values: tuple[float, ...]
    moves: tuple[Move, ...]
    born: tuple[float, ...]
    half: int
    """Where the second half begins; 0 where there is one part."""
    ordinary: OnlineSoftmax
    """The whole row as one block: softmax as a formula has it."""

    @property
    def state(self) -> State:
        """The state at the end."""
        return self.moves[-1].after

    @property
    def blocks(self) -> tuple[Move, ...]:
        """The moves that fold a block."""
        return tuple(move for move in self.moves if not move.merge)

    @property
    def rescales(self) -> int:
        """How many blocks found sums to scale down."""
        return sum(move.rescaled for move in self.blocks)

    def worth(self, at: int) -> tuple[float, ...]:
        """Return what each score's weight counts for after `at` moves: 0 for what is still to come."""
        whole = self.moves[at - 1].merge
        seen = max((move.stop for move in self.moves[:at]), default=0)
        spans = [(0, seen)] if whole or not self.half or seen <= self.half else [(0, self.half), (self.half, seen)]
        weights = [w for a, b in spans for w in simulate(self.scores[a:b], self.values[a:b], b - a).steps[0].weights]
        return tuple(weights) + (0.0,) * (len(self.scores) - seen)


def walk(scores: Sequence[float], values: Sequence[float], block: int, order: Order) -> Walk:
    """Walk a row in blocks of `block` scores (the last may be shorter, one block takes any row).

    Order "halves": the first half of the blocks and the second each start from nothing, then merge.
    One block has no halves. ValueError as `sim.online_softmax.simulate` raises it.
    """
    scores, values = tuple(scores), tuple(values)
    size, count = min(block, len(scores)), -(-len(scores) // max(block, 1))
    half = size * -(-count // 2) if order == "halves" and count > 1 else 0
    parts = [(0, half), (half, len(scores))] if half else [(0, len(scores))]
    runs = [simulate(scores[a:b], values[a:b], min(size, b - a)) for a, b in parts]
    moves = [_fold(step, a) for (a, _), run in zip(parts, runs, strict=True) for step in run.steps]
    if half:
        left, right = (run.state for run in runs)
        moves.append(_join(True, 0, 0, len(scores), left, right, merge(left, right)))
    born = tuple(weight for run in runs for step in run.steps for weight in step.weights)
    return Walk(scores, values, tuple(moves), born, half, simulate(scores, values, len(scores)))


def under(state: State, maximum: float) -> State:
    """Return the same sums relative to another maximum, no less than their own."""
    return merge(state, State(maximum))


def _fold(step: Step, part: int) -> Move:
    own = simulate(step.scores, step.values, len(step.scores)).state
    move = _join(False, part, part + step.start, part + step.stop, step.before, own, step.after)
    return replace(move, factor=step.factor, rescaled=step.rescaled)


def _join(merged: bool, part: int, start: int, stop: int, before: State, own: State, after: State) -> Move:
    m = after.maximum
    one = State(before.maximum, 1.0), State(own.maximum, 1.0)  # a sum of 1, to read off what it becomes
    return Move(
        merged, part, start, stop, before, own, under(before, m), under(own, m), after,
        factor=under(one[0], m).denominator, own_factor=under(one[1], m).denominator,
        rescaled=not before.empty and m > before.maximum,
    )  # fmt: skip
