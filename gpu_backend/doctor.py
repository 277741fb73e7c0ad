"""Whether this machine can run the kernels: versions, GPU, driver, compilers; one line each, and what would mend it."""

from collections.abc import Callable, Iterator
from importlib import import_module

Finding = tuple[bool, str]


def examine() -> int:
    """Print every finding; 0 if all is well, 1 otherwise."""
    fine = True
    for good, sentence in findings():
        print(f"{'ok  ' if good else 'BAD '} {sentence}")
        fine &= good
    return 0 if fine else 1


def findings() -> Iterator[Finding]:
    """Look at one thing after another; what needs an earlier one is not looked at without it."""
    for name, why in (
        ("pydantic", "checks inputs"),
        ("torch", "holds the data"),
        ("triton", "compiles the kernels"),
        ("cuda.core", "loads the kernels in CUDA C"),
        ("pynvml", "reads driver and clocks"),
        ("fastapi", "answers pages"),
        ("uvicorn", "serves them"),
    ):
        yield _package(name, why)
    try:
        import torch

        from gpu_backend import machine
    except ImportError:
        return
    if machine.interpreted():
        yield True, "TRITON_INTERPRET=1: kernels are interpreted on the CPU; nothing is measured on a GPU"
        return
    if not torch.cuda.is_available():
        yield False, "PyTorch sees no CUDA GPU: is there one, with a driver, and is this PyTorch a CUDA build?"
        return
    about = machine.describe()
    yield True, f"{about['gpu']}, driver {about['driver']}, CUDA {about['cuda']}, SM clock {machine.sm_mhz()} MHz now"
    yield _tried("a Triton kernel compiles, runs and is right", _triton)
    yield _tried("a kernel in CUDA C compiles, runs and is right", _cuda_c)


def _package(name: str, why: str) -> Finding:
    try:
        module = import_module(name)
    except ImportError as missing:
        return False, f"{name} ({why}) cannot be imported: {missing}; pip install -e '.[gpu]'"
    return True, f"{name} {getattr(module, '__version__', '')} {why}"


def _tried(what: str, look: Callable[[], None]) -> Finding:
    try:
        look()
    except (RuntimeError, ValueError, ImportError, OSError) as broken:
        return False, f"not so: {what}: {type(broken).__name__}: {str(broken).strip()[:300]}"
    return True, what


def _triton() -> None:
    from gpu_backend.checking import verify
    from gpu_backend.kernels import vector_add

    x, y = vector_add.make_input(1, 100_000, "cuda")
    verify(vector_add.run(x, y), vector_add.reference(x, y))


def _cuda_c() -> None:
    from gpu_backend.checking import verify
    from gpu_backend.kernels import divergent_paths

    paths, lengths = divergent_paths.make_input(1)
    _, out = divergent_paths.run(paths, lengths)
    verify(out, divergent_paths.reference(paths, lengths).cuda(), limit=0.0)
