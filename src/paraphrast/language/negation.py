"""What a text denies: its negators, and words that deny without one."""

import regex

from paraphrast.language.sentence import Sentence, read
from paraphrast.language.word_kinds import CLAUSE_ENDS, NEGATORS

_NO_DENIAL = frozenset(("but", "only", "less", "doubt", "matter", "more", "sooner"))
_ANSWERS = frozenset(("no", "nay"))
_PREFIXES = ("un", "in", "im", "dis", "non", "il", "ir")
_SHORTEST = 4  # letters after a prefix
# What a denial can become, or come from, in other words.
_IMPLIED = regex.compile(
    r"\b(?:no (?:doubt|matter|more|sooner|wonder)|not (?:only|merely|but)|"
    r"(?:why|or) not?|n(?:one|ever)[- ]the[- ]?less|don['’]t you (?:know|think)|"
    r"little|less|few|seldom|rarely|only|else|except|unless|until|till|lest|ere|"
    r"instead|too|free|against|forget|(?:refus|den[iy]|fail|lack|ceas|stop|forb|"
    r"prevent|avoid|miss|los[est]|doubt|wrong|false|empty|absen|bewar|hat[ei]|"
    r"un(?!der|t|cle)|impossib|dis(?!h|c))\p{L}+|\p{L}{3,}less)\b"
    r"|[,—–-]\s*\w+n['’]t (?:it|he|she|they|you|we|I)\?",
    regex.IGNORECASE,
)


def find_negators(sentence: Sentence) -> list[int]:
    """Return the positions of a text's negators.

    An answer "no," denies no word, and "nothing but", "not only" and "no less" deny
    nothing.
    """
    texts = [word.text for word in sentence.words] + [""]
    return [
        at
        for at, text in enumerate(texts)
        if text in NEGATORS
        and texts[at + 1] not in _NO_DENIAL
        and not (text in _ANSWERS and texts[at + 1] in CLAUSE_ENDS)
    ]


def count_denials(text: str) -> int:
    """Count what a text denies; one denial that goes on with "nor" is one.

    "No!" as a whole text denies something, too.
    """
    sentence = read(text)
    negators = [sentence.words[at].text for at in find_negators(sentence)]
    first = [word for word in negators if word not in ("nor", "neither")]
    said = {word.text for word in sentence.words if word.text[0].isalnum()}
    is_answer = bool(said) and said <= _ANSWERS
    return len(first) or min(1, len(negators)) or int(is_answer)


def count_implied_denials(text: str) -> int:
    """Count the words and phrases that can say what a denial says."""
    return len(_IMPLIED.findall(text))


def strip_negative_affix(word: str) -> str:
    """Return "kind" for "unkind" and "help" for "helpless"; nothing for others."""
    if word.endswith("less") and len(word) >= _SHORTEST + 4:
        return word.removesuffix("less")
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + _SHORTEST:
            return word.removeprefix(prefix)
    return ""
