"""Slow or stuck: which waits cannot end, and the cycle or the missing step that they come down to.

Every host takes its steps in order, and so does every stream those that it was given; each waits for what
its step names (`sim.streams`, with the marks and collectives of `sim.hang_program`). What is never done
waits in the end for something that no step makes, or in a circle. While a program is only slow, something
is under way at each instant; of a stuck one, nothing is from its last progress on.

Source: E. G. Coffman, M. J. Elphick, A. Shoshani, "System Deadlocks", ACM Computing Surveys 3(2), 1971
(circular wait); for streams and events the CUDA Runtime API, as in `sim.streams`.
Left out: what `sim.streams` and `sim.hang_program` leave out.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple, cast

from sim.events import Task, cycles, run
from sim.hang_program import Await, Collective, Place, Program, Step, check, makers, places
from sim.hang_trace import Diagnosis, Done, Missing, Stuck
from sim.inputs import number
from sim.stream_program import Enqueue, Record, Sync, Wait
from sim.streams import MAX_CALL_US


class _Entry(NamedTuple):
    """A rank is at the door of a collective."""

    place: Place


def examine(program: Program, *, submit_us: float = 5.0, event_us: float = 0.0) -> Diagnosis:
    """Run every host and stream as far as it gets; the host's costs are in [0, 1e6] µs a call.

    Raises ValueError for other costs and for what `sim.hang_program.check` refuses.

    >>> from sim.hang_program import cases
    >>> examine(cases()["two streams"]).cycles
    ((Place(host='host', stream='first', step=0), Place(host='host', stream='second', step=3)),)
    >>> examine(cases()["collective"]).stuck[0].missing
    (Missing(name='all-reduce', host='rank 1', call=1),)
    >>> examine(cases()["slow"]).look(1000.0)
    Look(verdict='slow', steps_done=3, under_way=(Place(host='host', stream='compute', step=3),))
    """
    check(program)
    program = {host: tuple(steps) for host, steps in program.items()}
    for name, us in (("submit_us", submit_us), ("event_us", event_us)):
        number(name, us, 0, MAX_CALL_US, "µs")
    causes, empty_waits = _causes(program)
    plan = run(list(_tasks(program, causes, submit_us, event_us)))
    done = [Done(key, s.start_us, s.end_us) for key, s in plan.spans.items() if isinstance(key, Place)]
    blocked = plan.blocked()
    return Diagnosis(
        program=program,
        done=tuple(sorted(done, key=lambda each: (each.start_us, each.end_us))),
        stuck=tuple(
            Stuck(
                place=(place := _place(each.task.key)),
                submitted=place.stream is None or place._replace(stream=None) in plan.spans,
                needs=tuple(_place(key) for key in each.unmet if key not in each.missing),
                held_by=tuple(_place(key) for key in each.held_by),
                missing=tuple(cast(Missing, key) for key in each.missing),
            )
            for each in blocked
        ),
        cycles=tuple(tuple(_place(key) for key in circle) for circle in cycles(blocked)),
        empty_waits=empty_waits,
        last_progress_us=plan.total_us,
    )


def _place(key: Hashable) -> Place:
    return key.place if isinstance(key, _Entry) else cast(Place, key)


def _causes(program: Program) -> tuple[dict[Place, tuple[Hashable, ...]], tuple[Place, ...]]:
    """What each step waits for, besides its turn; and the waits for nothing."""
    causes: dict[Place, tuple[Hashable, ...]] = {}
    empty: list[Place] = []
    makes = makers(program)
    entries: dict[str, dict[str, list[Place]]] = {}  # collective -> host -> its calls
    newest: dict[tuple[str, str], Place] = {}  # host, event -> its record
    tail: dict[str, dict[str, Place]] = {host: {} for host in program}  # host -> stream -> its last step
    for place in places(program):
        step = program[place.host][place.step]
        if isinstance(step, Record):
            newest[place.host, step.event] = place
        elif isinstance(step, Wait | Sync) and step.event is not None:
            record = newest.get((place.host, step.event))
            causes[place] = (record,) if record else ()
            empty += [] if record else [place]
        elif isinstance(step, Sync):
            tails = tail[place.host]
            causes[place] = tuple(tails[s] for s in tails if step.stream in (None, s))
        elif isinstance(step, Await):
            causes[place] = makes.get(step.mark, ()) or (Missing(step.mark),)
        elif isinstance(step, Collective):
            entries.setdefault(step.name, {host: [] for host in program})[place.host].append(place)
        if place.stream is not None:
            tail[place.host][place.stream] = place
    for name, calls in entries.items():
        for host, mine in calls.items():
            for n, place in enumerate(mine):
                others = [(other, calls[other]) for other in calls if other != host]
                causes[place] = tuple(
                    _Entry(theirs[n]) if n < len(theirs) else Missing(name, other, n) for other, theirs in others
                )
    return causes, tuple(empty)


def _tasks(
    program: Program, causes: Mapping[Place, tuple[Hashable, ...]], submit_us: float, event_us: float
) -> Iterator[Task]:
    for place in places(program):
        step: Step = program[place.host][place.step]
        waits = causes.get(place, ())
        if place.stream is None:
            yield Task(place, place.host, 0.0, waits)
            continue
        call = place._replace(stream=None)
        row = f"{place.host}\n{place.stream}"
        work_us = step.duration_us if isinstance(step, Enqueue | Collective) else 0.0
        yield Task(call, place.host, submit_us if isinstance(step, Enqueue | Collective) else event_us)
        if isinstance(step, Collective):
            yield Task(_Entry(place), row, 0.0, (call,))
        yield Task(place, row, work_us, (call, *waits))
