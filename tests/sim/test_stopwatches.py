import doctest
import random

import pytest

import sim.stopwatches
from sim import streams
from sim.stopwatches import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.stopwatches)
    assert result.attempted
    assert not result.failed


def test_figure_8_5():
    slow, fast = simulate(20.0), simulate(5.0)
    assert (slow.call_us, slow.events_us, slow.result_us) == (3, 20, 35)
    assert (fast.call_us, fast.events_us, fast.result_us) == (3, 5, 20)
    assert slow.events_us / fast.events_us == 4
    assert fast.speedup_over(slow) == 1.75
    # Amdahl over the same numbers: 20 of 35 µs get four times faster
    share = 20 / 35
    assert fast.speedup_over(slow) == pytest.approx(1 / (1 - share + share / 4))
    assert simulate(0.0).speedup_over(slow) == pytest.approx(35 / 15)  # no kernel is fast enough for more


def test_trace_of_two_calls_by_hand():
    trace = simulate(4.0, calls=2, submit_us=3.0, start_us=1.0, back_us=2.0)
    assert [(i.what, i.call, i.start_us, i.end_us) for i in trace.intervals] == [
        ("call", 0, 0, 3), ("start", 0, 3, 4), ("kernel", 0, 4, 8),
        ("call", 1, 3, 6), ("start", 1, 6, 7), ("kernel", 1, 8, 12), ("back", 1, 12, 14),
        ("wait", 1, 6, 14),
    ]  # fmt: skip
    assert (trace.call_us, trace.events_us, trace.result_us) == (6, 8, 14)


def test_on_an_idle_stream_the_events_see_the_call_as_well():
    assert simulate(20.0, idle_stream=True).events_us == 3 + 20
    assert simulate(5.0, idle_stream=True).events_us == 3 + 5
    assert simulate(20.0, idle_stream=True).result_us == 35


def test_events_around_kernels_shorter_than_a_call_measure_the_calls():
    assert simulate(1.0, calls=100).events_us == 99 * 3 + 1
    assert simulate(20.0, calls=100).events_us == 100 * 20
    assert simulate(1.0, calls=100).call_us == simulate(20.0, calls=100).call_us == 300


def test_closed_formula_on_a_thousand_random_runs():
    for seed in range(1000):
        draw = random.Random(seed)
        kernel, submit, start, back = draw.randint(0, 30), draw.randint(1, 9), draw.randint(0, 5), draw.randint(0, 9)
        calls = draw.randint(1, 12)
        trace = simulate(kernel, calls=calls, submit_us=submit, start_us=start, back_us=back)
        events = kernel + (calls - 1) * max(kernel, submit)
        assert trace.call_us == calls * submit
        assert trace.events_us == events
        assert trace.result_us == submit + start + events + back
        idle = simulate(kernel, calls=calls, submit_us=submit, start_us=start, back_us=back, idle_stream=True)
        assert idle.events_us == submit + events
        assert idle.intervals == trace.intervals


def test_without_start_and_way_back_it_is_a_stream():
    for kernel_us, calls in ((20.0, 1), (1.0, 7), (9.0, 7)):
        program = [streams.Enqueue("s", f"kernel {i}", kernel_us) for i in range(calls)]
        line = streams.simulate([*program, streams.Sync()], submit_us=3.0)
        assert simulate(kernel_us, calls=calls, start_us=0, back_us=0).result_us == line.total_us


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"calls": 0}, "calls is 0; it must be a whole number from 1 to 256"),
        ({"calls": 257}, "calls is 257"),
        ({"calls": 1.0}, "calls is 1.0"),
        ({"calls": True}, "calls is True"),
        ({"kernel_us": -1}, "kernel_us is -1; it must be a number from 0 to 1e+09 µs"),
        ({"kernel_us": float("nan")}, "kernel_us is nan"),
        ({"submit_us": 0.0}, "submit_us is 0; it must be more than 0"),
        ({"submit_us": True}, "submit_us is True"),
        ({"start_us": float("inf")}, "start_us is inf"),
        ({"back_us": "10"}, "back_us is '10'"),
        ({"idle_stream": 1}, "idle_stream is 1; it must be True or False"),
    ],
)
def test_input_out_of_range_is_refused(change, message):
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.").replace("+", r"\+")):
        simulate(**change)


def test_the_limits_themselves_are_allowed():
    assert simulate(1e9, calls=256, submit_us=1e9, start_us=1e9, back_us=1e9).result_us == 259e9
