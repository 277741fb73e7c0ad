import doctest
from itertools import pairwise
from random import Random

import pytest

import sim.serving_step
from sim.serving_step import most_to_gain, simulate

ALL = {"server_apart": True, "steps_per_schedule": 10, "output_async": True}


def test_docstring_examples_hold():
    result = doctest.testmod(sim.serving_step)
    assert result.attempted
    assert not result.failed


def test_the_reported_busy_share_and_what_it_leaves_to_gain():
    plain = simulate()
    assert plain.step_ms == 100  # 33 + 29 + 38, the shares of a step
    assert f"{plain.gpu_busy:.0%}" == "38%"
    assert f"{most_to_gain(0.38):.2f}" == "2.63"
    assert most_to_gain(0.38) < 2.7  # the reported gain is more than waiting can explain: not all one cause
    for changes in ({"server_apart": True}, {"steps_per_schedule": 10}, {"output_async": True}, ALL):
        gained = plain.step_ms / simulate(200, **changes).step_ms
        assert 1 < gained < most_to_gain(0.38)


def test_plain_steps_by_hand():
    two = simulate(2, server_ms=3, schedule_ms=2, output_ms=1, gpu_ms=4)
    assert [(s.part, s.step, s.row, s.start_ms, s.end_ms) for s in two.spans] == [
        ("schedule", 0, "engine", 0, 2),
        ("GPU", 0, "GPU", 2, 6),
        ("output", 0, "engine", 6, 7),
        ("server", 0, "engine", 7, 10),
        ("schedule", 1, "engine", 10, 12),
        ("GPU", 1, "GPU", 12, 16),
        ("output", 1, "engine", 16, 17),
        ("server", 1, "engine", 17, 20),
    ]
    assert (two.total_ms, two.first_token_ms, two.longest_wait_ms, two.gpu_busy) == (20, 10, 10, 0.4)


def test_all_three_changes_by_hand():
    # schedule 0-2, GPU 2-6 6-10; output 0 6-7 at once, its server 7-10 apart; the second output waits for the next
    # schedule 10-12, then 12-13
    changed = simulate(
        3, server_ms=3, schedule_ms=2, output_ms=1, gpu_ms=4, server_apart=True, steps_per_schedule=2, output_async=True
    )
    assert [(s.part, s.step, s.row, s.start_ms, s.end_ms) for s in changed.spans] == [
        ("schedule", 0, "engine", 0, 2),
        ("GPU", 0, "GPU", 2, 6),
        ("output", 0, "engine", 6, 7),
        ("GPU", 1, "GPU", 6, 10),
        ("server", 0, "server", 7, 10),
        ("schedule", 2, "engine", 10, 12),
        ("output", 1, "engine", 12, 13),
        ("GPU", 2, "GPU", 12, 16),
        ("server", 1, "server", 13, 16),
        ("output", 2, "engine", 16, 17),
        ("server", 2, "server", 17, 20),
    ]


def test_long_runs_approach_the_longest_row_of_a_schedule():
    # n = 10: the engine needs 19 + 10·10, the server 10·33, the GPU 19 (it waits for the schedule) + 10·38
    changed = simulate(200, **ALL)
    assert changed.step_ms == pytest.approx((19 + 10 * 38) / 10, rel=0.01)
    assert simulate(200, steps_per_schedule=10).step_ms == 33 + 10 + 38 + 1.9
    assert simulate(200, server_apart=True).step_ms == pytest.approx(19 + 10 + 38, rel=0.01)


def test_a_request_may_wait_longer_to_be_seen_and_for_its_first_token():
    plain, ten = simulate(), simulate(steps_per_schedule=10)
    assert plain.longest_wait_ms == 100
    assert ten.longest_wait_ms == 19 + 10 * 38 + 10 * 43
    assert ten.first_token_ms > 4 * plain.first_token_ms  # 10 steps of the GPU before the first output is handled
    assert simulate(**ALL).first_token_ms == plain.first_token_ms


def faults(steps, ms, options, trace):
    """Replay: every part is there, has its length, starts at the latest of its causes and overlaps nothing."""
    apart, group, deferred = options
    spans = {(span.part, span.step): span for span in trace.spans}
    found = []
    expected = {(part, step) for part in ("GPU", "output", "server") for step in range(steps)}
    expected |= {("schedule", step) for step in range(0, steps, group)}
    if set(spans) != expected or len(trace.spans) != len(expected):
        return [f"parts {set(spans) ^ expected}"]
    rows = {}
    for span in trace.spans:
        rows.setdefault(span.row, []).append(span)
        if span.end_ms - span.start_ms != ms[span.part]:
            found.append(f"{span.part} {span.step} lasts {span.end_ms - span.start_ms}")
    if {span.row for span in trace.spans if span.part == "server"} != {"server" if apart else "engine"}:
        found.append("the server is in another row")
    for row in rows.values():
        row.sort(key=lambda span: (span.start_ms, span.end_ms))
        found += [f"{a} overlaps {b}" for a, b in pairwise(row) if b.start_ms < a.end_ms]
    for (part, step), span in spans.items():
        first = step - step % group
        if part == "schedule":
            causes = [("GPU", step - 1)] if step else []
        elif part == "GPU":
            causes = [("schedule", first)]
        elif part == "output":
            causes = [("GPU", step if deferred else min(first + group, steps) - 1)]
        else:
            causes = [("output", step)]
        before = [other.end_ms for other in rows[span.row] if (other.end_ms <= span.start_ms and other is not span)]
        if span.start_ms != max([0, *before, *(spans[cause].end_ms for cause in causes)]):
            found.append(f"{part} {step} starts at {span.start_ms}")
    return found


def test_a_thousand_programs_replay_without_fault():
    rng = Random(38)
    for _ in range(1000):
        steps, options = rng.randint(1, 6), (rng.random() < 0.5, rng.randint(1, 4), rng.random() < 0.5)
        ms = {
            "server": rng.randint(1, 9),
            "schedule": rng.randint(1, 9),
            "output": rng.randint(1, 9),
            "GPU": rng.randint(1, 9),
        }
        times = {f"{part.lower()}_ms": us for part, us in ms.items()}
        trace = simulate(
            steps, **times, server_apart=options[0], steps_per_schedule=options[1], output_async=options[2]
        )
        assert faults(steps, ms, options, trace) == []
        # told the program was another one, the replay objects
        other = (not options[0], options[1], options[2])
        assert faults(steps, ms, other, trace) != []
        if options[1] == 1 and steps > 1:
            assert faults(steps, ms, (options[0], 2, options[2]), trace) != []
            assert faults(steps, ms, (options[0], 1, options[2]), simulate(steps, **times, steps_per_schedule=2)) != []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, "steps is 0; it must be a whole number from 1 to 200"),
        ({"steps": 201}, "steps is 201"),
        ({"steps_per_schedule": 0}, "steps_per_schedule is 0"),
        ({"steps_per_schedule": 1.0}, "steps_per_schedule is 1.0"),
        ({"gpu_ms": 0}, "gpu_ms is 0; it must be a number greater than 0 and at most 1e\\+06 ms"),
        ({"server_ms": -1}, "server_ms is -1; it must be a number from 0 to 1e\\+06 ms"),
        ({"schedule_ms": float("nan")}, "schedule_ms is nan"),
        ({"output_ms": True}, "output_ms is True"),
        ({"server_apart": 1}, "server_apart is 1; it must be True or False"),
        ({"output_async": "yes"}, "output_async is 'yes'"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(**change)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, True, float("nan")])
def test_a_share_is_above_0_and_at_most_1(share):
    with pytest.raises(ValueError, match=r"^gpu_busy is"):
        most_to_gain(share)
    assert most_to_gain(1) == 1
