"""A child that speaks the protocol of gpu_backend.child without a GPU and without PyTorch, and misbehaves as told.

Experiments of the book yield the rows of their recording, one every PACE seconds (`--pace`). Those named `fake_…` do
what their name says, once for each run. `--start` says how it begins: `well`, `never` (never ready), `rubbish`, `dies`.
"""

import argparse
import json
import os
import select
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE.parents[1] / "chapters" / "recorded" / "h200"
MACHINE = {"gpu": "a fake of NVIDIA H200", "driver": "0", "cuda": "0", "torch": "0", "triton": "0"}


def number(name, low, high, default, kind="integer"):
    return {"title": name, "type": kind, "minimum": low, "maximum": high, "default": default, "description": name}


def entry(name, **properties):
    schema = {"title": "Chosen", "type": "object", "additionalProperties": False, "properties": properties}
    return {"name": name, "figure": "fake", "method": "none: a fake", "needs_gpu": False, "available": True,
            "schema": schema, "points": 10}  # fmt: skip


FAKES = [
    entry("fake_rows", rows=number("rows", 0, 20_000, 10), pace_s=number("pace_s", 0, 10, 0.01, "number"),
          bytes=number("bytes", 0, 1_000_000, 1)),
    entry("fake_hang"), entry("fake_die", rows=number("rows", 0, 10, 2)), entry("fake_rubbish"),
    entry("fake_poison"), entry("fake_refuse"), entry("fake_flood"), entry("fake_long_line"),
    entry("fake_strange"), entry("fake_pid"), entry("fake_nothing"), entry("fake_orphan"),
    entry("fake_deaf", rows=number("rows", 0, 99, 99)),
]  # fmt: skip


def described():
    return json.loads((HERE / "described.json").read_text("utf-8"))


class Fake:
    def __init__(self, pace_s):
        self.pace_s = pace_s
        self.cancelled = None
        self.waiting = b""
        self.stays = False

    def send(self, event):
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()

    def lines(self, wait_s):
        """Lines that came in; those that cancel are kept in mind."""
        ready, _, _ = select.select([0], [], [], wait_s)
        if ready:
            got = os.read(0, 1 << 16)
            if not got:
                if self.stays:
                    return time.sleep(60) or []
                sys.exit(0)
            self.waiting += got
        *whole, self.waiting = self.waiting.split(b"\n")
        requests = [json.loads(line) for line in whole]
        for request in requests:
            self.cancelled = request.get("cancel", self.cancelled)
        return [request for request in requests if "cancel" not in request]

    def serve(self):
        while True:
            for request in self.lines(None):
                if "describe" in request:
                    self.send({"event": "experiments", "experiments": described() + FAKES})
                else:
                    self.run(request)

    def run(self, request):
        name, inputs = request["experiment"], request["inputs"]
        if name.startswith("fake_") and name != "fake_rows":
            getattr(self, name[5:])(**inputs)
            return
        if name == "fake_rows":
            rows = [{"us": float(i), "text": "x" * inputs["bytes"]} for i in range(inputs["rows"])]
            pace_s = inputs["pace_s"]
        else:
            rows, pace_s = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))["rows"], self.pace_s
        self.send({"event": "begin", "points": len(rows)})
        for row in rows:
            self.lines(pace_s)
            if self.cancelled == request["id"]:
                self.send({"event": "failed", "code": "cancelled", "why": "cancelled", "fatal": False})
                return
            self.row(row)
        self.send({"event": "done", "inputs": inputs})

    def row(self, row):
        self.send({"event": "row", "row": row, "read_at": time.time()})

    def begin(self, rows=2):
        self.send({"event": "begin", "points": None})
        for i in range(rows):
            self.row({"us": float(i)})

    def hang(self):
        self.begin(1)
        time.sleep(600)

    def deaf(self, rows):
        """Goes on whatever it is told, and when its input is closed."""
        self.stays = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.begin(0)
        for i in range(rows):
            time.sleep(1)
            self.row({"us": float(i)})

    def die(self, rows):
        self.begin(rows)
        os._exit(7)

    def orphan(self):
        """Dies and leaves a process that holds its output open."""
        self.begin(0)
        left = os.fork()
        if left == 0:
            time.sleep(600)
            os._exit(0)
        self.row({"pid": left})
        os._exit(7)

    def rubbish(self):
        self.begin()
        print("Segmentation fault (core dumped)", flush=True)
        time.sleep(600)

    def poison(self):
        self.begin()
        why = "RuntimeError: CUDA error: an illegal memory access was encountered"
        self.send({"event": "failed", "code": "kernel", "why": why, "fatal": True})

    def refuse(self):
        self.send({"event": "failed", "code": "refused", "why": "there is no GPU 'h20' in the table", "fatal": False})

    def flood(self):
        self.begin(0)
        while True:
            self.row({"us": 1.0, "text": "x" * 1000})

    def long_line(self):
        self.begin(0)
        sys.stdout.write("x" * (3 << 20))
        sys.stdout.flush()
        time.sleep(600)

    def strange(self):
        self.begin()
        print('{"event": "row", "row": {"us": NaN}, "read_at": 1}', flush=True)
        time.sleep(600)

    def pid(self):
        self.begin(0)
        self.row({"pid": os.getpid()})
        self.send({"event": "done", "inputs": {}})

    def nothing(self):
        self.send({"event": "begin", "points": 0})
        self.send({"event": "done", "inputs": {}})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pace", type=float, default=0.02)
    parser.add_argument("--start", default="well")
    parser.add_argument("--once", type=Path, help="begin badly only if this file is not there yet; make it")
    given = parser.parse_args()
    start = given.start
    if given.once is not None:
        start = "well" if given.once.exists() else start
        given.once.touch()
    match start:
        case "never":
            time.sleep(600)
        case "rubbish":
            print("Traceback (most recent call last):", flush=True)
            time.sleep(600)
        case "dies":
            sys.exit(3)
    fake = Fake(given.pace)
    fake.send({"event": "ready", "machine": MACHINE})
    fake.serve()


if __name__ == "__main__":
    main()
