"""The interval of a proportion."""

from math import sqrt

Z = 1.959963984540054  # 97.5% of a normal distribution lie below


def wilson_interval(share: float, trials: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a proportion (0 to 1) of independent trials.

    Unlike the bootstrap interval, it has a positive width even if the proportion is 0
    or 1.
    """
    if trials < 1 or not 0 <= share <= 1:
        raise ValueError(f"a share of {share} of {trials} trials has no interval.")
    square = Z * Z / trials
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * sqrt(share * (1 - share) / trials + square / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
