"""Rejection sampling: select from many samples of a model those to learn from.

`is_acceptable` looks at one sample and its source and runs in several processes; what
passes is rated by the guide. The best sample is selected if it is good enough, and the
second if it is nearly as good; in the end the worst of each style are dropped
(`best_share`). Where a reference is given (the training part of the parallel plays),
half of the meaning score is similarity to it.
"""

import math
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.candidates.guards import Checks, basic_guards, find_rejection
from paraphrast.text.overlap import words
from training.rewriter.workspace import Workspace, read_rows

# `find_lost` looks for names, more closely.
GUARDS = basic_guards(Checks(names=False, numbers=True))
SHORTEST, LONGEST, ROOM = 0.6, 1.7, 3  # length in words, relative to the source
ARCHAIC = ("marry", "prithee", "begone", "adieu", "alack", "ay", "nay", "forsooth")
PROCESSES = 8


class Guide(Protocol):
    """A model that rates samples (training.guide.model)."""

    signature: str

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return the probability that each text is in the style."""
        ...

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
        """Return the similarity of each text to its source."""
        ...

    def fluency(self, texts: Sequence[str]) -> Sequence[float]:
        """Return the probability that each text is natural English."""
        ...

    def forget(self) -> None:
        """Forget the texts read so far."""
        ...


@dataclass(frozen=True)
class Thresholds:
    """What a sample must reach, and how much each score counts."""

    style: float = 0.5
    meaning: float = 0.35
    fluency: float = 0.4
    weights: tuple[float, float, float] = (1.0, 2.0, 1.0)
    second: float = 0.25  # how far below the best, in log utility, the second may be


@dataclass(frozen=True)
class Task:
    """A text to be written in a style, its samples, and a reference if any."""

    source: str
    style: str
    texts: Sequence[str] = field(default=())
    reference: str = ""


class Rated(NamedTuple):
    """A sample with its scores."""

    text: str
    style: float
    meaning: float
    fluency: float


def is_acceptable(source: str, text: str) -> bool:
    """Return whether a sample keeps names and numbers, and is neither copy nor cut."""
    if not text or words(source) == words(text):
        return False
    if find_rejection(source, text, GUARDS):
        return False
    before, after = len(words(source)), len(words(text))
    if not SHORTEST * before <= after <= LONGEST * before + ROOM:
        return False
    if find_lost(source, text):
        return False
    return not [new for new in find_lost(text, source) if new.lower() not in ARCHAIC]


def filter_task(task: Task, *, everything: bool = False) -> Task:
    """Return a task with the distinct samples that are acceptable."""
    texts = [
        text
        for text in dict.fromkeys(task.texts)
        if text and (everything or is_acceptable(task.source, text))
    ]
    return Task(task.source, task.style, texts, task.reference)


def filter_tasks(tasks: Sequence[Task], pool: Any, *, everything: bool) -> list[Task]:
    """Run `filter_task` in the processes of a pool."""
    check = partial(filter_task, everything=everything)
    return list(pool.map(check, tasks, chunksize=64))


def processes(work: Workspace) -> Any:
    """Return a pool; it must be made before anything touches a GPU."""
    number = 1 if work.smoke else PROCESSES
    return multiprocessing.get_context("fork").Pool(number)


def select(tasks: Sequence[Task], guide: Guide, least: Thresholds) -> list[list[Rated]]:
    """Return at most two samples of each task with their scores."""
    selected = []
    for own in rate(tasks, guide):
        good = [
            candidate
            for candidate in own
            if candidate.style >= least.style
            and candidate.meaning >= least.meaning
            and candidate.fluency >= least.fluency
        ]
        good.sort(key=lambda candidate: -utility(candidate, least))
        selected.append(
            [
                candidate
                for candidate in good[:2]
                if utility(candidate, least) > utility(good[0], least) - least.second
            ]
        )
    return selected


def format_row(task: Task, candidate: Rated) -> str:
    """Return a selected sample as a line: source, text, style and its scores."""
    values = "\t".join(f"{value:.4f}" for value in candidate[1:])
    return f"{task.source}\t{candidate.text}\t{task.style}\t{values}"


def best_share(rows: Sequence[str], share: float, least: Thresholds) -> list[str]:
    """Return the rows source, text, style of the best share of each style."""
    by_style: dict[str, list[tuple[float, str]]] = {}
    for line in rows:
        source, text, style, *values = line.split("\t")
        value = utility(Rated(text, *map(float, values)), least)
        by_style.setdefault(style, []).append((value, f"{source}\t{text}\t{style}"))
    best = []
    for own in by_style.values():
        own.sort(key=lambda candidate: -candidate[0])
        best += [line for _, line in own[: max(1, round(share * len(own)))]]
    return best


def utility(candidate: Rated, thresholds: Thresholds) -> float:
    """Return the weighted log of style, meaning and fluency."""
    return sum(
        weight * math.log(max(1e-6, value))
        for weight, value in zip(thresholds.weights, candidate[1:], strict=True)
    )


def rate(tasks: Sequence[Task], guide: Guide) -> list[list[Rated]]:
    """Return every sample of the tasks with its scores."""
    rows = [(index, text) for index, task in enumerate(tasks) for text in task.texts]
    rated: list[list[Rated]] = [[] for _ in tasks]
    if not rows:
        return rated
    texts = [text for _, text in rows]
    fluency = guide.fluency(texts)
    meaning = list(guide.meaning([tasks[index].source for index, _ in rows], texts))
    references = [tasks[index].reference or tasks[index].source for index, _ in rows]
    if any(task.reference for task in tasks):
        near = guide.meaning(references, texts)
        meaning = [(a + b) / 2 for a, b in zip(meaning, near, strict=True)]
    style = [0.0] * len(rows)
    for name in dict.fromkeys(task.style for task in tasks):
        own = [k for k, (index, _) in enumerate(rows) if tasks[index].style == name]
        scores = guide.style([texts[k] for k in own], name)
        for k, value in zip(own, scores, strict=True):
            style[k] = value
    guide.forget()
    for k, (index, text) in enumerate(rows):
        rated[index].append(Rated(text, style[k], meaning[k], fluency[k]))
    return rated


def read_candidates(path: Path) -> list[Task]:
    """Read the teacher's candidates, grouped by the text that they rewrite."""
    result: dict[tuple[str, str], list[str]] = {}
    for line in read_rows(path):
        style, _, original, text = line.split("\t")
        result.setdefault((original, style), []).append(text)
    return [Task(text, style, own) for (text, style), own in result.items()]


def best_texts(work: Workspace, tasks: Sequence[Task]) -> list[str]:
    """Return the best sample of each task; an acceptable one, if there is one."""
    with processes(work) as pool:
        passed = filter_tasks(tasks, pool, everything=work.smoke)
    either = [
        kept
        if kept.texts
        else Task(
            task.source, task.style, list(dict.fromkeys(task.texts)) or [task.source]
        )
        for kept, task in zip(passed, tasks, strict=True)
    ]
    weighing = Thresholds()
    return [
        max(own, key=lambda candidate: utility(candidate, weighing)).text
        for own in rate(either, work.load_guide())
    ]
