"""Compressed siblings of the site's files, for servers that send them as they are."""

import gzip
from hashlib import sha256
from pathlib import Path

import brotli

from bookbuild.memory import replace_file

SUFFIXES = frozenset({".html", ".css", ".js", ".mjs", ".json", ".svg", ".wasm", ".zip", ".whl"})
LARGE = 256_000
"""Bytes from which compressed forms are kept: the runtime's files, which stay as they are."""
QUICK, GOOD, SMALLEST = 5, 9, 11
"""Brotli's levels. Of the runtime's 29 MB the good one makes 8.5 MB in 4 s, the smallest 7.5 MB in 70 s."""


def siblings(name: str, content: bytes, cache: Path, smallest: bool = False) -> dict[str, bytes]:
    """Return `.br` and `.gz` of a file; none for a kind that does not get smaller.

    `smallest` takes the time to make large files as small as they get; what it made is used from then on.
    """
    suffix = Path(name).suffix
    if suffix not in SUFFIXES:
        return {}
    if suffix == ".html" or len(content) < LARGE:
        return {".br": brotli.compress(content, quality=QUICK), ".gz": gzip.compress(content, 6, mtime=0)}
    kept = cache / "compressed" / sha256(content).hexdigest()
    best = kept.with_suffix(f".{SMALLEST}.br")
    level = SMALLEST if smallest or best.is_file() else GOOD
    packed = _kept(kept.with_suffix(f".{level}.br"), content)
    return {".br": packed, ".gz": _kept(kept.with_suffix(".gz"), content)}


def _kept(file: Path, content: bytes) -> bytes:
    if file.is_file():
        return file.read_bytes()
    if file.suffix == ".gz":
        packed = gzip.compress(content, 9, mtime=0)
    else:
        packed = brotli.compress(content, quality=int(file.suffixes[-2][1:]))
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, packed)
    return packed
