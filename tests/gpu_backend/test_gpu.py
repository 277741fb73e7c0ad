"""The real thing, on a CUDA machine (make test-gpu): kernels in CUDA C, timing by events, every experiment once."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from gpu_backend import experiments, machine, timing
from gpu_backend.checking import poison, verify
from gpu_backend.experiments.common import empty_times
from gpu_backend.kernels import bank_cycles, divergent_paths, padded_transpose, staged_pipeline, vector_add
from gpu_backend.parent import Child

ON_GPU = os.environ.get("GPUBOOK_GPU") == "1"

pytestmark = pytest.mark.gpu
assert not ON_GPU or machine.has_gpu(), "make test-gpu needs a CUDA GPU; gpubook-box doctor says what is missing"

SMALL = {
    "vector_add": {"smallest": 16, "largest": 18},
    "strided_copy": {"log2_n": 16},
    "transpose_tiles": {"side": 512},
    "roofline": {"log2_n": 16},
    "online_softmax": {"log2_elements": 18},
    "rmsnorm_split": {"most_rows": 8},
    "sum_order": {"n": 256, "runs": 4},
    "activation_chain": {"fewest": 16, "most": 32},
    "matmul_tiles": {"m": 256, "n": 512, "k": 512},
    "autotune": {"n": 512, "k": 512, "most_rows": 64},
    "flash_measured": {"longest": 2048},
    "loads_in_flight": {"mib": 256},
    "chunks": {"mib": 1, "samples": 3},
    "double_buffer": {"batches": 2, "mib": 1},
    "host_paths": {"smallest": 12, "largest": 14},
    "fooled": {"rows": 64, "idle_s": 0.1},
    "persistent": {"blocks": 2, "k": 256, "n": 512},
    "dynamic_shapes": {"k": 256, "n": 512, "samples": 3},
    "graph_modes": {"samples": 3},
}


@pytest.mark.parametrize("name", experiments.names())
def test_an_experiment_runs_and_its_timed_output_is_right(name):
    experiment = experiments.load(name)
    rows = list(experiment.rows(experiment.inputs(**SMALL.get(name, {}))))
    assert rows
    assert all(row.get("us", 1) is None or row.get("us", 1) > 0 for row in rows)


@pytest.mark.parametrize("op", ["load", "store"])
@pytest.mark.parametrize("width", [4, 8, 16])
def test_shared_memory_holds_what_it_must(op, width):
    lanes = [width * int(i) for i in np.random.default_rng(width).permutation(32)]
    offsets = torch.tensor(lanes, dtype=torch.int32, device="cuda")
    words = bank_cycles.shared_words(lanes, width)
    cycles, got = bank_cycles.run(offsets, width, op, rounds=4, warps=4)
    assert bank_cycles.right(got, bank_cycles.reference(lanes, width, op, 4, words), op, words)
    assert cycles > 0.9 * bank_cycles.wavefronts(lanes, width, op)[0]


def test_lanes_count_their_own_loop():
    paths, lengths = divergent_paths.make_input(1)
    _, out = divergent_paths.run(paths, lengths)
    verify(out.cpu(), divergent_paths.reference(paths, lengths), limit=0.0)


@pytest.mark.parametrize("tile", [8, 16, 32, 64])
@pytest.mark.parametrize(("padding", "swizzle"), [(0, False), (1, False), (0, True)])
def test_padded_transpose_at_sizes_that_do_not_divide(tile, padding, swizzle):
    (x,) = padded_transpose.make_input(1, 70, 45)
    out = poison(torch.empty(45, 70, device="cuda"))
    verify(padded_transpose.run(x, out, tile, padding, swizzle), padded_transpose.reference(x), limit=0.0)


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_the_pipeline_loses_no_item(slots):
    (x,) = staged_pipeline.make_input(slots, 4, 7)
    out = poison(torch.empty(4, staged_pipeline.THREADS, device="cuda"))
    verify(staged_pipeline.run(x, slots, 3, out), staged_pipeline.reference(x), limit=0.0)


def test_events_agree_with_the_hosts_clock_and_the_profiler():
    x, y = vector_add.make_input(1, 1 << 24, "cuda")
    out = torch.empty_like(x)
    times = timing.time(lambda _: vector_add.run(x, y, out))
    assert times.median < times.wall_us < 2 * times.median
    ((name, us),) = timing.kernels_of(lambda _: vector_add.run(x, y, out))
    assert name == "_add"
    assert us == pytest.approx(times.median, rel=0.15)
    assert empty_times().median < 0.05 * times.median
    assert times.sm_mhz is None or times.sm_mhz > 100


POISONED = """
import torch
from gpu_backend import child, experiments
from gpu_backend.experiments.experiment import Experiment, Inputs
def rows(chosen):
    yield {"sum": float(torch.zeros(4, device="cuda")[torch.tensor([10**6], device="cuda")].sum())}
real = experiments.load
experiments.load = lambda name: Experiment(name, "", "", Inputs, rows) if name == "illegal" else real(name)
child.main()
"""


def test_a_poisoned_context_is_told_as_fatal_and_a_fresh_child_works(tmp_path):
    """After an illegal access every later answer of the same process is an error: its parent must start another."""
    script = tmp_path / "poisoned.py"
    script.write_text(POISONED)
    requests = [{"experiment": "illegal"}, {"experiment": "sum_order", "inputs": SMALL["sum_order"]}]
    done = subprocess.run(
        [sys.executable, str(script)],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["ready", "begin", "failed", "begin", "failed"]
    assert [event["fatal"] for event in events if event["event"] == "failed"] == [True, True]
    with Child() as fresh:
        assert list(fresh.run("sum_order", SMALL["sum_order"]))[-1]["event"] == "done"
