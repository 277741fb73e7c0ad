"""Units as readers write them: names in both languages, prefixes, and what turns one into another.

A unit of the table belongs to a kind (time, bytes, …) and has a factor to the kind's base unit. A
spelling may have two senses: KB is 1,000 bytes to some and 1,024 to others (SI has no K), so both
are tried; kB, MB and GB are powers of ten and KiB, MiB and GiB powers of two (IEC 80000-13). Any
other unit is a thing counted (wavefronts, blocks), which takes multipliers: 0.5 k, 1.5 万. A number
asked for without a unit may carry the name of a thing, a multiplier, % or ×.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from widgets.lab_numerals import clean

SI = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
BIT_PREFIXES = ("M", "G", "T", "P")  # kb is mostly a careless kB, b a careless B
COUNTED = {"k": (10**3,), "K": (10**3, 2**10), "M": (10**6, 2**20), "G": (10**9, 2**30)} | {
    prefix: (factor,) for prefix, factor in BINARY.items()
}
WORDS = {
    "十": 10,
    "百": 10**2,
    "千": 10**3,
    "万": 10**4,
    "亿": 10**8,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
}

# Spellings of the things that the book counts; English singular and plural, then Chinese (terms.toml).
THINGS = tuple(
    frozenset(group.split()) for group in (
        "wavefront wavefronts", "sector sectors 扇区", "line lines cacheline cachelines 缓存行",
        "thread threads 线程", "warp warps 线程束", "lane lanes", "block blocks 线程块 块", "bank banks",
        "kernel kernels 核函数", "launch launches 启动", "wave waves 波", "element elements 元素",
        "load loads 读取", "read reads 读", "register registers 寄存器", "tile tiles 分块", "scan scans 遍",
        "row rows 行", "column columns 列", "call calls 调用", "step steps 步", "task tasks 任务",
        "group groups 组", "token tokens 词元", "request requests 请求", "instruction instructions 指令",
        "slot slots 槽", "stage stages 级", "update updates 更新", "copy copies 拷贝", "way ways -way 路",
        "submission submissions 提交", "segment segments 段", "SM SMs", "ULP ULPs", "GPU GPUs",
    )
)  # fmt: skip

MAX_UNIT_CHARS = 40  # longer than any unit, short enough to look up
ANY_THING = frozenset(name.casefold() for group in THINGS for name in group)

Sense = tuple[str, Fraction]  # kind, factor to its base unit


def _named() -> dict[str, list[Sense]]:
    table: dict[str, list[Sense]] = {}

    def add(kind: str, factor: Fraction | int, names: str) -> None:
        for name in names.split():
            table.setdefault(clean(name), []).append((kind, Fraction(factor)))

    add("time", 1, "s sec second seconds 秒")
    add("time", Fraction(1, 10**3), "ms msec millisecond milliseconds 毫秒")
    add("time", Fraction(1, 10**6), "µs us usec microsecond microseconds 微秒")
    add("time", Fraction(1, 10**9), "ns nsec nanosecond nanoseconds 纳秒")
    add("time", 60, "min minute minutes 分钟")
    add("time", 3600, "h hour hours 小时")
    add("share", 1, "× x times -fold fold 倍")
    add("share", Fraction(1, 100), "% percent pct")
    for prefix, factor in (SI | BINARY).items():
        for p in (prefix, "K") if prefix in ("k", "Ki") else (prefix,):
            add("bytes", factor, f"{p}B {p}byte {p}bytes {p}字节")
            add("bytes/s", factor, f"{p}B/s {p}byte/s {p}bytes/s {p}字节/s {p}Bps")
    for prefix, factor in SI.items():
        add("bytes", Fraction(factor, 8), f"{prefix}bit {prefix}bits")
        add("bytes/s", Fraction(factor, 8), f"{prefix}bit/s {prefix}bits/s")
        if prefix in BIT_PREFIXES:
            add("bytes", Fraction(factor, 8), f"{prefix}b")
            add("bytes/s", Fraction(factor, 8), f"{prefix}b/s {prefix}bps")
        add("flop", factor, f"{prefix}FLOP {prefix}FLOPs")
        add("flop/s", factor, f"{prefix}FLOP/s {prefix}FLOPs/s {prefix}FLOPS")
        add("hertz", factor, f"{prefix}Hz 赫兹" if not prefix else f"{prefix}Hz")
    add("flop/byte", 1, "FLOP/B FLOPs/B FLOP/byte FLOPs/byte FLOP/字节")
    return table


NAMED = _named()
BITS = {prefix + name for prefix in BIT_PREFIXES for name in ("b", "b/s", "bps")}
BASE = {"bytes": "B", "bytes/s": "B/s", "flop": "FLOP", "flop/s": "FLOP/s", "hertz": "Hz"}


def _bare(unit: str) -> str:
    """Return a unit without spaces, "per second" as "/s" (of a cleaned text)."""
    unit = re.sub(r"\s*(?:\bper\b|每)\s*", "/", unit)
    return re.sub(r"/(?:sec|second|秒)$", "/s", unit.replace(" ", ""))


def senses(unit: str) -> list[Sense]:
    """Return what a unit may mean: as spelled, else in any case ("kib", "US"); of "gb" not as bits."""
    name = _bare(unit)
    if name in NAMED or len(name) < 2:
        return NAMED.get(name, [])
    loose = (found for known, found in NAMED.items()
             if known.casefold() == name.casefold() and known not in BITS)  # fmt: skip
    return [sense for found in loose for sense in found]


@cache
def spellings(unit: str) -> frozenset[str]:
    """Return the ways to write a thing counted, folded: "wavefronts" and "次 wavefront" give each other."""
    name = re.sub("^[个次条]", "", _bare(clean(unit))).casefold()
    if not name:
        return frozenset({""})
    for group in THINGS:
        folded = frozenset(spelling.casefold() for spelling in group)
        if name in folded:
            return folded
    head, slash, tail = name.partition("/")
    return frozenset(h + slash + tail for h in (head, head + "s", head.removesuffix("s")))


def _is_thing(typed: str, unit: str) -> bool:
    name = _bare(typed).casefold()
    if name in ("", "个", "次"):
        return True
    counted = re.sub("^[个次条]", "", name)
    return bool({name, counted} & spellings(unit)) or (not unit and counted in ANY_THING)


def factors(typed: str, unit: str) -> tuple[Fraction, ...]:
    """Return by what a number before `typed` (cleaned) is to be multiplied to be in `unit`; () if by nothing.

    >>> factors("MiB", "KiB"), factors("ns", "µs"), factors("K", "wavefronts"), factors("ms", "wavefronts")
    ((Fraction(1024, 1),), (Fraction(1, 1000),), (Fraction(1000, 1), Fraction(1024, 1)), ())
    """
    if len(typed) > MAX_UNIT_CHARS:
        return ()
    if not typed or _bare(typed) == _bare(clean(unit)):
        return (Fraction(1),)
    wanted = senses(clean(unit)) if unit else [("share", Fraction(1))]
    if wanted:
        kind, base = wanted[0]
        prefixed = typed + BASE[kind] if kind in BASE and typed in (*SI, *BINARY, "K") else typed
        found = tuple(factor / base for k, factor in senses(prefixed) if k == kind)
        if found:
            return found
    if not unit or not wanted:  # a thing counted, or a plain number
        if _is_thing(typed, unit):
            return (Fraction(1),)
        for prefix, values in COUNTED.items():
            if typed.startswith(prefix) and _is_thing(typed.removeprefix(prefix), unit):
                return tuple(map(Fraction, values))
    for word, times in WORDS.items():
        if typed.startswith(word):
            return tuple(times * factor for factor in factors(typed.removeprefix(word).lstrip(), unit))
    return ()


def known(typed: str) -> bool:
    """Say whether this is a unit at all."""
    return bool(senses(typed)) or _bare(typed).casefold() in ANY_THING
