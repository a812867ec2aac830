"""GYAFC from the user's own copy, which Yahoo and its authors license.

The folder has its authors' layout: a domain, a part, and in it the files ``informal``
and ``formal``, for tune and test also four references per direction::

    Entertainment_Music/train/{informal,formal}
    Family_Relationships/test/{informal,formal.ref0,…,formal.ref3,
                               formal,informal.ref0,…,informal.ref3}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from paraphrast.corpora.catalogue import entry
from paraphrast.corpora.formality.sources import STYLES, Style, other_style
from paraphrast.corpora.lines import read_columns, read_lines
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.text.language_identification import identify_language

DOMAINS = ("Entertainment_Music", "Family_Relationships")
REFERENCES = 4
# XFORMAL has the same files in these folders, in other languages.
_XFORMAL = ("BR_PT", "FR_FR", "IT_IT", "gyafc_translated")
_SAMPLE = 200  # lines that tell the language


@dataclass(frozen=True, slots=True)
class Referenced:
    """A sentence to rewrite, with four human references."""

    source: str
    references: tuple[str, ...]


def check_folder(folder: Path) -> None:
    """Refuse a folder that is not the complete GYAFC, in one line that names the file.

    Every file of both domains must exist, be UTF-8 and in English, have lines, and as
    many as the files parallel to it.
    """
    for domain in DOMAINS:
        _refuse_empty(list(train(folder, domain)), folder / domain / "train/informal")
        for split in ("tune", "test"):
            for to in STYLES:
                rows = evaluation(folder, domain, split, to=to)
                _refuse_empty(rows, folder / domain / split / other_style(to))
        _refuse_other_language(folder / domain / "train" / "formal")


def train(folder: Path, domain: str, *, to: Style = "formal") -> Iterator[Pair]:
    """Yield the training pairs of a domain, with the target side second."""
    part = _part(folder, domain, "train")
    rows = _read_parallel([part / other_style(to), part / to])
    return (Pair(*row) for row in rows)


def evaluation(
    folder: Path, domain: str, split: str, *, to: Style = "formal"
) -> list[Referenced]:
    """Return the sentences of tune or test with their references."""
    if split not in ("tune", "test"):
        raise unknown("part", split, ("tune", "test"))
    part = _part(folder, domain, split)
    references = [part / f"{to}.ref{number}" for number in range(REFERENCES)]
    rows = _read_parallel([part / other_style(to), *references])
    return [Referenced(source, tuple(texts)) for source, *texts in rows]


def _read_parallel(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    for path in paths:
        if not path.is_file():
            raise ParaphrastError(
                f"{path} not found. {path.parent} must have the files "
                f"{', '.join(other.name for other in paths)}, as its authors send them."
            )
    return read_columns(paths)


def _refuse_empty(rows: Sequence[object], path: Path) -> None:
    if not rows:
        raise ParaphrastError(
            f"{path} is empty; it must have one sentence per line. Copy it again."
        )


def _refuse_other_language(path: Path) -> None:
    sample = " ".join(islice(read_lines(path), _SAMPLE))
    language = identify_language(sample) if len(sample.split()) > _SAMPLE else "en"
    if language != "en":
        raise ParaphrastError(
            f"{path}: the text is not English but {language!r}. Is this XFORMAL? "
            "The recipe is for GYAFC."
        )


def _part(folder: Path, domain: str, split: str) -> Path:
    if domain not in DOMAINS:
        raise unknown("domain", domain, DOMAINS)
    part = folder / domain / split
    other = next((name for name in _XFORMAL if (folder / name).is_dir()), None)
    if not part.is_dir() and other:
        raise ParaphrastError(
            f"{folder} holds {other}: this is XFORMAL, in other languages. Give the "
            f"folder of GYAFC, which holds {' and '.join(DOMAINS)}."
        )
    if not part.is_dir():
        raise ParaphrastError(
            f"{folder} has no folder {domain}/{split}. Give the folder that holds "
            f"{' and '.join(DOMAINS)}. To get the corpus: {entry('gyafc').ask}"
        )
    return part
