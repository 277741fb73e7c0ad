"""Helpers beside the tests are found, and what they leave open is closed. Triton: tests/conftest.py."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # wrong_kernels, boxes, client


@pytest.fixture(autouse=True)
def hung_up():
    """Streams that a test leaves open are closed, which cancels their runs."""
    yield
    if "client" in sys.modules:
        streams = sys.modules["client"].OPEN
        while streams:
            streams.pop().leave()
