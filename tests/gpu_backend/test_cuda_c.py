"""Kernels in CUDA C compile for an H200 here, without a GPU; and the compiler left in them what is to be measured."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import triton

from gpu_backend.experiments import bank_conflict_cycles, blocks_per_sm, divergence_cycles
from gpu_backend.kernels import bank_cycles, divergent_paths, loads_in_flight, staged_pipeline
from gpu_backend.kernels.sources import cubin
from sim.bank_conflicts import count

CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"


def instructions(tmp_path, name, function=None, **defines):
    """Names of the instructions of a compiled kernel, in order."""
    file = tmp_path / "kernel.cubin"
    file.write_bytes(cubin(name, function or name, tuple(sorted(defines.items()))).code)
    text = subprocess.run([CUOBJDUMP, "-sass", file], capture_output=True, text=True, check=True).stdout
    text = text[text.index(f"Function : {function or name}") :]
    return re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]*)", text.split("..........")[0])


@pytest.mark.parametrize("width", [4, 8, 16])
def test_every_request_to_shared_memory_is_left(tmp_path, width):
    """Sixteen loads or stores a round, of the width asked for: none merged, none dropped."""
    wide = {4: "", 8: ".64", 16: ".128"}[width]
    loads = instructions(tmp_path, "bank_cycles", WIDTH=width, STORE=0)
    stores = instructions(tmp_path, "bank_cycles", WIDTH=width, STORE=1)
    others = 1 if width == 4 else 0  # filling and dumping the memory goes by words
    assert loads.count(f"LDS{wide}") == 16 + others
    assert stores.count(f"STS{wide}") == 16 + others


@pytest.mark.parametrize("loads", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("width", [4, 16])
def test_all_loads_are_on_their_way_before_the_first_is_used(tmp_path, loads, width):
    seen = instructions(tmp_path, "loads_in_flight", "stream_loads", LOADS=loads, WIDTH=width)
    places = [i for i, name in enumerate(seen) if name.startswith("LDG")]
    assert len(places) == loads
    uses = {"LOP3.LUT"}  # every word goes through one
    assert not uses & set(seen[places[0] : places[-1]])
    assert seen[places[-1] :].count("LOP3.LUT") >= loads * width // 4


def test_iterations_of_a_loop_are_fused_multiply_adds_in_a_row(tmp_path):
    seen = instructions(tmp_path, "divergent_paths")
    assert seen.count("FFMA") >= 4 * 50  # four loops, unrolled by 50
    assert seen.count("CS2R") >= 2  # the clock before and after
    one = instructions(tmp_path, "divergent_paths", "own_trip_count")
    assert one.count("FFMA") >= 50


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_moves_of_the_pipeline_do_not_pass_through_registers(tmp_path, slots):
    seen = instructions(tmp_path, "staged_pipeline", SLOTS=slots, MOVE=1, WORK=1)
    assert "LDGSTS.E.BYPASS.128" in seen
    assert "LDG.E.128" not in seen
    still = instructions(tmp_path, "staged_pipeline", SLOTS=1, MOVE=0, WORK=1)
    assert still.count("LDGSTS.E.BYPASS.128") == staged_pipeline.CHUNKS  # the first item, before the loop


@pytest.mark.parametrize("tile", [8, 16, 32, 64])
@pytest.mark.parametrize(("padding", "swizzle"), [(0, 0), (1, 0), (0, 1)])
def test_every_layout_of_the_transpose_compiles(tmp_path, tile, padding, swizzle):
    seen = instructions(
        tmp_path, "padded_transpose", TILE=tile, PADDING=padding, SWIZZLE=swizzle, THREADS=min(256, tile * tile)
    )
    assert {"LDG.E", "STS", "LDS", "STG.E"} <= {name.removesuffix(".CONSTANT") for name in seen}


@pytest.mark.parametrize("registers", sorted({*blocks_per_sm.REGISTERS, 41, 90, 200}))
def test_a_kernel_takes_just_the_registers_that_it_may_have(tmp_path, registers):
    """What `blocks_per_sm` asks about: a kernel compiled for 33 registers has 33, not 32 and not 40."""
    file = tmp_path / "kernel.cubin"
    file.write_bytes(cubin("held_values", "held_values", (("HELD", registers),), registers=registers).code)
    told = subprocess.run([CUOBJDUMP, "--dump-resource-usage", file], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"REG:(\d+).* SHARED:(\d+)", told) == [(str(registers), "0")]


def test_launches_asked_about_are_those_of_the_book_and_the_readers_own_first():
    chosen = blocks_per_sm.Chosen(threads=1000, registers=100, shared_bytes=5)
    asked = blocks_per_sm.shapes(chosen)
    assert asked[0] == (1000, 100, 5)
    assert len(set(asked)) == len(asked)
    famous = {(224, 92, 0), (33, 32, 0), (96, 32, 0), (1024, 65, 0), *((256, r, 0) for r in (32, 33, 65))}
    assert famous | {(256, 64, kib << 10) for kib in (31, 32, 113, 114)} <= set(asked)
    assert blocks_per_sm.shapes(blocks_per_sm.Chosen())[0] == (256, 64, 0)
    few = blocks_per_sm.shapes(blocks_per_sm.Chosen(most_registers=32))
    assert {registers for _, registers, _ in few[1:]} == {32}


def test_every_case_of_bank_conflicts_is_bounded_and_named_once():
    seen = list(bank_conflict_cycles.cases())
    assert len({case[:3] for case in seen}) == len(seen)
    for _, width, op, lanes in seen:
        assert bank_cycles.shared_words(list(lanes), width) * 4 <= 49_152
        assert bank_cycles.wavefronts(lanes, width, op) == count(lanes, width, op)
    assert len({count(lanes, width, op)[0] for _, width, op, lanes in seen}) >= 5


def test_wrong_sums_and_wrong_memory_are_rejected():
    lanes = [8 * lane if lane % 2 else -1 for lane in range(32)]
    words = bank_cycles.shared_words(lanes, 8)
    sums = bank_cycles.reference(lanes, 8, "load", 4, words)
    assert bank_cycles.right(np.stack([sums] * 3), sums, "load", words)
    assert not bank_cycles.right(np.stack([sums, sums + 1]), sums, "load", words)
    assert sums[0].tolist() == [0, 0]
    assert int(sums[1, 0]) == bank_cycles.HASH * 3 * 64 % 2**32
    written = bank_cycles.reference(lanes, 8, "store", 4, words)
    memory = bank_cycles.HASH * (np.arange(words, dtype=np.uint64) + 1) % 2**32
    assert not bank_cycles.right(memory, written, "store", words)  # nothing was stored
    for lane in range(1, 32, 2):
        memory[2 * lane : 2 * lane + 2] = 4 * lane + 1, 4 * lane + 2
    assert bank_cycles.right(memory, written, "store", words)
    memory[2] += 1
    assert not bank_cycles.right(memory, written, "store", words)


def test_the_chain_goes_through_every_line_once():
    following = loads_in_flight.chain(4096, 5)
    at, seen = 0, []
    for _ in range(32):
        at = int(following[at])
        seen.append(at)
    assert sorted(seen) == list(range(0, 1024, 32))
    assert at == 0


def test_streams_cover_whole_rounds():
    assert loads_in_flight.shape(48) == (2, 24)
    assert loads_in_flight.shape(32) == (1, 32)
    rounds, words = loads_in_flight.covered(1 << 26, 132, 8, 2, 16)
    assert words == rounds * 132 * 8 * 32 * 2 * 4 <= 1 << 26
    for bad in (lambda: loads_in_flight.shape(65), lambda: loads_in_flight.shape(33)):
        with pytest.raises(ValueError, match="warps_per_sm is"):
            bad()


def test_the_pipelines_reference_is_each_threads_words():
    import torch

    (x,) = staged_pipeline.make_input(1, 2, 3, "cpu")
    thread = 5
    words = [x[1, item].view(8, 256, 4)[:, thread].sum() for item in range(3)]
    assert float(staged_pipeline.reference(x)[1, thread]) == float(sum(words))
    assert float(staged_pipeline.reference(x, work=False)[1, thread]) == float(words[2])
    assert bool((x == x.round()).all())
    assert torch.equal(x[:, :1].expand_as(x)[:, 2], x[:, 0])


def test_what_lanes_count_is_their_loop():
    paths, lengths = divergent_paths.make_input(3)
    assert divergent_paths.reference(paths, lengths)[4] == lengths[paths[4]] * (paths[4] + 1)
    assert divergent_paths.reference([7] * 32, None).tolist() == [7] * 32
    assert divergence_cycles.LANES["P4"] == [0, *[1] * 31]
    assert divergence_cycles.LANES["T2"][-2:] == [10, 5000]
    for lengths in divergence_cycles.LENGTHS.values():
        assert all(length % 50 == 0 for length in lengths)  # unrolled by 50
