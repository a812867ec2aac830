"""The best rewrites of a text from the rewrites of its sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.rewriter import Change, Rewrite


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A choice for the sentences so far: the last one, and the choice before it."""

    score: float
    last: Rewrite
    before: "_Prefix | None"


def combine(options: Sequence[Sequence[Rewrite]], number: int) -> list[Rewrite]:
    """Join one option a sentence into 1 to ``number`` texts, highest sums first.

    Of the sentences so far only the best ``number`` choices are kept, which loses
    none of the final best, as scores add up.
    """
    prefixes: list[_Prefix | None] = [None]
    for choices in options:
        prefixes = list(
            sorted(
                (
                    _Prefix((p.score if p else 0.0) + choice.score, choice, p)
                    for p in prefixes
                    for choice in choices
                ),
                key=lambda prefix: -prefix.score,
            )[:number]
        )
    texts: dict[str, Rewrite] = {}
    for prefix in prefixes:
        rewrite = _joined(prefix)
        texts.setdefault(rewrite.text, rewrite)
    return list(texts.values())


def _joined(prefix: _Prefix | None) -> Rewrite:
    score = prefix.score if prefix else 0.0
    chosen: list[Rewrite] = []
    while prefix:
        chosen.append(prefix.last)
        prefix = prefix.before
    chosen.reverse()
    changes: list[Change] = [change for rewrite in chosen for change in rewrite.changes]
    text = "".join(r.text for r in chosen)
    return Rewrite(text, score, tuple(changes), steps=_steps(chosen))


def _steps(chosen: Sequence[Rewrite]) -> tuple[str, ...]:
    """Join the steps of sentences; one without them was always what it is."""
    number = max((len(rewrite.steps) for rewrite in chosen), default=0)
    return tuple(
        "".join(r.steps[place] if place < len(r.steps) else r.text for r in chosen)
        for place in range(number)
    )
