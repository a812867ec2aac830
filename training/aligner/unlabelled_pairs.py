"""Collect unlabelled paraphrase pairs for the teacher to link.

Quora's duplicate questions, two captions of one picture, one verse in two Bibles, and
English sentences with one translation in Tatoeba. A tenth more are made of them that
are paraphrases in part or not at all, so that the student sees words without a
partner; a third are in lower case.

Run    python -m training.aligner.unlabelled_pairs --mirror FOLDER -o unlabelled.tsv
"""

import argparse
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from paraphrast.text.tokens import tokenise

BIBLES = ("ASV", "BBE", "DARBY", "DRA", "KJV", "LEB", "WEB", "YLT")
LONGEST, LONGEST_JOINED, UNRELATED, LONGER = 50, 60, 4_000, 14_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("-o", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(1)
    sources = chain(
        rows(options.mirror / "paraphrase/quora.tsv.xz"),
        captions(options.mirror / "paraphrase/multi30k-captions.tsv.xz", draw),
        verses(options.mirror / "bibles", draw),
        translations(options.mirror / "bilingual", draw),
    )
    pairs = [pair for texts in sources if (pair := clean_pair(texts))]
    draw.shuffle(pairs)
    pairs += list(partial(pairs, draw))
    draw.shuffle(pairs)
    with options.o.open("w", encoding="utf-8", newline="\n") as file:
        for source, target in pairs:
            lower = draw.random()
            source = source.lower() if lower < 0.3 else source
            target = target.lower() if lower < 0.37 else target
            file.write(f"{source}\t{target}\n")


def rows(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n").split("\t")


def captions(path: Path, draw: random.Random) -> Iterator[list[str]]:
    for row in rows(path):
        one, two, three, four = draw.sample(row, 4)
        yield [one, two]
        if draw.random() < 0.5:
            yield [three, four]


def verses(folder: Path, draw: random.Random) -> Iterator[list[str]]:
    versions = defaultdict(list)
    for name in BIBLES:
        for row in rows(folder / f"{name}.tsv.xz"):
            if len(row) == 4:
                versions[tuple(row[:3])].append(row[3])
    for texts in versions.values():
        if len(texts) >= 4:
            one, two, three, four = draw.sample(texts, 4)
            yield from ([one, two], [three, four])


def translations(folder: Path, draw: random.Random) -> Iterator[list[str]]:
    for language in ("fra", "deu", "spa"):
        english = defaultdict(set)
        for row in rows(folder / f"tatoeba.en-{language}.tsv.xz"):
            if len(row) >= 2:
                english[row[1]].add(row[0])
        for texts in english.values():
            order = sorted(texts)
            draw.shuffle(order)
            yield from ([*two] for two in zip(order[::2], order[1::2], strict=False))


def clean_pair(texts: list[str]) -> tuple[str, str] | None:
    source, target = (tokenise(text) for text in texts[:2])
    same = [word.lower() for word in source] == [word.lower() for word in target]
    lengths = (len(source), len(target))
    if same or not all(2 <= length <= LONGEST for length in lengths):
        return None
    return " ".join(source), " ".join(target)


def partial(
    pairs: list[tuple[str, str]], draw: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield unrelated pairs, and some with an extra sentence on one side."""
    chosen = zip(pairs[: UNRELATED + LONGER], reversed(pairs), strict=False)
    for number, ((source, target), (strange, other)) in enumerate(chosen):
        if number < UNRELATED:
            yield source, other
            continue
        parts = [target, strange] if draw.random() < 0.5 else [strange, target]
        joined = " ".join(parts)
        if len(joined.split()) <= LONGEST_JOINED:
            yield (source, joined) if draw.random() < 0.5 else (joined, source)


if __name__ == "__main__":
    main()
