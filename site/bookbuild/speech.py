"""The words of a book's own catalogues: a book folder may bring others than the project's."""

import gettext

from bookbuild import catalogue
from bookbuild.places import Places
from bookbuild.problems import Broken, Problem
from widgets.words import N_, SOURCE, Words

LANGUAGES = {"en": ("English", "en"), "zh": ("中文", "zh-Hans")}
"""What a language calls itself, and its tag in HTML; a language that is not here is called by its code."""

PARTS = (
    N_("Part I"),
    N_("Part II"),
    N_("Part III"),
    N_("Part IV"),
    N_("Part V"),
    N_("Part VI"),
    N_("Part VII"),
    N_("Part VIII"),
)


class BookWords(Words):
    """Words in one language, from the book's catalogue."""

    def __init__(self, places: Places, lang: str) -> None:
        super().__init__()
        if lang == SOURCE:
            return
        self.lang = lang
        file = catalogue.po_file(places, lang).with_suffix(".mo")
        with file.open("rb") as stream:
            self._catalogue = gettext.GNUTranslations(stream)


def learn(places: Places, languages: tuple[str, ...]) -> dict[str, Words]:
    """Compile the catalogues and return the words of every language; `Broken` if one has no catalogue."""
    missing = [
        Problem(
            places.name(file),
            1,
            f"there is no catalogue for {lang!r}",
            "run gpubook strings, then translate it",
        )
        for lang in languages
        if lang != SOURCE and not (file := catalogue.po_file(places, lang)).is_file()
    ]
    if missing:
        raise Broken(missing)
    catalogue.compile_all(places)
    return {lang: BookWords(places, lang) for lang in languages}


def label(lang: str) -> str:
    """Return what a language calls itself."""
    return LANGUAGES.get(lang, (lang, lang))[0]


def html_lang(lang: str) -> str:
    """Return a language's tag in HTML."""
    return LANGUAGES.get(lang, (lang, lang))[1]
