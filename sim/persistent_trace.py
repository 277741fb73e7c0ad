"""What `sim.persistent` returns: tasks of workers, what hangs, what races, and where the saving comes from; µs.

Source: none; these are records. Left out: nothing that the simulator knows.
"""

from dataclasses import dataclass

from sim.slots import Race

Work = tuple[int, int]
"""(stage, block)."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task: its worker free from ``free_us``, its flag set by ``start_us``, fetched by ``work_start_us``."""

    stage: int
    block: int
    worker: int
    free_us: float
    start_us: float
    work_start_us: float
    end_us: float

    @property
    def waited_us(self) -> float:
        """How long the worker was held by the flag (or, before its first task, by the launch)."""
        return self.start_us - self.free_us


@dataclass(frozen=True, slots=True)
class Stuck:
    """A worker that never goes on: the task it is at, and the one whose flag it lacks.

    ``never``: nobody has that one; otherwise its worker is stuck itself.
    """

    task: Work
    worker: int
    waits_for: Work
    never: bool


@dataclass(frozen=True, slots=True)
class Saving:
    """What the persistent kernel saves, in parts."""

    launches_us: float
    """Launches that fall away."""
    hidden_us: float
    """Work that runs beside other work: all that is not on the critical path."""
    hidden_tasks: int
    overhead_us: float
    """Fetching the tasks on the critical path."""

    @property
    def total_us(self) -> float:
        """Saved in all; negative if it is slower."""
        return self.launches_us + self.hidden_us - self.overhead_us


@dataclass(frozen=True, slots=True)
class Persistent:
    """The whole trace, tasks by start.

    ``cycles``: tasks that are each held by the next, the last by the first. In the races, slot s·blocks + b is what
    stage s leaves of block b, and tasks are numbered likewise. ``early``: tasks that started before their input was
    whole, in this run. ``critical``: tasks without a pause from the launch to the end; empty if any is ``stuck``.
    ``saving``: None if a task is stuck or nobody has it.
    """

    runs: tuple[TaskRun, ...]
    stuck: tuple[Stuck, ...]
    cycles: tuple[tuple[Work, ...], ...]
    races: tuple[Race, ...]
    early: tuple[Work, ...]
    critical: tuple[Work, ...]
    total_us: float
    saving: Saving | None
