"""Make an archive of byte-code from members of other archives.

Runs inside Pyodide, because byte-code belongs to one version of Python and the reader's is not the builder's;
so it imports the standard library only and knows nothing of this project.
"""

import marshal
import zipfile
from importlib.util import MAGIC_NUMBER, source_hash
from types import CodeType

# A .pyc whose hash is there but never compared with a source (PEP 552): there is no source in the archive.
_UNCHECKED_HASH = (0b01).to_bytes(4, "little")
# Zip cannot say "no time"; this is its first one. The same bytes must come out on every machine and day.
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


# Of a code object whose first constant is a docstring (inspect.CO_HAS_DOCSTRING since Python 3.13).
_HAS_DOCSTRING = 0x4000000


def compiled(source: bytes, name: str, documented: bool) -> bytes:
    """The .pyc (sourceless, unchecked hash) of one module; `name` is the path that tracebacks show."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    if not documented:
        code = without_docstrings(code)
    return MAGIC_NUMBER + _UNCHECKED_HASH + source_hash(source) + marshal.dumps(code)


def without_docstrings(code: CodeType) -> CodeType:
    """The same code with no docstring in any function: a tenth of an archive, and no page asks for help().

    `optimize=2` would take the assertions too. Classes keep theirs, because `dataclass` makes one where it is
    missing, which costs more than it weighs.
    """
    constants = tuple(without_docstrings(value) if isinstance(value, CodeType) else value for value in code.co_consts)
    if code.co_flags & _HAS_DOCSTRING:
        return code.replace(co_consts=(None, *constants[1:]), co_flags=code.co_flags & ~_HAS_DOCSTRING)
    return code.replace(co_consts=constants)


def write_archive(target: str, parts: list[tuple[str, list[str]]], documented: bool) -> None:
    """Write `target` from `parts`, pairs of an archive and the members to take; .py becomes .pyc.

    Sorted and stored, not deflated: HTTP compression of the whole beats compression of each member.
    """
    members = {}
    for archive, names in parts:
        with zipfile.ZipFile(archive) as source:
            for name in names:
                data = source.read(name)
                if name.endswith(".py"):
                    members[name + "c"] = compiled(data, name, documented)
                else:
                    members[name] = data
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as out:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, _ZIP_EPOCH)
            info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
            out.writestr(info, members[name])
