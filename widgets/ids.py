"""Model ids that come out the same wherever a figure is built, and a digest that proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256

import bokeh.util.serialization as counter
from bokeh.models import Model


@contextmanager
def ids_from(base: int) -> Iterator[None]:
    """Give the Bokeh models made inside ids that count up from `base`."""
    before = counter._simple_id
    counter._simple_id = base
    try:
        yield
    finally:
        counter._simple_id = max(before, counter._simple_id)


def fresh() -> int:
    """Return a base above every id given so far, and far above those that BokehJS gives to models of its own."""
    return int(max(counter._simple_id, 1_000_000)) + 1


def digest(models: Iterable[Model]) -> str:
    """Return a short hash of every (id, type) pair: documents with one digest have the same models."""
    pairs = sorted(f"{model.id} {type(model).__qualified_model__}" for model in models)
    return sha256("\n".join(pairs).encode()).hexdigest()[:16]
