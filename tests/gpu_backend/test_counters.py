"""Counters: what is read from the profiler's table, and that cases and launches must pair."""

import pytest

from gpu_backend import counters
from gpu_backend.counters import METRICS, NoProfiler, paired, table

HEAD = ",".join(f'"{name}"' for name in ("ID", "Kernel Name", *METRICS.values()))


def printed(*launches):
    """As `ncu --csv --page raw` prints: its own lines, the head, the units, a line a launch."""
    units = ",".join('""' for _ in range(2 + len(METRICS)))
    lines = [",".join(f'"{cell}"' for cell in (i, name, *cells)) for i, (name, *cells) in enumerate(launches)]
    return "\n".join(["==PROF== Connected to process 1", HEAD, units, *lines]) + "\n"


def test_a_launch_becomes_a_row_with_the_models_counts_beside():
    cells = ["1,024", "4,096", "512", "", "", "", "", "31.5", "16777216"]
    (row,) = paired(
        [({"kernel": "_gather", "case": "stride 2"}, {"load_sectors": 4096})], table(printed(("_gather", *cells)))
    )
    assert row["load_requests"] == 1024
    assert row["load_sectors"] == row["model_load_sectors"] == 4096
    assert row["active_lanes"] == 31.5
    assert row["shared_load_wavefronts"] is None


def test_launches_that_are_not_the_cases_are_refused():
    asked = [({"kernel": "_gather", "case": "stride 2"}, {})]
    blank = [""] * len(METRICS)
    with pytest.raises(ValueError, match="1 cases were launched; ncu has 2"):
        paired(asked, table(printed(("_gather", *blank), ("_gather", *blank))))
    with pytest.raises(ValueError, match="stride 2 is a launch of _gather; ncu has other there"):
        paired(asked, table(printed(("other", *blank))))


def test_a_profiler_that_saw_nothing_is_said():
    with pytest.raises(NoProfiler, match="it profiled no kernel"):
        table("==WARNING== No kernels were profiled.\n")


def test_without_a_profiler_it_is_said(monkeypatch):
    monkeypatch.setattr(counters, "which", lambda name: None)
    with pytest.raises(NoProfiler, match="ncu is not on the PATH"):
        counters.read()
