"""How often and from which seed to resample, unless told otherwise.

The seed is sacrebleu's, so that the resamples are too. They stand apart from
`estimators.bootstrap` because the command line shows them in its help, without numpy.
"""

RESAMPLES = 1_000
TRIALS = 10_000
SEED = 12345
