"""Serve a box with settings given as JSON: what the command line does not offer, such as another child."""

import json
import sys
from pathlib import Path

from gpu_backend.server import serve
from gpu_backend.server.settings import Settings

asked = json.loads(sys.argv[1])
for name in ("hosts", "origins", "child"):
    if name in asked:
        asked[name] = tuple(asked[name])
for name in ("site", "certfile", "keyfile"):
    if asked.get(name) is not None:
        asked[name] = Path(asked[name])
serve.run(Settings(**asked))
