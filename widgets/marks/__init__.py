"""The visual dictionary: how a lane, a bank, a bar of a timeline … is drawn, in one place.

Every mark takes its data from a named source of the figure and its colours from roles in the
`role` column. Coordinates are data coordinates of a plot made by `canvas`.
"""

from widgets.marks.frames import beyond, frames, leads, zooms
from widgets.marks.lanes import cups, lanes, threads
from widgets.marks.lettering import text
from widgets.marks.memory import lines, links, strokes, words
from widgets.marks.plots import PHONE, WIDE, canvas, cursor, inspected, margin, names, row_names, time_axis
from widgets.marks.readings import readings
from widgets.marks.shapes import bands, bars, cells, idle

__all__ = [
    "PHONE",
    "WIDE",
    "bands",
    "bars",
    "beyond",
    "canvas",
    "cells",
    "cups",
    "cursor",
    "frames",
    "idle",
    "inspected",
    "lanes",
    "leads",
    "lines",
    "links",
    "margin",
    "names",
    "readings",
    "row_names",
    "strokes",
    "text",
    "threads",
    "time_axis",
    "words",
    "zooms",
]
