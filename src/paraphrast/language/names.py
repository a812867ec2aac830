"""Names in a text: capitalised words that nothing else explains.

Headlines, verse and sentence starts capitalise any word, so a name is recognised by its
position or by not being a common English word. `find_names` uses both and is for single
sentences; `find_uncommon_names` uses the word alone, in any position;
`find_names_inside` is for text that is already tokenised; `vote_names` uses a corpus's
capitalisation of a word.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import regex

from paraphrast.language.numbers import is_number_word
from paraphrast.language.sentence import Sentence, read
from paraphrast.language.stemming import root
from paraphrast.language.words import FUNCTION, KINDS, SMALL_WORDS, TITLES, find_words
from paraphrast.text.word_lists import read_rows

_SAME_START = 4  # letters: "Capulet" and "Capulets", "Rome" and "Roman"
_CLITIC = regex.compile(r"(?:n['’]t|['’](?:s|d|ll|re|ve|m|t)?)$")
_ABBREVIATED_TITLES = ("Mr", "Mrs", "Ms", "Dr", "St")
_NO_NAMES = frozenset([*_ABBREVIATED_TITLES, "Sir", "Lord", "Lady", "God", "Oh"])
_CAPITALISED = r"\p{Lu}[\p{L}'’-]*\p{L}"
# A capital after a stop, a quote or a dash may be there for them.
_INSIDE = regex.compile(
    rf"(?<=[\p{{Ll}}\p{{N}}']\s|\b(?:{'|'.join(_ABBREVIATED_TITLES)})\.?\s)"
    rf"{_CAPITALISED}"
)
# After a comma or semicolon a verse may begin, with a capital on any word.
_AFTER_PAUSE = regex.compile(rf"(?<=[,;]\s){_CAPITALISED}")
_FIRST = regex.compile(r"^[^\p{L}\p{N}]*\K\p{Lu}\p{Ll}[\p{L}'’-]*")
_SMALL_LETTERS = regex.compile(r"(?<![\w'’])[a-zß-öø-ÿ][^\W_]*")
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
_FUNCTION_WORDS = frozenset(word for words in KINDS.values() for word in words)


def find_names(text: str) -> list[str]:
    """Return the names of a sentence in order, with repetitions.

    A capitalised word inside a sentence is a name unless it is a function word; the
    first word and one after a comma must be uncommon, too.
    """
    first = _FIRST.search(text)
    matches = [first] if first and find_uncommon_names(first[0]) else []
    if matches and strip_clitic(matches[0][0]).lower() in _SLANG:
        matches = []
    matches += [m for m in _AFTER_PAUSE.finditer(text) if find_uncommon_names(m[0])]
    matches += [m for m in _INSIDE.finditer(text) if not _is_small(m[0])]
    matches.sort(key=lambda match: int(match.start()))
    bare = (strip_clitic(match[0]) for match in matches)
    return [name for name in bare if name not in _NO_NAMES and len(name) > 1]


def find_uncommon_names(text: str) -> list[str]:
    """Return the capitalised words that are not common, each once, in order."""
    words = (word for word in find_words(text) if _is_uncommon(word))
    return list(dict.fromkeys(map(strip_clitic, words)))


def find_names_inside(sentence: Sentence) -> list[str]:
    """Return, in lower case, the uncommon capitalised words that do not begin a text.

    Titles are not names, nor is a word that also occurs uncapitalised.
    """
    small = {word.text for word in sentence.words if not word.capital}
    names = (
        word.text
        for word in sentence.words
        if word.capital
        and word.inside
        and len(word.text) > 2
        and word.text.isalpha()
        and word.text not in FUNCTION | TITLES | small
        and root(word.text) not in _common_roots()
    )
    return list(dict.fromkeys(names))


def vote_names(texts: Sequence[str], others: Iterable[str]) -> list[frozenset[str]]:
    """Return each text's names in lower case, by a vote of all texts.

    Lines of verse begin with a capital in the middle of a sentence ("set On the fair
    daughter"), hence the vote: a name is capitalised more often than not.
    """
    candidates = [_find_inner_capitals(text) for text in texts]
    capital = Counter(word for words in candidates for word in words)
    small: Counter[str] = Counter()
    for text in (*texts, *others):
        small.update(_SMALL_LETTERS.findall(text))
    return [
        frozenset(word for word in words if capital[word] > small[word])
        for words in candidates
    ]


def find_lost_names(source: str, text: str) -> list[str]:
    """Return the uncommon names of a source that a text lacks in any form."""
    names = find_uncommon_names(source)
    words = [strip_clitic(word).lower() for word in find_words(text)] if names else []
    return [
        name
        for name in names
        if not any(is_same_name(word, name.lower()) for word in words)
    ]


def is_same_name(word: str, name: str) -> bool:
    """Say whether a word is a name, a form of it or another name for the same person.

    Both are in lower case.
    """
    start = name[:_SAME_START]
    if word == name or (len(start) == _SAME_START and word.startswith(start)):
        return True
    return any(name in group and word in group for group in _same_bearers())


def strip_clitic(word: str) -> str:
    """Return a word without the ending that an apostrophe joins to it."""
    return str(_CLITIC.sub("", word))


def _is_small(word: str) -> bool:
    return strip_clitic(word).lower() in SMALL_WORDS


@lru_cache(maxsize=2**14)
def _is_uncommon(word: str) -> bool:
    bare = _CLITIC.sub("", word)
    lower = bare.lower()
    return (
        word[0].isupper()
        and len(bare) > 2
        and not bare.isupper()
        and lower not in _FUNCTION_WORDS
        and not is_number_word(lower)
        and root(lower) not in _common_roots()
    )


def _find_inner_capitals(text: str) -> set[str]:
    return {
        word.text
        for word in read(text).words
        if word.capital and word.inside and len(word.text) > 1
    }


@cache
def _common_roots() -> frozenset[str]:
    rows = read_rows("paraphrast.language", "common_roots.txt")
    return frozenset(row[0] for row in rows)


@cache
def _same_bearers() -> tuple[frozenset[str], ...]:
    rows = read_rows("paraphrast.language", "same_bearers.txt")
    return tuple(frozenset(row[0].split()) for row in rows)
