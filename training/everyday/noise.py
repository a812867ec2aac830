"""Chat spelling, put on a text by rule: what people type, for models to learn to read.

Nothing that carries meaning is lost: numbers, names and negations stay readable.
"""

import random
import re
from collections.abc import Sequence
from typing import Any

NOISY = 0.25
TALK = (
    "tatoeba", "goemotions", "topical-chat", "openrewriteeval", "everyday", "europarl",
    "inputs",
)  # fmt: skip

_SHORT = {
    "you": ["u"], "your": ["ur"], "you're": ["ur", "youre"], "are": ["r"],
    "please": ["pls", "plz"], "thanks": ["thx", "thnx", "tnx"], "to": ["2"],
    "thank you": ["ty", "thank u"], "tomorrow": ["tmrw", "tmr", "tomoro"],
    "tonight": ["2nite", "tonite"], "because": ["cuz", "bc", "coz"], "about": ["abt"],
    "before": ["b4"], "people": ["ppl"], "message": ["msg"], "minutes": ["mins"],
    "really": ["rly"], "probably": ["prob", "prolly"], "something": ["smth", "sth"],
    "going to": ["gonna"], "want to": ["wanna"], "have to": ["hafta"],
    "got to": ["gotta"], "kind of": ["kinda"], "don't know": ["dunno", "dont kno"],
    "i don't know": ["idk"], "let me": ["lemme"], "give me": ["gimme"],
    "see you": ["cya", "see u"], "okay": ["ok", "k"], "and": ["n", "&"], "with": ["w"],
    "for": ["4"], "though": ["tho"], "through": ["thru"], "without": ["w/o"],
    "them": ["em"], "what": ["wat", "wut"], "that": ["dat"], "the": ["da", "teh"],
    "should": ["shud"], "would": ["wud"], "could": ["cud"], "right now": ["rn"],
    "by the way": ["btw"], "to be honest": ["tbh"], "as soon as possible": ["asap"],
    "great": ["gr8"], "later": ["l8r", "ltr"], "never": ["nvr"], "very": ["v"],
    "have": ["hav"], "love": ["luv"], "know": ["kno"], "night": ["nite"],
    "week": ["wk"], "weekend": ["wknd"], "appointment": ["appt"], "today": ["2day"],
    "just": ["jus", "jst"], "definitely": ["def", "definately"],
    "sorry": ["soz", "sry"],
    "their": ["there"], "there": ["their"], "it's": ["its"], "too": ["to"],
}  # fmt: skip
_RARE = {"to", "for", "the", "that", "and", "what", "have", "their", "there", "too"}
_PHRASE = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _SHORT), key=len, reverse=True)) + r")\b",
    re.IGNORECASE,
)


def spell_as_chat(text: str, draw: random.Random) -> str:
    """Return the text as somebody might type it in a hurry."""
    strength = draw.choice((0.15, 0.4, 0.8))

    def shorten(match: re.Match[str]) -> str:
        word = match.group(0)
        often = strength * (0.15 if word.lower() in _RARE else 0.8)
        if draw.random() >= often:
            return word
        return draw.choice(_SHORT[word.lower()])

    text = _PHRASE.sub(shorten, text)
    # While capitals still mark names, which are never mistyped.
    text = " ".join(_mistype(word, strength, draw) for word in text.split())
    if draw.random() < 0.7:
        text = re.sub(r"(?<=\w)['\u2019](?=(?:s|t|re|ve|m|ll|d)\b)", "", text)
    if draw.random() < 0.75:
        text = _drop_capitals(text, names=draw.random() < 0.5)
    if draw.random() < 0.5:
        text = text.replace(",", "")
    if draw.random() < 0.6:
        text = re.sub(r"[.;]+$", "", text)
    if draw.random() < 0.35:
        text = re.sub(r"[.;:] +", " ", text)
    if draw.random() < 0.15:
        text = re.sub(r"([!?])$", lambda m: m.group(1) * draw.choice((2, 3)), text)
    if draw.random() < 0.15:
        text = re.sub(r"\?+$", "", text)
    return text


def spell_some(rows: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return the rows, some modern sources spelled as in a chat."""
    draw = random.Random(seed)
    return [
        row | {"source": spell_as_chat(row["source"], draw)}
        if row["from"] in TALK and draw.random() < NOISY else row
        for row in rows
    ]  # fmt: skip


def _drop_capitals(text: str, *, names: bool) -> str:
    if names:
        return text.lower()
    starts = re.sub(
        r"(^|[.!?]\s+)(\w)", lambda m: m.group(1) + m.group(2).lower(), text
    )
    return re.sub(r"\bI\b", "i", starts)


def _mistype(word: str, strength: float, draw: random.Random) -> str:
    if len(word) < 4 or not word.isalpha() or word[0].isupper():
        return word
    if draw.random() > 0.06 * strength:
        return word
    index = draw.randrange(1, len(word) - 1)
    kind = draw.randrange(3)
    if kind == 0:
        return word[:index] + word[index + 1] + word[index] + word[index + 2 :]
    if kind == 1:
        return word[:index] + word[index + 1 :]
    return word[:index] + word[index] + word[index:]
