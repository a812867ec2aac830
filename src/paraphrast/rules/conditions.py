"""Conditions on a word's neighbours, as the lists spell them.

Clauses between ``;`` must all hold:

``prev=a|b``   the word before is one of these; ``prev!=`` none of these
``next=…``     the word after; ``next!=``
``then=…``     the word after the next
``verb=…``     the next word that is not an adverb; ``verb!=``
``start``      it is the first word of the sentence
``lower``      it is written in lower case

Among the words, ``@name`` stands for a class of words, ``^`` for punctuation or an end
of the sentence, ``#`` for anything that begins with a digit, ``*ed`` for a past form in
-ed, and ``*s`` for what looks like a plural.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paraphrast.rules.tokens import WORD, Token, after, before, neighbour, next_index

Classes = Mapping[str, frozenset[str]]
# They end in -ed but are no past forms; words in -eed are not either.
_NOT_PAST = frozenset({"embed", "hundred", "sacred", "wicked", "naked", "indeed"})
_PLACES = ("prev", "next", "then", "verb")


@dataclass(frozen=True, slots=True)
class Clause:
    """A place near the word and the words that may, or may not, stand there."""

    position: str
    words: frozenset[str] = frozenset()
    wanted: bool = True

    def holds(self, word: str) -> bool:
        """Say whether a word in that place satisfies the clause."""
        if word in self.words:
            return self.wanted
        found = (
            ("#" in self.words and word[:1].isdigit())
            or ("*ed" in self.words and _is_past(word))
            or ("*s" in self.words and _is_plural(word))
        )
        return found is self.wanted


Condition = tuple[Clause, ...]


def parse(condition: str, classes: Classes) -> Condition:
    """Read a condition; ``ValueError`` names what is wrong with it."""
    if condition == "-":
        return ()
    return tuple(_clause(part, classes) for part in condition.split(";"))


def _clause(part: str, classes: Classes) -> Clause:
    if part in ("start", "lower"):
        return Clause(part)
    position, sign, words = part.partition("=")
    wanted = not position.endswith("!")
    position = position.removesuffix("!")
    if not sign or position not in _PLACES:
        raise ValueError(f"unknown clause {part!r}")
    words_meant: set[str] = set()
    for word in words.split("|"):
        if word.startswith("@"):
            if word[1:] not in classes:
                raise ValueError(f"unknown class {word!r}")
            words_meant |= classes[word[1:]]
        else:
            words_meant.add(word)
    return Clause(position, frozenset(words_meant), wanted)


def holds(
    condition: Condition,
    tokens: Sequence[Token],
    first: int,
    last: int,
    adverbs: frozenset[str],
) -> bool:
    """Say whether the condition holds for the words at ``first`` to ``last``."""
    for clause in condition:
        position = clause.position
        if position == "prev":
            good = clause.holds(before(tokens, first))
        elif position == "next":
            good = clause.holds(after(tokens, last))
        elif position == "lower":
            good = tokens[first].source.islower()
        elif position == "start":
            good = _is_first_word(tokens, first)
        else:
            good = clause.holds(_further(tokens, last, position, adverbs))
        if not good:
            return False
    return True


def _is_first_word(tokens: Sequence[Token], index: int) -> bool:
    while index > 0:
        index -= 1
        if tokens[index].kind == WORD:
            return False
    return True


def _further(
    tokens: Sequence[Token], index: int, position: str, adverbs: frozenset[str]
) -> str:
    """Return the word after the next, or the first that is no adverb."""
    index = next_index(tokens, index)
    for _ in range(3):
        if index >= len(tokens):
            return "^"
        if tokens[index].kind != WORD:
            return neighbour(tokens[index])
        if position == "verb" and tokens[index].low not in adverbs:
            return tokens[index].low
        index = next_index(tokens, index)
        if position == "then":
            return neighbour(tokens[index]) if index < len(tokens) else "^"
    return "^"


def _is_past(word: str) -> bool:
    return (
        len(word) > 4
        and word.endswith("ed")
        and not word.endswith("eed")
        and word not in _NOT_PAST
    )


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word[-1] == "s" and word[-2] not in "siu'"
