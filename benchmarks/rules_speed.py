"""How many sentences per second do the formality rules rewrite on one core?

Run    python -m benchmarks.rules_speed > benchmarks/results/rules_speed.json
Backs  the row "formality rules" in docs/benchmarks.md, which is made from that file.

The sentences are made from templates with a seed, in the manner of question-and-answer
sites: about twelve words, slang, contractions, shouting, stretched letters, and here
and there a number, an address or a face. Their protected spans are found beforehand, as
the front door does. Before anything is timed, the edits must give the text and a second
rewrite must change nothing. Where the package ``contractions`` is installed it is timed
in turn in the same process; it does a part of the work (contractions and some slang,
without context, spans or explanations), so its figure only gives a sense of scale.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import islice

from benchmarks.report import report
from paraphrast.rewriter import Rewriter, Sentence
from paraphrast.rules import family
from paraphrast.rules.edits import apply_changes, move_spans
from paraphrast.text.protection import protected_spans

SEED, SENTENCES, REPEATS = 1, 10_000, 7
OPENERS = (
    "well,", "um", "omg", "hey", "so", "ok so", "i think", "yeah", "lol", "btw",
    "honestly", "and", "but", "no,", "",
)  # fmt: skip
SUBJECTS = (
    "i'm", "ur", "he's", "they dont", "my bf is", "She isn't", "we're", "its",
    "YOU ARE", "im",
)  # fmt: skip
STATES = (
    "gonna be late again", "soooo tired", "really into star wars", "not that bad",
    "going to paris in may", "kinda weird", "AWESOME", "trying to get some sleep",
    "the best singer ever", "mad at john", "so cute",
)  # fmt: skip
REASONS = (
    "cuz my friends dont care", "if you wanna know", "when i see him in school",
    "and thats all", "because the song is from 1985", "but idk what 2 do", "in the us",
    "w/ my sis", "tbh", "since monday", "so check www.example.com",
    "and it's a great movie", "4 sure", "u know",
)  # fmt: skip
ENDS = ("!!!", "", ".", "??", "...", " :)", " lol", "!", " ...", " thx")


def main() -> None:
    sentences = make_sentences(SENTENCES)
    formal = [
        r[0].text for r in family.load("formal")(sentences, alternatives=1, seed=1)
    ]
    targets = [Sentence(text, tuple(protected_spans(text))) for text in formal]
    jobs: dict[str, Callable[[], object]] = {}
    for style, batch in (("formal", sentences), ("informal", targets)):
        rewriter = family.load(style)
        assert_sound(rewriter, batch)
        jobs[style] = partial(rewriter, batch, alternatives=1, seed=SEED)
    peers = ("contractions",) if find_spec("contractions") else ()
    if peers:
        import contractions

        jobs["contractions.fix"] = lambda: [contractions.fix(s.text) for s in sentences]
    rates: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(REPEATS):
        for name, job in jobs.items():
            begin = time.process_time()
            job()
            rates[name].append(len(sentences) / (time.process_time() - begin))
    report(
        claim="sentences per second on one core, informal to formal",
        median=round(statistics.median(rates["formal"])),
        range=[round(min(rates["formal"])), round(max(rates["formal"]))],
        others={
            name: {
                "median": round(statistics.median(values)),
                "range": [round(min(values)), round(max(values))],
            }
            for name, values in rates.items()
            if name != "formal"
        },
        setting={
            "sentences": len(sentences),
            "words a sentence": round(mean_words(sentences), 1),
            "changed": sum(a != s.text for a, s in zip(formal, sentences, strict=True)),
            "with protected spans": sum(bool(s.protected) for s in sentences),
            "repeats": REPEATS,
            "seed": SEED,
        },
        versions=peers,
    )


def make_sentences(number: int) -> list[Sentence]:
    """Make sentences like those of people who ask and answer on the web."""
    texts = islice(draw_texts(), number)
    return [Sentence(text, tuple(protected_spans(text))) for text in texts]


def draw_texts() -> Iterator[str]:
    """Yield an endless stream of such sentences' texts."""
    draw = random.Random(SEED)
    while True:
        parts = [draw.choice(OPENERS), draw.choice(SUBJECTS), draw.choice(STATES)]
        parts += [draw.choice(REASONS), draw.choice(["", draw.choice(REASONS)])]
        yield " ".join(filter(None, parts)) + draw.choice(ENDS)


def assert_sound(rewriter: Rewriter, sentences: list[Sentence]) -> None:
    result = [rewrites[0] for rewrites in rewriter(sentences, alternatives=1, seed=1)]
    again = []
    for sentence, rewrite in zip(sentences, result, strict=True):
        assert apply_changes(sentence.text, rewrite.changes) == rewrite.text
        spans = move_spans(sentence.protected, rewrite.changes)
        again.append(Sentence(rewrite.text, spans))
    for rewrite, second in zip(
        result, rewriter(again, alternatives=1, seed=1), strict=True
    ):
        assert second[0].text == rewrite.text, rewrite.text


def mean_words(sentences: list[Sentence]) -> float:
    return statistics.mean(len(sentence.text.split()) for sentence in sentences)


if __name__ == "__main__":
    main()
