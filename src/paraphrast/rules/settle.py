"""Repeat passes over a sentence until one changes nothing.

That makes rewriting idempotent by construction: the result is a text that a pass leaves
unchanged. Nearly always, the second pass only confirms the first. A text on which the
passes do not converge is returned unchanged.
"""

from collections.abc import Callable
from dataclasses import dataclass

from paraphrast.rewriter import Change, Rewrite, Sentence
from paraphrast.rules.draft import Draft
from paraphrast.rules.edits import compose_changes
from paraphrast.rules.tokens import changes, join_tokens

NOTHING = "no rule applies"
ENDLESS = "the rules do not terminate on this text"
_MOST_PASSES = 6


@dataclass(frozen=True, slots=True)
class Settled:
    """The final text, the edits that led to it, and the number of doubtful choices."""

    text: str
    changes: tuple[Change, ...]
    doubts: int
    why: str

    def rewrite(self, score: float) -> Rewrite:
        """Return the result as a rewrite."""
        return Rewrite(self.text, score, self.changes, self.why)


def settle(
    sentence: Sentence, first: Draft, again: Callable[[Draft, str], Draft]
) -> Settled:
    """Return the text that ``again`` leaves unchanged, starting from ``first``.

    ``again`` makes a pass over what a draft has become, which it is also given as text.
    """
    text: str = sentence.text
    made: list[Change] = []
    work = first
    doubts = 0
    for _ in range(_MOST_PASSES):
        doubts += work.doubts
        new_changes = changes(work.tokens)
        if not new_changes:
            why = "" if made else NOTHING
            return Settled(text, tuple(made), doubts, why)
        made = (
            compose_changes(sentence.text, made, new_changes) if made else new_changes
        )
        text = join_tokens(work.tokens)
        work = again(work, text)
    return Settled(sentence.text, (), doubts, ENDLESS)
