"""The teacher, Qwen2.5-Coder-1.5B-Instruct, and what the rewriter learns from it.

paraphrase   paraphrases the requests, STRAP's test and the text of every style by
             few-shot prompting (few_shot.json); a paraphrase that loses a name, or is
             too near or too far, is dropped
inverse      fine-tunes it on the way back, from its own paraphrases and the small
             paraphraser's
candidates   samples rewrites of requests/train.tsv, for `choose-more`

It has read much of the web, Shakespeare and modern editions surely among it, so what
it teaches is unsupervised only in that no parallel pair was shown to it.

Run    python -m training.teacher.teach paraphrase inverse candidates --work FOLDER
Needs  FOLDER/teacher-base (training.base_models), requests/ and neutral.tsv of the
       rewriter's stages; torch, transformers; one large GPU
"""

from collections.abc import Sequence
from pathlib import Path

from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.generation import NEUTRAL
from training.rewriter import rejection_sampling
from training.rewriter.stages import inverse_rows
from training.rewriter.workspace import Workspace, read_rows, write_rows
from training.run_stages import Stage, run
from training.styles import PLAYS

FEW_SHOT = Path(__file__).with_name("few_shot.json")
LONGEST = 128
EACH = {True: 10, False: 6}  # samples per request: into the plays' styles, elsewhere
Job = tuple[str, str, str]  # text to read, style, original


def ask(
    work: Workspace,
    name: str,
    model: str,
    jobs: Sequence[tuple[Sequence[Job], int, float]],
    *,
    seconds: float,
    few_shot: Path | None = None,
) -> None:
    """Write rows style, text read, original, candidate to candidates/NAME.tsv.

    Jobs are (requests, samples per request, nucleus), each in its share of the time.
    """
    from training.sampler import Sampler

    sampler = Sampler(work.folder / model, work.device, few_shot=few_shot)
    rows = []
    for asked, each, top_p in jobs:
        answers = sampler.write_in_time(
            [(text, style) for text, style, _ in asked],
            seconds=seconds / len(jobs),
            each=each,
            top_p=top_p,
            longest=8 if work.smoke else LONGEST,
        )
        for index, texts in answers:
            text, style, original = asked[index]
            rows += [f"{style}\t{text}\t{original}\t{own}" for own in texts]
    write_rows(work.folder / f"candidates/{name}.tsv", rows)
    del sampler
    work.free_memory()


def paraphrase(work: Workspace, seconds: float) -> None:
    """Write rows neutral, text, style; ``-`` for text that is only to be asked."""
    asked = [row.split("\t")[2] for name in ("strap", "train")
             for row in read_rows(work.folder / f"requests/{name}.tsv")]  # fmt: skip
    styles = {
        text: style
        for _, text, style in (
            row.split("\t") for row in read_rows(work.folder / "neutral.tsv")
        )
    }
    first = dict.fromkeys(asked)
    others = [text for text in styles if text not in first]
    write_paraphrases(work, "teacher-neutral", (list(first), others), styles, seconds)
    rows = read_rows(work.folder / "teacher-neutral.tsv")
    own = [row for row in rows if not row.endswith("\t-")]
    write_rows(work.folder / "teacher-rows.tsv", own)


def write_paraphrases(
    work: Workspace,
    name: str,
    groups: Sequence[Sequence[str]],
    styles: dict[str, str],
    seconds: float,
) -> None:
    """Paraphrase groups of texts, the first first; write rows neutral, text, style."""
    jobs = [([(text, NEUTRAL, text) for text in own], 1, 0.9) for own in groups]
    ask(work, name, "teacher-base", jobs, seconds=seconds, few_shot=FEW_SHOT)
    answers = [
        row.split("\t") for row in read_rows(work.folder / f"candidates/{name}.tsv")
    ]
    tasks = [
        (text, (answer,), styles.get(text, "-"), work.smoke)
        for _, _, text, answer in answers
    ]
    with rejection_sampling.processes(work) as pool:
        rows = [row for own in pool.starmap(inverse_rows, tasks, 256) for row in own]
    print(f"{name}: {len(rows)} of {len(tasks)} texts", flush=True)
    write_rows(work.folder / f"{name}.tsv", rows)


def inverse(work: Workspace, seconds: float) -> None:
    sources = [
        Source(work.folder / "teacher-rows.tsv"),
        Source(work.folder / "neutral.tsv", times=0.25),
        Source(work.folder / "paraphrases.tsv", times=0.25),
        Source(work.folder / "short.tsv", times=0.5),
    ]
    fine_tune(work, "teacher-inverse", "teacher-base", sources, seconds=seconds)


def fine_tune(
    work: Workspace,
    name: str,
    base: str,
    sources: Sequence[Source],
    *,
    seconds: float,
    learning_rate: float = 2e-5,
    epochs: int = 1,
) -> None:
    """Fine-tune all weights of the teacher."""
    work.train(
        name, base, sources, seconds=seconds, epochs=epochs,
        learning_rate=learning_rate, batch_tokens=10_240, masking=0.0,
    )  # fmt: skip
    work.free_memory()


def candidates(work: Workspace, seconds: float) -> None:
    """Sample rewrites; the teacher reads its own paraphrase where it has a good one."""
    own = read_paraphrases(work, "teacher-neutral")
    rows = [row.split("\t") for row in read_rows(work.folder / "requests/train.tsv")]
    asked = [(own.get(text, read), style, text) for read, style, text in rows]
    jobs = [
        ([row for row in asked if (row[1] in PLAYS) is into_plays], each, 0.9)
        for into_plays, each in EACH.items()
    ]
    ask(work, "train", "teacher-inverse", jobs, seconds=seconds)


def read_paraphrases(work: Workspace, *names: str) -> dict[str, str]:
    """Return the teacher's paraphrase of each text that has one."""
    paraphrases: dict[str, str] = {}
    for name in names:
        for row in read_rows(work.folder / f"{name}.tsv"):
            neutral, text, _ = row.split("\t")
            paraphrases.setdefault(text, neutral)
    return paraphrases


STAGES = {
    "paraphrase": Stage(paraphrase, "teacher-neutral.tsv", 110),
    "inverse": Stage(inverse, "teacher-inverse/config.json", 170),
    "candidates": Stage(candidates, "candidates/train.tsv", 115),
}


if __name__ == "__main__":
    run(STAGES, __doc__)
