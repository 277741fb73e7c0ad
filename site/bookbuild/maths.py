"""Formulas to MathML, at build time: a page needs no script to show one."""

import re
from functools import cache
from xml.etree import ElementTree

from latex2mathml import converter, exceptions

_ERRORS: tuple[type[Exception], ...] = (
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    IndexError,  # what the reader of LaTeX raises where a group is cut short
    KeyError,
)
_IN_TEXT = re.compile(r"\\(?:text|mbox)\w*\s*\{[^}]*[<&]")
_PARTS = {"mfrac": 2, "msub": 2, "msup": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
"""Children that MathML asks of an element: with fewer, a browser draws an error."""
_SPACE_LIKE = r"(?:<mtext>[^<]*</mtext>|<mspace[^>]*/>)"
_LONE_OPERATOR = re.compile(rf"<mrow>({_SPACE_LIKE}*<mo>[^<]*</mo>{_SPACE_LIKE}+)</mrow>")
"""A row of words and one operator: words are space to MathML, so that the operator stands for the whole row and gets
its spaces around the row, none around itself."""


@cache
def mathml(latex: str, display: bool) -> str:
    """Return a formula as a `<math>` element, with the spaces that its operators have in LaTeX."""
    math = str(converter.convert(latex.strip(), display="block" if display else "inline"))
    return _LONE_OPERATOR.sub(r"<mrow>\1<mi></mi></mrow>", math)  # an empty part that is no space


def refusal(latex: str) -> str:
    """Return why a formula cannot be read, "" if it can.

    >>> refusal("a^2"), refusal("a^")
    ('', 'MissingSuperScriptOrSubscriptError: it must be LaTeX that latex2mathml knows')
    """
    if latex.count("{") != latex.count("}"):
        return f"{latex.count('{')} braces open and {latex.count('}')} close"
    if _IN_TEXT.search(latex):
        return "the text in it holds < or &, which latex2mathml does not escape"
    try:
        math = ElementTree.fromstring(mathml(latex, False))
    except ElementTree.ParseError:
        return "it holds a bare &; write \\&"
    except _ERRORS as error:
        return f"{type(error).__name__}: it must be LaTeX that latex2mathml knows"
    for element in math.iter():
        tag = element.tag.rpartition("}")[2]
        if unknown := re.match(r"\\\w+", element.text or ""):
            return f"{unknown[0]} is no command that latex2mathml knows"
        if len(element) != _PARTS.get(tag, len(element)):
            return f"{tag} has {len(element)} of its {_PARTS[tag]} parts"
    return ""
