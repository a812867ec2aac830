"""The stages in which students learn from their own samples by reward.

``rewarded`` continues from the student that ships; lines of the parallel plays bring
their references. ``rewarded-unsupervised`` continues from the other and sees no pair.
`policy_gradient` takes the steps, `rewards` scores the samples.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from paraphrast.neural.models.folders import WEIGHTS
from paraphrast.neural.models.generation import NEUTRAL
from paraphrast.storage.sealed_folder import sha256
from training.rewriter import rejection_sampling, stages
from training.rewriter.overused_ngrams import OverusedNgrams
from training.rewriter.rewards import Asked, Rewards, Row
from training.rewriter.workspace import Workspace, read_rows, write_rows
from training.styles import OTHER_PLAY, STYLES

# How many texts of each kind; they are drawn from all alike.
PAIRED, BETWEEN, OTHERS, INTO_PLAYS, PLAIN = 30_000, 12_000, 7000, 4000, 6000
HELD_LINES, HELD_TEXTS = 100, 20
LEVEL, USUAL = 800, 6000  # real texts of a style: for surprisal, for n-gram counts
EXPERT, PAIRS = 3, 4  # times that what the teacher chose, and the plays, are drawn
_Any = TypeVar("_Any")


def reinforce(work: Workspace, seconds: float) -> None:
    """Continue training the student that ships."""
    stages.write_parallel(work)
    _learn(work, "start", "rewarded", seconds, paired=True)


def rewarded_unsupervised(work: Workspace, seconds: float) -> None:
    """Continue training the student that has never seen a parallel pair of a style."""
    _learn(work, "start-unsupervised", "rewarded-unsupervised", seconds, paired=False)


def _learn(
    work: Workspace, base: str, name: str, seconds: float, *, paired: bool
) -> None:
    # torch is only imported where it is needed.
    from training.rewriter.naturalness import Naturalness
    from training.rewriter.policy_gradient import Plan, Student, reinforce
    from training.rewriter.similarity import Similarity

    plan = Plan(seconds, work.learning_rate)
    if work.smoke:
        plan = Plan(
            seconds, work.learning_rate, texts=4, each=4, pairs=2, look_every=20
        )
    with rejection_sampling.processes(work) as pool:
        guide = work.load_guide()
        near = Similarity(work.folder / "minilm", device=work.device)
        plain = Naturalness(
            work.folder / "smollm2",
            real(work, LEVEL),
            device=work.device,
        )
        rewards = Rewards(guide, near, plain, OverusedNgrams(real(work, USUAL)), pool)
        student = Student(work.folder / base, work.device, plan)
        reinforce(
            student,
            list(texts(work, paired=paired)),
            pairs(work, paired=paired),
            rewards,
            read_held_out(work),
            work.folder / name,
        )
    weights = work.folder / name / WEIGHTS
    named = (work.guide_signature(), near.signature, plain.signature, sha256(weights))
    write_rows(work.folder / f"{name}.signatures", named)


def real(work: Workspace, number: int) -> dict[str, list[str]]:
    """Return human-written texts of every style."""
    draw = random.Random(6)
    result = {style: work.texts(style, "train", 24_000) for style in STYLES}
    return {
        style: draw.sample(own, min(len(own), work.scale(number, 50)))
        for style, own in result.items()
    }


def texts(work: Workspace, *, paired: bool) -> Iterator[Asked]:
    """Return what is asked for, in the proportions that it is drawn in."""
    draw = random.Random(7)

    def some(result: Sequence[_Any], number: int) -> list[_Any]:
        return draw.sample(result, min(len(result), work.scale(number)))

    rows = (
        [row.split("\t") for row in read_rows(work.folder / "pairs.tsv")]
        if paired
        else []
    )
    for modern, original in some(rows, PAIRED // 2):
        yield Asked(modern, "modern", "shakespeare", original)
        yield Asked(original, "shakespeare", "modern", modern)
    for style, other in OTHER_PLAY.items():
        alone = [] if paired else work.play(other)
        number = BETWEEN // 2 + (0 if paired else PAIRED // 2)
        for text in some([*work.texts(other, "train", 24_000), *alone], number):
            yield Asked(text, other, style)
    texts_of = {style: work.texts(style, "train", 24_000) for style in STYLES}
    for style, other in itertools.permutations(STYLES, 2):
        number = INTO_PLAYS if style in OTHER_PLAY else OTHERS
        if other != OTHER_PLAY.get(style):
            for text in some(texts_of[other], number // (len(STYLES) - 1)):
                yield Asked(text, other, style)
    for style in STYLES:
        for text in some(texts_of[style], PLAIN // len(STYLES)):
            yield Asked(text, style, NEUTRAL)


def pairs(work: Workspace, *, paired: bool) -> list[Row]:
    """Return rows source, target, style that keep a student from forgetting."""
    draw = random.Random(8)
    result: list[Row] = []
    # What a larger teacher chose without pairs; with pairs, the plays say it better.
    for row in (
        [] if paired else read_rows(work.folder / "expert.tsv")[: work.scale(20_000)]
    ):
        source, text, style = row.split("\t")
        result += EXPERT * [(source, text, style)]
    short = read_rows(work.folder / "additions/short.tsv")
    for row in draw.sample(short, min(len(short), work.scale(4000))):
        source, text, style = row.split("\t")
        result.append((source, text, style))
    for row in read_rows(work.folder / "teacher-rows.tsv")[: work.scale(40_000)]:
        plain, text, style = row.split("\t")
        result.append((plain, text, style))
        if stages.word_overlap(plain, text) < stages.FAR:
            result.append((text, plain, NEUTRAL))
    if paired:
        for name, style, times in (
            ("pairs.tsv", "shakespeare", PAIRS),
            ("bible.tsv", "bible", 1),
        ):
            for row in read_rows(work.folder / name):
                new, old = row.split("\t")
                result += times * [(new, old, style), (old, new, "modern")]
    return result


def read_held_out(work: Workspace) -> list[Asked]:
    """Return texts that no model learns from: Twelfth Night, and of every style."""
    draw = random.Random(9)
    rows = [
        tuple(row.split("\t"))
        for row in read_rows(work.folder / "additions/twelfth.tsv")
    ]
    result = []
    for style, other in OTHER_PLAY.items():
        own = [row for row in rows if row[0] == style]
        for _, source, reference in draw.sample(own, work.scale(HELD_LINES)):
            result.append(Asked(source, other, style, reference))
    for style in (*STYLES, NEUTRAL):
        if style not in OTHER_PLAY:
            others = [other for other in STYLES if other != style]
            for text, other in _each(work, others):
                result.append(Asked(text, other, style))
    return result


def _each(work: Workspace, styles: list[str]) -> Iterator[tuple[str, str]]:
    for number in range(max(1, HELD_TEXTS // len(styles))):
        for style in styles:
            own = work.texts(style, "dev", 200)
            yield own[number % len(own)], style
