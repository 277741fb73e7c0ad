"""Interface strings: collected from code and templates, kept in `.po` catalogues, compiled to `.mo`."""

import ast
import io
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from bookbuild.memory import Memory, hash_of_folder, replace_file
from bookbuild.places import Places

DOMAIN = "gpubook"
Id = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Used:
    """A string of the interface where it is used."""

    path: str
    line: int
    id: Id


def po_file(places: Places, lang: str) -> Path:
    """Return a language's catalogue."""
    return places.locale / lang / "LC_MESSAGES" / f"{DOMAIN}.po"


def used(places: Places) -> list[Used]:
    """Return every string that code or a template asks `words` for, in order of place."""
    folders = ((places.widgets, "*.py"), (places.bookbuild, "*.py"), (places.templates, "*.html"))
    hashes = [hash_of_folder(folder, pattern) for folder, pattern in folders]
    memory = Memory(places.cache / "strings", sha256(" ".join(hashes).encode()).hexdigest())
    found = memory.recall([str(places.root)], lambda: [astuple(string) for string in _collect(places)])
    return [Used(path, line, id if isinstance(id, str) else tuple(id)) for path, line, id in found]


def _collect(places: Places) -> list[Used]:
    found: list[Used] = []
    for folder in (places.widgets, places.bookbuild):
        for file in sorted(folder.rglob("*.py")):
            found += [Used(places.name(file), line, id) for line, id in in_code(file.read_text("utf-8"))]
    for file in sorted(places.templates.rglob("*.html")):
        found += [Used(places.name(file), line, id) for line, id in in_template(file.read_text("utf-8"))]
    return found


def in_code(text: str) -> list[tuple[int, Id]]:
    """Return line and id of each `words("…")`, `words.plural("…", "…", n)` and `N_("…")` of a Python file.

    >>> in_code('words("a")\\nself._words[lang]("b")\\nwords.plural("c", "d", n)')
    [(1, 'a'), (2, 'b'), (3, ('c', 'd'))]
    """
    found: list[tuple[int, Id]] = []
    for call in ast.walk(ast.parse(text)):
        if not isinstance(call, ast.Call):
            continue
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        name = _name(call.func)
        if name in ("words", "N_") and texts and texts[0]:
            found.append((call.lineno, texts[0]))
        elif name == "plural" and len(texts) == 2:
            found.append((call.lineno, (texts[0], texts[1])))
    return sorted(found, key=lambda string: string[0])


def _name(function: ast.expr) -> str:
    while isinstance(function, ast.Subscript):
        function = function.value
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name if name == "N_" else str(name).lstrip("_")


def in_template(text: str) -> Iterator[tuple[int, Id]]:
    """Yield line and id of each string that a template asks for."""
    for call in Environment(autoescape=True).parse(text).find_all(nodes.Call):
        texts = [arg.value for arg in call.args if isinstance(arg, nodes.Const) and isinstance(arg.value, str)]
        if isinstance(call.node, nodes.Name) and call.node.name == "words" and texts:
            yield call.lineno, texts[0]
        elif isinstance(call.node, nodes.Getattr) and call.node.attr == "plural" and len(texts) == 2:
            yield call.lineno, (texts[0], texts[1])


def read(file: Path) -> Catalog:
    """Read a catalogue."""
    with file.open("rb") as stream:
        return read_po(stream)


def update(places: Places, lang: str) -> int:
    """Bring a language's catalogue up to the strings in use; return how many wait for a translation."""
    file = po_file(places, lang)
    old = read(file) if file.is_file() else Catalog(locale=lang)
    fresh = Catalog(locale=lang, project="gpubook", charset="utf-8", fuzzy=False)
    fresh.header_comment = "# Labels of the book. Collected by `gpubook strings`; the translations are written here.\n"
    for string in used(places):
        known = old.get(string.id)
        fresh.add(string.id, known.string if known else None, [(string.path, string.line)])
    output = io.BytesIO()
    write_po(output, fresh, width=110, omit_header=False, include_lineno=False, sort_output=False)
    content = b"".join(
        line
        for line in output.getvalue().splitlines(keepends=True)
        if b"-Date: " not in line and b"Generated-By" not in line
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, content)
    return sum(1 for message in fresh if message.id and not translated(message))


def translated(message: Message) -> bool:
    """Say whether a message has its words in every number."""
    texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(texts) and not message.fuzzy


def compile_all(places: Places) -> None:
    """Write the `.mo` beside each `.po`, where it is not of today."""
    for file in places.locale.rglob("*.po"):
        output = io.BytesIO()
        write_mo(output, read(file))
        compiled = file.with_suffix(".mo")
        if not compiled.is_file() or compiled.read_bytes() != output.getvalue():
            replace_file(compiled, output.getvalue())
