"""The table of GPUs: complete, sourced, and consistent with a second way to each number where there is one."""

import doctest
import tomllib
from math import ceil
from pathlib import Path

import pytest

import sim.gpus
from sim.gpus import compute_capabilities, device_capability, gpu, multiprocessor, names, sm_quantities, sources

TABLE = tomllib.loads(Path(sim.gpus.__file__).with_name("gpus.toml").read_text(encoding="utf-8"))
GPUS = [gpu(key) for key in names()]


def test_docstring_examples_hold():
    result = doctest.testmod(sim.gpus)
    assert result.attempted
    assert not result.failed


def numbers():
    for chip in GPUS:
        for key, quantity in chip.quantities.items():
            yield f"{chip.key}.{key}", quantity
    for capability in compute_capabilities():
        for key, quantity in sm_quantities(capability).items():
            yield f"{capability}.{key}", quantity


def test_eleven_gpus_and_eight_compute_capabilities_all_of_which_some_gpu_has():
    assert [chip.name for chip in GPUS] == [
        "V100 SXM2", "T4", "A100 SXM4 80GB", "RTX 3090", "L4", "RTX 4090", "H100 SXM5", "H200 SXM", "B200 (HGX)",
        "RTX 5090", "RTX PRO 6000 Blackwell Workstation",
    ]  # fmt: skip
    assert set(compute_capabilities()) == {chip.compute_capability for chip in GPUS}


def test_every_number_has_a_unit_and_known_sources_and_every_source_is_used():
    used = set()
    for name, quantity in numbers():
        assert isinstance(quantity.value, int | float), name
        assert quantity.value >= 0, name
        assert quantity.unit, name
        assert quantity.sources, name
        assert set(quantity.sources) <= set(sources()), name
        used |= set(quantity.sources)
    assert used == set(sources())


def test_the_file_read_in_pieces_is_the_file():
    assert list(names()) == list(TABLE["gpu"])
    assert dict(sources()) == TABLE["sources"]
    for key, entry in TABLE["gpu"].items():
        assert (gpu(key).name, gpu(key).memory_kind) == (entry["name"], entry["memory_kind"])
        for name, quantity in gpu(key).quantities.items():
            number = entry
            for part in name.split("."):
                number = number[part]
            assert (quantity.value, quantity.unit, quantity.condition, list(quantity.sources)) == tuple(number.values())
    for capability in compute_capabilities():
        found = {limit: quantity.value for limit, quantity in sm_quantities(capability).items()}
        assert found == {k: v["by"][capability] for k, v in TABLE["sm"].items() if capability in v["by"]}


def test_nothing_in_the_file_is_left_unread():
    for key, entry in TABLE["gpu"].items():
        fields = [name for name, value in entry.items() if not isinstance(value, dict)]
        assert fields == ["name", "compute_capability", "memory_kind"], key
        for name, value in entry.items():
            for number in [value] if "value" in value else value.values() if isinstance(value, dict) else []:
                assert set(number) == {"value", "unit", "condition", "source"}, (key, name)
    for entry in TABLE["sm"].values():
        assert set(entry) == {"unit", "condition", "source", "by"}


# The device table of the CUDA Programming Guide and of NVIDIA's calculator, row by row: threads, warps, blocks,
# registers, shared per SM, shared per block, reserve, unit, unified KiB, FP32 cores.
LIMITS = {
    "7.0": (2048, 64, 32, 65536, 98304, 98304, 0, 256, 128, 64),
    "7.5": (1024, 32, 16, 65536, 65536, 65536, 0, 256, 96, 64),
    "8.0": (2048, 64, 32, 65536, 167936, 166912, 1024, 128, 192, 64),
    "8.6": (1536, 48, 16, 65536, 102400, 101376, 1024, 128, 128, 128),
    "8.9": (1536, 48, 24, 65536, 102400, 101376, 1024, 128, 128, 128),
    "9.0": (2048, 64, 32, 65536, 233472, 232448, 1024, 128, 256, 128),
    "10.0": (2048, 64, 32, 65536, 233472, 232448, 1024, 128, 256, 128),
    "12.0": (1536, 48, 24, 65536, 102400, 101376, 1024, 128, 128, 128),
}


@pytest.mark.parametrize("capability", LIMITS)
def test_limits_of_an_sm(capability):
    sm = multiprocessor(capability)
    assert (
        sm.threads, sm.warps, sm.blocks, sm.registers, sm.shared_bytes, sm.block_shared_bytes,
        sm.reserved_shared_bytes, sm.shared_unit_bytes, sm.unified_bytes // 1024, sm.fp32_cores,
    ) == LIMITS[capability]  # fmt: skip
    assert sm.threads == 32 * sm.warps
    assert sm.register_unit == 256
    assert sm.partitions == 4
    assert sm.tensor_cores == (8 if capability.startswith("7") else 4)
    # A block with all that a block may have fills the SM, the reserve included.
    assert sm.block_shared_bytes + sm.reserved_shared_bytes == sm.shared_bytes < sm.unified_bytes
    assert sm.shared_bytes % sm.shared_unit_bytes == 0


# SMs, FP32 cores, FP32 TFLOP/s, dense FP16 and FP8 TFLOP/s, GB/s, L2 MiB, one direction of PCIe, NVLink.
ROWS = {
    "v100": (80, 5120, 15.7, 125, None, 900, 6, 16, 300),
    "t4": (40, 2560, 8.1, 65, None, 320, 4, 16, None),
    "a100": (108, 6912, 19.5, 312, None, 2039, 40, 32, 600),
    "rtx3090": (82, 10496, 35.6, 71, None, 936, 6, 32, 112.5),
    "l4": (58, 7424, 30.3, 121, 242, 300, 48, 32, None),
    "rtx4090": (128, 16384, 82.6, 165.2, 330.3, 1008, 72, 32, 0),
    "h100": (132, 16896, 66.9, 989.4, 1978.9, 3350, 50, 64, 900),
    "h200": (132, 16896, 66.9, 989.4, 1978.9, 4800, 60, 64, 900),
    "b200": (148, 18944, 74.4, 2250, 4500, 7672, 126.5, 64, 1800),
    "rtx5090": (170, 21760, 104.75, 209.5, 419, 1792, 96, 64, 0),
    "rtxpro6000": (188, 24064, 125.95, 503.8, 1007.6, 1792, 128, 64, 0),
}


@pytest.mark.parametrize("key", ROWS)
def test_rows_of_the_device_table(key):
    chip = gpu(key)
    keys = ("dense.fp32", "dense.fp16", "dense.fp8", "bandwidth", "l2", "pcie", "nvlink")
    found = [chip.quantities[k].value if k in chip.quantities else None for k in keys]
    assert (chip.sms, chip.sms * chip.sm.fp32_cores, *found) == ROWS[key]


@pytest.mark.parametrize("chip", GPUS, ids=lambda chip: chip.key)
def test_fp32_peak_is_sms_times_cores_times_two_times_clock(chip):
    product = chip.sms * chip.sm.fp32_cores * 2 * chip["clock"].value / 1e3
    assert chip.peak("fp32").value == pytest.approx(product, rel=0.006)  # published ones have 2 or 3 digits


@pytest.mark.parametrize("chip", [c for c in GPUS if "memory_clock" in c.quantities], ids=lambda chip: chip.key)
def test_bandwidth_is_two_transfers_a_clock_times_the_bus(chip):
    product = 2 * chip["memory_clock"].value * chip["memory_bus"].value / 8
    assert chip["bandwidth"].value == pytest.approx(product, rel=0.002)


# Dense FP16 FLOP a clock and SM of each kind of tensor core with FP32 accumulate.
FLOP_PER_CLOCK = {"v100": 1024, "t4": 1024, "a100": 2048, "rtx3090": 512, "l4": 1024, "rtx4090": 512, "h100": 4096,
                  "h200": 4096, "b200": 8192, "rtx5090": 512, "rtxpro6000": 1024}  # fmt: skip


def dense_peaks_agree(peak):
    """Whether ``peak`` (chip → TFLOP/s FP16) is what the tensor cores do in all clocks of a second, to 1.2 %."""
    agree = []
    for chip in GPUS:
        clock = chip["tensor_clock" if "tensor_clock" in chip.quantities else "clock"].value
        product = chip.sms * FLOP_PER_CLOCK[chip.key] * clock / 1e3
        agree.append(peak(chip) == pytest.approx(product, rel=0.012))
    return all(agree)


def test_dense_peaks_are_what_tensor_cores_do_a_clock():
    assert dense_peaks_agree(lambda chip: chip.peak("fp16").value)


@pytest.mark.parametrize("key", [chip.key for chip in GPUS if "sparse.fp16" in chip.quantities])
def test_a_sparse_peak_taken_for_dense_is_noticed(key):
    assert not dense_peaks_agree(lambda chip: chip.peak("fp16", sparse=chip.key == key).value)


@pytest.mark.parametrize("chip", GPUS, ids=lambda chip: chip.key)
def test_sparse_is_twice_dense_and_exists_from_8_0_on_for_tensor_cores_alone(chip):
    dense = {k.partition(".")[2] for k in chip.quantities if k.startswith("dense.")}
    sparse = {k.partition(".")[2] for k in chip.quantities if k.startswith("sparse.")}
    assert sparse == (set() if chip.key in ("v100", "t4") else dense - {"fp32", "fp8_fp16_accumulate"})
    for precision in sparse:
        assert chip.peak(precision, sparse=True).value == pytest.approx(2 * chip.peak(precision).value, rel=0.003)
        assert "sparse" in chip.peak(precision, sparse=True).condition
        assert "sparse" not in chip.peak(precision).condition.replace("call it sparse", "")


def test_pcie_after_coding():
    assert {chip["pcie"].value: round(chip["pcie"].value * 128 / 130, 3) for chip in GPUS} == {
        16: 15.754, 32: 31.508, 64: 63.015
    }  # fmt: skip


def test_second_hand_and_untraced_numbers_are_marked_or_absent():
    for name, quantity in numbers():
        if set(quantity.sources) <= {"WPNOTES", "NOTES", "calc"} and set(quantity.sources) != {"calc"}:
            assert "second-hand" in quantity.condition, name
    assert "nvlink" not in gpu("t4").quantities  # nobody to be named for "none"
    assert "nvlink" not in gpu("l4").quantities
    assert "memory_bus" not in gpu("h200").quantities


def test_nearer_memory_answers_sooner():
    for chip in GPUS:
        cycles = [chip.quantities[f"latency.{x}"].value for x in ("shared", "l1", "l2", "memory")
                  if f"latency.{x}" in chip.quantities]  # fmt: skip
        assert cycles == sorted(cycles)


def test_quoted_traps_are_not_in_the_table():
    # Wrong numbers that public pages print for these GPUs.
    assert gpu("rtxpro6000").peak("bf16").value != 251.9
    assert gpu("rtxpro6000")["l2"].value != 96
    assert gpu("rtxpro6000").sm.shared_bytes != 131072
    assert gpu("rtx3090")["nvlink"].value != 600
    assert (gpu("l4").sms, gpu("b200").sms) == (58, 148)
    assert gpu("b200").peak("fp8").value != 9000
    assert gpu("h200").peak("bf16").value < 1979


@pytest.mark.parametrize("key", ["H100", "h800", "", None, 100, ["h100"]])
def test_an_unknown_gpu_names_those_that_exist(key):
    with pytest.raises(ValueError, match=r"there is no GPU .* in the table; it has v100, t4, a100, .*, rtxpro6000"):
        gpu(key)


@pytest.mark.parametrize("capability", ["9", "9.1", "", 9.0, None, True, ["9.0"]])
def test_an_unknown_compute_capability_names_those_that_exist(capability):
    for function in (multiprocessor, sm_quantities):
        with pytest.raises(ValueError, match=r"is not in the table; it has 7\.0, 7\.5, .*, 12\.0"):
            function(capability)


@pytest.mark.parametrize(
    ("key", "precision", "sparse", "message"),
    [
        ("v100", "bf16", False, "V100 SXM2 has no dense peak for 'bf16'; it has fp32, fp16"),
        ("a100", "fp8", False, "A100 SXM4 80GB has no dense peak for 'fp8'; it has fp32, fp16, bf16"),
        ("v100", "fp16", True, "V100 SXM2 has no sparse peak for 'fp16'; it has none"),
        ("h100", "fp32", True, "no sparse peak for 'fp32'; it has fp16, bf16, fp8"),
        ("h100", "BF16", False, "no dense peak for 'BF16'; it has fp32, fp16, bf16, fp8"),
        ("h100", None, False, "no dense peak for None"),
    ],
)
def test_an_unknown_precision_names_those_that_exist(key, precision, sparse, message):
    with pytest.raises(ValueError, match=message):
        gpu(key).peak(precision, sparse=sparse)


def test_an_unknown_quantity_names_those_that_exist():
    with pytest.raises(ValueError, match="T4 has no 'nvlink' in the table; it has sms, clock, "):
        gpu("t4")["nvlink"]


def test_ridges_that_follow():
    # FLOP per byte, rounded as printed where they are cited.
    def ridge(key, precision):
        return gpu(key).peak(precision).value * 1e3 / gpu(key)["bandwidth"].value

    assert round(ridge("h100", "bf16"), 1) == 295.3
    assert round(ridge("h100", "fp8"), 1) == 590.7
    assert round(ridge("h200", "bf16")) == 206
    assert round(ridge("rtx4090", "bf16"), 1) == 163.9
    assert ceil(ridge("l4", "bf16")) == 404  # 403.3


def test_the_table_cannot_be_changed_by_its_readers():
    with pytest.raises(TypeError):
        gpu("h100").quantities["sms"] = None
    with pytest.raises(AttributeError):
        gpu("h100")["sms"].value = 1


@pytest.mark.parametrize(
    ("device", "capability"),
    [
        ("NVIDIA H200", "9.0"), ("NVIDIA H100 80GB HBM3", "9.0"), ("NVIDIA A100-SXM4-40GB", "8.0"), ("Tesla T4", "7.5"),
        ("NVIDIA L4", "8.9"), ("NVIDIA GeForce RTX 4090 Laptop GPU", "8.9"), ("NVIDIA GeForce RTX 3090 Ti", "8.6"),
        ("NVIDIA B200", "10.0"), ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0"),
        ("NVIDIA L40S", None), ("NVIDIA H20", None), ("NVIDIA T400", None), ("none", None), ("", None),
        ("H200 and A100", None),
    ],
)  # fmt: skip
def test_a_devices_own_name_tells_its_compute_capability_or_nothing(device, capability):
    assert device_capability(device) == capability
