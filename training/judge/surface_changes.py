"""A text with its surface changed, and how much less formal people find that.

The drops of a lower-case start, of "i" and of a missing stop are the coefficients,
rounded, of a least-squares fit of SQUINKY's ratings (on PT16's scale of six) to what a
judge that sees neither case nor punctuation says of the words, and to the surface:
`python -m training.judge.surface_changes --mirror FOLDER` prints them. Those of
exclamation marks, capitals throughout and spaced marks are set by us; text of these
kinds is rare there.
"""

import argparse
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import read_lines

LOWER_START, NO_STOP, LOWER_PRONOUN = 0.7, 0.3, 0.4
EXCLAMATIONS, SHOUTING, SPACED_MARKS = 0.7, 0.7, 0.2
_PRONOUN = re.compile(r"\bI\b")
_MARK = re.compile(r"(?<=\w)([,.!?;:])(?=\s|$)")


def change_surface(text: str, draw: random.Random) -> tuple[str, float]:
    """Return the text with its surface changed in a few ways, and the expected drop."""
    drop = 0.0
    way = draw.random()
    if way < 0.65:
        drop += LOWER_START * text[:1].isupper()
        drop += LOWER_PRONOUN * bool(_PRONOUN.search(text))
        text = text.lower()
    elif way < 0.75:
        text, drop = text.upper(), SHOUTING
    if text.endswith(".") and draw.random() < 0.5:
        drop += NO_STOP
        text = text.rstrip(".")
        if draw.random() < 0.2:
            text, drop = f"{text}!!", drop + EXCLAMATIONS
    if draw.random() < 0.25 and _MARK.search(text):
        text, drop = _MARK.sub(r" \1", text), drop + SPACED_MARKS
    return text, drop


def read_squinky(mirror: Path) -> list[tuple[str, float]]:
    """Return SQUINKY's sentences, their formality on PT16's scale, -3 to 3."""
    rows = (
        line.split("\t", 1)
        for line in read_lines(mirror / "formality/squinky/train.tsv")
    )
    return [(text, float(score) - 4) for score, text in rows]


def measure_drops(mirror: Path) -> dict[str, float]:
    """Return the drop in formality per change of the surface, by SQUINKY's ratings."""
    from paraphrast.judges import judge as judges
    from paraphrast.judges.encoder.surface import features

    rows = read_squinky(mirror)
    texts = [text for text, _ in rows]
    model: Any = judges.load(Path("small")).formality
    words = np.nan_to_num(model.robust().values(texts))
    surface = features(texts)
    columns = {
        "words": words,
        "lower start": 1 - surface[:, 1],
        "no stop": 1 - surface[:, 7],
        "lower pronoun": surface[:, 9],
        "exclamations": surface[:, 4],
        "shouting": surface[:, 2],
        "spaced marks": np.array([float(" , " in t or " ." in t) for t in texts]),
    }
    design = np.stack([*columns.values(), np.ones(len(texts))], axis=1)
    fit, *_ = np.linalg.lstsq(design, np.array([v for _, v in rows]), rcond=None)
    return {name: round(float(-w), 2) for name, w in zip(columns, fit, strict=False)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    print(measure_drops(parser.parse_args().mirror))
