"""Bytes between host and device: straight from pinned memory, or staged through it piece by piece.

A copy engine can only read memory that cannot be paged out. From pageable memory the host first copies each
piece into one of a few pinned staging buffers, and the link moves it on from there; the other way round for
device to host. Host and link each do one piece at a time; a piece waits for its buffer. Pinned: the link
alone. On the device: every byte is read and written.

Source: CUDA C++ Best Practices Guide, "Pinned Memory"; 64 GB/s: PCIe 5.0 x16, raw, one direction (63.0 after
128b/130b coding; 55 to 57 measured on Gen5 nodes by nvbandwidth); 4,800 GB/s: NVIDIA H200. Chosen, since
drivers do not document them: 4 MiB pieces, two buffers. 20 GB/s for the host's copy is fitted to a reading.
Left out: the time to allocate; NUMA; several copies that share a link; device to device over two GPUs.
"""

from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

from sim.events import Task, run
from sim.inputs import number, whole

MAX_BYTES = 1 << 40
MAX_PIECES = 256
MAX_BUFFERS = 16
MIN_RATE, MAX_RATE = 1e-3, 1e6  # GB/s, 1e9 bytes a second
MAX_US = 1e9
MIB = 1 << 20

Path = Literal["h2d pinned", "h2d pageable", "d2h pinned", "d2h pageable", "d2d"]
Where = Literal["host", "link", "device"]


@dataclass(frozen=True, slots=True)
class Rates:
    """What the copies run on; rates in 1e9 bytes a second, from 0.001 to 1e6; ValueError outside.

    ``fixed_us``, 0 to 1e9, is paid once a piece on the link, or once a copy on the device. ``piece_bytes``
    from 1 B to 1 TiB, 1 to 16 ``buffers``.
    """

    link_gb_per_s: float = 64.0
    host_gb_per_s: float = 20.0
    device_gb_per_s: float = 4800.0
    fixed_us: float = 0.0
    piece_bytes: int = 4 * MIB
    buffers: int = 2

    def __post_init__(self) -> None:
        number("link_gb_per_s", self.link_gb_per_s, MIN_RATE, MAX_RATE, "GB/s")
        number("host_gb_per_s", self.host_gb_per_s, MIN_RATE, MAX_RATE, "GB/s")
        number("device_gb_per_s", self.device_gb_per_s, MIN_RATE, MAX_RATE, "GB/s")
        number("fixed_us", self.fixed_us, 0, MAX_US, "µs")
        whole("piece_bytes", self.piece_bytes, 1, MAX_BYTES)
        whole("buffers", self.buffers, 1, MAX_BUFFERS)

    def step_us(self, where: Where, size_bytes: int) -> float:
        """How long ``size_bytes`` take in one place, in µs; 1e9 bytes a second are 1e3 a µs."""
        if where == "host":
            return size_bytes / (self.host_gb_per_s * 1e3)
        if where == "link":
            return self.fixed_us + size_bytes / (self.link_gb_per_s * 1e3)
        return self.fixed_us + 2 * size_bytes / (self.device_gb_per_s * 1e3)


@dataclass(frozen=True, slots=True)
class Step:
    """One piece of ``size_bytes`` in one place; it waited for a buffer or for data from ``ready_us`` on.

    ``buffer``: the staging buffer, None where there is none.
    """

    where: Where
    piece: int
    size_bytes: int
    buffer: int | None
    ready_us: float
    start_us: float
    end_us: float


@dataclass(frozen=True, slots=True)
class HostPath:
    """The whole copy: ``steps`` by place and piece."""

    path: Path
    steps: tuple[Step, ...]
    total_us: float


@dataclass(frozen=True, slots=True)
class Reuse:
    """One transfer from pageable memory against one from a pinned buffer that the data were made in.

    ``pays_from_uses``: from this many uses on, a buffer pinned once is not slower; None: the two
    take as long.
    """

    pageable_us: float
    pinned_us: float
    pays_from_uses: int | None

    @property
    def saved_us(self) -> float:
        """What a use of the pinned buffer saves, in µs."""
        return self.pageable_us - self.pinned_us


def simulate(size_bytes: int, path: Path, rates: Rates | None = None) -> HostPath:
    """Copy 1 byte to 1 TiB along one path; a staged copy has at most 256 pieces.

    Raises ValueError for anything else.

    >>> for path in ("h2d pinned", "h2d pageable", "d2d"):
    ...     print(path, round(simulate(64 * MIB, path).total_us))
    h2d pinned 1049
    h2d pageable 3421
    d2d 28
    """
    rates = rates or Rates()
    whole("size_bytes", size_bytes, 1, MAX_BYTES)
    if path not in get_args(Path):
        raise ValueError(f"path is {path!r}; it must be one of {', '.join(get_args(Path))}")
    order: tuple[Where, ...] = ("device",) if path == "d2d" else ("link",)
    sizes = [size_bytes]
    if path.endswith("pageable"):
        order = ("host", "link") if path == "h2d pageable" else ("link", "host")
        pieces = ceil(size_bytes / rates.piece_bytes)
        if pieces > MAX_PIECES:
            raise ValueError(
                f"{size_bytes} bytes are {pieces} pieces of {rates.piece_bytes}; give at most {MAX_PIECES}, "
                f"so piece_bytes of {ceil(size_bytes / MAX_PIECES)} or more"
            )
        sizes = [min(rates.piece_bytes, size_bytes - piece * rates.piece_bytes) for piece in range(pieces)]
    tasks = []
    for piece, size in enumerate(sizes):
        causes = ((order[-1], piece - rates.buffers),) if piece >= rates.buffers else ()
        for where in order:
            tasks.append(Task((where, piece), where, rates.step_us(where, size), causes))
            causes = ((where, piece),)
    plan = run(tasks)
    steps = []
    for where in order:
        for piece, size in enumerate(sizes):
            span, buffer = plan.spans[where, piece], piece % rates.buffers if len(order) == 2 else None
            steps.append(Step(where, piece, size, buffer, span.ready_us, span.start_us, span.end_us))
    return HostPath(path, tuple(steps), plan.total_us)


def reuse(size_bytes: int, pin_us: float, rates: Rates | None = None) -> Reuse:
    """What making the data in pinned memory saves a host-to-device copy, and when pinning it has paid.

    ``pin_us``: pinning that much memory once, 0 to 1e9 µs. Errors as `simulate`.

    >>> plan = reuse(64 * MIB, pin_us=10_000.0)
    >>> round(plan.saved_us), plan.pays_from_uses
    (2372, 5)
    """
    number("pin_us", pin_us, 0, MAX_US, "µs")
    pageable_us, pinned_us = (simulate(size_bytes, path, rates).total_us for path in ("h2d pageable", "h2d pinned"))
    saved_us = pageable_us - pinned_us
    return Reuse(pageable_us, pinned_us, max(1, ceil(pin_us / saved_us)) if saved_us > 0 else None)
