"""Records: their keys, their numbers, one row a line; and what the committed ones must show."""

import json
from datetime import date

import pytest

from gpu_backend import records

HEAD = {"gpu": "G", "driver": "1", "cuda": "13.0", "torch": "2", "triton": "3"}
ROWS = [{"n": 1, "us": 10.0, "lanes": [0, 4]}, {"n": 2, "us": 20.0, "lanes": []}]
KEYS = ["gpu", "driver", "cuda", "torch", "triton", "date", "method", "inputs", "figure", "spread", "rows", "again"]


def make(*takes):
    return records.record(HEAD, "a clock", {"seed": 1}, "roofline", takes, date(2026, 11, 29))


def test_the_keys_are_those_of_the_readings_and_then_ours():
    made = make(ROWS)
    assert list(made) == KEYS
    assert made["date"] == "2026-11-29"
    assert made["again"] is None
    assert made["spread"] is None


def test_a_second_recording_stands_beside_and_tells_the_spread():
    again = [ROWS[0] | {"us": 11.0}, ROWS[1] | {"us": 19.0}]
    made = make(ROWS, again)
    assert made["again"] == again
    assert made["spread"] == {"of": "us", "median": pytest.approx(0.075), "largest": pytest.approx(0.1)}


def test_rows_that_do_not_pair_are_refused():
    with pytest.raises(ValueError, match="one recording has 2 rows, the other 1"):
        make(ROWS, ROWS[:1])


def test_points_that_could_not_be_measured_have_no_spread():
    rows = [{"us": None}, {"us": 2.0}]
    assert records.spread(rows, [{"us": None}, {"us": 2.5}]) == {"of": "us", "median": 0.25, "largest": 0.25}
    assert records.spread([{"bytes": 1}], [{"bytes": 1}]) is None


def test_the_text_is_json_with_a_row_a_line():
    text = records.text(make(ROWS, ROWS))
    assert json.loads(text) == make(ROWS, ROWS)
    assert '  {"n": 1, "us": 10.0, "lanes": [0, 4]},\n' in text
    assert text.count("\n") < 35
    one = records.text(make(ROWS))
    assert json.loads(one) == make(ROWS)
    assert list(json.loads(one)) == list(json.loads(text)) == KEYS


def test_numbers_keep_six_digits_and_must_be_finite():
    assert records.rounded(123456.789) == 123457
    assert records.rounded({"a": [0.000123456789, 0.0, 7]}) == {"a": [0.000123457, 0.0, 7]}
    assert records.rounded(2**40) == 2**40
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="must be finite"):
            records.rounded({"a": bad})


def test_a_record_is_written_where_figures_look(tmp_path):
    path = records.write(tmp_path / "h200", "roofline", make(ROWS))
    assert path == tmp_path / "h200" / "roofline.json"
    assert json.loads(path.read_text("utf-8"))["rows"] == ROWS
