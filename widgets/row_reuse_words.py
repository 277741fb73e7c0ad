"""What figure 4.5 says: a line, an access, and the rows of its table."""

from __future__ import annotations

from dataclasses import dataclass

from sim.row_reuse import Access, Line, RowReuse, Snapshot
from widgets.parts import Table
from widgets.words import N_, Words

ORDERS = (
    ("ijk", N_("i, j, k: along")), ("ikj", N_("i, k, j")), ("jik", N_("j, i, k: down")),
    ("jki", N_("j, k, i")), ("kij", N_("k, i, j")), ("kji", N_("k, j, i")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Say:
    """Words for a walk after `at` accesses; `veiled`: before the first, and no count may show."""

    words: Words
    trace: RowReuse
    at: int
    veiled: bool

    @property
    def access(self) -> Access | None:
        """The access shown."""
        return self.trace.accesses[self.at - 1] if self.at else None

    def name(self, line: Line) -> str:
        """Return a line as its elements: A[0][4–7]."""
        row, first, last = self.trace.place(line)
        return f"{line[0]}[{row}][{first}]" if first == last else f"{line[0]}[{row}][{first}–{last}]"

    def line(self, line: Line, shot: Snapshot) -> str:
        """Say where a line is, and how often it came."""
        words, name = self.words, self.name(line)
        if self.veiled:
            return words("{line}: one line of {array}", line=name, array=line[0])
        if line not in shot.first:
            return words("{line} · not touched yet", line=name)
        again = shot.extra.get(line, 0)
        said = [name]
        if line in shot.held:
            rank = len(shot.held) - shot.held.index(line)
            said.append(words("in the cache, place {n}", n=rank))
        else:
            said.append(words("no longer in the cache"))
        said.append(words.plural("came {n} time", "came {n} times", again + 1))
        if again:
            said.append(words("{n} of them again", n=words.num(again)))
        return " · ".join(said)

    def doing(self) -> str:
        """Say what the access shown meets."""
        access, words = self.access, self.words
        if access is None:
            return words("your guess first")
        element = f"{access.array}[{access.row}][{access.column}]"
        if access.hit:
            return words("{element}: hit", element=element)
        if access.first:
            return words("{element}: miss, first touch", element=element)
        return words("{element}: miss, again", element=element)

    def leaves(self) -> str:
        """Say which line makes room; nothing where none does."""
        if self.access is None or self.access.evicted is None:
            return ""
        return self.words("{line} makes room", line=self.name(self.access.evicted))

    def table(self) -> Table:
        """One row an array, and all of them."""
        words, num, trace = self.words, self.words.num, self.trace
        head = words("Array"), words("Lines"), words("Accesses"), words("Hits"), words("Misses"), words("Again")
        rows = []
        for name in ("A", "B", "C", ""):
            touches, misses, first = (
                count[name] if name else sum(count.values())
                for count in (trace.touches, trace.misses, trace.first_misses)
            )
            told = [first, touches, touches - misses, misses, misses - first]
            rows.append((name or words("all"), *("?" if self.veiled else num(count) for count in told)))
        return Table(head, tuple(rows))
