"""What the GPU box can measure, one experiment a module; each is bounded, and none takes code from anybody."""

from importlib import import_module
from pkgutil import iter_modules

from gpu_backend.experiments.experiment import Experiment

HELPERS = {"experiment", "common"}


def names() -> tuple[str, ...]:
    """Return the names of all experiments, sorted."""
    return tuple(sorted(module.name for module in iter_modules(__path__) if module.name not in HELPERS))


def load(name: str) -> Experiment:
    """Return an experiment; ValueError for an unknown name."""
    if name not in names():
        raise ValueError(f"no experiment {name!r}; there are {', '.join(names())}")
    found = import_module(f"{__name__}.{name}").EXPERIMENT
    assert isinstance(found, Experiment)
    return found
