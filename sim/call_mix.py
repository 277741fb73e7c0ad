"""Two kernels, two shapes: which is faster depends on how often each shape is called.

With a share p of the calls on shape A, a kernel takes p·a + (1 − p)·b a call in the mean. Choosing by shape takes the
faster kernel for each call, and the time to choose. Where one way overtakes another follows from the lines' crossing.

Source: elementary. Left out: more shapes; calls that follow each other and share a cache; choosing wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from sim.decimals import decimal
from sim.inputs import whole

MAX_US = 1e9
MAX_CALLS = 10**9

Name = Literal["old", "new", "choose"]


@dataclass(frozen=True, slots=True)
class Kernel:
    """Its time on each shape, 0 to 1e9 µs."""

    a_us: float
    b_us: float


OLD = Kernel(10.0, 10.0)
NEW = Kernel(5.0, 20.0)
CHOOSE_US = 1.0


@dataclass(frozen=True, slots=True)
class Mix:
    """Mean time of a call, three ways, exact; ``best``: the least of them, or those that tie."""

    share_a: Fraction
    old_us: Fraction
    new_us: Fraction
    choose_us: Fraction

    @property
    def best(self) -> tuple[Name, ...]:
        """Every way that takes least."""
        ways: list[tuple[Name, Fraction]] = [("old", self.old_us), ("new", self.new_us), ("choose", self.choose_us)]
        return tuple(name for name, us in ways if us == min(us for _, us in ways))


@dataclass(frozen=True, slots=True)
class Reach:
    """From share ``first`` to share ``last`` of calls on A, no way is faster than ``name``."""

    name: Name
    first: Fraction
    last: Fraction


def simulate(a_calls: int, b_calls: int, old: Kernel = OLD, new: Kernel = NEW, choose_us: float = CHOOSE_US) -> Mix:
    """Mean times for 0 to 1e9 calls on each shape, at least one in all; ValueError for anything else.

    >>> half, tie, most = simulate(1, 1), simulate(2, 1), simulate(9, 1)
    >>> [float(us) for us in (half.old_us, half.new_us, half.choose_us)], half.best
    ([10.0, 12.5, 8.5], ('choose',))
    >>> tie.old_us == tie.new_us, most.best
    (True, ('new', 'choose'))
    """
    whole("a_calls", a_calls, 0, MAX_CALLS)
    whole("b_calls", b_calls, 0, MAX_CALLS)
    whole("a_calls + b_calls", a_calls + b_calls, 1)
    share = Fraction(a_calls, a_calls + b_calls)
    return Mix(share, *(share * a + (1 - share) * b for _, a, b in _lines(old, new, choose_us)))


def overtakes(old: Kernel = OLD, new: Kernel = NEW) -> Fraction | None:
    """The share of A at which both kernels take the same; None if one is never slower, or both are always equal.

    >>> overtakes()
    Fraction(2, 3)
    """
    (_, old_a, old_b), (_, new_a, new_b) = _lines(old, new, 0.0)[:2]
    gain_a, loss_b = old_a - new_a, new_b - old_b
    return loss_b / (gain_a + loss_b) if gain_a * loss_b > 0 else None


def reaches(old: Kernel = OLD, new: Kernel = NEW, choose_us: float | None = CHOOSE_US) -> tuple[Reach, ...]:
    """Which way is fastest from share 0 to 1, ``choose_us`` None without choosing; of equals, old before new.

    >>> [(reach.name, str(reach.first), str(reach.last)) for reach in reaches()]
    [('old', '0', '1/5'), ('choose', '1/5', '9/10'), ('new', '9/10', '1')]
    >>> [(reach.name, str(reach.last)) for reach in reaches(choose_us=None)]
    [('old', '2/3'), ('new', '1')]
    """
    lines = _lines(old, new, 0.0 if choose_us is None else choose_us)
    lines = lines[:2] if choose_us is None else lines
    points = {Fraction(0), Fraction(1)}
    for i, (_, a, b) in enumerate(lines):
        for _, other_a, other_b in lines[:i]:
            slope = (a - b) - (other_a - other_b)
            if slope and 0 < (cross := (other_b - b) / slope) < 1:
                points.add(cross)
    ordered = sorted(points)
    found: list[Reach] = []
    for first, last in pairwise(ordered):
        middle = (first + last) / 2
        name = min(lines, key=lambda line: middle * line[1] + (1 - middle) * line[2])[0]
        if found and found[-1].name == name:
            found[-1] = Reach(name, found[-1].first, last)
        else:
            found.append(Reach(name, first, last))
    return tuple(found)


def _lines(old: Kernel, new: Kernel, choose_us: float) -> Sequence[tuple[Name, Fraction, Fraction]]:
    """(way, time on A, time on B)."""
    old_a, old_b, new_a, new_b = (
        decimal(name, us, "µs", 0, MAX_US)
        for name, us in (("old.a_us", old.a_us), ("old.b_us", old.b_us), ("new.a_us", new.a_us), ("new.b_us", new.b_us))
    )
    choose = decimal("choose_us", choose_us, "µs", 0, MAX_US)
    return (
        ("old", old_a, old_b),
        ("new", new_a, new_b),
        ("choose", min(old_a, new_a) + choose, min(old_b, new_b) + choose),
    )
