"""The order in which examples are learned: batches of like length, anew each epoch.

Examples are shuffled, sorted by length within pools, cut into batches of so many
tokens, and the batches shuffled: little is padding and yet no order repeats. All of it
follows from the seed and the epoch, so that a stopped run can find its place.
"""

import random
from collections.abc import Sequence

from paraphrast.neural.models.generation import batches

POOL = 1 << 14  # examples sorted together


def plan(
    lengths: Sequence[int], most: int, *, seed: int, epoch: int
) -> list[list[int]]:
    """Return the places of the examples of each batch of an epoch."""
    generator = random.Random(f"{seed}:{epoch}")
    order = list(range(len(lengths)))
    generator.shuffle(order)
    result = []
    for start in range(0, len(order), POOL):
        pool = order[start : start + POOL]
        for batch in batches([lengths[index] for index in pool], most):
            result.append([pool[index] for index in batch])
    generator.shuffle(result)
    return result
