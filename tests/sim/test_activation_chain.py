import doctest
from fractions import Fraction
from math import inf, nan

import pytest

import sim.activation_chain
from sim.activation_chain import break_even_rows, program
from sim.fusion import execute

MIB = 1 << 20


def test_docstring_examples_hold():
    result = doctest.testmod(sim.activation_chain)
    assert result.attempted
    assert not result.failed


def traffic(sizes, **given):
    return execute(program(**given), sizes).traffic_bytes / MIB


def test_figure_9_1_traffic():
    assert {tensor.name: tensor.size_bytes // MIB for tensor in program().tensors} == {
        "G": 24,
        "U": 24,
        "S": 24,
        "P": 24,
        "Q": 12,
    }
    apart = execute(program(), [1, 1, 1])
    assert [(kernel.read_bytes + kernel.write_bytes) // MIB for kernel in apart.kernels] == [48, 72, 36]
    assert apart.traffic_bytes // MIB == 156
    assert traffic([3]) == 60
    two = execute(program(), [2, 1]).kernels[0]
    assert (two.read_bytes + two.write_bytes) // MIB == 72  # the first two steps: 120 apart
    assert f"{120 / 72:.1f}" == "1.7"  # what the bytes alone promise


def test_figure_9_1_memory_and_the_order_of_allocation():
    apart = execute(program(), [1, 1, 1])
    assert [kernel.live for kernel in apart.kernels] == [("G", "U", "S"), ("U", "S", "P"), ("P", "Q")]
    assert [kernel.writes for kernel in apart.kernels] == [("S",), ("P",), ("Q",)]
    assert [kernel.freed for kernel in apart.kernels] == [("G",), ("U", "S"), ("P",)]
    assert [kernel.live_bytes // MIB for kernel in apart.kernels] == [72, 72, 36]
    assert (apart.peak_bytes // MIB, execute(program(), [3]).peak_bytes // MIB) == (72, 60)


def test_figure_9_1_a_layout_copy():
    assert traffic([1, 1, 1, 1], layout_copy=True) - traffic([1, 1, 1]) == 48
    assert traffic([1, 2, 1], layout_copy=True) == traffic([1, 1, 1])  # the producer writes the layout
    assert traffic([4], layout_copy=True) == traffic([3])


def test_every_fused_edge_saves_twice_its_intermediate():
    for copy in (False, True):
        chain = program(layout_copy=copy)
        count = len(chain.operators)
        size_of = {tensor.name: tensor.size_bytes for tensor in chain.tensors}
        apart = execute(chain, [1] * count).traffic_bytes
        for edge in range(count - 1):
            fused = execute(chain, [1] * edge + [2] + [1] * (count - edge - 2)).traffic_bytes
            assert apart - fused == 2 * size_of[chain.operators[edge].writes]


def test_the_reported_times_are_faster_than_device_memory():
    # reported on an RTX PRO 6000 (1,792 GB/s, 128 MiB of L2) for the first two steps: 14.2 and 7.7 µs. At this
    # size the bytes alone would take 70 and 42 µs from device memory.
    apart, fused = execute(program(), [1, 1, 1]), execute(program(), [2, 1])
    steps = [
        sum(kernel.read_bytes + kernel.write_bytes for kernel in run.kernels if "quantize" not in kernel.operators)
        for run in (apart, fused)
    ]
    assert [round(size / 1792e9 * 1e6) for size in steps] == [70, 42]
    assert max(kernel.live_bytes for kernel in apart.kernels) < 128 * MIB


def test_lab_2_break_even():
    saved = (156 - 60) * MIB // 1024
    assert saved == 98_304 == 4 * 2 * 12288  # two intermediates of two bytes, each written and read
    assert break_even_rows(saved, 5.0, 1792e9) == 92
    assert 91 * saved / 1792e9 < 5e-6 < 92 * saved / 1792e9
    first_two = (120 - 72) * MIB // 1024
    assert break_even_rows(first_two, 5.0, 1792e9) == 183
    assert 182 * first_two / 1792e9 < 5e-6 < 183 * first_two / 1792e9


def test_bytes_saved_grow_with_the_rows():
    for rows in (1, 100, 4096):
        assert traffic([1, 1, 1], rows=rows) - traffic([3], rows=rows) == rows * 98_304 / MIB


def test_a_tie_does_not_pay():
    assert break_even_rows(1000, 5.0, 1e9) == 6  # five rows save 5,000 B in exactly 5 µs
    assert break_even_rows(1000, 0.0, 1e9) == 1
    assert break_even_rows(1 << 40, 1.0, 1.0) == 1
    for saved, fixed, bandwidth in ((98_304, 5.0, 1792e9), (3, 0.1, 7e8), (12_345, 2.7, 3.35e12)):
        rows = break_even_rows(saved, fixed, bandwidth)
        gains = [(rows - less) * saved / Fraction(bandwidth) * 10**6 > Fraction(str(fixed)) for less in (0, 1)]
        assert gains == [True, False]


@pytest.mark.parametrize("name", ["rows", "width", "element_bytes"])
@pytest.mark.parametrize("bad", [0, -1, 2**24 + 1, 1.0, True, nan, "1", None])
def test_sizes_that_are_refused(name, bad):
    with pytest.raises(ValueError, match=rf"^{name} is .*; it must be a whole number from 1 to \d+$"):
        program(**{name: bad})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 5.0, 1e9), r"saved_bytes_per_row is 0; it must be a whole number from 1 to 1099511627776"),
        ((1.0, 5.0, 1e9), "saved_bytes_per_row is 1.0"),
        ((True, 5.0, 1e9), "saved_bytes_per_row is True"),
        ((1, -1.0, 1e9), r"fixed_us is -1.0; it must be a number from 0 to 1e\+09 µs"),
        ((1, nan, 1e9), "fixed_us is nan"),
        ((1, 5.0, 0.0), "bandwidth_byte_per_s is 0.0; it must be a number greater than 0"),
        ((1, 5.0, inf), "bandwidth_byte_per_s is inf"),
    ],
)
def test_rates_that_are_refused(given, message):
    with pytest.raises(ValueError, match="^" + message):
        break_even_rows(*given)
