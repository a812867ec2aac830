"""What no rewrite may do, whatever a model thinks of it.

`objection` looks at a source and its rewrite and says what is wrong, or nothing: a name
or a number of the source is lost, a number is new, letters of another script come in,
words go round in a loop, or there is nothing left. A name is a capital inside a
sentence, on a word that has no other reason for one (a verse begins with one, too), or
the first word if it is neither a common word nor slang. ``strict`` also takes spelled
numbers for numbers and rarer words for names (`paraphrast.language.kept`), both ways:
that is for training text, of which there is plenty.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import regex

from paraphrast.language import kept
from paraphrast.text.overlap import words

MOST_REPEATS = 3  # of three words in a row, beyond those of the source
LONG = 5  # words in a row that are not said twice
MOST_IN_A_ROW = 3  # of one word
MOST_LONGER = 2.5  # times the source's words, and some more, but no more than it has
SOME_WORDS = 5
LEAST_SHARE = 0.3  # of the source's words

# A capital after a stop, a quote or a dash may be there for them.
_NAME = regex.compile(
    r"(?<=[\p{Ll}\p{N}']\s|\b(?:Mr|Mrs|Ms|Dr|St)\.?\s)\p{Lu}[\p{L}'’-]*\p{L}"
)
_AFTER_PAUSE = regex.compile(r"(?<=[,;]\s)\p{Lu}[\p{L}'’-]*\p{L}")
_RAW_WORD = regex.compile(r"[\p{L}\p{N}]+(?:['’][\p{L}]+)*")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,:/]\p{Nd}+)*")
_STUTTER = regex.compile(r"(\p{L})\1{4,}")
_FIRST = regex.compile(r"^[^\p{L}\p{N}]*(\p{Lu}\p{Ll}[\p{L}'’-]*)")
_OWNER = regex.compile(r"['’]\p{L}{0,2}\Z")  # Romeo's, I'm, he'll
# First words that no list of common words has, and that are no names.
_SLANG_WORDS = """
    ain aint alrighty anyways argh aww aye bae btw cant cmon congrats cya dang dat dem
    dis dont dude dudes dunno eh fyi gimme gonna gosh gotta gr8 haha hahaha hehe hey
    heya hiya hmm hmmm howdy huh idk ikr ily im imma imo innit jeez kinda lemme lmao lol
    lolz luv meh mhm mmm nah nope nvm ofc okay okey omg oops ouch outta pls plz prob
    probs psst rofl smh sorta soz srsly sup tbh thanx thnx thx til tis totes tryna twas
    twere ugh uhh umm ur wanna wassup wat wazzup welp whaddya whatcha whassup whoa
    whoops wht woah wont wot wow wtf wth xoxo yall yay yea yeah yeh yep yikes yoo yup
    yuck zomg
"""
_SLANG = frozenset(_SLANG_WORDS.split())
_TITLES = frozenset(["Mr", "Mrs", "Ms", "Dr", "Sir", "Lord", "Lady", "God", "O", "Oh"])


@dataclass(frozen=True)
class Checks:
    """Which checks are made."""

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


def names(text: str) -> list[str]:
    """Return the names of a sentence, each as often as it stands there."""
    first = _FIRST.match(text)
    found = [first] if first and _is_named_first(first[1]) else []
    # After a comma or semicolon a verse may begin, with a capital on any word.
    pauses = _AFTER_PAUSE.finditer(text)
    found += [match for match in pauses if kept.names(match[0])]
    found += [match for match in _NAME.finditer(text) if not _is_small(match[0])]
    found.sort(key=lambda match: match.start(match.re.groups))
    bare = (_OWNER.sub("", match[match.re.groups]) for match in found)
    return [name for name in bare if name not in _TITLES and len(name) > 1]


def _is_small(word: str) -> bool:
    """Say whether a word is one of the small ones that hold a sentence together."""
    return _OWNER.sub("", word).lower() in kept.small_words()


def _is_named_first(word: str) -> bool:
    return bool(kept.names(word)) and _OWNER.sub("", word).lower() not in _SLANG


def numbers(text: str) -> list[str]:
    """Return the numbers written in digits."""
    return list(_NUMBER.findall(text))


def objection(source: str, text: str, checks: Checks) -> str:
    """Return what is wrong with a rewrite, as the end of a sentence, or nothing."""
    if not any(map(str.isalnum, text)):
        return "have been empty"
    missing = checks.names and _lost(names(source), text)
    if missing:
        return f"have lost {missing!r}"
    wrong = _numbers_wrong(source, text) if checks.numbers else ""
    foreign = _foreign(source, text)
    if wrong or foreign:
        return wrong or f"have brought in {foreign!r}"
    if checks.strict and not kept.keeps(source, text):
        return "have lost or brought in a name or number"
    if checks.loops and _loops(source, text):
        return "have repeated itself"
    if len(words(text)) < LEAST_SHARE * len(words(source)) - 1:
        return "have left most of it out"
    return ""


def _numbers_wrong(source: str, text: str) -> str:
    before, after = Counter(numbers(source)), Counter(numbers(text))
    if before - after:
        return f"have lost {min(before - after)!r}"
    if after.keys() - before.keys():
        return f"have brought in {min(after.keys() - before.keys())!r}"
    return ""


def is_repetitive(text: str) -> bool:
    """Say whether a text itself goes round in a loop."""
    return _most_repeated(words(text)) >= MOST_REPEATS


def is_copy(source: str, text: str) -> bool:
    """Say whether a rewrite has the words of its source, in their order."""
    return words(source) == words(text)


def _lost(wanted: list[str], text: str) -> str:
    there = text.casefold()
    return next((name for name in wanted if name.casefold() not in there), "")


def _foreign(source: str, text: str) -> str:
    """Return a letter of another script than Latin that the source lacks, if any."""
    if text.isascii():
        return ""
    return next((c for c in text if c.isalpha() and c > "ɏ" and c not in source), "")


def _loops(source: str, text: str) -> bool:
    # Here "the" counts, which is no word to `words`.
    own, new = (_RAW_WORD.findall(side.lower()) for side in (source, text))
    if len(new) > MOST_LONGER * len(own) + min(len(own), SOME_WORDS):
        return True
    if _STUTTER.search(text) and not _STUTTER.search(source):
        return True
    most = _most_in_a_row(new)
    if most > MOST_IN_A_ROW and most > _most_in_a_row(own):
        return True
    said = _most_repeated(new, LONG)
    if said > 1 and said > _most_repeated(own, LONG):
        return True
    before, after = _most_repeated(words(source)), _most_repeated(words(text))
    return after >= MOST_REPEATS and after > before


def _most_repeated(side: list[str], length: int = 3) -> int:
    found = Counter(zip(*(side[start:] for start in range(length)), strict=False))
    return max(found.values(), default=0)


def _most_in_a_row(side: list[str]) -> int:
    return max((sum(1 for _ in run) for _, run in groupby(side)), default=0)
