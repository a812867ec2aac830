r"""How characters look in RTF: the control words that are in effect on them.

Some words say for which characters the following ones are: ``\ltrch`` and ``\rtlch``
for directions, ``\loch``, ``\hich`` and ``\dbch`` for scripts. So each word is kept
with those that it was given under.
"""

import re
from dataclasses import dataclass, field, replace

from paraphrast.rewriting.formats.markup import names

HIDDEN = names("v webhidden deleted")
_ON_OFF = (
    "b i strike striked caps scaps outl shad embo impr v webhidden revised deleted"
)
_VALUES = (
    "f fs cf cb highlight lang langfe langnp langfenp noproof cs expnd expndtw kerning "
    "charscalex up dn super sub nosupersub uc chcbpat chcfpat chshdng revauth revdttm "
    "crauth crdate animtext cgrid accnone accdot acccomma acccircle accunderdot gcw "
    "fittext lochf dbchf hichf"
)
_COMPLEX = (
    "ab acaps acf adn aexpnd af afs ai alang aoutl ascaps ashad astrike aul auldb "
    "aulnone aulw aup"
)
_DIRECTIONS, _SCRIPTS = names("ltrch rtlch"), names("loch hich dbch")
_FORMATTING = names(f"{_ON_OFF} {_VALUES} {_COMPLEX} ulc fcs")
_UNDERLINES = re.compile(r"ul(?!c)[a-z]*")
_OFF = names("ulnone nosupersub")
_OFF_BY_ZERO = names(f"{_ON_OFF} ul cf cb highlight up dn")
_KEYS = {"sub": "super", "nosupersub": "super", "dn": "up"}


def is_formatting(word: str) -> bool:
    """Say whether a control word is about the looks of characters alone."""
    known = _FORMATTING | _DIRECTIONS | _SCRIPTS
    return word in known or bool(_UNDERLINES.fullmatch(word))


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, and the direction and the script that it was given under."""

    direction: str
    script: str
    text: str


@dataclass(frozen=True)
class Looks:
    """What is in effect: words in the order in which they were given last."""

    words: dict[str, _Word] = field(default_factory=dict)
    direction: str = ""
    script: str = ""

    def plain(self) -> "Looks":
        """Return what is left by ``\\plain``."""
        return Looks({key: word for key, word in self.words.items() if key == "uc"})

    def add(self, word: str, number: str | None) -> "Looks":
        """Return what is in effect after a word; what is off is not in it."""
        text = f"\\{word}{number or ''}"
        if word in _DIRECTIONS:
            return replace(self, direction=text)
        if word == "fcs":
            return replace(self, direction=self.direction.partition("\\fcs")[0] + text)
        if word in _SCRIPTS:
            return replace(self, script=text)
        key = _KEYS.get(word, "ul" if _UNDERLINES.fullmatch(word) else word)
        if word == "af":
            key += self.script
        words = {other: own for other, own in self.words.items() if other != key}
        if not (word in _OFF or (number == "0" and word in _OFF_BY_ZERO)):
            words[key] = _Word(self.direction, self.script, text)
        return replace(self, words=words)

    def number(self, key: str) -> str:
        """Return the number of a word, as text; nothing if it is not in effect."""
        word = self.words.get(key)
        return re.sub(r"\D", "", word.text) if word else ""

    @property
    def hidden(self) -> bool:
        """Say whether the characters do not show."""
        return not HIDDEN.isdisjoint(self.words)

    @property
    def identity(self) -> frozenset[object]:
        """Return what two of the same looks have in common."""
        return frozenset((*self.words.items(), self.direction, self.script))

    def spell(self) -> str:
        """Return the words that bring it about, whatever was in effect before."""
        parts, direction, script = ["\\plain"], "", ""
        last = _Word(self.direction, self.script, "")
        for word in (*self.words.values(), last):
            if word.direction != direction:
                parts.append(word.direction)
            if word.script != script:
                parts.append(word.script)
            direction, script = word.direction, word.script
            parts.append(word.text)
        return f"{''.join(parts)} "
