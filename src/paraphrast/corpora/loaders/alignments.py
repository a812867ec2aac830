"""Manually aligned sentence pairs: edinburgh, msr-rte, mt-reference.

Sentences are tokenised, and a link (i, j) joins ``source.split()[i]`` and
``target.split()[j]``.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar

from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

Links: TypeAlias = frozenset[tuple[int, int]]


class HasName(Protocol):
    """An item that `half_of` can divide."""

    @property
    def name(self) -> str:
        """Return the name, which begins with that of its cluster."""
        ...


Named = TypeVar("Named", bound=HasName)


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """A pair with its sure links and those that are possible but not sure."""

    name: str
    pair: Pair
    sure: Links
    possible: Links


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield the sentence pairs of edinburgh without their links."""
    return (linked.pair for linked in edinburgh(folder, split))


def edinburgh(folder: Path, split: str) -> list[LinkedPair]:
    """Return the corrected pairs of COHN08, ``train`` or ``test``."""
    if split not in ("train", "test"):
        raise unknown("part", split, ("train", "test"))
    sure = read_links(folder / f"gold.{split}.sure.json")
    both = read_links(folder / f"gold.{split}.sure+poss.json")
    # The second file calls all its links sure.
    return [
        LinkedPair(
            only_sure.name, only_sure.pair, only_sure.sure, all_.sure - only_sure.sure
        )
        for only_sure, all_ in zip(sure, both, strict=True)
    ]


def msr_rte(folder: Path, annotator: str) -> list[LinkedPair]:
    """Return the pairs as aligned by annotator A, B or C, or their merge M."""
    if annotator not in "ABCM":
        raise unknown("annotator", annotator, "ABCM")
    return read_links(folder / f"RTE2_dev_{annotator}.align.json")


def mt_reference(folder: Path) -> list[LinkedPair]:
    """Return pairs of translations of the same source."""
    return read_links(folder / "mt-reference.dev.json")


def mt_reference_half(
    folder: Path, half: Literal["train", "score"]
) -> list[LinkedPair]:
    """Return the half of mt-reference to train on, or the one to score on."""
    return half_of(mt_reference(folder), half)


def half_of(pairs: Sequence[Named], half: Literal["train", "score"]) -> list[Named]:
    """Return the pairs to train on, or those to score on.

    Pairs of a cluster, the translations of the same source sentence, are kept together
    (PARAMETRIC §5). A cluster's half is a bit of its name's sha256, so the division is
    the same everywhere.
    """
    wanted = {"train": 0, "score": 1}[half]
    return [
        pair
        for pair in pairs
        if hashlib.sha256(cluster(pair).encode()).digest()[0] % 2 == wanted
    ]


def cluster(pair: HasName) -> str:
    """Return the name of the source sentence that both sides translate."""
    return pair.name.rpartition(".")[0]


def read_links(path: Path) -> list[LinkedPair]:
    """Read a file in jacana's format: a list of pairs with ``i-j`` links."""
    try:
        records = json.loads(path.read_text("utf-8"))
        return [
            LinkedPair(
                record["id"],
                Pair(record["source"], record["target"]),
                _links(record["sureAlign"]),
                _links(record["possibleAlign"]),
            )
            for record in records
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParaphrastError(f"cannot read links from {path}: {error!r}.") from error


def _links(text: str) -> Links:
    pairs = (link.split("-") for link in text.split())
    return frozenset((int(i), int(j)) for i, j in pairs)
