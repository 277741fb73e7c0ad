"""Where everything lies: one value handed to every module, so that none knows a path of its own."""

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one book. A book folder that lacks a room of its own uses the project's."""

    root: Path
    """The book's folder; problems name their files from here."""
    chapters: Path
    templates: Path
    static: Path
    sim: Path
    widgets: Path
    bookbuild: Path
    cache: Path
    """What costs time to make again: answers of figures, compressed files, the runtime."""
    out: Path
    """The built site."""

    @classmethod
    def of(cls, root: Path) -> "Places":
        """Return the places of the book in `root`."""
        root = root.resolve()

        def room(name: str) -> Path:
            own = root / name
            return own if own.is_dir() else PROJECT / name

        cache = Path(os.environ.get("GPUBOOK_CACHE") or root / ".cache")
        return cls(
            root=root,
            chapters=root / "chapters",
            templates=room("site/templates"),
            static=room("site/static"),
            sim=room("sim"),
            widgets=room("widgets"),
            bookbuild=Path(__file__).resolve().parent,
            cache=cache,
            out=root / "_site",
        )

    @property
    def locale(self) -> Path:
        """The gettext catalogues."""
        return self.widgets / "locale"

    @property
    def recorded(self) -> Path:
        """Readings of real hardware."""
        return self.chapters / "recorded"

    def code(self, name: str) -> Path:
        """Return a file of code by the name that a listing gives it, as `sim/streams.py`."""
        own = self.root / name
        return own if own.is_file() else PROJECT / name

    def name(self, path: Path) -> str:
        """Name a file for the reader of a problem: from the book's folder where it lies inside."""
        for base in (self.root, PROJECT):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        return path.as_posix()
