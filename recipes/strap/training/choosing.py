"""Which of many rewrites is learnt from: kept, in style, faithful, fluent.

`acceptable` looks at one rewrite and its source and is run in several processes; what
passes is rated by the guide. The best is taken if it is good enough, and the second if
it is too; in the end the worst of each style are dropped (`best_of`). What is learnt
from is meant to stay near its source: a reference, which the judge will compare with,
says what the source says. Where a reference is given (the training part of the parallel
plays), half of the meaning is nearness to it.
"""

import math
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.candidates.checks import Checks, is_copy, objection
from paraphrast.text.overlap import words

CHECKS = Checks(names=False, numbers=True)  # `lost` looks for names, more closely
SHORTEST, LONGEST, ROOM = 0.6, 1.7, 3  # words, of the source's
ARCHAIC = ("marry", "prithee", "begone", "adieu", "alack", "ay", "nay", "forsooth")


class Guide(Protocol):
    """What rates rewrites (recipes/judges/training/guide.py)."""

    signature: str

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return for each text how probably it is in the style."""
        ...

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
        """Return for each text how far it means what its source does."""
        ...

    def fluency(self, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text how probably it is good English."""
        ...

    def forget(self) -> None:
        """Forget the texts read so far."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What a rewrite must reach, and how much each side of it counts."""

    style: float = 0.5
    meaning: float = 0.35
    fluency: float = 0.4
    weights: tuple[float, float, float] = (1.0, 2.0, 1.0)
    second: float = 0.25  # how much below the best, in logarithms, the second may be


@dataclass(frozen=True)
class Task:
    """A text to be written in a style, what was written, and a reference if any."""

    source: str
    style: str
    texts: Sequence[str] = field(default=())
    reference: str = ""


def acceptable(source: str, text: str) -> bool:
    """Say whether a rewrite keeps names and numbers, and is neither copy nor cut."""
    if not text or is_copy(source, text) or objection(source, text, CHECKS):
        return False
    before, after = len(words(source)), len(words(text))
    if not SHORTEST * before <= after <= LONGEST * before + ROOM:
        return False
    if find_lost(source, text):
        return False
    return not [new for new in find_lost(text, source) if new.lower() not in ARCHAIC]


def accepted(task: Task, *, everything: bool = False) -> Task:
    """Return a task with the distinct texts that are acceptable."""
    texts = [
        text
        for text in dict.fromkeys(task.texts)
        if text and (everything or acceptable(task.source, text))
    ]
    return Task(task.source, task.style, texts, task.reference)


def all_accepted(tasks: Sequence[Task], pool: Any, *, everything: bool) -> list[Task]:
    """Do `accepted` in the processes of a pool."""
    check = partial(accepted, everything=everything)
    return list(pool.map(check, tasks, chunksize=64))


def processes(number: int) -> Any:
    """Return a pool; it must be made before anything touches a GPU."""
    return multiprocessing.get_context("fork").Pool(number)


def choose(
    tasks: Sequence[Task], guide: Guide, wanted: Wanted
) -> list[list[tuple[str, float, float, float]]]:
    """Return for each task at most two texts with style, meaning and fluency."""
    rated = rate(tasks, guide)
    found = []
    for own in rated:
        good = [
            one
            for one in own
            if one[1] >= wanted.style
            and one[2] >= wanted.meaning
            and one[3] >= wanted.fluency
        ]
        good.sort(key=lambda one: -utility(one, wanted))
        found.append(
            [
                g
                for g in good[:2]
                if utility(g, wanted) > utility(good[0], wanted) - wanted.second
            ]
        )
    return found


def row(task: Task, one: tuple[str, float, float, float]) -> str:
    """Return a chosen text as a line: source, text, style and the three."""
    values = "\t".join(f"{value:.4f}" for value in one[1:])
    return f"{task.source}\t{one[0]}\t{task.style}\t{values}"


def best_of(rows: Sequence[str], share: float, wanted: Wanted) -> list[str]:
    """Return the rows source, text, style of the best share of each style."""
    by_style: dict[str, list[tuple[float, str]]] = {}
    for line in rows:
        source, text, style, *values = line.split("\t")
        a, b, c = map(float, values)
        value = utility((text, a, b, c), wanted)
        by_style.setdefault(style, []).append((value, f"{source}\t{text}\t{style}"))
    found = []
    for own in by_style.values():
        own.sort(key=lambda one: -one[0])
        found += [line for _, line in own[: max(1, round(share * len(own)))]]
    return found


def utility(one: tuple[str, float, float, float], wanted: Wanted) -> float:
    """Return the logarithm of style, meaning and fluency, weighted."""
    return sum(
        weight * math.log(max(1e-6, value))
        for weight, value in zip(wanted.weights, one[1:], strict=True)
    )


def rate(
    tasks: Sequence[Task], guide: Guide
) -> list[list[tuple[str, float, float, float]]]:
    """Return every text of the tasks with style, meaning and fluency."""
    rows = [(i, text) for i, task in enumerate(tasks) for text in task.texts]
    found: list[list[tuple[str, float, float, float]]] = [[] for _ in tasks]
    if not rows:
        return found
    texts = [text for _, text in rows]
    fluency = guide.fluency(texts)
    meaning = list(guide.meaning([tasks[i].source for i, _ in rows], texts))
    references = [tasks[i].reference or tasks[i].source for i, _ in rows]
    if any(task.reference for task in tasks):
        near = guide.meaning(references, texts)
        meaning = [(a + b) / 2 for a, b in zip(meaning, near, strict=True)]
    style = [0.0] * len(rows)
    for name in dict.fromkeys(task.style for task in tasks):
        own = [k for k, (i, _) in enumerate(rows) if tasks[i].style == name]
        for k, value in zip(
            own, guide.style([texts[k] for k in own], name), strict=True
        ):
            style[k] = value
    guide.forget()
    for k, (i, text) in enumerate(rows):
        found[i].append((text, style[k], meaning[k], fluency[k]))
    return found
