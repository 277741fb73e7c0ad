"""Which thread of which block works on element i, and which warps a bounds check `if (i < n)` splits.

Blocks of one dimension: thread t of block b has the index i = b × block size + t. A launch needs
⌈n / block size⌉ blocks, so the last one may hold threads without an element. A block is cut into warps of 32
threads from thread 0 on; if its size is no multiple of 32, the last warp of every block is short. A warp diverges
at the check if some of its threads pass and some do not: one warp at most, that of element n. Warps of which all
pass, or none, do not diverge.

Source: CUDA C++ Programming Guide 13.0, 5.2 (thread hierarchy) and 7.1 (how a block is cut into warps).
Left out: grids and blocks of two and three dimensions; loops that give a thread several elements.
"""

from dataclasses import dataclass

from sim.inputs import whole

WARP_LANES = 32
MAX_BLOCK_THREADS = 1024
MAX_BLOCKS = 2**31 - 1  # grid size in x, every compute capability from 3.0 on


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element is worked on; all numbers from 0."""

    element: int
    block: int
    thread: int
    """In its block."""
    warp: int
    """In its block."""
    lane: int


@dataclass(frozen=True, slots=True)
class Warp:
    """One warp at the bounds check."""

    block: int
    warp: int
    """In its block."""
    threads: int
    """1 to 32: fewer than 32 in the last warp of a block whose size is no multiple of 32."""
    live: int
    """Threads with an element."""

    @property
    def diverges(self) -> bool:
        """Whether some of its threads pass the check and some do not."""
        return 0 < self.live < self.threads


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of enough blocks for all elements."""

    elements: int
    block_threads: int

    @property
    def blocks(self) -> int:
        """⌈elements / block_threads⌉."""
        return -(-self.elements // self.block_threads)

    @property
    def threads(self) -> int:
        """Threads launched."""
        return self.blocks * self.block_threads

    @property
    def live_in_last_block(self) -> int:
        """Threads of the last block that have an element, ≥ 1."""
        return self.elements - (self.blocks - 1) * self.block_threads

    @property
    def warps_per_block(self) -> int:
        """⌈block_threads / 32⌉."""
        return -(-self.block_threads // WARP_LANES)

    @property
    def warps(self) -> int:
        """Warps launched."""
        return self.blocks * self.warps_per_block

    @property
    def working_warps(self) -> int:
        """Warps with an element."""
        return (self.blocks - 1) * self.warps_per_block + -(-self.live_in_last_block // WARP_LANES)

    @property
    def idle_warps(self) -> int:
        """Warps that are launched and find nothing to do; they do not diverge."""
        return self.warps - self.working_warps

    @property
    def whole_warps(self) -> int:
        """Warps with threads that all have an element."""
        return self.working_warps - (self.divergent is not None)

    @property
    def empty_lanes(self) -> int:
        """Lanes without a thread: those that short warps leave."""
        return self.warps * WARP_LANES - self.threads

    @property
    def divergent(self) -> Warp | None:
        """The warp that the check splits, if one is."""
        last = self.warp(self.blocks - 1, (self.live_in_last_block - 1) // WARP_LANES)
        return last if last.diverges else None

    def warp(self, block: int, warp: int) -> Warp:
        """Warp ``warp`` of block ``block``; ValueError if the launch has no such warp."""
        whole("block", block, 0, self.blocks - 1)
        whole("warp", warp, 0, self.warps_per_block - 1)
        first = warp * WARP_LANES
        threads = min(WARP_LANES, self.block_threads - first)
        live = self.elements - block * self.block_threads - first
        return Warp(block, warp, threads, max(0, min(threads, live)))

    def live_in_block(self, block: int) -> int:
        """Threads of a block that have an element; ValueError if the launch has no such block."""
        whole("block", block, 0, self.blocks - 1)
        return min(self.block_threads, self.elements - block * self.block_threads)

    def block(self, block: int) -> tuple[Warp, ...]:
        """All warps of one block; ValueError if the launch has no such block."""
        return tuple(self.warp(block, warp) for warp in range(self.warps_per_block))

    def locate(self, element: int) -> Place:
        """Where an element is worked on; ValueError outside 0 to elements - 1.

        >>> launch(1_000_000, 128).locate(999_999)
        Place(element=999999, block=7812, thread=63, warp=1, lane=31)
        """
        whole("element", element, 0, self.elements - 1)
        block, thread = divmod(element, self.block_threads)
        return Place(element, block, thread, *divmod(thread, WARP_LANES))


def launch(elements: int, block_threads: int) -> Launch:
    """Cover ``elements`` (≥ 1) with blocks of 1 to 1024 threads, 2³¹ - 1 blocks at most; ValueError otherwise.

    >>> big = launch(1_000_000, 128)
    >>> big.blocks, big.live_in_last_block, big.working_warps, big.idle_warps, big.divergent
    (7813, 64, 31250, 2, None)
    >>> launch(100, 128).divergent
    Warp(block=0, warp=3, threads=32, live=4)
    """
    whole("block_threads", block_threads, 1, MAX_BLOCK_THREADS)
    whole("elements", elements, 1, MAX_BLOCKS * block_threads)
    return Launch(elements, block_threads)
