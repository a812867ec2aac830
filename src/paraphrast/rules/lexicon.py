"""The word lists in ``data/``, read once and indexed by first word.

A word has at most one `Word` record with everything known about it: the ways to expand
it or the phrases that begin with it, the name it may be, whether it is a filler, a
swear word or an abbreviation. So a sentence costs one look-up per word.

A row applies under a condition on the neighbours of a word. Its clauses, separated by
``;``, must all hold:

``prev=a|b``   the word before is one of these; ``prev!=`` none of these
``next=…``     the word after; ``next!=``
``then=…``     the second word after it
``verb=…``     the next word that is not an adverb; ``verb!=``
``start``      it is the first word of the sentence
``lower``      it is written in lower case

Among the words, ``@name`` stands for a class of words, ``^`` for punctuation or an end
of the sentence, ``#`` for anything that begins with a digit, ``*ed`` for a past form in
-ed, ``*s`` for what looks like a plural, and ``*'s`` for a word with that ending.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, TypeVar

from paraphrast.rules.tokens import WORD, Token, after, before, neighbour, next_index
from paraphrast.text.word_lists import read_rows

Classes = Mapping[str, frozenset[str]]
# Words in -ed that are not past forms, as are none of those in -eed.
_NOT_PAST = frozenset({"embed", "hundred", "sacred", "wicked", "naked", "indeed"})
_PLACES = ("prev", "next", "then", "verb")


@dataclass(frozen=True, slots=True)
class Clause:
    """A position near the word, and the words allowed or excluded there."""

    position: str
    words: frozenset[str] = frozenset()
    wanted: bool = True

    def holds(self, word: str) -> bool:
        """Return whether a word in that position satisfies the clause."""
        if word in self.words:
            return self.wanted
        matches = (
            ("#" in self.words and word[:1].isdigit())
            or ("*ed" in self.words and _is_past(word))
            or ("*s" in self.words and _is_plural(word))
            or ("*'s" in self.words and word.endswith("'s"))
        )
        return matches is self.wanted


Condition = tuple[Clause, ...]


def parse(condition: str, classes: Classes) -> Condition:
    """Parse a condition; raise ``ValueError`` with what is wrong with it."""
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
    """Return whether the condition holds for the words at ``first`` to ``last``."""
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
    """Return the second word after this one, or the next that is not an adverb."""
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


Row = TypeVar("Row")

ENTRY_LISTS = ("contractions", "slang", "dropped_g", "spelling")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the lists: an informal form and what it stands for.

    ``reverse`` is the condition for writing it in the informal direction, or None
    where that may not be done.
    """

    informal: str
    formal: tuple[str, ...]
    kind: str
    when: Condition
    reverse: Condition | None


Phrase: TypeAlias = tuple[tuple[str, ...], list[Entry]]


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name as it should be written, and when the word is that name."""

    words: tuple[str, ...]
    kind: str
    when: Condition


@dataclass(slots=True)
class Word:
    """Everything known about a word; phrases are indexed by their first word.

    ``entries`` and ``names`` map the words that follow (none for a single word) to
    rows, longest first; ``before`` has those of ``entries`` that may hold before a
    word, by that word, and ``alone`` those of no phrase. ``fillers`` say where it may
    be dropped. ``begun`` are the second words of the phrases that it begins, if nothing
    is known of the word by itself, and otherwise None.
    """

    entries: dict[tuple[str, ...], list[Entry]] = field(default_factory=dict)
    before: dict[str, list[Phrase]] = field(default_factory=dict)
    alone: list[Phrase] = field(default_factory=list)
    names: dict[tuple[str, ...], list[Name]] = field(default_factory=dict)
    fillers: dict[tuple[str, ...], str] = field(default_factory=dict)
    swearing: bool = False
    begun: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All lists, indexed for look-up; the words are in lower case.

    ``reverse`` has the entries of the informal direction by the first word of their
    formal form, then by the rest of it. ``bare`` are the contractions that can do
    without their apostrophe, ``bared`` what is then left of them, and ``replaced``
    all words of either side of an entry in ``reverse``, and the fillers. ``clipped``
    has the full forms of words such as "fridge".
    """

    entries: tuple[Entry, ...]
    words: Mapping[str, Word]
    plain: frozenset[str]
    acronyms: Mapping[str, frozenset[str]]
    classes: Classes
    reverse: Mapping[str, Mapping[tuple[str, ...], list[Entry]]]
    bare: frozenset[str]
    bared: frozenset[str]
    replaced: frozenset[str]
    clipped: Mapping[str, tuple[str, ...]]

    def is_name(self, word: str) -> bool:
        """Return whether a word is always a name, but not an abbreviation or "I"."""
        record = self.words.get(word)
        names = record.names.get(()) if record else None
        return bool(names) and all(
            not name.when and name.kind != "acronym" for name in names or ()
        )

    def knows(self, word: str) -> bool:
        """Return whether a lower-case word is in any list."""
        return word in self.plain or word in self.words


@lru_cache(maxsize=2)
def load(*, register: bool = False) -> Lexicon:
    """Read the lists; with ``register`` also the fuller forms of everyday words."""
    classes = {
        name: frozenset(words.split()) for name, words in _rows("classes.tsv", 2)
    }
    lists = (*ENTRY_LISTS, "register") if register else ENTRY_LISTS
    entries = tuple(entry for name in lists for entry in _entries(name, classes))
    words = _index_words(entries, tuple(_names(classes)))
    reverse = _reverse(entries)
    bare = _bare(entries)
    bared = frozenset(form.replace("'", "") for form in bare)
    used = [entry for entry in entries if entry.reverse is not None]
    fillers = [filler for filler, _ in _rows("fillers.tsv", 2)]
    phrases = [*(e.informal for e in used), *(e.formal[0] for e in used), *fillers]
    return Lexicon(
        entries=entries,
        words=words,
        plain=frozenset(w for (row,) in _rows("words.txt", 1) for w in row.split()),
        acronyms={f: frozenset(m.split()) for f, m in _rows("acronyms.tsv", 2)},
        classes=classes,
        reverse=reverse,
        bare=bare,
        bared=bared,
        replaced=bare
        | bared
        | {word for phrase in phrases for word in phrase.lower().split(" ")},
        clipped={
            word: tuple(forms.split(" | ")) for word, forms in _rows("clipped.tsv", 2)
        },
    )


def _index_words(entries: Iterable[Entry], names: Iterable[Name]) -> dict[str, Word]:
    """Return all that is known of each word."""
    words: dict[str, Word] = {}
    for entry in entries:
        first, *rest = entry.informal.split(" ")
        record = words.setdefault(first, Word())
        record.entries.setdefault(tuple(rest), []).append(entry)
    for filler, where in _rows("fillers.tsv", 2):
        first, *rest = filler.split(" ")
        words.setdefault(first, Word()).fillers[tuple(rest)] = where
    for (word,) in _rows("swearing.txt", 1):
        words.setdefault(word, Word()).swearing = True
    for name in names:
        first, *rest = (part.lower() for part in name.words)
        record = words.setdefault(first, Word())
        record.names.setdefault(tuple(rest), []).append(name)
    for record in words.values():
        record.entries = _longest_first(record.entries)
        record.alone = [row for row in record.entries.items() if not row[0]]
        record.before = {
            rest[0]: [
                row for row in record.entries.items() if row[0][:1] in ((), rest[:1])
            ]
            for rest in record.entries
            if rest
        }
        record.names = _longest_first(record.names)
        record.fillers = _longest_first(record.fillers)
        record.begun = _begun_phrases(record)
    return words


def _begun_phrases(record: Word) -> frozenset[str] | None:
    """Return the second words of a word's phrases, or None if it may occur alone."""
    rests = [*record.entries, *record.names, *record.fillers]
    if record.swearing or () in rests:
        return None
    return frozenset(rest[0] for rest in rests)


def _reverse(
    entries: tuple[Entry, ...],
) -> dict[str, dict[tuple[str, ...], list[Entry]]]:
    reverse: dict[str, dict[tuple[str, ...], list[Entry]]] = {}
    for entry in entries:
        if entry.reverse is not None:
            first, *rest = entry.formal[0].lower().split(" ")
            reverse.setdefault(first, {}).setdefault(tuple(rest), []).append(entry)
    return {first: _longest_first(rows) for first, rows in reverse.items()}


def _bare(entries: tuple[Entry, ...]) -> frozenset[str]:
    """Return the contractions that mean the same without their apostrophe."""
    rows = {(e.informal, e.formal[0]) for e in entries if not e.when}
    return frozenset(
        entry.informal
        for entry in entries
        if entry.kind == "contraction"
        and entry.reverse is not None
        and "'" in entry.informal
        and (entry.informal.replace("'", ""), entry.formal[0]) in rows
    )


def _longest_first(rows: dict[tuple[str, ...], Row]) -> dict[tuple[str, ...], Row]:
    return dict(sorted(rows.items(), key=lambda item: -len(item[0])))


def _entries(name: str, classes: Classes) -> Iterator[Entry]:
    for informal, formal, kind, when, reverse in _rows(f"{name}.tsv", 5):
        yield Entry(
            informal,
            tuple(formal.split(" | ")),
            kind,
            parse(when, classes),
            None if reverse == "-" else parse(reverse.replace("always", "-"), classes),
        )


def _names(classes: Classes) -> Iterator[Name]:
    yield Name(("I",), "pronoun", parse("next!==", classes))
    for form, kind, when in _rows("names.tsv", 3):
        yield Name(tuple(form.split(" ")), kind, parse(when, classes))
    for form, marks in _rows("acronyms.tsv", 2):
        if "raise" in marks.split():
            yield Name((form,), "acronym", ())


def _rows(name: str, columns: int) -> list[list[str]]:
    return read_rows("paraphrast.rules", name, columns)
