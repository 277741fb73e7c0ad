"""The GPU box imports `sim` at most: never figures or the builder."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

LOOK = """
import importlib, json, pkgutil, sys
import gpu_backend
for module in pkgutil.walk_packages(gpu_backend.__path__, "gpu_backend."):
    if not module.name.endswith("__main__"):  # which runs the command
        importlib.import_module(module.name)
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def test_the_box_does_not_look_up():
    out = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True, cwd=ROOT)
    modules = set(json.loads(out.stdout))
    assert {"gpu_backend", "sim", "torch", "triton", "pydantic"} <= modules
    assert not modules & {"widgets", "bookbuild", "bokeh", "panel"}
