"""Prepare a sentence for a model, and turn the model's output back into a sentence.

A sentence without words, in another language, or that is code is returned with the
reason. A long one is split at a pause, a passage at its sentences, and the parts are
joined afterwards.

Protected spans at an edge (an emoji, a link, a tag) are cut off and restored, and so
are a label before the text ("Anna: ") and the marks of a quotation that it is, or is a
part of. Protected spans inside are replaced by placeholders; numbers are shown to the
model and then checked, unless the model learned to copy placeholders for them. Words
with characters that are not in the model's vocabulary are hidden, too. Quotes are
straight for the model and of the source's kind in the result; line breaks inside a
sentence keep their position. Models write verse with " / " between its lines; they are
laid out anew (`language.verse`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from operator import add
from typing import Literal, TypeAlias

import regex

from paraphrast.language.names import find_uncommon_names
from paraphrast.language.quotations import find_outer_quotes
from paraphrast.language.verse import lay_out
from paraphrast.neural.candidates.repairs import repair
from paraphrast.neural.candidates.rerank import Choice
from paraphrast.neural.candidates.search import State
from paraphrast.rewriter import NO_WORDS, Kept, Rewrite, Sentence
from paraphrast.rules import lexicon
from paraphrast.text.language_identification import identify_language
from paraphrast.text.normalisation import straighten
from paraphrast.text.protection import Hidden, mask, unmask
from paraphrast.text.spans import Span, merge_spans
from paraphrast.text.subwords import Tokenizer

FOREIGN = "it does not look like English"
CODE = "it looks like code"
FEWEST_TO_TELL = 5  # words that tell a language
CODE_SHARE = 0.2
CODE_MARKS = 3  # a keyword first, calls, operators, brackets

_LETTERS = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")
_CODE = regex.compile(
    r"""^\s*(?:def|class|return|import|function|const|let|var|public|static|void)\b
      | \w\(\w*\)(?!\w) | [!=<>+*/-]= | [=-]> | :: | && | \|\| | [{}\[\]] | ;\s*$""",
    regex.VERBOSE,
)
_CODE_SIGNS = frozenset("{}[]<>=;|\\_$#^~")
_COMMON_WORDS = """
    a an the and or but if of in on at to for from with by as is am are was were be
    been do does did have has had i you he she it we they me him her us them my your
    his its our their this that these those not no so what who where when why how
    all can could will would shall should may might must there here up out just like
    u ur im gonna thou thee thy thine ye hath doth art unto upon nor o oh lol ok
    yeah
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def reason_against(text: str) -> str:
    """Return why a sentence should not be rewritten, or an empty string."""
    words = _LETTERS.findall(text)
    if not words:
        return NO_WORDS
    if _is_code(text, len(words)):
        return CODE
    return FOREIGN if _is_foreign(text, words) else ""


def _is_code(text: str, words: int) -> bool:
    signs = sum(character in _CODE_SIGNS for character in text)
    if signs > CODE_SHARE * len(text) or (signs >= 4 and signs > words):
        return True
    return signs > 0 and len(_CODE.findall(text)) >= CODE_MARKS


def _is_foreign(text: str, words: list[str]) -> bool:
    if len(words) < FEWEST_TO_TELL:
        return False
    common = sum(word.lower() in _COMMON for word in words)
    if common and (text.isascii() or common * 8 >= len(words)):
        return False
    # To identify a language takes a second and 100 MB the first time.
    english = sum(lexicon.load().knows(word.lower()) for word in words)
    return english * 2 < len(words) and identify_language(text) != "en"


MOST_WORDS = 60  # in a part

_PAUSE = regex.compile(r"[;:,—–)]['\"”’]*\s+|\s+(?=(?:and|but|or|that|which)\b)")


@dataclass(frozen=True)
class Answer:
    """The answer for a part: choices, intermediate steps, or the reason for none.

    ``guards`` are the names of the guards that rejected a candidate.
    """

    state: State = "untried"
    choices: tuple[Choice, ...] = ()
    steps: tuple[str, ...] = ()
    why: str = ""
    guards: tuple[str, ...] = ()


def cut_sentence(sentence: Sentence) -> list[Sentence]:
    """Return the parts to rewrite one by one; a short text is its only part.

    A passage with a sentence that should not be rewritten is split into its sentences.
    """
    if sentence.cuts:
        parts = cut_passage(sentence)
        if any(reason_against(part.text) in (CODE, FOREIGN) for part in parts):
            return parts
        return [sentence]
    return _slice(sentence, find_parts(sentence.text, sentence.protected))


def cut_passage(passage: Sentence) -> list[Sentence]:
    """Return the sentences of a passage, each with the white space after it."""
    ends = pairwise((0, *passage.cuts, len(passage.text)))
    return _slice(passage, [Span(start, end) for start, end in ends])


def _slice(sentence: Sentence, parts: Sequence[Span]) -> list[Sentence]:
    return [
        Sentence(
            sentence.text[part.start : part.end],
            tuple(
                Span(span.start - part.start, span.end - part.start, span.kind)
                for span in sentence.protected
                if span.overlaps(part.start, part.end)
            ),
        )
        for part in parts
    ]


def find_parts(text: str, protected: tuple[Span, ...]) -> list[Span]:
    """Return the spans of a text's parts."""
    if len(text.split()) <= MOST_WORDS:
        return [Span(0, len(text))]
    return list(_cut(text, protected))


def join_parts(
    sentence: Sentence,
    parts: Sequence[Sentence],
    answers: Sequence[Answer],
    alternatives: int,
) -> list[Rewrite]:
    """Join the parts of a sentence: the best of each, then the next of each."""
    steps = _join_steps(parts, answers)
    guards = tuple(dict.fromkeys(name for answer in answers for name in answer.guards))
    if not any(answer.choices for answer in answers):
        why = next(answer.why for answer in answers if answer.why)
        return [Rewrite(sentence.text, why=why, steps=steps, guards=guards)]
    kept = tuple(
        Kept(part.text.strip(), answer.why)
        for part, answer in zip(parts, answers, strict=True)
        if not answer.choices
    )
    rewrites: dict[str, Rewrite] = {}
    for rank in range(max(len(answer.choices) for answer in answers)):
        chosen = [
            answer.choices[min(rank, len(answer.choices) - 1)]
            if answer.choices
            else Choice(part.text, 0.0)
            for part, answer in zip(parts, answers, strict=True)
        ]
        text = _join_texts(parts, [choice.text for choice in chosen])
        score = sum(choice.score for choice in chosen)
        rewrites.setdefault(
            text, Rewrite(text, score, steps=steps, guards=guards, kept=kept)
        )
    return list(rewrites.values())[:alternatives]


def _cut(text: str, protected: tuple[Span, ...]) -> Iterator[Span]:
    """Split after the last pause, or else word, before a part is too long."""
    start = last_pause = last_word = 0
    pauses = {match.end() for match in _PAUSE.finditer(text)}
    ends = (match.end() for match in regex.finditer(r"\s+", text))
    for end in ends:
        if any(span.start < end < span.end for span in protected):
            continue
        if len(text[start:end].split()) > MOST_WORDS:
            cut = last_pause if last_pause > start else last_word
            cut = cut if cut > start else end
            yield Span(start, cut)
            start = cut
        last_word = end
        if end in pauses and len(text[start:end].split()) > MOST_WORDS // 3:
            last_pause = end
    yield Span(start, len(text))


def _join_texts(parts: Sequence[Sentence], texts: Sequence[str]) -> str:
    """Join texts with the white space at the ends of the parts."""
    return "".join(
        text.rstrip() + part.text[len(part.text.rstrip()) :]
        for part, text in zip(parts, texts, strict=True)
    )


def _join_steps(
    parts: Sequence[Sentence], answers: Sequence[Answer]
) -> tuple[str, ...]:
    number = max(len(answer.steps) for answer in answers)
    return tuple(
        _join_texts(
            parts,
            [
                answer.steps[index] if answer.steps else part.text
                for part, answer in zip(parts, answers, strict=True)
            ],
        )
        for index in range(number)
    )


EDGES = frozenset({"emoji", "url", "email", "mention", "hashtag", "markdown", "code"})
EDGES |= {"unknown", "label", "quote"}
# What must stay inside is hidden behind the placeholders that a model was trained with,
# or behind such as look like names, which models copy, or is shown.
Hide: TypeAlias = Literal["as trained", "as names", "nothing"]
_EVERY_KIND = EDGES | {"number", "term"}
SHOWN: dict[Hide, frozenset[str]] = {
    "as trained": frozenset(),
    "as names": frozenset({"number"}),
    "nothing": _EVERY_KIND,
}
_WORD = regex.compile(r"[\w'’-]+|[^\w\s]+")
# Who speaks, or what follows; the model would take it for the name of a style.
_LABEL = regex.compile(r"\A\s*(?:([\p{L}-]+):|(P\. ?S\.:?))(?=\s+\S+\s+\S)")
_TURN = regex.compile(r"\s*\n\s*")
_VERSE = " / "
_LAST_MARK = regex.compile(r"[.,;](?=[\"”'’)\]]*\Z)")
TITLE_WORDS = 8


@dataclass(frozen=True)
class Prepared:
    """A text prepared for a model: its input, and what to restore afterwards."""

    before: str
    core: str
    after: str
    kept: tuple[str, ...]
    read: str
    hidden: Mapping[str, Hidden]
    unknown: int = 0  # words that the model cannot write
    spelt: bool = False  # chat spelling was spelt out, which is a rewrite by itself
    verse: bool = False  # what is written for it has lines of its own

    def restore(self, written: str) -> tuple[str, str]:
        """Return the restored output, and the first lost span, if any."""
        shown = unmask(repair(written), self.hidden)
        if shown.lost:
            return "", shown.lost[0]
        text = curl_quotes(self.core, _end_as(self.core, shown.text.strip()))
        lost = _find_first_lost(self.kept, text)
        if self.verse and "\n" not in self.core:
            return lay_out(text.replace(_VERSE, "\n"), self.core), lost
        return _break_lines(self.core, text), lost

    def rebuild(self, text: str) -> str:
        """Return the text with its edges restored."""
        # What began with a mark ("#news, he said") may begin with a word now.
        grown = self.before[-1:].isalnum() and text[:1].isalnum()
        return f"{self.before}{' ' if grown else ''}{text}{self.after}"


def prepare(
    text: str, protected: Sequence[Span], tokenizer: Tokenizer | None, *, hide: Hide
) -> Prepared:
    """Cut off the edges of a text and hide its protected spans.

    Without a tokenizer every word counts as known.
    """
    unknown = [
        Span(match.start(), match.end(), "unknown")
        for match in _WORD.finditer(text)
        if not (tokenizer is None or knows(tokenizer, match.group()))
        and not any(span.overlaps(*match.span()) for span in protected)
    ]
    edges = (*_find_labels(text), *_find_quotes(text))
    start, end = _find_core(text, merge_spans([*protected, *unknown, *edges]))
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
    hidden_inside = [span for span in inside if span.kind not in SHOWN[hide]]
    spans = merge_spans([*within, *hidden_inside])
    read, hidden = mask(core, spans, as_names=hide != "as trained")
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
    """Say whether a word is in a model's vocabulary."""
    straight = straighten(word)
    return all(token in tokenizer.vocabulary for token in tokenizer.encode(straight))


def _find_core(text: str, protected: Sequence[Span]) -> tuple[int, int]:
    """Return the span of a text without its edges."""
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
    """Return the label before a text; "Well:" and "Come:" belong to the text."""
    match = _LABEL.match(text)
    if match is None:
        return []
    word = match[1] or "ps"
    if not (word.islower() or word.isupper() or find_uncommon_names(word)):
        return []
    return [Span(match.start(), match.end(), "label")]


def _find_quotes(text: str) -> list[Span]:
    """Return the marks around a quotation, or the one at its start or end."""
    first = len(text) - len(text.lstrip())
    last = len(text.rstrip())
    opens, closes = find_outer_quotes(text[first:last])
    marks = [Span(first, first + 1, "quote")] if opens else []
    return [*marks, Span(last - 1, last, "quote")] if closes else marks


def _find_first_lost(kept: Sequence[str], text: str) -> str:
    """Return the first of ``kept`` that is missing or out of order, or nothing.

    A span that merged with the next word, or a tag with the previous one, is lost.
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


def curl_quotes(source: str, text: str) -> str:
    """Use curly quotes if the source has them and no straight ones."""
    if "’" in source and "'" not in source:
        text = text.replace("'", "’")
    first = next((mark for mark in source if mark in "“”"), "")
    if first and '"' not in source:
        before, *others = text.split('"')
        marks = cycle("“”" if first == "“" else "”“")
        text = before + "".join(map(add, marks, others))
    return text


def _end_as(source: str, text: str) -> str:
    """Remove the full stop after a heading: short, capitalised, no final mark."""
    is_title = (
        len(source.split()) <= TITLE_WORDS
        and source[:1].isupper()
        and source[-1:].isalnum()
    )
    return str(_LAST_MARK.sub("", text)) if is_title else text


def _break_lines(source: str, text: str) -> str:
    """Restore the source's line breaks at the nearest relative positions."""
    if _VERSE in text and _VERSE not in source:
        return text.replace(_VERSE, "\n")
    for turn in _TURN.finditer(source):
        wanted = turn.start() / len(source) * len(text)
        blanks = [index for index, sign in enumerate(text) if sign == " "]
        if not blanks:
            break
        index = min(blanks, key=lambda blank: abs(blank - wanted))
        text = text[:index] + turn.group() + text[index + 1 :]
    return text
