"""The command line of `gpubook-box serve`."""

import argparse
import os
import sys
from pathlib import Path
from secrets import token_urlsafe

from gpu_backend.server.settings import PORT, Settings, Unsettled

VARIABLE = "GPUBOOK_BOX_TOKEN"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `serve` takes."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=PORT, help=f"port, 0 for any (default: {PORT})")
    parser.add_argument("--site", type=Path, default=Path("_site"), help="the built book (default: _site)")
    parser.add_argument("--token", help=f"what pages must show (default: ${VARIABLE}, or a new one)")
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="answer to this name too")
    parser.add_argument("--allow-origin", action="append", default=[], metavar="ORIGIN",
                        help="let a page from scheme://host:port use the box")  # fmt: skip
    parser.add_argument("--deadline", type=float, default=120.0, metavar="S", help="longest run, in s (default: 120)")
    parser.add_argument("--queue", type=int, default=64, metavar="N", help="runs that may wait (default: 64)")
    parser.add_argument("--certfile", type=Path, help="certificate (PEM), for TLS")
    parser.add_argument("--keyfile", type=Path, help="its private key (PEM)")


def serve(given: argparse.Namespace) -> int:
    """Serve until stopped; 1 with a sentence if that cannot be."""
    try:
        from gpu_backend.server import serve as server
    except ImportError as missing:
        return _stop(f"{missing}; pip install -e '.[gpu]' brings what the box needs")
    try:
        settings = Settings(
            token=given.token or os.environ.get(VARIABLE) or token_urlsafe(24),
            host=given.host, port=given.port, site=given.site,
            hosts=tuple(name.lower() for name in given.allow_host),
            origins=tuple(origin.lower() for origin in given.allow_origin),
            deadline_s=given.deadline, queue_limit=given.queue, certfile=given.certfile, keyfile=given.keyfile,
        )  # fmt: skip
        if not settings.local and settings.certfile is None:
            print(
                "gpubook-box: the token goes over the network unencrypted; an SSH tunnel or --certfile prevents that",
                file=sys.stderr,
            )
        server.run(settings)
    except (Unsettled, server.PortTaken) as why:
        return _stop(str(why))
    return 0


def _stop(sentence: str) -> int:
    print(f"gpubook-box: {sentence}", file=sys.stderr)
    return 1
