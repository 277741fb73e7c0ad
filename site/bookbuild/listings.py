"""Listings: a function cut by its syntax tree from the file that runs."""

import ast
import textwrap
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from bookbuild.problems import listed


def cut(file: Path, name: str) -> str:
    """Return the source of a function or class (`outer.inner` inside another), without its docstring.

    Raises:
        ValueError: the file or the name in it does not exist.
    """
    if not file.is_file() or file.suffix != ".py":
        raise ValueError(f"there is no Python file {file.name!r}")
    text = file.read_text("utf-8")
    inside: list[ast.stmt] = ast.parse(text).body
    node: ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef | None = None
    for part in name.split("."):
        named = {n.name: n for n in inside if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)}
        if part not in named:
            raise ValueError(f"{file.name} defines {listed(named)}")
        node = named[part]
        inside = node.body
    assert node is not None
    assert node.end_lineno is not None
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = text.splitlines()
    kept = lines[first - 1 : node.end_lineno]
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        docstring = node.body[0]
        assert docstring.end_lineno is not None
        kept = lines[first - 1 : docstring.lineno - 1] + lines[docstring.end_lineno : node.end_lineno]
    return textwrap.dedent("\n".join(kept)) + "\n"


def html(code: str) -> str:
    """Return Python as a `<pre>` with Pygments' short classes."""
    inner = highlight(code, PythonLexer(), HtmlFormatter(nowrap=True))
    return f'<pre tabindex="0"><code>{inner}</code></pre>'
