"""Compile a kernel in CUDA C for a GPU and launch it on PyTorch's current stream.

Only for what Triton cannot say: the address each lane takes, a branch within a warp, how many loads are on their way,
padding of shared memory. NVRTC compiles (it needs no GPU); `cuda.core` loads and launches.

Source: documentation of cuda.core (Program, ObjectCode, LaunchConfig, launch).
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

FOLDER = Path(__file__).parent
WITHOUT_ASKING_BYTES = 49_152
"""Shared memory that a block may have without raising its limit (CUDA Programming Guide, 5.1)."""


def _core() -> Any:
    """The package under either of its names: before 0.5 it was `experimental`."""
    try:
        from cuda import core
        from cuda.core import Program  # noqa: F401
    except ImportError:
        from cuda.core import experimental as core
    return core


@lru_cache(maxsize=256)
def cubin(
    name: str,
    function: str,
    defines: tuple[tuple[str, int], ...],
    arch: str = "sm_90a",
    registers: int | None = None,
) -> Any:
    """Return the machine code of a kernel of `<name>.cu`; the compiler's error if it has faults.

    `registers` is the most that a thread may have; None leaves it to the compiler.
    """
    core = _core()
    options = core.ProgramOptions(
        arch=arch,
        std="c++17",
        define_macro=[(key, str(value)) for key, value in defines] or None,
        max_register_count=registers,
    )
    text = (FOLDER / f"{name}.cu").read_text("utf-8")
    return core.Program(text, "c++", options).compile("cubin", name_expressions=(function,))


class _Stream:
    """PyTorch's current stream, as `cuda.core` wants to be told of it."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, torch.cuda.current_stream().cuda_stream


class Compiled:
    """A kernel of `<name>.cu` with its macros, for the current device."""

    def __init__(self, name: str, function: str, defines: Mapping[str, int], registers: int | None = None) -> None:
        self._core = _core()
        self._device = self._core.Device(torch.cuda.current_device())
        self._device.set_current()
        major, minor = torch.cuda.get_device_capability()
        arch = f"sm_{major}{minor}" + ("a" if major == 9 else "")
        self.name = function
        self.kernel = cubin(name, function, tuple(sorted(defines.items())), arch, registers).get_kernel(function)

    @property
    def registers(self) -> int:
        """Registers of a thread, as the driver reports them."""
        found = self.kernel.attributes.num_regs
        return int(found() if callable(found) else found)  # a method before cuda.core 1.0

    def launch(self, grid: int | tuple[int, ...], block: int, *arguments: Any, shared_bytes: int = 0) -> None:
        """Launch; tensors go as their address, Python's int and float as i32 and f32, anything else as it is."""
        if shared_bytes > WITHOUT_ASKING_BYTES:
            self._raise_limit(shared_bytes)
        config = self._core.LaunchConfig(grid=grid, block=block, shmem_size=shared_bytes)
        self._core.launch(self._device.create_stream(_Stream()), config, self.kernel, *map(_plain, arguments))

    def _raise_limit(self, shared_bytes: int) -> None:
        from cuda.bindings import driver

        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        (status,) = driver.cuKernelSetAttribute(
            attribute, shared_bytes, self._handle(), driver.CUdevice(self._device.device_id)
        )
        if status != driver.CUresult.CUDA_SUCCESS:
            raise ValueError(f"{shared_bytes:,} bytes of shared memory for {self.name}: the driver says {status.name}")

    def _handle(self) -> Any:
        from cuda.bindings import driver

        return driver.CUkernel(int(self.kernel.handle if hasattr(self.kernel, "handle") else self.kernel._handle))

    def blocks_per_sm(self, threads: int, shared_bytes: int) -> int:
        """The driver's answer: how many such blocks one SM holds at a time (0: none can be launched)."""
        from cuda.bindings import driver

        if shared_bytes > WITHOUT_ASKING_BYTES:
            self._raise_limit(shared_bytes)
        status, function = driver.cuKernelGetFunction(self._handle())
        if status == driver.CUresult.CUDA_SUCCESS:
            status, blocks = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared_bytes)
            if status == driver.CUresult.CUDA_SUCCESS:
                return int(blocks)
        raise ValueError(f"occupancy of {threads} threads, {shared_bytes:,} bytes: the driver says {status.name}")


@lru_cache(maxsize=256)
def _compiled(name: str, function: str, defines: tuple[tuple[str, int], ...], registers: int | None) -> Compiled:
    return Compiled(name, function, dict(defines), registers)


def compiled(name: str, function: str | None = None, *, registers: int | None = None, **defines: int) -> Compiled:
    """Compile a kernel of `<name>.cu`, once, for the current device, with at most so many registers a thread."""
    return _compiled(name, function or name, tuple(sorted(defines.items())), registers)


def _plain(argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return argument.data_ptr()
    if isinstance(argument, bool | int):
        return np.int32(argument)
    return np.float32(argument) if isinstance(argument, float) else argument
