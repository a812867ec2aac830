"""Rewrite sentences with a neural pack.

A sentence is screened and cut into parts (`screening`), prepared (`surface`), taken
through the pack's steps, and the candidates of the last are chosen from (`rerank`).
Where every candidate is refused, a wider search is tried, and then one with the names
hidden; where the model would change nothing, only for what it finds about as likely.
What cannot be rewritten, or not without loss, comes back as it was with the reason; so
does what the model would answer with a sentence that it knows by heart, or in a style
of loose talk with a word that offends and the source does not have. Where a rewrite has
lost its way back to the source (`way_back`) another is looked for, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import regex

from paraphrast.errors import ParaphrastError
from paraphrast.language.names import find_names
from paraphrast.language.offensive import offensive_words
from paraphrast.neural.candidates import drift, mannerisms, screening
from paraphrast.neural.candidates.checks import Checks, is_repetitive, objection
from paraphrast.neural.candidates.rerank import (
    EVEN,
    UNCHANGED,
    Choice,
    Chosen,
    Guide,
    choose,
)
from paraphrast.neural.candidates.round_trip import DOUBTFUL, LOST, WEIGHT, WayBack
from paraphrast.neural.candidates.surface import Prepared, prepare
from paraphrast.neural.family import LOOSE
from paraphrast.neural.models.generation import MOST_CANDIDATES, Candidate, Decoding
from paraphrast.neural.models.pack import Model, Step
from paraphrast.neural.models.prompts import Request
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.text.overlap import unigram_overlap, words
from paraphrast.text.spans import Span, merged

UNKNOWN = "the model does not know its words"
TOO_LONG = "its words are too long for the model"
CHANGED = "every rewrite would have changed the meaning"
MOST_PIECES = 384  # that a model reads at once
MOST_UNKNOWN = 0.5  # of the words
SAMPLED = 8  # candidates to choose from
# A wider search has so many candidates, at most so much longer than the source: what
# goes on in a loop is no use.
WIDE, WIDE_RATIO, WIDE_PATIENCE = 6, 1.5, 2.0
MOST_WORDS_AGAIN = 40  # of a text that is tried again
# In a wider search: log-probability a piece from the likeliest, F1 with what was read.
FURTHEST, FEWEST_SHARED = 0.7, 0.15
ABOUT_AS_LIKELY = 0.15  # log-probability a piece below what would change nothing
SAMPLED_EACH = 3  # for each alternative that is wanted

_PLACEHOLDER = regex.compile(r"zqx+\d+q")  # of paraphrast.text.masking
_Ask: TypeAlias = Callable[[Sequence[str]], list[list[Candidate]]]


@dataclass(frozen=True)
class _Found:
    """What was found for a part: choices, the way to them, or why there are none."""

    choices: tuple[Choice, ...]
    steps: tuple[str, ...]
    why: str = ""
    refused: bool = False  # there were candidates, but none that may be shown


@dataclass(frozen=True)
class NeuralRewriter:
    """Rewrites sentences with a pack; ``guide`` judges the candidates.

    ``decent`` refuses words that offend, unless the source has them; ``back`` doubts
    rewrites from which there is no way back to the source.
    """

    model: Model
    guide: Guide | None = None
    strength: float = EVEN
    decent: bool = False
    back: WayBack | None = None

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites a sentence, best first."""
        reasons = [screening.reason_against(s.text) for s in sentences]
        cut = [
            [] if reason else _parts(sentence)
            for sentence, reason in zip(sentences, reasons, strict=True)
        ]
        found = iter(
            self._rewritten(
                [part for parts in cut for part in parts], alternatives, seed
            )
        )
        return [
            [Rewrite(sentence.text, why=reason)]
            if reason
            else _joined(sentence, parts, [next(found) for _ in parts], alternatives)
            for sentence, reason, parts in zip(sentences, reasons, cut, strict=True)
        ]

    def adjusted(self, *, strength: float) -> "NeuralRewriter":
        """Return a rewriter that keeps nearer to the source (0) or goes freer (1)."""
        if not 0 <= strength <= 1:
            raise ParaphrastError(f"strength must lie from 0 to 1, not {strength:g}.")
        return replace(self, strength=strength)

    def unfiltered(self) -> "NeuralRewriter":
        """Return a rewriter that may write words which offend."""
        return replace(self, decent=False)

    def _rewritten(
        self, parts: Sequence[Sentence], alternatives: int, seed: int
    ) -> list[_Found]:
        """Rewrite parts; where all is refused, search wider, then hide the names."""
        hide = self.model.settings.masked
        usual = _once(partial(self._candidates, alternatives=alternatives, seed=seed))
        wider = _once(partial(self._searched, furthest=FURTHEST))
        near = _once(partial(self._searched, furthest=ABOUT_AS_LIKELY))
        found = self._attempt(parts, usual, hide=hide)
        named = list(map(_named, parts))
        for again, ask, hidden in (
            (parts, near, hide),
            (parts, wider, hide),
            (named, usual, True),
            (parts, usual, not hide),
        ):
            places = [
                place
                for place, one in enumerate(found)
                if (one.why == UNCHANGED if ask is near else one.refused)
                and _is_worth_it(parts[place].text)
            ]
            second = self._attempt([again[p] for p in places], ask, hide=hidden)
            for place, answer in zip(places, second, strict=True):
                if answer.choices:
                    found[place] = answer
        if self.back is not None:
            search = partial(self._attempt, ask=wider, hide=hide)
            return _kept_in_meaning(self.back, parts, found, search)
        return found

    def _attempt(
        self, parts: Sequence[Sentence], ask: _Ask, *, hide: bool
    ) -> list[_Found]:
        tokenizer = self.model.prompter.tokenizer
        prepared = [
            prepare(part.text, part.protected, tokenizer, hide=hide) for part in parts
        ]
        against = [self._reason(one) for one in prepared]
        fit = [one for one, reason in zip(prepared, against, strict=True) if not reason]
        read, steps = self._way(fit)
        answers = iter(self._chosen(fit, steps, ask(read)) if fit else ())
        return [_Found((), (), why) if why else next(answers) for why in against]

    def _reason(self, prepared: Prepared) -> str:
        """Return why a part is not put to the model, or nothing."""
        words = len(prepared.whole(prepared.core).split())
        if prepared.unknown > MOST_UNKNOWN * words:
            return UNKNOWN
        if not any(map(str.isalpha, prepared.core)):
            return screening.NO_WORDS
        pieces = self.model.prompter.source(Request(prepared.read))
        return TOO_LONG if len(pieces) > MOST_PIECES else ""

    def _way(
        self, prepared: Sequence[Prepared]
    ) -> tuple[list[str], list[tuple[str, ...]]]:
        """Return what the last step reads, and the texts passed through on the way."""
        read = [one.read for one in prepared]
        steps: list[tuple[str, ...]] = [() for _ in prepared]
        for step in self.model.steps[:-1]:
            written = self._best(step, read)
            for place, text in enumerate(written):
                shown, lost = prepared[place].restored(text)
                # A paraphrase that loses something is worse than none.
                wrong = objection(prepared[place].core, shown, self._checks)
                if not lost and not wrong:
                    read[place] = text
                    steps[place] = (*steps[place], shown)
                else:
                    steps[place] = (*steps[place], prepared[place].core)
        return read, steps

    @property
    def _checks(self) -> Checks:
        return self.model.settings.choosing.checks

    def _best(self, step: Step, texts: Sequence[str]) -> list[str]:
        requests = [step.request(text) for text in texts]
        decoding = Decoding(longest=self.model.settings.decoding.longest)
        return [found[0].text for found in step.engine.candidates(requests, decoding)]

    def _chosen(
        self,
        prepared: Sequence[Prepared],
        steps: Sequence[tuple[str, ...]],
        written: Sequence[Sequence[Candidate]],
    ) -> list[_Found]:
        shown = [
            self._shown(one, answers)
            for one, answers in zip(prepared, written, strict=True)
        ]
        chosen = choose(
            [one.core for one in prepared],
            [kept for kept, _ in shown],
            self.model.style,
            guide=self.guide,
            settings=self.model.settings.choosing,
            strength=self.strength,
        )
        return [
            _found(one, answer, way, wrong)
            for one, answer, way, (_, wrong) in zip(
                prepared, chosen, steps, shown, strict=True
            )
        ]

    def _shown(
        self, prepared: Prepared, candidates: Sequence[Candidate]
    ) -> tuple[list[Candidate], str]:
        """Return candidates as people will see them, and what is wrong with others."""
        kept: dict[str, Candidate] = {}
        first_wrong = ""
        for candidate in candidates:
            text, lost = prepared.restored(candidate.text)
            wrong = f"have lost {lost!r}" if lost else self._unfit(prepared.core, text)
            if not candidate.finished:
                wrong = "have come to no end"
            if wrong:
                first_wrong = first_wrong or wrong
            else:
                # What differs in marks and capitals only is no other way to say it.
                kept.setdefault(" ".join(words(text)), replace(candidate, text=text))
        return list(kept.values()), first_wrong

    def _unfit(self, source: str, text: str) -> str:
        """Return why a text is not fit to be shown, or nothing."""
        if self.model.known is not None and self.model.known.recites(source, text):
            return "have recited a sentence that the model learned from"
        loose = self.model.style in LOOSE
        wrong = mannerisms.objection(source, text)
        wrong = wrong or drift.objection(source, text, loose=loose)
        if wrong:
            return wrong
        if self.decent:
            own = offensive_words(source)
            if any(word not in own for word in offensive_words(text)):
                return "have been offensive (--allow-offensive lets it be)"
        return ""

    def _candidates(
        self, texts: Sequence[str], *, alternatives: int, seed: int
    ) -> list[list[Candidate]]:
        """Ask the last step: once, or for many to choose from."""
        step, decoding = self.model.steps[-1], self.model.settings.decoding
        requests = [step.request(text) for text in texts]
        found = step.engine.candidates(requests, decoding, seed=seed)
        if alternatives == 1 and self.guide is None and self.strength == EVEN:
            return found
        number = min(MOST_CANDIDATES, max(SAMPLED, SAMPLED_EACH * alternatives))
        many = replace(decoding, method="nucleus", candidates=number)
        sampled = step.engine.candidates(requests, many, seed=seed)
        return [[*one, *more] for one, more in zip(found, sampled, strict=True)]

    def _searched(
        self, texts: Sequence[str], *, furthest: float
    ) -> list[list[Candidate]]:
        """Ask the last step for many candidates by a search without chance."""
        step, decoding = self.model.steps[-1], self.model.settings.decoding
        wide = replace(
            decoding,
            method="beam",
            beam=WIDE,
            candidates=WIDE,
            ratio=min(decoding.ratio, WIDE_RATIO),
            patience=WIDE_PATIENCE,
        )
        requests = [step.request(text) for text in texts]
        answers = step.engine.candidates(requests, wide)
        return [
            [one for one in found if _is_sound(one, found[0], text, furthest)]
            for text, found in zip(texts, answers, strict=True)
        ]


def _parts(sentence: Sentence) -> list[Sentence]:
    """Cut a long sentence; a short one is its only part."""
    return [
        Sentence(
            sentence.text[part.start : part.end],
            tuple(
                Span(s.start - part.start, s.end - part.start, s.kind)
                for s in sentence.protected
                if s.overlaps(part.start, part.end)
            ),
        )
        for part in screening.parts(sentence.text, sentence.protected)
    ]


def _once(ask: _Ask) -> _Ask:
    """Return a way to ask that never asks twice for the same text."""
    known: dict[str, list[Candidate]] = {}

    def asked(texts: Sequence[str]) -> list[list[Candidate]]:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        known.update(zip(new, ask(new) if new else (), strict=True))
        return [known[text] for text in texts]

    return asked


def _is_worth_it(text: str) -> bool:
    """Say whether a refused text is tried again; what is long or a loop takes long."""
    return len(text.split()) <= MOST_WORDS_AGAIN and not is_repetitive(text)


def _is_sound(
    candidate: Candidate, likeliest: Candidate, read: str, furthest: float
) -> bool:
    """Say whether a candidate of a wide search is not only there to fill it."""
    sides = (
        [word for word in words(text) if not _PLACEHOLDER.match(word)]
        for text in (read, candidate.text)
    )
    near = unigram_overlap(*sides).f1 >= FEWEST_SHARED
    return near and candidate.mean >= likeliest.mean - furthest


def _kept_in_meaning(
    back: WayBack,
    parts: Sequence[Sentence],
    found: Sequence[_Found],
    search: Callable[[Sequence[Sentence]], list[_Found]],
) -> list[_Found]:
    """Search again where the best has lost the way back; refuse what is far gone."""
    kept = list(found)
    places = [place for place, one in enumerate(found) if one.choices]
    means = back.found(
        [parts[place].text for place in places],
        [found[place].choices[0].text for place in places],
    )
    doubted = {
        place: mean
        for place, mean in zip(places, means, strict=True)
        if mean < DOUBTFUL and _is_worth_it(parts[place].text)
    }
    others = search([parts[place] for place in doubted]) if doubted else []
    for place, other in zip(doubted, others, strict=True):
        own = {
            choice.text: choice for choice in (*found[place].choices, *other.choices)
        }
        kept[place] = replace(found[place], choices=tuple(own.values()))
    sources = [parts[place].text for place in doubted for _ in kept[place].choices]
    texts = [choice.text for place in doubted for choice in kept[place].choices]
    ways = iter(back.found(sources, texts))
    for place in doubted:
        kept[place] = _ranked(kept[place], ways)
    return kept


def _ranked(one: _Found, ways: Iterator[float]) -> _Found:
    """Order choices by their probability and the next ways back; drop the far gone."""
    rated = [
        (choice.score + WEIGHT * way, choice)
        for choice, way in ((choice, next(ways)) for choice in one.choices)
        if way >= LOST
    ]
    if not rated:
        return _Found((), one.steps, CHANGED)
    rated.sort(key=lambda pair: -pair[0])
    return replace(one, choices=tuple(choice for _, choice in rated))


def _named(part: Sentence) -> Sentence:
    """Return a part with its names among what must stay."""
    spans = []
    position = 0
    for name in find_names(part.text):
        start = part.text.find(name, position)
        if start >= 0:
            position = start + len(name)
            spans.append(Span(start, position, "name"))
    return Sentence(part.text, tuple(merged([*part.protected, *spans])))


def _found(
    prepared: Prepared, chosen: Chosen, steps: tuple[str, ...], wrong: str
) -> _Found:
    choices = tuple(
        replace(choice, text=prepared.whole(choice.text)) for choice in chosen.choices
    )
    way = tuple(map(prepared.whole, steps))
    if choices:
        return _Found(choices, way)
    why = f"every rewrite would {wrong}" if wrong else chosen.why
    return _Found((), way, why, refused=why != UNCHANGED)


def _joined(
    sentence: Sentence,
    parts: Sequence[Sentence],
    found: Sequence[_Found],
    alternatives: int,
) -> list[Rewrite]:
    """Join the parts of a sentence: the best of each, then the next of each."""
    whys = [answer.why for answer in found if answer.why]
    if not any(answer.choices for answer in found):
        return [Rewrite(sentence.text, why=whys[0], steps=_steps(parts, found))]
    rewrites: dict[str, Rewrite] = {}
    for rank in range(max(len(answer.choices) for answer in found)):
        chosen = [
            answer.choices[min(rank, len(answer.choices) - 1)]
            if answer.choices
            else Choice(part.text, 0.0)
            for part, answer in zip(parts, found, strict=True)
        ]
        text = _spaced(parts, [choice.text for choice in chosen])
        score = sum(choice.score for choice in chosen)
        steps = _steps(parts, found)
        rewrites.setdefault(text, Rewrite(text, score, steps=steps))
    return list(rewrites.values())[:alternatives]


def _spaced(parts: Sequence[Sentence], texts: Sequence[str]) -> str:
    """Join texts with the white space that the parts have at their ends."""
    pieces = []
    for part, text in zip(parts, texts, strict=True):
        end = part.text[len(part.text.rstrip()) :]
        pieces.append(text.rstrip() + end)
    return "".join(pieces)


def _steps(parts: Sequence[Sentence], found: Sequence[_Found]) -> tuple[str, ...]:
    number = max(len(answer.steps) for answer in found)
    return tuple(
        _spaced(
            parts,
            [
                answer.steps[place] if answer.steps else part.text
                for part, answer in zip(parts, found, strict=True)
            ],
        )
        for place in range(number)
    )
