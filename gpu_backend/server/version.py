"""The version that a box tells: the installed package's, or that of the checkout it is run from without an install."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "gpubook"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def own() -> str:
    """Return the version in the package's metadata; not installed, the one that `pyproject.toml` gives it."""
    try:
        return version(NAME)
    except PackageNotFoundError:  # `python -m gpu_backend` in a checkout
        return str(tomllib.loads(PROJECT.read_text("utf-8"))["project"]["version"])
