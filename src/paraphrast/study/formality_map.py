"""A document's formality, sentence by sentence, and what makes it informal.

A judge scores every sentence from -3 to 3. Informal phrases are found in two ways: by
the formality rules, whose edits give a phrase and its formal replacement (at their
strictest level also for everyday words); and by scoring the least formal sentences
again with each word left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.charts import escape_markup
from paraphrast.rewriter import Sentence as Source
from paraphrast.rules.draft import capitalise
from paraphrast.rules.formal import Formal
from paraphrast.study.word_matching import Token, read_text
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences

LOWEST, HIGHEST = -3.0, 3.0
EXAMINED = 20  # least formal sentences in which words are left out
_LONGEST = 60  # words of a sentence in which they are
_FEWEST = 3
_WEIGHTS = 3  # words named per sentence
_SMALLEST = 0.1  # effect of a word that is named
_BARS = "▁▂▃▄▅▆▇█"
_REASONS = {
    "capital": "small letter at the start",
    "name": "name in small letters",
    "final stop": "no mark at the end",
    "repeated punctuation": "repeated marks",
    "register": "everyday word",
    "slang": "slang or chat spelling",
}

# From texts to their formality, NaN for what cannot be read.
Score: TypeAlias = Callable[[Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """An informal phrase of a document, the reason, and what to write instead."""

    start: int
    end: int
    text: str
    instead: str
    why: str


@dataclass(frozen=True, slots=True)
class Weight:
    """A word, and the gain in formality of its sentence without it."""

    start: int
    end: int
    text: str
    effect: float


@dataclass(frozen=True, slots=True)
class SentenceFormality:
    """A sentence of a document; ``formality`` is None if the judge has no score."""

    start: int
    end: int
    text: str
    formality: float | None
    phrases: tuple[Phrase, ...]
    words: tuple[Weight, ...]


def map_formality(text: str, score: Score) -> list[SentenceFormality]:
    """Return the sentences of a document in order, with what makes them informal."""
    spans = [
        s for s in split_sentences(text) if any(map(str.isalnum, text[s.start : s.end]))
    ]
    if not spans:
        raise ParaphrastError("the document has no sentence. Give one with words.")
    texts = [text[span.start : span.end] for span in spans]
    values = [None if isnan(v) else float(v) for v in score(texts)]
    order = sorted(
        (value, number) for number, value in enumerate(values) if value is not None
    )
    least = [number for _, number in order[:EXAMINED]]
    weights = _weigh_words([texts[number] for number in least], score)
    named = dict(zip(least, weights, strict=True))
    return [
        SentenceFormality(
            span.start,
            span.end,
            texts[number],
            None if values[number] is None else round(values[number] or 0.0, 3),
            tuple(
                Phrase(
                    p.start + span.start, p.end + span.start, p.text, p.instead, p.why
                )
                for p in find_phrases(texts[number])
            ),
            tuple(
                Weight(w.start + span.start, w.end + span.start, w.text, w.effect)
                for w in named.get(number, ())
            ),
        )
        for number, span in enumerate(spans)
    ]


def find_phrases(sentence: str) -> list[Phrase]:
    """Return the informal phrases of a sentence that the formality rules find."""
    source = Source(sentence, tuple(protected_spans(sentence)))
    usual, fullest = (
        Formal(level)([source], alternatives=1, seed=0)[0][0].changes
        for level in ("formal", "very-formal")
    )
    taken = [(change.start, change.end) for change in usual]
    more = [
        change
        for change in fullest
        if all(change.end <= start or end <= change.start for start, end in taken)
        and change.before
    ]
    return [
        Phrase(c.start, c.end, c.before, c.after, _explain(c.rule))
        for c in sorted([*usual, *more], key=lambda change: change.start)
    ]


def _explain(rule: str) -> str:
    return ", ".join(_REASONS.get(name, name) for name in rule.split(", "))


def _weigh_words(sentences: Sequence[str], score: Score) -> list[tuple[Weight, ...]]:
    """Return the words whose removal makes each sentence more formal."""
    variants: list[str] = []
    owners: list[tuple[int, Token]] = []
    for number, sentence in enumerate(sentences):
        words = read_text(sentence).words
        if _FEWEST <= len(words) <= _LONGEST:
            for word in words:
                variants.append(_leave_out(sentence, word))
                owners.append((number, word))
    values = score([*sentences, *variants]) if variants else []
    weights: list[list[Weight]] = [[] for _ in sentences]
    for (number, word), value in zip(owners, values[len(sentences) :], strict=True):
        effect = round(float(value - values[number]), 3)
        if effect >= _SMALLEST:
            weights[number].append(Weight(word.start, word.end, word.text, effect))
    return [
        tuple(sorted(own, key=lambda weight: -weight.effect)[:_WEIGHTS])
        for own in weights
    ]


def _leave_out(sentence: str, word: Token) -> str:
    """Return a sentence without a word, keeping a capital at its start."""
    before, after = sentence[: word.start].rstrip(), sentence[word.end :].lstrip()
    if not before and word.text[0].isupper():
        after = capitalise(after)
    gap = " " if before and after[:1].isalnum() else ""
    return f"{before}{gap}{after}"


def draw_sparkline(sentences: Sequence[SentenceFormality]) -> str:
    """Return one bar per sentence; a dot if there is no score."""
    return "".join(_bar(sentence.formality) for sentence in sentences)


def _bar(formality: float | None) -> str:
    if formality is None:
        return "·"
    share = (formality - LOWEST) / (HIGHEST - LOWEST)
    return _BARS[min(max(int(share * len(_BARS)), 0), len(_BARS) - 1)]


def average(sentences: Sequence[SentenceFormality]) -> float | None:
    """Return the mean formality of the sentences that the judge can read."""
    values = [s.formality for s in sentences if s.formality is not None]
    return sum(values) / len(values) if values else None


def format_lines(sentences: Sequence[SentenceFormality]) -> list[str]:
    """Return the document for a terminal: its sparkline, sentences and spots."""
    mean = average(sentences)
    shown = "unknown" if mean is None else f"{mean:+.2f}"
    lines = [
        f"formality {shown} (-3 informal to 3 formal, mean of {len(sentences)} "
        f"sentences)  {draw_sparkline(sentences)}",
        "",
    ]
    for sentence in sentences:
        value = "   ?" if sentence.formality is None else f"{sentence.formality:+.2f}"
        text = " ".join(sentence.text.split())
        lines.append(f"{_bar(sentence.formality)} {value}  {text}")
        for phrase in sentence.phrases:
            before = repr(phrase.text) if phrase.text.strip() else "the end"
            after = repr(phrase.instead) if phrase.instead.strip() else "nothing"
            lines.append(f"         {before} -> {after}  ({phrase.why})")
        if sentence.words:
            listed = ", ".join(f"{w.text!r} {w.effect:+.2f}" for w in sentence.words)
            lines.append(f"         more formal without: {listed}")
    return lines


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 1.05rem/1.9 Georgia, serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; color: #222; background: #fff; }}
h1 {{ font: 600 1.1rem/1.4 system-ui, sans-serif; color: #555; }}
p {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.s {{ border-radius: .2em; padding: .1em 0; }}
u {{ text-decoration: underline wavy #8a1c12 1px; }}
small {{ color: #666; font: .85rem/1.4 system-ui, sans-serif; }}
.key span {{ padding: .1em .6em; }}
</style></head><body><h1>{title}</h1>
<p class="key"><small>{summary} <span style="background:{low}">informal</span><span
style="background:{middle}">neutral</span><span style="background:{high}">formal</span>
Hover over a sentence for its score, over an underlined phrase for what to write.
</small></p>
<p>{body}</p>
</body></html>
"""


def draw_page(text: str, sentences: Sequence[SentenceFormality], *, title: str) -> str:
    """Return a self-contained HTML page: the document as a heat map of formality."""
    parts: list[str] = []
    position = 0
    for sentence in sentences:
        parts.append(escape_markup(text[position : sentence.start]))
        parts.append(_draw_sentence(text, sentence))
        position = sentence.end
    parts.append(escape_markup(text[position:]))
    mean = average(sentences)
    shown = "unknown" if mean is None else f"{mean:+.2f}"
    return _PAGE.format(
        title=escape_markup(title),
        summary=f"Formality {shown} (-3 to 3), {len(sentences)} sentences.",
        low=_colour(LOWEST),
        middle=_colour(0.0),
        high=_colour(HIGHEST),
        body="".join(parts),
    )


def _draw_sentence(text: str, sentence: SentenceFormality) -> str:
    parts: list[str] = []
    position = sentence.start
    for phrase in sentence.phrases:
        parts.append(escape_markup(text[position : phrase.start]))
        if phrase.text:
            instead = phrase.instead.strip()
            advice = f"write {instead!r}" if instead else "leave it out"
            hint = escape_markup(f"{phrase.why}: {advice}")
            parts.append(f'<u title="{hint}">{escape_markup(phrase.text)}</u>')
        position = max(position, phrase.end)
    parts.append(escape_markup(text[position : sentence.end]))
    value = sentence.formality
    told = "not readable" if value is None else f"formality {value:+.2f}"
    if sentence.words:
        listed = ", ".join(f"{w.text} {w.effect:+.2f}" for w in sentence.words)
        told += f"; more formal without: {listed}"
    colour = "#fff" if value is None else _colour(value)
    return (
        f'<span class="s" style="background:{colour}" title="{escape_markup(told)}">'
        f"{''.join(parts)}</span>"
    )


def _colour(formality: float) -> str:
    """Return orange for informal, white for neutral, blue for formal."""
    share = min(max(formality / HIGHEST, -1.0), 1.0)
    far = (244, 165, 120) if share < 0 else (146, 197, 222)
    mixed = (round(255 + abs(share) * (end - 255)) for end in far)
    return "#{:02x}{:02x}{:02x}".format(*mixed)
