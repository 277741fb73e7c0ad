"""Recorded copies and kernels in pieces, beside the same pieces in the model."""

from __future__ import annotations

from collections.abc import Sequence

from sim.streams import double_buffer, simulate
from widgets.parts import Comparison, Reading
from widgets.words import N_, Words

PIECES = 4  # of the recorded run that stands beside the model: enough to overlap, few enough to be drawn
METHOD = N_("CUDA events or wall clock around PyTorch calls, medians of 20; PyTorch’s version was not noted")
"""How the readings that there are were taken. A reading says it itself; this is here to be translated."""


def compare(readings: Sequence[Reading], words: Words) -> Comparison | None:
    """Return the first reading that has the run in pieces beside the model's time for it; None without one.

    The model takes its durations from the same reading: the copies alone and the kernels alone, divided
    by the number of pieces.
    """
    found = _rows(readings)
    if found is None:
        return None
    reading, pieces, whole = found
    copy_ms, kernel_ms = pieces["h2d_ms"] / PIECES, whole["kernel_ms"] / PIECES
    program = double_buffer(PIECES, 1000 * copy_ms, 1000 * kernel_ms, slots=PIECES)
    size, n = words.num(reading["inputs"]["bytes"] / 2**20), words.num(PIECES)
    return Comparison(
        what=words("{size} MiB in {n} pieces, copied and used", size=size, n=n),
        model=simulate(program, submit_us=0).total_us / 1000,
        recorded=pieces["overlap_ms"],
        unit=words("ms"),
        digits=3,
        by_box=False,
        device=reading["gpu"],
        provenance=words(
            "One {gpu}, {date}: {method}. Model: {n} copies of {copy} ms and {n} times {kernel} ms of kernels,"
            " both recorded alone and divided by {n}; one slot a piece, submission free.",
            gpu=reading["gpu"],
            date=reading["date"],
            method=words(reading["method"]),
            n=n,
            copy=words.num(copy_ms, 3),
            kernel=words.num(kernel_ms, 3),
        ),
    )


def whole_ms(readings: Sequence[Reading]) -> float:
    """Return how long the same copies and kernels took in one piece, in ms; only where `compare` finds a reading."""
    found = _rows(readings)
    assert found is not None
    return float(found[2]["overlap_ms"])


def _rows(readings: Sequence[Reading]) -> tuple[Reading, Reading, Reading] | None:
    """Return the first reading that has all that is needed, with its rows for the pieces and for the whole."""
    for reading in readings:
        rows = {row["pieces"]: row for row in reading["rows"]}
        pieces, whole = rows.get(PIECES, {}), rows.get(1, {})
        if None not in (
            pieces.get("h2d_ms"),
            pieces.get("overlap_ms"),
            whole.get("kernel_ms"),
            whole.get("overlap_ms"),
        ):
            return reading, pieces, whole
    return None
