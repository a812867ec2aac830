"""The best rewrites of a text from the rewrites of its sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.rewriter import Rewrite


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A choice for the sentences so far: the last one, and the choice before it."""

    score: float
    last: Rewrite
    before: "_Prefix | None"


def combine(options: Sequence[Sequence[Rewrite]], number: int) -> list[Rewrite]:
    """Join one option per sentence into 1 to ``number`` texts, highest sums first.

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
        rewrite = _join(_choices(prefix))
        texts.setdefault(rewrite.text, rewrite)
    return list(texts.values())


def _choices(prefix: _Prefix | None) -> list[Rewrite]:
    """Return the choices that lead to a prefix, in order."""
    chosen: list[Rewrite] = []
    while prefix:
        chosen.append(prefix.last)
        prefix = prefix.before
    return chosen[::-1]


def _join(chosen: Sequence[Rewrite]) -> Rewrite:
    return Rewrite(
        "".join(rewrite.text for rewrite in chosen),
        sum(rewrite.score for rewrite in chosen),
        tuple(change for rewrite in chosen for change in rewrite.changes),
        steps=_join_steps(chosen),
        guards=tuple(dict.fromkeys(name for r in chosen for name in r.guards)),
        kept=tuple(kept for rewrite in chosen for kept in rewrite.kept),
    )


def _join_steps(chosen: Sequence[Rewrite]) -> tuple[str, ...]:
    """Join the steps of sentences; one without them was always what it is."""
    number = max((len(rewrite.steps) for rewrite in chosen), default=0)
    return tuple(
        "".join(r.steps[index] if index < len(r.steps) else r.text for r in chosen)
        for index in range(number)
    )
