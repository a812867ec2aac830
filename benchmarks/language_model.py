r"""Are our n-gram models the same as KenLM's, and as fast?

Run    python -m benchmarks.language_model FOLDER \
           > benchmarks/results/language_model.json
       (FOLDER is the mirror of the corpora)
Backs  the row "n-gram models" in docs/benchmarks.md, which is made from that file.

Models of XU12's 36 plays (straightened, tokenised, lower case) are measured on the
510 original lines of Romeo and Juliet, unknown words counted, where KenLM's lmplz
gives 83.0 for order 3 and 80.7 for order 5. Every order is written as ARPA and read
by the kenlm package, and each word's score must agree before anything is timed.

Then both score the same lines in turns, in one process, in CPU time: sentence by
sentence (``score``), with every word's score (``full_scores``), and ours in one call
for all lines. The claim is the median ratio for ``score``, order 5. KenLM reads ARPA
there, because its package cannot write KenLM's own binary form.
"""

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import kenlm

from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.corpora.loaders import plays
from paraphrast.estimators import language_model
from paraphrast.estimators.language_model import LanguageModel, Settings, train
from paraphrast.phrase import arpa
from paraphrast.text import tokenise
from paraphrast.text.normalisation import straighten

ORDERS, TIMED, REPEATS = (2, 3, 4, 5, 6), (3, 5), 7
TEST_COPIES, TRAINING_LINES = 10, 10_000
PUBLISHED = {"order 3": 83.0, "order 5": 80.7}
ALLOWED = 1e-4


def main() -> None:
    folder = Path(sys.argv[1]) / "xu12"
    text = [
        " ".join(tokenise(straighten(line).lower()))
        for line in plays.texts_of(folder, "xu12", "plays")
    ]
    test = [line.original for line in plays.romeo_and_juliet(folder, form="tokenised")]
    lines = test * TEST_COPIES + text[:TRAINING_LINES]
    perplexity, differences, speed, facts = {}, {}, {}, {}
    for order in ORDERS:
        name = f"order {order}"
        model = train(text, Settings(order=order))
        result = model.perplexity(test)
        perplexity[name] = {
            "all words": round(result.value, 2),
            "known words": round(result.without_unknown, 2),
        }
        with tempfile.TemporaryDirectory() as index:
            ours, theirs, about = save_models(model, Path(index))
            differences[name] = check_same(ours, theirs, lines)
            if order in TIMED:
                speed[name] = compare(ours, theirs, lines)
                facts[name] = about | {"building": building(text, order)}
    report(
        claim="KenLM's CPU time divided by ours, sentence by sentence, order 5",
        **speed["order 5"]["score"],
        perplexity=perplexity,
        lmplz=PUBLISHED,
        largest_difference_of_a_word=differences,
        queries=speed,
        models=facts,
        setting={
            "lines": len(lines),
            "words": sum(len(line.split()) + 1 for line in lines),
            "training_words": sum(len(line.split()) for line in text),
            "repeats": REPEATS,
        },
        versions=("kenlm", "numpy"),
    )


def save_models(
    model: LanguageModel, folder: Path
) -> tuple[LanguageModel, kenlm.Model, dict[str, float]]:
    """Return the model as mapped from a file, KenLM's, and facts about the files."""
    binary, text = folder / "model.lm", folder / "model.arpa"
    model.save(binary)
    writing = cpu_seconds(lambda: arpa.write(model, text))
    reading = cpu_seconds(lambda: arpa.read(text))
    opening = [cpu_seconds(lambda: language_model.load(binary)) for _ in range(REPEATS)]
    theirs: list[kenlm.Model] = []
    their_reading = cpu_seconds(lambda: theirs.append(kenlm.Model(str(text))))
    facts = {
        "load_milliseconds": round(1000 * statistics.median(opening), 1),
        "megabytes": round(binary.stat().st_size / 1e6, 1),
        "arpa_megabytes": round(text.stat().st_size / 1e6, 1),
        "arpa_write_seconds": round(writing, 1),
        "arpa_read_seconds": round(reading, 1),
        "kenlm_arpa_read_seconds": round(their_reading, 1),
    }
    return language_model.load(binary), theirs[0], facts


def check_same(ours: LanguageModel, theirs: kenlm.Model, lines: list[str]) -> float:
    worst = 0.0
    for line, row in zip(lines, ours.score_lines(lines), strict=True):
        words = zip(ours.full_scores(line), theirs.full_scores(line), strict=True)
        for own, other in words:
            if own[1:] != other[1:]:
                sys.exit(f"{line!r}: other n-grams were found; nothing to compare")
            worst = max(worst, abs(own[0] - other[0]))
        if abs(row[0] - theirs.score(line)) > ALLOWED * max(1, -row[0]):
            sys.exit(f"{line!r} has another score; there is nothing to compare")
    if worst > ALLOWED:
        sys.exit(f"words' scores differ by {worst:.1e}; there is nothing to compare")
    return float(f"{worst:.1e}")


def compare(
    ours: LanguageModel, theirs: kenlm.Model, lines: list[str]
) -> dict[str, dict[str, object]]:
    words = sum(len(line.split()) + 1 for line in lines)
    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "score": (
            lambda: [theirs.score(line) for line in lines],
            lambda: [ours.score(line) for line in lines],
        ),
        "full_scores": (
            lambda: [list(theirs.full_scores(line)) for line in lines],
            lambda: [ours.full_scores(line) for line in lines],
        ),
        "all lines in one call": (
            lambda: [theirs.score(line) for line in lines],
            lambda: ours.score_lines(lines),
        ),
    }
    result = {}
    for name, (other, own) in ways.items():
        ratios, rates = [], []
        for _ in range(REPEATS):
            slow, quick = cpu_seconds(other), cpu_seconds(own)
            ratios.append(slow / quick)
            rates.append(words / quick)
        result[name] = {
            "median": round(statistics.median(ratios), 2),
            "range": [round(min(ratios), 2), round(max(ratios), 2)],
            "our_words_per_second": int(round(statistics.median(rates), -4)),
        }
    return result


def building(text: list[str], order: int) -> dict[str, float]:
    took = [
        cpu_seconds(lambda: train(text, Settings(order=order))) for _ in range(REPEATS)
    ]
    words = sum(len(line.split()) for line in text)
    middle = statistics.median(took)
    return {
        "seconds": round(middle, 2),
        "words_per_second": int(round(words / middle, -4)),
    }


if __name__ == "__main__":
    main()
