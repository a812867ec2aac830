"""Parts of speech for Link Grammar's words.

Link Grammar marks most nouns, verbs, adjectives and adverbs (``people.n``,
``were.v-d``) and leaves function words unmarked. The marks and a list of function words
give the most frequent tags of the Penn Treebank, as fine-grained as merging trees
needs.
"""

import re

_MARKS = {
    "n": "NN",
    "s": "NN",
    "u": "NN",
    "t": "NN",
    "p": "NNS",
    "l": "NNP",
    "f": "NNP",
    "m": "NNP",
    "b": "NNP",
    "o": "NNP",
    "i": "CD",
    "v": "VB",
    "q": "VB",
    "g": "VBG",
    "a": "JJ",
    "e": "RB",
    "j": "CC",
    "d": "DT",
}
_SMALL = {
    "DT": "the a an this that these those some any no every each all both another",
    "IN": "of in on at by for with from as into than about after before against "
    "between during under over through since because if while although though "
    "among within without toward towards upon until whether per via despite like",
    "TO": "to",
    "CC": "and or but nor yet",
    "PRP": "i you he she it we they me him her us them himself herself itself "
    "themselves myself ourselves yourself one",
    "PRP$": "my your his its our their whose",
    "MD": "will would can could may might must shall should 'll 'd ca wo",
    "WP": "who whom which what where when how why",
    "RB": "not n't also very too so only even still already just now then there here "
    "never always",
    "VB": "is are was were be been being am 's 're 'm 've has have had having do does "
    "did done",
    "POS": "'",
}
_TAG_OF = {word: tag for tag, words in _SMALL.items() for word in words.split()}

_SIGNS = (".", ",", ":", ";", "?", "!", "-", "--", "$", "%", "'", '"', "``", "''")
_NUMBER = re.compile(r"[\d.,]*\d[\d.,]*%?")
_LETTER = re.compile(r"\w")


def tag(word: str, mark: str) -> str:
    """Return a part of speech for a word and Link Grammar's mark, which may be empty.

    >>> tag("people", "p"), tag("the", ""), tag(",", ""), tag("12", "")
    ('NNS', 'DT', ',', 'CD')
    """
    lower = word.lower()
    if lower == "'s":
        return "VB" if mark.startswith("v") else "POS"
    if lower in _TAG_OF:
        return _TAG_OF[lower]
    if _NUMBER.fullmatch(word):
        return "CD"
    if not _LETTER.search(word):
        return word if word in _SIGNS else "SYM"
    if lower.endswith("ing") and mark.startswith("v"):
        return "VBG"
    by_form = "RB" if lower.endswith("ly") else "NN"
    return _MARKS.get(mark.partition("-")[0], by_form)


def is_keyword(word: str) -> bool:
    """Say whether a word is a content word."""
    lower = word.lower()
    return lower not in _TAG_OF and lower != "'s" and bool(_LETTER.search(word))
