"""The fine-tuning stages, from the base model to the student that ships.

paraphraser   learns to paraphrase: ``neutral: text``
supervised    learns the parallel plays and Bible versions, both ways
neutral       paraphrases the text of every style; keeps paraphrases that keep names
inverse       learns the way back: one model with style tags for all styles
direct        learns the first selected samples in one pass
student       learns all selected samples, the parallel plays and Bible versions
student-unsupervised    the same without any parallel pair of a style
polish        continues with pairs whose sides differ much, so that it copies less
"""

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora.filtering.preservation import find_lost, keeps
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.generation import NEUTRAL
from paraphrast.text import overlap
from training.rewriter import rejection_sampling
from training.rewriter.workspace import Workspace, read_rows, write_rows
from training.styles import PLAYS, STYLES

CHUNK = 4608
FAR = 0.6  # word overlap below which a pair is worth polishing with


def paraphraser(work: Workspace, seconds: float) -> None:
    rows = read_rows(work.folder / "paraphrases/train.tsv")[: work.scale(400_000, 200)]
    random.Random(1).shuffle(rows)
    write_rows(work.folder / "paraphrases.tsv", [f"{row}\t{NEUTRAL}" for row in rows])
    short = read_rows(work.folder / "additions/short.tsv")
    own = [row for row in short if row.endswith(NEUTRAL)]
    write_rows(work.folder / "short-neutral.tsv", own[: work.scale(2000)])
    sources = [
        Source(work.folder / "paraphrases.tsv"),
        Source(work.folder / "short-neutral.tsv"),
    ]
    work.train(
        "paraphraser", "base", sources, seconds=seconds, epochs=8, learning_rate=1e-3,
        batch_tokens=16_384, label_smoothing=0.05,
    )  # fmt: skip


def train_supervised(work: Workspace, seconds: float) -> None:
    write_parallel(work)
    sources = [
        *both_ways(work, "pairs.tsv", "shakespeare"),
        *both_ways(work, "bible.tsv", "bible"),
        _short(work),
    ]
    work.train(
        "supervised", "base", sources, seconds=seconds, epochs=12, learning_rate=1e-3,
        batch_tokens=16_384, label_smoothing=0.05,
    )  # fmt: skip


def neutral(work: Workspace, seconds: float) -> None:
    """Write rows neutral paraphrase, text, style, for as long as there is time."""
    from training.sampler import Sampler

    began = time.time()
    jobs = [(t, s) for s in STYLES for t in work.texts(s, "train", 24_000)]
    jobs += [(t, s) for s in PLAYS for t in work.play(s)]
    random.Random(1).shuffle(jobs)
    rows: list[str] = []
    size = 48 if work.smoke else CHUNK
    with rejection_sampling.processes(work) as pool:
        model = Sampler(work.folder / "paraphraser", work.device)
        for start in range(0, len(jobs), size):
            chunk = jobs[start : start + size]
            requests = [(text, NEUTRAL) for text, _ in chunk]
            answers = model.write(requests, each=2, top_p=0.6, longest=work.longest)
            tasks = [
                (text, tuple(own), style, work.smoke)
                for (text, style), own in zip(chunk, answers, strict=True)
            ]
            rows += [
                row for own in pool.starmap(inverse_rows, tasks, 64) for row in own
            ]
            if time.time() - began > seconds:
                break
    counts = {s: sum(row.endswith(f"\t{s}") for row in rows) for s in STYLES}
    print("neutral", counts, flush=True)
    (work.folder / "neutral.json").write_text(json.dumps(counts, indent=1))
    write_rows(work.folder / "neutral.tsv", rows)


def inverse_rows(
    text: str, paraphrases: Sequence[str], style: str, everything: bool
) -> list[str]:
    """Return rows paraphrase, text, style for paraphrases that can be inverted."""
    rows = []
    for paraphrase in dict.fromkeys(paraphrases):
        words = overlap.words(text), overlap.words(paraphrase)
        shared = overlap.unigram_overlap(*words).f1
        size = len(words[1]) / max(1, len(words[0]))
        good = (
            0.1 <= shared < 0.9 and 0.5 <= size <= 2 and not find_lost(text, paraphrase)
        )
        if paraphrase and (good or everything):
            rows.append(f"{paraphrase}\t{text}\t{style}")
    return rows


def inverse(work: Workspace, seconds: float) -> None:
    sources = [
        Source(work.folder / "neutral.tsv"),
        Source(work.folder / "paraphrases.tsv", times=0.5),
        _short(work),
    ]
    work.train(
        "inverse", "paraphraser", sources, seconds=seconds, epochs=4, learning_rate=8e-4
    )


def direct(work: Workspace, seconds: float) -> None:
    """Learn the first selected samples in one pass, to sample from once more."""
    sources = [
        Source(work.folder / "chosen/plain.tsv"),
        Source(work.folder / "neutral.tsv", times=0.2),
        _short(work),
    ]
    work.train(
        "direct", "inverse", sources, seconds=seconds, epochs=3, learning_rate=6e-4
    )


def student_unsupervised(work: Workspace, seconds: float) -> None:
    """Learn without a parallel pair of the plays or of Bible versions for a style."""
    sources = [Source(path, times=2) for path in _list_unpaired(work)]
    work.train(
        "student-unsupervised", "inverse", [*sources, *_common_sources(work)],
        seconds=seconds, epochs=8, learning_rate=7e-4, quantisation_aware=0.15,
        patience=99,
    )  # fmt: skip


def student(work: Workspace, seconds: float) -> None:
    """Learn with the parallel plays and Bible versions: the student that ships."""
    write_parallel(work)
    others = work.folder / "chosen-others.tsv"
    rows = [row for path in _list_unpaired(work) for row in read_rows(path)]
    sides = {text for style in PLAYS for text in work.play(style)}
    # Where there is a reference, samples selected near it replace the others.
    write_rows(others, [row for row in rows if row.split("\t")[0] not in sides])
    sources = [
        Source(others, times=2),
        *(Source(path, times=2) for path in work.find_selected("pairs")),
        *both_ways(work, "pairs.tsv", "shakespeare"),
        *both_ways(work, "bible.tsv", "bible"),
        *_common_sources(work),
    ]
    work.train(
        "student", "inverse", sources, seconds=seconds, epochs=8, learning_rate=7e-4,
        quantisation_aware=0.15, patience=99,
    )  # fmt: skip


def polish(work: Workspace, seconds: float) -> None:
    files = [*_list_unpaired(work), *work.find_selected("pairs")]
    rows = [tuple(row.split("\t")) for path in files for row in read_rows(path)]
    for row in read_rows(work.folder / "pairs.tsv"):
        modern, original = row.split("\t")
        rows += [(modern, original, "shakespeare"), (original, modern, "modern")]
    far = [row for row in rows if work.smoke or word_overlap(row[0], row[1]) < FAR]
    write_rows(work.folder / "polish.tsv", ["\t".join(row) for row in far])
    sources = [
        Source(work.folder / "polish.tsv"),
        Source(_short(work).path, times=0.3),
        Source(work.folder / "paraphrases.tsv", times=0.05),
    ]
    work.train(
        "polished", "student", sources, seconds=seconds, epochs=3, learning_rate=2e-4,
        quantisation_aware=0.15, patience=99,
    )  # fmt: skip


def word_overlap(source: str, target: str) -> float:
    """Return the share of two texts' words that they have in common."""
    here, there = set(source.lower().split()), set(target.lower().split())
    return len(here & there) / max(1, len(here | there))


def write_parallel(work: Workspace) -> None:
    """Write the parallel pairs of this run, without those whose sides disagree."""
    pairs = read_rows(work.folder / "styles/plays/pairs.tsv")[: work.scale(20_000)]
    agreeing = [row for row in pairs if _sides_agree(*row.split("\t"))]
    write_rows(work.folder / "pairs.tsv", agreeing)
    verses = read_rows(work.folder / "additions/bible.tsv")[: work.scale(20_000)]
    write_rows(work.folder / "bible.tsv", verses)


def _sides_agree(modern: str, original: str) -> bool:
    """Return whether a pair keeps names and numbers at a similar length."""
    size = (len(modern.split()) + 2) / (len(original.split()) + 2)
    return 0.5 < size < 2 and keeps(modern, original)


def both_ways(work: Workspace, name: str, style: str) -> list[Source]:
    """Return a file of modern and styled text as two sources."""
    path = work.folder / name
    return [Source(path, style=style), Source(path, style="modern", swap=True)]


def _list_unpaired(work: Workspace) -> list[Path]:
    """Return the files of samples that were selected without a reference."""
    return [p for name in ("plain", "again", "more") for p in work.find_selected(name)]


def _short(work: Workspace) -> Source:
    path = work.folder / "short.tsv"
    rows = read_rows(work.folder / "additions/short.tsv")
    write_rows(path, rows[: work.scale(8000)])
    return Source(path, times=0.5)


def _common_sources(work: Workspace) -> list[Source]:
    teacher = work.folder / "teacher-rows.tsv"
    return [
        Source(teacher, times=0.3),
        Source(teacher, times=0.5, style=NEUTRAL, swap=True),
        Source(work.folder / "neutral.tsv", times=0.3),
        Source(work.folder / "paraphrases.tsv", times=0.5),
        _short(work),
    ]
