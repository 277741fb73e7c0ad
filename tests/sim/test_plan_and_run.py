import doctest
from math import exp, sqrt
from random import Random

import pytest

import sim.plan_and_run
from sim.plan_and_run import simulate


def test_docstring_examples_hold():
    result = doctest.testmod(sim.plan_and_run)
    assert result.attempted
    assert not result.failed


def test_a_stale_plan_by_hand():
    # pages of 4 rows. Before: request 0 has 4 rows (page 0), 1 has 6 (pages 1, 2), 2 has 5 (pages 3, 4). Then 0 grows
    # to 5 and 1 to 7; 2 ends, its pages go back, and a new request of 3 rows comes: the lowest free page is 3 for 0,
    # which grew first, then 4 for the new one.
    step = simulate([4, 6, 5], [5, 7, 3])
    assert (step.before.starts, step.before.pages, step.before.last_rows) == ((0, 1, 3, 5), (0, 1, 2, 3, 4), (4, 2, 1))
    assert (step.after.starts, step.after.pages, step.after.last_rows) == ((0, 2, 4, 5), (0, 3, 1, 2, 4), (1, 3, 3))
    assert step.owners == (0, 1, 1, 0, 2, None)
    zero, one, two = step.attended
    assert (zero.rows, zero.stale_rows) == ((0, 1, 2, 3, 12), (0, 1, 2, 3))
    assert (zero.missed, zero.foreign) == ((12,), ())
    assert (one.rows, one.stale_rows) == (tuple(range(4, 11)), tuple(range(4, 10)))
    assert (one.missed, one.foreign) == ((10,), ())
    assert (two.rows, two.stale_rows) == ((16, 17, 18), (12, 13, 14, 15, 16))
    assert two.foreign == (12, 13, 14, 15)  # row 12 is request 0's by now
    assert two.missed == (17, 18)
    assert [each.replaced for each in step.attended] == [False, False, True]
    assert all(each.wrong for each in step.attended)
    for each in step.attended:
        assert each.output != pytest.approx(each.stale_output, rel=1e-6)


def test_without_a_change_the_plan_holds():
    step = simulate([3, 8, 1], [3, 8, 1])
    assert step.before == step.after
    for each in step.attended:
        assert not each.wrong
        assert each.output == each.stale_output
        assert each.missed == each.foreign == ()


def attend(query, keys, values):
    """softmax(q·kᵀ/√d)·v with plain floats, one row after another."""
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) / sqrt(len(query)) for key in keys]
    weights = [exp(score) for score in scores]
    return [
        sum(w * value[c] for w, value in zip(weights, values, strict=True)) / sum(weights) for c in range(len(query))
    ]


class NaiveCache:
    """The same two steps with a dictionary of rows and lists of pages, to compare with."""

    def __init__(self, requests, page_rows, head_dim, seed):
        self.draw, self.page_rows, self.head_dim = Random(seed), page_rows, head_dim
        self.rows = {}  # (page, place) -> (key, value)
        self.pages = {i: [] for i in range(requests)}

    def vector(self):
        return [self.draw.gauss(0, 1) for _ in range(self.head_dim)]

    def grow(self, i, old, new):
        while len(self.pages[i]) * self.page_rows < new:
            used = {page for pages in self.pages.values() for page in pages}
            self.pages[i].append(min(page for page in range(999) if page not in used))
        for at in range(old, new):
            key = self.vector()
            self.rows[self.pages[i][at // self.page_rows], at % self.page_rows] = (key, self.vector())

    def read(self, places):
        zero = [0.0] * self.head_dim
        return [self.rows.get(place, (zero, zero)) for place in places]

    def places(self, i, length):
        return [(self.pages[i][at // self.page_rows], at % self.page_rows) for at in range(length)]


def test_two_hundred_batches_against_a_naive_cache():
    rng = Random(36)
    for seed in range(200):
        requests, page_rows, head_dim = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 3)
        before = [rng.randint(1, 8) for _ in range(requests)]
        after = [rng.choice([length, length + 1, rng.randint(1, 10)]) for length in before]
        step = simulate(before, after, page_rows=page_rows, head_dim=head_dim, seed=seed)

        cache = NaiveCache(requests, page_rows, head_dim, seed)
        for i in range(requests):
            cache.grow(i, 0, before[i])
        old_places = [cache.places(i, before[i]) for i in range(requests)]
        for i in range(requests):
            if after[i] < before[i]:
                cache.pages[i] = []
        for i in range(requests):
            cache.grow(i, 0 if after[i] < before[i] else before[i], after[i])
        for i, each in enumerate(step.attended):
            places = cache.places(i, after[i])
            assert list(each.rows) == [page * page_rows + place for page, place in places]
            assert list(each.stale_rows) == [page * page_rows + place for page, place in old_places[i]]
            query = cache.vector()
            read, stale = cache.read(places), cache.read(old_places[i])
            assert each.output == pytest.approx(attend(query, *zip(*read, strict=True)))
            assert each.stale_output == pytest.approx(attend(query, *zip(*stale, strict=True)))
            assert each.wrong == (places != old_places[i])
            if after[i] == before[i]:
                assert not each.wrong
            elif after[i] > before[i]:
                assert len(each.missed) == after[i] - before[i]  # it misses exactly the rows that came since
                assert each.foreign == ()


def test_no_two_requests_share_a_page():
    rng = Random(1)
    for seed in range(50):
        before, after = ([rng.randint(1, 20) for _ in range(5)] for _ in range(2))
        step = simulate(before, after, page_rows=3, seed=seed)
        for plan, lengths in ((step.before, before), (step.after, after)):
            assert len(set(plan.pages)) == len(plan.pages)
            assert [len(plan.rows(i)) for i in range(5)] == lengths
        held = [page for page, owner in enumerate(step.owners) if owner is not None]
        assert sorted(step.after.pages) == held


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], []), {}, "the number of requests is 0; it must be a whole number from 1 to 8"),
        (([1] * 9, [1] * 9), {}, "the number of requests is 9"),
        (([1, 2], [1]), {}, "1 lengths after, 2 before; give as many"),
        (([0], [1]), {}, "length 0 before is 0; it must be a whole number from 1 to 64"),
        (([1], [65]), {}, "length 0 after is 65"),
        (([1.0], [1]), {}, "length 0 before is 1.0"),
        (([1], [True]), {}, "length 0 after is True"),
        (([1], [1]), {"page_rows": 0}, "page_rows is 0"),
        (([1], [1]), {"head_dim": 9}, "head_dim is 9"),
        (([1], [1]), {"seed": 1.5}, "seed is 1.5"),
    ],
)
def test_input_out_of_range_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message):
        simulate(*arguments, **options)
