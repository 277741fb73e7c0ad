"""Find the figures of the book: `widgets/<key>.py` holds one `Figure` subclass; nothing else registers it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import widgets
from widgets.figure import Figure


def _figure(module_name: str) -> type[Figure] | None:
    module = import_module(f"widgets.{module_name}")
    for thing in vars(module).values():
        if isinstance(thing, type) and issubclass(thing, Figure) and thing.__module__ == module.__name__:
            return None if thing is Figure else thing
    return None


@cache
def keys() -> tuple[str, ...]:
    """Return the keys of all figures, sorted."""
    names = (module.name for module in iter_modules(widgets.__path__))
    return tuple(sorted(name for name in names if _figure(name)))


@cache
def load(key: str) -> type[Figure]:
    """Return the figure class of `widgets/<key>.py`; LookupError names the figures that exist."""
    names = {module.name for module in iter_modules(widgets.__path__)}
    found = _figure(key) if key in names else None
    if found is None:
        raise LookupError(f"no figure {key!r}; there are {', '.join(keys()) or 'none yet'}")
    return found
