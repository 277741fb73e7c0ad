import doctest
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

import sim.call_mix
from sim.call_mix import NEW, OLD, Kernel, overtakes, reaches, simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.call_mix)
    assert result.attempted
    assert not result.failed


def test_figure_13_5():
    assert (Kernel(10, 10), Kernel(5, 20)) == (OLD, NEW)
    assert overtakes() == Fraction(2, 3)
    below, at, above = simulate(199, 101), simulate(200, 100), simulate(201, 99)
    assert below.new_us > below.old_us
    assert at.new_us == at.old_us == 10
    assert above.new_us < above.old_us


@pytest.mark.parametrize(
    ("a", "b", "old", "new", "choose", "best"),
    [
        (1, 1, 10, Fraction(25, 2), Fraction(17, 2), ("choose",)),  # p = 1/2
        (2, 1, 10, 10, Fraction(23, 3), ("choose",)),  # 2/3
        (9, 1, 10, Fraction(13, 2), Fraction(13, 2), ("new", "choose")),  # 9/10
        (1, 0, 10, 5, 6, ("new",)),
        (0, 1, 10, 20, 11, ("old",)),
        (1, 4, 10, 17, 10, ("old", "choose")),
    ],
)
def test_lab_6(a, b, old, new, choose, best):
    mix = simulate(a, b)
    assert (mix.old_us, mix.new_us, mix.choose_us) == (old, new, choose)
    assert mix.best == best
    assert simulate(1000 * a, 1000 * b) == mix


def test_where_each_way_is_fastest():
    told = [(reach.name, reach.first, reach.last) for reach in reaches()]
    assert told == [
        ("old", 0, Fraction(1, 5)),
        ("choose", Fraction(1, 5), Fraction(9, 10)),
        ("new", Fraction(9, 10), 1),
    ]
    # choosing for nothing is never slower; choosing at a price above all it saves never pays
    assert [reach.name for reach in reaches(choose_us=0)] == ["choose"]
    assert [reach.name for reach in reaches(choose_us=100)] == ["old", "new"]
    assert [reach.name for reach in reaches(OLD, Kernel(5, 9), choose_us=1)] == ["new"]
    assert [reach.name for reach in reaches(OLD, OLD, choose_us=None)] == ["old"]


def test_a_kernel_that_always_wins_is_never_overtaken():
    assert overtakes(OLD, Kernel(5, 9)) is None
    assert overtakes(OLD, OLD) is None
    assert overtakes(Kernel(5, 20), OLD) == Fraction(2, 3)


def test_mixes_call_by_call():
    rng = Random(135)
    for _ in range(300):
        old, new = (Kernel(rng.randint(0, 20), rng.randint(0, 20)) for _ in range(2))
        a, b, choose = rng.randint(0, 8), rng.randint(0, 8), rng.randint(0, 3)
        if not a + b:
            continue
        calls = ["a_us"] * a + ["b_us"] * b
        mix = simulate(a, b, old, new, choose)
        n = len(calls)
        assert mix.old_us * n == sum(getattr(old, shape) for shape in calls)
        assert mix.new_us * n == sum(getattr(new, shape) for shape in calls)
        assert mix.choose_us * n == sum(min(getattr(old, shape), getattr(new, shape)) + choose for shape in calls)
        steps = reaches(old, new, choose)
        assert (steps[0].first, steps[-1].last) == (0, 1)
        assert all(first.last == second.first and first.name != second.name for first, second in pairwise(steps))
        for reach in steps:
            if reach.first <= mix.share_a <= reach.last:
                assert reach.name in mix.best
        if (share := overtakes(old, new)) is not None:
            at = simulate(share.numerator, share.denominator - share.numerator, old, new)
            assert at.old_us == at.new_us


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate(0, 0), "a_calls \\+ b_calls is 0"),
        (lambda: simulate(-1, 2), "a_calls is -1"),
        (lambda: simulate(1, 2.0), "b_calls is 2.0"),
        (lambda: simulate(True, 1), "a_calls is True"),
        (lambda: simulate(1, 1, Kernel(-1, 1)), "old.a_us is -1; it must be a number from 0 to 1e\\+09 µs"),
        (lambda: simulate(1, 1, OLD, Kernel(1, float("nan"))), "new.b_us is nan"),
        (lambda: simulate(1, 1, choose_us=-1), "choose_us is -1"),
        (lambda: reaches(choose_us=True), "choose_us is True"),
        (lambda: overtakes(Kernel(1, "x")), "old.b_us is 'x'"),
    ],
)
def test_input_out_of_range_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
