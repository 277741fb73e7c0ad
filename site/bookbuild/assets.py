"""Files that pages refer to, named by their content, so that browsers may keep them for good."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from bookbuild.memory import hash_of_folder

Content = bytes | Path
"""What a file of the site holds: bytes, or a copy of a file."""

LENGTH = 8


def short(content: bytes) -> str:
    """Return the hash that goes into a file's name."""
    return sha256(content).hexdigest()[:LENGTH]


def named(name: str, content: bytes) -> str:
    """Return `stem.<hash>.suffix`."""
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{short(content)}.{suffix}"


@dataclass(slots=True)
class Assets:
    """The site's static files; addresses are relative to the site's root."""

    static: Path
    files: dict[str, Content] = field(default_factory=dict)
    _folders: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in ("css", "js"):
            folder = self.static / kind
            name = f"static/{kind}-{hash_of_folder(folder, '*')[:LENGTH]}"
            self._folders[kind] = name
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                self.files[f"{name}/{file.relative_to(folder).as_posix()}"] = file

    def folder(self, kind: str) -> str:
        """Return the folder of all "css" or all "js": one hash for all, so that modules find each other."""
        return self._folders[kind]

    def address(self, kind: str, name: str) -> str:
        """Return a style sheet's or script's address; ValueError if there is none of that name."""
        address = f"{self._folders[kind]}/{name}"
        if address not in self.files:
            raise ValueError(f"a template asks for {kind} {name!r}; site/static/{kind} does not have it")
        return address

    def image(self, file: Path) -> str:
        """Add an image of a chapter and return its address."""
        address = f"static/img/{named(file.name, file.read_bytes())}"
        self.files[address] = file
        return address
