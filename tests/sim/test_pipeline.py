import doctest

import pytest

import sim.pipeline
from sim.pipeline import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.pipeline)
    assert result.attempted
    assert not result.failed


def test_figure_7_1():
    serial, two, three = (simulate(4, 1.29, 0.28, slots) for slots in (1, 2, 3))
    assert f"{serial.total_us:.2f}" == "6.28"  # 4 · (1.29 + 0.28)
    assert f"{two.total_us:.2f}" == "5.44"  # 4 · 1.29 + 0.28
    assert f"{two.total_us / serial.total_us - 1:.0%}" == "-13%"
    assert f"{two.compute_busy:.0%}" == "21%"  # 1.12 of 5.44
    assert f"{two.move_busy:.0%}" == "95%"  # 5.16 of 5.44
    assert three.total_us == two.total_us
    assert f"{simulate(4, 1.29, 0, 2).total_us:.2f}" == "5.16"  # 4 · 1.29: only the tail went


def test_trace_of_two_slots_when_computing_is_the_longer_half():
    # by hand: moves 0-2, 2-4, then each waits for the computation two items before it
    run = simulate(4, 2.0, 3.0, 2)
    trace = [(s.kind, s.item, s.slot, s.ready_us, s.start_us, s.end_us, s.waited_for) for s in run.steps]
    assert trace == [
        ("move", 0, 0, 0, 0, 2, None),
        ("compute", 0, 0, 0, 2, 5, ("move", 0)),
        ("move", 1, 1, 2, 2, 4, None),
        ("compute", 1, 1, 5, 5, 8, None),
        ("move", 2, 0, 4, 5, 7, ("compute", 0)),
        ("compute", 2, 0, 8, 8, 11, None),
        ("move", 3, 1, 7, 8, 10, ("compute", 1)),
        ("compute", 3, 1, 11, 11, 14, None),
    ]
    assert [(s.slot, s.state, s.item, s.start_us, s.end_us) for s in run.slots] == [
        (0, "filling", 0, 0, 2),
        (0, "being read", 0, 2, 5),
        (0, "filling", 2, 5, 7),
        (0, "full", 2, 7, 8),
        (0, "being read", 2, 8, 11),
        (1, "filling", 1, 2, 4),
        (1, "full", 1, 4, 5),
        (1, "being read", 1, 5, 8),
        (1, "filling", 3, 8, 10),
        (1, "full", 3, 10, 11),
        (1, "being read", 3, 11, 14),
    ]
    assert run.total_us == 14  # 2 + 4 · 3
    assert run.compute_busy == pytest.approx(12 / 14)


def test_synchronisation_is_paid_by_the_computer_and_keeps_the_slot_full():
    run = simulate(2, 2.0, 3.0, 2, sync_us=1.0)
    assert run.total_us == 2 + 2 * (1 + 3)
    assert run.compute_busy == pytest.approx(6 / 10)
    assert [(s.start_us, s.end_us) for s in run.steps if s.kind == "sync"] == [(2, 3), (6, 7)]
    assert [(s.item, s.start_us, s.end_us) for s in run.slots if s.state == "full"] == [(0, 2, 3), (1, 4, 7)]
    # hidden behind the longer move: only the tail grows
    assert simulate(5, 9.0, 3.0, 2, sync_us=1.0).total_us == 5 * 9 + 1 + 3


def test_with_jitter_a_third_slot_can_help():
    two, three, four = (simulate(8, 1.0, 1.0, slots, jitter=0.5, seed=0) for slots in (2, 3, 4))
    assert three.total_us < 0.97 * two.total_us
    assert four.total_us <= three.total_us
    assert lengths(two) == lengths(three)  # the same draws
    assert lengths(two) != lengths(simulate(8, 1.0, 1.0, 2, jitter=0.5, seed=1))


def test_without_jitter_the_seed_changes_nothing():
    assert simulate(8, 1.0, 1.0, 2, seed=1) == simulate(8, 1.0, 1.0, 2, seed=2)


def lengths(run):
    return {(s.kind, s.item): round(s.end_us - s.start_us, 9) for s in run.steps}


# One NVIDIA H200, 2026-11-29, medians of 20: 64 MiB in c pieces, all copies (ms), copies and kernels
# overlapped (ms); the kernels alone take 0.2855 ms. Sixteen pieces were bound by launching: not compared.
@pytest.mark.parametrize(
    ("pieces", "copies_ms", "overlap_ms"),
    [(1, 1.2296, 1.5353), (2, 1.2300, 1.3697), (4, 1.2397, 1.3227), (8, 1.2472, 1.3110)],
)
def test_copies_and_kernels_on_an_h200(pieces, copies_ms, overlap_ms):
    model_ms = simulate(pieces, copies_ms / pieces, 0.2855 / pieces, max(pieces, 2)).total_us
    assert model_ms == pytest.approx(overlap_ms, rel=0.025)
    if pieces == 4:
        assert f"{model_ms:.3f}" == "1.311"
        assert f"{model_ms / overlap_ms - 1:.1%}" == "-0.9%"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": 0}, "items is 0; it must be a whole number from 1 to 1000"),
        ({"items": 1001}, "items is 1001"),
        ({"items": 2.5}, "items is 2.5"),
        ({"slots": 0}, "slots is 0; it must be a whole number from 1 to 64"),
        ({"slots": 65}, "slots is 65"),
        ({"move_us": 0.0}, "move_us is 0; it must be more than 0"),
        ({"move_us": -1.0}, "move_us is -1.0; it must be from 0"),
        ({"move_us": float("nan")}, "move_us is nan"),
        ({"move_us": 2e9}, "move_us is 2000000000.0"),
        ({"compute_us": -0.1}, "compute_us is -0.1"),
        ({"compute_us": float("inf")}, "compute_us is inf"),
        ({"sync_us": -1.0}, "sync_us is -1.0"),
        ({"jitter": 1.0}, "jitter is 1.0; it must be at least 0 and less than 1"),
        ({"jitter": -0.1}, "jitter is -0.1"),
        ({"jitter": float("nan")}, "jitter is nan"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.")):
        simulate(**{"items": 4, "move_us": 1.0, "compute_us": 1.0, "slots": 2} | change)


def test_the_limits_themselves_are_allowed():
    assert simulate(1000, 1.0, 0.0, 64).total_us == 1000
    assert simulate(1, 1e9, 1e9, 1).total_us == 2e9
