"""A sentence while it is being rewritten by the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paraphrast.rules import lexicon
from paraphrast.rules.lexicon import Condition, Entry, Lexicon, holds
from paraphrast.rules.tokens import GONE, SPACE, Token, is_free, scan, scan_again
from paraphrast.text.spans import Span


@dataclass(frozen=True, slots=True)
class Plan:
    """How an alternative differs from the best rewrite.

    ``without`` names rules to leave out; "contraction with '" leaves "don't" as it is,
    but not "dont". ``choices`` maps the index of a word's token to the number of the
    expansion to take, 0 being the best. ``register`` also replaces everyday words by
    more formal ones.
    """

    without: frozenset[str] = frozenset()
    register: bool = False
    choices: Mapping[int, int] = field(default_factory=dict)

    def leaves_out(self, entry: Entry) -> bool:
        """Return whether an entry of the lists is left out."""
        return self.leaves_out_kind(entry.kind, entry.informal)

    def leaves_out_kind(self, kind: str, informal: str) -> bool:
        """Return whether edits of a kind are left out for an informal form."""
        if not self.without:
            return False
        marked = f"{kind} with '" if "'" in informal else ""
        return kind in self.without or marked in self.without


@dataclass(slots=True)
class Draft:
    """The tokens, the lexicon, and the decisions made so far.

    ``doubts`` counts choices that no condition settled; ``options`` maps the index of
    a word to its number of expansions; ``fillers`` tells when a filler may be dropped;
    ``tailed`` are the subjects that get a "not".
    """

    tokens: list[Token]
    lexicon: Lexicon
    plan: Plan
    doubts: int = 0
    options: dict[int, int] = field(default_factory=dict)
    fillers: dict[Token, str] = field(default_factory=dict)
    tailed: list[Token] = field(default_factory=list)
    merged: bool = False

    def holds(self, condition: Condition, first: int, last: int) -> bool:
        """Return whether a condition holds for the words at ``first`` to ``last``."""
        return not condition or holds(
            condition, self.tokens, first, last, self.lexicon.classes["adverb"]
        )

    def match(self, index: int, rest: Sequence[str]) -> int:
        """Return where the phrase of this word and ``rest`` ends, or -1.

        Its words are separated by spaces, not by a line end, and stand by themselves.
        """
        tokens = self.tokens
        for word in rest:
            if index + 2 >= len(tokens) or tokens[index + 2].low != word:
                return -1
            space = tokens[index + 1]
            if space.kind != SPACE or "\n" in space.text:
                return -1
            index += 2
        return index if not rest or is_free(tokens, index) else -1

    def merge(self, first: int, last: int) -> Token:
        """Merge the tokens from ``first`` to ``last`` into one."""
        token = self.tokens[first]
        if first == last:
            return token
        self.merged = True
        for index in range(first + 1, last + 1):
            other = self.tokens[index]
            token.source += other.source
            token.text += other.text
            other.source = other.text = ""
            other.kind = GONE
        return token

    def compact(self) -> None:
        """Remove the tokens that were merged into others."""
        if self.merged:
            self.tokens = [token for token in self.tokens if token.kind != GONE]
            self.merged = False


def draft_again(work: Draft, plan: Plan) -> Draft:
    """Start a new draft from the current text of a draft."""
    return Draft(scan_again(work.tokens), work.lexicon, plan)


def draft(text: str, protected: Sequence[Span], plan: Plan) -> Draft:
    """Return the first draft of a sentence."""
    lists = lexicon.load(register=True) if plan.register else lexicon.load()
    return Draft(scan(text, protected), lists, plan)


def capitalise(text: str) -> str:
    """Capitalise the first letter of the text, if its capital is a single letter."""
    upper = text[:1].upper()
    return upper + text[1:] if len(upper) == 1 else text
