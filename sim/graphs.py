"""Some FFNs one after another, launched four ways: eager, fused, as graphs, fused and as graphs.

Fusing replaces two neighbouring kernels by one, in every FFN: fewer kernels and, if each is launched by itself, as
many fewer calls. A graph hands over all kernels of one FFN in one call: fewer calls, the same kernels. Which of the
two saves time depends on who waits: calls matter while the host sets the pace, kernels while the GPU does.

Source: 5 µs a launch: the launch path takes about 4 to 6 µs on an RTX 5070 Ti, CUDA 13.0 (susun-blog.com,
"pegainfer-3-cuda-graph"); 2.5 µs and 1 ns a kernel to replay a straight-line graph from CUDA 12.6 on (NVIDIA,
"Constant Time Launch for Straight-Line CUDA Graphs"). The kernels' times are a choice, those of SiLU, the product
and both fused in the ratio of their bytes, 48 : 72 : 72 MiB for [1024, 12288] in BF16.
Left out: capturing the graph; copying inputs to its buffers (sim/graph_inputs.py); what `sim.submissions` leaves out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sim.decimals import check
from sim.inputs import whole
from sim.submissions import MAX_KERNELS, MAX_US, Kernel, Submission, Timeline
from sim.submissions import simulate as hand_over

LAUNCH_US = 5.0
REPLAY_US = 2.5
REPLAY_KERNEL_US = 0.001
FFN = (
    Kernel("norm", 2.0),
    Kernel("gate", 6.0),
    Kernel("up", 6.0),
    Kernel("SiLU", 2.0),
    Kernel("multiply", 3.0),
    Kernel("down", 6.0),
)
FUSED = Kernel("SiLU and multiply", 3.0)
FUSED_AT = 3  # it takes the place of kernels 3 and 4

Mode = Literal["eager", "fused", "graph", "fused graph"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Launched:
    """One of the ways: counts, and the whole trace."""

    mode: Mode
    submissions: int
    """Calls of the host that hand over work."""
    kernels: int
    """Kernels that the GPU runs."""
    timeline: Timeline


def simulate(
    mode: Mode,
    ffns: int = 3,
    *,
    kernels: Sequence[Kernel] = FFN,
    fused: Kernel = FUSED,
    fused_at: int = FUSED_AT,
    launch_us: float = LAUNCH_US,
    replay_us: float = REPLAY_US,
    replay_kernel_us: float = REPLAY_KERNEL_US,
) -> Launched:
    """Launch 1 or more FFNs of 2 or more kernels, at most 1000 in all; times from 0 to 1e9 µs.

    ``fused`` takes the place of kernels ``fused_at`` and ``fused_at`` + 1. A replay takes the host ``replay_us`` and
    ``replay_kernel_us`` more for each kernel in it. Raises ValueError for anything else.

    >>> for mode in MODES:
    ...     way = simulate(mode)
    ...     print(mode, way.submissions, way.kernels, round(way.timeline.total_us, 3))
    eager 18 18 96.0
    fused 15 15 81.0
    graph 3 18 77.506
    fused graph 3 15 71.505
    """
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}")
    whole("the number of kernels of an FFN", len(kernels), 2, MAX_KERNELS)
    whole("ffns", ffns, 1, MAX_KERNELS // len(kernels))
    whole("fused_at", fused_at, 0, len(kernels) - 2)
    for name, us in (("launch_us", launch_us), ("replay_us", replay_us), ("replay_kernel_us", replay_kernel_us)):
        check(name, us, "µs", 0, MAX_US)
    one = tuple(kernels)
    if "fused" in mode:
        one = (*one[:fused_at], fused, *one[fused_at + 2 :])
    if "graph" in mode:
        calls = [Submission(replay_us + replay_kernel_us * len(one), one)] * ffns
    else:
        calls = [Submission(launch_us, (kernel,)) for kernel in one] * ffns
    timeline = hand_over(calls)
    return Launched(mode, len(timeline.calls), len(timeline.runs), timeline)


def compare(ffns: int = 3) -> dict[Mode, Launched]:
    """All four ways with the default times; ``ffns`` 1 to 166, ValueError otherwise."""
    return {mode: simulate(mode, ffns) for mode in MODES}
