import pytest

hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sim.warp_specialization import simulate  # noqa: E402

shapes = st.fixed_dictionaries(
    {
        "tiles": st.integers(1, 3),
        "k_steps": st.integers(1, 6),
        "slots": st.integers(1, 5),
        "fill_us": st.floats(0.0, 50.0),
        "consume_us": st.floats(0.0, 50.0),
        "epilogue_us": st.floats(0.0, 50.0),
        "producers": st.integers(1, 3),
        "consumers": st.integers(1, 3),
        "epilogue_warps": st.integers(0, 2),
        "accumulators": st.integers(1, 3),
        "jitter": st.floats(0.0, 0.9),
        "seed": st.integers(0, 2**32),
    }
)


@given(shapes)
@settings(max_examples=60)
def test_a_whole_pipeline_neither_races_nor_stops(shape):
    trace = simulate(**shape)
    assert (trace.races, trace.accumulator_races, trace.stuck, trace.cycles) == ((), (), (), ())
    for slot in range(shape["slots"]):
        holds = [hold for hold in trace.holds if hold.slot == slot]
        edges = [0.0, *(hold.end_us for hold in holds)]
        assert [hold.start_us for hold in holds] == edges[:-1]  # somebody owns it at each instant
        assert edges[-1] == trace.total_us
    for step in trace.steps:  # nobody touches a slot that it does not own
        if step.kind != "epilogue" and step.start_us < step.end_us:
            owner = "producers" if step.kind == "fill" else "consumers"
            assert any(
                hold.start_us <= step.start_us and step.end_us <= hold.end_us
                for hold in trace.holds
                if hold.slot == step.item % shape["slots"] and hold.owner == owner
            )


@given(shapes, st.sampled_from(["slots", "accumulators"]))
@settings(max_examples=60)
def test_one_more_slot_or_accumulator_is_never_slower(shape, what):
    more = simulate(**shape | {what: shape[what] + 1})
    assert more.total_us <= simulate(**shape).total_us * (1 + 1e-12)


@given(shapes)
@settings(max_examples=60)
def test_no_faster_than_the_busiest_warp(shape):
    trace = simulate(**shape)
    for warp in {step.warp for step in trace.steps}:
        assert trace.worked_us(warp) + trace.waited_us(warp) <= trace.total_us * (1 + 1e-9)
