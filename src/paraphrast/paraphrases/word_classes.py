"""Classes of English words without a tagger: closed classes by list, others by form.

Coarse, but the same word always has the same class, which is what contexts need: they
tell an article from a preposition, and a participle from a plural.
"""

import re
from functools import lru_cache

_CLOSED = {
    "determiner": "a an the this that these those some any no every each all both "
    "another such",
    "preposition": "of in on at by for with from as into than about after before "
    "against between during under over through since among within without toward "
    "towards upon until per via despite like unto",
    "to": "to",
    "conjunction": "and or but nor yet because if while although though whether lest",
    "pronoun": "i you he she it we they me him her us them himself herself itself "
    "themselves myself ourselves yourself one ye thou thee who whom which what there",
    "possessive": "my your his its our their whose 's ' thy mine thine",
    "modal": "will would can could may might must shall should 'll 'd ca wo shalt wilt",
    "auxiliary": "is are was were be been being am 're 'm 've has have had having do "
    "does did done art hath doth",
    "not": "not n't never 't",
    "adverb": "also very too so only even still already just now then here always "
    "when where how why again",
}
_CLASS_OF = {word: name for name, words in _CLOSED.items() for word in words.split()}
_FORMS = (
    ("number", re.compile(r"[\d.,]*\d[\d.,]*%?")),
    ("sign", re.compile(r"\W+")),
    ("adverb", re.compile(r".{2,}ly")),
    ("gerund", re.compile(r".{3,}ing")),
    ("past", re.compile(r".{2,}ed")),
    ("abstract", re.compile(r".{3,}(?:ion|ment|ness|ity|ance|ence)")),
    ("adjective", re.compile(r".{2,}(?:ous|ful|ive|able|ible|al|ic|less)")),
    ("plural", re.compile(r".{2,}[^s]s")),
)


@lru_cache(maxsize=1 << 16)
def word_class(word: str) -> str:
    """Return the class of a word.

    >>> word_class("the"), word_class("Proposals"), word_class("12"), word_class("dog")
    ('determiner', 'plural', 'number', 'word')
    """
    lower = word.lower()
    if lower in _CLASS_OF:
        return _CLASS_OF[lower]
    return next((name for name, form in _FORMS if form.fullmatch(lower)), "word")
