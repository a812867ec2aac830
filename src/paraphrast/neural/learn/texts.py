"""Find the sentences of a plain text file that a style can be learned from.

Lines of similar length that continue each other belong to one paragraph; lines that
mostly end like sentences, or vary in length, are separate. Headings, tables, code,
other languages, fragments, very long sentences and duplicates are left out and counted,
so that a user whose text is too short learns what is missing.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import regex

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.surface import (
    CODE,
    FOREIGN,
    reason_against,
)
from paraphrast.rewriter import NO_WORDS
from paraphrast.text.normalisation import normalise, straighten
from paraphrast.text.sentences import split_sentences

FEWEST = 200  # sentences
MOST = 20_000  # beyond which more text only takes longer
SHORTEST, LONGEST = 3, 40  # words
LEAST_SMALL = 0.6  # share of small letters
SELF_STANDING = 0.7  # of the lines end like sentences
FULL, MOSTLY_FULL = 0.75, 0.6  # of the longest line; of the lines
_END = regex.compile(r"""[.!?…]['"”’)\]]*\s*$""")
_REASONS = {  # of one sentence, as they are counted
    FOREIGN: "not in English",
    CODE: "code",
    NO_WORDS: "without words",
}
_MARKS = regex.compile(r"[\[\]{}|*~^=\\<>]|_{2}|\.{5}|-{3}")


@dataclass
class Found:
    """The sentences of a file in their order, and why others were left out."""

    sentences: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def read(path: Path, *, fewest: int | None = None) -> Found:
    """Return the sentences of a file; refuse one with fewer than `FEWEST` of them."""
    fewest = FEWEST if fewest is None else fewest
    lines = Found()
    seen: set[str] = set()
    for sentence in _sentences(path):
        key = "".join(filter(str.isalnum, sentence)).lower()
        why = _why_not(sentence) or ("repeated" if key in seen else "")
        seen.add(key)
        if why:
            lines.dropped[why] += 1
        elif len(lines.sentences) < MOST:
            lines.sentences.append(sentence)
    if len(lines.sentences) < fewest:
        raise ParaphrastError(_too_few(path, lines, fewest))
    return lines


def _too_few(path: Path, lines: Found, fewest: int) -> str:
    number = len(lines.sentences)
    if not number and not lines.dropped:
        return f"{path} is empty. Give {fewest} sentences; 2,000 are better."
    counted = f"{number} sentence{'' if number == 1 else 's'}"
    line = (
        f"{path} has {counted} to learn from, but {fewest} are needed: add "
        f"{fewest - number} more in the same style; 2,000 are better."
    )
    if lines.dropped:
        reasons = (f"{count} {why}" for why, count in lines.dropped.most_common())
        line += f" Left out: {', '.join(reasons)}."
    return line


def _sentences(path: Path) -> Iterator[str]:
    for paragraph in _paragraphs(path):
        for span in split_sentences(paragraph):
            text = " ".join(paragraph[span.start : span.end].split())
            if text:
                yield text.replace('"', "") if text.count('"') % 2 else text


def _paragraphs(path: Path) -> Iterator[str]:
    block: list[str] = []
    for line in read_lines(path):
        clean = straighten(normalise(line), em_dash=" - ").strip()
        if clean:
            block.append(clean)
        elif block:
            yield from _unwrap_lines(block)
            block = []
    if block:
        yield from _unwrap_lines(block)


def _unwrap_lines(lines: list[str]) -> list[str]:
    """Return a block's lines as they are, or joined if they are wrapped."""
    ended = sum(bool(_END.search(line)) for line in lines)
    if ended >= SELF_STANDING * len(lines):
        return lines
    full = FULL * max(map(len, lines))
    running = sum(len(line) >= full for line in lines[:-1])
    is_wrapped = running >= MOSTLY_FULL * (len(lines) - 1)
    return [" ".join(lines)] if is_wrapped else lines


def _why_not(text: str) -> str:
    words = text.split()
    if not SHORTEST <= len(words) <= LONGEST:
        few = len(words) < SHORTEST
        return f"under {SHORTEST} words" if few else f"over {LONGEST} words"
    small = sum(map(str.islower, text))
    if small < LEAST_SMALL * sum(not sign.isspace() for sign in text):
        return "mostly capitals, digits or punctuation"
    if _MARKS.search(text):
        return "marked up"
    why = reason_against(text)
    return _REASONS.get(why, why)
