"""formality: the sources of the open formality corpus, and unlabelled text.

A part such as ``train:formal`` is assembled with `everyday`, which comes with
paraphrast: texts to be rewritten as formal, each with its first reference.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from paraphrast.corpora.catalogue import locate
from paraphrast.corpora.formality import STYLES, Assembled, assemble
from paraphrast.corpora.formality.sources import SPLITS
from paraphrast.corpora.lines import read_texts
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

UNLABELLED = (
    *("goemotions", "topical-chat", "nus-sms"),
    *("counselchat-family-questions", "counselchat-family-answers"),
)


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield the pairs of a part such as ``train:formal``, shippable sources only."""
    part, _, to = split.partition(":")
    for style in STYLES:
        if part in SPLITS and to == style:
            rows = _assemble(folder).select(style, part)
            return (Pair(row.text, row.references[0]) for row in rows)
    raise ParaphrastError(
        f"{name} has no part {split!r}. Name a split ({', '.join(SPLITS)}) and the "
        "style to write, as in train:formal."
    )


def texts_of(folder: Path, name: str, split: str) -> Iterator[str]:
    """Yield unlabelled text: comments, chat, messages, questions and answers."""
    if split not in UNLABELLED:
        raise unknown("text", split, UNLABELLED)
    return read_texts(folder / "unlabelled" / f"{split}.txt.xz")


@lru_cache(maxsize=1)
def _assemble(folder: Path) -> Assembled:
    return assemble(locate("everyday"), folder)
