"""What the larger teacher does while the other stages run beside it.

1 build        its model, when all its parts have come
2 paraphrase   what it will be asked, the test's inputs, and the text of every style, by
               a few examples (shots.json); a paraphrase that loses a name, or is too
               near or too far, is left out, and that of the small paraphraser stands
3 inverse      learns the way back from its own paraphrases and from the small one's
4 train        answers requests/train.tsv: candidates/train.tsv, for `choose-more`
5 strap        the test's inputs, many samples each, for `teacher-reranked`
6 pairs        goes on with the parallel plays and Bible versions: samples for the
               test's inputs (outputs/teacher-pairs-*.tsv), where the guide is there

Every step waits for what it needs, is skipped when its result is there, and is bounded
(``--seconds tune=170``); with ``--by 15`` all are shortened alike so that step 4 ends
by the 15th minute of WORK/clock. It reads and writes files of the pipeline's folder.

Run    python teaching.py --work FOLDER [--by MINUTE] [--seconds BOUND=N]...
"""

# ruff: noqa: T201
import argparse
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import choosing
import recording
import stages
from work import Work, lines, write

from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.generation import Decoding
from paraphrast.neural.models.prompts import NEUTRAL

SHOTS = Path(__file__).with_name("shots.json")
PLAYS = ("modern", "shakespeare")
SECONDS = {
    "asked": 70.0, "others": 40.0, "tune": 170.0, "plays": 65.0, "styles": 50.0,
    "strap": 40.0, "pairs": 70.0, "tests": 40.0,
}  # fmt: skip
EACH = {"paraphrase": 1, "plays": 10, "styles": 6, "strap": 32}
UNTIL_TRAINED = ("asked", "others", "tune", "plays", "styles")
BESIDE = 12  # seconds that each of these takes to load, to check and to write
LEAST = 0.25  # to which share they may be shortened
POOL = 10


class Lesson:
    """The work folder, how long each step may take, and processes for checks."""

    def __init__(
        self, work: Work, seconds: dict[str, float], pool: Any, by: float | None
    ) -> None:
        """Remember them."""
        self.work, self.seconds, self.pool = work, seconds, pool
        self.folder, self.by = work.folder, by

    def bound(self, name: str) -> float:
        """Return for how long something may go on from now."""
        clock = self.folder / "clock"
        if self.by is None or name not in UNTIL_TRAINED or not clock.exists():
            return self.seconds[name]
        coming = UNTIL_TRAINED[UNTIL_TRAINED.index(name) :]
        planned = sum(self.seconds[one] for one in coming)
        left = clock.stat().st_mtime + 60 * self.by - time.time() - BESIDE * len(coming)
        bound = self.seconds[name] * min(1.0, max(LEAST, left / planned))
        print(f"{name}: {bound:.0f} s, of {left:.0f} left", flush=True)
        return bound

    def decoding(self, each: int, top_p: float = 0.9) -> Decoding:
        """Return how candidates are sampled; in a rehearsal they are short."""
        longest = 8 if self.work.rehearsal else 128
        return Decoding("nucleus", each, top_p=top_p, longest=longest)

    def ask(
        self,
        name: str,
        model: Path,
        jobs: Sequence[tuple[str, Sequence[Sequence[str]], Decoding]],
        shots: Path | None = None,
    ) -> None:
        """Write candidates/NAME.tsv: jobs are (bound, rows, decoding), in turn."""
        import teacher

        path = self.folder / f"candidates/{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        partly = path.with_name(f"{path.name}.partly")
        asked = teacher.load(model, self.work.device, shots)
        with partly.open("w", encoding="utf-8") as file:
            for bound, rows, decoding in jobs:
                most = self.bound(bound)
                teacher.ask(asked, rows, decoding, file, seconds=most)
        partly.replace(path)
        del asked
        self.free()

    def free(self) -> None:
        """Leave the GPU's memory to others."""
        if self.work.device == "cuda":
            import torch

            torch.cuda.empty_cache()


def build(lesson: Lesson) -> None:
    import teacher

    parts = lesson.folder / "parts"
    while True:
        wait(lesson, ["parts/teacher.sha256"])
        names = [line.split()[1] for line in lines(parts / "teacher.sha256")]
        wait(lesson, [f"parts/{name}" for name in names])
        try:
            teacher.build(parts, lesson.folder / "teacher-base", lesson.work.device)
        except SystemExit as damaged:  # or not yet whole
            print(damaged, flush=True)
            time.sleep(5)
            continue
        return


def paraphrase(lesson: Lesson) -> None:
    """Write rows neutral, text, style of all texts that were paraphrased well."""
    wait(lesson, ["requests/train.tsv", "requests/strap.tsv", "neutral.tsv"])
    asked = {row[2]: "" for row in rows_of(lesson, "requests/strap.tsv")}
    asked |= {row[2]: "" for row in rows_of(lesson, "requests/train.tsv")}
    styles = {row[1]: row[2] for row in rows_of(lesson, "neutral.tsv")}
    others = [text for text in styles if text not in asked]
    how = lesson.decoding(EACH["paraphrase"])
    if not (lesson.folder / "candidates/paraphrases.tsv").exists():
        lesson.ask(
            "paraphrases",
            lesson.folder / "teacher-base",
            [
                ("asked", [(text, NEUTRAL) for text in asked], how),
                ("others", [(text, NEUTRAL) for text in others], how),
            ],
            SHOTS,
        )
    found: dict[str, list[str]] = {}
    for row in rows_of(lesson, "candidates/paraphrases.tsv"):
        found.setdefault(row[2], []).append(row[4])
    tasks = [
        (text, tuple(own), styles.get(text, "-"), lesson.work.rehearsal)
        for text, own in found.items()
    ]
    kept = lesson.pool.starmap(stages.pairs_back, tasks, 256)
    rows = [row for own in kept for row in own]
    print(f"paraphrases: {len(rows)} of {len(tasks)} texts", flush=True)
    write(lesson.folder / "teacher-neutral.tsv", rows)


def inverse(lesson: Lesson) -> None:
    import teacher

    wait(lesson, ["paraphrases.tsv", "short.tsv"], most=5)
    rows = lines(lesson.folder / "teacher-neutral.tsv")
    own = [row for row in rows if not row.endswith("	-")]
    write(lesson.folder / "teacher-rows.tsv", own)
    sources = [
        Source(lesson.folder / "teacher-rows.tsv"),
        Source(lesson.folder / "neutral.tsv", times=0.25),
        Source(lesson.folder / "paraphrases.tsv", times=0.25),
        Source(lesson.folder / "short.tsv", times=0.5),
    ]
    teacher.tune(
        present(sources), lesson.folder / "teacher-base",
        lesson.folder / "teacher-inverse",
        seconds=lesson.bound("tune"), device=lesson.work.device,
    )  # fmt: skip
    lesson.free()


def train(lesson: Lesson) -> None:
    rows = requests(lesson, "requests/train.tsv")
    jobs = [
        (name, [row for row in rows if (row[1] in PLAYS) == (name == "plays")],
         lesson.decoding(EACH[name]))
        for name in ("plays", "styles")
    ]  # fmt: skip
    lesson.ask("train", lesson.folder / "teacher-inverse", jobs)


def strap(lesson: Lesson) -> None:
    rows = requests(lesson, "requests/strap.tsv")
    job = ("strap", rows, lesson.decoding(EACH["strap"]))
    lesson.ask("strap", lesson.folder / "teacher-inverse", [job])


def requests(lesson: Lesson, name: str) -> list[tuple[str, str, str]]:
    """Return requests; the teacher's own paraphrases are read where they are good."""
    own: dict[str, str] = {}
    for neutral, text, _ in rows_of(lesson, "teacher-neutral.tsv"):
        own.setdefault(text, neutral)
    return [
        (own.get(text, read), style, text)
        for read, style, text in rows_of(lesson, name)
    ]  # fmt: skip


def pairs(lesson: Lesson) -> None:
    """Learn the pairs, and write what the guide chooses for the test's inputs."""
    import teacher

    wait(lesson, ["pairs.tsv", "bible.tsv", "guide/guide.pt"], most=60)
    sources = [
        Source(lesson.folder / name, style=style, swap=style == "modern")
        for name, other in (("pairs.tsv", "shakespeare"), ("bible.tsv", "bible"))
        for style in (other, "modern")
    ]
    model = lesson.folder / "teacher-pairs"
    if not model.exists():
        teacher.tune(
            present(sources), lesson.folder / "teacher-inverse", model,
            seconds=lesson.bound("pairs"), device=lesson.work.device, rate=1e-5,
        )  # fmt: skip
        lesson.free()
    rows = lesson.work.tests()
    asked = [(text, style) for style, text in rows]
    longest = 8 if lesson.work.rehearsal else 128
    jobs = [("tests", asked, Decoding(longest=longest))]
    lesson.ask("strap-pairs-greedy", model, jobs)
    lesson.ask("strap-pairs", model, [("tests", asked, lesson.decoding(EACH["strap"]))])
    for name, made in (("-greedy", "greedy"), ("", "best of 32 samples by the guide")):
        report(
            lesson, f"strap-pairs{name}", f"teacher-pairs{name or '-reranked'}", made
        )


def report(lesson: Lesson, candidates: str, name: str, made: str) -> None:
    path = lesson.folder / f"candidates/{candidates}.tsv"
    rows = lesson.work.tests()
    known = {(t.source, t.style): t for t in stages.candidates(path)}
    tasks = [known.get((t, s), choosing.Task(t, s)) for s, t in rows]
    single = all(len(task.texts) <= 1 for task in tasks)
    answers = (
        [(task.texts or [task.source])[0] for task in tasks]
        if single
        else recording.best(lesson.work, tasks)
    )
    made = f"the large teacher with parallel text, {made}"
    recording.record(lesson.work, name, rows, answers, model=path, made=made)


def rows_of(lesson: Lesson, name: str) -> list[list[str]]:
    return [row.split("\t") for row in lines(lesson.folder / name)]


def present(sources: Iterable[Source]) -> list[Source]:
    return [s for s in sources if s.path.exists() and s.path.stat().st_size]


def wait(lesson: Lesson, names: Sequence[str], most: float = 1500) -> None:
    """Wait until files are there, or for so many seconds."""
    began = time.monotonic()
    while missing := [n for n in names if not (lesson.folder / n).exists()]:
        if time.monotonic() - began > most:
            print(f"gone on without {missing}", flush=True)
            return
        time.sleep(1)


STEPS: dict[str, tuple[Callable[[Lesson], None], str]] = {
    "build": (build, "teacher-base"),
    "paraphrase": (paraphrase, "teacher-neutral.tsv"),
    "inverse": (inverse, "teacher-inverse"),
    "train": (train, "candidates/train.tsv"),
    "strap": (strap, "candidates/strap.tsv"),
    "pairs": (pairs, "outputs/teacher-pairs-reranked.tsv"),
}


def main() -> None:
    run(STEPS, SECONDS, Lesson, __doc__)


def run(
    steps: Mapping[str, tuple[Callable[[Any], None], str]],
    seconds: dict[str, float],
    kind: type[Lesson],
    about: str | None,
) -> None:
    """Do the steps of a script; ``kind`` of lesson, ``about`` what they are for."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", nargs="+", choices=steps, default=list(steps))
    parser.add_argument("--seconds", action="append", default=[], metavar="STEP=N")
    parser.add_argument("--by", type=float, metavar="MINUTE")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    given = {k: float(v) for k, v in (one.split("=") for one in options.seconds)}
    if unknown := given.keys() - seconds.keys():
        raise SystemExit(f"no step is bounded by {unknown}: {', '.join(seconds)}.")
    guide = options.work / "guide"
    work = Work(options.work, options.share, options.device, guide)
    with choosing.processes(2 if work.rehearsal else POOL) as pool:
        lesson = kind(work, seconds | given, pool, options.by)
        for step in options.steps:
            make, result = steps[step]
            if (options.work / result).exists():
                print(f"{step}: done before", flush=True)
                continue
            began = time.monotonic()
            print(f"{step}: begun {time.strftime('%H:%M:%S')}", flush=True)
            make(lesson)
            print(f"{step}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
