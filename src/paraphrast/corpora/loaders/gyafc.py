"""GYAFC from the user's own copy, which Yahoo and its authors license.

The folder is laid out as its authors send it: a domain, a part, and in it the files
``informal`` and ``formal``, for tune and test also four references a direction::

    Entertainment_Music/train/{informal,formal}
    Family_Relationships/test/{informal,formal.ref0,…,formal.ref3,
                               formal,informal.ref0,…,informal.ref3}
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from paraphrast.corpora.catalogue import entry
from paraphrast.corpora.lines import read_columns
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

Style: TypeAlias = Literal["informal", "formal"]

DOMAINS = ("Entertainment_Music", "Family_Relationships")
REFERENCES = 4


@dataclass(frozen=True, slots=True)
class Referenced:
    """A sentence to rewrite, with four people's rewrites."""

    source: str
    references: tuple[str, ...]


def train(folder: Path, domain: str, *, to: Style = "formal") -> Iterator[Pair]:
    """Yield the training pairs of a domain, the side to write second."""
    part = _part(folder, domain, "train")
    return (Pair(*row) for row in read_columns([part / _other(to), part / to]))


def evaluation(
    folder: Path, domain: str, split: Literal["tune", "test"], *, to: Style = "formal"
) -> list[Referenced]:
    """Return the sentences of tune or test with their references."""
    if split not in ("tune", "test"):
        raise unknown("part", split, ("tune", "test"))
    part = _part(folder, domain, split)
    references = [part / f"{to}.ref{number}" for number in range(REFERENCES)]
    rows = read_columns([part / _other(to), *references])
    return [Referenced(source, tuple(texts)) for source, *texts in rows]


def _part(folder: Path, domain: str, split: str) -> Path:
    if domain not in DOMAINS:
        raise unknown("domain", domain, DOMAINS)
    part = folder / domain / split
    if not part.is_dir():
        raise ParaphrastError(
            f"{folder} has no folder {domain}/{split}. Give the folder that holds "
            f"{' and '.join(DOMAINS)}. To get the corpus: {entry('gyafc').ask}"
        )
    return part


def _other(style: Style) -> Style:
    return "informal" if style == "formal" else "formal"
