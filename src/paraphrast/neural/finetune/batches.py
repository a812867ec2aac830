"""The order of training examples: batches of similar length, new in each epoch.

Examples are shuffled, sorted by length within pools, split into batches by number of
tokens, and the batches shuffled: there is little padding, and yet no order repeats. The
order is a function of the seed and the epoch, so that a run can be resumed.
"""

import random
from collections.abc import Iterator, Sequence

POOL = 1 << 14  # examples sorted together


def plan(
    lengths: Sequence[int], most: int, *, seed: int, epoch: int
) -> list[list[int]]:
    """Return the indices of the examples of each batch of an epoch."""
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


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the indices of texts of similar length, longest first.

    A batch has at most ``most`` tokens, including padding, and at least one text.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batch: list[int] = []
    for index in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
