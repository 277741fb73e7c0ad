import doctest

import pytest

import sim.stream_text
from sim.stream_program import Enqueue, Record, Sync, Wait, double_buffer
from sim.stream_text import parse, to_text


def test_docstring_examples_hold():
    result = doctest.testmod(sim.stream_text)
    assert result.attempted
    assert not result.failed


def test_every_form_is_read():
    text = """
    # a comment, then an empty line

    enqueue compute init 2.5
    enqueue copy "copy 0" 40 writes slot 0   # to the end of the line
    enqueue compute "核 # 0" 1e1 reads slot 0
    record copy filled[0]
    wait "my stream" filled[0]
    sync
    sync stream copy
    sync event filled[0]
    """
    assert parse(text) == (
        Enqueue("compute", "init", 2.5),
        Enqueue("copy", "copy 0", 40.0, "move", 0),
        Enqueue("compute", "核 # 0", 10.0, "compute", 0),
        Record("copy", "filled[0]"),
        Wait("my stream", "filled[0]"),
        Sync(),
        Sync(stream="copy"),
        Sync(event="filled[0]"),
    )


@pytest.mark.parametrize("leave_out", [None, "free", "filled"])
def test_the_text_of_a_program_is_read_back_as_the_program(leave_out):
    program = double_buffer(5, 12.125, 1e6, 3, leave_out=leave_out)
    assert parse(to_text(program)) == program
    odd = (Wait("a b", "#1"), Enqueue("a b", "x", 1e-7), Sync(stream="a b"), Sync(event="#1"))
    assert parse(to_text(odd)) == odd


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("launch copy 1", "there is no step 'launch'; use enqueue, record, wait or sync"),
        ("Sync", "there is no step 'Sync'"),
        ("enqueue copy", "cannot read 'enqueue copy'; write enqueue STREAM NAME µs, which may end in"),
        ("enqueue copy copy 0 40", "cannot read 'enqueue copy copy 0 40'; write enqueue STREAM NAME µs"),
        ("enqueue copy c 40 slot 0", "cannot read 'enqueue copy c 40 slot 0'"),
        ("enqueue copy c 40us", "'40us' is not a number of µs; write one without its unit, such as 40"),
        ("enqueue copy c -1", "a duration of -1.0 µs; it must be from 0 to 1e+06"),
        ("enqueue copy c nan", "a duration of nan µs"),
        (
            "enqueue copy c 40 writes slot x",
            "'x' is not the number of a slot; write a whole number, such as 0",
        ),
        ("enqueue copy c 40 reads slot 16", "slot 16; it must be from 0 to 15"),
        ("record copy", "cannot read 'record copy'; write record STREAM EVENT"),
        ("record copy a b", "cannot read 'record copy a b'; write record STREAM EVENT"),
        ("wait copy", "cannot read 'wait copy'; write wait STREAM EVENT"),
        ("sync copy", "cannot read 'sync copy'; write sync, sync stream STREAM or sync event EVENT"),
        ('enqueue copy "c 40', "the quote before 'c 40' is never closed; add another \""),
        ('record "" e', "the stream ''; use 1 to 40 printable characters"),
    ],
)
def test_a_bad_line_is_named_with_what_would_be_right(line, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011  (the message is compared below, without a pattern)
        parse(f"sync\n\n{line}\n")
    assert str(error.value).startswith(f"line 3: {message}")
    assert "\n" not in str(error.value)


def test_every_bad_line_is_named_up_to_ten():
    with pytest.raises(ValueError, match="line 1") as error:
        parse("sync now\n" * 10)
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [f"line {i}" for i in range(1, 11)]
    with pytest.raises(ValueError, match=r"and 2 more$"):
        parse("sync now\n" * 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the program has 0 steps; give it 1 to 400"),
        ("# nothing\n", "the program has 0 steps"),
        ("sync\n" * 401, "the program has 401 steps"),
        ("#" * 40_001, "the program has 40001 characters; use at most 40000"),
        ("sync stream copy", "sync on the stream 'copy', which no other step names; known: none"),
    ],
)
def test_a_bad_whole_is_refused(text, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        parse(text)
