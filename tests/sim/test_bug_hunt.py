import doctest
from dataclasses import replace
from math import exp, inf, isnan, nan

import numpy as np
import pytest

import sim.bug_hunt
import sim.bug_inputs
import sim.bug_kernels
from sim.bug_hunt import ATOL, RTOL, judge, simulate
from sim.bug_inputs import BEHIND, INPUTS, UNWRITTEN, case, make, normal
from sim.bug_kernels import FAULTS, KERNELS, covering, run

SEEDS = range(8)


@pytest.fixture(scope="module")
def hunts():
    return [simulate(seed=seed) for seed in SEEDS]


@pytest.mark.parametrize("module", [sim.bug_hunt, sim.bug_inputs, sim.bug_kernels])
def test_docstring_examples_hold(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def definition(scores, rows, keep):
    """The contract once more, in plain Python floats."""
    count, columns = len(rows), len(scores[0]) if len(scores) else 0
    out = []
    for i, row in enumerate(rows):
        seen = [j for j in range(columns) if keep[i][j] and j <= i + columns - count]
        values = [max(scores[row][j], -65504.0) if not isnan(scores[row][j]) else nan for j in seen]
        if any(map(isnan, values)):
            out.append([nan] * columns)
            continue
        top = max(values, default=0.0)
        weights = {j: exp(value - top) for j, value in zip(seen, values, strict=True)}
        out.append([weights.get(j, 0.0) / sum(weights.values()) if weights else 0.0 for j in range(columns)])
    return out


@pytest.mark.parametrize("name", INPUTS)
def test_the_reference_is_the_definition(name):
    given = make(name, 3)
    want = definition(given.scores.tolist(), given.rows.tolist(), given.keep.tolist())
    assert given.reference == pytest.approx(np.reshape(want, given.reference.shape), rel=1e-12, abs=0, nan_ok=True)


def test_figure_14_1_every_fault_is_exposed_and_the_correct_kernel_never(hunts):
    for hunt in hunts:
        assert hunt.kernels == ("correct", *FAULTS)
        assert hunt.inputs == INPUTS
        assert hunt.missed == ("correct",)
        correct = hunt.verdicts[0]
        assert [(v.wrong, v.outside, v.input_changed) for v in correct] == [(0, 0, 0)] * len(INPUTS)


def test_figure_14_1_random_normal_alone_misses_most(hunts):
    for hunt in hunts:
        assert set(hunt.exposed_by("random_normal")) <= {"half_sum"}  # by luck
    exposed = [bool(hunt.exposed_by("random_normal")) for hunt in hunts]
    assert any(exposed)
    assert not all(exposed)


# Worked from the definition: what each input has that a fault needs, and all others lack.
# half_sum is left out: whether it shows depends on the numbers, except over a long row.
NEEDS = {
    "no_tail_mask": lambda c: c.keep.size > 0 and covering(c.keep.shape[1]) != c.keep.shape[1],
    "wrong_stride": lambda c: c.transposed and c.keep.any(),
    "nan_swallowed": lambda c: bool(np.isnan(c.reference).any()),
    "fully_masked_row": lambda c: any(not row.any() for row in c.reference),
    "overlapping_in_out": lambda c: len(set(c.rows.tolist())) < len(c.rows),
    "causal_offset": lambda c: c.keep.size > 0 and len(c.keep) != c.keep.shape[1] and len(set(c.rows)) == len(c.rows),
}


@pytest.mark.parametrize("fault", NEEDS)
def test_a_fault_shows_exactly_where_the_input_has_what_it_needs(fault, hunts):
    for seed, hunt in zip(SEEDS, hunts, strict=True):
        expected = [name for name in INPUTS if NEEDS[fault](make(name, seed))]
        assert expected
        assert [name for name in INPUTS if fault in hunt.exposed_by(name)] == expected


def test_a_half_precision_sum_shows_over_the_longest_row_and_under_no_mask(hunts):
    for hunt in hunts:
        assert "half_sum" in hunt.exposed_by("largest_size")
        assert "half_sum" not in hunt.exposed_by("all_masked")
        assert "half_sum" not in hunt.exposed_by("zero_rows")
    # 4096 equal scores: FP16 counts to 2048 and no further, so each weight is 2^-11 and not 2^-12
    equal = case(np.zeros((1, 4096)))
    call = equal.call()
    run("half_sum", call)
    assert set(call.out[:4096].tolist()) == {2.0**-11}
    assert judge(lambda c: run("half_sum", c), equal).largest_error == 2.0**-12
    # up to 2048 of them it is exact
    assert judge(lambda c: run("half_sum", c), case(np.zeros((1, 2048))), 0.0, 0.0).wrong == 0


def test_a_loose_tolerance_hides_the_half_precision_sum_first():
    names = [name for name in INPUTS if name != "largest_size"]
    assert all("half_sum" in simulate(inputs=names, rtol=1e-2, seed=seed).missed for seed in range(4))
    assert set(simulate(rtol=1.0, atol=1.0, seed=0).missed) >= {"correct", "wrong_stride", "half_sum", "causal_offset"}


def test_every_input_shows_the_overwritten_scores_to_a_test_that_looks_there(hunts):
    for hunt in hunts:
        changed = {k for k, row in zip(KERNELS, hunt.verdicts, strict=True) if any(v.input_changed for v in row)}
        assert changed == {"overlapping_in_out"}
        row = hunt.verdicts[KERNELS.index("overlapping_in_out")]
        assert [v.input_changed > 0 for v in row] == [name != "zero_rows" for name in INPUTS]


def test_repeats_inside_one_program_hide_the_overlap():
    # each program reads all its rows before it writes, so rows 0 0 1 1 … show nothing, 0 … 7 0 … 7 do
    scores = normal(8, 16, 0)
    inside, across = case(scores, np.arange(16) // 2), case(scores, np.arange(16) % 8)
    verdicts = [judge(lambda call: run("overlapping_in_out", call), each).exposed for each in (inside, across)]
    assert verdicts == [False, True]


def test_the_missing_tail_mask_writes_past_the_end_and_into_the_next_program():
    # 37 columns in 64 lanes: 27 elements behind the last row, and as many of the first row of the second program
    verdict = simulate(["no_tail_mask"], ["odd_sizes"]).verdicts[0][0]
    assert (verdict.elements, verdict.outside, verdict.wrong) == (11 * 37, 27, 27)


def test_an_unknown_output_cannot_pass_for_right():
    nothing = judge(lambda call: None, make("all_masked"))
    assert (nothing.wrong, nothing.outside) == (256, 0)
    assert nothing.largest_error == -UNWRITTEN
    poison = judge(lambda call: call.out.fill(nan), make("random_normal"))
    assert poison.wrong == 256
    assert poison.largest_error == 0.0  # NaN is wrong, and no number
    assert judge(lambda call: call.out.fill(inf), make("nan")).wrong == 256  # inf where NaN is due is wrong, too


def test_the_tolerance_is_the_boundary():
    # the reference of one column is 1; FP16 numbers next to it are 2^-10 above
    one = case([[0.0]])

    def off(call):
        call.out[0] = 1 + 2**-10

    assert judge(off, one, 2**-10, 0.0).wrong == 0
    assert judge(off, one, 0.0, 2**-10).wrong == 0
    assert judge(off, one, 2**-11, 2**-11).wrong == 0
    assert judge(off, one, 2**-11, 2**-12).wrong == 1
    assert (RTOL, ATOL) == (1e-3, 1e-5)


def test_memory_is_laid_out_as_stated():
    scores = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    call = case(scores, transposed=True, gap=1, base=2).call()
    assert call.storage[:11].tolist() == [BEHIND] * 2 + [1, 4, BEHIND, 2, 5, BEHIND, 3, 6, BEHIND]
    assert (call.base, call.row_stride, call.column_stride, call.columns) == (2, 1, 3, 3)
    call = case(scores, gap=1).call()
    assert call.storage[:8].tolist() == [1, 2, 3, BEHIND, 4, 5, 6, BEHIND]
    assert (call.base, call.row_stride, call.column_stride) == (0, 4, 1)
    assert set(call.out.tolist()) == {UNWRITTEN}


@pytest.mark.parametrize("transposed", [False, True])
def test_the_correct_kernel_on_many_shapes(transposed):
    draw = np.random.Generator(np.random.PCG64(14))
    for _ in range(60):
        stored, count, columns = draw.integers(1, 20, 3).tolist()
        rows = draw.integers(0, stored, count)
        keep = draw.random((count, columns)) < 0.7
        gap, base = draw.integers(0, 5, 2).tolist()
        given = case(normal(stored, columns, 1), rows, keep, transposed=transposed, gap=gap, base=base)
        verdict = judge(lambda call: run("correct", call), given)
        assert (verdict.wrong, verdict.outside, verdict.input_changed) == (0, 0, 0)
        # the bound of the docstring: one rounding to FP16 and little else
        assert verdict.largest_error <= 2**-11 * 1.01


def test_same_seed_same_hunt():
    assert simulate(seed=5) == simulate(seed=5)
    assert not np.array_equal(make("random_normal", 0).scores, make("random_normal", 1).scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate(["perfect"]), "kernel 0 is 'perfect'"),
        (lambda: simulate(inputs=["nan", "nan"]), "input 1 is 'nan'"),
        (lambda: simulate(inputs=["zeros"]), "input 0 is 'zeros'"),
        (lambda: simulate(seed=-1), "seed is -1"),
        (lambda: simulate(seed=True), "seed is True"),
        (lambda: simulate(rtol=-1e-3), "rtol is -0.001"),
        (lambda: simulate(rtol=nan), "rtol is nan"),
        (lambda: simulate(atol=2), "atol is 2"),
        (lambda: run("perfect", make("nan").call()), "kernel is 'perfect'"),
        (lambda: make("zeros"), "input is 'zeros'"),
        (lambda: case([0.0]), r"shape \(1,\)"),
        (lambda: case(np.zeros((1, 0))), r"shape \(1, 0\)"),
        (lambda: case(np.zeros((1, 4097))), r"shape \(1, 4097\)"),
        (lambda: case(np.zeros((65, 1))), r"shape \(65, 1\)"),
        (lambda: case([[0.1]]), "0.1 is not an FP16 number"),
        (lambda: case([[65536.0]]), "65536.0 is not an FP16 number"),
        (lambda: case([[0.0]], rows=[1]), "numbers from 0 to 0"),
        (lambda: case([[0.0]], rows=[-1]), "numbers from 0 to 0"),
        (lambda: case([[0.0]], rows=[0.5]), "rows are"),
        (lambda: case([[0.0]], rows=[0] * 65), "at most 64"),
        (lambda: case([[0.0]], keep=[[1]]), "keep is int"),
        (lambda: case([[0.0]], keep=[True]), "keep is bool of shape"),
        (lambda: case([[0.0]], gap=65), "gap is 65"),
        (lambda: case([[0.0]], base=1.0), "base is 1.0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_case_gives_fresh_memory_each_time():
    given = make("random_normal")
    run("overlapping_in_out", given.call())
    assert not judge(lambda call: run("correct", call), given).exposed
    other = replace(given, reference=given.reference + 1)  # a wrong reference turns the verdict
    assert judge(lambda call: run("correct", call), other).wrong == 256
