"""What the page says about the GPU box, by the names of `site/static/js`: top bar, dialog, the panel of a figure."""

from typing import Any

from bookbuild.box_doctor_words import doctor_words, problem_words
from bookbuild.box_labels import column_words, input_words, value_words
from widgets.words import Words


def box_words(words: Words) -> dict[str, Any]:
    """Return all sentences; `{names}` in them are filled by the scripts."""
    return {
        **_bar(words),
        **_dialog(words),
        **_panel(words),
        **_status(words),
        **_form(words),
        "space": words.space,
        "withUnit": words("{what}, {unit}"),
        "both": words("{one}, {two}"),
        "failed": _failed(words),
        "doctor": doctor_words(words),
        "problems": problem_words(words),
        "columns": column_words(words),
        "inputs": input_words(words),
        "values": value_words(words),
    }


def _bar(words: Words) -> dict[str, str]:
    return {
        "barConnecting": words("GPU: connecting"),
        "barLive": words("GPU: {gpu}, live"),
        "barNoGpu": words("GPU box without a GPU, live"),
        "barLost": words("GPU: no answer"),
    }


def _dialog(words: Words) -> dict[str, str]:
    return {
        "dialogTitle": words("Connect a GPU box"),
        "lead": words(
            "A GPU box runs this book’s kernels on its own GPU and streams what it measures into the figures."
        ),
        "ownLead": words("This page comes from a GPU box. It asks for the token that the box printed when it started."),
        "connectedTo": words("Connected to {gpu} at {address}."),
        "connectedNoGpu": words("Connected to {address}, a box without a GPU: it interprets kernels, slowly."),
        "address": words("Address"),
        "token": words("Token"),
        "keptHere": words("Kept in this tab until it is closed, and nowhere else."),
        "connect": words("Connect a box"),
        "connectNow": words("Connect"),
        "cancel": words("Cancel"),
        "close": words("Close"),
        "disconnect": words("Disconnect"),
        "other": words("Another box"),
        "trying": words("Asking {address}."),
        "asking": words("This browser asks whether the page may reach your network; the answer that helps is “Allow”."),
        "howServe": words("On the machine with the GPU, from a checkout of this book; it prints address and token:"),
        "howTunnel": words("Where that is another machine, a tunnel beside it, so that the address above is right:"),
        "itsWords": words("The box says: "),
        "copy": words("Copy"),
        "copied": words("Copied"),
        "notCopied": words("Not allowed here: select it and copy"),
        "driver": words("Driver"),
        "cuda": "CUDA",
        "torch": "PyTorch",
        "triton": "Triton",
    }


def _panel(words: Words) -> dict[str, str]:
    return {
        "title": words("Measure it on a GPU"),
        "start": words("Start"),
        "stop": words("Stop"),
        "runAgain": words("Run again"),
        "tryAgain": words("Try again"),
        "whatIsWrong": words("What is wrong?"),
        "export": words("Export as JSON"),
        "remove": words("Remove the live readings"),
        "tableCaption": words("Rows of the live run"),
        "model": words("model"),
        "measured": words("measured"),
        "modelOf": words("model: {what}"),
        "spread": words("20th–80th percentile"),
        "span": words("least – most"),
        "fromTo": words("{low} – {high}"),
        "yes": words("yes"),
        "no": words("no"),
        "liveNone": words("no box connected"),
        "liveIdle": words("not measured here"),
        "liveWaits": words("waiting"),
        "liveRun": words("run {n} of {of}"),
        "liveRunOpen": words("run {n}"),
    }


def _status(words: Words) -> dict[str, str]:
    return {
        "none": words("No box is connected; the strip above shows what was recorded."),
        "describing": words("Asking the box what it can vary."),
        "ready": words("The box is ready."),
        "waiting": words("Another tab of this browser is measuring; this run comes after it."),
        "asked": words("Asking the box for a run."),
        "next": words("Your run is next."),
        "oneBefore": words("{n} run is before yours."),
        "before": words("{n} runs are before yours."),
        "compiling": words("{gpu}, compiling: first run of a fresh process"),
        "started": words("{gpu}, the run has begun"),
        "running": words("{gpu}, run {n} of {of}"),
        "runningOpen": words("{gpu}, run {n}"),
        "noGpu": words("No GPU, interpreted"),
        "doneOne": words("{gpu}, {date}: {n} row measured."),
        "done": words("{gpu}, {date}: {n} rows measured."),
        "stoppedOne": words("Stopped after {n} row."),
        "stopped": words("Stopped after {n} rows."),
        "lost": words("The box stopped answering. Back to the recording."),
        "back": words("The box answers again."),
        "otherToken": words("The box was started again and has another token."),
        "full": words("As many runs wait as the box lets wait."),
        "inSeconds": words("It may be asked again in {n} s."),
        "noExperiment": words("This box has no experiment “{name}”: it is of another version of the book."),
        "unavailable": words("This experiment needs a CUDA GPU, and the box has none."),
    }


def _form(words: Words) -> dict[str, str]:
    return {
        "range": words("{least} to {most}"),
        "atLeast": words("at least {least}"),
        "atMost": words("at most {most}"),
        "multiple": words("a multiple of {step}"),
        "badWhole": words("“{given}” does not fit: a whole number is wanted, {range}."),
        "badNumber": words("“{given}” does not fit: a number is wanted, {range}."),
        "noWhole": words("A whole number is wanted here, {range}."),
        "noNumber": words("A number is wanted here, {range}."),
        "noText": words("Something is wanted here: {label}."),
    }


def _failed(words: Words) -> dict[str, str]:
    return {
        "refused": words("The box refused the run."),
        "inputs": words("The box refused these inputs."),
        "needs_gpu": words("This experiment needs a CUDA GPU, and the box has none."),
        "kernel": words("The kernel failed."),
        "child_gone": words(
            "The process that does the GPU work ended in the midst of the run; the box starts another."
        ),
        "deadline": words("The run took longer than the box allows."),
        "shutting_down": words("The box is being stopped."),
        "cancelled": words("The run was cancelled at the box."),
        "no_experiment": words("The box does not know this experiment: it is of another version of the book."),
        "unreadable": words("The box sent what this page cannot read; the run was stopped."),
    }
