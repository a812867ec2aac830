"""The stages in which students learn by the guide's reward (`reinforcing`).

``rewarded`` goes on from the student that ships; lines of the parallel plays bring
their references. ``rewarded-unsupervised`` goes on from the other, and sees no pair.
``paired`` is the student that ships after the parallel plays alone, to be mixed in.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

import choosing
import recording
import stages
from habits import Habits
from rewards import Asked, Rewards, Row
from work import STYLES, Work, lines, write

from paraphrast.neural.models.folders import WEIGHTS
from paraphrast.neural.models.prompts import NEUTRAL
from paraphrast.storage.packs import sha256

OTHER = stages.OTHER
# How many texts of each kind; they are drawn from all alike.
PAIRED, BETWEEN, OTHERS, INTO_PLAYS, PLAIN = 30_000, 12_000, 7000, 4000, 6000
HELD_LINES, HELD_TEXTS = 100, 20
USUAL, HABITUAL = 800, 6000  # real texts of a style that say what is natural, and usual
EXPERT, PAIRS = 3, 4  # times that what the teacher chose, and the plays, are drawn
PROCESSES = 5
_Any = TypeVar("_Any")


def rewarded(work: Work, seconds: float) -> None:
    """Go on with the student that ships."""
    stages.parallel(work)
    _learn(work, "start", "rewarded", seconds, paired=True)


def rewarded_unsupervised(work: Work, seconds: float) -> None:
    """Go on with the one that has never seen a pair of a style."""
    _learn(work, "start-unsupervised", "rewarded-unsupervised", seconds, paired=False)


def paired(work: Work, seconds: float) -> None:
    """Go on with the parallel plays and Bible versions alone."""
    stages.parallel(work)
    sources = [
        source
        for name, style in (("pairs", "shakespeare"), ("bible", "bible"))
        for source in stages.both(work, f"{name}.tsv", style)
    ]
    work.train(
        "paired", "start", sources, seconds=seconds, epochs=5, rate=4e-4,
        rounding=0.15, patience=99, smoothing=0.05,
    )  # fmt: skip


def _learn(work: Work, base: str, name: str, seconds: float, *, paired: bool) -> None:
    # torch is only imported where it is needed.
    from natural import Natural
    from nearness import Nearness
    from reinforcing import Plan, Student, reinforce

    plan = Plan(seconds, work.rate)
    if work.rehearsal:
        plan = Plan(seconds, work.rate, texts=4, each=4, pairs=2, look_every=20)
    with choosing.processes(1 if work.rehearsal else PROCESSES) as pool:
        guide = stages.load_guide(work)
        near = Nearness(work.folder / "minilm", device=work.device)
        plain = Natural(
            work.folder / "language.npz",
            work.guide / "tokenizer.json",
            real(work, USUAL),
            device=work.device,
        )
        rewards = Rewards(guide, near, plain, Habits(real(work, HABITUAL)), pool)  # type: ignore[arg-type]
        student = Student(work.folder / base, work.device, plan)
        reinforce(
            student,
            list(texts(work, paired=paired)),
            pairs(work, paired=paired),
            rewards,
            held(work),
            work.folder / name,
        )
    weights = work.folder / name / WEIGHTS
    named = (stages.signature(work), near.signature, plain.signature, sha256(weights))
    write(work.folder / f"{name}.signatures", named)


def real(work: Work, number: int) -> dict[str, list[str]]:
    """Return texts of every style as people wrote them."""
    draw = random.Random(6)
    found = {style: work.texts(style, "train", 24_000) for style in STYLES}
    return {
        style: draw.sample(own, min(len(own), work.few(number, 50)))
        for style, own in found.items()
    }


def texts(work: Work, *, paired: bool) -> Iterator[Asked]:
    """Return what is asked for, in the proportions that it is drawn in."""
    draw = random.Random(7)

    def some(found: Sequence[_Any], number: int) -> list[_Any]:
        return draw.sample(found, min(len(found), work.few(number)))

    rows = (
        [row.split("\t") for row in lines(work.folder / "pairs.tsv")] if paired else []
    )
    for modern, original in some(rows, PAIRED // 2):
        yield Asked(modern, "modern", "shakespeare", original)
        yield Asked(original, "shakespeare", "modern", modern)
    for style, other in OTHER.items():
        alone = [] if paired else work.play(other)
        number = BETWEEN // 2 + (0 if paired else PAIRED // 2)
        for text in some([*work.texts(other, "train", 24_000), *alone], number):
            yield Asked(text, other, style)
    known = {style: work.texts(style, "train", 24_000) for style in STYLES}
    for style, other in itertools.permutations(STYLES, 2):
        number = INTO_PLAYS if style in OTHER else OTHERS
        if other != OTHER.get(style):
            for text in some(known[other], number // (len(STYLES) - 1)):
                yield Asked(text, other, style)
    for style in STYLES:
        for text in some(known[style], PLAIN // len(STYLES)):
            yield Asked(text, style, NEUTRAL)


def pairs(work: Work, *, paired: bool) -> list[Row]:
    """Return rows source, target, style that hold a student to what it knew."""
    draw = random.Random(8)
    found: list[Row] = []
    # What a larger teacher chose without pairs; with pairs, the plays say it better.
    for row in [] if paired else lines(work.folder / "expert.tsv")[: work.few(20_000)]:
        source, text, style = row.split("\t")
        found += EXPERT * [(source, text, style)]
    short = [
        tuple(row.split("\t")) for row in lines(work.folder / "additions/short.tsv")
    ]
    found += draw.sample(short, min(len(short), work.few(4000)))  # type: ignore[arg-type]
    for row in lines(work.folder / "teacher-rows.tsv")[: work.few(40_000)]:
        plain, text, style = row.split("\t")
        found.append((plain, text, style))
        if stages.shared(plain, text) < stages.FAR:
            found.append((text, plain, NEUTRAL))
    if paired:
        for name, style, times in (
            ("pairs.tsv", "shakespeare", PAIRS),
            ("bible.tsv", "bible", 1),
        ):
            for row in lines(work.folder / name):
                new, old = row.split("\t")
                found += times * [(new, old, style), (old, new, "modern")]
    return found


def held(work: Work) -> list[Asked]:
    """Return texts that nobody learns from: Twelfth Night, and of every style."""
    draw = random.Random(9)
    rows = [
        tuple(row.split("\t")) for row in lines(work.folder / "additions/twelfth.tsv")
    ]
    found = []
    for style, other in OTHER.items():
        own = [row for row in rows if row[0] == style]
        for _, source, reference in draw.sample(own, work.few(HELD_LINES)):
            found.append(Asked(source, other, style, reference))
    for style in (*STYLES, NEUTRAL):
        if style not in OTHER:
            others = [other for other in STYLES if other != style]
            for text, other in _each(work, others):
                found.append(Asked(text, other, style))
    return found


def _each(work: Work, styles: list[str]) -> Iterator[tuple[str, str]]:
    for number in range(max(1, HELD_TEXTS // len(styles))):
        for style in styles:
            own = work.texts(style, "dev", 200)
            yield own[number % len(own)], style


def rewarded_outputs(work: Work, _: float) -> None:
    """Write what the students that went on make of test inputs."""
    names = {"rewarded": "rewarded-shipped"}
    recording.one_step(work, names | {"rewarded-unsupervised": "rewarded-unsupervised"})
    write(work.folder / "outputs/rewarded", ["done"])


def rewarded_parts(work: Work, _: float) -> None:
    """Pack the students."""
    (work.folder / "parts").mkdir(exist_ok=True)
    stages.pack(work, ("rewarded-unsupervised", "rewarded"))
