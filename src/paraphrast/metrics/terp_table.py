"""Paraphrases for TERp, with probabilities.

A table comes from rows or from a file that ``paraphrast paraphrases export`` wrote:
tab-separated phrase, paraphrase, probability and context. Either side may be in the
reference, and of several probabilities the largest counts. (A plain mapping, because
TERp looks up both directions and metrics may not import `paraphrases.table`.)
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from paraphrast.errors import ParaphrastError

Phrase: TypeAlias = tuple[str, ...]

LONGEST = 8  # words of a phrase that is looked up


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Probabilities of paraphrases, by phrase; make one with `table` or `read`."""

    rows: Mapping[Phrase, Mapping[Phrase, float]] = field(repr=False)
    signature: str

    def find_paraphrases(
        self, output: Sequence[str], reference: Sequence[str]
    ) -> Iterator[tuple[Phrase, Phrase, float]]:
        """Yield the phrases of the output that have paraphrases in the reference."""
        wanted = _phrases(reference)
        for phrase in _phrases(output):
            for other, probability in self.rows.get(phrase, {}).items():
                if other in wanted:
                    yield phrase, other, probability


def table(rows: Iterable[tuple[str, str, float]]) -> PhraseTable:
    """Index rows of phrase, paraphrase and probability, both ways, in lower case."""
    costs: dict[Phrase, dict[Phrase, float]] = {}
    for first, second, probability in rows:
        here, there = tuple(first.lower().split()), tuple(second.lower().split())
        if not here or not there or here == there:
            continue
        for left, right in ((here, there), (there, here)):
            row = costs.setdefault(left, {})
            row[right] = max(row.get(right, 0.0), probability)
    sha = hashlib.sha256()
    for phrase in sorted(costs):
        sha.update(f"{phrase} {sorted(costs[phrase].items())}\n".encode())
    return PhraseTable(costs, f"paraphrases-{sha.hexdigest()[:16]}")


EMPTY = table(())


@lru_cache(maxsize=4)
def read(path: Path) -> PhraseTable:
    """Read a table that ``paraphrases export`` wrote as TSV."""
    return table(_rows(path))


def _rows(path: Path) -> Iterator[tuple[str, str, float]]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield _row(line.rstrip("\r\n"), where=f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        raise ParaphrastError(
            f"cannot read the paraphrases {path}: {error}. Write them with "
            "`paraphrast paraphrases export TABLE -o FILE.tsv`."
        ) from error


def _row(line: str, *, where: str) -> tuple[str, str, float]:
    columns = line.split("\t")
    try:
        first, second, number = columns[:3]
        probability = float(number)
    except ValueError:
        raise ParaphrastError(
            f"{where}: expected phrase, paraphrase and probability separated by tabs, "
            f"found {line[:60]!r}."
        ) from None
    if not 0 < probability <= 1:
        raise ParaphrastError(
            f"{where}: the probability {number} is not between 0 and 1."
        )
    return first, second, probability


def _phrases(words: Sequence[str]) -> set[Phrase]:
    return {
        tuple(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + LONGEST) + 1)
    }
