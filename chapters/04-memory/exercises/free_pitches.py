"""Which paddings of a 32 × 32 tile free its columns of conflicts: those with a pitch that shares no factor with 32."""

from sim.tile_addresses import Tile
from widgets.lab import ValueSet

PITCHES = (33, 34, 36, 40, 41, 48)
EXTRA = {pitch: Tile(32, 32, pitch).by_columns().extra_wavefronts for pitch in PITCHES}


def answer() -> ValueSet:
    """Return the pitches that leave no extra wavefront."""
    return ValueSet(tuple(pitch for pitch in PITCHES if EXTRA[pitch] == 0))


def mistakes() -> dict[str, list[int]]:
    """Return all of them, the first right one alone, and those that do leave a conflict."""
    free = [pitch for pitch in PITCHES if EXTRA[pitch] == 0]
    return {"any": list(PITCHES), "first": free[:1], "even": [pitch for pitch in PITCHES if EXTRA[pitch]]}
