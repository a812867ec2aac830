"""Faulty sentences to learn from: broken English, and changed meanings.

`break_sentence` makes a natural sentence bad English in one of the ways that people and
machines do: a word dropped, doubled, moved or of the wrong form, a wrong little word,
a stranger among the words, babble of a small language model, an end cut off.
`changed` keeps a sentence good English and changes what it says: a negation, a number,
a name, who does what to whom, a word for its opposite. Both are drawn, so the same
seed gives the same sentences.
"""

# ruff: noqa: SIM905 - lists of words read best as text
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

Words: TypeAlias = list[str]

_LITTLE = tuple(
    "a an the of to in on at for with by from and or but that which who it he she they "
    "him her them his their is are was were be been has have had do does did will "
    "would can could not as if so than then there this these".split()
)
_OTHERS = {
    "a": ("an", "the", "some", "of"),
    "an": ("a", "the"),
    "the": ("a", "an", "of"),
    "of": ("to", "in", "for", "the"),
    "to": ("for", "of", "at"),
    "in": ("on", "at", "by", "of"),
    "on": ("in", "at", "of"),
    "at": ("in", "on", "to"),
    "for": ("to", "of", "with"),
    "with": ("by", "of", "for"),
    "is": ("are", "be", "were", "am"),
    "are": ("is", "be", "was"),
    "was": ("were", "be", "are"),
    "were": ("was", "be", "is"),
    "has": ("have", "having"),
    "have": ("has", "having"),
    "had": ("have", "has"),
    "do": ("does", "doing"),
    "does": ("do", "doing"),
    "he": ("him", "his"),
    "him": ("he", "his"),
    "she": ("her", "hers"),
    "her": ("she", "hers"),
    "i": ("me", "my"),
    "me": ("i", "my"),
    "they": ("them", "their"),
    "them": ("they", "their"),
    "we": ("us", "our"),
    "us": ("we", "our"),
    "who": ("which", "whom"),
    "thou": ("thee", "thy"),
    "thee": ("thou", "thy"),
    "his": ("him", "he"),
    "their": ("them", "they"),
    "my": ("me", "mine"),
}
_OPPOSITES = tuple(
    pair.split("/")
    for pair in (
        "good/bad love/hate man/woman men/women boy/girl king/queen brother/sister "
        "father/mother son/daughter old/young big/small large/little high/low up/down "
        "day/night always/never come/go give/take buy/sell win/lose friend/enemy "
        "happy/sad right/wrong true/false life/death live/die more/less many/few "
        "first/last early/late before/after open/close black/white hot/cold rich/poor "
        "strong/weak long/short near/far left/right inside/outside begin/end "
        "everyone/nobody all/none everything/nothing yes/no can/cannot will/won't "
        "remember/forget truth/lie heaven/hell peace/war laugh/weep easy/hard "
        "fast/slow full/empty husband/wife"
    ).split()
)
_OPPOSITE = {a: b for a, b in _OPPOSITES} | {b: a for a, b in _OPPOSITES}
_AUXILIARIES = frozenset(
    "is are was were am will would can could shall should may might must has had have "
    "do does did hath doth art".split()
)
_NUMBERS = (
    "two three four five six seven eight nine ten twelve twenty thirty forty fifty"
).split()
_PERSONS = {"i": "you", "you": "they", "he": "she", "she": "he", "they": "we"} | {
    "my": "your", "your": "my", "him": "her", "his": "her", "me": "him", "we": "they",
    "thou": "he", "thee": "him", "thy": "my", "us": "them", "them": "us",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\S", re.UNICODE)


class Babbler:
    """A trigram model of words, to babble with: locally English, and no sentence."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        """Count which word follows which two."""
        following: defaultdict[tuple[str, str], Words] = defaultdict(list)
        for words in sentences:
            for first, second, third in zip(words, words[1:], words[2:], strict=False):
                following[first, second].append(third)
        self._following: Mapping[tuple[str, str], Words] = dict(following)

    def continue_words(self, words: Words, count: int, draw: random.Random) -> Words:
        """Return the words and up to ``count`` more that might follow."""
        result = list(words)
        for _ in range(count):
            choices = self._following.get(tuple(result[-2:]))  # type: ignore[arg-type]
            if not choices:
                break
            result.append(draw.choice(choices))
        return result


def split(text: str) -> Words:
    """Return words and punctuation marks."""
    return _WORD.findall(text)


def break_sentence(
    words: Sequence[str],
    draw: random.Random,
    *,
    strangers: Sequence[str],
    babbler: Babbler,
) -> Words:
    """Return the sentence as bad English; ``strangers`` are words to put in."""
    if len(words) < 2:
        return [*words, *words]
    result = list(words)
    for _ in range(10):
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            way = draw.choice(_WAYS)
            result = way(result, draw, strangers, babbler)
            if len(result) < 2:
                break
        if result and result != list(words):
            return result
        result = list(words)
    return [*words, words[-1]]


def change_meaning(
    words: Sequence[str], draw: random.Random, *, names: Sequence[str]
) -> Words | None:
    """Return the sentence with another meaning, or None if none was found."""
    ways = list(_CHANGES)
    draw.shuffle(ways)
    for way in ways:
        result = way(list(words), draw, names)
        if result is not None and result != list(words):
            return result
    return None


Way: TypeAlias = Callable[[Words, random.Random, Sequence[str], Babbler], Words]


def _drop(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    del words[draw.randrange(len(words))]
    return words


def _drop_little(
    words: Words, draw: random.Random, _: Sequence[str], __: Babbler
) -> Words:
    places = [i for i, word in enumerate(words) if word.lower() in _LITTLE]
    if places:
        del words[draw.choice(places)]
    return words


def _double(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    index = draw.randrange(len(words))
    return [*words[: index + 1], *words[index:]]


def _swap(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    index = draw.randrange(len(words) - 1)
    words[index : index + 2] = words[index + 1], words[index]
    return words


def _move(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    length = draw.choice((1, 2, 3))
    start = draw.randrange(len(words))
    piece = words[start : start + length]
    rest = words[:start] + words[start + length :]
    index = draw.randrange(len(rest) + 1)
    return [*rest[:index], *piece, *rest[index:]]


def _insert_little(
    words: Words, draw: random.Random, _: Sequence[str], __: Babbler
) -> Words:
    words.insert(draw.randrange(len(words)), draw.choice(_LITTLE))
    return words


def _wrong_little(
    words: Words, draw: random.Random, _: Sequence[str], __: Babbler
) -> Words:
    places = [i for i, word in enumerate(words) if word.lower() in _OTHERS]
    if places:
        index = draw.choice(places)
        words[index] = draw.choice(_OTHERS[words[index].lower()])
    return words


def _wrong_form(
    words: Words, draw: random.Random, _: Sequence[str], __: Babbler
) -> Words:
    places = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    if places:
        index = draw.choice(places)
        words[index] = _inflect(words[index], draw)
    return words


def _inflect(word: str, draw: random.Random) -> str:
    for ending in ("ing", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            return draw.choice((stem, f"{stem}e", f"{stem}s", f"{stem}ing"))
    stem = word.removesuffix("e")
    return draw.choice((f"{word}s", f"{stem}ing", f"{stem}ed"))


def _stranger(
    words: Words, draw: random.Random, strangers: Sequence[str], _: Babbler
) -> Words:
    for index in draw.choices(range(len(words)), k=draw.choice((1, 1, 2))):
        words[index] = draw.choice(strangers)
    return words


def _babble(
    words: Words, draw: random.Random, _: Sequence[str], babbler: Babbler
) -> Words:
    start = draw.randrange(1, len(words)) + 1
    length = len(words) - start + draw.randrange(1, 4)
    return babbler.continue_words(words[:start], length, draw)


def _babble_inside(
    words: Words, draw: random.Random, _: Sequence[str], babbler: Babbler
) -> Words:
    start = draw.randrange(1, len(words)) + 1
    count = draw.randrange(1, 5)
    result = babbler.continue_words(words[:start], count, draw)
    return [*result, *words[start + count - draw.randrange(2) :]]


def _cut_end(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    if len(words) < 5:
        return words
    return words[: -draw.randrange(1, len(words) // 2)]


def _shuffle(words: Words, draw: random.Random, _: Sequence[str], __: Babbler) -> Words:
    draw.shuffle(words)
    return words


_WAYS: tuple[Way, ...] = (
    _drop,
    _drop_little,
    _drop_little,
    _double,
    _swap,
    _swap,
    _move,
    _move,
    _insert_little,
    _wrong_little,
    _wrong_little,
    _wrong_form,
    _wrong_form,
    _stranger,
    _babble,
    _babble_inside,
    _cut_end,
    _shuffle,
)

Change: TypeAlias = Callable[[Words, random.Random, Sequence[str]], Words | None]


def _negate(words: Words, draw: random.Random, _: Sequence[str]) -> Words | None:
    lowered = [word.lower() for word in words]
    for little in ("not", "never", "n't"):
        if little in lowered:
            del words[lowered.index(little)]
            return words
    places = [i for i, word in enumerate(lowered) if word in _AUXILIARIES]
    if not places:
        return None
    words.insert(draw.choice(places) + 1, draw.choice(("not", "not", "never")))
    return words


def _change_number(words: Words, draw: random.Random, _: Sequence[str]) -> Words | None:
    places = [
        i for i, word in enumerate(words) if word.isdigit() or word.lower() in _NUMBERS
    ]
    if not places:
        return None
    index = draw.choice(places)
    if words[index].isdigit():
        words[index] = str(int(words[index][:9]) + draw.choice((1, 2, 5, 10, 40)))
    else:
        words[index] = draw.choice(_NUMBERS)
    return words


def _change_name(
    words: Words, draw: random.Random, names: Sequence[str]
) -> Words | None:
    # Checking for a capital first avoids the long list for most words.
    places = [i for i, w in enumerate(words) if i and w[:1].isupper() and w in names]
    if not places or not names:
        return None
    words[draw.choice(places)] = draw.choice(names)
    return words


def _roles(words: Words, draw: random.Random, _: Sequence[str]) -> Words | None:
    places = [i for i, word in enumerate(words) if i and word[:1].isupper()]
    if len(places) >= 2:
        a, b = draw.sample(places, 2)
        words[a], words[b] = words[b], words[a]
        return words
    return _replace_one(words, draw, _PERSONS)


def _opposite(words: Words, draw: random.Random, _: Sequence[str]) -> Words | None:
    return _replace_one(words, draw, _OPPOSITE)


def _replace_one(
    words: Words, draw: random.Random, others: Mapping[str, str]
) -> Words | None:
    """Replace one word that has a counterpart with it; None if none has."""
    places = [i for i, word in enumerate(words) if word.lower() in others]
    if not places:
        return None
    index = draw.choice(places)
    words[index] = others[words[index].lower()]
    return words


_CHANGES: tuple[Change, ...] = (
    _negate,
    _change_number,
    _change_name,
    _roles,
    _opposite,
)
