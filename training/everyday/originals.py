"""Pairs whose target someone really wrote in a style: the teacher writes the source.

As in STRAP's inverse paraphrase, text of an old style is rewritten into plain English,
and the student learns the way back. Both tasks read or write JSON lines.
``requests`` asks for whole sentences, of poetry with their lines, in plain English.
``pairs`` takes the rated answers (`training.everyday.teacher.rate --outputs`) and keeps
one where a reader of the pair would probably rate the meaning 2, and where
the two differ. None of it is text that judges read or that a test set has
(`training.rewriter.style_texts`).

Run    python -m training.everyday.originals requests --mirror FOLDER -o FILE
       python -m training.everyday.originals pairs --rated FILE... -o FILE
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from paraphrast.text.overlap import unigram_overlap
from training.everyday import corpus
from training.everyday.checker.reward import cut_words
from training.everyday.sources import clean_prose, clean_texts
from training.rewriter.style_texts import STYLES, style_file
from training.splits import drop_blocked, find_test_sentences

Row = dict[str, Any]
LINES = 4  # of verse
ALIKE = 0.85  # F1 of words above which nothing was rewritten
PLAIN, POETRY = "plain", "poetry"
_VERSE = re.compile(r"[A-Z\"'][\w ,;:!?.'\"()-]{12,75}")


def draw_requests(mirror: Path, most: int, seed: int) -> list[Row]:
    """Return sentences of every old style, each to be written in plain English."""
    draw = random.Random(seed)
    never = find_test_sentences(mirror)
    rows = []
    for style in corpus.OLD:
        texts = read_poetry(mirror) if style == POETRY else STYLES[style](mirror)
        own = drop_blocked(clean_texts(texts["guide"], _find_sentence, draw), never)
        rows += [
            {"from": "originals", "text": text, "style": PLAIN, "original": style}
            for text in draw.sample(own, min(most, len(own)))
        ]
    draw.shuffle(rows)
    return rows


def read_poetry(mirror: Path) -> dict[str, list[str]]:
    """Return sentences of verse, one to four lines each, by their text's owner."""
    return style_file(mirror, "poetry", cut_verse)


def cut_verse(lines: Iterable[str]) -> Iterator[str]:
    """Yield whole sentences of one to four lines of verse, `` / `` between lines."""
    own: list[str] = []
    ended = False  # whether a sentence ended before this line
    for line in map(str.strip, lines):
        if not line:
            own = []
            continue
        fits = bool(_VERSE.fullmatch(line)) and len(own) < LINES
        own = [*own, line] if fits and (own or ended) else []
        ended = line.endswith((".", "!", "?"))
        if own and ended:
            yield " / ".join(own)
            own = []


def _find_sentence(text: str, _: random.Random) -> str | None:
    """Return a text if it is one or two whole sentences of a fit length."""
    bare = text.replace(" / ", " ")
    odd = " - " in bare or "_" in bare or any(len(own) > 24 for own in bare.split())
    return None if odd or not clean_prose(bare, _) else text


def make_pairs(rows: Iterable[Row], least: float, dropped: Counter[str]) -> list[Row]:
    """Return the pairs that are kept; count the reasons for dropping others."""
    result = []
    for row in rows:
        fair = [own for own in row["candidates"] if "chances" in own]
        best = max(fair, key=lambda own: float(own["chances"][0]), default=None)
        if best is None:
            dropped["fact"] += 1
        elif best["chances"][0] < least:
            dropped["not the same"] += 1
        elif differ_little(row["text"], best["text"]):
            dropped["copy"] += 1
        else:
            dropped[f"kept {row['original']}"] += 1
            result.append(
                {"source": best["text"], "style": row["original"], "from": row["from"],
                 "target": row["text"], "chances": best["chances"]}
            )  # fmt: skip
    return result


def differ_little(first: str, second: str) -> bool:
    return unigram_overlap(cut_words(first), cut_words(second)).f1 > ALIKE


def read_all(paths: Sequence[Path]) -> Iterable[Row]:
    for path in paths:
        yield from corpus.read_rows(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("requests", "pairs"))
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--most", type=int, default=16_000, help="sentences per style")
    parser.add_argument("--rated", type=Path, nargs="*", default=[])
    parser.add_argument("--least", type=float, default=0.6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.task == "requests":
        rows = draw_requests(options.mirror, options.most, options.seed)
        told: Any = dict(Counter(row["original"] for row in rows))
    else:
        dropped: Counter[str] = Counter()
        rows = make_pairs(read_all(options.rated), options.least, dropped)
        told = dict(dropped)
    corpus.write_rows(options.output, rows)
    print(len(rows), told)


if __name__ == "__main__":
    main()
