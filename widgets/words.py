"""Words and numbers in the reader's language.

English is the source: a message id is the English sentence itself. Other languages come from
compiled gettext catalogues beside this file (`locale/<lang>/LC_MESSAGES/gpubook.mo`), which the
builder compiles from the `.po` files; a language without its catalogue is an error, never English.
"""

from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).with_name("locale")
SOURCE = "en"
MINUS = "\u2212"
NO_BREAK = "\u00a0"


def N_(message: str) -> str:
    """Mark a message for extraction where it cannot be translated yet (class attributes)."""
    return message


@cache
def catalogue(lang: str) -> gettext.NullTranslations:
    """Return the compiled catalogue of a language; FileNotFoundError names what is missing."""
    if lang == SOURCE:
        return gettext.NullTranslations()
    path = LOCALE / lang / "LC_MESSAGES" / "gpubook.mo"
    if not path.is_file():
        raise FileNotFoundError(
            f"{path.relative_to(LOCALE.parent)}: no compiled catalogue for language {lang!r}; "
            "`gpubook build` compiles it from gpubook.po"
        )
    with path.open("rb") as stream:
        return gettext.GNUTranslations(stream)


class Words:
    """Translate and format for one language.

    >>> words = Words("en")
    >>> words("{n} wavefronts", n=words.num(1024))
    '1,024 wavefronts'
    """

    def __init__(self, lang: str = SOURCE) -> None:
        self.lang = lang
        self._catalogue = catalogue(lang)

    @property
    def space(self) -> str:
        """What stands between two sentences."""
        return "" if self.lang == "zh" else " "

    def __call__(self, message: str, /, **values: object) -> str:
        """Translate a message, then fill its `{names}`; an empty message stays empty."""
        text = self._catalogue.gettext(message) if message else ""
        return text.format(**values) if values else text

    def plural(self, one: str, many: str, n: float, /, **values: object) -> str:
        """Translate by number; `{n}` is the formatted number."""
        whole = int(n) if float(n).is_integer() else 2
        return self._catalogue.ngettext(one, many, whole).format(n=self.num(n), **values)

    def num(self, x: float, digits: int | None = None) -> str:
        """Format a number: thousands comma, true minus; `digits` after the point (None: as short as exact).

        >>> Words().num(-1024), Words().num(5.4400001, 2), Words().num(50.0)
        ('−1,024', '5.44', '50')
        """
        if digits is None:
            text = f"{int(x):,}" if float(x).is_integer() else f"{x:,.12g}"
        else:
            text = f"{x:,.{digits}f}"
            if not any(c in "123456789" for c in text):
                text = text.lstrip("-")  # no "−0.0"
        return text.replace("-", MINUS)

    def percent(self, share: float, digits: int = 1) -> str:
        """Format a share as a percentage without its sign: 0.2059 → "20.6", 1 → "100"."""
        shown = self.num(100 * share, digits)
        return shown.rstrip("0").rstrip(".") if "." in shown else shown
