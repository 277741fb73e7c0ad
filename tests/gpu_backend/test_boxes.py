"""What the fake box offers is what the real one offers: the browser's tests rely on it."""

import json
from pathlib import Path

import pytest

from gpu_backend import child, machine


@pytest.mark.skipif(machine.has_gpu(), reason="a GPU has its own way to time, which is in the descriptions")
def test_the_descriptions_that_the_fake_child_gives_are_those_of_the_real_one():
    """After a change: python tests/gpu_backend/boxes.py describe."""
    kept = json.loads((Path(__file__).parent / "described.json").read_text("utf-8"))
    assert [entry | {"available": True} for entry in child.describe()] == kept
