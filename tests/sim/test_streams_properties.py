import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim import pipeline  # noqa: E402
from sim.streams import Enqueue, Record, Sync, Wait, double_buffer, parse, simulate, to_text  # noqa: E402

batches = st.integers(1, 12)
whole_us = st.integers(1, 90)

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40).filter(
    lambda name: name.isprintable() and '"' not in name
)
slots = st.integers(0, 15)
durations = st.floats(0, 1e6)
works = (
    st.builds(Enqueue, names, names, durations, st.just("move"), slots)
    | st.builds(Enqueue, names, names, durations, st.just("compute"), st.none() | slots)
)  # fmt: skip
steps = works | st.builds(Record, names, names) | st.builds(Wait, names, names) | st.builds(Sync)
steps |= st.builds(Sync, st.none(), names)


@given(st.lists(steps, min_size=1, max_size=8))
def test_text_and_program_say_the_same(program):
    assert parse(to_text(program)) == tuple(program)


@given(st.text(st.sampled_from('enqueue sync wait copy slot 0 4 "#\n'), max_size=200))
def test_any_text_is_a_program_or_a_sentence_that_names_its_place(text):
    try:
        parse(text)
    except ValueError as error:
        assert str(error).startswith(("line ", "the program has ", "sync on the stream "))  # noqa: PT017


@given(batches, whole_us, whole_us, st.integers(1, 4))
def test_with_a_host_that_costs_nothing_two_streams_are_the_pipeline(n, copy_us, kernel_us, slots):
    line = simulate(double_buffer(n, copy_us, kernel_us, slots), submit_us=0)
    assert line.total_us == pipeline.simulate(n, copy_us, kernel_us, slots).total_us
    assert not line.races


@given(batches, st.integers(10, 90), st.integers(10, 90), st.integers(2, 4))
def test_a_host_that_keeps_ahead_costs_one_submission(n, copy_us, kernel_us, slots):
    # two submissions of 5 µs a batch, and neither half is shorter than that
    line = simulate(double_buffer(n, copy_us, kernel_us, slots))
    assert line.total_us == 5 + copy_us + (n - 1) * max(copy_us, kernel_us) + kernel_us
    assert simulate(double_buffer(n, copy_us, kernel_us, 1)).total_us == 5 + n * (copy_us + kernel_us)


@given(batches, whole_us, whole_us, st.integers(1, 4), st.sampled_from(["free", "filled"]))
def test_an_event_left_out_races_as_soon_as_it_matters(n, copy_us, kernel_us, slots, leave_out):
    line = simulate(double_buffer(n, copy_us, kernel_us, slots, leave_out=leave_out))
    # "filled" guards every batch, "free" only those that come to a used slot
    assert bool(line.races) == (leave_out == "filled" or n > slots)
