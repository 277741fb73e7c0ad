import doctest
from random import Random

import pytest

import sim.compile_amortized
from sim.compile_amortized import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.compile_amortized)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("calls", "mean"), [(1, 101), (10, 11), (100, 2), (1000, 1.1), (10_000, 1.01), (10**9, 1.0000001)]
)
def test_mean_time_by_calls(calls, mean):
    assert simulate(calls, compile_ms=100, run_ms=1).compiled.mean_ms == mean  # (100 + n)/n


def test_a_slower_ready_kernel_is_better_up_to_a_number_of_calls():
    # 3 ms ready against 100 ms and 1 ms a call: 150 = 150 at 50 calls
    at = {calls: simulate(calls, 100, 1, 3) for calls in (49, 50, 51)}
    assert at[49].ready.total_ms == 147 < at[49].compiled.total_ms == 149
    assert at[50].ready.total_ms == at[50].compiled.total_ms == 150
    assert at[51].ready.total_ms == 153 > at[51].compiled.total_ms == 151
    assert (at[50].tie_calls, at[50].compiled_wins_from) == (50, 51)
    assert (at[50].compiled.first_ms, at[50].ready.first_ms) == (101, 3)


def test_ties_are_exact():
    # a tenth of a ms slower, in binary not a tenth: the tie is at 1000 all the same
    assert simulate(1, 100, 1.0, 1.1).compiled_wins_from == 1001
    assert simulate(1, 0.3, 0.1, 0.2).tie_calls == 3


def test_compiling_in_the_background_takes_the_better_of_both():
    # 34 calls of 3 ms pass before 100 ms are over; the 35th finds the program ready at 102 ms
    many = simulate(1000)
    assert many.calls_while_compiling == 34
    assert many.background.total_ms == 34 * 3 + 966
    assert many.background.first_ms == 3
    assert simulate(10).background.total_ms == simulate(10).ready.total_ms == 30


def run_by_hand(calls, compile_ms, run_ms, ready_ms):
    """Totals in whole ms, call by call."""
    compiled, ready, clock = compile_ms, 0, 0
    for _ in range(calls):
        compiled += run_ms
        ready += ready_ms
        clock += ready_ms if clock < compile_ms else run_ms
    return compiled, ready, clock


def test_a_thousand_cases_call_by_call():
    rng = Random(100)
    for _ in range(1000):
        calls, compile_ms, run_ms = rng.randint(1, 60), rng.randint(0, 90), rng.randint(1, 9)
        ready_ms = rng.randint(run_ms, 12)
        told = simulate(calls, compile_ms, run_ms, ready_ms)
        totals = run_by_hand(calls, compile_ms, run_ms, ready_ms)
        assert (told.compiled.total_ms, told.ready.total_ms, told.background.total_ms) == totals
        wins = [n for n in range(1, 100) if compile_ms + n * run_ms < n * ready_ms]
        if wins:
            assert told.compiled_wins_from == wins[0]
        elif ready_ms == run_ms:
            assert told.compiled_wins_from is told.tie_calls is None
        assert told.background.total_ms <= told.ready.total_ms


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "calls is 0; it must be a whole number from 1 to 1000000000"),
        ((True,), "calls is True"),
        ((1.5,), "calls is 1.5"),
        ((1, -1), "compile_ms is -1; it must be a number from 0 to 1e\\+09 ms"),
        ((1, 100, 0), "run_ms is 0; it must be a number greater than 0 and at most 1e\\+09 ms"),
        ((1, 100, 1, float("nan")), "ready_ms is nan"),
        ((1, 100, 1, 0), "ready_ms is 0"),
        ((1, True), "compile_ms is True"),
    ],
)
def test_input_out_of_range_is_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments)
