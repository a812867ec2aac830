"""The test texts: STRAP's test, and held-out text of eleven styles.

STRAP's 2,924 sentences come with spaces before punctuation. Systems read them as people
write (`detokenise`), and their outputs get those spaces back (`tokenise_marks`), so
that every row is scored in the form of the published ones. The text of the eleven
styles is made by `training.rewriter.style_texts` from the mirror; neither judge nor
system has seen it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from paraphrast.corpora import read_lines
from paraphrast.corpora.loaders import plays, strap
from paraphrast.errors import ParaphrastError
from paraphrast.metrics import Segment
from paraphrast.reproduce import Workspace
from paraphrast.study import trust_people
from paraphrast.text.normalisation import join_apostrophes, straighten
from training.rewriter.style_texts import write_style_texts
from training.styles import STYLES

DIRECTIONS = ("shakespeare", "modern")
SENTENCES = 50  # of each style, to be rewritten into each other one

_BEFORE_STOP = re.compile(r"\s+([,.;:!?)])")
_QUOTED = re.compile(r'"\s*([^"]*?)\s*"')
_STOP = re.compile(r"(?<=[^\s.])([,;:!?]+|\.+)(?=\s|$|\"|')")


def detokenise(text: str) -> str:
    """Return a sentence of STRAP's test as people write it."""
    joined = " ".join(join_apostrophes(straighten(text, em_dash=" - ")).split())
    return _QUOTED.sub(r'"\1"', _BEFORE_STOP.sub(r"\1", joined))


def tokenise_marks(text: str) -> str:
    """Return a text with spaces before punctuation, as the published outputs have."""
    return " ".join(_STOP.sub(r" \1", text).split())


@cache
def test(folder: Path) -> tuple[Segment, ...]:
    """Return STRAP's test with references and target styles, and no outputs."""
    return read_published(folder, "COPY", empty=True)


@cache
def read_published(
    folder: Path, system: str, *, empty: bool = False
) -> tuple[Segment, ...]:
    """Return a published system's outputs as segments."""
    return tuple(
        Segment(
            "" if empty else sentence.output,
            sentence.source,
            (sentence.gold,),
            trust_people.STRAP_STYLES[sentence.target_style],
        )
        for sentence in strap.outputs(folder, system)
    )


def towards(segments: Sequence[Segment], style: str) -> list[Segment]:
    """Return the segments of one direction."""
    return [segment for segment in segments if segment.target == style]


@cache
def play_lines(folder: Path, split: str) -> tuple[tuple[str, str], ...]:
    """Return pairs, modern and Shakespeare, of a part of the parallel plays."""
    pairs = plays.pairs_of(folder, "jhamtani17", split)
    return tuple((pair.source, pair.target) for pair in pairs)


def style_text(workspace: Workspace, part: str) -> dict[str, list[str]]:
    """Return the lines of each style that `make_style_text` wrote."""
    folder = workspace.folder / "styles"
    return {style: list(read_lines(folder / f"{style}.{part}.txt")) for style in STYLES}


def make_style_text(workspace: Workspace) -> Path:
    """Make the text of the eleven styles from the mirror, unless it exists."""
    folder = workspace.folder / "styles"
    if not (folder / "report.json").exists():
        try:
            write_style_texts(workspace.corpus("strap").parent, folder)
        except OSError as error:
            raise ParaphrastError(
                f"cannot make the text of the styles: {error}. Check that the mirror "
                "has the corpora that training/rewriter/style_texts.py names."
            ) from error
    return folder


def training_text(workspace: Workspace) -> Iterator[str]:
    """Yield the packs' training text: the styles, the plays, and the rest.

    The rest, such as rewrites that a guide chose, is in a file beside the packs.
    """
    for own in style_text(workspace, "train").values():
        yield from own
    for pair in play_lines(workspace.corpus("jhamtani17"), "train"):
        yield from pair
    made = workspace.packs / "strap-training.txt.xz"
    if made.exists():
        yield from read_lines(made)


def cross_styles(texts: Mapping[str, Sequence[str]], *, most: int) -> list[Segment]:
    """Return every style's first texts, to be rewritten into each of the others."""
    return [
        Segment("", text, (), target)
        for target in texts
        for style, own in texts.items()
        if style != target
        for text in own[:most]
    ]
