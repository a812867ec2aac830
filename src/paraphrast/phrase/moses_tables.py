"""Moses' phrase tables as text: ``f ||| e ||| scores ||| links ||| counts``.

Files that end in .gz are compressed. Scores are probabilities; four of them are the
standard ones, and a fifth that is e (2.718) in every row is the phrase penalty, which
our decoder has built in. Counts are c(e) c(f) c(f, e), of which the last is kept. Moses
escapes its special characters as entities (``&#124;`` for ``|``); they are unescaped
when read, and escaped when written where necessary.

A reordering table, ``f ||| e ||| six scores`` (msd-bidirectional-fe), belongs to it.
"""

import gzip
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TypeAlias

from paraphrast.align.formats.spelling import read_cells
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import from_options
from paraphrast.phrase.table import LONGEST, STANDARD, Option, PhraseTable
from paraphrast.storage import atomic

Key: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
SEPARATOR = "|||"
MOST = 5_000_000
# What Moses' tokeniser writes, and an older spelling; the ampersand comes last.
ENTITIES = {
    "&#124;": "|",
    "&bar;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&apos;": "'",
    "&quot;": '"',
    "&#91;": "[",
    "&#93;": "]",
    "&bra;": "[",
    "&ket;": "]",
    "&amp;": "&",
}


def read(
    path: Path,
    *,
    reordering: Path | None = None,
    scores: Sequence[str] | None = None,
    most: int = MOST,
) -> PhraseTable:
    """Read a table, and its reordering table if there is one.

    ``scores`` names the columns; by default, four are the standard ones and any other
    number of columns is numbered. More than ``most`` rows are refused.
    """
    ways = {} if reordering is None else dict(_reordering(reordering, most))
    rows: list[Option] = []
    lines: dict[Key, int] = {}
    for number, fields in _rows(path, most):
        where = f"{path}:{number}"
        option = _option(fields, where)
        key = option.source, option.target
        if key in lines:
            raise ParaphrastError(
                f"{where}: the same phrase pair as in line {lines[key]}. Keep one."
            )
        lines[key] = number
        if rows and len(option.probabilities) != len(rows[0].probabilities):
            raise ParaphrastError(
                f"{where}: {len(option.probabilities)} scores, but "
                f"{len(rows[0].probabilities)} in line 1. Fix the row."
            )
        if reordering is not None:
            if key not in ways:
                raise ParaphrastError(
                    f"{where}: {reordering} lacks this phrase pair. Give two tables "
                    "from the same training run."
                )
            option = replace(option, reordering=ways[key])
        rows.append(option)
    if not rows:
        raise ParaphrastError(f"{path} is empty. Give a table with at least one row.")
    if scores is None:
        rows, scores = _name_scores(rows)
    about = {"method": "read from Moses' format"}
    return from_options(rows, scores=scores, about=about)


def write(table: PhraseTable, path: Path, *, reordering: Path | None = None) -> None:
    """Write a table, and if asked its reordering scores, as Moses reads them."""
    if reordering is not None and not table.has_reordering:
        raise ParaphrastError("the phrase table has no reordering scores to write.")
    by_source: dict[tuple[str, ...], float] = defaultdict(float)
    by_target: dict[tuple[str, ...], float] = defaultdict(float)
    for option in table:
        by_source[option.source] += option.count
        by_target[option.target] += option.count
    with _writer(path) as file:
        for option in table:
            counts = (by_target[option.target], by_source[option.source], option.count)
            links = " ".join(f"{i}-{j}" for i, j in option.links)
            file.write(_line(option, option.probabilities, links, _numbers(counts)))
    if reordering is not None:
        with _writer(reordering) as file:
            for option in table:
                file.write(_line(option, option.reordering))


def _rows(path: Path, most: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(read_lines(path), start=1):
        if number > most:
            raise ParaphrastError(
                f"{path} has more than {most:,} rows. Prune it first, or raise most if "
                "memory allows (about 1 kB per row)."
            )
        fields = [field.strip(" ") for field in line.split(SEPARATOR)]
        if len(fields) < 3:
            raise ParaphrastError(
                f"{path}:{number}: expected phrase ||| phrase ||| scores, found "
                f"{len(fields)} fields. Is it a phrase table in text format?"
            )
        yield number, fields


def _option(fields: list[str], where: str) -> Option:
    source, target = _words(fields[0]), _words(fields[1])
    if not source:
        raise ParaphrastError(f"{where}: the source phrase is empty. Drop the row.")
    if max(len(source), len(target)) > LONGEST:
        raise ParaphrastError(
            f"{where}: a phrase has more than {LONGEST} words. Drop the row."
        )
    links = tuple(read_cells(fields[3], where)) if len(fields) > 3 else ()
    if any(i >= len(source) or j >= len(target) for i, j in links):
        raise ParaphrastError(f"{where}: a link is outside the phrases. Fix the row.")
    count = 0.0
    if len(fields) > 4 and fields[4]:
        # Moses writes c(e) c(f) c(f, e); some tools leave the last one out.
        counts = _floats(fields[4], where)
        count = counts[2] if len(counts) > 2 else 0.0
    scores = _positive(fields[2], where)
    return Option(source, target, scores, links=links, count=count)


def _reordering(path: Path, most: int) -> Iterator[tuple[Key, tuple[float, ...]]]:
    for number, fields in _rows(path, most):
        where = f"{path}:{number}"
        scores = _positive(fields[2], where)
        if len(scores) != 6:
            raise ParaphrastError(
                f"{where}: {len(scores)} scores where msd-bidirectional-fe has 6. "
                "Other reordering models are not read."
            )
        yield (_words(fields[0]), _words(fields[1])), scores


def _name_scores(rows: list[Option]) -> tuple[list[Option], Sequence[str]]:
    """Name the scores, without the constant penalty of older tables."""
    columns = len(rows[0].probabilities)
    if columns == len(STANDARD) + 1 and all(
        abs(row.probabilities[-1] - math.e) < 0.01 for row in rows
    ):
        rows = [replace(row, probabilities=row.probabilities[:-1]) for row in rows]
        columns -= 1
    if columns == len(STANDARD):
        return rows, STANDARD
    if columns == 1:
        return rows, ("phrase",)
    return rows, [f"score {number}" for number in range(1, columns + 1)]


def _words(field: str) -> tuple[str, ...]:
    if "&" in field:
        for entity, character in ENTITIES.items():
            field = field.replace(entity, character)
    return tuple(word for word in field.split(" ") if word)


def _floats(field: str, where: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(number) for number in field.split())
    except ValueError as error:
        raise ParaphrastError(f"{where}: {field!r} are not numbers.") from error
    if not all(0 <= number < math.inf for number in numbers):
        raise ParaphrastError(f"{where}: {field!r} must be 0 or above, and finite.")
    return numbers


def _positive(field: str, where: str) -> tuple[float, ...]:
    numbers = _floats(field, where)
    if not numbers or 0 in numbers:
        raise ParaphrastError(
            f"{where}: scores must be above 0, but are {field!r}. Drop the row."
        )
    return numbers


def _line(option: Option, scores: Sequence[float], *more: str) -> bytes:
    phrases = _escape(option.source), _escape(option.target)
    return f" {SEPARATOR} ".join([*phrases, _numbers(scores), *more]).encode() + b"\n"


def _escape(words: Sequence[str]) -> str:
    for word in words:
        if " " in word or "\n" in word:
            raise ParaphrastError(
                f"the word {word!r} contains a space, which Moses' format does not "
                "allow."
            )
    return " ".join(words).replace("&", "&amp;").replace("|", "&#124;")


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)


@contextmanager
def _writer(path: Path) -> Iterator[BinaryIO]:
    with atomic.bytes_writer(path) as file:
        if path.suffix == ".gz":
            # No name and no time inside, so that the same table is the same file.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file
