"""That the list of simulators is complete and runs, and what is told of its times. No time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

import sim
from sim import autotune, gpus
from tests.bench import engines, simulators, timing
from tests.bench.engines import Row
from tests.bench.simulators import ALL, Simulator

HELPERS = {
    "inputs decimals": "refuse what a simulator is given",
    "gpus formats ulp": "tables and arithmetic that simulators look up",
    "events slots submissions": "what time lines are made of",
    "barrier_trace hang_trace persistent_trace stream_trace warp_trace": "records that a simulator returns",
    "fusion_program operators operator_chain ffn_chain": "programs that fusion, lowering and partitions run",
    "fusion": "runs what 9.1, 1.2 and 9.3 are listed with",
    "loop_nest loop_program loop_ledger": "the states that loop_transforms goes through",
    "stream_program hang_program warp_program": "programs that streams, hang_doctor and warp_specialization run",
    "address_pattern affine dag_text stream_text": "read what a reader types",
    "lane_choice": "turns and masks the lanes that coalescing is given",
    "tile_addresses transpose_addresses tile_time": "run by bank_conflicts’ figure, transpose and autotune",
    "bug_inputs bug_kernels": "what bug_hunt and contract_card run",
}


def test_every_module_is_a_simulator_or_a_helper_with_a_reason() -> None:
    helpers = {name for names in HELPERS for name in names.split()}
    listed = {one.module for one in ALL}
    assert not helpers & listed
    assert helpers | listed == {path.stem for path in Path(sim.__path__[0]).glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("size", ["default", "largest"])
@pytest.mark.parametrize("one", ALL, ids=lambda one: f"{one.figure}-{one.module}")
def test_every_call_runs(one: Simulator, size: str) -> None:
    call = getattr(one, size)
    assert call is None or call() is not None


def test_a_repeat_remembers_the_table_of_gpus_and_nothing_else() -> None:
    gpus.gpu("h100")
    entry = next(one for one in ALL if one.module == "autotune")
    entry.default()
    assert autotune.search.cache_info().currsize
    found: list[tuple[int, int]] = []
    timing.median(lambda: found.append((autotune.search.cache_info().currsize, gpus._gpu.cache_info().currsize)))
    assert set(searched for searched, _ in found) == {0}
    assert all(known for _, known in found)


def test_the_readers_python_times_the_same_list() -> None:
    rows = engines.measure({"2.1", "8.5"})
    assert [row.simulator.module for row in rows] == ["chip", "stopwatches"]
    assert [row.pyodide[1] is None for row in rows] == [True, False]
    assert all(ms is None or ms > 0 for row in rows for ms in (*row.native, *row.pyodide))


def test_limits_are_told_as_met_or_missed() -> None:
    def row(name: str, default: float, largest: float | None) -> Row:
        return Row(Simulator("1.1", name, dict), (0.5, None), (default, largest))

    rows = [row("at_both", 8.0, 50.0), row("slow", 8.1, 1.0), row("long", 1.0, 75.0), row("small", 1.0, None)]
    lines = engines.table(rows).splitlines()[2:]
    assert [line.split()[-1] for line in lines] == ["met", "missed", "missed", "met"]
    assert lines[3].split() == ["1.1", "small", "0.50", "—", "1.00", "—", "met"]
    assert "2 of 4 simulators above. Slowest: long 1.0 and 75.0 ms, slow 8.1 and 1.0 ms, at_both" in engines.summary(
        rows
    )


def test_a_figure_without_a_simulator_is_refused() -> None:
    with pytest.raises(LookupError, match=r"figure 14\.5 "):
        simulators.of({"14.5"})
