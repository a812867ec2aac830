"""Make an informal sentence formal (Rao and Tetreault 2018, section 8.2.1).

One pass looks each word up once and runs the rarer rules only where a quick search
finds their trigger; `settle` repeats it until nothing is left to do.

The score counts down: one for every choice that no condition settled, one for every
step from the best expansion of a word, and one for every edit that an alternative
leaves undone.
"""

from collections.abc import Iterator, Sequence

from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules import capitals, fillers, letters, punctuation, words
from paraphrast.rules.draft import Draft, Plan, draft, draft_again
from paraphrast.rules.settle import settle

_BEST = Plan()
# What a reader may like to keep, in the order in which alternatives leave it out.
_OPTIONAL = ("filler", "final stop", "swearing", "contraction", "slang")


class Formal:
    """The rewriter into formal English."""

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return rewrites, best first; the rules are certain and need no seed."""
        return [_rewrites(sentence, alternatives) for sentence in sentences]


def _rewrites(sentence: Sentence, alternatives: int) -> list[Rewrite]:
    best, options = _settle(sentence, _BEST, 0)
    distinct = {best.text: best}
    if alternatives > 1 and best.changes:
        for plan, cost in sorted(_plans(best, options), key=lambda item: item[1]):
            other, _ = _settle(sentence, plan, cost)
            if other.changes:
                distinct.setdefault(other.text, other)
            if len(distinct) >= alternatives:
                break
    return [
        best,
        *sorted(list(distinct.values())[1:], key=lambda distinct: -distinct.score),
    ]


def _plans(best: Rewrite, options: dict[int, int]) -> Iterator[tuple[Plan, int]]:
    """Yield plans one step away, another expansion or a rule left out, and the cost."""
    for start, number in options.items():
        for choice in range(1, number):
            yield Plan(choices={start: choice}), choice
    for name in _OPTIONAL:
        edits = sum(name in change.rule.split(", ") for change in best.changes)
        if edits:
            yield Plan(without=frozenset({name})), edits


def _settle(
    sentence: Sentence, plan: Plan, cost: int
) -> tuple[Rewrite, dict[int, int]]:
    """Rewrite by a plan; the choices of words belong to the first pass alone."""
    first = run(draft(sentence.text, sentence.protected, plan), sentence.text)
    later = Plan(plan.without)
    settled = settle(
        sentence, first, lambda work, text: run(draft_again(work, later), text)
    )
    return settled.rewrite(-float(settled.doubts + cost)), first.options


def run(work: Draft, text: str) -> Draft:
    """Apply every rule once to a draft of the text."""
    plan = work.plan
    if letters.STRETCHED(text):
        letters.shorten(work)
    if letters.LOUD(text):
        letters.quieten(work)
    words.expand(work)
    if "&" in text or "@" in text:
        punctuation.spell_out_signs(work)
    if work.fillers and "filler" not in plan.without:
        fillers.drop(work)
    if punctuation.UNTIDY(text):
        punctuation.tidy(work)
    capitals.begin(work)
    if "final stop" not in plan.without:
        punctuation.stop(work)
    return work
