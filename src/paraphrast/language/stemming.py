"""Porter's stemmer (1980): cut inflections and endings off English words.

It is the algorithm as published, so that figures agree with other tools; `root` goes
one step further for old texts and irregular verbs, so that ``loveth``, ``loved`` and
``love``, ``art`` and ``is``, ``went`` and ``go`` meet.
"""

from collections.abc import Callable
from functools import lru_cache

_VOWELS = "aeiou"
_DOUBLE_TO_KEEP = "lsz"

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance",
    "izer": "ize", "abli": "able", "alli": "al", "entli": "ent", "eli": "e",
    "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous",
    "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic",
    "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
    "sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip

# Forms that no rule reaches; the first of each line stands for all of them.
_IRREGULAR = """
be am is are was were been being art wast wert beest
have has had having hath hast hadst
do does did done doing doth dost didst doest
will wilt wouldst would
shall shalt should shouldst
can canst could couldst
may mayst might mightst
go went gone goes going goest goeth
come came cometh comest
say said saith sayst says sayest
see saw seen seeth seest
give gave given gives giveth givest
take took taken taketh takest
know knew known knoweth knowest
think thought thinketh thinkest
speak spoke spoken spake speaketh
break broke broken brake
tell told telleth
make made maketh
find found findeth
hold held
keep kept
leave left
feel felt
send sent
hear heard
stand stood
lose lost
meet met
run ran
sit sat
eat ate eaten
fall fell fallen
write wrote written writ
bring brought
buy bought
fight fought
seek sought
teach taught
catch caught
bear bore borne born bare
swear swore sworn
choose chose chosen
forget forgot forgotten
get got gotten
begin began begun
drink drank drunk
sing sang sung
die dead died dies dying
slay slew slain
shake shook shaken
ride rode ridden
rise rose risen
win won
lead led
sleep slept
weep wept
man men
woman women
child children
wife wives
foot feet
tooth teeth
brother brethren
"""
_ROOTS = {
    form: forms[0]
    for forms in (line.split() for line in _IRREGULAR.strip().split("\n"))
    for form in forms
}
_SHORTEST_OLD = 3  # letters that stay when an old ending is cut: "loveth", not "teeth"


@lru_cache(maxsize=2**16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; words of one or two letters stay."""
    word = word.lower()
    if len(word) <= 2:
        return word
    for step in _STEPS:
        word = step(word)
    return word


@lru_cache(maxsize=2**16)
def root(word: str) -> str:
    """Return what a word's forms share, old endings and irregular forms included."""
    word = word.lower()
    if word in _ROOTS:
        return _ROOTS[word]
    for ending in ("eth", "est", "'st", "'d"):
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= _SHORTEST_OLD:
            # As a past tense, so that the rules decide on a final e: lov(e), speak.
            return _ROOTS.get(kept) or stem(f"{kept}ed")
    return stem(word)


def _consonant(word: str, at: int) -> bool:
    if word[at] in _VOWELS:
        return False
    return word[at] != "y" or at == 0 or not _consonant(word, at - 1)


def _measure(part: str) -> int:
    """Count how often a vowel is followed by a consonant."""
    kinds = [_consonant(part, at) for at in range(len(part))]
    return sum(not a and b for a, b in zip(kinds, kinds[1:], strict=False))


def _has_vowel(part: str) -> bool:
    return any(not _consonant(part, at) for at in range(len(part)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonant(word, len(word) - 1)


def _ends_short(word: str) -> bool:
    """Say whether it ends like "hop": consonant, vowel, consonant but w, x, y."""
    last = len(word) - 1
    return (
        last >= 2
        and _consonant(word, last)
        and not _consonant(word, last - 1)
        and _consonant(word, last - 2)
        and word[-1] not in "wxy"
    )


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        kept = word.removesuffix(ending)
        if kept != word:
            return _mended(kept) if _has_vowel(kept) else word
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if _ends_double(word) and word[-1] not in _DOUBLE_TO_KEEP:
        return word[:-1]
    return f"{word}e" if _measure(word) == 1 and _ends_short(word) else word


def _final_y(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(endings: dict[str, str]) -> Callable[[str], str]:
    longest_first = sorted(endings, key=len, reverse=True)

    def replace(word: str) -> str:
        for ending in longest_first:
            if word.endswith(ending):
                kept = word[: -len(ending)]
                return kept + endings[ending] if _measure(kept) > 0 else word
        return word

    return replace


_LONG_ENDINGS = sorted(_STEP_4, key=len, reverse=True)


def _long_ending(word: str) -> str:
    for ending in _LONG_ENDINGS:
        if word.endswith(ending):
            # The s or t of "sion" and "tion" must be there, and stays.
            cut = 3 if ending in ("sion", "tion") else len(ending)
            return word[:-cut] if _measure(word[:-cut]) > 1 else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    kept = word[:-1]
    measure = _measure(kept)
    return kept if measure > 1 or (measure == 1 and not _ends_short(kept)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


_STEPS = (
    _plural,
    _past,
    _final_y,
    _replaced(_STEP_2),
    _replaced(_STEP_3),
    _long_ending,
    _final_e,
    _double_l,
)
