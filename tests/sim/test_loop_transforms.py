import doctest
import re
from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest

import sim.loop_ledger
import sim.loop_program
import sim.loop_transforms
from sim.loop_ledger import ledger
from sim.loop_nest import plain
from sim.loop_program import program, text
from sim.loop_transforms import IllegalOrder, apply, transform
from sim.tiles import traffic

KIB, MIB = 1 << 10, 1 << 20
FFN = (1024, 12288, 4096)
TILED = "split i 64; split j 64; split k 32; reorder i0 j0 k0 i1 j1 k1"
STAGED = TILED + "; stage A k0; stage W k0"


@pytest.mark.parametrize("module", [sim.loop_program, sim.loop_ledger, sim.loop_transforms])
def test_docstring_examples_hold(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


# The numbers of the figure ------------------------------------------------------------------------------------------


def test_the_plain_program_keeps_all_of_c_and_passes_over_it_twice():
    (step,) = transform("", *FFN)
    assert step.ledger["C"].bytes == 24 * MIB
    assert not step.ledger["C"].on_chip
    assert step.ledger["C"].scope is None
    assert step.ledger.moved["C"].read_bytes == step.ledger.moved["C"].written_bytes == 24 * MIB
    assert step.ledger.intermediate_bytes == 48 * MIB
    assert step.ledger.moved["A"].read_bytes == step.ledger.moved["W"].read_bytes == 2 * 1024 * 12288 * 4096


def test_tiles_of_64_by_64_with_k_32():
    account = transform(STAGED, *FFN)[-1].ledger
    assert account.output_tiles == 16 * 192 == 3072
    assert account.k_steps == 128
    assert account["A_tile"].bytes == account["W_tile"].bytes == 4 * KIB
    assert account["acc"].bytes == 16 * KIB
    assert account.on_chip_bytes == 24 * KIB
    assert (account["acc"].made, account["acc"].scope) == (3072, "j0")
    assert (account["A_tile"].made, account["A_tile"].scope) == (3072 * 128, "k0")
    assert account.moved["A"].read_bytes == account.moved["W"].read_bytes == 1536 * MIB


def test_k_steps_are_those_of_the_innermost_copy():
    # A's strip is copied once for each i0, W's tile in each K step
    account = transform(TILED + "; stage A i0; stage W k0", *FFN, on_chip_bytes=1 << 20)[-1].ledger
    assert account.k_steps == 128
    assert (account["A_tile"].bytes, account["A_tile"].made) == (2 * 64 * 4096, 16)
    assert account.moved["A"].read_bytes == 8 * MIB


def test_moving_the_activation_in_saves_48_mib_and_leaves_one_live_tile():
    *_, before, after = transform(STAGED + "; compute_at j0", *FFN)
    assert before.ledger.total_bytes - after.ledger.total_bytes == 48 * MIB
    assert after.ledger.intermediate_bytes == 0
    assert [buffer.name for buffer in after.ledger.buffers] == ["A_tile", "W_tile", "acc"]
    assert all(buffer.on_chip for buffer in after.ledger.buffers)
    tiles = traffic(*FFN, 64, 64, 32)
    assert after.ledger.total_bytes == tiles.total_bytes == 3096 * MIB
    assert after.ledger.on_chip_bytes == tiles.storage_bytes
    assert (after.ledger.output_tiles, after.ledger.k_steps) == (tiles.output_tiles, tiles.k_steps)


def test_half_way_in_is_not_enough_if_the_strip_does_not_fit():
    # 64 rows of C in BF16 are 1.5 MiB: closer, but still in device memory
    strip = transform(STAGED + "; compute_at i0", *FFN)[-1].ledger
    assert strip["C_part"].bytes == 64 * 12288 * 2
    assert not strip["C_part"].on_chip
    assert strip.intermediate_bytes == 48 * MIB
    fits = transform(STAGED + "; compute_at i0", *FFN, on_chip_bytes=24 * KIB + 64 * 12288 * 2)[-1].ledger
    assert fits["C_part"].on_chip
    assert fits.intermediate_bytes == 0
    one_less = transform(STAGED + "; compute_at i0", *FFN, on_chip_bytes=24 * KIB + 64 * 12288 * 2 - 1)[-1].ledger
    assert one_less.intermediate_bytes == 48 * MIB


def test_k_outermost_keeps_every_sum_alive():
    account = transform("reorder k i j", *FFN)[-1].ledger
    assert account["acc"].bytes == 48 * MIB
    assert not account["acc"].on_chip
    assert account["acc"].scope is None
    assert account.moved["acc"].read_bytes == 4 * 1024 * 12288 * (4096 + 1)


def test_the_built_program_reads_as_it_should():
    after = transform("split i 2; split j 2; split k 4; reorder i0 j0 k0 i1 j1 k1; stage A k0; compute_at j0", 4, 4, 8)
    assert text(after[-1].program) == (
        "for i0 in range(2):\n"
        "    for j0 in range(2):\n"
        "        acc = zeros(2, 2)\n"
        "        for k0 in range(2):\n"
        "            A_tile = empty(2, 4)\n"
        "            for i1 in range(2):\n"
        "                for k1 in range(4):\n"
        "                    A_tile[i1, k1] = A[2*i0 + i1, 4*k0 + k1]\n"
        "            for i1 in range(2):\n"
        "                for j1 in range(2):\n"
        "                    for k1 in range(4):\n"
        "                        acc[i1, j1] += A_tile[i1, k1] * W[4*k0 + k1, 2*j0 + j1]\n"
        "        for i1 in range(2):\n"
        "            for j1 in range(2):\n"
        "                Y[2*i0 + i1, 2*j0 + j1] = bf16(silu(bf16(acc[i1, j1])))"
    )


# The programs, run --------------------------------------------------------------------------------------------------


def bf16(value):
    """Round a float32 to nearest even BF16, by its bits."""
    bits = int(np.float32(value).view(np.uint32))
    return np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def silu(value):
    with np.errstate(over="ignore"):
        return np.float32(value) / (np.float32(1) + np.exp(-np.float32(value)))


class Counted(dict):
    """A matrix by its places; counts reads and writes, and knows a place read before it was written."""

    def __init__(self, values=()):
        super().__init__(values)
        self.reads = self.writes = 0

    def __getitem__(self, place):
        self.reads += 1
        return super().__getitem__(place)

    def __setitem__(self, place, value):
        self.writes += 1
        super().__setitem__(place, value)


def execute(nest, a, w):
    """Run the program's own text; give Y, reads and writes by name, and how often each buffer was made."""
    rounded = text(program(nest))
    # give every buffer's maker the buffer's name
    rounded = re.sub(r"(\w+) = (zeros|empty)\(", r'\1 = \2("\1", ', rounded)
    rounded = rounded.replace("acc = 0.0", 'acc = one("acc")')
    rounded = re.sub(r"(\w+_tile|C_part) = (?!empty)", r'made["\1"] += 1; \1 = ', rounded)
    made = Counter()
    live = {}

    def make(name, *shape, fill=None):
        made[name] += 1
        old = live.get(name)
        live[name] = Counted() if fill is None else Counted.fromkeys(product(*map(range, shape)), fill)
        if len(shape) == 1 and fill is not None:
            live[name] = Counted.fromkeys(range(shape[0]), fill)
        reads, writes = (old.reads, old.writes) if old is not None else (0, 0)
        live[name].reads, live[name].writes = reads, writes + (len(live[name]) if fill is not None else 0)
        return live[name]

    def one(name):
        made[name] += 1
        return np.float32(0)

    names = {"A": Counted(a), "W": Counted(w), "C": Counted(), "Y": Counted()}
    scope = dict(names, bf16=bf16, silu=silu, one=one, made=made, empty=make)
    scope["zeros"] = lambda name, *shape: make(name, *shape, fill=np.float32(0))
    exec(rounded, scope)
    return dict(names["Y"]), {name: (matrix.reads, matrix.writes) for name, matrix in (names | live).items()}, made


def reference(a, w, M, N, K):
    """One sum at a time, in the order of k, as the two kernels would."""
    y = {}
    for i in range(M):
        for j in range(N):
            total = np.float32(0)
            for k in range(K):
                total = total + a[i, k] * w[k, j]
            y[i, j] = bf16(silu(bf16(total)))
    return y


def operands(M, N, K, seed, wild=False):
    """BF16 values; wild ones cancel each other, so that an order of summing shows in the leading bits."""
    random = Random(seed)
    draw = (lambda: random.choice([2.0**24, -(2.0**24), 1.0, 3.0, 0.0])) if wild else (lambda: random.gauss(0, 1))
    a = {place: bf16(draw()) for place in product(range(M), range(K))}
    w = {place: np.float32(1) if wild else bf16(random.gauss(0, 1)) for place in product(range(K), range(N))}
    return a, w


def same(y, z):
    return y.keys() == z.keys() and all(y[place].tobytes() == z[place].tobytes() for place in y)


def agrees(nest, seed):
    a, w = operands(*nest.sizes, seed, wild=seed % 2 == 0)
    return same(execute(nest, a, w)[0], reference(a, w, *nest.sizes))


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def random_command(nest, random):
    loops = list(nest.names)
    extents = {loop.name: loop.extent for loop in nest.loops}
    one = random.choice(loops)
    at = random.randrange(len(loops))
    match random.choice(["split", "split", "reorder", "reorder", "fuse", "stage", "compute_at", "compute_at"]):
        case "split":
            return f"split {one} {random.choice(divisors(extents[one]))}"
        case "reorder":
            random.shuffle(loops)
            return f"reorder {' '.join(loops)}"
        case "fuse":
            return f"fuse {loops[at]} {loops[(at + 1) % len(loops)]}"
        case "stage":
            return f"stage {random.choice('AW')} {one}"
        case "compute_at":
            return f"compute_at {one}"


def explored(seed, wanted):
    """Random chains of commands: (nest, None) when allowed, (nest before, command) when a dependence forbids."""
    random = Random(seed)
    while wanted > 0:
        nest = plain(
            *random.choice([(4, 6, 8), (2, 4, 12), (3, 4, 4), (1, 4, 6), (4, 2, 1)]),
            on_chip_bytes=random.choice([12, 40, 200]),
        )
        for _ in range(random.randint(1, 9)):
            command = random_command(nest, random)
            try:
                after = apply(nest, command)
                ledger(after, program(after))
            except IllegalOrder:
                yield nest, command
                wanted -= 1
            except ValueError:
                continue  # not a transformation, or a copy too large
            else:
                nest = after
        yield nest, None
        wanted -= 1


def test_every_allowed_program_gives_the_same_bits_and_moves_what_its_ledger_says():
    seen = Counter()
    for nest, command in explored(11, 600):
        if command:
            continue
        a, w = operands(*nest.sizes, seed=2, wild=seen["programs"] % 2 == 1)
        y, counts, made = execute(nest, a, w)
        assert same(y, reference(a, w, *nest.sizes))
        account = ledger(nest, program(nest))
        for name, moved in account.moved.items():
            width = 4 if name == "acc" else 2
            assert (moved.read_bytes, moved.written_bytes) == (width * counts[name][0], width * counts[name][1]), name
            seen[name] += 1
        assert {"A", "W", "Y"} <= account.moved.keys()
        for buffer in account.buffers:
            if buffer.name != "C":
                assert made[buffer.name] == buffer.made
            mentions = [n for n, line in enumerate(program(nest)) if re.search(rf"\b{buffer.name}\b", line.text)]
            assert (buffer.first_line, buffer.last_line) == (mentions[0], mentions[-1])
            seen[buffer.name, buffer.on_chip] += 1
        seen["programs"] += 1
        seen["staged"] += bool(nest.staged)
        seen["fused"] += any(len(loop.parts) > 1 for loop in nest.loops)
    assert seen["programs"] > 100
    for reached in ("acc", "C", "C_part", "staged", "fused", ("C_part", True), ("acc", True)):
        assert seen[reached] >= 5, reached


def test_every_refused_program_computes_something_else(monkeypatch):
    seen = Counter()
    refused = [(nest, command) for nest, command in explored(23, 120) if command]
    monkeypatch.setattr(sim.loop_transforms, "check", lambda nest: None)
    for nest, command in refused:
        forced = apply(nest, command)
        assert any(not agrees(forced, seed) for seed in range(100)), (nest, command)
        seen[command.split()[0]] += 1
    assert seen["reorder"] >= 10
    assert seen["compute_at"] >= 10


def test_without_rounding_c_the_result_is_another(monkeypatch):
    before = transform(STAGED.replace("64", "2").replace("32", "4") + "; compute_at j0", 4, 6, 8)[-1].nest
    monkeypatch.setattr(sim.loop_transforms, "check", lambda nest: None)
    for nest in (before, plain(4, 6, 8)):
        assert agrees(nest, seed=1)
        assert not agrees(apply(nest, "drop_rounding"), seed=1)


# Refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "dependence", "why"),
    [
        (
            STAGED + "; compute_at k0",
            r"Y[i, j] needs the last addition to C[i, j]",
            "in k0 the sum has 32 of its 4096 terms on the first pass; compute_at a loop outside k0",
        ),
        (
            STAGED + "; compute_at k1",
            r"Y[i, j] needs the last addition to C[i, j]",
            "in k1 the sum has 1 of its 4096 terms on the first pass; compute_at a loop outside k0",
        ),
        (
            "compute_at j; reorder k i j",
            r"Y[i, j] needs the last addition to C[i, j]",
            "in j the sum has 1 of its 4096 terms on the first pass; compute_at a loop outside k",
        ),
        (
            "split k 32; reorder i j k1 k0",
            "each addition to C[i, j] needs the sum before it",
            "k = 32 would be added right after k = 0",
        ),
        (
            STAGED + "; compute_at j0; drop_rounding",
            "Y[i, j] needs C[i, j] as rounded to BF16",
            "SiLU of the FP32 sum is another number; round first, wherever C is kept",
        ),
    ],
)
def test_an_illegal_order_names_its_dependence(script, dependence, why):
    with pytest.raises(IllegalOrder) as refused:
        transform(script, *FFN)
    assert refused.value.dependence == dependence
    assert refused.value.why.startswith(why)
    assert refused.value.command == script.split("; ")[-1]
    assert str(refused.value).startswith(f"{refused.value.command}: {dependence}: {why}")


def test_loops_of_one_pass_forbid_nothing():
    # k0 has one pass, so in its body the sum is complete
    assert transform("split k 4096; reorder i j k0 k1; compute_at k0", *FFN)[-1].ledger.intermediate_bytes == 0
    assert transform("split k 1; reorder i j k1 k0", *FFN)
    assert transform("compute_at k", 4, 4, 1)


def test_splitting_and_fusing_carry_along_what_is_done_in_a_loop():
    steps = transform("compute_at j; stage A j; split j 64; fuse i j0", 64, 128, 32)
    assert steps[2].nest.staged == (("A", "j"),)
    assert (steps[3].nest.at, steps[3].nest.staged) == ("j1", (("A", "j1"),))
    assert steps[4].nest.names == ("i_j0", "j1", "k")
    fused = transform("compute_at j; fuse i j", 64, 128, 32)[-1]
    assert fused.nest.at == "i_j"
    assert text(fused.program).splitlines()[1] == "    i, j = i_j // 128, i_j % 128"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("splt i 4", "splt i 4: this cannot be read; write one of: split LOOP FACTOR, reorder LOOPS"),
        ("split i", "split i: this cannot be read"),
        ("split x 4", "split x 4: there is no loop 'x'; there are i j k"),
        ("split i 5", "split i 5: the factor is '5'; it must be a divisor of 16, the passes of i"),
        ("split i 0", "split i 0: the factor is '0'"),
        ("split i -4", "split i -4: the factor is '-4'"),
        ("split i 4.0", "split i 4.0: the factor is '4.0'"),
        ("split i ²", "split i ²: the factor is '²'"),
        ("split i " + "9" * 5000, "split i 9+: the factor is '9+'"),
        ("reorder i j", "reorder i j: reorder needs every loop once: i j k"),
        ("reorder i j j k", "reorder i j j k: reorder needs every loop once"),
        ("fuse j i", "fuse j i: i does not lie directly inside j; the order is i j k"),
        ("fuse i i", "fuse i i: i does not lie directly inside i"),
        ("fuse j k", "fuse j k: one of j and k runs over k and the other does not; fuse two of a kind"),
        ("stage A i; fuse i j", "fuse i j: the copy of A lies between i and j; move it first"),
        ("compute_at i; fuse i j", "fuse i j: the activation lies between i and j; move it first"),
        ("fuse i j; split i_j 4", "split i_j 4: i_j was fused; split before fusing"),
        ("stage C k", "stage C k: there is no operand 'C'; stage A or W"),
        ("stage A x", "stage A x: there is no loop 'x'"),
        ("compute_at Y", "compute_at Y: there is no loop 'Y'"),
        ("stage W i", "stage W i: the copy of W in loop i takes 1024 bytes; 800 of 800 are left on the chip"),
        (
            "split k 8; reorder i k0 j k1; stage A k0; reorder k0 i j k1",
            "reorder k0 i j k1: the copy of A in loop k0 takes 256 bytes; 64 of 64 are left on the chip",
        ),
    ],
)
def test_what_is_no_transformation_is_refused(script, message):
    room = 64 if "reorder k0" in script else 800
    with pytest.raises(ValueError, match=f"^{message}") as refused:
        transform(script, 16, 16, 32, on_chip_bytes=room)
    assert not isinstance(refused.value, IllegalOrder)


def test_sizes_and_limits_are_checked():
    for bad in (0, 2**20 + 1, 4.0, True):
        with pytest.raises(ValueError, match=r"^N is .*; it must be a whole number from 1 to 1048576$"):
            transform("", 4, bad, 4)
    with pytest.raises(ValueError, match=r"^on_chip_bytes is -1; it must be a whole number ≥ 0$"):
        transform("", 4, 4, 4, -1)
    with pytest.raises(ValueError, match=r"^there are 41 commands; at most 40 are allowed$"):
        transform("reorder i j k;" * 41, 4, 4, 4)
    with pytest.raises(ValueError, match=r"^split i0+ 1: there are 12 loops already, the most that are allowed$"):
        transform("; ".join(f"split i{'0' * n} 1" for n in range(10)), 4, 4, 4)


def test_a_factor_may_have_leading_zeros():
    assert transform("split i 0000000002", 4, 4, 4)[-1].nest == transform("split i 2", 4, 4, 4)[-1].nest


def test_commands_may_be_separated_by_lines_and_spaced_freely():
    one = transform("split i 2; compute_at j ;", 4, 4, 4)
    other = transform("\n  split   i 2\n\n compute_at j", 4, 4, 4)
    assert one == other
    assert [step.command for step in one] == ["", "split i 2", "compute_at j"]
