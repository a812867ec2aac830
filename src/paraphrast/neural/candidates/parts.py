"""The parts of a long sentence: cut apart before the model reads, joined afterwards.

A long sentence is cut where it pauses, so that every part has a bounded length; what
lies between the parts is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from paraphrast.neural.candidates.rerank import Choice
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.text.spans import Span

MOST_WORDS = 60  # in a part

_PAUSE = regex.compile(r"[;:,—–)]['\"”’]*\s+|\s+(?=(?:and|but|or|that|which)\b)")


@dataclass(frozen=True)
class Answer:
    """What became of a part: choices, the steps to them, or why there are none.

    ``guards`` are the names of those that rejected a candidate.
    """

    state: Literal["untried", "unchanged", "rejected", "done"] = "untried"
    choices: tuple[Choice, ...] = ()
    steps: tuple[str, ...] = ()
    why: str = ""
    guards: tuple[str, ...] = ()


def cut_sentence(sentence: Sentence) -> list[Sentence]:
    """Return the parts to rewrite one by one; a short sentence is its only part."""
    return [
        Sentence(
            sentence.text[part.start : part.end],
            tuple(
                Span(span.start - part.start, span.end - part.start, span.kind)
                for span in sentence.protected
                if span.overlaps(part.start, part.end)
            ),
        )
        for part in find_parts(sentence.text, sentence.protected)
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
        rewrites.setdefault(text, Rewrite(text, score, steps=steps, guards=guards))
    return list(rewrites.values())[:alternatives]


def _cut(text: str, protected: tuple[Span, ...]) -> Iterator[Span]:
    """Cut after the last pause, or else word, before a part has too many words."""
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
    """Join texts with the white space that the parts have at their ends."""
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
