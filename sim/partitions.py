"""Where to cut a chain of operators into kernels: 2^(n-1) ways, what each costs, and the best that fits.

Between two neighbours of a chain there is a cut or none, so n operators can be cut in 2^(n-1) ways. Traffic
adds over the kernels; device memory, registers and shared memory are those of the kernel that needs most. The
best way is legal, within the budget, and has least traffic; of equals, fewest kernels; of equals, the one
that cuts earliest. Since kernels of a chain do not depend on each other's cuts, the best way for the last
operators is part of the best way for all, and n·(n+1)/2 kernels need looking at, not 2^(n-1) ways.

Source: R. Bellman, "Dynamic Programming", 1957 (best ways are made of best ways). Legality: sim/
operator_chain.py; traffic and memory: sim/fusion.py.
Left out: time other than traffic; operators that are cheaper done twice than kept.
"""

from dataclasses import dataclass
from itertools import pairwise

from sim.inputs import whole
from sim.operator_chain import MAX_REGISTERS, MAX_SHARED_BYTES, Chain, Part, parts

MAX_ENUMERATED = 10  # stages: 512 ways to cut


@dataclass(frozen=True, slots=True)
class Partition:
    """One way to cut: kernels in order."""

    parts: tuple[Part, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Operators in each kernel."""
        return tuple(part.stop - part.start for part in self.parts)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it is illegal; empty if it is legal."""
        return tuple(part.problem for part in self.parts if part.problem is not None)

    @property
    def traffic_bytes(self) -> int:
        """Bytes read and written by all kernels."""
        return sum(part.traffic_bytes for part in self.parts)

    @property
    def peak_bytes(self) -> int:
        """Most bytes in device memory while a kernel runs."""
        return max(part.kernel.live_bytes for part in self.parts)

    @property
    def registers(self) -> int:
        """Registers a thread of the kernel that holds most."""
        return max(part.registers for part in self.parts)

    @property
    def shared_bytes(self) -> int:
        """Shared memory a block of the kernel that holds most."""
        return max(part.shared_bytes for part in self.parts)

    def fits(self, max_registers: int, max_shared_bytes: int) -> bool:
        """Whether it is legal and within the budget."""
        return not self.problems and self.registers <= max_registers and self.shared_bytes <= max_shared_bytes


def every_partition(chain: Chain) -> tuple[Partition, ...]:
    """All 2^(n-1) ways to cut a chain of at most 10 stages; bit i of the index: a cut behind stage i.

    >>> from sim.ffn_chain import ffn_chain
    >>> ways = every_partition(ffn_chain())
    >>> len(ways), sum(not way.problems for way in ways), ways[-1].traffic_bytes >> 20
    (32, 28, 2516)
    """
    count = len(chain.stages)
    if count > MAX_ENUMERATED:
        raise ValueError(
            f"{count} stages can be cut in 2^{count - 1} ways; give at most {MAX_ENUMERATED}, or ask for the best way"
        )
    by_ends = parts(chain)
    ways = []
    for cuts in range(1 << (count - 1)):
        ends = [0, *(i + 1 for i in range(count - 1) if cuts >> i & 1), count]
        ways.append(Partition(tuple(by_ends[pair] for pair in pairwise(ends))))
    return tuple(ways)


def best_partition(chain: Chain, max_registers: int, max_shared_bytes: int) -> Partition | None:
    """The best way within ``max_registers`` a thread (0 to 255) and ``max_shared_bytes`` a block (0 to 2^20).

    None if no way fits, which is so if and only if some operator does not fit alone. ValueError for a budget
    out of range.

    >>> from sim.ffn_chain import ffn_chain
    >>> best_partition(ffn_chain(), 128, 101_376).sizes, best_partition(ffn_chain(), 64, 101_376)
    ((1, 3, 2), None)
    """
    whole("max_registers", max_registers, 0, MAX_REGISTERS)
    whole("max_shared_bytes", max_shared_bytes, 0, MAX_SHARED_BYTES)
    usable = [
        part
        for part in parts(chain).values()
        if not part.problem and part.registers <= max_registers and part.shared_bytes <= max_shared_bytes
    ]
    nothing: tuple[Part, ...] = ()
    best = {len(chain.stages): nothing}  # first stage → best way from it to the end
    for start in reversed(range(len(chain.stages))):
        ways = [(part, *best[part.stop]) for part in usable if part.start == start and part.stop in best]
        if ways:
            best[start] = min(ways, key=_rank)
    return Partition(best[0]) if 0 in best else None


def _rank(way: tuple[Part, ...]) -> tuple[int, int, tuple[int, ...]]:
    return sum(part.traffic_bytes for part in way), len(way), tuple(part.stop for part in way)
