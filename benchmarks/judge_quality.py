r"""How good is the built-in judge, and its language model, on held-out text?

Run    python -m benchmarks.judge_quality FOLDER \
           > benchmarks/results/judge_quality.json
       (FOLDER is the mirror of the corpora)
Backs  docs/judges.md.

The judge is trained on the plays of Jhamtani et al. (2017), calibrated on Twelfth
Night and measured on Romeo and Juliet, which chose nothing. Fluency is measured on
the same play against its corruptions, and on people's judgments (CoLA's development
part), once as the judge learns it and once with CoLA's training part. The language
model's perplexity is that of XU12's 510 original lines under the other plays, on
Moses tokens, where KenLM's lmplz gives 83.0 for order 3.
"""

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.report import report
from paraphrast.corpora import read_lines, read_texts
from paraphrast.estimators import ngram_model
from paraphrast.judges import fluency, judge
from paraphrast.judges.evaluator import FluencyModel
from paraphrast.text.normalisation import straighten
from paraphrast.text.tokens import tokenise

SEED = 1


def main() -> None:
    mirror = Path(sys.argv[1])
    train, valid, test = (plays(mirror, part) for part in ("train", "valid", "test"))
    start = time.process_time()
    trained = judge.train_judge(train, valid=valid, seed=SEED)
    seconds = time.process_time() - start
    figures = judge.held_out_figures(trained.accuracy, trained.fluency, test, seed=SEED)
    texts = [text for result in train.values() for text in result]
    cola_train, cola_dev = (cola(mirror, part) for part in ("train", "dev"))
    taught = fluency.train_on_judgments(texts, cola_train)
    report(
        claim="share of Romeo and Juliet's lines put into their own style",
        median=figures["accuracy"],
        valid=trained.about["held_out"],
        test=figures,
        cola_matthews={
            "taught by corruptions": matthews(trained.fluency, cola_dev),
            "taught by CoLA": matthews(taught, cola_dev),
        },
        perplexity=perplexities(mirror),
        cpu_seconds=round(seconds),
        setting={"sentences": sum(map(len, train.values())), "seed": SEED},
        versions=("numpy",),
    )


def plays(mirror: Path, part: str) -> dict[str, list[str]]:
    folder = mirror / "jhamtani17"
    return {
        "modern": list(read_texts(folder / f"{part}.modern.nltktok")),
        "shakespeare": list(read_texts(folder / f"{part}.original.nltktok")),
    }


def cola(mirror: Path, part: str) -> list[tuple[str, bool]]:
    path = mirror / f"cola/in_domain_{part}.tsv"
    return fluency.read_judgments(read_lines(path), where=str(path))


def matthews(model: FluencyModel, judged: list[tuple[str, bool]]) -> float:
    result = model.probabilities([text for text, _ in judged]) >= 0.5
    right = np.array([acceptable for _, acceptable in judged])
    return round(fluency.matthews(result, right), 3)


def perplexities(mirror: Path) -> dict[str, float]:
    text = read_texts(mirror / "xu12/lm/36plays.original")
    train = [tokenise(straighten(line).lower()) for line in text]
    name = "xu12/eval/ascii.romeojuliet_tokenized_lower_original"
    test = [line.split() for line in read_texts(mirror / name)]
    return {
        f"order {order}": round(
            ngram_model.train(train, order=order).perplexity(test), 2
        )
        for order in (1, 2, 3, 4, 5)
    }


if __name__ == "__main__":
    main()
