"""The questions that a kernel must answer before it is used, and the answers of a given kernel, found by running it.

Each question is a promise, tried on inputs chosen so that little else can go wrong on them. It is kept if the kernel
passes all of them, broken otherwise. What no run of NumPy can show (barriers, streams, graphs) stays unknown, with the
means that would show it. Passing is evidence and no proof: other inputs may still break a promise.

Structural promises are tried with a tolerance of 1/16: at most 64 terms added up in FP16 are off by less than
64·2⁻¹¹ = 1/32, so rounding cannot pass for a structural fault.

Source: arguments, mask and rounding as in sim/bug_kernels.py and sim/bug_hunt.py; tools: NVIDIA Compute Sanitizer
(racecheck, synccheck); CUDA C++ Programming Guide 13.0, streams and graphs; PyTorch notes on CUDA graphs.
Left out: gradients; speed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sim.bug_hunt import RTOL, judge
from sim.bug_inputs import Case, case, normal
from sim.bug_kernels import Call

STRUCTURAL_RTOL = 1 / 16

Kernel = Callable[[Call], None]


@dataclass(frozen=True, slots=True)
class Question:
    """One promise. ``means``: what shows whether it is kept; for those without ``tried`` that needs a GPU."""

    name: str
    topic: str
    promise: str
    means: str
    tried: bool = True


QUESTIONS = (
    Question("shape", "shape", "takes no rows at all, and a single element", "0 rows; 1 × 1"),
    Question("stride", "stride", "takes rows that lie apart", "rows with a gap of 8"),
    Question("layout", "layout", "takes columns that lie one after the other", "a transposed view"),
    Question("dtype", "dtype", "saturates nowhere in the range of FP16", "±65504, 2⁻²⁴ and −∞ among the scores"),
    Question("alignment", "alignment", "takes any element as the first", "memory that starts 1 element later"),
    Question("tails", "tails", "takes any size and writes nothing past it", "13 × 13; 7 × 7"),
    Question("causal", "mask", "aligns the causal mask to the last column", "3 rows of 8 columns"),
    Question("masked_row", "mask", "gives zeros for a row with nothing to see", "a row masked whole"),
    Question("masked_nan", "mask", "lets nothing through that the mask hides", "a NaN under the mask"),
    Question("nan", "mask", "passes on a NaN that can be seen", "a NaN in view"),
    Question(
        "accumulation", "accumulation and rounding", "adds up in FP32, rounds once", "one weight of 1 and 31 of e⁻⁸"
    ),
    Question("repeated_rows", "aliasing", "takes the same row several times", "16 rows out of 8"),
    Question("only_out", "aliasing", "changes no memory but its output's", "the scores, compared bit by bit"),
    Question("determinism", "determinism", "gives the same bits every time", "two runs on the same input"),
    Question("barriers", "barriers", "waits where threads share memory", "racecheck and synccheck", False),
    Question(
        "streams", "streams", "runs on the caller's stream and waits for no other", "a trace of two streams", False
    ),
    Question("graph", "graph safety", "can be captured and replayed on new contents", "capture, change, replay", False),
    Question("random", "determinism", "replays its random numbers from seed and offset", "two graph replays", False),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What running found: the promise is kept (True), broken (False), or cannot be tried here (None)."""

    question: Question
    kept: bool | None


def check(kernel: Kernel, seed: int = 0) -> tuple[Answer, ...]:
    """Every question of `QUESTIONS`, answered for ``kernel``; random scores from ``seed``, 0 to 2³² − 1, or ValueError.

    An exception that the kernel raises is the caller's to see.

    >>> from sim.bug_kernels import run
    >>> card = check(lambda call: run("wrong_stride", call))
    >>> [answer.question.name for answer in card if answer.kept is False]
    ['stride', 'layout']
    """
    kept: dict[str, bool] = {}
    for name, cases in _cases(seed).items():
        rtol = RTOL if name == "accumulation" else STRUCTURAL_RTOL
        kept[name] = not any(judge(kernel, each, rtol).exposed for each in cases)
    plain = case(normal(8, 8, seed))
    kept["only_out"] = judge(kernel, plain).input_changed == 0
    outputs = []
    for _ in range(2):
        call = plain.call()
        kernel(call)
        outputs.append(call.out.tobytes())
    kept["determinism"] = outputs[0] == outputs[1]
    return tuple(Answer(question, kept.get(question.name)) for question in QUESTIONS)


def grade(answers: Mapping[str, bool], card: tuple[Answer, ...]) -> dict[str, bool | None]:
    """Whether each of a reader's answers (question name → kept) is what was found; None where nothing was tried.

    ValueError for a name that is no question's, and for an answer that is neither True nor False.
    """
    found = {answer.question.name: answer.kept for answer in card}
    for name, answer in answers.items():
        if name not in found:
            raise ValueError(f"there is no question {name!r}; there are {', '.join(found)}")
        if type(answer) is not bool:
            raise ValueError(f"the answer to {name} is {answer!r}; it must be True or False")
    return {name: None if found[name] is None else answer == found[name] for name, answer in answers.items()}


def _cases(seed: int) -> dict[str, tuple[Case, ...]]:
    """The inputs of every question that a comparison of outputs answers."""
    plain, square = normal(8, 8, seed), normal(16, 16, seed)
    extreme = plain.copy()
    extreme[:, :4] = [65504.0, -65504.0, 2.0**-24, -np.inf]
    hidden = plain.copy()
    hidden[3, 1] = np.nan
    one_row = np.full((8, 8), True)
    one_row[5] = False
    # e^-8 is less than half of FP16's step above 1: a sum in FP16 stays at 1, and misses up to 1 %
    small = np.full((32, 32), -8.0)
    small[:, 0] = 0.0
    return {
        "shape": (case(plain[:0]), case(plain[:1, :1])),
        "stride": (case(plain, gap=8),),
        "layout": (case(plain, transposed=True),),
        "dtype": (case(extreme),),
        "alignment": (case(plain, base=1),),
        "tails": (case(square[:13, :13]), case(plain[:7, :7])),
        "causal": (case(plain[:3]),),
        "masked_row": (case(plain, keep=one_row),),
        "masked_nan": (case(hidden, keep=~np.isnan(hidden)),),
        "nan": (case(hidden),),
        "accumulation": (case(small),),
        "repeated_rows": (case(square[:8], rows=np.arange(16) % 8),),
    }
