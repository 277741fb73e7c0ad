"""What is remembered, and when it is forgotten."""

import os
from pathlib import Path

from bookbuild.memory import KEPT, Memory, hash_of_folder, replace_file


def test_an_answer_is_worked_out_once_a_question_and_generation(tmp_path: Path) -> None:
    asked: list[str] = []

    def work(name: str) -> str:
        asked.append(name)
        return name.upper()

    for generation in ("1" * 64, "1" * 64, "2" * 64):
        memory = Memory(tmp_path, generation)
        assert memory.recall(["card", "a"], lambda: work("a")) == "A"
        assert memory.recall(["card", "b"], lambda: work("b")) == "B"
    assert asked == ["a", "b", "a", "b"]


def test_only_the_latest_generations_are_kept(tmp_path: Path) -> None:
    generations = [f"{number:016}" for number in range(KEPT + 2)]
    for time, generation in enumerate(generations):
        Memory(tmp_path, generation).recall(["x"], str)
        os.utime(tmp_path / generation, (time, time))
    kept = {folder.name for folder in tmp_path.iterdir()}
    assert kept == set(generations[2:])
    Memory(tmp_path, generations[2])  # used again, so the next one goes instead
    Memory(tmp_path, "f" * 16).recall(["x"], str)
    assert {folder.name for folder in tmp_path.iterdir()} == {generations[2], *generations[4:], "f" * 16}


def test_the_hash_of_a_folder_follows_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = hash_of_folder(tmp_path, "*.py")
    (tmp_path / "a.txt").write_text("not asked for")
    assert hash_of_folder(tmp_path, "*.py") == first
    (tmp_path / "a.py").write_text("2")
    assert hash_of_folder(tmp_path, "*.py") != first
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert hash_of_folder(tmp_path, "*.py") != first


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"old")
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]
