"""Drop bad records, repair others, and account for every line.

A record is read, then goes through the checks below in their order, and is kept, kept
after a repair, or dropped for the first reason that applies. ``Report`` adds up: ``read
== kept + sum(dropped.values())``. Memory does not grow with the file, except for
``duplicates="drop"``, which stores eight bytes of digest per record (80 MB for a
million distinct ones).
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from paraphrast.corpora.formats import Format, Malformed, choose, open_outputs
from paraphrast.corpora.lines import read_raw_lines, zip_lines
from paraphrast.errors import ParaphrastError
from paraphrast.text.normalisation import normalise, straighten

REASONS = {
    "not UTF-8": "bytes that are not UTF-8",
    "malformed": "not a record of the format: for example, a wrong number of columns",
    "NUL": "a NUL character",
    "empty": "a side without any text",
    "too long": "a side with more words than allowed",
    "length ratio": "one side longer than allowed, compared with the other",
    "duplicate": "the same texts as an earlier record",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What to drop and what to repair.

    ``max_words`` limits the words per side, and ``max_ratio`` the ratio of the longer
    side to the shorter. ``characters="normalise"`` repairs wrongly decoded text,
    removes invisible characters (NULs too) and replaces white space by single spaces;
    ``quotes="straighten"`` writes quotes, dashes and ellipses in ASCII.
    """

    max_words: int | None = None
    max_ratio: float | None = None
    duplicates: Literal["keep", "drop"] = "keep"
    characters: Literal["keep", "normalise"] = "keep"
    quotes: Literal["keep", "straighten"] = "keep"

    def __post_init__(self) -> None:
        """Refuse limits that would drop everything."""
        if self.max_words is not None and self.max_words < 1:
            raise ParaphrastError(f"max_words must be 1 or more, not {self.max_words}.")
        if self.max_ratio is not None and not self.max_ratio >= 1:
            raise ParaphrastError(f"max_ratio must be 1 or more, not {self.max_ratio}.")


@dataclass(slots=True)
class Report:
    """The counts of a run; ``first`` has a line number for each reason."""

    read: int = 0
    kept: int = 0
    repaired: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Format the report as lines of text."""
        yield f"read      {self.read:>12,}"
        yield f"kept      {self.kept:>12,}  ({self.repaired:,} repaired)"
        for reason, count in self.dropped.items():
            what = f"{REASONS[reason]}; first in line {self.first[reason]:,}"
            yield f"dropped   {count:>12,}  {reason}: {what}"


def clean(
    inputs: Sequence[Path],
    outputs: Sequence[Path],
    *,
    rules: Rules,
    format: str | Format | None = None,
) -> Report:
    """Write the records of ``inputs`` that pass to ``outputs``, in order.

    A record that needs no repair is written byte for byte, except for the line ending.
    """
    form = choose(inputs, format)
    if len(outputs) != len(inputs):
        raise ParaphrastError(
            f"{len(inputs)} input file(s) need as many outputs, not {len(outputs)}."
        )
    report = Report()
    with ExitStack() as stack:
        files = open_outputs(stack, outputs)
        for lines in _keep_records(inputs, form, rules, report):
            for file, line in zip(files, lines, strict=True):
                file.write(f"{line}\n")
    return report


def _keep_records(
    inputs: Sequence[Path], form: Format, rules: Rules, report: Report
) -> Iterator[tuple[str, ...]]:
    seen: set[int] = set()
    rows = zip_lines(inputs, [read_raw_lines(path) for path in inputs])
    for number, row in enumerate(rows, start=1):
        report.read = number
        reason, lines, repaired = _judge_record(row, form, rules, seen)
        if reason:
            report.dropped[reason] = report.dropped.get(reason, 0) + 1
            report.first.setdefault(reason, number)
        else:
            report.kept += 1
            report.repaired += repaired
            yield lines


def _judge_record(
    row: Sequence[bytes], form: Format, rules: Rules, seen: set[int]
) -> tuple[str, tuple[str, ...], bool]:
    """Return why to drop a record ("" to keep it), its lines, and if it is repaired."""
    try:
        lines = tuple(line.decode("utf-8") for line in row)
        texts = form.decode(lines)
        repaired = tuple(_repair_text(text, rules) for text in texts)
        reason = _find_reason(repaired, rules)
        if not reason and repaired != texts:
            lines = form.encode(repaired, instead_of=lines)
    except UnicodeDecodeError:
        return "not UTF-8", (), False
    except Malformed:
        return "malformed", (), False
    if not reason and rules.duplicates == "drop":
        digest = _digest(repaired)
        reason = "duplicate" if digest in seen else ""
        seen.add(digest)
    return reason, lines, repaired != texts


def _repair_text(text: str, rules: Rules) -> str:
    if rules.characters == "normalise":
        text = normalise(text)
    return straighten(text) if rules.quotes == "straighten" else text


def _find_reason(texts: Sequence[str], rules: Rules) -> str:
    if any("\0" in text for text in texts):
        return "NUL"
    counts = [len(text.split()) for text in texts]
    if not all(counts):
        return "empty"
    if rules.max_words is not None and max(counts) > rules.max_words:
        return "too long"
    if rules.max_ratio is not None and max(counts) > rules.max_ratio * min(counts):
        return "length ratio"
    return ""


def _digest(texts: Sequence[str]) -> int:
    joined = "\n".join(f"{len(text)} {text}" for text in texts)
    return int.from_bytes(blake2b(joined.encode(), digest_size=8).digest())
