"""The room that a card keeps, so that nothing below a text moves when the text changes."""

from typing import Any

from widgets import room
from widgets.parts import Readout


def test_a_readout_keeps_room_for_the_guess_that_it_awaits(tiny: Any) -> None:
    """Tiny has no line below its numbers, but for the one that stands there until the guess."""
    figure = tiny()
    assert [readout.sub for readout in room.hidden(figure)] == ["your guess first", ""]
    rows = [*(twin.readouts() for twin in room.twins(figure)), room.hidden(figure)]
    assert [readout.sub for readout in room.readouts(rows)] == ["your guess first", ""]
    assert not any(readout.secret for readout in room.readouts(rows))


def test_a_readout_keeps_room_for_the_longest_of_each_of_its_texts() -> None:
    rows = [[Readout("Saved", "5", "µs")], [Readout("节省了", "1,024", "", "of all")], []]
    (widest,) = room.readouts(rows)
    assert (widest.label, widest.value, widest.unit, widest.sub) == ("节省了", "1,024", "µs", "of all")
