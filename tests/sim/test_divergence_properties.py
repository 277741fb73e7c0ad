"""What must hold for any warp: bounds, and what permuting lanes or renaming paths leaves alone."""

from hypothesis import given
from hypothesis import strategies as st

from sim.divergence import loop, simulate

LENGTHS = st.lists(st.integers(0, 100), min_size=1, max_size=8)
COMMON = st.integers(1, 50)


@st.composite
def branches(draw):
    lengths = draw(LENGTHS)
    paths = draw(st.lists(st.integers(-1, len(lengths) - 1), min_size=31, max_size=31))
    return [*paths, draw(st.integers(0, len(lengths) - 1))], lengths, draw(COMMON)


def summary(trace):
    return trace.issue_slots, trace.lane_slots, trace.paths_taken


@given(branches())
def test_bounds(branch):
    paths, lengths, common = branch
    trace = simulate(*branch)
    assert common + max(lengths[p] for p in paths if p >= 0) <= trace.issue_slots <= common + sum(lengths)
    assert 1 / 32 <= trace.efficiency <= 1
    assert 1 <= trace.paths_taken <= len(lengths)


@given(branches())
def test_phases_follow_each_other_without_a_gap(branch):
    trace = simulate(*branch)
    slot = 1
    for phase in trace.phases:
        assert phase.first_slot == slot
        assert phase.length >= 1
        assert phase.mask != 0
        slot += phase.length
    assert slot == trace.issue_slots + 1


@given(branches(), st.permutations(range(32)))
def test_which_lane_takes_which_path_does_not_matter(branch, order):
    paths, lengths, common = branch
    assert summary(simulate([paths[lane] for lane in order], lengths, common)) == summary(simulate(*branch))


@given(branches(), st.randoms(use_true_random=False))
def test_paths_may_be_renamed(branch, rng):
    paths, lengths, common = branch
    names = rng.sample(range(len(lengths)), len(lengths))
    renamed = [0] * len(lengths)
    for old, new in enumerate(names):
        renamed[new] = lengths[old]
    moved = [names[path] if path >= 0 else -1 for path in paths]
    assert summary(simulate(moved, renamed, common)) == summary(simulate(*branch))


@given(st.lists(st.integers(0, 200), min_size=32, max_size=32), COMMON)
def test_a_loop_is_mean_over_max(trips, common):
    trace = loop(trips, common)
    assert trace.issue_slots == common + max(trips)
    assert trace.lane_slots == 32 * common + sum(trips)


@given(st.lists(st.integers(0, 200), min_size=32, max_size=32), st.permutations(range(32)))
def test_which_lane_iterates_longest_does_not_matter(trips, order):
    assert summary(loop([trips[lane] for lane in order], 1)) == summary(loop(trips, 1))
