"""Compile first, then run fast; or run the slower kernel that is ready; or do both at once.

Over n calls: compiling costs c + n·r, the ready kernel n·s, with s > r. Compiled wins once n > c/(s − r). In the
background, compiling holds nobody up: calls go to the ready kernel until c ms have passed, then to the compiled one.

Source: elementary. Left out: what the ready kernel loses while the host compiles; a compiler's own cache; shapes of
which each needs a program of its own (sim/dynamic_shapes.py); what searching for the program costs (sim/autotune.py).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from sim.decimals import decimal
from sim.inputs import whole

COMPILE_MS = 100.0
RUN_MS = 1.0
READY_MS = 3.0  # a choice: three times as long as the compiled program
MAX_MS = 1e9
MAX_CALLS = 10**9


@dataclass(frozen=True, slots=True)
class Way:
    """All calls done one way."""

    total_ms: float
    mean_ms: float
    """The total over the calls."""
    first_ms: float
    """When the first call is answered."""


@dataclass(frozen=True, slots=True)
class Amortized:
    """Three ways to answer ``calls`` calls."""

    calls: int
    compiled: Way
    ready: Way
    background: Way
    calls_while_compiling: int
    """Of the background's calls, those that the ready kernel answers."""
    tie_calls: float | None
    """Calls at which compiled and ready cost the same, not always whole; None if the ready one is never slower."""
    compiled_wins_from: int | None
    """The fewest calls from which compiled costs less than ready; None if it never does."""


def simulate(
    calls: int, compile_ms: float = COMPILE_MS, run_ms: float = RUN_MS, ready_ms: float = READY_MS
) -> Amortized:
    """Compare for 1 to 1e9 calls; ``compile_ms`` from 0, the others above 0, up to 1e9 ms; ValueError otherwise.

    >>> few, many = simulate(1), simulate(1000)
    >>> few.compiled.mean_ms, many.compiled.mean_ms, few.ready.mean_ms, few.compiled_wins_from
    (101.0, 1.1, 3.0, 51)
    """
    whole("calls", calls, 1, MAX_CALLS)
    compiling = decimal("compile_ms", compile_ms, "ms", 0, MAX_MS)
    fast = decimal("run_ms", run_ms, "ms", 0, MAX_MS, above=True)
    slow = decimal("ready_ms", ready_ms, "ms", 0, MAX_MS, above=True)

    def way(total: Fraction, first: Fraction) -> Way:
        return Way(float(total), float(total / calls), float(first))

    meanwhile = min(calls, ceil(compiling / slow))
    tie = compiling / (slow - fast) if slow > fast else None
    return Amortized(
        calls,
        way(compiling + calls * fast, compiling + fast),
        way(calls * slow, slow),
        way(meanwhile * slow + (calls - meanwhile) * fast, slow if meanwhile else fast),
        meanwhile,
        None if tie is None else float(tie),
        None if tie is None else floor(tie) + 1,
    )
