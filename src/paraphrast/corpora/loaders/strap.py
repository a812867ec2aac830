"""STRAP's Shakespeare test set: outputs, gold rewrites, and the authors' labels.

The 2,924 sentences are 1,462 of each style, to be rewritten as the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paraphrast.corpora.lines import read_columns
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import unknown

# Names in the paper's Table 1, and the folders of the published files.
LABELLED = {
    "COPY": "input",
    "REFERENCE": "reference",
    "UNMT": "unmt_shakespeare",
    "DLSM": "dlsm_shakespeare",
    "TDRG": "transform_delete_generate_shakespeare",
}
# STRAP's own outputs (nucleus 0 and 0.6) were published without labels.
UNLABELLED = {"STRAP p=0.0": "generated_p_00.txt", "STRAP p=0.6": "generated_p_06.txt"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """An output with its input and its gold rewrite."""

    source: str
    output: str
    gold: str
    target_style: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence with the authors' labels: style accuracy, similarity, fluency."""

    sentence: Sentence
    accurate: bool
    similarity: float
    fluent: bool


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield inputs with their gold rewrites."""
    if split != "test":
        raise unknown("part", split, ["test"])
    return (Pair(s.source, s.gold) for s in outputs(folder, "COPY"))


def systems() -> list[str]:
    """List the systems whose outputs were published."""
    return [*LABELLED, *UNLABELLED]


def outputs(folder: Path, system: str) -> list[Sentence]:
    """Return what a system wrote for every sentence."""
    if system in LABELLED:
        output = folder / "baselines" / LABELLED[system] / "transfer_entire_test.txt"
    elif system in UNLABELLED:
        output = folder / "shakespeare" / UNLABELLED[system]
    else:
        raise unknown("system", system, systems())
    inputs, gold = (folder / "shakespeare" / n for n in ("inputs.txt", "gold.txt"))
    # labels.txt has the style of the input, this one that of the gold rewrite.
    styles = folder / "baselines" / "input" / "all_test_transfer_labels.txt"
    return [Sentence(*row) for row in read_columns([inputs, output, gold, styles])]


def read_judged(folder: Path, system: str) -> list[Judged]:
    """Return a system's sentences with the labels of the authors' models.

    The published column ``correct`` compares with the input's style for COPY and
    REFERENCE, and with the target for the others; the recognised style, in the last
    column, is compared with the target for all.
    """
    if system not in LABELLED:
        raise unknown("labelled system", system, LABELLED)
    stem = str(folder / "baselines" / LABELLED[system] / "transfer_entire_test.txt")
    labels = read_columns(
        [
            Path(f"{stem}.{kind}")
            for kind in ("roberta_labels", "pp_scores", "acceptability_labels")
        ]
    )
    return [
        Judged(
            sentence,
            accurate=style.split(",")[2] == sentence.target_style,
            similarity=float(similarity),
            fluent=fluency == "acceptable",
        )
        for sentence, (style, similarity, fluency) in zip(
            outputs(folder, system), labels, strict=True
        )
    ]
