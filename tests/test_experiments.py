"""Figures name what they stand beside: experiments that the GPU box has, recordings that are there."""

import ast

import pytest

from bookbuild.places import PROJECT, Places
from bookbuild.problems import Broken
from bookbuild.rooms import Live
from widgets import figures

KEYS = figures.keys()
MEASURED = [key for key in KEYS if figures.load(key).experiment]


def declared() -> dict[str, str]:
    """The box's experiments with their figures, read off its source: importing it takes what only the box needs."""
    found = {}
    for file in (PROJECT / "gpu_backend/experiments").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Experiment":
                name, figure = (arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant))
                assert name == file.stem
                found[name] = figure
    return found


def test_some_figures_are_measured():
    assert {"coalescing", "bank_conflicts", "pipeline_slots"} <= set(MEASURED)


@pytest.mark.parametrize("key", MEASURED)
def test_an_experiment_is_one_of_the_box_and_belongs_to_its_figure(key):
    assert declared().get(figures.load(key).experiment) == key, f"the box has {sorted(declared())}"


@pytest.mark.parametrize("key", KEYS)
def test_recordings_are_there(key):
    kind = figures.load(key)
    assert {reading["recording"] for reading in Live(Places.of(PROJECT)).readings(key)} == set(kind.recordings)
    assert not kind.experiment or kind.recordings, "a figure that is measured live has a recording"


def test_a_misspelt_recording_is_refused_with_those_that_there_are(monkeypatch):
    monkeypatch.setattr(figures.load("coalescing"), "recordings", ("strided_copies",))
    with pytest.raises(Broken, match=r"coalescing.py:1: .* 'strided_copies' .*; there are .*strided_copy"):
        Live(Places.of(PROJECT)).readings("coalescing")
