"""`gpubook-box`: serve, list, run and record experiments, and look whether this machine can.

Exit status 0 if all went well, 1 if something failed, 2 for a command line that makes no sense.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from gpu_backend.parent import Child, ChildGone
from gpu_backend.server import command

RECORDED = Path("chapters") / "recorded"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    parser = argparse.ArgumentParser(prog="gpubook-box", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command.arguments(commands.add_parser("serve", help="serve the book and the box, so that its pages can measure"))
    commands.add_parser("list", help="what can be measured, with the inputs and their ranges")
    commands.add_parser("doctor", help="look whether this machine can run the kernels, and say what is missing")
    run = commands.add_parser("run", help="run one experiment and print its rows as JSON lines")
    run.add_argument("experiment", help="a name that `list` prints")
    run.add_argument("--set", dest="inputs", action="append", default=[], metavar="NAME=VALUE", help="set an input")
    record = commands.add_parser("record", help="run experiments in two processes and write chapters/recorded/<gpu>/")
    record.add_argument("experiments", nargs="*", help="names that `list` prints; none: all of them")
    record.add_argument("--gpu", default="h200", help="name of the folder (default: h200)")
    record.add_argument("--into", type=Path, default=RECORDED, help="where the folder lies")
    record.add_argument("--counters", action="store_true", help="read the profiler's counters (Nsight Compute) instead")
    record.add_argument("--set", dest="inputs", action="append", default=[], metavar="NAME=VALUE", help="set an input")
    record.add_argument("--once", action="store_true", help="one process only: no spread")
    given = parser.parse_args(arguments)
    try:
        sys.exit(_do(parser, given))
    except ModuleNotFoundError as missing:  # a plain install has the book alone
        sys.exit(f"gpubook-box: {missing}; pip install -e '.[gpu]' brings what the box needs")
    except ChildGone as gone:
        sys.exit(f"gpubook-box: {gone}")


def _do(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    match given.command:
        case "serve":
            return command.serve(given)
        case "list":
            return _list()
        case "doctor":
            from gpu_backend.doctor import examine

            return examine()
        case "run":
            _known(parser, [given.experiment])
            return _run(given.experiment, _inputs(parser, given.inputs))
        case "record" if given.counters:
            return _count(given.into / given.gpu)
        case _:
            from gpu_backend import experiments

            names = given.experiments or list(experiments.names())
            _known(parser, names)
            tables = [name for name in names if _from_table(given.into / given.gpu / f"{name}.json")]
            if tables and given.experiments:
                parser.error(f"{tables[0]}.json is made from a table of readings (gpubook readings): record --into DIR")
            names = [name for name in names if name not in tables]
            if given.inputs and len(names) != 1:
                parser.error("--set goes with one experiment: inputs have the names that it gave them")
            chosen = _inputs(parser, given.inputs)
            return _record(names, chosen, given.into / given.gpu, 1 if given.once else 2)


def _known(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    from gpu_backend import experiments

    if unknown := [name for name in names if name not in experiments.names()]:
        parser.error(f"no experiment {unknown[0]!r}; there are {', '.join(experiments.names())}")


def _from_table(file: Path) -> bool:
    """Whether there are readings of this name that another tool took: only the box's own records have a figure."""
    return file.is_file() and "figure" not in json.loads(file.read_text("utf-8"))


def _inputs(parser: argparse.ArgumentParser, pairs: Sequence[str]) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            parser.error(f"--set {pair}: write NAME=VALUE")
        try:
            inputs[name] = json.loads(value)
        except ValueError:  # no JSON, or a whole number of thousands of digits
            inputs[name] = value
    return inputs


def _list() -> int:
    from gpu_backend import experiments

    for name in experiments.names():
        experiment = experiments.load(name)
        print(f"{name}  (figure {experiment.figure}{', needs a GPU' if experiment.needs_gpu else ''})")
        for field, about in experiment.inputs.model_json_schema()["properties"].items():
            bounds = f"{about.get('minimum', '')} to {about.get('maximum', '')}" if "minimum" in about else "any"
            print(f"    {field} = {about['default']}  {bounds}  {about.get('description', '')}".rstrip())
    return 0


def _run(name: str, inputs: dict[str, Any]) -> int:
    with Child() as child:
        print(json.dumps({"machine": child.machine}, ensure_ascii=False), flush=True)
        for event in child.run(name, inputs):
            if event["event"] == "failed":
                print(f"gpubook-box: {event['why']}", file=sys.stderr)
                return 1
            print(json.dumps(event, ensure_ascii=False), flush=True)
    return 0


def _take(
    names: Sequence[str], chosen: dict[str, Any]
) -> dict[str, tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
    """Machine, inputs and rows of each experiment, all in one process; a fresh one after a failure."""
    taken = {}
    left = list(names)
    while left:
        with Child() as child:
            while left:
                name = left.pop(0)
                rows: list[dict[str, Any]] = []
                begin = perf_counter()
                try:
                    for event in child.run(name, chosen):
                        if event["event"] == "row":
                            rows.append(event["row"])
                except ChildGone as gone:
                    event = {"event": "failed", "why": str(gone), "fatal": True}
                if event["event"] == "done":
                    taken[name] = (child.machine, event["inputs"], rows)
                    print(f"gpubook-box: {name}: {len(rows)} rows in {perf_counter() - begin:.1f} s", flush=True)
                else:
                    print(f"gpubook-box: {name}: {event['why']}", file=sys.stderr, flush=True)
                    if event.get("fatal"):
                        break
    return taken


def _count(folder: Path) -> int:
    from gpu_backend import counters, machine, records

    try:
        rows = counters.read()
    except (counters.NoProfiler, ValueError) as why:
        print(f"gpubook-box: {why}", file=sys.stderr)
        return 1
    inputs = {"counters": counters.METRICS, "n": counters.N, "side": counters.SIDE, "figures": counters.FIGURES}
    records.write(folder, "counters", records.record(machine.describe(), counters.METHOD, inputs, None, [rows]))
    print(f"gpubook-box: counters: {len(rows)} rows")
    return 0


def _record(names: Sequence[str], chosen: dict[str, Any], folder: Path, processes: int) -> int:
    """Write what each process adds as soon as it is done: an interrupted recording keeps its first half."""
    from gpu_backend import experiments, records

    takes: list[dict[str, Any]] = []
    failed: dict[str, str] = {}
    for _ in range(processes):
        takes.append(_take(names, chosen))
        for name in names:
            if name in failed or any(name not in take for take in takes):
                failed.setdefault(name, "it failed")
                continue
            experiment = experiments.load(name)
            machine, inputs, _ = takes[0][name]
            rows = [take[name][2] for take in takes]
            try:
                records.write(folder, name, records.record(machine, experiment.method, inputs, experiment.figure, rows))
            except ValueError as unlike:
                failed[name] = str(unlike)
    for name, why in failed.items():
        print(f"gpubook-box: {name} is not recorded: {why}", file=sys.stderr)
    return 1 if failed else 0
