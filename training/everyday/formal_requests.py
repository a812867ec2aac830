"""Requests for the formal side of real informal sentences, for the formality corpus.

Comments of GoEmotions and turns of Topical-Chat of 5 to 25 words, each once, without
rough words and markup (`training.everyday.sources`). Those that show that they are
informal (contractions, no capital at the start or no stop at the end, exclamation
marks, words of talk) come first: as many of them are asked for as there are. What the
tune and test parts of a formality corpus contain is not asked for.

Run    paraphrast corpora build formality -o CORPUS
       python -m training.everyday.formal_requests --data FOLDER --corpus CORPUS \\
              -o FOLDER [--most 60000 --shards 3]
"""

import argparse
import random
import re
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from paraphrast.corpora.splitting import normalise_text
from training.everyday import corpus, sources

STYLE = "formal"
SHORTEST, LONGEST = 5, 25  # words
_TALK = re.compile(
    r"\b\w+'(?:s|t|re|ve|m|ll|d)\b|[!?]{2}|\.\.|!|"
    r"\b(?:lol|haha\w*|yeah|yep|yup|nope|nah|hey|wow|oh|ok|okay|cool|awesome|crazy|"
    r"dude|guys?|kids?|stuff|kinda|gonna|wanna|gotta|dunno|cuz|pretty|really|so|super|"
    r"like|just|totally|weird|dumb|ugh|hmm+|omg|lmao|idk|imo|btw|pls|plz|thx|ur|u|r)\b",
    re.IGNORECASE,
)
_CARELESS = re.compile(r"^[^a-zA-Z]*[a-z]|\bi\b|[^.!?\"')]$")
Row = dict[str, Any]


def is_informal(text: str) -> bool:
    """Return whether a sentence shows that it is informal."""
    return bool(_CARELESS.search(text) or _TALK.search(text))


def read_sentences(data: Path, draw: random.Random) -> list[Row]:
    """Return the cleaned sentences of both collections, each with its origin."""
    talk = data / "formality/unlabelled"
    rows = []
    for name, clean in (
        ("goemotions", sources.clean_comment), ("topical-chat", sources.clean_turn),
    ):  # fmt: skip
        lines = sources.read_lines(talk / f"{name}.txt.xz")
        texts = sources.clean_texts(lines, clean, draw)
        rows += [{"from": name, "text": text, "style": STYLE} for text in texts]
    return rows


def read_held_out(folder: Path) -> set[str]:
    """Return the texts and references that a corpus keeps for tuning and testing."""
    return {
        normalise_text(text)
        for part in ("tune", "test")
        for row in corpus.read_rows(folder / f"to-{STYLE}" / f"{part}.jsonl")
        for text in (row["text"], *row["references"])
    }


def choose_sentences(
    rows: Iterable[Row],
    most: int,
    draw: random.Random,
    held_out: Set[str] = frozenset(),
) -> list[Row]:
    """Return distinct sentences of the right length, informal ones first."""
    once: dict[str, Row] = {}
    for row in rows:
        key = normalise_text(row["text"])
        if SHORTEST <= len(row["text"].split()) <= LONGEST and key not in held_out:
            once.setdefault(key, row)
    kept = list(once.values())
    draw.shuffle(kept)
    kept.sort(key=lambda row: not is_informal(row["text"]))
    return kept[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--most", type=int, default=60_000)
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    draw = random.Random(options.seed)
    rows = choose_sentences(
        read_sentences(options.data, draw),
        options.most,
        draw,
        read_held_out(options.corpus),
    )
    draw.shuffle(rows)
    for number in range(options.shards):
        shard = rows[number :: options.shards]
        corpus.write_rows(options.output / f"formal-{number}.jsonl", shard)
    informal = sum(is_informal(row["text"]) for row in rows)
    print(f"{len(rows)} sentences, {informal} of them show that they are informal")


if __name__ == "__main__":
    main()
