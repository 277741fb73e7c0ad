"""Kernels run in Triton's interpreter, on the CPU, unless GPUBOOK_GPU=1 (make test-gpu)."""

import os
import sys
from pathlib import Path

import pytest

ON_GPU = os.environ.get("GPUBOOK_GPU") == "1"
if not ON_GPU:
    os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that spin for each other cost minutes on a shared machine
sys.path.insert(0, str(Path(__file__).parent))  # wrong_kernels, boxes, client


@pytest.fixture(autouse=True)
def hung_up():
    """Streams that a test leaves open are closed, which cancels their runs."""
    yield
    if "client" in sys.modules:
        streams = sys.modules["client"].OPEN
        while streams:
            streams.pop().leave()
