"""Split a corpus at random into train, valid and test, without leaks.

Records that share a text on any side, ignoring case, punctuation and spacing, go into
the same part, and so do records linked through a third: parts consist of whole
connected components. Otherwise a system could have seen a test sentence, or its only
reference, in training.

There are two passes: the first stores eight bytes of digest per text and finds the
components (a few hundred bytes of memory per record), the second copies lines
unchanged. The same file, sizes and seed give the same parts. Components are taken in
random order and put into test, then valid, as long as they fit; the rest is train. A
component larger than a part (sentences such as "No." link many) therefore ends up in
train.
"""

import random
import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from paraphrast.corpora.formats import Format, choose, open_outputs, read_records
from paraphrast.corpora.lines import STDIN, read_columns, unpacked_name
from paraphrast.errors import ParaphrastError

PARTS = ("train", "valid", "test")

_NOT_LETTERS = re.compile(r"[\W_]+")  # nor digits


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of valid and test: a number of records, or a share below 1."""

    valid: float
    test: float

    def counts(self, records: int) -> tuple[int, int]:
        """Return both as numbers of records, leaving some for train."""
        valid, test = (
            round(size * records) if size < 1 else int(size)
            for size in (self.valid, self.test)
        )
        if min(self.valid, self.test) < 0 or valid + test >= records:
            raise ParaphrastError(
                f"valid {self.valid:g} and test {self.test:g} leave nothing of "
                f"{records:,} records to train on. Use smaller values."
            )
        return valid, test


@dataclass(frozen=True, slots=True)
class Report:
    """The number of records in each part, and the sizes of the components."""

    records: int
    components: int
    largest_component: int
    wanted: dict[str, int]
    parts: dict[str, int]
    files: dict[str, list[str]]

    def lines(self) -> Iterator[str]:
        """Format the report as lines of text."""
        for part, count in self.parts.items():
            short = "" if count == self.wanted[part] else f" of {self.wanted[part]:,}"
            yield f"{part:6} {count:>12,}{short}  {' '.join(self.files[part])}"
        yield (
            f"{self.records:,} records in {self.components:,} groups that share texts; "
            f"the largest has {self.largest_component:,}."
        )


def split(
    inputs: Sequence[Path],
    folder: Path,
    *,
    sizes: Sizes,
    seed: int,
    format: str | Format | None = None,
) -> Report:
    """Write ``train.NAME``, ``valid.NAME`` and ``test.NAME`` for each input NAME."""
    if STDIN in inputs:
        raise ParaphrastError("split reads its input twice: give a file, not -.")
    form = choose(inputs, format)
    names = [unpacked_name(path) for path in inputs]
    if len(set(names)) < len(names):
        raise ParaphrastError(f"two inputs are called {names[0]}. Rename one.")
    components = find_components(inputs, form)
    records = len(components)
    valid, test = sizes.counts(records)
    parts = assign_parts(components, valid=valid, test=test, seed=seed)
    files = {part: [folder / f"{part}.{name}" for name in names] for part in PARTS}
    _copy_lines(inputs, parts, files)
    _, members = np.unique(components, return_counts=True)
    return Report(
        records=records,
        components=len(members),
        largest_component=int(members.max()),
        wanted={"train": records - valid - test, "valid": valid, "test": test},
        parts={part: parts.count(index) for index, part in enumerate(PARTS)},
        files={part: [str(path) for path in paths] for part, paths in files.items()},
    )


def normalise_text(text: str) -> str:
    """Return a normal form that ignores case, punctuation and spacing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # A text of punctuation alone is compared as it is.
    return _NOT_LETTERS.sub(" ", folded).strip() or " ".join(folded.split())


def find_components(inputs: Sequence[Path], form: Format) -> list[int]:
    """Return the component of each record: records that share a text have the same."""
    digests = array("Q")
    for texts in read_records(inputs, form):
        digests.extend(_digest(text) for text in texts)
    _, nodes = np.unique(np.frombuffer(digests, dtype=np.uint64), return_inverse=True)
    rows = nodes.reshape(-1, form.columns)
    parents = array("q", range(len(digests)))
    for row in rows.tolist():
        first = _find_root(parents, row[0])
        for other in row[1:]:
            parents[_find_root(parents, other)] = first
    return [_find_root(parents, node) for node in rows[:, 0].tolist()]


def assign_parts(
    components: Sequence[int], *, valid: int, test: int, seed: int
) -> bytearray:
    """Give each record the index of its part in `PARTS`."""
    size: dict[int, int] = {}
    for component in components:
        size[component] = size.get(component, 0) + 1
    order = list(size)
    random.Random(seed).shuffle(order)
    room = {2: test, 1: valid}
    part_of = {}
    for component in order:
        part = next((p for p, left in room.items() if size[component] <= left), 0)
        part_of[component] = part
        if part:
            room[part] -= size[component]
    return bytearray(part_of[component] for component in components)


def _copy_lines(
    inputs: Sequence[Path], parts: bytearray, files: dict[str, list[Path]]
) -> None:
    with ExitStack() as stack:
        writers = [open_outputs(stack, files[part]) for part in PARTS]
        count = 0
        for lines, part in zip(read_columns(inputs), parts, strict=False):
            count += 1
            for file, line in zip(writers[part], lines, strict=True):
                file.write(f"{line}\n")
        if count != len(parts):
            raise ParaphrastError(f"{inputs[0]}: changed while it was read. Try again.")


def _digest(text: str) -> int:
    key = normalise_text(text).encode("utf-8")
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def _find_root(parents: "array[int]", node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node
