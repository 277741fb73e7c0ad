"""What figure 4.4 says: an element, a sum, a move, and the rows of its table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from sim.tiling_walk import Move, Snapshot, Walk
from widgets.parts import Table
from widgets.words import Words


@dataclass(frozen=True, slots=True)
class Say:
    """Words for a walk after `at` moves; `veiled`: before the first, and no count may show."""

    words: Words
    walk: Walk
    at: int
    veiled: bool

    @property
    def n(self) -> int:
        """Rows and columns of each matrix."""
        return len(self.walk.a)

    @property
    def move(self) -> Move | None:
        """The move shown."""
        return self.walk.moves[self.at - 1] if self.at else None

    def side(self, tile: int) -> str:
        """Return the size of a square."""
        return f"{tile}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}{tile}"

    def element(self, name: str, row: int, column: int, loads: int, state: str) -> str:
        """Say what an element of A or B is, how often it was loaded, and what happens to it now."""
        words = self.words
        value = (self.walk.a if name == "A" else self.walk.b)[row][column]
        said = [f"{name}[{row}][{column}] = {words.num(value)}"]
        if not self.veiled:
            said.append(words.plural("loaded {n} time so far", "loaded {n} times so far", loads))
        if state == "move":
            said.append(words("being loaded now"))
        elif state:
            said.append(words("being multiplied now") if state == "compute" else words("staged"))
        return " · ".join(said)

    def sum(self, row: int, column: int, shot: Snapshot) -> str:
        """Return an output with the products that it has so far."""
        terms = shot.terms[row][column]
        if not terms:
            return self.words("C[{row}][{column}] has not begun", row=row, column=column)
        return self.formula(row, column, shot)[0] + (
            " · " + self.words("{n} of {all} products", n=terms, all=self.n) if terms < self.n else ""
        )

    def formula(self, row: int, column: int, shot: Snapshot) -> tuple[str, ...]:
        """Return the sum of an output with all its products; then, shorter, with the last alone."""
        num, terms, total = self.words.num, shot.terms[row][column], shot.sums[row][column]
        name = f"C[{row}][{column}] ="
        pairs = [(self.walk.a[row][k], self.walk.b[k][column]) for k in range(terms)]
        products = [f"{num(a)}×{num(b)}" for a, b in pairs]
        if not products:
            return f"{name} 0", "0"
        before = f"{num(shot.before[row][column])} + " if terms > 1 else ""
        short = f"{before}{products[-1]} = {num(total)}"
        return f"{name} {' + '.join(products)} = {num(total)}", f"{name} {short}", short

    def doing(self) -> str:
        """Say what the move shown does."""
        words, move = self.words, self.move
        if move is None:
            return words("your guess first")
        step = self.walk.trace.steps[move.step]
        if move.k is None:
            return words("loads {a} of A and {b} of B", a=len(step.a_loads), b=len(step.b_loads))
        return words("multiplies at k = {k}", k=move.k)

    def table(self) -> Table:
        """One row for each tile of C."""
        words, num, trace = self.words, self.words.num, self.walk.trace
        head = (
            words("Tile of C"), words("Loads of A"), words("Loads of B"), words("Multiplications"), words("Its values"),
        )  # fmt: skip
        rows = []
        for block, group in groupby(trace.steps, key=lambda step: step.block):
            steps = list(group)
            counts = (
                sum(len(step.a_loads) for step in steps), sum(len(step.b_loads) for step in steps),
                sum(step.multiplications for step in steps),
            )  # fmt: skip
            told = ["?" if self.veiled else num(count) for count in counts]
            values = "; ".join(" ".join(map(num, row)) for row in steps[-1].sums)
            rows.append((f"({block[0]}, {block[1]})", *told, values))
        return Table(head, tuple(rows))
