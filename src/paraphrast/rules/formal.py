"""Make an informal sentence formal (Rao and Tetreault 2018, section 8.2.1).

One pass looks up each word once and runs the rarer rules only where a quick search
finds their trigger; `settle` repeats it until nothing changes.

The score is decreased by one for every choice that no condition settled, for every
step from the best expansion of a word, and for every edit that an alternative leaves
out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from paraphrast.errors import unknown
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules import capitals, fillers, letters, punctuation, splices, words
from paraphrast.rules.draft import Draft, Plan, draft, draft_again
from paraphrast.rules.settle import settle

# Neutral English has contractions and says "well"; the most formal English has neither,
# and more formal words for everyday ones.
LEVELS: Mapping[str, Plan] = {
    "neutral": Plan(without=frozenset({"contraction with '", "filler"})),
    "formal": Plan(),
    "very-formal": Plan(register=True),
}
# What a reader may want to keep, in the order in which alternatives leave it out.
_OPTIONAL = ("filler", "final stop", "swearing", "contraction", "slang", "register")


class Formal:
    """The rewriter into formal English, at one of three levels."""

    def __init__(self, level: str = "formal") -> None:
        """Choose how formal: ``neutral``, ``formal`` or ``very-formal``."""
        if level not in LEVELS:
            raise unknown("level", level, LEVELS)
        self.level = level

    def at_level(self, level: str) -> "Formal":
        """Return the rewriter at another level."""
        return Formal(level)

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return rewrites, best first; the rules are deterministic and need no seed."""
        plan = LEVELS[self.level]
        return [_rewrites(sentence, alternatives, plan) for sentence in sentences]


def _rewrites(sentence: Sentence, alternatives: int, usual: Plan) -> list[Rewrite]:
    best, options = _settle(sentence, usual, 0)
    if alternatives == 1 or not best.changes:
        return [best]
    distinct = {best.text: best}
    for plan, cost in sorted(_plans(best, options, usual), key=lambda item: item[1]):
        other, _ = _settle(sentence, plan, cost)
        if other.changes:
            distinct.setdefault(other.text, other)
        if len(distinct) >= alternatives:
            break
    others = list(distinct.values())[1:]
    return [best, *sorted(others, key=lambda other: -other.score)]


def _plans(
    best: Rewrite, options: dict[int, int], usual: Plan
) -> Iterator[tuple[Plan, int]]:
    """Yield plans that differ by one expansion or one omitted rule, with their cost."""
    for start, number in options.items():
        for choice in range(1, number):
            yield replace(usual, choices={start: choice}), choice
    for name in _OPTIONAL:
        edits = sum(name in change.rule.split(", ") for change in best.changes)
        if edits:
            yield replace(usual, without=usual.without | {name}), edits


def _settle(
    sentence: Sentence, plan: Plan, cost: int
) -> tuple[Rewrite, dict[int, int]]:
    """Rewrite by a plan; its choices of words apply to the first pass only."""
    first = run(draft(sentence.text, sentence.protected, plan), sentence.text)
    later = replace(plan, choices={}) if plan.choices else plan
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
    if splices.MAY_BE(text):
        splices.mend(work)
    capitals.begin(work)
    if "final stop" not in plan.without:
        punctuation.stop(work)
    return work
