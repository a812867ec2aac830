"""Is our tokeniser faster than sacremoses, for the same tokens?

Run    python -m benchmarks.tokeniser_speed > benchmarks/results/tokeniser_speed.json
Backs  the row "Tokenising" in docs/benchmarks.md, which is made from that file.

Before anything is timed the tokens of every sentence must agree. The two then take
turns in one process, so that a busy machine slows both. The claim is the median of
the ratios on plain ASCII sentences. Beside it stand: the same with curly quotes, for
which we use a slower library of regular expressions; sentences with abbreviations,
where sacremoses builds a set of all letters for each and is at its worst; tokens
that know their places; and detokenising.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sacremoses import MosesDetokenizer, MosesTokenizer

from benchmarks.report import report
from paraphrast.text import detokenise, tokenise, tokenise_exactly

SEED, SENTENCES, REPEATS = 1, 3000, 7
OPENINGS = (
    "I don't think that",
    "In the end the old man, who had waited all day,",
    "hey, u know what? she",
    "When the rain stopped the children",
    "My lord, you said that they",
    "Nobody in the village",
    '"Look, it\'s late," he said, and then he',
    "We'll see, but it seems the new teacher",
)
ENDINGS = (
    "would have come earlier if they'd been asked.",
    "never goes out at night, does he?",
    "has nothing to do with it",
    "gave him more than he'd hoped for!",
    "went home, had dinner, and read until the candle was out.",
    "can't be serious...",
    "stood by the river and watched the boats go by.",
    "was happy (or so it seemed)",
)
ABBREVIATIONS = "In the U.S. on Jan. 5, e.g. at 3 p.m., Mr. Jones says that"


Work: TypeAlias = Callable[[Any], object]
Texts: TypeAlias = Sequence[Any]


def main() -> None:
    draw = random.Random(SEED)
    plain = [
        f"{draw.choice(OPENINGS)} {draw.choice(ENDINGS)}" for _ in range(SENTENCES)
    ]
    curly = [text.replace("'", "’").replace('"', "”") for text in plain]
    short = [f"{ABBREVIATIONS} {text}" for text in plain[:300]]
    moses, demoses = MosesTokenizer(lang="en"), MosesDetokenizer(lang="en")

    def theirs(text: str) -> list[str]:
        tokens: list[str] = moses.tokenize(text, escape=False)
        return tokens

    def theirs_back(tokens: list[str]) -> str:
        text: str = demoses.detokenize(tokens, unescape=False)
        return text

    tokens = [tokenise(text) for text in plain]
    kinds: dict[str, tuple[Work, Work, Texts]] = {
        "ascii": (theirs, tokenise, plain),
        "curly quotes": (theirs, tokenise, curly),
        "abbreviations": (theirs, tokenise, short),
        "detokenising": (theirs_back, detokenise, tokens),
    }
    for name, (reference, ours, texts) in kinds.items():
        check_same(name, reference, ours, texts)
    check_same("restoring", lambda t: t, lambda t: tokenise_exactly(t).restore(), plain)
    result = {name: ratios(*kind) for name, kind in kinds.items()}
    exact = ratios(theirs, tokenise_exactly, plain)
    report(
        claim="sacremoses's time divided by ours, for the same tokens",
        median=result["ascii"]["median"],
        range=result["ascii"]["range"],
        beside={**result, "ascii, with places": exact},
        setting={"sentences": SENTENCES, "repeats": REPEATS, "seed": SEED},
        versions=("sacremoses", "regex"),
    )


def check_same(name: str, reference: Work, ours: Work, texts: Texts) -> None:
    differing = sum(reference(text) != ours(text) for text in texts)
    if differing:
        sys.exit(f"{name}: {differing} of {len(texts)} differ; nothing to compare")


def ratios(theirs: Work, ours: Work, texts: Texts) -> dict[str, object]:
    values, rates = [], []
    for _ in range(REPEATS):
        slow, quick = seconds(theirs, texts), seconds(ours, texts)
        values.append(slow / quick)
        rates.append(len(texts) / quick)
    return {
        "median": round(statistics.median(values), 1),
        "range": [round(min(values), 1), round(max(values), 1)],
        "our_sentences_per_second": round(statistics.median(rates), -3),
    }


def seconds(work: Work, texts: Texts) -> float:
    began = time.perf_counter()
    for text in texts:
        work(text)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
