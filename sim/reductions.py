"""Splitting the rows of an RMSNorm over the SMs: more tasks, more bytes, one more pass.

A task a row: it reads its row once, keeps it, adds up the squares, and writes the row normalised. With few
rows most SMs have nothing to do. Split each row in s parts: in the first pass rows·s tasks read a part each
and write an FP32 partial sum; in the second, as many tasks read the s partial sums of their row and their
part again, and write it. Every row is read twice, and the second pass waits for the first.

Time of a pass: tasks run one an SM, in ceil(tasks / SMs) waves; a wave takes as long as its largest task needs
at an SM's share of the memory bandwidth, bandwidth / SMs. The second pass adds a fixed wait: at least one more
trip to memory when both passes are one kernel, some microseconds when it is a kernel of its own.

With W numbers of b bytes a row, one row, and an SM for every part, bytes a task are 3·b·W/s + 4 + 4·s, least
at s = sqrt(3·b·W/4): the model's best split while that is below the number of SMs.

Source: H100 SXM, 132 SMs and 3.35 TB/s (sim/gpus.toml); a load that misses every cache, 656 cycles at 1.755 GHz
(W. Luo et al., arXiv 2501.12084); from one kernel to the next about 2.1 µs (reported by Stanford's Hazy Research
for an H100, 2025).
Left out: caches (the second reading often comes from L2), latency inside a pass, an SM that draws more than its
share when others are idle, the row of weights, arithmetic.
"""

from dataclasses import dataclass

from sim.inputs import positive, whole

SMS = 132
BANDWIDTH_BYTE_PER_S = 3.35e12
MEMORY_TRIP_US = 656 / 1755  # cycles / (cycles a µs): 0.374
NEXT_KERNEL_US = 2.1
PARTIAL_BYTES = 4  # FP32
MAX_ROWS = 1 << 20
MAX_WIDTH = 1 << 20
MAX_SEGMENTS = 1024


@dataclass(frozen=True, slots=True)
class Pass:
    """All tasks of one kernel, or of one half of it."""

    name: str
    tasks: int
    waves: int
    busy_sms: int
    """SMs that get a task at all."""
    busy_share: float
    """Tasks / (waves × SMs), in (0, 1]: the share of the SMs' turns that do something."""
    read_bytes: int
    write_bytes: int
    task_bytes: int
    """Bytes of the largest task, read and written."""
    wait_us: float
    """Fixed wait before it starts."""
    work_us: float


@dataclass(frozen=True, slots=True)
class Split:
    """One way to divide the rows: one pass for s = 1, two otherwise."""

    rows: int
    width: int
    segments: int
    passes: tuple[Pass, ...]

    @property
    def tasks(self) -> int:
        """Tasks of a pass, rows × segments."""
        return self.passes[0].tasks

    @property
    def traffic_bytes(self) -> int:
        """Bytes read and written, in all passes."""
        return sum(one.read_bytes + one.write_bytes for one in self.passes)

    @property
    def time_us(self) -> float:
        """Waits and work of all passes."""
        return sum(one.wait_us + one.work_us for one in self.passes)


def split(
    rows: int,
    width: int,
    segments: int,
    *,
    element_bytes: int = 2,
    sms: int = SMS,
    bandwidth_byte_per_s: float = BANDWIDTH_BYTE_PER_S,
    second_pass_us: float = MEMORY_TRIP_US,
) -> Split:
    """Tasks, bytes and time of an RMSNorm of ``rows`` × ``width`` with each row in ``segments`` parts.

    ``rows`` and ``width`` 1 to 2^20; ``segments`` 1 to ``width``, at most 1024; ``element_bytes`` 1 to 8;
    ``sms`` 1 to 1024; bandwidth > 0; ``second_pass_us`` 0 to 1e6. Raises ValueError for anything else.

    >>> one, many = split(1, 4096, 1), split(1, 4096, 64)
    >>> one.tasks, one.passes[0].busy_sms, many.tasks, many.passes[1].busy_sms
    (1, 1, 64, 64)
    >>> one.traffic_bytes, many.traffic_bytes - one.traffic_bytes  # 8192 read again, 256 + 64 · 256
    (16384, 24832)
    """
    whole("rows", rows, 1, MAX_ROWS)
    whole("width", width, 1, MAX_WIDTH)
    whole("segments", segments, 1, min(width, MAX_SEGMENTS))
    whole("element_bytes", element_bytes, 1, 8)
    whole("sms", sms, 1, 1024)
    positive("bandwidth_byte_per_s", bandwidth_byte_per_s, "B/s", 1e15)
    if not 0 <= second_pass_us <= 1e6:
        raise ValueError(f"second_pass_us is {second_pass_us}; it must be from 0 to 1e6 µs")
    row_bytes, part_bytes = width * element_bytes, -(-width // segments) * element_bytes
    tasks = rows * segments
    waves = -(-tasks // sms)
    us_a_byte = 1e6 * sms / bandwidth_byte_per_s  # on one SM

    def one_pass(name: str, wait_us: float, read_bytes: int, write_bytes: int, task_bytes: int) -> Pass:
        busy, work_us = tasks / (waves * sms), waves * task_bytes * us_a_byte
        return Pass(name, tasks, waves, min(tasks, sms), busy, read_bytes, write_bytes, task_bytes, wait_us, work_us)

    all_rows = rows * row_bytes
    if segments == 1:
        return Split(rows, width, segments, (one_pass("normalise", 0.0, all_rows, all_rows, 2 * row_bytes),))
    partials = segments * PARTIAL_BYTES  # of one row; each of its tasks in the second pass reads them all
    first = one_pass("sum", 0.0, all_rows, tasks * PARTIAL_BYTES, part_bytes + PARTIAL_BYTES)
    second = one_pass("normalise", second_pass_us, all_rows + tasks * partials, all_rows, 2 * part_bytes + partials)
    return Split(rows, width, segments, (first, second))


def best_split(
    rows: int,
    width: int,
    *,
    most: int = 132,
    element_bytes: int = 2,
    sms: int = SMS,
    bandwidth_byte_per_s: float = BANDWIDTH_BYTE_PER_S,
    second_pass_us: float = MEMORY_TRIP_US,
) -> Split:
    """The split that takes least time among 1 to ``most`` segments (1 to 1024); of equals, the fewest.

    Other arguments and errors as `split`.

    >>> best_split(1, 4096).segments, best_split(1024, 4096).segments
    (76, 1)
    >>> best_split(1, 4096, second_pass_us=NEXT_KERNEL_US).segments
    1
    """
    whole("most", most, 1, MAX_SEGMENTS)
    whole("width", width, 1, MAX_WIDTH)
    tried = (
        split(
            rows,
            width,
            segments,
            element_bytes=element_bytes,
            sms=sms,
            bandwidth_byte_per_s=bandwidth_byte_per_s,
            second_pass_us=second_pass_us,
        )
        for segments in range(1, min(most, width) + 1)
    )
    return min(tried, key=lambda way: way.time_us)
