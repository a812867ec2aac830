"""Packed weights of a trained encoder, as `training.judge.assemble` reads them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.training.exporting import Weights

_MPNET_MARKS = ("<s>", "<pad>", "</s>", "<unk>")


def mpnet_vocabulary(tokens: Sequence[str]) -> list[str]:
    """Return MPNet's tokens: its own marks around the vocabulary of BERT."""
    return [*_MPNET_MARKS, *tokens, "<mask>"]


def widen_weights(arrays: Weights) -> dict[str, NDArray[np.float32]]:
    """Return weights in single precision from 8 bits and one scale per row."""
    result = {}
    for key, array in arrays.items():
        name, _, kind = key.partition("|")
        if kind == "int8":
            result[name] = array.astype(np.float32) * arrays[f"{name}|scale"]
        elif not kind:
            result[name] = array.astype(np.float32)
    return result
