"""What a line break may not part."""

import pytest

from bookbuild.typography import NO_BREAK, soft_break, tied


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("32 × 32 floats", "32_×_32 floats"),
        ("2 − 1 = 1", "2_−_1_=_1"),
        ("5.44 µs and 16 KiB", "5.44_µs and 16_KiB"),
        ("21 % of 3.35 TB/s", "21_% of 3.35_TB/s"),
        ("64 FLOP/B, 103 GFLOP", "64_FLOP/B, 103_GFLOP"),
        ("4 banks", "4 banks"),
        ("3 s", "3_s"),
        ("3 steps", "3 steps"),
    ],
)
def test_numbers_stay_with_their_units(text: str, shown: str) -> None:
    assert tied(text) == shown.replace("_", NO_BREAK)


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [("一", "二", ""), ("。", "二", ""), ("”", "“", ""), ("a", "b", "\n"), ("一", "a", "\n"), ("", "a", "\n")],
)
def test_a_line_end_prints_a_space_except_between_wide_characters(before: str, after: str, between: str) -> None:
    assert soft_break(before, after) == between
