"""The command line: what it prints, and its exit status."""

import json
import subprocess
import sys

import pytest

from gpu_backend import cli, experiments, machine


def status(*arguments):
    with pytest.raises(SystemExit) as left:
        cli.main(arguments)
    return left.value.code


def test_list_names_every_experiment_with_its_ranges(capsys):
    assert status("list") == 0
    told = capsys.readouterr().out
    for name in experiments.names():
        assert f"\n{name}  (figure " in "\n" + told
    assert "smallest = 16  10 to 28  log2 of the fewest FP32 elements" in told


def test_run_prints_rows_as_json_lines(capsys):
    assert status("run", "vector_add", "--set", "smallest=10", "--set", "largest=10") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["machine"] == machine.describe()
    assert lines[-1]["event"] == "done"


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ("smallest=99", "smallest is 99; right is a whole number from 10 to 28"),
        ("smallest=" + "9" * 5000, "smallest is '999"),
        ("small=12", "there is no input 'small'; there are seed, smallest, largest"),
        ("largest=10", "nothing is left to measure with seed=1 smallest=16 largest=10"),
    ],
)
def test_a_run_that_is_refused_says_why(chosen, says, capsys):
    assert status("run", "vector_add", "--set", chosen) == 1
    told = capsys.readouterr().err
    assert f"gpubook-box: {says}" in told
    assert len(told) < 400


@pytest.mark.parametrize(
    "arguments", [("run", "vector_add", "--set", "smallest"), ("record", "nothing"), ("run", "nothing"), ("serv",), ()]
)
def test_a_command_line_that_makes_no_sense_is_status_2(arguments):
    assert status(*arguments) == 2


@pytest.mark.skipif(machine.has_gpu(), reason="the interpreter's record")
def test_record_writes_two_recordings_that_say_where_they_are_from(tmp_path):
    chosen = ("--set", "n=64", "--set", "runs=2")
    assert status("record", "sum_order", *chosen, "--into", str(tmp_path), "--gpu", "none") == 0
    record = json.loads((tmp_path / "none" / "sum_order.json").read_text("utf-8"))
    assert record["gpu"].startswith("none: Triton’s interpreter")
    assert record["rows"] == record["again"]
    assert record["inputs"]["seed"] == 34


def test_readings_that_were_made_from_a_table_are_not_overwritten(tmp_path, capsys):
    kept = tmp_path / "none" / "sum_order.json"
    kept.parent.mkdir()
    kept.write_text('{"gpu": "another", "rows": []}')
    assert status("record", "sum_order", "--into", str(tmp_path), "--gpu", "none") == 2
    assert "sum_order.json is made from a table of readings" in capsys.readouterr().err
    assert json.loads(kept.read_text()) == {"gpu": "another", "rows": []}


@pytest.mark.skipif(machine.has_gpu(), reason="there is one")
def test_what_cannot_be_recorded_is_said_and_is_status_1(tmp_path, capsys):
    assert status("record", "bank_conflict_cycles", "--into", str(tmp_path)) == 1
    assert "bank_conflict_cycles needs a CUDA GPU" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(machine.has_gpu(), reason="the interpreter's doctor")
def test_the_doctor_names_what_is_there(capsys):
    status("doctor")
    told = capsys.readouterr().out
    assert "ok   TRITON_INTERPRET=1: kernels are interpreted on the CPU" in told
    assert "triton" in told


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pydantic", "torch", "triton", "fastapi", "uvicorn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from gpu_backend import cli
cli.main(sys.argv[1:])
"""


@pytest.mark.parametrize("arguments", [("serve",), ("list",), ("record", "vector_add"), ("doctor",)])
def test_a_plain_install_is_told_what_is_missing(arguments):
    done = subprocess.run([sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No module named" in done.stdout + done.stderr
    assert "pip install -e '.[gpu]'" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
