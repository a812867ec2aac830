"""Read and write numbers: one per line, or as columns of a table."""

import csv
import math
from collections.abc import Iterable, Sequence

from paraphrast.errors import ParaphrastError, unknown


def read_numbers(lines: Iterable[str], *, where: str) -> list[float]:
    """Read one number per line; ``where`` is the prefix of errors."""
    return [
        _number(line, where=f"{where}:{number}")
        for number, line in enumerate(lines, start=1)
    ]


def read_table(
    lines: Iterable[str], columns: Sequence[str], *, delimiter: str, where: str
) -> list[list[float]]:
    """Read columns of numbers by their names in the header, or by index from 1."""
    try:
        table = list(csv.reader((f"{line}\n" for line in lines), delimiter=delimiter))
    except csv.Error as error:
        raise ParaphrastError(f"{where}: {error}. Check its quotes.") from error
    if not table:
        raise ParaphrastError(f"{where} is empty. Give a table with a header row.")
    header = table[0]
    chosen = [_index(name, header, where=where) for name in columns]
    named = any(not is_number(header[index]) for index in chosen)
    result: list[list[float]] = [[] for _ in chosen]
    for number, row in enumerate(table[named:], start=1 + named):
        for index, values in zip(chosen, result, strict=True):
            if index >= len(row):
                raise ParaphrastError(
                    f"{where}: row {number} has {len(row)} columns, not {len(header)}."
                )
            values.append(_number(row[index], where=f"{where}: row {number}"))
    return result


def table_lines(columns: dict[str, Sequence[float]]) -> Iterable[str]:
    """Write columns as tab-separated lines with a header."""
    yield "\t".join(columns)
    for row in zip(*columns.values(), strict=True):
        yield "\t".join(f"{value:.6g}" for value in row)


def _index(name: str, header: Sequence[str], *, where: str) -> int:
    if name in header:
        return header.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(header):
        return int(name) - 1
    raise ParaphrastError(f"{where}: {unknown('column', name, header)}")


def _number(text: str, *, where: str) -> float:
    if not is_number(text):
        raise ParaphrastError(f"{where}: expected a number, found {text!r}.")
    return float(text)


def is_number(text: str) -> bool:
    """Say whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
