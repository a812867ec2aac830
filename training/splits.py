"""Assign texts to the judge, to guide and rewriter, or to the held-out part.

A block of two hundred lines of a style's file, a chapter of the Bible or a single
sentence belongs by its hash to the judge, to the guide (with which the rewriter may be
trained and reranked), or is held out from both. No sentence of a test set is learnt
from; `blocked` says which those are.
"""

import csv
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from paraphrast.corpora import read_lines, read_texts
from paraphrast.text.normalisation import keep_letters

BLOCK = 200


def owner(key: str) -> str:
    """Return the owner of a text: judge, guide, or held out from both."""
    number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % 100
    return "judge" if number < 55 else "guide" if number < 95 else "held out"


def find_test_sentences(mirror: Path) -> set[str]:
    """Return the letters of every sentence used for evaluation."""
    # One or two words are not blocked: "Yes." may be learnt from.
    return {
        keep_letters(text)
        for text in _read_test_sentences(mirror)
        if len(text.split()) > 2
    }


def drop_blocked(texts: Iterable[str], never: set[str]) -> list[str]:
    """Return the texts that are neither among ``never`` nor repeated."""
    result: dict[str, str] = {}
    for text in texts:
        key = keep_letters(text)
        if key and key not in never:
            result.setdefault(key, text)
    return list(result.values())


def _read_test_sentences(mirror: Path) -> Iterator[str]:
    for name in ("test", "valid"):
        for style in ("modern", "original"):
            yield from read_texts(mirror / f"jhamtani17/{name}.{style}.nltktok")
    paths = [
        *sorted((mirror / "xu12/eval").iterdir()),
        *sorted((mirror / "xu12/romeojuliet").iterdir()),
        *sorted((mirror / "xu12").glob("*/rom*")),
        *sorted((mirror / "strap/shakespeare").iterdir()),
        *sorted((mirror / "strap/baselines").glob("*/transfer_entire_test.txt")),
        *sorted((mirror / "cds-samples").iterdir()),
    ]
    for path in paths:
        yield from read_texts(path)
    for line in read_lines(mirror / "cola/in_domain_dev.tsv"):
        yield line.split("\t")[3]
    for line in read_lines(mirror / "gug/gug_annotations.train_dev.tsv"):
        yield from line.split("\t")
    with (mirror / "pt16/tune.csv").open(encoding="utf-8", newline="") as file:
        yield from (row["sentence"] for row in csv.DictReader(file))
    with (mirror / "stsb/stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            yield from row[:2]
