"""Which lane of a warp takes which element, and which lanes are switched on.

The addresses a warp asks for are a set; who asks for which of them is an order. Both are changed here and nothing
else, so that a figure can show that the order costs nothing and that an absent lane may save nothing.

Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" (a permutation inside a segment costs
nothing); CUDA C++ Programming Guide, "SIMT Architecture" (inactive threads).
Left out: why a kernel would hand its lanes elements in such an order.
"""

from collections.abc import Mapping, Sequence

from sim.coalescing import INACTIVE, WARP_LANES

ORDERS = {
    "forward": tuple(range(WARP_LANES)),
    "reversed": tuple(range(WARP_LANES))[::-1],
    "shuffled": tuple(lane * 11 % WARP_LANES for lane in range(WARP_LANES)),  # 11 is odd: every element once
}
"""For each order the element of lane i."""

LANES = {
    "all": frozenset(range(WARP_LANES)),
    "even": frozenset(range(0, WARP_LANES, 2)),
    "low": frozenset(range(WARP_LANES // 2)),
    "one": frozenset({0}),
}
"""For each choice the lanes that are switched on."""


def in_order(addresses: Sequence[int], order: str) -> tuple[int, ...]:
    """Return the same 32 addresses, handed to the lanes in an order of `ORDERS`.

    Raises:
        ValueError: not 32 addresses, an unknown order.

    >>> in_order(range(0, 128, 4), "reversed")[:3]
    (124, 120, 116)
    """
    _check(addresses, order, ORDERS, "order")
    return tuple(addresses[element] for element in ORDERS[order])


def switched(addresses: Sequence[int], lanes: str) -> tuple[int, ...]:
    """Return the addresses of the lanes that a choice of `LANES` leaves on, -1 for all others.

    Raises:
        ValueError: not 32 addresses, an unknown choice.

    >>> switched(range(32), "even")[:4]
    (0, -1, 2, -1)
    """
    _check(addresses, lanes, LANES, "lanes")
    return tuple(address if lane in LANES[lanes] else INACTIVE for lane, address in enumerate(addresses))


def _check(addresses: Sequence[int], name: str, known: Mapping[str, object], what: str) -> None:
    if len(addresses) != WARP_LANES:
        raise ValueError(f"{len(addresses)} addresses given; a warp has {WARP_LANES} lanes, so {WARP_LANES}")
    if name not in known:
        raise ValueError(f"{what} is {name!r}; it must be one of {', '.join(known)}")
