"""Steps 4 to 9, which need a GPU: from base and texts to students and their outputs.

Stages, each with what it waits for and the file or folder that says it is done:

    paraphraser   learns to paraphrase: ``neutral: text``
    supervised    learns the parallel plays and Bible versions, both ways
    neutral       paraphrases the text of every style; keeps what keeps names
    inverse       learns the way back, one model with tags for all styles
    requests      what a larger teacher is to be asked
    choose        samples from every style into every other; the guide chooses
    direct        learns that choice in one pass, and
    choose-again  samples from it once more
    choose-pairs  as choose, for the plays, by the supervised model, near the references
    choose-more   chooses among a larger teacher's candidates, if it wrote any
    student-unsupervised, student     learn what was chosen, in one pass and in 8 bits
    polish        the student goes on with pairs whose sides differ much
    rewarded, rewarded-unsupervised   learn from their own samples, by reward
    paired        the student that ships after the parallel plays alone, to be mixed in
    teacher-reranked    the guide's choice among a teacher's samples for test inputs
    outputs       rewrites test inputs and development text with the students
    parts         the students in parts that travel
    ablations, ablations-reranked, ablations-parts    STRAP's Table 3, trained anew

A runner goes through the stages that it is given, in order, waits until what a stage
needs is there, and skips what is done; several runners may share a GPU. ``--seconds``
bounds a stage (``choose=200``), ``--wait`` how long it waits; ``--hold`` lets students
wait for a larger teacher's choice (``chosen/more.tsv=16``: to the 16th minute). The
guide is that of recipes/judges/training; nothing else chooses, and never the judge.

Run    python pipeline.py STAGE... --work FOLDER [--seconds STAGE=N] [--wait N]
       python pipeline.py status --work FOLDER
Needs  WORK/base, WORK/styles, WORK/paraphrases, WORK/additions, and the guide's folder;
       torch, transformers, tokenizers, numpy, regex
"""

# ruff: noqa: T201
import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ablations
import recording
import rewarded
import stages
from work import Work

Run = Callable[[Work, float], None]
DATA = ("base/config.json", "styles", "paraphrases/train.tsv", "additions/short.tsv")
GUIDE = "guide/guide.pt"


@dataclass(frozen=True)
class Stage:
    """What a stage does, makes and needs, for how long, and in how many processes."""

    run: Run
    makes: str
    needs: tuple[str, ...]
    seconds: float
    workers: int = 0


STUDENTS = ("student-unsupervised/config.json", "student/config.json")
REWARDED = ("rewarded/config.json", "rewarded-unsupervised/config.json")
REWARDS = (
    GUIDE, "minilm/config.json", "language.npz", "teacher-rows.tsv", "expert.tsv",
    *DATA[1:],
)  # fmt: skip
STAGES = {
    "paraphraser": Stage(stages.paraphraser, "paraphraser/config.json", DATA, 90),
    "supervised": Stage(stages.supervised, "supervised/config.json", DATA, 150),
    "neutral": Stage(
        stages.neutral, "neutral.tsv", ("paraphraser/config.json",), 75, workers=3
    ),
    "inverse": Stage(stages.inverse, "inverse/config.json", ("neutral.tsv",), 150),
    "requests": Stage(stages.requests, "requests/train.tsv", ("neutral.tsv",), 60),
    "choose": Stage(
        stages.choose,
        "chosen/plain.tsv",
        ("inverse/config.json", GUIDE),
        120,
        workers=3,
    ),
    "direct": Stage(stages.direct, "direct/config.json", ("chosen/plain.tsv",), 90),
    "choose-again": Stage(
        stages.choose_again,
        "chosen/again.tsv",
        ("direct/config.json", GUIDE),
        140,
        workers=3,
    ),
    "choose-pairs": Stage(
        stages.choose_pairs,
        "chosen/pairs.tsv",
        ("supervised/config.json", GUIDE),
        180,
        workers=2,
    ),
    "choose-more": Stage(
        stages.choose_more,
        "chosen/more.tsv",
        ("candidates/train.tsv", GUIDE),
        90,
        workers=2,
    ),
    "student-unsupervised": Stage(
        stages.student_unsupervised, STUDENTS[0], ("chosen/plain.tsv",), 300
    ),
    "student": Stage(
        stages.student, STUDENTS[1], ("chosen/plain.tsv", "chosen/pairs.tsv"), 300
    ),
    "outputs": Stage(recording.outputs, "outputs/done", STUDENTS, 120),
    "teacher-reranked": Stage(
        recording.teacher_reranked,
        "outputs/teacher-reranked.tsv",
        ("candidates/strap.tsv", GUIDE),
        60,
    ),
    "polish": Stage(stages.polish, "polished/config.json", (STUDENTS[1],), 75),
    "polished-parts": Stage(
        stages.polished_parts, "parts/polished.00", ("polished/config.json",), 60
    ),
    "rewarded": Stage(
        rewarded.rewarded, REWARDED[0], (*REWARDS, "start/config.json"), 900
    ),
    "rewarded-unsupervised": Stage(
        rewarded.rewarded_unsupervised,
        REWARDED[1],
        (*REWARDS, "start-unsupervised/config.json"),
        900,
    ),
    "paired": Stage(
        rewarded.paired, "paired/config.json", (*DATA[1:], "start/config.json"), 100
    ),
    "rewarded-outputs": Stage(
        rewarded.rewarded_outputs, "outputs/rewarded", REWARDED, 60
    ),
    "rewarded-parts": Stage(rewarded.rewarded_parts, "parts/rewarded.00", REWARDED, 60),
    "ablations": Stage(
        ablations.ablations,
        "outputs/ablations.json",
        (*DATA, "teacher-rows.tsv", "paraphrases/near.tsv"),
        480,
    ),
    "ablations-reranked": Stage(
        ablations.reranked,
        "outputs/two-steps-reranked.tsv",
        ("outputs/ablations.json", GUIDE),
        60,
    ),
    "ablations-parts": Stage(
        ablations.parts, "parts/inverse-shared.00", ("outputs/ablations.json",), 60
    ),
    "parts": Stage(stages.parts, "parts/student.00", STUDENTS, 120),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stages", nargs="+", choices=[*STAGES, "status"])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--guide", type=Path, help="WORK/guide if not given")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", action="append", default=[], metavar="STAGE=N")
    parser.add_argument("--wait", type=float, default=900)
    parser.add_argument(
        "--rate", type=float, default=3e-4, help="of learning by reward"
    )
    parser.add_argument(
        "--hold",
        action="append",
        default=[],
        metavar="FILE=MINUTE",
        help="let students wait for a file of WORK",
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if "status" in options.stages:
        status(options.work)
        return
    work = Work(
        options.work,
        options.share,
        device(options.device),
        options.guide or options.work / "guide",
        options.rate,
    )
    if options.worker:
        stages.worker(work, options.stages[0], options.worker, options.until)
        return
    bounds = dict(given.split("=") for given in options.seconds)
    for name in options.stages:
        for held in options.hold if name.startswith("student") else ():
            hold(work, *held.split("="))
        run(work, name, float(bounds.get(name, STAGES[name].seconds)), options.wait)


def run(work: Work, name: str, seconds: float, wait: float) -> None:
    """Do a stage when its inputs are there, unless it is done."""
    stage = STAGES[name]
    began = time.time()
    while missing := [need for need in stage.needs if not _there(work, need)]:
        if (work.folder / stage.makes).exists() or time.time() - began > wait:
            break
        time.sleep(0.5)
    if (work.folder / stage.makes).exists():
        print(f"{name}: done before", flush=True)
        return
    if missing:
        raise SystemExit(f"{name}: after {wait:.0f} s still no {', '.join(missing)}")
    print(f"{name}: begins after {time.time() - began:.0f} s of waiting", flush=True)
    began = time.time()
    if stage.workers:
        spawn(work, name, stage, began + seconds)
    stage.run(work, seconds)
    give_back(work)
    print(f"{name}: took {time.time() - began:.0f} s", flush=True)


def give_back(work: Work) -> None:
    """Leave the GPU's memory to others between stages."""
    if work.device == "cuda":
        import torch

        gc.collect()
        torch.cuda.empty_cache()


def hold(work: Work, name: str, minute: str) -> None:
    """Wait for a file until a minute of the clock that WORK/clock began."""
    clock = work.folder / "clock"
    began = clock.stat().st_mtime if clock.exists() else time.time()
    while not (work.folder / name).exists():
        if time.time() - began > 60 * float(minute):
            print(f"no {name} by minute {minute}: without it", flush=True)
            return
        time.sleep(0.5)


def _there(work: Work, need: str) -> bool:
    head, _, tail = need.partition("/")
    return (work.guide / tail if head == "guide" else work.folder / need).exists()


def spawn(work: Work, name: str, stage: Stage, until: float) -> None:
    """Run the workers of a stage; what a failed one wrote counts all the same."""
    number = 1 if work.rehearsal else stage.workers
    command = [
        sys.executable, "-u", __file__, name,
        "--work", str(work.folder), "--guide", str(work.guide),
        "--share", str(work.share), "--device", work.device, "--until", str(until),
    ]  # fmt: skip
    running = [
        subprocess.Popen([*command, "--worker", f"{at}/{number}"])
        for at in range(number)
    ]
    for at, process in enumerate(running):
        try:
            process.wait(timeout=max(30.0, until + 60 - time.time()))
        except subprocess.TimeoutExpired:
            process.kill()
        if process.returncode:
            print(f"{name}: worker {at} ended with {process.returncode}", flush=True)


def device(name: str) -> str:
    from paraphrast.neural.finetune.torch_engine import device_named

    return device_named(name)


def status(folder: Path) -> None:
    """Print which stages are done, and the last lines of the logs."""
    for name, stage in STAGES.items():
        path = folder / stage.makes
        print(f"{name:22} {'done' if path.exists() else '-'}")
    for log in sorted((folder / "logs").glob("*.log")):
        last: Sequence[str] = log.read_text("utf-8", "replace").splitlines()[-3:]
        print(f"== {log.name}", *last, sep="\n")


if __name__ == "__main__":
    main()
