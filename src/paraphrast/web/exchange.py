"""Files in and out: sentence pairs, alignments, outputs to judge.

Uploads are written to a temporary folder under safe names, and read by the same code as
files on the command line; errors use the user's file name.
"""

import csv
import io
import random
import string
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TypeAlias

from paraphrast.align.base import AlignedPair
from paraphrast.align.formats import FORMATS, read_alignments, read_words
from paraphrast.align.rows import form_of, read_rows
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.study import reading, sheets
from paraphrast.web.annotation import alignment
from paraphrast.web.database.tables import Item

PAIRS = "pairs"
PAIR_FORMATS = (PAIRS, *FORMATS)
GOLD = "gold "
SEED = 1
LONGEST_NAME = 500
WRITTEN = (".tsv", ".csv", ".jsonl", ".ndjson")

Known: TypeAlias = tuple[str, str, str]  # item, target, output


@dataclass(frozen=True)
class Upload:
    """A file as a browser sends it."""

    name: str
    content: BinaryIO


@contextmanager
def saved(*uploads: Upload) -> Iterator[list[Path]]:
    """Yield the uploads as files; errors use the user's file names."""
    with TemporaryDirectory(prefix="paraphrast-upload-") as folder:
        paths = []
        for number, upload in enumerate(uploads):
            own = Path(folder, str(number))
            own.mkdir()
            paths.append(own / safe_name(upload.name))
            with paths[-1].open("wb") as file:
                while block := upload.content.read(2**20):
                    file.write(block)
        try:
            yield paths
        except ParaphrastError as error:
            message = str(error)
            for path in paths:
                message = message.replace(str(path), path.name)
            raise ParaphrastError(message) from error
        except UnicodeDecodeError as error:
            raise ParaphrastError("the file is not UTF-8. Save it as UTF-8.") from error


def read_pairs(
    paths: Sequence[Path], *, format: str, tokenized: bool = False
) -> list[AlignedPair]:
    """Read sentence pairs or alignments; formats without words need two more files."""
    if format not in PAIR_FORMATS:
        raise unknown("format of alignments", format, PAIR_FORMATS)
    if format == PAIRS:
        pairs = list(_read_bare(paths[0], tokenized=tokenized))
    elif not FORMATS[format].HAS_WORDS:
        if len(paths) != 3:
            raise ParaphrastError(
                f"{format} has links but no words. Choose the files of the source and "
                "target words, too."
            )
        words = read_words(*paths[1:])
        pairs = list(read_alignments(paths[0], format=format, words=words))
    else:
        pairs = list(read_alignments(paths[0], format=format))
    named = [
        replace(pair, name=pair.name or str(number))
        for number, pair in enumerate(pairs, start=1)
    ]
    for pair in named:
        check_pair(pair)
    if not named:
        raise ParaphrastError("the file has no sentence pairs.")
    return named


def make_pair_items(pairs: Iterable[AlignedPair], *, gold: bool = False) -> list[Item]:
    """Return sentence pairs as items; their links are initial links, or gold.

    A pair without links gets automatic ones when somebody starts to work on it.
    """
    items = []
    for pair in pairs:
        base = alignment.make_base(pair)
        links = base.pop("links")
        keeps = links and not gold
        items.append(
            Item(
                name=pair.name,
                content=base | ({"links": links} if keeps else {}),
                gold={"links": links} if gold else None,
            )
        )
    return items


def write_pairs(pairs: Sequence[AlignedPair], format: str) -> tuple[str, bytes]:
    """Return a file's name and content; formats without words come zipped with them."""
    if format not in FORMATS:
        raise unknown("format of alignments", format, FORMATS)
    module = FORMATS[format]
    text = "".join(module.write(pairs))
    name = f"alignments{module.SUFFIXES[0]}"
    if module.HAS_WORDS:
        return name, text.encode()
    for number, pair in enumerate(pairs, start=1):
        _check_words(pair, number)
    files = {name: text}
    for side in alignment.SIDES:
        lines = (" ".join(getattr(pair, side)) + "\n" for pair in pairs)
        files[f"{side}.txt"] = "".join(lines)
    return "alignments.zip", make_zip(files)


def make_zip(files: Mapping[str, str]) -> bytes:
    """Return files as a zip; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def read_outputs(
    paths: Sequence[Path], *, target: str, source: Path | None = None
) -> list[sheets.Output]:
    """Read outputs to judge.

    Without a ``source`` the files are tables of item, system, target, source and
    output; with one, they are text files parallel to it, as ``metrics compare`` reads
    them, each called by its system.
    """
    if source is None:
        return sheets.gather_outputs(paths, seed=SEED)
    columns = {path.name.partition(".")[0]: list(read_lines(path)) for path in paths}
    sources = list(read_lines(source))
    if len(columns) < len(paths):
        raise ParaphrastError(
            "two files have the same name. Name each after its system."
        )
    for name, lines in columns.items():
        if len(lines) != len(sources):
            raise ParaphrastError(
                f"{name} has {len(lines):,} lines and the source {len(sources):,}. "
                "Line by line, they must belong together."
            )
    return gather_outputs(dict(enumerate(sources)), columns, target=target)


def gather_outputs(
    sources: Mapping[int, str], columns: Mapping[str, Sequence[str]], *, target: str
) -> list[sheets.Output]:
    """Return systems' outputs for some lines, which have indices from 0, to judge."""
    rows = [
        {"item": str(index + 1), "system": name, "target": target or "rewrite"}
        | {"source": text, "output": lines[index]}
        for index, text in sources.items()
        for name, lines in columns.items()
    ]
    with TemporaryDirectory() as folder:
        table = Path(folder, "outputs.csv")
        table.write_text(write_table(rows, escape=False), "utf-8")
        return sheets.gather_outputs([table], seed=SEED)


def read_gold(paths: Iterable[Path]) -> dict[Known, dict[str, int]]:
    """Read the gold answers of a table: its columns ``gold CRITERION``."""
    gold: dict[Known, dict[str, int]] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            for column, text in row.items():
                if not column.startswith(GOLD) or not text:
                    continue
                if not text.removeprefix("-").isdecimal():
                    raise ParaphrastError(
                        f"{where}: {column} is {text!r}, which is not a number."
                    )
                key = (row["item"], row["target"], " ".join(row["output"].split()))
                gold.setdefault(key, {})[column.removeprefix(GOLD)] = int(text)
    return gold


def make_judging_items(
    outputs: Sequence[sheets.Output],
    *,
    at_once: str,
    gold: Mapping[Known, Mapping[str, int]] | None = None,
) -> tuple[list[Item], list[str]]:
    """Return items to judge, with one, two or all outputs for a text, and the systems.

    Identical outputs are merged. The systems are in an uninformative order. ``gold``
    has gold answers to some questions about some outputs.
    """
    groups: dict[tuple[str, str], list[sheets.Output]] = {}
    for output in outputs:
        groups.setdefault((output.item, output.target), []).append(output)
    items = []
    for (item, target), together in groups.items():
        sets: Iterable[Sequence[sheets.Output]] = [together]
        if at_once == "one":
            sets = [[output] for output in together]
        elif at_once == "two":
            sets = list(combinations(together, 2))
        for few in sets:
            numbers = " ".join(str(output.number) for output in few)
            suffix = "" if at_once == "all" else f" [{numbers}]"
            name = f"{item} to {target}{suffix}"
            check_name(name)
            check_outputs(few)
            answers = [
                [output.number, question, value]
                for output in few
                for question, value in (gold or {}).get(_identify(output), {}).items()
            ]
            items.append(
                Item(
                    name=name,
                    content={"outputs": [asdict(output) for output in few]},
                    gold={"answers": answers} if answers else None,
                )
            )
    if not items:
        raise ParaphrastError(
            "there is nothing to judge: where two outputs are compared, at least two "
            "systems must differ."
        )
    random.Random(SEED).shuffle(items)
    systems = sorted({name for output in outputs for name in output.systems})
    random.Random(SEED).shuffle(systems)
    return items, systems


def _identify(output: sheets.Output) -> Known:
    return output.item, output.target, output.output


def write_table(rows: Sequence[Mapping[str, Any]], *, escape: bool = True) -> str:
    """Return rows as CSV; text that a spreadsheet would execute is escaped."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        cells = [row.get(name, "") for name in columns]
        table.writerow([_harmless(cell) if escape else cell for cell in cells])
    return buffer.getvalue()


def _harmless(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{cell}"
    return cell


def _read_bare(path: Path, *, tokenized: bool) -> Iterator[AlignedPair]:
    form = form_of(path) if path.name.endswith(WRITTEN) else "tsv"
    for row in read_rows(path, form=form, tokenized=tokenized):
        if row.error:
            raise ParaphrastError(f"{row.where}: {row.error}")
        yield replace(row.pair, links=())


def check_pair(pair: AlignedPair) -> None:
    """Refuse a pair that no page could show."""
    words = max(len(pair.source), len(pair.target))
    if words > alignment.MOST_WORDS:
        raise ParaphrastError(
            f"pair {pair.name!r} has {words} words on a side, and at most "
            f"{alignment.MOST_WORDS} can be shown. Split it."
        )
    check_name(pair.name)
    if not (pair.source and pair.target):
        raise ParaphrastError(f"pair {pair.name!r} has an empty side. Leave it out.")
    if "\0" in "".join((pair.name, *pair.source, *pair.target)):
        raise ParaphrastError(f"pair {pair.name!r} has a NUL character. Remove it.")


def check_name(name: str) -> None:
    """Refuse a name that an item cannot have."""
    if "\0" in name:
        raise ParaphrastError(f"the name {name[:40]!r} has a NUL character. Remove it.")
    if len(name) > LONGEST_NAME:
        raise ParaphrastError(
            f"the name {name[:40]!r}… has more than {LONGEST_NAME} characters. Choose "
            "a shorter one."
        )


def check_outputs(outputs: Sequence[sheets.Output]) -> None:
    """Refuse more outputs at once than there are letters to show them under."""
    most = len(string.ascii_uppercase)
    if len(outputs) > most:
        raise ParaphrastError(
            f"there are {len(outputs)} different outputs for text "
            f"{outputs[0].item[:40]!r}, and at most {most} can be shown at once."
        )


def _check_words(pair: AlignedPair, number: int) -> None:
    from paraphrast.align.formats.spelling import write_words

    write_words(pair, number)


def safe_name(name: str) -> str:
    """Return the last part of a name, in letters that no file system minds."""
    last = PurePosixPath(name.replace("\\", "/")).name
    kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in last)
    return kept.strip(". ")[-100:] or "file"
