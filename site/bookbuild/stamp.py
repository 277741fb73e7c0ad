"""Say that a translation was looked through: it names its source's text of today."""

import re
from pathlib import Path

from bookbuild import book, chapter
from bookbuild.memory import replace_file
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem, listed

_LINE = re.compile(r"^translates\s*=.*$", re.MULTILINE)


def stamp(places: Places, slugs: list[str]) -> list[Path]:
    """Renew the stamps of these chapters' translations, or of all; return the files that changed."""
    order = book.load(places)
    unknown = [slug for slug in slugs if order.chapter(slug) is None]
    if unknown:
        known = listed(entry.slug for entry in order.chapters)
        raise Broken([Problem(order.path, 1, f"there is no chapter {unknown[0]!r}", f"there are {known}")])
    changed = []
    for entry in order.chapters:
        folder = places.chapters / entry.folder
        source = folder / f"{order.source}.md"
        if (slugs and entry.slug not in slugs) or not source.is_file():
            continue
        for lang in order.languages[1:]:
            file = folder / f"{lang}.md"
            if file.is_file() and _renew(file, chapter.digest(source)):
                changed.append(file)
    return changed


def _renew(file: Path, digest: str) -> bool:
    text = file.read_text("utf-8")
    head, fence, body = text.partition(f"\n{chapter.FENCE}\n")
    line = f'translates = "{digest}"'
    if _LINE.search(head):
        head = _LINE.sub(line, head, count=1)
    else:
        head = head.replace(f"{chapter.FENCE}\n", f"{chapter.FENCE}\n{line}\n", 1)
    fresh = f"{head}{fence}{body}"
    if fresh == text:
        return False
    replace_file(file, fresh.encode())
    return True
