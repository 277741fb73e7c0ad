"""The site's pages: what each template is given."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bookbuild import chapter_page, speech
from bookbuild.assets import Assets
from bookbuild.box_words import box_words
from bookbuild.chapter import Source
from bookbuild.contents import Contents
from bookbuild.manuscript import Manuscript
from bookbuild.rooms import Rooms
from widgets.status import script_words
from widgets.words import Words


@dataclass(frozen=True, slots=True)
class TermEntry:
    """A term in the glossary."""

    key: str
    name: str
    other_name: str
    means: str
    other_means: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """What pages refer to: addresses from the site's root."""

    assets: Assets
    manifest: str
    bokeh: str
    build: str
    """Changes with every script, simulator or datum, so that no page meets the Python of another build."""
    palette: Any


@dataclass(frozen=True, slots=True)
class Pages:
    """Renders every page of the site."""

    manuscript: Manuscript
    rooms: Rooms
    words: Mapping[str, Words]
    shelf: Shelf

    def all(self) -> dict[str, bytes]:
        """Return every page by its path."""
        environment = Environment(
            loader=FileSystemLoader(self.manuscript.places.templates),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        pages = {}
        for path, template, context in self._contexts():
            pages[path] = environment.get_template(template).render(context).encode()
        return pages

    def _contexts(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        book = self.manuscript.book
        yield "index.html", "start.html", self._start()
        for lang in book.languages:
            page = _Page(self, lang)
            yield f"{lang}/index.html", "contents.html", page.common("", self.words[lang]("Contents"))
            yield f"{lang}/glossary/index.html", "glossary.html", page.glossary()
            for entry in book.chapters:
                source = self.manuscript.source(entry, lang)
                if source:
                    yield f"{lang}/{entry.slug}/index.html", "chapter.html", page.chapter(source)

    def _start(self) -> dict[str, Any]:
        book = self.manuscript.book
        starts = [
            {
                "lang": lang,
                "html_lang": speech.html_lang(lang),
                "label": speech.label(lang),
                "title": book.title[lang],
                "words": self.words[lang],
                "href": f"{lang}/",
                "parts": _Page(self, lang).contents("./").parts(),
            }
            for lang in book.languages
        ]
        context = _Page(self, book.source).common(None, book.title[book.source])
        return {**context, "starts": starts}


@dataclass(frozen=True, slots=True)
class _Page:
    """The pages of one language."""

    pages: Pages
    lang: str

    @property
    def _words(self) -> Words:
        return self.pages.words[self.lang]

    def contents(self, root: str) -> Contents:
        """Return the contents for a page whose way to the site's root is `root`."""
        return Contents(self.pages.manuscript, self._words, self.lang, root)

    def common(self, name: str | None, title: str, **more: Any) -> dict[str, Any]:
        """Return what every page is given; `name` is its folder below the language's, None for the start.

        `more` is for its scripts.
        """
        manuscript, shelf = self.pages.manuscript, self.pages.shelf
        root = "./" if name is None else "../" if name == "" else "../../"
        below = f"{name}/" if name else ""

        def asset(kind: str) -> Callable[[str], str]:
            return lambda file: root + shelf.assets.address(kind, file)

        languages = [
            {
                "lang": lang,
                "html_lang": speech.html_lang(lang),
                "label": speech.label(lang),
                "href": f"{root}{lang}/{below}",
                "current": lang == self.lang and name is not None,
            }
            for lang in manuscript.book.languages
        ]
        config = {
            "lang": self.lang,
            "build": shelf.build,
            "manifest": root + shelf.manifest,
            "bokeh": root + shelf.bokeh,
            "palette": shelf.palette,
            "words": script_words(self._words),
            **more,
        }
        return {
            "lang": self.lang,
            "html_lang": speech.html_lang(self.lang),
            "words": self._words,
            "site_title": manuscript.book.title[self.lang],
            "page_title": title,
            "root": root,
            "css": asset("css"),
            "js": asset("js"),
            "bokeh": root + shelf.bokeh,
            "build": shelf.build,
            "manifest": root + shelf.manifest,
            "languages": languages,
            "parts": self.contents(root).parts(),
            "config": json.dumps(config, ensure_ascii=False),
        }

    def glossary(self) -> dict[str, Any]:
        """Return what the glossary is given."""
        languages = self.pages.manuscript.book.languages
        other = next((lang for lang in languages if lang != self.lang), self.lang)
        terms = [
            TermEntry(term.key, term.name[self.lang], term.name[other], term.means[self.lang], term.means[other])
            for term in (self.pages.manuscript.terms or {}).values()
            if term
        ]
        order = sorted(terms, key=lambda term: (term.name if other != languages[0] else term.other_name).casefold())
        return {
            **self.common("glossary", self._words("Glossary")),
            "terms": order,
            "other_html_lang": speech.html_lang(other),
        }

    def chapter(self, source: Source) -> dict[str, Any]:
        """Return what a chapter is given."""
        entry, assets = source.chapter, self.pages.shelf.assets
        common = self.common(entry.slug, entry.title[self.lang], box=box_words(self._words))
        root = common["root"]

        def address(file: Path) -> str:
            return str(root + assets.image(file))

        contents = self.contents(root)
        return {**common, **chapter_page.context(source, self.pages.manuscript, self.pages.rooms, contents, address)}
