import doctest
from dataclasses import replace
from itertools import product
from random import Random

import pytest

import sim.autotune
from sim.autotune import FIELDS, Space, payback_calls, search, simulate
from sim.tile_time import Problem, Tile, model

FFN = Problem("h100", "bf16", (1024, 12288, 4096), 12288)
SMALL = replace(FFN, shape=(16, 12288, 4096))
SCORES = Problem("h100", "bf16", (4096, 4096, 128), 4096)  # Q·Kᵀ of one head
# pairs of calls that differ in one field alone, and want different tiles
DIFFERENT = {
    "gpu": (FFN, replace(FFN, gpu="rtx4090")),
    "dtype": (FFN, replace(FFN, dtype="fp8")),
    "shape": (SMALL, FFN),
    "stride": (FFN, replace(FFN, stride=12289)),
    "mask": (SCORES, replace(SCORES, mask="causal")),
    "version": (FFN, replace(FFN, version="synchronous")),
}


def test_docstring_examples_hold():
    result = doctest.testmod(sim.autotune)
    assert result.attempted
    assert not result.failed


def test_the_size_of_the_space():
    space = Space()
    assert space.size == 3 * 3 * 4 * 3 == 108
    fits = space.tiles(model(FFN))
    by_hand = [
        Tile(m, n, k, stages)
        for m, n, k, stages in product(space.m, space.n, space.k, space.stages)
        if 2 * stages * k * (m + n) <= 232_448 and m * n <= 32_768
    ]
    assert list(fits) == by_hand
    assert len(search(FFN)) == len(fits) < space.size
    assert Space((16,), (64,), (32, 64), (2,)).size == 2


def test_a_search_finds_the_fastest_and_costs_every_tile():
    tuned = simulate([FFN], compile_us=100_000, runs=20)
    (outcome,) = tuned.outcomes
    times = {tile: model(FFN).time_us(tile) for tile in Space().tiles(model(FFN))}
    assert outcome.time_us == outcome.best_us == min(times.values())
    assert outcome.tile == outcome.best
    assert outcome.search_us == pytest.approx(100_000 * len(times) + 20 * sum(times.values()))
    assert (outcome.hit, tuned.searches, tuned.lost_us, tuned.failures) == (False, 1, 0, 0)


def test_a_search_pays_back():
    # searched in 10 s, 40 µs a call saved
    assert payback_calls(10e6, 100, 60) == 250_000
    assert payback_calls(10e6 + 1, 100, 60) == 250_001
    assert payback_calls(0, 100, 60) == 0
    assert payback_calls(10e6, 60, 60) is None
    assert payback_calls(10e6, 60, 100) is None
    assert payback_calls(0.3, 0.3, 0.2) == 3  # in exact tenths


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_of_the_key_is_needed(field):
    first, second = DIFFERENT[field]
    assert [name for name in FIELDS if getattr(first, name) != getattr(second, name)] == [field]
    whole = simulate([first, second, first, second])
    assert (whole.searches, whole.lost_us, whole.failures) == (2, 0, 0)
    assert [outcome.hit for outcome in whole.outcomes] == [False, False, True, True]
    key = [name for name in FIELDS if name != field]
    for calls in ([first, second], [second, first]):
        without = simulate(calls, key)
        assert without.searches == 1
        assert [outcome.hit for outcome in without.outcomes] == [False, True]
        assert without.outcomes[1].tile == without.outcomes[0].best  # the first one's choice, reused
        assert without.outcomes[0].lost_us == 0
    losses = [simulate(calls, key).lost_us for calls in ([first, second], [second, first])]
    assert max(losses) > 0


def test_the_first_shapes_choice_reused_for_all():
    shapes = [replace(FFN, shape=(rows, 12288, 4096)) for rows in (1, 16, 64, 256, 1024, 4096)]
    key = [name for name in FIELDS if name != "shape"]
    rising, falling = simulate(shapes, key), simulate(shapes[::-1], key)
    assert rising.lost_us > 1000  # a tile for one row, used for 4096
    assert falling.lost_us > 100
    assert rising.outcomes[-1].time_us > 2 * rising.outcomes[-1].best_us

    def times(tuned):
        return {outcome.problem: outcome.time_us for outcome in tuned.outcomes}

    # swept up or down, the times must agree: only with the shape in the key they do
    assert times(rising) != times(falling)
    assert times(simulate(shapes)) == times(simulate(shapes[::-1]))


def test_a_tile_from_another_gpu_may_not_even_run():
    # compiled without asynchronous copies, the H100 likes 196,608 bytes of shared memory, twice what an RTX 4090 has
    first, second = replace(FFN, stride=12289), replace(FFN, stride=12289, gpu="rtx4090")
    key = [name for name in FIELDS if name != "gpu"]
    tuned = simulate([first, second], key)
    outcome = tuned.outcomes[1]
    assert tuned.failures == 1
    assert outcome.time_us is None
    assert outcome.failed.endswith("has at most 101376")
    assert outcome.lost_us == 0
    assert simulate([first, second]).failures == 0


def test_more_fields_never_lose_more_and_the_whole_key_loses_nothing():
    rng = Random(9)
    pool = [problem for pair in DIFFERENT.values() for problem in pair if problem.gpu == "h100"]
    for _ in range(100):
        calls = [rng.choice(pool) for _ in range(5)]
        assert simulate(calls).lost_us == 0
        assert simulate(calls).searches == len(set(calls))
        some = rng.sample(FIELDS, rng.randint(0, 5))
        tuned = simulate(calls, some)
        assert tuned.searches == len({tuple(getattr(call, name) for name in some) for call in calls})
        for outcome in tuned.outcomes:
            if outcome.time_us is not None:
                assert outcome.time_us >= outcome.best_us


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "the number of calls is 0; it must be a whole number from 1 to 32"),
        (([FFN] * 33,), {}, "the number of calls is 33"),
        (([FFN], ["colour"]), {}, "key holds 'colour'; it may hold gpu, dtype, shape, stride, mask, version"),
        (([FFN],), {"runs": 0}, "runs is 0"),
        (([FFN],), {"runs": True}, "runs is True"),
        (([FFN],), {"compile_us": -1}, "compile_us is -1"),
        (([FFN],), {"compile_us": float("nan")}, "compile_us is nan"),
        (([FFN],), {"space": Space(m=())}, "the size of the space is 0"),
        (([FFN],), {"space": Space(m=tuple(range(1, 60)))}, "the size of the space is 2124; it must be .* to 512"),
        (
            ([FFN] * 32,),
            {"space": Space(k=(16, 32, 48, 64, 128))},
            "the size of the space is 135; it must be .* to 108",
        ),
        (([FFN],), {"space": Space(m=(1024,), n=(64,))}, "no tile of the space can run for Problem"),
        (([FFN],), {"space": Space(m=(0,), n=(64,))}, "m is 0"),
        (([replace(FFN, mask="odd")],), {}, "mask is 'odd'"),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments, **options)


@pytest.mark.parametrize("arguments", [(-1, 1, 1), (1, float("nan"), 1), (1, 1, True)])
def test_payback_out_of_range_is_refused(arguments):
    with pytest.raises(ValueError, match=r"^(search|before|after)_us is"):
        payback_calls(*arguments)
