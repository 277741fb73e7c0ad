"""The book's own code and data for the reader's Python, as one archive: same content, same bytes."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookbuild import exercises
from bookbuild.manuscript import Manuscript
from bookbuild.rooms import Rooms
from widgets.words import Words

# Zip cannot say "no time"; this is its first one.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16

_SHIPPED = ("*.py", "*.toml", "*.json", "*.mo")


def members(manuscript: Manuscript, rooms: Rooms, words: Mapping[str, Words]) -> dict[str, bytes]:
    """Return what the archive holds: `sim/`, `widgets/` with compiled catalogues, `book/` with the data."""
    places = manuscript.places
    files = {**_code("sim", places.sim), **_code("widgets", places.widgets)}
    placed = {key for lang in manuscript.book.languages for key in manuscript.placed(lang)}
    for key in sorted(placed):
        if readings := rooms.readings(key):
            files[f"book/readings/{key}.json"] = _json(readings)
    files["book/exercises.json"] = _json(_exercises(manuscript, rooms, words))
    return files


def _code(package: str, folder: Path) -> dict[str, bytes]:
    found = sorted({file for pattern in _SHIPPED for file in folder.rglob(pattern)})
    return {f"{package}/{file.relative_to(folder).as_posix()}": file.read_bytes() for file in found}


def _exercises(manuscript: Manuscript, rooms: Rooms, words: Mapping[str, Words]) -> dict[str, Any]:
    all_of_them: dict[str, Any] = {}
    for (_, lang), source in sorted(manuscript.sources.items()):
        for use in source.exercises:
            computed = rooms.exercise(manuscript.exercise_file(source, use.name))
            entry = all_of_them.setdefault(exercises.name(source, use), {**computed, "texts": {}})
            entry["texts"][lang] = exercises.shipped(use, computed, words[lang])
    return all_of_them


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode()


def archive(files: Mapping[str, bytes]) -> bytes:
    """Store files in a zip, sorted, without times: HTTP compression of the whole does better than of each."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as out:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
            out.writestr(info, files[name])
    return output.getvalue()
