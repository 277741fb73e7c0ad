"""The sentences that the page's scripts say themselves: Python's status, what was kept, what failed."""

from __future__ import annotations

from widgets.words import Words


def script_words(words: Words) -> dict[str, str]:
    """Return the sentences by the names that `site/static/js` uses; `{part}`, `{of}`, `{n}`, `{key}` stay."""
    return {
        "starting": words("Python is starting."),
        "part": words("Python is starting, {part} of {of}."),
        "keeps": words("Changes are kept."),
        "oneKept": words("Your change is kept."),
        "kept": words("Your {n} changes are kept."),
        "live": words("Live, computed in this page"),
        "built": words("The figure shows its built state."),
        "noWorker": words("This browser could not start Python."),
        "noFile": words("{file} could not be loaded{status}."),
        "silent": words("Python stopped answering."),
        "copied": words("Copied"),
        "notCopied": words("This browser did not allow it; copy the address of the page instead"),
        "noFigure": words(
            "The address names a figure “{key}” that this page does not have; the page is shown as built."
        ),
        "answerKept": words("Python is starting; your answer is kept and checked as soon as it is there."),
    }
