"""Outputs as weak rewriting systems write them, with a grade of how bad they are.

`OutputMaker` breaks fluent texts: words dropped, repeated, exchanged or of the wrong
form, ends cut off, beginnings and ends of two versions of a text joined, and the fluent
nonsense of `training.judge.nonsense`. More breaks, a lower grade. Half of the outputs
and of the untouched texts are tokenised and in lower case, so that neither tells one
from the other. `grade_loss` breaks what a text says instead.
"""

import random
import re
from collections.abc import Mapping, Sequence

from training.judge import mistakes
from training.judge.nonsense import Weak

FLUENT = (0.35, 0.2, 0.1, 0.05)  # after one break, two, three, four
NONSENSE = 0.05
MIXED = 0.25
_LONGEST = 60
_NO_SPACE_BEFORE = re.compile(r"\s+([,.!?;:%)\]])")
_CLITIC = re.compile(r"\s+(n't|'(?:s|re|ll|d|ve|m))\b", re.IGNORECASE)


class OutputMaker:
    """Makes bad outputs, by the word order of ``texts``.

    ``pairs`` are texts and translations, for word-by-word translation; ``versions`` are
    texts in several styles, for outputs that begin in one and end in another.
    """

    def __init__(
        self,
        texts: Sequence[str],
        pairs: Sequence[tuple[str, str]],
        versions: Sequence[Mapping[str, str]],
    ) -> None:
        """Count words and neighbours."""
        split = [mistakes.split(text.lower()) for text in texts]
        cut = [(mistakes.split(a.lower()), mistakes.split(b.lower())) for a, b in pairs]
        self._weak = Weak(split, cut)
        self._babbler = mistakes.Babbler(split)
        self._strangers = [w for words in split[:40_000] for w in words if w.isalpha()]
        self._versions = [dict(own) for own in versions if len(own) > 1]

    def make(self, text: str, draw: random.Random) -> tuple[str, float]:
        """Return a bad output and how fluent it is, 0 to 1."""
        chance = draw.random()
        if chance < 0.3:
            _, words = self._weak.make(mistakes.split(text.lower()), draw)
            return self.present(join_words(words), draw), NONSENSE
        if chance < 0.4 and self._versions:
            own = draw.choice(self._versions)
            one, other = (own[style].split() for style in draw.sample(sorted(own), 2))
            cut = draw.uniform(0.3, 0.7)
            mixed = one[: int(cut * len(one))] + other[int(cut * len(other)) :]
            return self.present(" ".join(mixed), draw), MIXED
        words = mistakes.split(text)[:_LONGEST]
        breaks = draw.choice((1, 1, 1, 2, 2, 3, 4))
        for _ in range(breaks):
            words = mistakes.break_sentence(
                words, draw, strangers=self._strangers, babbler=self._babbler
            )
        return self.present(join_words(words), draw), FLUENT[breaks - 1]

    def present(self, text: str, draw: random.Random) -> str:
        """Return the text as it is, or tokenised, or in lower case, or both."""
        if draw.random() < 0.4:
            text = " ".join(mistakes.split(text))
        return text.lower() if draw.random() < 0.5 else text


def grade_loss(text: str, draw: random.Random, same: float) -> tuple[str, float]:
    """Return the text with some of its content lost, and how similar it still is.

    Words are dropped, or an end is cut off, or words of other places stand for them;
    ``same`` falls in proportion to the content words lost. One changed fact halves it.
    """
    words = mistakes.split(text)
    if draw.random() < 0.3:
        names = [word for word in words[1:] if word.istitle()]
        changed = mistakes.change_meaning(words, draw, names=names)
        if changed:
            return join_words(changed), same / 2
    content = [i for i, word in enumerate(words) if len(word) > 3]
    if not content:
        return text, same
    lost = set(draw.sample(content, draw.randrange(len(content)) + 1))
    if draw.random() < 0.3:  # the end, as systems stop early
        lost = set(content[len(content) - len(lost) :])
        kept = words[: min(lost)]
    elif draw.random() < 0.5:
        kept = [word for i, word in enumerate(words) if i not in lost]
    else:
        kept = [
            words[draw.choice(content)] if i in lost else word
            for i, word in enumerate(words)
        ]
    left = 1 - len(lost) / len(content)
    return join_words(kept) or words[0], round(same * left, 3)


def join_words(words: Sequence[str]) -> str:
    """Return words and marks as text, marks without a space before them."""
    joined = _NO_SPACE_BEFORE.sub(r"\1", " ".join(words))
    return _CLITIC.sub(r"\1", joined)
