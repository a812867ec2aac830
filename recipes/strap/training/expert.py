"""The larger teacher once more, when its paraphrases are there: it learns to choose.

1 build     its model, when all its parts have come
2 neutral   more paraphrases by a few examples: Twelfth Night, and text of the plays
3 inverse   learns the way back from paraphrases, and rewrites chosen in another run
4 rater     another copy learns to rate texts (rater_data.py)
5 explore   samples for lines of the training part, straight and from a paraphrase
6 chosen    the best of them by guide, rater and nearness: chosen/expert.tsv
7 expert    goes on with those
8 samples   many for the test's inputs and for Twelfth Night's, both ways
9 rated     what guide, rater, nearness and likelihood say of each (`reranking`)

No parallel line is shown to it, and nothing is chosen by one. Every step waits for what
it needs, is skipped when its result is there, and is bounded (``--seconds tune=120``);
with ``--by 25`` all are shortened alike so that the last ends by that minute of
WORK/clock, and steps 5 to 7 are left out if they would have to be short.

Run    python expert.py --work FOLDER [--by MINUTE] [--seconds BOUND=N]...
Needs  in FOLDER: parts, guide, minilm, styles, additions, teacher-neutral.tsv,
       twelfth.tsv (style to write, input), earlier.tsv (source, rewrite, style) and
       rater.train.tsv
"""

# ruff: noqa: T201
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import choosing
import reranking
import stages
import teaching
from choosing import Wanted
from teaching import Lesson, present, wait
from work import PLAYS, lines, write

from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.prompts import NEUTRAL

if TYPE_CHECKING:
    import rating

SECONDS = {
    "neutral": 25.0, "tune": 120.0, "rate": 60.0, "explore": 55.0, "further": 60.0,
    "strap": 50.0, "strap-plain": 45.0, "twelfth": 18.0, "twelfth-plain": 16.0,
}  # fmt: skip
BESIDE = 12  # seconds that each of these takes to load, to check and to write
RATING = 75  # seconds that rating takes in the end
LEAST, ENOUGH = 0.25, 0.6  # shares of the time: the least; what exploring needs
MORE = 30_000  # texts that paraphrases are wanted of
EXPLORED, EACH, MANY = 12_000, 8, 32  # texts; samples of a text, each way
STYLES = 0.15  # how often a paraphrase of another style is learnt
TWELFTH = 900
BEST = 0.75
MEANT = Wanted(style=0.55, meaning=0.45, fluency=0.5, weights=(1.0, 2.0, 1.0))


class Course(Lesson):
    """A lesson all of whose steps are over by a minute."""

    def bound(self, name: str) -> float:
        """Return for how long something may go on from now."""
        bound = self.seconds[name] * self.share(name)
        print(f"{name}: {bound:.0f} s", flush=True)
        return bound

    def share(self, name: str) -> float:
        """Return to what share of their time this and the rest are shortened."""
        clock = self.folder / "clock"
        if self.by is None or not clock.exists():
            return 1.0
        names = list(SECONDS)
        coming = names[names.index(name) :]
        planned = sum(self.seconds[one] for one in coming)
        end = clock.stat().st_mtime + 60 * self.by
        left = end - time.time() - BESIDE * len(coming) - RATING
        return min(1.0, max(LEAST, left / planned))


def neutral(course: Course) -> None:
    """Write rows neutral, text, style; the style of what is only asked is ``-``."""
    wait(course, ["teacher-neutral.tsv", "twelfth.tsv"])
    known = {row[1] for row in teaching.rows_of(course, "teacher-neutral.tsv")}
    asked = [text for _, text in [*course.work.tests(), *twelfth(course)]]
    asked = [text for text in dict.fromkeys(asked) if text not in known]
    styles = {
        text: style
        for style in PLAYS
        for text in [*course.work.play(style), *course.work.texts(style, "train", MORE)]
        if text not in known
    }
    others = random.Random(1).sample(list(styles), min(len(styles), MORE))
    how = course.decoding(1)
    # Two jobs: the first texts must be reached, and the order within a job is random.
    jobs = [
        ("neutral", [(text, NEUTRAL) for text in own], how) for own in (asked, others)
    ]
    course.ask("neutral", course.folder / "teacher-base", jobs, teaching.SHOTS)
    tasks = [
        (row[3], (row[4],), styles.get(row[3], "-"), course.work.rehearsal)
        for row in teaching.rows_of(course, "candidates/neutral.tsv")
    ]
    kept = course.pool.starmap(stages.pairs_back, tasks, 256)
    rows = [row for own in kept for row in own]
    print(f"paraphrases: {len(rows)} of {len(tasks)} texts", flush=True)
    write(course.folder / "teacher-more.tsv", rows)


def inverse(course: Course) -> None:
    import teacher

    rows: dict[bool, list[str]] = {True: [], False: []}
    for name in ("teacher-neutral.tsv", "teacher-more.tsv"):
        for row in lines(course.folder / name):
            style = row.split("\t")[2]
            if style != "-":
                rows[style in PLAYS].append(row)
    write(course.folder / "rows-plays.tsv", rows[True])
    write(course.folder / "rows-styles.tsv", rows[False])
    sources = [
        Source(course.folder / "rows-plays.tsv"),
        Source(course.folder / "earlier.tsv"),
        Source(course.folder / "rows-styles.tsv", times=STYLES),
        Source(course.folder / "additions/short.tsv", times=0.1),
    ]
    teacher.tune(
        present(sources), course.folder / "teacher-base",
        course.folder / "teacher-inverse", seconds=course.bound("tune"),
        device=course.work.device, epochs=2,
    )  # fmt: skip
    course.free()


def rater(course: Course) -> None:
    import rating
    import teacher

    folder = course.folder / "teacher-rater"
    teacher.tune(
        [Source(course.folder / "rater.train.tsv")], course.folder / "teacher-base",
        folder, seconds=course.bound("rate"), device=course.work.device,
        rate=1e-5, held_out=0,
    )  # fmt: skip
    made = rating.Rater(folder, course.work.device)
    for name in ("rater.dev.tsv", "rater.cola.tsv"):
        print(name, measured(made, course.folder / name), flush=True)
    del made
    course.free()


def measured(made: "rating.Rater", path: Path) -> str:
    """Return the share of right answers to each question."""
    import rating

    if not path.exists():
        return "not there"
    rows = [line.split("\t") for line in lines(path)]
    told = []
    for first, second in (rating.NATURAL, rating.PLAYS):
        own = [row for row in rows if row[1] in (first, second)]
        texts = [text for text, _ in own]
        asked = made.natural if first == "yes" else _old(made)
        right = sum(
            (value > 0.5) == (answer == first)
            for value, (_, answer) in zip(asked(texts), own, strict=True)
        )
        told.append(f"{first}/{second} {right / max(1, len(own)):.3f} of {len(own)}")
    return ", ".join(told)


def _old(made: "rating.Rater") -> Callable[[list[str]], list[float]]:
    return lambda texts: made.style(texts, "shakespeare")


def explore(course: Course) -> None:
    path = course.folder / "candidates/explore.tsv"
    if course.share("explore") < ENOUGH:
        print("explore: left out, there is too little time", flush=True)
        write(path, [])
        return
    known = paraphrased(course)
    draw = random.Random(7)
    asked = []
    for style, other in stages.OTHER.items():
        texts = [*course.work.play(other), *course.work.texts(other, "train", 8000)]
        texts = [text for text in texts if 3 <= len(text.split()) <= 30]
        most = min(len(texts), course.work.few(EXPLORED // 2))
        asked += [(text, style) for text in draw.sample(texts, most)]
    rows = [
        row
        for text, style in asked
        for row in ((text, style, text), (known.get(text, ""), style, text))
        if row[0]
    ]
    job = ("explore", rows, course.decoding(EACH))
    course.ask("explore", course.folder / "teacher-inverse", [job])


def paraphrased(course: Course) -> dict[str, str]:
    """Return a paraphrase of each text that has one."""
    known: dict[str, str] = {}
    for name in ("teacher-neutral.tsv", "teacher-more.tsv"):
        for neutral, text, _ in teaching.rows_of(course, name):
            known.setdefault(text, neutral)
    return known


def chosen(course: Course) -> None:
    tasks = stages.candidates(course.folder / "candidates/explore.tsv")
    rows = []
    if tasks:
        wanted = Wanted(0, 0, 0) if course.work.rehearsal else MEANT
        panel = jury(course)
        tasks = choosing.all_accepted(
            tasks, course.pool, everything=course.work.rehearsal
        )
        picked = choosing.choose(tasks, panel, wanted)
        rated = [
            choosing.row(task, one)
            for task, own in zip(tasks, picked, strict=True)
            for one in own
        ]
        rows = choosing.best_of(rated, BEST, wanted)
        print(f"chosen: {len(rows)} of {len(rated)} of {len(tasks)} texts", flush=True)
        del panel
        course.free()
    write(course.folder / "chosen/expert.tsv", rows)


def jury(course: Course) -> "rating.Panel":
    """Return those who choose."""
    import rating
    from nearness import Nearness

    wait(course, ["guide/guide.pt", "minilm/model.safetensors"])
    device = course.work.device
    return rating.Panel(
        stages.load_guide(course.work),
        Nearness(course.folder / "minilm", device=device),
        rating.Rater(course.folder / "teacher-rater", device),
    )


def expert(course: Course) -> None:
    """Go on with what was chosen; the file says which model is to be asked."""
    import teacher

    model = "teacher-inverse"
    if lines(course.folder / "chosen/expert.tsv"):
        sources = [
            Source(course.folder / "chosen/expert.tsv"),
            Source(course.folder / "rows-plays.tsv", times=0.15),
        ]
        teacher.tune(
            present(sources), course.folder / model, course.folder / "teacher-expert",
            seconds=course.bound("further"), device=course.work.device,
            rate=1e-5, epochs=2,
        )  # fmt: skip
        course.free()
        model = "teacher-expert"
    write(course.folder / "expert.txt", [model])


def samples(course: Course) -> None:
    """Write samples for both: from the text straight, and from its paraphrase."""
    known = paraphrased(course)
    (name,) = lines(course.folder / "expert.txt")
    for title, rows in (
        ("strap", course.work.tests()),
        ("twelfth", twelfth(course)),
    ):
        straight = [(text, style, text) for style, text in rows]
        plain = [(known.get(text, text), style, text) for style, text in rows]
        jobs = [
            (title, straight, course.decoding(MANY, 0.95)),
            (f"{title}-plain", plain, course.decoding(MANY)),
        ]
        course.ask(title, course.folder / name, jobs)


def twelfth(course: Course) -> list[tuple[str, str]]:
    """Return style to write and input, of Twelfth Night."""
    rows = teaching.rows_of(course, "twelfth.tsv")[: course.work.few(TWELFTH)]
    return [(style, text) for style, text in rows]


def rated(course: Course) -> None:
    """Rate all samples, write the ratings, and what the first guess would choose."""
    import teacher

    panel = jury(course)
    base = teacher.load(course.folder / "teacher-base", course.work.device)
    for title in ("strap", "twelfth"):
        began = time.monotonic()
        found = reranking.gathered(course.folder / f"candidates/{title}.tsv")
        tasks = reranking.kept(found, course.pool, everything=course.work.rehearsal)
        rows = reranking.rate(tasks, found, panel, base)
        reranking.save(course.folder / f"rated/{title}.tsv", rows)
        print(f"{title}: rated in {time.monotonic() - began:.0f} s", flush=True)
        if title == "strap":
            reranking.record(
                course.folder / "outputs",
                course.work.tests(),
                course.folder / "rated/strap.tsv",
                dict.fromkeys(PLAYS, reranking.Weights()),
                panel.signatures,
            )


STEPS: dict[str, tuple[Callable[[Course], None], str]] = {
    "build": (teaching.build, "teacher-base"),
    "neutral": (neutral, "teacher-more.tsv"),
    "inverse": (inverse, "teacher-inverse"),
    "rater": (rater, "teacher-rater"),
    "explore": (explore, "candidates/explore.tsv"),
    "chosen": (chosen, "chosen/expert.tsv"),
    "expert": (expert, "expert.txt"),
    "samples": (samples, "candidates/twelfth.tsv"),
    "rated": (rated, "rated/twelfth.tsv"),
}


def main() -> None:
    teaching.run(STEPS, SECONDS, Course, __doc__)


if __name__ == "__main__":
    main()
