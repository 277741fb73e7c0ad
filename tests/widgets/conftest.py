"""The tiny figure, as a fixture."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tiny() -> Any:
    """The class `Tiny` of tests/widgets/tiny.py."""
    spec = importlib.util.spec_from_file_location("tiny", Path(__file__).with_name("tiny.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiny"] = module
    spec.loader.exec_module(module)
    return module.Tiny
