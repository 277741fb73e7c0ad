"""Newer values under a reader: which change to the double buffer lets copy 2 into the slot of kernel 0?"""

from sim.streams import Enqueue, Sync, double_buffer, simulate
from widgets.lab import Choice

BUILT = double_buffer(4, 40, 55, slots=2)
PROGRAMS = {
    "free": double_buffer(4, 40, 55, slots=2, leave_out="free"),
    "filled": double_buffer(4, 40, 55, slots=2, leave_out="filled"),
    "sync": tuple(step for step in BUILT if not isinstance(step, Sync)),
    "kernels": BUILT,  # one compute stream, as it should be
}


def overwrites(key: str) -> bool:
    """Say whether nothing orders kernel 0 before copy 2."""
    line = simulate(PROGRAMS[key])
    names = {step: work.name for step, work in enumerate(line.program) if isinstance(work, Enqueue)}
    return any({names[race.first], names[race.second]} == {"kernel 0", "copy 2"} for race in line.races)


def answer() -> Choice:
    """Return the one program in which it can happen."""
    (key,) = (key for key in PROGRAMS if overwrites(key))
    return Choice(key, tuple(PROGRAMS))


def mistakes() -> dict[str, str]:
    """Return the others."""
    return {key: key for key in PROGRAMS if key != answer().key}
