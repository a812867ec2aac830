"""The default number and seed of resamples.

The seed is sacrebleu's, so that the resamples are too. The defaults are not in
`estimators.bootstrap` because the command line shows them in its help, without
importing numpy.
"""

from dataclasses import dataclass

RESAMPLES = 1_000
TRIALS = 10_000
SEED = 12345


@dataclass(frozen=True, slots=True)
class Resampling:
    """The number and seed of the resamples; with 0 there is no interval."""

    resamples: int = RESAMPLES
    seed: int = SEED


RESAMPLING = Resampling()
