"""Reuse inside a block: every thread reads what it needs from device memory, or the block stages it once.

A block has `threads` threads; `readers` successive threads need the same `values` elements, so the block needs
`values` × `threads` / `readers` distinct ones. They lie so that a warp reads as few sectors as it can: value j of
reader group g is element j × groups + g.

- Direct: in step j each thread loads its value j from device memory.
- Staged: the threads load each distinct element once, thread t elements t, t + threads, …, and store them to shared
  memory; after a barrier each thread loads its values from there.

A warp's instruction with at least one active lane is a request. Its sectors come from `sim.coalescing`. Without a
cache every request moves its sectors again; with a cache that hits whatever was read before, each distinct sector
moves once.

Source: CUDA C++ Programming Guide, "Shared Memory" (staging, `__syncthreads`); CUDA C++ Best Practices Guide,
"Shared Memory in Matrix Multiplication"; 48 KiB a block without the opt-in: CUDA Programming Guide, 5.1.
Left out: time; bank conflicts (a broadcast has none); what else would live in the cache, so that real traffic lies
between the two counts; registers that keep a value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sim import coalescing
from sim.coalescing import INACTIVE, SECTOR_BYTES, WARP_LANES, WIDTHS_BYTES
from sim.inputs import whole

MAX_THREADS = 1024  # of a block
MAX_VALUES = 128  # bounds the trace: 32 warps × 128 steps
DEFAULT_SHARED_LIMIT_BYTES = 49_152


@dataclass(frozen=True, slots=True)
class Request:
    """One load instruction of one warp from device memory."""

    step: int
    warp: int
    elements: range
    """The distinct elements asked for: successive ones."""
    loads: int
    """Active lanes: element loads."""
    sectors: int


@dataclass(frozen=True, slots=True)
class Way:
    """One of the two ways, with its whole list of requests to device memory."""

    global_requests: tuple[Request, ...]
    shared_stores: int
    """Requests that store to shared memory."""
    shared_loads: int
    """Requests that load from shared memory."""
    barriers: int
    shared_bytes: int
    """Shared memory that the block occupies."""
    distinct_sectors: int

    @property
    def element_loads(self) -> int:
        """Elements loaded from device memory, counted lane by lane."""
        return sum(request.loads for request in self.global_requests)

    @property
    def warp_requests(self) -> int:
        """Load instructions of warps to device memory."""
        return len(self.global_requests)

    @property
    def shared_requests(self) -> int:
        """Requests to shared memory."""
        return self.shared_stores + self.shared_loads

    @property
    def all_requests(self) -> int:
        """Requests to device and shared memory together."""
        return len(self.global_requests) + self.shared_requests

    @property
    def bytes_uncached(self) -> int:
        """Bytes moved when every request moves its sectors."""
        return SECTOR_BYTES * sum(request.sectors for request in self.global_requests)

    @property
    def bytes_cached(self) -> int:
        """Bytes moved when a cache hits on every sector that was read before."""
        return SECTOR_BYTES * self.distinct_sectors

    def bytes_moved(self, cached: bool) -> int:
        """Bytes moved with such a cache, or without one."""
        return self.bytes_cached if cached else self.bytes_uncached


@dataclass(frozen=True, slots=True)
class Reuse:
    """Both ways of one block."""

    direct: Way
    staged: Way
    fits: bool
    """Whether the staged elements fit the limit of shared memory given."""

    def staging_loses(self, cached: bool) -> bool:
        """Whether staging saves no byte from device memory: then its extra requests and barrier buy nothing."""
        return self.saved_bytes(cached) <= 0

    def saved_bytes(self, cached: bool) -> int:
        """Bytes from device memory that staging saves."""
        return self.direct.bytes_moved(cached) - self.staged.bytes_moved(cached)


def simulate(
    threads: int = 128,
    values: int = 128,
    element_bytes: int = 4,
    readers: int | None = None,
    shared_limit_bytes: int = DEFAULT_SHARED_LIMIT_BYTES,
) -> Reuse:
    """Count both ways.

    Args:
        threads: of the block, 1..1024.
        values: elements that each thread needs, 1..128.
        element_bytes: 1, 2, 4, 8 or 16.
        readers: successive threads that need the same elements, a divisor of `threads`; None: all of them.
        shared_limit_bytes: shared memory that the block may use, ≥ 0.

    Raises:
        ValueError: a value that is not a whole number in its range.

    >>> same = simulate(threads=128, values=128)
    >>> same.direct.element_loads, same.staged.element_loads
    (16384, 128)
    >>> same.direct.warp_requests, same.staged.warp_requests
    (512, 4)
    >>> same.direct.bytes_uncached, same.direct.bytes_cached, same.staged.bytes_uncached
    (16384, 512, 512)
    >>> simulate(values=4, readers=1).staging_loses(cached=False)
    True
    """
    whole("threads", threads, 1, MAX_THREADS)
    whole("values", values, 1, MAX_VALUES)
    if type(element_bytes) is not int or element_bytes not in WIDTHS_BYTES:
        raise ValueError(f"element_bytes is {element_bytes!r}; it must be 1, 2, 4, 8 or 16")
    readers = threads if readers is None else readers
    whole("readers", readers, 1, threads)
    if threads % readers:
        raise ValueError(f"readers is {readers}; it must divide the {threads} threads")
    whole("shared_limit_bytes", shared_limit_bytes, 0)

    groups = threads // readers
    distinct = values * groups
    direct = _requests(
        [(step * groups, threads) for step in range(values)], [t // readers for t in range(threads)], element_bytes
    )
    passes = [(start, min(threads, distinct - start)) for start in range(0, distinct, threads)]
    staged = _requests(passes, range(threads), element_bytes)
    sectors = -(-distinct * element_bytes // SECTOR_BYTES)
    shared_bytes = distinct * element_bytes
    return Reuse(
        Way(direct, 0, 0, 0, 0, sectors),
        Way(staged, len(staged), len(direct), 1, shared_bytes, sectors),
        shared_bytes <= shared_limit_bytes,
    )


def _requests(steps: list[tuple[int, int]], distances: Sequence[int], element_bytes: int) -> tuple[Request, ...]:
    """Requests of steps (first element, active threads); thread t asks for the element at its distance from there."""
    shapes: dict[tuple[int, ...], int] = {}  # of lanes, from the first one on → a number
    numbers: dict[tuple[int, int], int] = {}
    sectors: dict[tuple[int, int], int] = {}  # a shift by whole sectors does not change how many
    requests = []
    for step, (first, active) in enumerate(steps):
        for warp, start in enumerate(range(0, active, WARP_LANES)):
            end = min(start + WARP_LANES, active)
            if (start, end) not in numbers:
                shape = tuple(distance - distances[start] for distance in distances[start:end])
                numbers[start, end] = shapes.setdefault(shape, len(shapes))
            lowest = first + distances[start]
            key = numbers[start, end], lowest * element_bytes % SECTOR_BYTES
            if key not in sectors:
                addresses = [
                    key[1] + (distance - distances[start]) * element_bytes for distance in distances[start:end]
                ]
                idle = [INACTIVE] * (WARP_LANES - len(addresses))
                sectors[key] = coalescing.simulate(addresses + idle, element_bytes).sectors
            elements = range(lowest, first + distances[end - 1] + 1)
            requests.append(Request(step, warp, elements, end - start, sectors[key]))
    return tuple(requests)
