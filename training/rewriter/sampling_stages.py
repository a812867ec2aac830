"""The stages that sample from a model and select what the next one learns from.

requests      the teacher's requests: a paraphrase to read, the style, the original
choose        samples of the inverse paraphraser from every style into every other
choose-again  the same from the model that learnt the first selection (`direct`)
choose-pairs  samples of the supervised model, selected near the plays' references
choose-more   selects among the teacher's candidates

The guide selects; the judge has no part in it.
"""

import random
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from paraphrast.neural.models.generation import NEUTRAL
from training.rewriter import rejection_sampling
from training.rewriter.rejection_sampling import Task, Thresholds
from training.rewriter.workspace import Row, Workspace, read_rows, write_rows
from training.styles import OTHER_PLAY, STYLES

if TYPE_CHECKING:
    from training.sampler import Sampler

CHUNK = 4608
BETWEEN_PLAYS, BETWEEN_OTHERS, INTO_PLAYS = 24_000, 2500, 1200
FROM_TEACHER = 6000  # requests of each other style
MANY, SOME = 16, 8  # samples of a text: into the plays' styles, and elsewhere
BEST = 0.8  # share of the selected samples that is learnt from


def requests(work: Workspace, _: float) -> None:
    """Write the teacher's requests for training text and for STRAP's test."""
    from training.sampler import Sampler

    paraphrases = _paraphrases(work)
    asked: dict[str, list[str]] = {}
    for style, text in plan(work):
        own = asked.setdefault(style, [])
        most = BETWEEN_PLAYS if style in OTHER_PLAY else FROM_TEACHER
        if text in paraphrases and len(own) < work.scale(most):
            own.append(f"{paraphrases[text]}\t{style}\t{text}")
    rows = [row for own in asked.values() for row in own]
    random.Random(4).shuffle(rows)
    tests = work.tests()
    model = Sampler(work.folder / "paraphraser", work.device, half=False)
    plain = model.write([(text, NEUTRAL) for _, text in tests], longest=work.longest)
    write_rows(
        work.folder / "requests/strap.tsv",
        [
            f"{own[0] or text}\t{style}\t{text}"
            for (style, text), own in zip(tests, plain, strict=True)
        ],
    )
    write_rows(work.folder / "requests/train.tsv", rows)


def plan(work: Workspace, seed: int = 2) -> list[Row]:
    """Return styles and the texts to write in them, mixed; the plays' styles first.

    Every text is training text; one that has a parallel line is used without it.
    """
    draw = random.Random(seed)

    def some(texts: list[str], most: int) -> list[str]:
        return draw.sample(texts, min(len(texts), work.scale(most)))

    between: list[Row] = []
    others: list[Row] = []
    for style, other in OTHER_PLAY.items():
        texts = [*work.play(other), *work.texts(other, "train", 24_000)]
        between += [(style, text) for text in some(texts, BETWEEN_PLAYS)]
    for style in STYLES:
        most = INTO_PLAYS if style in OTHER_PLAY else BETWEEN_OTHERS
        for other in STYLES:
            if other not in (style, OTHER_PLAY.get(style)):
                texts = work.texts(other, "train", 24_000)
                others += [(style, text) for text in some(texts, most)]
    draw.shuffle(between)
    draw.shuffle(others)
    rows = []
    size = CHUNK // 2
    for start in range(0, max(len(between), len(others)), size):
        rows += between[start : start + size] + others[start : start + size]
    return rows


def choose(work: Workspace, seconds: float) -> None:
    _select(work, "plain", seconds, _from_styles(work, "inverse", _paraphrases(work)))


def choose_again(work: Workspace, seconds: float) -> None:
    _select(work, "again", seconds, _from_styles(work, "direct", {}, seed=5))


def choose_pairs(work: Workspace, seconds: float) -> None:
    _select(work, "pairs", seconds, _from_pairs(work))


def choose_more(work: Workspace, seconds: float) -> None:
    path = work.folder / "candidates/train.tsv"
    _select(
        work, "more", seconds, _chunks(work, rejection_sampling.read_candidates(path))
    )


def _select(
    work: Workspace, name: str, seconds: float, batches: Iterator[Sequence[Task]]
) -> None:
    """Select among samples for as long as there is time, without the worst."""
    began = time.time()
    least = Thresholds(style=0, meaning=0, fluency=0) if work.smoke else Thresholds()
    rated: list[str] = []
    with rejection_sampling.processes(work) as pool:
        guide = work.load_guide()
        for batch in batches:
            tasks = rejection_sampling.filter_tasks(batch, pool, everything=work.smoke)
            selected = rejection_sampling.select(tasks, guide, least)
            rated += [
                rejection_sampling.format_row(task, candidate)
                for task, own in zip(tasks, selected, strict=True)
                for candidate in own
            ]
            print(
                f"chosen/{name}: {len(rated)} {time.time() - began:.0f} s", flush=True
            )
            if time.time() - began > seconds:
                break
    rows = rejection_sampling.best_share(rated, BEST, Thresholds())
    random.Random(1).shuffle(rows)
    print(f"chosen/{name}: {len(rows)} of {len(rated)}", flush=True)
    write_rows(work.folder / f"rated/{name}.tsv", rated)
    write_rows(work.folder / f"chosen/{name}.tsv", rows)


def _from_styles(
    work: Workspace, model: str, paraphrases: dict[str, str], seed: int = 2
) -> Iterator[list[Task]]:
    """Sample from the texts of `plan`, and from their paraphrases where known."""
    from training.sampler import Sampler

    sampler = Sampler(work.folder / model, work.device)
    for chunk in _chunks(work, plan(work, seed)):
        yield _sample(sampler, chunk, paraphrases, work.longest)


def _sample(
    sampler: "Sampler", rows: Sequence[Row], paraphrases: dict[str, str], longest: int
) -> list[Task]:
    samples: list[list[str]] = [[] for _ in rows]
    jobs: dict[int, list[tuple[int, str, str]]] = {}
    for index, (style, text) in enumerate(rows):
        inputs = [paraphrases[text], text] if text in paraphrases else [text]
        each = (MANY if style in OTHER_PLAY else SOME) // len(inputs)
        jobs.setdefault(each, []).extend((index, given, style) for given in inputs)
    for each, own in jobs.items():
        answers = sampler.write(
            [(given, style) for _, given, style in own],
            each=each,
            top_p=0.9,
            longest=longest,
        )
        for (index, _, _), texts in zip(own, answers, strict=True):
            samples[index] += texts
    return [
        Task(text, style, own) for (style, text), own in zip(rows, samples, strict=True)
    ]


def _from_pairs(work: Workspace) -> Iterator[list[Task]]:
    """Sample from the supervised model; lines of the plays bring their references."""
    from training.sampler import Sampler

    sampler = Sampler(work.folder / "supervised", work.device)
    tasks = [
        Task(source, style, reference=reference)
        for style, other in OTHER_PLAY.items()
        for source, reference in zip(work.play(other), work.play(style), strict=True)
    ]
    tasks += [
        Task(text, style)
        for style, other in OTHER_PLAY.items()
        for text in work.texts(other, "train", 8000)
    ]
    random.Random(3).shuffle(tasks)
    for chunk in _chunks(work, tasks):
        requests = [(task.source, task.style) for task in chunk]
        answers = sampler.write(requests, each=MANY, top_p=0.9, longest=work.longest)
        yield [
            Task(task.source, task.style, own, task.reference)
            for task, own in zip(chunk, answers, strict=True)
        ]


def _chunks(work: Workspace, rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    size = 48 if work.smoke else CHUNK
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _paraphrases(work: Workspace) -> dict[str, str]:
    """Return a neutral paraphrase of each text that has one."""
    paraphrases: dict[str, str] = {}
    for row in read_rows(work.folder / "neutral.tsv"):
        paraphrase, text, _ = row.split("\t")
        paraphrases.setdefault(text, paraphrase)
    return paraphrases
