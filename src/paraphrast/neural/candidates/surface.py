"""From a sentence to what a model reads, and from what it writes back to the sentence.

What must stay and stands at an edge (an emoji, a link, a tag) is cut off and put back,
and so is a label before the text ("Anna: "). What stands inside is hidden behind
placeholders, or shown and then looked for. Words with letters that the model does not
know are always hidden. Quotes are straight for the model and of the source's kind for
people; line breaks inside a sentence stay where they are. Slips are repaired
(`repairs`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from paraphrast.language.names import find_uncommon_names
from paraphrast.neural.candidates.repairs import repair
from paraphrast.text.masking import Hidden, mask, unmask
from paraphrast.text.normalisation import straighten
from paraphrast.text.spans import Span, merged
from paraphrast.text.subwords import Tokenizer

EDGES = frozenset({"emoji", "url", "email", "mention", "hashtag", "markdown", "code"})
EDGES |= {"unknown", "label"}
_WORD = regex.compile(r"[\w'’-]+|[^\w\s]+")
# Who speaks, or what follows; the model would take it for the name of a style.
_LABEL = regex.compile(r"\A\s*([\p{L}-]+):(?=\s+\S+\s+\S)")
_TURN = regex.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Prepared:
    """A text for a model: what it reads, and what to put back."""

    before: str
    core: str
    after: str
    kept: tuple[str, ...]
    read: str
    hidden: Mapping[str, Hidden]
    unknown: int = 0  # words that the model cannot write

    def restore(self, written: str) -> tuple[str, str]:
        """Return the text that was written for people, and what it has lost if any."""
        shown = unmask(written, self.hidden)
        if shown.lost:
            return "", shown.lost[0]
        text = repair(self.core, shown.text.strip())
        lost = _find_first_lost(self.kept, text)
        return _break_lines(self.core, text), lost

    def rebuild(self, text: str) -> str:
        """Return the text with what was cut off at its edges."""
        # What began with a mark ("#news, he said") may begin with a word now.
        grown = self.before[-1:].isalnum() and text[:1].isalnum()
        return f"{self.before}{' ' if grown else ''}{text}{self.after}"


def prepare(
    text: str, protected: Sequence[Span], tokenizer: Tokenizer, *, hide: bool
) -> Prepared:
    """Cut the edges off a text and hide in it what is to be hidden."""
    unknown = [
        Span(match.start(), match.end(), "unknown")
        for match in _WORD.finditer(text)
        if not knows(tokenizer, match.group())
        and not any(span.overlaps(*match.span()) for span in protected)
    ]
    start, end = _find_core(text, merged([*protected, *unknown, *_find_labels(text)]))
    core = text[start:end]
    inside = [
        Span(span.start - start, span.end - start, span.kind)
        for span in protected
        if span.start < end and start < span.end
    ]
    within = [
        Span(span.start - start, span.end - start)
        for span in unknown
        if start <= span.start and span.end <= end
    ]
    spans = merged([*within, *(inside if hide else ())])
    read, hidden = mask(core, spans)
    return Prepared(
        text[:start],
        core,
        text[end:],
        tuple(core[span.start : span.end] for span in inside),
        straighten(read),
        hidden,
        sum(any(map(str.isalpha, text[s.start : s.end])) for s in unknown),
    )


def knows(tokenizer: Tokenizer, word: str) -> bool:
    """Say whether a model can write a word."""
    straight = straighten(word)
    return all(token in tokenizer.vocabulary for token in tokenizer.encode(straight))


def _find_core(text: str, protected: Sequence[Span]) -> tuple[int, int]:
    """Return where a text begins and ends without what is cut off at its edges."""
    start, end = 0, len(text)
    edges = [span for span in protected if span.kind in EDGES]
    for span in edges:
        if text[start : span.start].strip():
            break
        start = max(start, span.end)
    for span in reversed(edges):
        if text[span.end : end].strip() or span.start < start:
            break
        end = min(end, span.start)
    core = text[start:end]
    return (
        start + len(core) - len(core.lstrip()),
        end - (len(core) - len(core.rstrip())),
    )


def _find_labels(text: str) -> list[Span]:
    """Return a label before a text; "Well:" and "Come:" are words of it."""
    match = _LABEL.match(text)
    if match is None:
        return []
    word = match[1]
    if not (word.islower() or word.isupper() or find_uncommon_names(word)):
        return []
    return [Span(match.start(), match.end(), "label")]


def _find_first_lost(kept: Sequence[str], text: str) -> str:
    """Return the first of ``kept`` that does not come in its turn, or nothing.

    What has grown together with the next word, or a tag with the one before, is lost.
    """
    position = 0
    for wanted in kept:
        position = text.find(wanted, position)
        end = position + len(wanted)
        grown = wanted[-1:].isalnum() and text[end : end + 1].isalnum()
        stuck = wanted[:1] in "#@" and text[:position][-1:].isalnum()
        if position < 0 or grown or stuck:
            return wanted
        position = end
    return ""


def _break_lines(source: str, text: str) -> str:
    """Break lines where the source has them, at the blank nearest by share."""
    for turn in _TURN.finditer(source):
        wanted = turn.start() / len(source) * len(text)
        blanks = [index for index, sign in enumerate(text) if sign == " "]
        if not blanks:
            break
        index = min(blanks, key=lambda blank: abs(blank - wanted))
        text = text[:index] + turn.group() + text[index + 1 :]
    return text
