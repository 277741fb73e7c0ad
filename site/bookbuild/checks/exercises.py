"""Exercises: their answers, and the sentences about wrong ones."""

from collections.abc import Iterator

from bookbuild import exercises
from bookbuild.chapter import Source
from bookbuild.fences import ExerciseUse
from bookbuild.manuscript import Manuscript
from bookbuild.problems import Problem, listed
from bookbuild.rooms import Json, Rooms
from widgets.words import Words


def _answered(manuscript: Manuscript, rooms: Rooms) -> Iterator[tuple[Source, ExerciseUse, dict[str, Json]]]:
    for source in manuscript.sources.values():
        for use in source.exercises:
            file = manuscript.exercise_file(source, use.name)
            if file.is_file():
                yield source, use, rooms.exercise(file)


def unknown_exercise(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an exercise that nothing computes."""
    for source in manuscript.sources.values():
        for use in source.exercises:
            file = manuscript.exercise_file(source, use.name)
            if not file.is_file():
                there = listed(path.stem for path in file.parent.glob("*.py"))
                yield source.problem(use.line, f"unknown exercise {use.name!r}", f"exercises/ has {there}")


def exercise_placed_twice(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an exercise placed a second time: its name is an address."""
    for source in manuscript.sources.values():
        seen: set[str] = set()
        for use in source.exercises:
            if use.name in seen:
                yield source.problem(
                    use.line, f"the exercise {use.name!r} stands here a second time", "each stands once"
                )
            seen.add(use.name)


def exercise_about_no_figure(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an exercise about a figure that its chapter does not place: its number would be another's."""
    for source in manuscript.sources.values():
        placed = [use.key for use in source.figures]
        for use in source.exercises:
            if use.figure and use.figure not in placed:
                wrong = f"the exercise {use.name!r} is about the figure {use.figure!r}"
                yield source.problem(use.table.line("figure"), wrong, f"the chapter places {listed(placed)}")


def unplaced_exercise(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a computed answer that no text asks for."""
    for entry in manuscript.written:
        sources = [s for lang in manuscript.book.languages if (s := manuscript.source(entry, lang))]
        placed = {use.name for source in sources for use in source.exercises}
        for file in sorted((manuscript.folder(entry) / "exercises").glob("*.py")):
            if sources and file.stem not in placed:
                name = manuscript.places.name(file)
                yield Problem(
                    name,
                    1,
                    f"no text asks the exercise {file.stem!r}",
                    "place it with a fence, or take it away",
                )


def answer_that_fails(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find an exercise whose answer cannot be computed."""
    for source, use, computed in _answered(manuscript, rooms):
        if "refused" in computed:
            name = manuscript.places.name(manuscript.exercise_file(source, use.name))
            right = "answer() returns a widgets.lab answer, mistakes() a table of wrong ones"
            yield Problem(name, 1, f"the exercise {use.name!r} gives no answer: {computed['refused']}", right)


def wrong_options(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a choice or order whose options are not those that its answer knows."""
    for source, use, computed in _answered(manuscript, rooms):
        answer = computed.get("answer", {})
        known = answer.get("options") or answer.get("keys") or []
        if "answer" in computed and sorted(known) != sorted(use.options):
            wrong = f"the options of {use.name!r} are {listed(use.options)}"
            yield source.problem(use.table.line("options"), wrong, f"its answer knows {listed(known)}")


def wrong_mistakes(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find a mistake without its sentence, and a sentence without its mistake."""
    for source, use, computed in _answered(manuscript, rooms):
        if "refused" in computed:
            continue
        answer = computed["answer"]
        mistakes = {*computed["mistakes"], *answer.get("options", ())} - {answer.get("key")}
        if mistakes != set(use.wrong):
            wrong = f"the wrong answers of {use.name!r} with a sentence are {listed(use.wrong)}"
            yield source.problem(use.table.line("wrong"), wrong, f"its mistakes are {listed(mistakes)}")


def unknown_placeholder(manuscript: Manuscript, rooms: Rooms) -> Iterator[Problem]:
    """Find `{name}` in an exercise's text where no answer or mistake has that name."""
    words = Words()
    for source, use, computed in _answered(manuscript, rooms):
        if "refused" in computed:
            continue
        texts = {"question": use.question.text, "right": use.right, "worked": use.worked.text}
        places = [((key,), text) for key, text in texts.items()] + [
            (("wrong", key), text) for key, text in use.wrong.items()
        ]
        for keys, text in places:
            try:
                exercises.filled(text, computed, words)
            except LookupError as unknown:
                known = listed(["answer", *computed["mistakes"]])
                wrong = f"a text of the exercise {use.name!r} holds {{{unknown.args[0]}}}"
                yield source.problem(use.table.line(*keys), wrong, f"known are {known}")


CHECKS = (
    unknown_exercise,
    exercise_placed_twice,
    exercise_about_no_figure,
    unplaced_exercise,
    answer_that_fails,
    wrong_options,
    wrong_mistakes,
    unknown_placeholder,
)
