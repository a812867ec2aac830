"""The teacher's best samples: it learns from its own selected samples, then reranks.

For the row "large teacher, reranked" of `paraphrast reproduce strap`, and for the
student that never sees a parallel pair. No parallel line is shown to the teacher, and
nothing is selected by one.

neutral    more few-shot paraphrases: Twelfth Night, and text of the plays' styles
inverse    learns the way back from paraphrases and earlier selected rewrites
rater      a second copy learns to rate texts (rater_data.py)
explore    samples for training lines, straight and from a paraphrase
select     the best of them by guide, rater and similarity: expert.tsv
expert     continues training on those
samples    many samples for STRAP's test and for Twelfth Night
rate       scores each by guide, rater, similarity and likelihood (reranking.py)

Run    python -m training.teacher.expert_iteration STAGE... --work FOLDER
Needs  FOLDER with teacher-base, teacher-neutral.tsv, guide, minilm, styles, additions,
       twelfth.tsv and earlier.tsv (reranking.py), rater.train.tsv (rater_data.py)
"""

import random
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.neural.finetune.examples import Source
from training.rewriter import rejection_sampling
from training.rewriter.rejection_sampling import Thresholds
from training.rewriter.workspace import Row, Workspace, read_rows, write_rows
from training.run_stages import Stage, run
from training.styles import OTHER_PLAY, PLAYS
from training.teacher import reranking
from training.teacher.teach import (
    ask,
    fine_tune,
    read_paraphrases,
    write_paraphrases,
)

if TYPE_CHECKING:
    from training.teacher.rater import Panel, Rater

MORE = 30_000  # texts that are paraphrased
EXPLORED, EACH, MANY = 12_000, 8, 32  # texts; samples per text, each way
STYLES = 0.15  # how often a paraphrase of another style is learnt
TWELFTH = 900
BEST = 0.75
LEAST = Thresholds(style=0.55, meaning=0.45, fluency=0.5, weights=(1.0, 2.0, 1.0))


def neutral(work: Workspace, seconds: float) -> None:
    paraphrases = read_paraphrases(work, "teacher-neutral")
    asked = dict.fromkeys(text for _, text in [*work.tests(), *_twelfth(work)])
    styles = {
        text: style
        for style in PLAYS
        for text in [*work.play(style), *work.texts(style, "train", MORE)]
        if text not in paraphrases
    }
    others = random.Random(1).sample(list(styles), min(len(styles), MORE))
    groups = [text for text in asked if text not in paraphrases], others
    write_paraphrases(work, "teacher-more", groups, styles, seconds)


def inverse(work: Workspace, seconds: float) -> None:
    rows: dict[bool, list[str]] = {True: [], False: []}
    for name in ("teacher-neutral", "teacher-more"):
        for row in read_rows(work.folder / f"{name}.tsv"):
            style = row.split("\t")[2]
            if style != "-":
                rows[style in PLAYS].append(row)
    write_rows(work.folder / "rows-plays.tsv", rows[True])
    write_rows(work.folder / "rows-styles.tsv", rows[False])
    sources = [
        Source(work.folder / "rows-plays.tsv"),
        Source(work.folder / "earlier.tsv"),
        Source(work.folder / "rows-styles.tsv", times=STYLES),
        Source(work.folder / "additions/short.tsv", times=0.1),
    ]
    fine_tune(
        work, "expert-inverse", "teacher-base", sources, seconds=seconds, epochs=2
    )


def rater(work: Workspace, seconds: float) -> None:
    from training.teacher.rater import Rater

    sources = [Source(work.folder / "rater.train.tsv")]
    fine_tune(
        work, "teacher-rater", "teacher-base", sources, seconds=seconds,
        learning_rate=1e-5,
    )  # fmt: skip
    trained = Rater(work.folder / "teacher-rater", work.device)
    for name in ("rater.dev.tsv", "rater.cola.tsv"):
        print(name, accuracy(trained, work.folder / name), flush=True)


def accuracy(trained: "Rater", path: Path) -> str:
    """Return the share of right answers to each question."""
    from training.teacher.rater import NATURAL, PLAYS

    rows = [line.split("\t") for line in read_rows(path)]
    shares = []
    for first, second in (NATURAL, PLAYS):
        own = [row for row in rows if row[1] in (first, second)]
        texts = [text for text, _ in own]
        scores = (
            trained.natural(texts)
            if first == NATURAL[0]
            else trained.style(texts, "shakespeare")
        )
        right = sum(
            (value > 0.5) == (answer == first)
            for value, (_, answer) in zip(scores, own, strict=True)
        )
        shares.append(f"{first}/{second} {right / max(1, len(own)):.3f} of {len(own)}")
    return ", ".join(shares)


def explore(work: Workspace, seconds: float) -> None:
    paraphrases = read_paraphrases(work, "teacher-neutral", "teacher-more")
    draw = random.Random(7)
    asked = []
    for style, other in OTHER_PLAY.items():
        texts = [*work.play(other), *work.texts(other, "train", 8000)]
        texts = [text for text in texts if 3 <= len(text.split()) <= 30]
        most = min(len(texts), work.scale(EXPLORED // 2))
        for text in draw.sample(texts, most):
            asked.append((text, style, text))
            if text in paraphrases:
                asked.append((paraphrases[text], style, text))
    ask(work, "explore", "expert-inverse", [(asked, EACH, 0.9)], seconds=seconds)


def select(work: Workspace, _: float) -> None:
    least = Thresholds(0, 0, 0) if work.smoke else LEAST
    tasks = rejection_sampling.read_candidates(work.folder / "candidates/explore.tsv")
    with rejection_sampling.processes(work) as pool:
        tasks = rejection_sampling.filter_tasks(tasks, pool, everything=work.smoke)
    selected = rejection_sampling.select(tasks, _panel(work), least)
    rated = [
        rejection_sampling.format_row(task, candidate)
        for task, own in zip(tasks, selected, strict=True)
        for candidate in own
    ]
    rows = rejection_sampling.best_share(rated, BEST, least)
    print(f"selected: {len(rows)} of {len(rated)}, {len(tasks)} texts", flush=True)
    write_rows(work.folder / "expert.tsv", rows)


def _panel(work: Workspace) -> "Panel":
    """Return the models that select."""
    from training.rewriter.similarity import Similarity
    from training.teacher.rater import Panel, Rater

    return Panel(
        work.load_guide(),
        Similarity(work.folder / "minilm", device=work.device),
        Rater(work.folder / "teacher-rater", work.device),
    )


def expert(work: Workspace, seconds: float) -> None:
    sources = [
        Source(work.folder / "expert.tsv"),
        Source(work.folder / "rows-plays.tsv", times=0.15),
    ]
    fine_tune(
        work, "teacher-expert", "expert-inverse", sources, seconds=seconds, epochs=2,
        learning_rate=1e-5,
    )  # fmt: skip


def samples(work: Workspace, seconds: float) -> None:
    """Sample from each text straight, and from its paraphrase."""
    paraphrases = read_paraphrases(work, "teacher-neutral", "teacher-more")
    for title, rows in (("strap", work.tests()), ("twelfth", _twelfth(work))):
        straight = [(text, style, text) for style, text in rows]
        plain = [(paraphrases.get(text, text), style, text) for style, text in rows]
        jobs = [(straight, MANY, 0.95), (plain, MANY, 0.9)]
        ask(work, title, "teacher-expert", jobs, seconds=seconds)


def _twelfth(work: Workspace) -> list[Row]:
    """Return target style and input of lines of Twelfth Night."""
    rows = read_rows(work.folder / "twelfth.tsv")[: work.scale(TWELFTH)]
    return [(style, text) for style, text in (row.split("\t") for row in rows)]


def rate(work: Workspace, _: float) -> None:
    """Rate all samples for `reranking`."""
    from training.sampler import Sampler

    panel = _panel(work)
    base = Sampler(work.folder / "teacher-base", work.device)
    for title in ("strap", "twelfth"):
        tasks = rejection_sampling.read_candidates(
            work.folder / f"candidates/{title}.tsv"
        )
        with rejection_sampling.processes(work) as pool:
            kept = reranking.filter_samples(tasks, pool, everything=work.smoke)
        rows = reranking.rate(kept, panel, base)
        reranking.save(work.folder / f"rated/{title}.tsv", rows)


STAGES = {
    "neutral": Stage(neutral, "teacher-more.tsv", 50),
    "inverse": Stage(inverse, "expert-inverse/config.json", 120),
    "rater": Stage(rater, "teacher-rater/config.json", 60),
    "explore": Stage(explore, "candidates/explore.tsv", 55),
    "select": Stage(select, "expert.tsv"),
    "expert": Stage(expert, "teacher-expert/config.json", 60),
    "samples": Stage(samples, "candidates/twelfth.tsv", 95),
    "rate": Stage(rate, "rated/twelfth.tsv"),
}


if __name__ == "__main__":
    run(STAGES, __doc__)
