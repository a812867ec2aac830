"""Blind sheets for readers: outputs of several systems, shuffled and anonymous.

Identical outputs for a text are listed once. Readers fill in the empty columns; the
key, which is kept separately, names the systems. If readers are to compare, the outputs
for the same text are together.
"""

import csv
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic
from paraphrast.study import reading

NUMBER = "number"
KEY = "key.jsonl"
SHOWN = (NUMBER, "target", "source", "output")


@dataclass(frozen=True, slots=True)
class Output:
    """An output of some systems for the text ``item``; ``number`` is its number."""

    number: int
    item: str
    kind: str
    target: str
    source: str
    output: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A completed row of a sheet, and its location."""

    number: int
    annotator: str
    row: Mapping[str, str]
    where: str


def gather_outputs(paths: Iterable[Path], *, seed: int) -> list[Output]:
    """Read rows of item, system, target, source and output, and shuffle them.

    Rows may have a ``kind``. Identical outputs for one text and target are merged.
    """
    systems: dict[tuple[str, str, str, str, str], dict[str, str]] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            names = (reading.ITEM, "target", "source", "output")
            item, target, source, output = (
                reading.read_column(row, name, where) for name in names
            )
            key = (item, row.get("kind", ""), target, source, " ".join(output.split()))
            made_by = systems.setdefault(key, {})
            system = reading.read_column(row, "system", where)
            if system in made_by:
                raise ParaphrastError(
                    f"{where}: system {system!r} has this output for item {item!r} "
                    f"twice (first at {made_by[system]}). Keep one of the two."
                )
            made_by[system] = where
    keys = sorted(systems)
    random.Random(seed).shuffle(keys)
    return [
        Output(number, *key, tuple(sorted(systems[key])))
        for number, key in enumerate(keys, start=1)
    ]


def keep_together(outputs: Sequence[Output]) -> list[Output]:
    """Renumber outputs, with those for the same text and target adjacent."""
    groups: dict[tuple[str, str], list[Output]] = {}
    for output in outputs:
        groups.setdefault((output.item, output.target), []).append(output)
    order = (output for group in groups.values() for output in group)
    return [replace(output, number=at) for at, output in enumerate(order, start=1)]


def write_sheets(
    outputs: Sequence[Output], folder: Path, *, columns: Sequence[str], rows: int
) -> list[str]:
    """Write blind sheets and the key into a new folder; return the sheets' names.

    A sheet has ``rows`` outputs; adjacent outputs for the same text are not separated,
    so that it may have a few less.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParaphrastError(f"{folder}: already exists. Name a new folder.")
    names = []
    with atomic.new_folder(folder) as new:
        for number, sheet in enumerate(_divide(outputs, rows), start=1):
            names.append(f"sheet-{number:02}.tsv")
            with atomic.writer(new / names[-1]) as file:
                table = csv.writer(file, delimiter="\t", lineterminator="\n")
                table.writerow([*SHOWN, *columns])
                for output in sheet:
                    cells = [getattr(output, name) for name in SHOWN]
                    table.writerow([*cells, *("" for _ in columns)])
        with atomic.writer(new / KEY) as file:
            for output in outputs:
                file.write(write_key_row(output))
    return names


def write_key_row(output: Output) -> str:
    """Return a line of the key."""
    return json.dumps(asdict(output), ensure_ascii=False) + "\n"


def read_key(path: Path) -> list[Output]:
    """Read the key of sheets."""
    outputs = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            outputs.append(Output(**{**row, "systems": tuple(row["systems"])}))
        except (ValueError, TypeError, KeyError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a row of a key ({error}). Give the {KEY} that "
                "`paraphrast study sheet` wrote."
            ) from error
    return outputs


def read_filled(paths: Iterable[Path]) -> Iterator[Filled]:
    """Yield the rows of completed sheets.

    Without a column ``annotator`` the reader is the file's name up to its first dot. An
    output that a reader rated twice is refused.
    """
    seen: set[tuple[str, int]] = set()
    for path in paths:
        for where, row in reading.read_rows(path):
            text = reading.read_column(row, NUMBER, where)
            if not text.isdecimal():
                raise ParaphrastError(f"{where}: {NUMBER} is {text!r}, not a number.")
            annotator = row.get(reading.ANNOTATOR) or path.name.partition(".")[0]
            if (annotator, int(text)) in seen:
                raise ParaphrastError(
                    f"{where}: annotator {annotator!r} marked output {text} twice. "
                    "Keep one of the two."
                )
            seen.add((annotator, int(text)))
            yield Filled(int(text), annotator, row, where)


def _divide(outputs: Sequence[Output], rows: int) -> Iterator[list[Output]]:
    """Yield sheets with a maximum number of outputs, or one text's if that is more."""
    sheet: list[Output] = []
    for _, group in groupby(outputs, lambda output: (output.item, output.target)):
        together = list(group)
        if sheet and len(sheet) + len(together) > rows:
            yield sheet
            sheet = []
        sheet += together
    if sheet:
        yield sheet
