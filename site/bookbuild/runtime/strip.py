"""What of each archive goes to the reader. Everything left out is time that a page would wait for."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bookbuild.runtime.lock import Lock

STDLIB, LIBS = "stdlib.zip", "libs.zip"  # as [[made]] of the lock names them


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one shipped archive is made of.

    `parts`: fetched archives by name, each with a pattern that matches, from the start of a member's name,
    what is left out. `documented`: whether functions keep their docstrings.
    """

    parts: Sequence[tuple[str, re.Pattern[str]]]
    documented: bool = False


# Of every archive: what neither runs in a browser nor is a licence.
_ALWAYS = re.compile(
    r"""
    .*/$
    | .*\.(pyi|pxd|c|h|a|map|typed|ini|rst|bat|tsbuildinfo)$
    | [^/]+\.dist-info/(?!METADATA$|licenses/)
    """,
    re.VERBOSE,
)

# Of Python: what starts processes, servers, windows or debuggers, none of which a page has; tools for
# developers; Python spellings of modules that are there in C; character sets other than Unicode's and Latin-1
# (cp437 is how zip archives spell names).
_STDLIB = re.compile(
    r"""
    ( _pyrepl | __phello__ | ctypes/macholib | curses | dbm | ensurepip | idlelib | lib2to3
    | multiprocessing | pydoc_data | site-packages | sqlite3 | test | tkinter | turtledemo | unittest
    | venv | wsgiref | xml | xmlrpc )/
    | ( __hello__ | _pydatetime | _pyio | antigravity | bdb | cProfile | cmd | compileall | doctest
    | fileinput | ftplib | getpass | imaplib | mailbox | modulefinder | netrc | nturl2path | optparse
    | pdb | pickletools | plistlib | poplib | profile | pstats | pty | py_compile | pyclbr | pydoc
    | rlcompleter | shelve | smtplib | socketserver | symtable | tabnanny | this | trace | tty | turtle
    | wave | zipapp
    | concurrent/futures/(interpreter|process) | ctypes/(_aix|wintypes) | http/(cookiejar|cookies|server)
    | logging/(config|handlers) | pyodide/_nodesock_transport | urllib/robotparser
    )\.py$
    | encodings/(?!( __init__ | aliases | ascii | base64_codec | charmap | cp437 | hex_codec | idna | latin_1
    | iso8859_1 | punycode | raw_unicode_escape | undefined | unicode_escape | utf_.* | zlib_codec )\.py$)
    """,
    re.VERBOSE,
)

_NUMPY = re.compile(
    r"""
    numpy/
    ( _core/include/ | _pyinstaller/ | distutils/ | doc/ | f2py/ | .*/tests/
    | _configtool\.py$ | conftest\.py$ | ma/README | ma/API_CHANGES )
    """,
    re.VERBOSE,
)

# Of the libraries: Bokeh's server and its JavaScript (the page has bokeh.min.js of its own), notebooks,
# documentation tools, hashes of other releases; compiled modules, for which there are Python ones.
_LIBS = re.compile(
    r"""
    .*\.so$
    | bokeh/( application | client | command | sampledata | server | sphinxext )/
    | bokeh/( __main__ | ext | util/sampledata | io/webdriver )\.py$
    | bokeh/_sri/(?!3\.9\.2\.json$)
    | numbergen/ | typings/
    | param/(ipython|mypy_plugin)\.py$
    | _yaml/
    """,
    re.VERBOSE,
)


def bundles(lock: Lock) -> dict[str, Bundle]:
    """The shipped archives by name."""
    return {
        STDLIB: Bundle([("python_stdlib.zip", _STDLIB)]),
        # numpy.ma reads NumPy's docstrings when it is imported, and stops where one is missing.
        lock.numpy_made.name: Bundle([(lock.numpy_wheel.name, _NUMPY)], documented=True),
        LIBS: Bundle([(file.name, _LIBS) for file in lock.files if "pip" in file.sources]),
    }


def members(archive: Path, left_out: re.Pattern[str]) -> list[str]:
    """Names of the members to keep, sorted."""
    with zipfile.ZipFile(archive) as source:
        names = source.namelist()
    return sorted(name for name in names if not left_out.match(name) and not _ALWAYS.match(name))
