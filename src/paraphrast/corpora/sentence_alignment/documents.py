"""Read documents from files, and turn beads into pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.pairs import Pair
from paraphrast.corpora.sentence_alignment.aligner import Bead
from paraphrast.errors import ParaphrastError

Document: TypeAlias = tuple[list[str], list[str]]


def read_documents(source: Path, target: Path) -> list[Document]:
    """Read two files of one sentence per line, or two folders of such files.

    The files of the two folders are matched by name, in the order of names. A file
    without sentences is refused.
    """
    return [
        (_sentences(left), _sentences(right)) for left, right in _files(source, target)
    ]


def aligned_pairs(
    document: tuple[Sequence[str], Sequence[str]],
    beads: Sequence[Bead],
    *,
    threshold: float,
    merged: bool = False,
) -> list[Pair]:
    """Return the 1-1 beads with a posterior above ``threshold`` as pairs, in order.

    With ``merged`` also the 2-1 and 1-2 beads, with the two sentences joined.
    """
    source, target = document
    most = 3 if merged else 2
    return [
        Pair(
            " ".join(source[line] for line in bead.sources),
            " ".join(target[line] for line in bead.targets),
        )
        for bead in beads
        if bead.sources
        and bead.targets
        and len(bead.sources) + len(bead.targets) <= most
        and bead.posterior > threshold
    ]


def _files(source: Path, target: Path) -> list[tuple[Path, Path]]:
    if not source.is_dir() and not target.is_dir():
        return [(source, target)]
    for path, other in ((source, target), (target, source)):
        if not path.is_dir():
            raise ParaphrastError(
                f"{other} is a folder but {path} is not. Give two files or two folders."
            )
    left, right = _names(source), _names(target)
    if left != right:
        odd = sorted(left ^ right)
        raise ParaphrastError(
            f"{source} and {target} must contain files with the same names, but "
            f"{odd[0]} is in only one of them ({len(odd)} such files in all)."
        )
    if not left:
        raise ParaphrastError(f"{source} has no files to align.")
    return [(source / name, target / name) for name in sorted(left)]


def _names(folder: Path) -> set[str]:
    return {
        path.name
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".")
    }


def _sentences(path: Path) -> list[str]:
    lines = list(read_lines(path))
    if not any(line.strip() for line in lines):
        raise ParaphrastError(
            f"{path} has no sentences. Give a text with one sentence per line."
        )
    return lines
