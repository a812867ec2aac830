r"""How fast is the small judge on one core, and what does 8-bit precision cost it?

Run    python -m benchmarks.judge_speed FOLDER [--weights small.npz] \
           > benchmarks/results/judge_speed.json
       (FOLDER is the mirror of the corpora; the weights are what training wrote)
Backs  docs/judges.md.

Lines of Romeo and Juliet are judged as rewrites of their modern sides: style,
similarity to the source and fluency of each, which reads two texts per row. Time is CPU
time on one thread, without loading. With ``--weights`` and torch the same network runs
in Hugging Face's code in single precision, in turn in one process, with the same
sorting by length and the same batches; and both scores are compared. Memory is the peak
of a fresh process that only loads the judge and judges.
"""

import argparse
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import measure_megabytes, read_peak
from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.corpora import read_texts
from paraphrast.judges.encoder.running import pool_texts
from paraphrast.judges.judge import SMALL, Judge, load

ROWS, REPEATS = 1000, 3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--memory", action="store_true", help="only judge, print kB")
    options = parser.parse_args()
    sources, outputs = lines(options.mirror)
    judge = load(SMALL, threads=1)
    if options.memory:
        scores(judge, outputs, sources)
        print(read_peak())
        return
    theirs = reference(options.weights) if options.weights else None
    ours_seconds, their_seconds = [], []
    for _ in range(REPEATS):
        forget(judge)
        ours_seconds.append(cpu_seconds(lambda: scores(judge, outputs, sources)))
        if theirs:
            their_seconds.append(cpu_seconds(lambda: theirs([*outputs, *sources])))
    facts: dict[str, Any] = {
        "median": round(ROWS / statistics.median(ours_seconds)),
        "range": sorted(round(ROWS / s) for s in ours_seconds),
        "texts per second": round(2 * ROWS / statistics.median(ours_seconds)),
        "peak memory in MB": measure_megabytes(
            "benchmarks.judge_speed", options.mirror
        ),
        "megabytes on disk": round(
            sum(p.stat().st_size for p in SMALL.rglob("*") if p.is_file()) / 1e6, 1
        ),
    }
    if theirs:
        ratios = [t / o for t, o in zip(their_seconds, ours_seconds, strict=True)]
        facts["HF fp32's time divided by ours"] = round(statistics.median(ratios), 2)
        facts["loss from 8 bits"] = loss(judge, theirs, outputs, sources)
    report(
        claim="rows judged per CPU second: style, similarity to the source, fluency",
        **facts,
        setting={"rows": ROWS, "threads": 1, "repeats": REPEATS},
        versions=("ctranslate2", "numpy", *(("torch",) if theirs else ())),
    )


def lines(mirror: Path) -> tuple[list[str], list[str]]:
    folder = mirror / "jhamtani17"
    modern = list(read_texts(folder / "test.modern.nltktok"))[:ROWS]
    return modern, list(read_texts(folder / "test.original.nltktok"))[:ROWS]


def scores(judge: Judge, outputs: list[str], sources: list[str]) -> list[Any]:
    return [
        judge.accuracy.probabilities(outputs),
        judge.similarity(outputs, sources),
        judge.fluency.probabilities(outputs),
    ]


def forget(judge: Judge) -> None:
    reader: Any = judge.similarity.reader  # type: ignore[attr-defined]
    reader._seen.clear()
    reader._tokens.clear()


def reference(weights: Path) -> Callable[[list[str]], Any]:
    """Return the same encoder in Hugging Face's code, from texts to pooled states."""
    import torch

    from training.judge.backbones import minilm

    torch.set_num_threads(1)
    with np.load(weights) as archive:
        state = {
            n.removeprefix("encoder."): torch.from_numpy(archive[n].astype(np.float32))
            for n in archive.files
            if n.startswith("encoder.")
        }
    model, _ = minilm()
    model.load_state_dict(state, strict=False)
    model.eval()
    tokenizer = load(SMALL).similarity.reader.tokenizer  # type: ignore[attr-defined]

    class Torch:
        hidden = 384

        def states(self, batch: Sequence[Sequence[int]]) -> Any:
            longest = max(map(len, batch))
            ids = torch.tensor(
                [[*text, *[0] * (longest - len(text))] for text in batch]
            )
            with torch.no_grad():
                result = model(input_ids=ids, attention_mask=(ids != 0).long())
            return result.last_hidden_state.numpy()

    return lambda texts: pool_texts(
        Torch(), [tokenizer.ids(text) for text in texts], start=101, end=102
    )


def loss(
    judge: Judge,
    theirs: Callable[[list[str]], Any],
    outputs: list[str],
    sources: list[str],
) -> dict[str, float]:
    """Return how far 8 bits are from single precision, on the lines that were timed."""
    reader = judge.similarity.reader  # type: ignore[attr-defined]
    heads = reader.heads
    eight, whole = reader.pool([*outputs, *sources]), theirs([*outputs, *sources])
    cosines = [
        (v[:ROWS] * v[ROWS:]).sum(axis=1) for v in map(heads.vectors, (eight, whole))
    ]
    styles = [heads.logits("style", rows).argmax(axis=1) for rows in (eight, whole)]
    fluent = [heads.logits("acceptable", rows)[:, 0] > 0 for rows in (eight, whole)]
    return {
        "mean difference of cosines": round(
            float(abs(cosines[0] - cosines[1]).mean()), 4
        ),
        "same style": round(float((styles[0] == styles[1]).mean()), 4),
        "same fluency": round(float((fluent[0] == fluent[1]).mean()), 4),
    }


if __name__ == "__main__":
    main()
