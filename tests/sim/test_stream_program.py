import doctest

import pytest

import sim.stream_program
from sim.stream_program import Enqueue, Record, Sync, Wait, check, double_buffer


def test_docstring_examples_hold():
    result = doctest.testmod(sim.stream_program)
    assert result.attempted
    assert not result.failed


def test_batches_take_the_slots_in_turn_and_every_wait_has_its_record():
    program = double_buffer(5, 40, 55, 3)
    assert [step.slot for step in program if isinstance(step, Enqueue)] == [0, 0, 1, 1, 2, 2, 0, 0, 1, 1]
    assert len(program) == 5 * 6 + 1
    for step in program:
        if isinstance(step, Wait):
            assert any(isinstance(other, Record) and other.event == step.event for other in program)


@pytest.mark.parametrize("name", ["free", "filled"])
def test_leaving_out_an_event_drops_its_records_and_waits_and_nothing_else(name):
    whole, part = double_buffer(4, 40, 55, 2), double_buffer(4, 40, 55, 2, leave_out=name)
    assert part == tuple(step for step in whole if not getattr(step, "event", None) or name not in step.event)
    assert len(part) == 4 * 4 + 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Enqueue("s", "k", -1.0), "a duration of -1.0 µs; it must be from 0 to 1e+06"),
        (lambda: Enqueue("s", "k", float("nan")), "a duration of nan µs"),
        (lambda: Enqueue("s", "k", 1.1e6), "a duration of 1100000.0 µs"),
        (lambda: Enqueue("s", "k", 1.0, "read", 0), "kind 'read'; it must be 'move' or 'compute'"),
        (lambda: Enqueue("s", "k", 1.0, "move"), "the move 'k' has no slot"),
        (lambda: Enqueue("s", "k", 1.0, "move", 16), "slot 16; it must be from 0 to 15"),
        (lambda: Enqueue("s", "k", 1.0, "compute", -1), "slot -1"),
        (lambda: Enqueue("", "k", 1.0), "the stream ''; use 1 to 40 printable characters"),
        (lambda: Enqueue("s", 'k"', 1.0), "the name 'k\"'"),
        (lambda: Record("s", "x" * 41), "the event 'x"),
        (lambda: Wait("s\n", "e"), "the stream 's\\n'"),
        (lambda: Sync("s", "e"), "sync names a stream and an event"),
        (lambda: check([]), "the program has 0 steps; give it 1 to 400"),
        (lambda: check([Sync()] * 401), "the program has 401 steps"),
        (lambda: check([Record(str(i), "e") for i in range(9)]), "the program has 9 streams; use at most 8"),
        (lambda: check([Record("a", "e"), Sync(stream="b")]), "sync on the stream 'b', which no other"),
        (lambda: double_buffer(0, 1, 1, 2), "batches is 0; it must be a whole number from 1 to 64"),
        (lambda: double_buffer(65, 1, 1, 2), "batches is 65"),
        (lambda: double_buffer(4, 1, 1, 17), "slots is 17; it must be a whole number from 1 to 16"),
        (lambda: double_buffer(4, 1, 1, 1.5), "slots is 1.5"),
        (lambda: double_buffer(4, -1, 1, 2), "a duration of -1 µs"),
        (lambda: double_buffer(4, 1, 1, 2, leave_out="full"), "leave_out is 'full'; it must be 'free'"),
    ],
)  # fmt: skip
def test_input_out_of_range_is_refused(make, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011  (the message is compared below, without a pattern)
        make()
    assert str(error.value).startswith(message)


def test_the_limits_themselves_are_allowed():
    check([Sync()] * 400)
    check(double_buffer(64, 1e6, 0.0, 16))
