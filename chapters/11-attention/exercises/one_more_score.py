"""The row of 9.5, weights 1 : 2 of values 1 and 3, with one more score: ln 4, value 5."""

from math import log

from sim.online_softmax import State, simulate
from widgets.lab import Number

SCORES, VALUES = [log(1), log(2), log(4)], [1.0, 3.0, 5.0]
ROW = simulate(SCORES, VALUES, 1)
STEP = ROW.steps[-1]
OLD, NEW = STEP.before, STEP.after


def answer() -> Number:
    """Return the output of the longer row."""
    return Number(ROW.result, digits=2)


def mistakes() -> dict[str, float]:
    """Return the outputs of sums that are not rescaled, or not both, and two means, to two decimals."""
    add_l, add_u = STEP.weights[0], STEP.weights[0] * VALUES[-1]
    outputs = {
        "no_rescale": State(0.0, OLD.denominator + add_l, OLD.numerator + add_u).output,
        "only_l": State(0.0, NEW.denominator, OLD.numerator + add_u).output,
        "only_u": State(0.0, OLD.denominator + add_l, NEW.numerator).output,
        "outputs": (OLD.output + VALUES[-1]) / 2,
        "plain": sum(VALUES) / len(VALUES),
    }
    return {key: round(output, 2) for key, output in outputs.items()}  # as an answer is written, and printed
