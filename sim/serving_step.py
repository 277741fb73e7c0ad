"""Steps of a serving engine: schedule, run the model on the GPU, handle the output, answer the clients.

In the plain loop one process does all of it in turn, and the GPU waits. Three changes, alone or together: the server
that answers clients is a process of its own; one schedule serves several steps, which then follow each other on the
GPU; output is handled while the GPU is in the next step instead of before it. Without the last, the outputs of all
steps of a schedule are handled after its last step. A request that has just missed a schedule waits for the next.

However little the host does, a step takes at least the GPU's time: of a step with a busy share b of the GPU, at most
1/b is to be gained.

Source: vLLM blog, 2024-09-05 (v0.6.0): Llama 3 8B on one H100 spent 33 % of a step in the server, 29 % in scheduling
and gathering results, 38 % on the GPU; the three changes are its list. That the 29 % are 19 % scheduling and 10 %
output here is a choice.
Left out: batches that change size; requests that come and go; the cost of talking between processes; that the host
slows down when two processes share it.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import Literal, cast

from sim.decimals import check, decimal
from sim.events import Task, run
from sim.inputs import whole

MAX_STEPS = 200
MAX_MS = 1e6

Part = Literal["schedule", "GPU", "output", "server"]


@dataclass(frozen=True, slots=True)
class Span:
    """One part of one step, on the row "engine", "GPU" or "server"; times in ms (or any unit given)."""

    part: Part
    step: int
    row: str
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Serving:
    """The whole trace, by start."""

    spans: tuple[Span, ...]
    steps: int
    total_ms: float
    first_token_ms: float
    """When the clients have the first step's output."""
    longest_wait_ms: float
    """Longest time between two schedules, or from the last one to the end: what a request may wait to be seen."""

    @property
    def step_ms(self) -> float:
        """Mean time of a step."""
        return self.total_ms / self.steps

    @property
    def gpu_busy(self) -> float:
        """Share of the total in which the GPU works."""
        return fsum(span.end_ms - span.start_ms for span in self.spans if span.part == "GPU") / self.total_ms


def simulate(
    steps: int = 20,
    *,
    server_ms: float = 33.0,
    schedule_ms: float = 19.0,
    output_ms: float = 10.0,
    gpu_ms: float = 38.0,
    server_apart: bool = False,
    steps_per_schedule: int = 1,
    output_async: bool = False,
) -> Serving:
    """Run 1 to 200 steps; times from 0 to 1e6 ms, ``gpu_ms`` above 0; 1 to 200 ``steps_per_schedule``.

    Raises ValueError for anything else. The defaults are percent of a plain step.

    >>> plain, changed = simulate(), simulate(server_apart=True, steps_per_schedule=10, output_async=True)
    >>> plain.step_ms, f"{plain.gpu_busy:.0%}"
    (100.0, '38%')
    >>> f"{plain.step_ms / changed.step_ms:.2f}", f"{most_to_gain(plain.gpu_busy):.2f}"
    ('2.38', '2.63')
    """
    whole("steps", steps, 1, MAX_STEPS)
    whole("steps_per_schedule", steps_per_schedule, 1, MAX_STEPS)
    for name, value in (("server_apart", server_apart), ("output_async", output_async)):
        if type(value) is not bool:
            raise ValueError(f"{name} is {value!r}; it must be True or False")
    for name, ms in (("server_ms", server_ms), ("schedule_ms", schedule_ms), ("output_ms", output_ms)):
        check(name, ms, "ms", 0, MAX_MS)
    check("gpu_ms", gpu_ms, "ms", 0, MAX_MS, above=True)

    def handle(step: int, ready: int) -> list[Task]:
        row = "server" if server_apart else "engine"
        return [
            Task(("output", step), "engine", output_ms, (("GPU", ready),)),
            Task(("server", step), row, server_ms, (("output", step),)),
        ]

    tasks: list[Task] = []
    for first in range(0, steps, steps_per_schedule):
        group = range(first, min(first + steps_per_schedule, steps))
        tasks.append(Task(("schedule", first), "engine", schedule_ms, (("GPU", first - 1),) if first else ()))
        tasks += [Task(("GPU", step), "GPU", gpu_ms, (("schedule", first),)) for step in group]
        if output_async and first:
            tasks += handle(first - 1, first - 1)  # left over from the schedule before
        for step in group[:-1] if output_async else group:
            tasks += handle(step, step if output_async else group[-1])
    if output_async:
        tasks += handle(steps - 1, steps - 1)
    plan = run(tasks)
    spans = [
        Span(cast(Part, span.task.key[0]), span.task.key[1], span.task.row, span.start_us, span.end_us)
        for span in plan.spans.values()
        if isinstance(span.task.key, tuple)
    ]
    spans.sort(key=lambda span: (span.start_ms, span.step))
    seen = [span.start_ms for span in spans if span.part == "schedule"] + [plan.total_us]
    waits = [later - earlier for earlier, later in pairwise(seen)]
    return Serving(tuple(spans), steps, plan.total_us, plan.spans["server", 0].end_us, max(waits))


def most_to_gain(gpu_busy: float) -> float:
    """1 / busy share, the share above 0 and at most 1: the speed-up if the GPU never waited; ValueError otherwise."""
    return float(1 / decimal("gpu_busy", gpu_busy, "", 0, 1, above=True))
