"""Make an informal sentence formal (Rao and Tetreault 2018, section 8.2.1).

One pass looks each word up once and runs the rarer rules only where a quick search
finds their trigger. A pass over its own result must find nothing left to do, so passes
are repeated until that holds (nearly always the second changes nothing); a text on
which they would never agree is returned as it was. Rewriting is idempotent by
construction.

The score counts down: one for every choice that no condition settled, and one for every
step that an alternative is away from the best rewrite.
"""

from collections.abc import Iterator, Sequence

from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules import capitals, fillers, letters, punctuation, words
from paraphrast.rules.draft import Draft, Plan, draft
from paraphrast.rules.settle import settle
from paraphrast.text.spans import Span

_BEST = Plan()
# What a reader may like to keep, in the order in which alternatives leave it out.
OPTIONAL = ("filler", "final stop", "swearing", "name")


class Formal:
    """The rewriter into formal English."""

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return rewrites, best first; the rules are certain and need no seed."""
        return [_rewrites(sentence, alternatives) for sentence in sentences]


def _rewrites(sentence: Sentence, alternatives: int) -> list[Rewrite]:
    best, options = _settle(sentence, _BEST)
    found = {best.text: best}
    if alternatives > 1 and best.changes:
        for plan in _plans(best, options):
            other, _ = _settle(sentence, plan)
            if other.changes:
                found.setdefault(other.text, other)
            if len(found) >= alternatives:
                break
    return sorted(found.values(), key=lambda rewrite: -rewrite.score)


def _plans(best: Rewrite, options: dict[int, int]) -> Iterator[Plan]:
    """Yield the plans one step away: another expansion, or a rule left out."""
    for start, number in options.items():
        for choice in range(1, number):
            yield Plan(choices={start: choice})
    used = {name for change in best.changes for name in change.rule.split(", ")}
    for name in OPTIONAL:
        if name in used:
            yield Plan(without=frozenset({name}))


def _settle(sentence: Sentence, plan: Plan) -> tuple[Rewrite, dict[int, int]]:
    """Rewrite by a plan; the choices of words belong to the first pass alone."""
    first = run(sentence.text, sentence.protected, plan)
    later = Plan(plan.without)
    settled = settle(sentence, first, lambda text, spans: run(text, spans, later))
    cost = settled.doubts + (plan is not _BEST)
    return settled.rewrite(-float(cost)), first.options


def run(text: str, protected: Sequence[Span], plan: Plan) -> Draft:
    """Apply every rule once."""
    work = draft(text, protected, plan)
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
