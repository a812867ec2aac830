"""Student's t: how likely is a value this far from zero?

The incomplete beta function by its continued fraction (Lentz's method); it spares
the core a dependency on scipy, with which the tests compare it.
"""

import math

_STEPS = 500
_ENOUGH = 1e-15
_TINY = 1e-300


def two_sided_p(t: float, degrees: float) -> float:
    """Return the chance of a value at least as far from zero as ``t``."""
    whole = degrees + t * t
    return _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return I_x(a, b), where ``rest`` is 1 - x to all its digits."""
    if x == 0 or rest == 0:
        return float(rest == 0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - _incomplete_beta(b, a, rest, x)
    front = math.exp(
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log(rest)
    )
    return front * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    above, below = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = below
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below = 1 / _apart(1 + term * below)
            above = _apart(1 + term / above)
            value *= above * below
        if abs(above * below - 1) < _ENOUGH:
            break
    return value


def _apart(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
