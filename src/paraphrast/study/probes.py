"""Probes: changes that an evaluator must detect, and changes that it must ignore.

Each probe turns a text into a minimal pair: the text, and the same text with one thing
changed. If the change destroys style, meaning or fluency, the evaluator's value must
fall; otherwise it must not change. `make_probes` makes them from texts that the
evaluator has not seen, the same ones for every evaluator and seed; a text that has
nothing to change (no name, no verb to negate) gives no pair.

The probes are independent of the checks in `meaning_checks`, which they test.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import regex

from paraphrast.language.words import find_words
from paraphrast.text.word_lists import read_rows

Maker: TypeAlias = Callable[[str, random.Random, Sequence[str]], str]

_AUXILIARY = regex.compile(
    r"(?<![\p{L}'])(?:is|are|was|were|will|would|can|could|shall|should|must|may|might"
    r"|am|art|hath|doth|wilt|shalt|has|have|had|did|do|does)(?=\s)(?!\s+n['o]t)",
    regex.IGNORECASE,
)
_DENIED = regex.compile(r"\s*n't(?![\p{L}])|\s+not(?![\p{L}])", regex.IGNORECASE)
_NAME = regex.compile(r"(?<=[\p{Ll},]\s)\p{Lu}\p{Ll}{2,}(?!\p{L})")
_SMALL = regex.compile(r"(?<!\p{L})\p{Ll}+")
_NUMBER = regex.compile(
    r"(?<!\p{L})(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred)"
    r"(?![\p{L}\d])"
)
_OTHER_NUMBER = {"two": "seven", "three": "eight", "four": "nine", "five": "two"}
_PUNCTUATION = regex.compile(r"\s*[\p{P}--['’\-]]+", regex.V1)
_SUBJECT = {
    "i": "me", "he": "him", "she": "her", "we": "us", "they": "them",
    "thou": "thee", "you": "you",
}  # fmt: skip
_OBJECT = {
    "me": "I", "him": "he", "her": "she", "us": "we", "them": "they",
    "thee": "thou", "you": "you",
}  # fmt: skip
_SALAD = 4  # words at least


@dataclass(frozen=True, slots=True)
class Probe:
    """Pairs of a text and the same text changed.

    ``means`` says whether the change alters the meaning, and ``fluent`` whether the
    result is still English; None where that depends.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    means: bool | None
    fluent: bool | None


def make_probes(
    texts: Sequence[str], *, others: Sequence[str] = (), seed: int = 1, most: int = 500
) -> dict[str, Probe]:
    """Make every probe from texts, at most ``most`` pairs each.

    ``others`` are unrelated sentences, such as lines of the target corpus; without them
    the texts themselves are used, each for another.
    """
    result = {}
    for name, (make, means, fluent) in MAKERS.items():
        draw = random.Random(f"{seed} {name}")
        pool = find_pool(name, texts, others)
        pairs = []
        for text in texts:
            changed = make(text, draw, pool) if text.strip() else ""
            if changed and changed != text:
                pairs.append((text, changed))
            if len(pairs) == most:
                break
        result[name] = Probe(name, tuple(pairs), means, fluent)
    return result


def find_pool(name: str, texts: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return what a maker draws from: names, or whole sentences."""
    if name == "name swapped":
        # Lines of verse begin with capitals: what is ever written small is no name.
        small = {word for text in texts for word in _SMALL.findall(text)}
        result = {name for text in texts for name in _NAME.findall(text)}
        return sorted(name for name in result if name.lower() not in small)
    return list(others or texts)


def remove_case(text: str, _: random.Random, __: Sequence[str]) -> str:
    """Write the text in lower case."""
    return text.lower()


def remove_punctuation(text: str, _: random.Random, __: Sequence[str]) -> str:
    """Remove all punctuation except apostrophes and hyphens."""
    kept: str = _PUNCTUATION.sub("", text)
    return kept.strip()


def insert_negation(text: str, draw: random.Random, _: Sequence[str]) -> str:
    """Negate one verb with an auxiliary, in a text without negation."""
    if _DENIED.search(text) or regex.search(r"(?<!\p{L})n(?:o|or|ever)(?!\p{L})", text):
        return ""
    ends = [match.end() for match in _AUXILIARY.finditer(text)]
    if not ends:
        return ""
    at = draw.choice(ends)
    return f"{text[:at]} not{text[at:]}"


def remove_negation(text: str, _: random.Random, __: Sequence[str]) -> str:
    """Drop the only "not" of a text."""
    if len(_DENIED.findall(text)) != 1:
        return ""
    kept: str = _DENIED.sub("", text)
    return kept.replace("ca ", "can ").replace("wo ", "will ")


def swap_name(text: str, draw: random.Random, names: Sequence[str]) -> str:
    """Replace one name by another."""
    result = [match for match in _NAME.finditer(text) if match.group() in set(names)]
    if not result:
        return ""
    match = draw.choice(result)
    present = set(find_words(text.lower()))
    choice = [name for name in names if name.lower() not in present]
    if not choice:
        return ""
    return f"{text[: match.start()]}{draw.choice(choice)}{text[match.end() :]}"


def change_number(text: str, draw: random.Random, _: Sequence[str]) -> str:
    """Replace one number by another."""
    result = list(_NUMBER.finditer(text))
    if not result:
        return ""
    match = draw.choice(result)
    number = match.group()
    other = str(int(number) + 3) if number.isdecimal() else _OTHER_NUMBER.get(number)
    return f"{text[: match.start()]}{other or 'four'}{text[match.end() :]}"


def swap_roles(text: str, _: random.Random, __: Sequence[str]) -> str:
    """Exchange subject and object, if both are pronouns around one verb."""
    tokens = text.split(" ")
    lower = [token.lower() for token in tokens]
    for at, subject in enumerate(lower):
        for verb in (1, 2):
            end = at + verb + 1
            if subject not in _SUBJECT or end >= len(tokens):
                continue
            target = lower[end]
            between = lower[at + 1 : end]
            if target not in _OBJECT or _SUBJECT[subject] == target:
                continue
            if not all(word.isalpha() for word in between) or between[-1] in _LINKS:
                continue
            made = [*tokens]
            made[at], made[end] = _OBJECT[target], _SUBJECT[subject]
            if tokens[at][0].isupper():
                made[at] = made[at].capitalize()
            return " ".join(made)
    return ""


_LINKS = frozenset(
    dict(read_rows("paraphrast.language", "word_kinds.txt"))["links"].split()
)


def shuffle_words(text: str, draw: random.Random, _: Sequence[str]) -> str:
    """Shuffle the words."""
    tokens = text.split()
    if len(tokens) < _SALAD:
        return ""
    draw.shuffle(tokens)
    return " ".join(tokens)


def draw_other_sentence(text: str, draw: random.Random, pool: Sequence[str]) -> str:
    """Return an unrelated sentence."""
    return draw.choice(pool) if pool else text


# What each changes, whether that changes the meaning, and whether it stays English.
MAKERS: Mapping[str, tuple[Maker, bool | None, bool | None]] = {
    "case removed": (remove_case, False, None),
    "punctuation removed": (remove_punctuation, False, None),
    "negation inserted": (insert_negation, True, None),
    "negation removed": (remove_negation, True, None),
    "name swapped": (swap_name, True, True),
    "number changed": (change_number, True, True),
    "roles swapped": (swap_roles, True, None),
    "word salad": (shuffle_words, None, False),
    "other sentence": (draw_other_sentence, True, True),
}
