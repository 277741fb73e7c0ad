"""One request and one operator in it: calls, time before and after, and what the request gains.

The first token comes from the prefill; each further one takes a decode step, so n tokens out are 1 prefill and n − 1
steps. An operator that every layer calls once has layers × n calls. Its time before and after was measured for the
prefill's calls and for those of so many decode steps; for another number of steps the latter grows in proportion, and
so does the request, but for its first token.

Source: elementary. Left out: decode steps that take longer as the context grows; an operator that overlaps with
others, so that its time is not the request's.
"""

from dataclasses import dataclass
from fractions import Fraction

from sim.decimals import decimal
from sim.inputs import whole

MAX_LAYERS = 1000
MAX_TOKENS = 1_000_000
MAX_MS = 1e9


@dataclass(frozen=True, slots=True)
class Measured:
    """The operator in one request, ms. Times of all calls together: (before, after)."""

    layers: int
    tokens: int
    """Tokens out, 2 or more."""
    prefill_ms: tuple[float, float]
    decode_ms: tuple[float, float]
    request_ms: float
    """The whole request before."""
    first_token_ms: float


@dataclass(frozen=True, slots=True)
class Part:
    """The operator in one part of the request."""

    calls: int
    before_ms: float
    after_ms: float

    @property
    def saved_ms(self) -> float:
        """Negative if it got slower."""
        return self.before_ms - self.after_ms


@dataclass(frozen=True, slots=True)
class Request:
    """The request with some number of decode steps."""

    decode_steps: int
    prefill: Part
    decode: Part
    both: Part
    request_ms: float
    first_token_ms: float
    share: float
    """Of the request before, what the operator takes."""
    saved_share: float
    """Of the request before, what is saved."""
    speedup: float
    """Of the request."""


def simulate(measured: Measured, decode_steps: int | None = None) -> Request:
    """The request as measured, or with 0 to 999,999 decode steps; 1 to 1000 layers, 2 to 1,000,000 tokens.

    Times are from 0 to 1e9 ms, the request is longer than its first token, and the first token and the decode steps
    are at least as long as the operator's calls in them. Raises ValueError for anything else.

    >>> told = Measured(36, 32, (11.22, 11.24), (2.37, 0.92), request_ms=849, first_token_ms=436)
    >>> request = simulate(told)
    >>> request.both.calls, request.prefill.calls, request.decode.calls
    (1152, 36, 1116)
    >>> f"{request.both.before_ms:.1f} {request.both.after_ms:.1f} {request.both.saved_ms:.1f} {request.share:.1%}"
    '13.6 12.2 1.4 1.6%'
    >>> f"{simulate(told, decode_steps=127).both.saved_ms:.2f}"
    '5.92'
    """
    whole("layers", measured.layers, 1, MAX_LAYERS)
    whole("tokens", measured.tokens, 2, MAX_TOKENS)
    before, after = (
        tuple(
            decimal(f"{name}[{i}]", pair[i], "ms", 0, MAX_MS)
            for name, pair in (("prefill_ms", measured.prefill_ms), ("decode_ms", measured.decode_ms))
        )
        for i in (0, 1)
    )
    first = decimal("first_token_ms", measured.first_token_ms, "ms", float(before[0]), MAX_MS, above=True)
    least = first + before[1]
    request = decimal("request_ms", measured.request_ms, "ms", float(least), MAX_MS)
    steps = measured.tokens - 1 if decode_steps is None else decode_steps
    whole("decode_steps", steps, 0, MAX_TOKENS - 1)
    longer = Fraction(steps, measured.tokens - 1)
    request = first + (request - first) * longer
    was = before[0] + before[1] * longer
    saved = was - after[0] - after[1] * longer
    calls = measured.layers * steps
    return Request(
        steps,
        Part(measured.layers, float(before[0]), float(after[0])),
        Part(calls, float(before[1] * longer), float(after[1] * longer)),
        Part(measured.layers + calls, float(was), float(was - saved)),
        float(request),
        float(first),
        float(was / request),
        float(saved / request),
        float(request / (request - saved)),
    )


def request_from_share(part_ms: float, share: float) -> float:
    """How long a request is in which a part of so many ms is that share, in (0, 1]; ValueError otherwise.

    >>> f"{request_from_share(13.59, 0.016):.0f}"
    '849'
    """
    part = decimal("part_ms", part_ms, "ms", 0, MAX_MS)
    return float(part / decimal("share", share, "", 0, 1, above=True))
