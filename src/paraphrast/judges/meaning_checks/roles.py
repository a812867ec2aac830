"""Who did what to whom: the same verb with agent and patient exchanged.

There is no parser here. For every word that both texts have, the people and things just
before it and just after it are taken as agent and patient; pronouns with a case (I,
thou, him) by their case in any position, and a passive ("was seen by") swaps the two.
Things are recognised by an article or possessive a word or two before them, names by
their capital; if the two texts have exactly the same words, any word counts. Only a
full exchange is reported: the agent here is the patient there, and vice versa.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile

from paraphrast.judges.meaning_checks.words import Finding
from paraphrast.language.sentence import Sentence, Word
from paraphrast.language.words import (
    AUXILIARIES,
    BE,
    CLAUSE_ENDS,
    DETERMINERS,
    EITHER,
    OBJECTS,
    SHE,
    SUBJECTS,
)

_REACH = 6  # words either side of a verb


@dataclass(frozen=True, slots=True)
class _Frame:
    doers: frozenset[str]
    done_to: frozenset[str]


def roles(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find a verb whose agent and patient were exchanged."""
    any_word = first.roots == second.roots
    verbs = first.content & second.content
    ours = _frames(first.words, verbs, any_word=any_word)
    theirs = _frames(second.words, verbs, any_word=any_word)
    for verb, frames in ours.items():
        for here, there in product(frames, theirs[verb]):
            doers = (here.doers & there.done_to) - (here.done_to | there.doers)
            done_to = (here.done_to & there.doers) - (here.doers | there.done_to)
            if doers and done_to:
                sides = f"{min(doers)} and {min(done_to)}".replace("@", "")
                reason = f"{sides} changed places around {verb!r}"
                yield Finding("roles", "roles exchanged", reason)
                return


def _frames(
    words: Sequence[Word], verbs: frozenset[str], *, any_word: bool
) -> dict[str, dict[_Frame, None]]:
    """Return the different frames of each verb, in order."""
    frames: dict[str, dict[_Frame, None]] = {}
    for at, word in enumerate(words):
        if word.content and word.root in verbs:
            frame = _frame(words, at, any_word=any_word)
            frames.setdefault(word.root, {})[frame] = None
    return frames


def _frame(words: Sequence[Word], at: int, *, any_word: bool) -> _Frame:
    before, after = _before(words, at), _after(words, at)
    doers = set(_nouns(words, before, any_word=any_word))
    done_to = set(_nouns(words, after, any_word=any_word))
    for position in (*before, *after):
        word = words[position]
        if word.text in SUBJECTS:
            doers.add(word.root)
            done_to.discard(word.root)
        elif word.text in OBJECTS or _is_her(words, position):
            person = OBJECTS.get(word.text, SHE)
            done_to.add(person)
            doers.discard(person)
    if _passive([words[i] for i in before], words[at], [words[i] for i in after]):
        doers, done_to = done_to, doers
    return _Frame(frozenset(doers), frozenset(done_to))


def _is_her(words: Sequence[Word], position: int) -> bool:
    """Say whether "her" is a pronoun rather than a possessive."""
    following = words[position + 1 : position + 2]
    return words[position].text == "her" and not any(word.content for word in following)


def _before(words: Sequence[Word], at: int) -> list[int]:
    positions = range(at - 1, max(-1, at - 1 - _REACH), -1)
    return list(
        takewhile(lambda position: words[position].text not in CLAUSE_ENDS, positions)
    )


def _after(words: Sequence[Word], at: int) -> list[int]:
    positions = range(at + 1, min(len(words), at + 1 + _REACH))
    return list(
        takewhile(lambda position: words[position].text not in CLAUSE_ENDS, positions)
    )


def _nouns(
    words: Sequence[Word], positions: Sequence[int], *, any_word: bool
) -> Iterator[str]:
    """Yield the people and things at some positions, by their roots."""
    for position in positions:
        word = words[position]
        nearby = (before.text for before in words[max(0, position - 2) : position])
        thing = any_word or word.capital or not DETERMINERS.isdisjoint(nearby)
        if word.text in EITHER or (word.content and thing):
            yield word.root


def _passive(before: Sequence[Word], verb: Word, after: Sequence[Word]) -> bool:
    if not any(word.text == "by" for word in after[:4]):
        return False
    for word in before:
        if word.text in BE:
            return verb.text.endswith(("ed", "en", "n", "t", "d", "ung", "uck"))
        if word.text not in AUXILIARIES and word.text not in DETERMINERS:
            return False
    return False
