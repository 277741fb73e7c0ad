"""The command `gpubook`."""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bookbuild import build, catalogue, manuscript, readings, scaffold, stamp
from bookbuild.places import PROJECT, Places
from bookbuild.problems import Broken
from bookbuild.runtime import RuntimeSupplyError

DEFAULT_PORT = 8032  # 80 for the web, 32 for the lanes
LAST_PORT = 2**16 - 1
LOOPBACK = "127.0.0.1"

Command = Callable[[Places, argparse.Namespace], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, or 1 with what is wrong on standard error."""
    options = _parser().parse_args(arguments)
    try:
        options.run(Places.of(options.root), options)
    except Broken as broken:
        count = len(broken.problems)
        print(f"{broken}\n{count} problem{'s' if count > 1 else ''}; nothing was written.", file=sys.stderr)
        return 1
    except (RuntimeSupplyError, Refused) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class Refused(Exception):
    """A command that cannot be carried out; the message says why."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gpubook", description="Check, build and serve the book.")
    parser.add_argument("--root", type=Path, default=PROJECT, help="the book's folder (default: this project)")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, run: Command, help: str) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=help, description=help)
        found.set_defaults(run=run)
        return found

    command("check", _check, "Look for problems in the book.")
    build = command("build", _build, "Check the book, then build its site into _site.")
    build.add_argument("--small", action="store_true", help="compress the runtime as far as it goes: a minute, once")
    build.add_argument("--draft", action="store_true", help="build although translations are behind, and say which")
    serve = command("serve", _serve, "Build the site, then serve it.")
    serve.add_argument("--port", type=_port, help=f"0: any free one (default: {DEFAULT_PORT}, or any if it is taken)")
    serve.add_argument("--host", default=LOOPBACK, help="address to listen on (default: this machine alone)")
    serve.add_argument("--watch", action="store_true", help="build drafts, now and when a source file changes")
    serve.set_defaults(small=False)
    command("stamp", _stamp, "Say that translations were looked through.").add_argument(
        "slug", nargs="*", help="chapters (default: all)"
    )
    figure = command("new-figure", _new_figure, "Begin a figure: its simulator, its widget and their tests.")
    figure.add_argument("key")
    figure.add_argument("--sim", metavar="NAME", help="the simulator it uses, if that is there under another name")
    command("new-chapter", _new_chapter, "Begin a chapter that book.toml lists.").add_argument("slug")
    command("strings", _strings, "Collect interface strings into the catalogues to translate.")
    command("readings", _readings, "Convert tables of readings into the files that figures are handed.")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; one is a number from 0 to {LAST_PORT}")
    return int(text)


def _say(line: str) -> None:
    print(line, flush=True)


def _check(places: Places, options: argparse.Namespace) -> None:
    loaded, _, _ = build.check(places)
    chapters = len(loaded.written)
    _say(f"No problem in {chapters} chapter{'s' if chapters != 1 else ''}.")


def _build(places: Places, options: argparse.Namespace) -> None:
    began = time.perf_counter()
    build.build(places, _say, smallest=options.small, draft=options.draft)
    _say(f"Built {places.out.name} in {time.perf_counter() - began:.1f} s.")


def _serve(places: Places, options: argparse.Namespace) -> None:
    from bookbuild import serve, watch  # aiohttp takes 0.2 s to import, which no other command should wait for

    options.draft = options.watch  # who writes sees a text before its translation follows
    _build(places, options)
    try:
        listening = serve.listen(options.host, options.port, DEFAULT_PORT)
    except OSError as error:
        raise Refused(f"{options.host} port {options.port}: {error.strerror}") from error
    except serve.PortTaken as taken:
        raise Refused(str(taken)) from taken
    try:
        asyncio.run(serve.run(places.out, listening, (lambda: watch.watch(places)) if options.watch else None))
    except KeyboardInterrupt:
        _say("")


def _stamp(places: Places, options: argparse.Namespace) -> None:
    for file in stamp.stamp(places, options.slug):
        _say(f"Stamped {places.name(file)}")


def _new_figure(places: Places, options: argparse.Namespace) -> None:
    _say(scaffold.new_figure(places, options.key, options.sim))


def _new_chapter(places: Places, options: argparse.Namespace) -> None:
    _say(scaffold.new_chapter(places, options.slug))


def _strings(places: Places, options: argparse.Namespace) -> None:
    for lang in manuscript.load(places, []).book.languages[1:]:
        waiting = catalogue.update(places, lang)
        _say(f"{places.name(catalogue.po_file(places, lang))}: {waiting} without a translation")


def _readings(places: Places, options: argparse.Namespace) -> None:
    for file in readings.convert(places.root):
        _say(f"Wrote {places.name(file)}")


if __name__ == "__main__":
    sys.exit(main())
