"""What runs the kernels: GPU, driver, clocks, versions of the software; or Triton's interpreter, without a GPU.

Source: CUDA runtime through PyTorch; NVML through `pynvml` (package nvidia-ml-py) for driver and clocks, which are only
ever read.
"""

import os
import platform
from functools import lru_cache
from typing import Any

import torch
import triton

INTERPRETER = "none: Triton’s interpreter"


def interpreted() -> bool:
    """Whether Triton's kernels are interpreted on the CPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def has_gpu() -> bool:
    """Whether kernels run on a GPU."""
    return not interpreted() and torch.cuda.is_available()


def device() -> str:
    """PyTorch's name of the device that kernels work on."""
    return "cuda" if has_gpu() else "cpu"


@lru_cache(maxsize=1)
def _properties() -> Any:
    return torch.cuda.get_device_properties(0)


def sms() -> int:
    """Streaming multiprocessors; 1 without a GPU."""
    return int(_properties().multi_processor_count) if has_gpu() else 1


def l2_bytes() -> int | None:
    """Size of the L2; None without a GPU."""
    return int(_properties().L2_cache_size) if has_gpu() else None


def compute_capability() -> str | None:
    """As in "9.0"; None without a GPU."""
    return f"{_properties().major}.{_properties().minor}" if has_gpu() else None


@lru_cache(maxsize=1)
def _nvml() -> Any:
    """NVML and this GPU's handle in it, or None."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        uuid = str(_properties().uuid)
        handle = pynvml.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith("GPU-") else f"GPU-{uuid}")
    except (pynvml.NVMLError, AttributeError):
        return None
    return pynvml, handle


def sm_mhz() -> int | None:
    """The SM clock now; None if it cannot be read."""
    found = _nvml() if has_gpu() else None
    if found is None:
        return None
    nvml, handle = found
    try:
        return int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))
    except nvml.NVMLError:
        return None


def memory_mhz() -> int | None:
    """The memory clock now; None if it cannot be read."""
    found = _nvml() if has_gpu() else None
    if found is None:
        return None
    nvml, handle = found
    try:
        return int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM))
    except nvml.NVMLError:
        return None


def driver() -> str | None:
    """The driver's version; None if there is no GPU or no NVML."""
    found = _nvml() if has_gpu() else None
    if found is None:
        return None
    version = found[0].nvmlSystemGetDriverVersion()
    return version.decode() if isinstance(version, bytes) else str(version)


def describe() -> dict[str, str | None]:
    """The head of a record: gpu, driver, cuda, torch, triton."""
    return {
        "gpu": _properties().name if has_gpu() else f"{INTERPRETER} on {platform.machine()}",
        "driver": driver(),
        "cuda": torch.version.cuda if has_gpu() else None,
        "torch": torch.__version__,
        "triton": triton.__version__,
    }


def half() -> torch.dtype:
    """The kernels' two-byte type: BF16; FP16 in the interpreter, whose BF16 truncates and cannot multiply matrices."""
    return torch.float16 if interpreted() else torch.bfloat16
