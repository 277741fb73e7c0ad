"""The kernels that the GPU box measures, one a module.

A module says what it computes with typed shapes, what it must move, and where the method is from. It offers `BOUNDS`,
`make_input(seed, ...)`, `reference` in float64, `run`, `bytes_moved` and `flops`; the kernel itself stands last.
Kernels in CUDA C (what Triton cannot say) lie beside their module as `<name>.cu`.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

HELPERS = {"sources"}


def names() -> tuple[str, ...]:
    """Return the names of all kernel modules, sorted."""
    return tuple(sorted(module.name for module in iter_modules(__path__) if module.name not in HELPERS))


def load(name: str) -> ModuleType:
    """Return a kernel module; ValueError for an unknown name."""
    if name not in names():
        raise ValueError(f"no kernel {name!r}; there are {', '.join(names())}")
    return import_module(f"{__name__}.{name}")
