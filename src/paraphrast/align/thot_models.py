"""Directional alignment models of the library sil-thot.

A model links each target word to at most one source word. Later models start from the
tables of earlier ones, as Brown et al. (1993) and GIZA++ have it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from thot import alignment as thot
from threadpoolctl import threadpool_limits

from paraphrast.align.base import WordPair
from paraphrast.align.links import Cells
from paraphrast.align.statistical import BLANK
from paraphrast.errors import ParaphrastError

STAGES: dict[str, tuple[type[thot.AlignmentModel], ...]] = {
    "ibm1": (thot.Ibm1AlignmentModel,),
    "ibm2": (thot.Ibm1AlignmentModel, thot.Ibm2AlignmentModel),
    "hmm": (thot.Ibm1AlignmentModel, thot.HmmAlignmentModel),
    "ibm4": (
        thot.Ibm1AlignmentModel,
        thot.HmmAlignmentModel,
        thot.Ibm4AlignmentModel,
    ),
    "fast-align": (thot.FastAlignModel,),
    "eflomal": (thot.EflomalAlignmentModel,),
}
# thot keeps its own names for these.
RESERVED = {"NULL", "UNKNOWN_WORD", "<UNUSED_WORD>"}


def train(
    name: str, pairs: Iterable[WordPair], *, iterations: int, seed: int
) -> thot.AlignmentModel:
    """Train a model, and those it is initialised from, for this many iterations each.

    eflomal samples, and chooses the number of samples by the size of the text; the seed
    makes it reproducible. The others are reproducible because they run on one thread:
    with several, thot sums in an undefined order.
    """
    first, *later = STAGES[name]
    model = first()
    for source, target in pairs:
        model.add_sentence_pair(_fit(source), _fit(target))
    with threadpool_limits(None if name == "eflomal" else 1, user_api="openmp"):
        _run(model, iterations, seed)
        for stage in later:
            # thot alone knows which models one may start from.
            start: Any = stage
            model = start(model)
            _run(model, iterations, seed)
    return model


def align(
    model: thot.AlignmentModel,
    sources: Sequence[Sequence[str]],
    targets: Sequence[Sequence[str]],
) -> list[Cells]:
    """Return the likeliest cells of each pair."""
    result = model.get_best_alignments(
        [_fit(words) for words in sources], [_fit(words) for words in targets]
    )
    return [
        frozenset((i, j) for i, j in np.argwhere(matrix.to_numpy()).tolist())
        for _, matrix in result
    ]


def save(model: thot.AlignmentModel, prefix: Path) -> None:
    """Write a model's files, all of which begin with ``prefix``."""
    if not model.print(str(prefix)):
        raise ParaphrastError(f"cannot write {prefix}.*. Free some space.")
    # thot would carry the training text along; it loads without.
    for ending in ("src", "trg", "srctrgc"):
        Path(f"{prefix}.{ending}").write_bytes(b"")


def load(name: str, prefix: Path) -> thot.AlignmentModel:
    """Read a model that `save` wrote."""
    model = STAGES[name][-1]()
    if not model.load(str(prefix)):
        raise ParaphrastError(f"cannot read {prefix}.* as a model of {name}.")
    return model


def _run(model: thot.AlignmentModel, iterations: int, seed: int) -> None:
    if isinstance(model, thot.EflomalAlignmentModel):
        model.seed, model.deterministic = seed, True
    model.start_training()
    if isinstance(model, thot.EflomalAlignmentModel):
        iterations = model.scheduled_iterations
    for _ in range(iterations):
        model.train()
    model.end_training()


def _fit(words: Iterable[str]) -> list[str]:
    return [
        f"{word}{BLANK}" if word in RESERVED else BLANK.join(word.split()) or BLANK
        for word in words
    ]
