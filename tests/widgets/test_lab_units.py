from fractions import Fraction as F

import pytest

from widgets.lab_numerals import clean
from widgets.lab_units import MAX_UNIT_CHARS, factors, known


@pytest.mark.parametrize(
    ("typed", "unit", "factor"),
    [
        # IEC 80000-13: kibi 2^10, mebi 2^20, gibi 2^30; SI: kilo, mega, giga powers of ten
        ("MiB", "KiB", 1024), ("B", "KiB", F(1, 1024)), ("GiB", "MiB", 1024), ("kB", "B", 1000),
        ("MB", "KiB", F(10**6, 2**10)), ("MiB", "MB", F(2**20, 10**6)), ("字节", "KiB", F(1, 1024)),
        ("bytes", "B", 1), ("Mbit", "MB", F(1, 8)), ("Gb/s", "GB/s", F(1, 8)), ("Gbps", "GB/s", F(1, 8)),
        ("ns", "µs", F(1, 1000)), ("us", "µs", 1), ("μs", "µs", 1), ("微秒", "ms", F(1, 1000)),
        ("µs", "微秒", 1),
        ("s", "ms", 1000), ("min", "s", 60), ("US", "µs", 1), ("㎲", "µs", 1),
        ("GB/s", "TB/s", F(1, 1000)), ("TB per second", "GB/s", 1000), ("GB / 秒", "GB/s", 1),
        ("GB每秒", "GB/s", 1),
        ("GFLOP/s", "TFLOP/s", F(1, 1000)), ("TFLOPS", "TFLOP/s", 1), ("flops", "FLOP", 1),
        ("flops", "FLOP/s", 1),
        ("FLOP/byte", "FLOP/B", 1), ("MHz", "GHz", F(1, 1000)),
        ("%", "", F(1, 100)), ("％", "%", 1), ("percent", "%", 1), ("×", "", 1), ("倍", "×", 1),
        ("%", "×", F(1, 100)),
        ("wavefront", "wavefronts", 1), ("Wavefronts", "次 wavefront", 1), ("次", "次 wavefront", 1),
        ("个线程", "threads", 1),
        ("扇区", "sectors", 1), ("-way", "ways", 1), ("gizmo", "gizmos", 1), ("gizmo/s", "gizmos/s", 1),
        ("warps", "", 1), ("个", "", 1), ("k", "", 1000), ("k wavefronts", "wavefronts", 1000),
        ("万次", "次", 10**4),
        ("千", "", 1000), ("万字节", "B", 10**4), ("百万", "", 10**6), ("million", "", 10**6),
        ("亿次", "calls", 10**8),
        ("Mi", "elements", 2**20), ("T", "TB/s", 1), ("Ki", "KiB", 1), ("", "KiB", 1), ("kib", "KiB", 1),
    ],
)  # fmt: skip
def test_a_unit_of_the_same_kind_is_converted(typed, unit, factor):
    assert factors(clean(typed), unit) == (factor,)


@pytest.mark.parametrize(
    ("typed", "unit", "both"),
    [
        ("KB", "B", (1000, 1024)), ("K", "B", (1000, 1024)), ("K", "threads", (1000, 1024)),
        ("M", "", (10**6, 2**20)), ("kb", "kB", (1, F(1024, 1000))), ("KB/s", "kB/s", (1, F(1024, 1000))),
    ],
)  # fmt: skip
def test_a_spelling_with_two_senses_gives_both(typed, unit, both):
    assert set(factors(typed, unit)) == set(both)


@pytest.mark.parametrize(
    ("typed", "unit"),
    [
        ("ms", "KiB"), ("KiB", "KiB/s"), ("warps", "wavefronts"), ("ms", ""), ("s", ""), ("%", "warps"),
        ("B", "bank"),
        ("k", "µs"), ("K", "%"), ("FLOP/s", "FLOP"), ("foo", "KiB"), ("b", "B"),
        ("x" * (MAX_UNIT_CHARS + 1), "x"),
        ("万" * 400, ""), ("m", ""), ("Gb/s", "TFLOP/s"),
    ],
)  # fmt: skip
def test_another_unit_is_not_converted(typed, unit):
    assert factors(typed, unit) == ()


def test_careless_case_never_turns_bits_into_bytes():
    assert factors("gb/s", "GB/s") == (1,)
    assert factors("Gb/s", "GB/s") == (F(1, 8),)


def test_known_units():
    assert all(map(known, ("ms", "warps", "%", "SMs")))
    assert not any(map(known, ("个", "foo", "")))
