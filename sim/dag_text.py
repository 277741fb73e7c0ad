"""Jobs as lines that a reader edits, and back.

A line is a name, a time and, if the job waits, "after" and the names it waits for: `finish 10 after A, B`. Names are
letters, digits, - and _. Empty lines and what follows # are left out.

Source: none; a notation of this book. Left out: nothing of a job of `sim.critical_path` or `sim.contention`.
"""

import re
from collections.abc import Sequence

from sim.critical_path import MAX_JOBS, Job

MAX_LINES = 4 * MAX_JOBS
_NAME = re.compile(r"[\w-]{1,40}")
_LINE = re.compile(r"(?P<name>\S+)\s+(?P<us>\S+)(?:\s+after\s+(?P<after>.*))?")


def parse(text: str) -> tuple[Job, ...]:
    """The jobs of up to 256 lines; ValueError names the line that is not one. Whether they fit together: `check`.

    >>> parse("prepare 10\\nA 40 after prepare  # the long one")
    (Job(name='prepare', us=10.0, after=()), Job(name='A', us=40.0, after=('prepare',)))
    """
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise ValueError(f"the text has {len(lines)} lines; it may have at most {MAX_LINES}")
    jobs = []
    for number, line in enumerate(lines, 1):
        bare = line.partition("#")[0].strip()
        if not bare:
            continue
        found = _LINE.fullmatch(bare)
        if found is None:
            raise ValueError(f"line {number} is {bare!r}; write a name, a time and, if it waits, after and names")
        after = [] if found["after"] is None else re.split(r"[\s,]+", found["after"].strip(" ,"))
        for name in (found["name"], *after):
            if _NAME.fullmatch(name) is None:
                raise ValueError(f"line {number}: {name!r} is no name; use up to 40 letters, digits, - and _")
        try:
            us = float(found["us"])
        except ValueError:
            raise ValueError(
                f"line {number}: the time of {found['name']!r} is {found['us']!r}; write a number"
            ) from None
        jobs.append(Job(found["name"], us, tuple(after)))
    return tuple(jobs)


def to_text(jobs: Sequence[Job]) -> str:
    """One line a job, as `parse` reads it.

    >>> to_text([Job("A", 2.5), Job("B", 1.0, ("A",))])
    'A 2.5\\nB 1 after A'
    """
    return "\n".join(
        f"{job.name} {float(job.us)!r}".removesuffix(".0") + (f" after {', '.join(job.after)}" if job.after else "")
        for job in jobs
    )
