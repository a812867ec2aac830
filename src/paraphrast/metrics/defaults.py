"""How often and from which seed to resample, unless told otherwise.

The seed is sacrebleu's, so that the resamples are too. They stand apart from
`estimators.bootstrap` because the command line shows them in its help, without numpy.
"""

from dataclasses import dataclass

RESAMPLES = 1_000
TRIALS = 10_000
SEED = 12345


@dataclass(frozen=True, slots=True)
class Resampling:
    """How the resamples behind an interval are drawn; with 0 there is no interval."""

    resamples: int = RESAMPLES
    seed: int = SEED


RESAMPLING = Resampling()
