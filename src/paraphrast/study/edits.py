"""The edits between a sentence and its rewrite, in eleven categories.

The names are those of Rao and Tetreault (2018, Table 8), which the paper gives without
definitions; the definitions here are ours (docs/edits.md). Eight categories are
determined by the words and marks as matched by `paraphrast.study.word_matching`.
Paraphrase, fillers and completion concern unmatched words and need a word aligner:
linked words were reworded, unlinked ones dropped or added.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paraphrast.align.base import Aligner, Link
from paraphrast.errors import ParaphrastError
from paraphrast.language.stemming import root
from paraphrast.language.words import AUXILIARIES, DETERMINERS, FUNCTION
from paraphrast.rules import lexicon
from paraphrast.study.word_matching import (
    CONTRACTION,
    KINDS,
    SAME,
    SLANG,
    SPELLING,
    Match,
    Text,
    Token,
    find_repetitions,
    match_words,
    read_text,
)
from paraphrast.text.normalisation import STRAIGHT_QUOTES

PARAPHRASE, FILLERS, COMPLETION = "paraphrase", "fillers", "completion"
CAPITALIZATION, LOWERCASE, PUNCTUATION = "capitalization", "lowercase", "punctuation"
SPLIT, REPETITIONS = "split sentences", "repetitions"
CATEGORIES = (
    PARAPHRASE,
    CAPITALIZATION,
    PUNCTUATION,
    FILLERS,
    COMPLETION,
    SPELLING,
    CONTRACTION,
    SLANG,
    LOWERCASE,
    SPLIT,
    REPETITIONS,
)
LONGEST = 400  # words per side

_EMPTY, _OFTEN_EMPTY, _DEGREES, _SUBJECTS, _PREPOSITIONS, _JOINING, _NOT_COMPLETING = (
    frozenset(KINDS[kind].split())
    for kind in (
        "empty", "often empty", "degrees", "subjects", "prepositions", "joining",
        "not completing",
    )
)  # fmt: skip
_EMPTY_PHRASES = tuple(KINDS["empty phrases"].split(";"))
_COMPLETING = (
    _SUBJECTS | _PREPOSITIONS | _JOINING | DETERMINERS | AUXILIARIES
) - _NOT_COMPLETING


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """``source[start:end]`` (``before``) became ``after``, of one category."""

    start: int
    end: int
    category: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair during analysis: its matches, unmatched words, and the aligner's links."""

    source: Text
    target: Text
    matches: tuple[Match, ...]
    left: tuple[int, ...]  # source words without a match
    free: tuple[int, ...]  # target words without a match
    links: frozenset[tuple[int, int]]

    def locate(self, position: int) -> int:
        """Return the source position that corresponds to a position of the target."""
        ends = [
            (self.target.words[m.end - 1].end, self.source.words[m.last - 1].end)
            for m in self.matches
        ]
        return max((end for end in ends if end[0] <= position), default=(0, 0))[1]


def find_edits(pairs: Sequence[tuple[str, str]], aligner: Aligner) -> list[list[Edit]]:
    """Return the edits of each pair of a source and its rewrite, in order."""
    for number, sides in enumerate(pairs, start=1):
        words_of = max(len(text.split()) for text in sides)
        if words_of > LONGEST:
            raise ParaphrastError(
                f"pair {number}: {words_of} words; edits are found in up to {LONGEST} "
                "words per side. Split the texts into sentences."
            )
    texts = [(read_text(source), read_text(target)) for source, target in pairs]
    words = [
        (tuple(w.low for w in source.words), tuple(w.low for w in target.words))
        for source, target in texts
    ]
    result = []
    for (source, target), links in zip(texts, aligner(words), strict=True):
        pair = _match(source, target, links)
        edits = sorted(
            {
                edit
                for find in _FINDERS
                for edit in find(pair)
                if edit.before != edit.after
            }
        )
        result.append(edits)
    return result


def categorise_spans(
    source: str, target: str, spans: Sequence[tuple[int, int]], aligner: Aligner
) -> list[list[str]]:
    """Return the categories of the edits that touch each span of the source."""
    [edits] = find_edits([(source, target)], aligner)
    touching: list[list[Edit]] = [[] for _ in spans]
    for edit in edits:
        for index in _choose_spans(edit, spans):
            touching[index].append(edit)
    return [list_categories(own) for own in touching]


def list_categories(edits: Iterable[Edit]) -> list[str]:
    """Return the categories of some edits, each once, in the paper's order."""
    present = {edit.category for edit in edits}
    return [category for category in CATEGORIES if category in present]


def _choose_spans(edit: Edit, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the spans that contain an edit.

    An empty edit is in an empty span at its position, in a span around it or starting
    there, or else in one that ends there.
    """
    at = edit.start
    if at != edit.end:
        return [
            index
            for index, (start, end) in enumerate(spans)
            if start < edit.end and at < end
        ]
    exact = [index for index, span in enumerate(spans) if span == (at, at)]
    around = [n for n, (start, end) in enumerate(spans) if start <= at < end]
    return exact or around or [n for n, (_, end) in enumerate(spans) if end == at]


def _match(source: Text, target: Text, links: Iterable[Link]) -> _Pair:
    matches = tuple(match_words(source.words, target.words))
    ours = {i for match in matches for i in range(match.first, match.last)}
    theirs = {j for match in matches for j in range(match.start, match.end)}
    return _Pair(
        source,
        target,
        matches,
        tuple(i for i in range(len(source.words)) if i not in ours),
        tuple(j for j in range(len(target.words)) if j not in theirs),
        frozenset((link.source, link.target) for link in links),
    )


def _find_matched(pair: _Pair) -> Iterator[Edit]:
    """Yield contractions, normalization and spelling: matches by the lists."""
    for match in pair.matches:
        if match.how != SAME:
            yield _edit(pair, match, match.how)


def _find_raised(pair: _Pair) -> Iterator[Edit]:
    """Yield capitals where the source has a lower-case letter."""
    for match in pair.matches:
        before, after = pair.source.words[match.first], pair.target.words[match.start]
        moved = after.opens and not before.opens
        if moved and not _opens_small(pair.source):
            continue  # "Well, that works": the capital is the place's, not the word's
        if _is_raised(before.text, after.text):
            yield _edit(pair, match, CAPITALIZATION)
    first, start = pair.source.words[:1], pair.target.words[:1]
    if first and start and first[0].text[0].islower() and start[0].text[0].isupper():
        yield Edit(
            first[0].start, first[0].end, CAPITALIZATION, first[0].text, start[0].text
        )


def _find_lowered(pair: _Pair) -> Iterator[Edit]:
    """Yield words that are no longer in capitals."""
    linked = {i: pair.target.words[j].text for i, j in pair.links if i in pair.left}
    for match in pair.matches:
        linked[match.first] = pair.target.words[match.start].text
    acronyms = lexicon.load().acronyms
    for i, after in linked.items():
        word = pair.source.words[i]
        loud = len(word.text) > 1 and word.text.isupper() and word.text.isalpha()
        if loud and not after.isupper() and word.text not in acronyms:
            yield Edit(word.start, word.end, LOWERCASE, word.text, after)


def _find_marks(pair: _Pair) -> Iterator[Edit]:
    """Yield marks that only one side has."""
    ours = Counter(mark.text.translate(STRAIGHT_QUOTES) for mark in pair.source.marks)
    theirs = Counter(mark.text.translate(STRAIGHT_QUOTES) for mark in pair.target.marks)
    gone, new = ours - theirs, theirs - ours
    for mark in reversed(pair.source.marks):
        text = mark.text.translate(STRAIGHT_QUOTES)
        if gone[text]:
            gone[text] -= 1
            yield Edit(mark.start, mark.end, PUNCTUATION, mark.text, "")
    for mark in reversed(pair.target.marks):
        text = mark.text.translate(STRAIGHT_QUOTES)
        if new[text]:
            new[text] -= 1
            position = pair.locate(mark.start)
            yield Edit(position, position, PUNCTUATION, "", mark.text)


def _find_repeated(pair: _Pair) -> Iterator[Edit]:
    """Yield lengthened words and repeated marks that were removed."""
    kept = {token.low for token in find_repetitions(pair.target)}
    for token in find_repetitions(pair.source):
        if token.low not in kept:
            yield Edit(token.start, token.end, REPETITIONS, token.text, "")


def _find_split(pair: _Pair) -> Iterator[Edit]:
    """Yield the ends of sentences that the source does not have."""
    if pair.target.sentences <= pair.source.sentences:
        return
    begun = [
        (pair.locate(word.start), word) for word in pair.target.words[1:] if word.opens
    ]
    new = [(at, word) for at, word in begun if not _opens_at(pair.source, at)]
    for position, word in new or begun[-1:]:
        yield Edit(position, position, SPLIT, "", word.text)


def _find_fillers(pair: _Pair) -> Iterator[Edit]:
    """Yield words without content, and emoticons, that the rewrite leaves out."""
    words = pair.source.words
    linked = {i for i, j in pair.links if j in pair.free}
    left = [i for i in pair.left if i not in linked]
    dropped = {i for i in pair.left if _is_empty(words[i])}
    dropped |= {i for i in left if words[i].low in _OFTEN_EMPTY}
    for phrase in _EMPTY_PHRASES:
        parts = phrase.split()
        for first in left:
            span = range(first, first + len(parts))
            if set(span) <= set(left) and parts == [words[i].low for i in span]:
                dropped |= set(span)
    for i in sorted(dropped):
        yield Edit(words[i].start, words[i].end, FILLERS, words[i].text, "")
    kept = Counter(face.text for face in pair.target.faces)
    for face in pair.source.faces:
        if not kept[face.text]:
            yield Edit(face.start, face.end, FILLERS, face.text, "")


def _find_completed(pair: _Pair) -> Iterator[Edit]:
    """Yield added subjects, auxiliaries, articles and prepositions."""
    linked = {j for i, j in pair.links if i in pair.left}
    lost = {pair.source.words[i].low for i in pair.left}
    for gap in _find_gaps(pair):
        for j in gap.free:
            word = pair.target.words[j]
            if word.low not in _COMPLETING or j in linked or word.low in lost:
                continue
            if not gap.left or word.low in _SUBJECTS | {"that"}:
                position = pair.locate(word.start)
                yield Edit(position, position, COMPLETION, "", word.text)


def _find_reworded(pair: _Pair) -> Iterator[Edit]:
    """Yield words that became other words, by the aligner or in the same gap."""
    source, target = pair.source.words, pair.target.words
    left, free = set(pair.left), set(pair.free)
    for i, j in sorted(pair.links):
        if i in left and j in free and _differ(source[i], target[j]):
            yield Edit(source[i].start, source[i].end, PARAPHRASE, source[i].text,
                       target[j].text)  # fmt: skip
    for gap in _find_gaps(pair):
        before = [source[i] for i in gap.left if not _is_filler(source[i])]
        after = [target[j] for j in gap.free]
        differs = any(_is_content(word) for word in after) and before
        roots = {root(word.low) for word in before}
        if differs and any(root(w.low) not in roots for w in after if _is_content(w)):
            start, end = before[0].start, before[-1].end
            yield Edit(start, end, PARAPHRASE, " ".join(w.text for w in before),
                       " ".join(w.text for w in after))  # fmt: skip


_FINDERS = (
    _find_matched,
    _find_raised,
    _find_lowered,
    _find_marks,
    _find_repeated,
    _find_split,
    _find_fillers,
    _find_completed,
    _find_reworded,
)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words without a match between two matches of the target's order."""

    left: tuple[int, ...]
    free: tuple[int, ...]


def _find_gaps(pair: _Pair) -> Iterator[_Gap]:
    """Yield the unmatched spans of the target with their counterparts."""
    source_of = {
        j: match for match in pair.matches for j in range(match.start, match.end)
    }
    left = set(pair.left)
    free: list[int] = []
    before = 0  # the source word after the last match
    for j in range(len(pair.target.words) + 1):
        match = source_of.get(j)
        if j < len(pair.target.words) and match is None:
            free.append(j)
            continue
        after = match.first if match else len(pair.source.words)
        if free:
            yield _Gap(tuple(i for i in range(before, after) if i in left), tuple(free))
        free = []
        before = match.last if match else 0


def _edit(pair: _Pair, match: Match, category: str) -> Edit:
    ours = pair.source.words[match.first : match.last]
    theirs = pair.target.words[match.start : match.end]
    return Edit(
        ours[0].start,
        ours[-1].end,
        category,
        " ".join(word.text for word in ours),
        " ".join(word.text for word in theirs),
    )


def _is_raised(before: str, after: str) -> bool:
    """Say whether a letter of a word became a capital."""
    if before.lower() == after.lower():
        return any(
            a.islower() and b.isupper() for a, b in zip(before, after, strict=False)
        )
    same = before[0].lower() == after[0].lower()
    return same and before[0].islower() and after[0].isupper()


def _opens_small(text: Text) -> bool:
    return any(word.opens and word.text[0].islower() for word in text.words)


def _opens_at(text: Text, position: int) -> bool:
    """Say whether the next word of a text begins a sentence."""
    following = next((word for word in text.words if word.start >= position), None)
    return following is not None and following.opens


def _is_filler(word: Token) -> bool:
    return _is_empty(word) or word.low in _OFTEN_EMPTY


def _is_empty(word: Token) -> bool:
    record = lexicon.load().words.get(word.low)
    return word.low in _EMPTY or bool(record and record.fillers.get(()) == "anywhere")


def _is_content(word: Token) -> bool:
    small = word.low in FUNCTION and word.low not in _DEGREES
    return not small and any(sign.isalnum() for sign in word.low)


def _differ(before: Token, after: Token) -> bool:
    """Say whether two words, one of them with content, are not forms of one."""
    if before.low in AUXILIARIES - _DEGREES or after.low in AUXILIARIES - _DEGREES:
        return False
    content = _is_content(before) or _is_content(after)
    return content and root(before.low) != root(after.low)
