"""Read and write alignments in the formats that others use.

    name      holds                                        known by its ending
    jsonl     ours: words, links, probabilities, labels    .jsonl .ndjson
    jacana    words, sure and possible links               .json
    multimwa  words, sure and possible links               .tsv
    giza      words, links (GIZA++'s A3)                   .A3 .A3.final
    pharaoh   links, sure i-j and possible ipj             .pharaoh .align
    naacl     links, S and P, counted from 1               .naacl .wa

Formats without words need them from another source: the same pairs in another format,
or two parallel files of words. Only jsonl keeps probabilities. Every mistake in a file
is refused with its location: links out of range or given twice, an empty side, two
pairs with the same name, files that do not belong together.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from paraphrast.align.base import AlignedPair, WordPair
from paraphrast.align.formats import giza, jacana, jsonl, multimwa, naacl, pharaoh
from paraphrast.align.links import check_links, check_sides
from paraphrast.corpora.lines import STDIN, read_columns, unpacked_name
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import atomic

# Each module has SUFFIXES, HAS_WORDS, read(path) or read(path, words), and
# write(pairs), which yields text.
FORMATS: dict[str, ModuleType] = {
    "giza": giza,
    "jacana": jacana,
    "jsonl": jsonl,
    "multimwa": multimwa,
    "naacl": naacl,
    "pharaoh": pharaoh,
}


def format_of(path: Path, format: str | None = None) -> str:
    """Return the format's name: the given one, or the one of the file's extension."""
    if format is not None:
        if format not in FORMATS:
            raise unknown("format of alignments", format, FORMATS)
        return format
    for name, module in FORMATS.items():
        if unpacked_name(path).endswith(module.SUFFIXES):
            return name
    complaint = unknown("format of alignments of", str(path), FORMATS)
    raise ParaphrastError(f"{complaint} Name it with --format.")


def has_words(path: Path, format: str | None = None) -> bool:
    """Say whether a file holds the sentences, or only their links."""
    return bool(FORMATS[format_of(path, format)].HAS_WORDS)


def read_alignments(
    path: Path, *, format: str | None = None, words: Sequence[WordPair] | None = None
) -> Iterator[AlignedPair]:
    """Yield the pairs of a file in order; ``words`` are for formats without."""
    module = FORMATS[format_of(path, format)]
    if module is jsonl:
        return _check_pairs(jsonl.read(path))
    if module.HAS_WORDS:
        return _check_pairs(_check_both_sides(module.read(path)))
    if words is None:
        raise ParaphrastError(
            f"{path}: has links but no words. Add the words with --source FILE and "
            "--target FILE."
        )
    return _check_pairs(_check_both_sides(module.read(path, words)))


def read_words(source: Path, target: Path) -> list[WordPair]:
    """Read two parallel files of words separated by spaces."""
    return [
        (tuple(source_line.split()), tuple(target_line.split()))
        for source_line, target_line in read_columns([source, target])
    ]


def read_both(
    first: tuple[Path, str | None],
    second: tuple[Path, str | None],
    *,
    words: Sequence[WordPair] | None,
) -> tuple[list[AlignedPair], list[AlignedPair]]:
    """Read two alignments of one corpus; either may take its words from the other."""

    def read(
        file: tuple[Path, str | None], words: Sequence[WordPair] | None
    ) -> list[AlignedPair]:
        return list(read_alignments(file[0], format=file[1], words=words))

    if not has_words(*first) and has_words(*second):
        later = read(second, words)
        return read(first, words or [(p.source, p.target) for p in later]), later
    earlier = read(first, words)
    if has_words(*first):
        words = words or [(p.source, p.target) for p in earlier]
    return earlier, read(second, words)


def find_pair(pairs: Sequence[AlignedPair], which: str, path: Path) -> int:
    """Return the index of the pair with that name, or else with that number."""
    for index, pair in enumerate(pairs):
        if pair.name and pair.name == which:
            return index
    if which.isdecimal() and 1 <= int(which) <= len(pairs):
        return int(which) - 1
    raise ParaphrastError(
        f"{path}: no pair {which!r}. Give an id, or a number from 1 to {len(pairs)}."
    )


def write_alignments(
    pairs: Iterable[AlignedPair], path: Path, *, format: str | None = None
) -> int:
    """Write pairs to a file, whole or not at all; return how many."""
    if path == STDIN:
        raise ParaphrastError("cannot write alignments to -. Name a file.")
    module = FORMATS[format_of(path, format)]
    count = 0

    def count_pairs() -> Iterator[AlignedPair]:
        nonlocal count
        for count, pair in enumerate(pairs, start=1):  # noqa: B007 - returned
            yield pair

    with atomic.writer(path) as file:
        for part in module.write(count_pairs()):
            file.write(part)
    return count


def _check_pairs(pairs: Iterable[tuple[str, AlignedPair]]) -> Iterator[AlignedPair]:
    seen: dict[str, str] = {}
    for where, pair in pairs:
        check_links(pair, where)
        if pair.name and pair.name in seen:
            raise ParaphrastError(
                f"{where}: the name {pair.name!r} already occurs at "
                f"{seen[pair.name]}. Give every pair its own."
            )
        seen[pair.name] = where
        yield pair


def _check_both_sides(
    pairs: Iterable[tuple[str, AlignedPair]],
) -> Iterator[tuple[str, AlignedPair]]:
    for where, pair in pairs:
        check_sides(pair, where)
        yield where, pair
