"""Listings are cut from files that run."""

from pathlib import Path

import pytest

from bookbuild import listings

CODE = '''\
import functools


class Queue:
    """Holds things."""

    @functools.cache
    def put(self, thing):
        """Put one.

        More.
        """
        # at the end
        return [*self.things, thing]

    def only_a_docstring(self):
        """Nothing else."""


async def wait():
    return 1
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "queue.py"
    path.write_text(CODE, "utf-8")
    return path


def test_a_function_is_cut_with_its_decorators_and_without_its_docstring(file: Path) -> None:
    assert listings.cut(file, "Queue.put") == (
        "@functools.cache\ndef put(self, thing):\n    # at the end\n    return [*self.things, thing]\n"
    )


def test_a_docstring_that_is_all_there_is_stays(file: Path) -> None:
    assert '"""Nothing else."""' in listings.cut(file, "Queue.only_a_docstring")
    assert listings.cut(file, "wait") == "async def wait():\n    return 1\n"


@pytest.mark.parametrize(
    ("name", "said"), [("push", "queue.py defines Queue, wait"), ("Queue.push", "only_a_docstring, put")]
)
def test_what_is_not_there_is_refused_with_what_is(file: Path, name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        listings.cut(file, name)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no Python file 'no\.py'"):
        listings.cut(tmp_path / "no.py", "x")


def test_code_is_escaped() -> None:
    assert "<b>" not in listings.html('x = "<b>"\n')
    assert "&lt;b&gt;" in listings.html('x = "<b>"\n')
