"""Rewrite sentences with a neural pack: the main path, from top to bottom.

1. A sentence that cannot be rewritten comes back with the reason. Chat spelling is
   spelt out, and a long sentence is cut into parts (`surface`).
2. Each part goes through the attempts of `search`, until one leaves it with a rewrite.
   An attempt hides what must stay (`surface`), takes the pack's steps, and asks the
   last of them for candidates.
3. Candidates are repaired (`repairs`), pass the guards or are rejected (`guards`), and
   the best is chosen (`rerank`).
4. A rewrite from which the model cannot find its source again is doubted
   (`search`).
5. The parts are joined. What could not be rewritten comes back as it was, with the
   reason and the names of the guards that rejected candidates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.language.names import find_names
from paraphrast.neural.candidates.guards import (
    GUARDS,
    OFFENSIVE,
    Guard,
    Rejection,
    basic_guards,
    find_rejection,
    select_guards,
)
from paraphrast.neural.candidates.rerank import EVEN, UNCHANGED, Chosen, Guide, choose
from paraphrast.neural.candidates.search import (
    ATTEMPTS,
    ROUND_TRIP,
    WIDER,
    Attempt,
    RoundTrip,
    Searcher,
    check_round_trips,
    is_worth_retrying,
)
from paraphrast.neural.candidates.surface import (
    NO_WORDS,
    Answer,
    Prepared,
    cut_sentence,
    join_parts,
    prepare,
    reason_against,
)
from paraphrast.neural.models.generation import (
    MOST_CANDIDATES,
    Candidate,
    Decoding,
    Request,
)
from paraphrast.neural.models.pack import Model
from paraphrast.neural.styles import LOOSE
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules.words import spell_out_chat
from paraphrast.text.spans import Span, merge_spans

UNKNOWN = "the model does not know its words"
TOO_LONG = "its words are too long for the model"
MOST_TOKENS = 384  # that a model reads at once
MOST_UNKNOWN = 0.5  # of the words
SAMPLED = 8  # candidates to choose from
SAMPLED_EACH = 3  # for each alternative that is wanted
MEMORISED = "memorised"
# Every guard that can be switched off.
GUARD_NAMES = (
    *(guard.name for guard in GUARDS),
    OFFENSIVE.name,
    MEMORISED,
    ROUND_TRIP,
)


@dataclass(frozen=True)
class NeuralRewriter:
    """Rewrites sentences with a pack; ``guide`` judges the candidates.

    ``decent`` rejects words that offend, unless the source has them; ``back`` doubts
    rewrites from which the source cannot be found again; guards named in ``without``
    are switched off.
    """

    model: Model
    guide: Guide | None = None
    strength: float = EVEN
    decent: bool = False
    back: RoundTrip | None = None
    without: frozenset[str] = frozenset()

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first."""
        reasons = [reason_against(s.text) for s in sentences]
        cut = [
            [] if reason else cut_sentence(spell_out_chat(sentence))
            for sentence, reason in zip(sentences, reasons, strict=True)
        ]
        parts = [part for own in cut for part in own]
        answers = iter(self._rewrite_parts(parts, alternatives, seed))
        return [
            [Rewrite(sentence.text, why=reason)]
            if reason
            else join_parts(sentence, own, [next(answers) for _ in own], alternatives)
            for sentence, reason, own in zip(sentences, reasons, cut, strict=True)
        ]

    def adjusted(self, *, strength: float) -> "NeuralRewriter":
        """Return a rewriter that keeps nearer to the source (0) or goes freer (1)."""
        if not 0 <= strength <= 1:
            raise ParaphrastError(f"strength must lie from 0 to 1, not {strength:g}.")
        return replace(self, strength=strength)

    def unfiltered(self) -> "NeuralRewriter":
        """Return a rewriter that may write words which offend."""
        return replace(self, decent=False)

    def without_guards(self, names: Iterable[str]) -> "NeuralRewriter":
        """Return a rewriter with the named guards switched off."""
        without = frozenset(names)
        for name in sorted(without.difference(GUARD_NAMES)):
            raise unknown("guard", name, GUARD_NAMES)
        back = None if ROUND_TRIP in without else self.back
        return replace(self, without=self.without | without, back=back)

    @cached_property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that a candidate has to pass."""
        guards = select_guards(
            self.model.settings.choosing.checks,
            loose=self.model.style in LOOSE,
            decent=self.decent,
            without=self.without,
        )
        if self.model.known is not None and MEMORISED not in self.without:
            guards.append(Guard(MEMORISED, self.model.known.check))
        return tuple(guards)

    def _rewrite_parts(
        self, parts: Sequence[Sentence], alternatives: int, seed: int
    ) -> list[Answer]:
        """Make one attempt after another on the parts that still need a rewrite."""
        searcher = self._make_searcher(alternatives, seed)
        answers = [Answer() for _ in parts]
        for attempt in ATTEMPTS:
            if attempt.margin is not None:
                self._search_ahead(parts, answers, attempt, searcher)
            indices = [
                index
                for index, answer in enumerate(answers)
                if answer.state == attempt.when
                and (attempt.when == "untried" or is_worth_retrying(parts[index].text))
            ]
            tried = self._try([parts[index] for index in indices], attempt, searcher)
            for index, answer in zip(indices, tried, strict=True):
                answers[index] = _combine(answers[index], answer)
        if self.back is None:
            return answers
        return check_round_trips(
            self.back,
            [part.text for part in parts],
            answers,
            lambda indices: self._try([parts[i] for i in indices], WIDER, searcher),
        )

    def _search_ahead(
        self,
        parts: Sequence[Sentence],
        answers: Sequence[Answer],
        attempt: Attempt,
        searcher: Searcher,
    ) -> None:
        """Search widely for all parts that this or the next attempt is for.

        The searcher remembers the candidates, and large batches are quick.
        """
        if len(self.model.steps) == 1:
            waiting = [
                self._prepare(part, attempt).read
                for part, answer in zip(parts, answers, strict=True)
                if answer.state != "done" and is_worth_retrying(part.text)
            ]
            searcher.find_candidates(waiting, attempt)

    def _make_searcher(self, alternatives: int, seed: int) -> Searcher:
        """Ask the last step once, or for many candidates to choose from."""
        decoding = self.model.settings.decoding
        number = min(MOST_CANDIDATES, max(SAMPLED, SAMPLED_EACH * alternatives))
        sample = replace(decoding, method="nucleus", candidates=number)
        alone = alternatives == 1 and self.guide is None and self.strength == EVEN
        step = self.model.steps[-1]
        return Searcher(step, decoding, None if alone else sample, seed)

    def _try(
        self, parts: Sequence[Sentence], attempt: Attempt, searcher: Searcher
    ) -> list[Answer]:
        """Make one attempt on each part."""
        prepared = [self._prepare(part, attempt) for part in parts]
        obstacles = [self._find_obstacle(part) for part in prepared]
        fit = [p for p, why in zip(prepared, obstacles, strict=True) if not why]
        read, steps = self._take_first_steps(fit)
        candidates = searcher.find_candidates(read, attempt)
        answers = iter(self._choose(fit, steps, candidates))
        return [Answer("done", why=why) if why else next(answers) for why in obstacles]

    def _prepare(self, part: Sentence, attempt: Attempt) -> Prepared:
        masked = self.model.settings.masked
        hide = {"as trained": masked, "names": True, "otherwise": not masked}
        spans = part.protected
        if attempt.hide == "names":
            spans = tuple(merge_spans([*spans, *_find_name_spans(part.text)]))
        tokenizer = self.model.prompter.tokenizer
        return prepare(part.text, spans, tokenizer, hide=hide[attempt.hide])

    def _find_obstacle(self, prepared: Prepared) -> str:
        """Return why a part is not put to the model, or nothing."""
        words = len(prepared.rebuild(prepared.core).split())
        if prepared.unknown > MOST_UNKNOWN * words:
            return UNKNOWN
        if not any(map(str.isalpha, prepared.core)):
            return NO_WORDS
        tokens = self.model.prompter.source(Request(prepared.read))
        return TOO_LONG if len(tokens) > MOST_TOKENS else ""

    def _take_first_steps(
        self, prepared: Sequence[Prepared]
    ) -> tuple[list[str], list[tuple[str, ...]]]:
        """Return what the last step reads, and the texts passed through on the way."""
        read = [part.read for part in prepared]
        steps: list[tuple[str, ...]] = [() for _ in prepared]
        decoding = Decoding(longest=self.model.settings.decoding.longest)
        guards = basic_guards(self.model.settings.choosing.checks)
        for step in self.model.steps[:-1]:
            requests = [step.request(text) for text in read]
            answers = step.engine.candidates(requests, decoding)
            for index, part in enumerate(prepared):
                written = answers[index][0].text
                shown, lost = part.restore(written)
                # A paraphrase that loses something is worse than none.
                bad = lost or find_rejection(part.core, shown, guards)
                read[index] = read[index] if bad else written
                steps[index] = (*steps[index], part.core if bad else shown)
        return read, steps

    def _choose(
        self,
        prepared: Sequence[Prepared],
        steps: Sequence[tuple[str, ...]],
        candidates: Sequence[Sequence[Candidate]],
    ) -> list[Answer]:
        """Restore and repair candidates, and choose among those that pass."""
        restored = list(map(_restore, prepared, candidates))
        chosen = choose(
            [part.core for part in prepared],
            [texts for texts, _ in restored],
            self.model.style,
            guards=self.guards,
            guide=self.guide,
            settings=self.model.settings.choosing,
            strength=self.strength,
        )
        return [
            _answer(part, replace(own, rejections=(*lost, *own.rejections)), passed)
            for part, own, passed, (_, lost) in zip(
                prepared, chosen, steps, restored, strict=True
            )
        ]


def _restore(
    prepared: Prepared, candidates: Sequence[Candidate]
) -> tuple[list[Candidate], list[Rejection]]:
    """Return candidates as people will see them, without those that lost something."""
    texts, rejections = [], []
    for candidate in candidates:
        text, lost = prepared.restore(candidate.text)
        if lost:
            rejections.append(Rejection("protected", f"lost {lost!r}"))
        elif not candidate.finished:
            rejections.append(Rejection("truncated", "were truncated"))
        else:
            texts.append(replace(candidate, text=text))
    return texts, rejections


def _answer(prepared: Prepared, chosen: Chosen, steps: tuple[str, ...]) -> Answer:
    choices = tuple(
        replace(choice, text=prepared.rebuild(choice.text)) for choice in chosen.choices
    )
    guards = tuple(dict.fromkeys(rejection.guard for rejection in chosen.rejections))
    whole_steps = tuple(map(prepared.rebuild, steps))
    if choices:
        return Answer("done", choices, whole_steps, guards=guards)
    unchanged = chosen.why == UNCHANGED
    return Answer(
        state="unchanged" if unchanged else "rejected",
        steps=whole_steps,
        why=chosen.why,
        guards=guards,
    )


def _combine(before: Answer, after: Answer) -> Answer:
    """Take a later answer if it has choices, with the guards of both."""
    guards = tuple(dict.fromkeys((*before.guards, *after.guards)))
    better = after if after.choices or before.state == "untried" else before
    return replace(better, guards=guards)


def _find_name_spans(text: str) -> list[Span]:
    spans = []
    position = 0
    for name in find_names(text):
        start = text.find(name, position)
        if start >= 0:
            position = start + len(name)
            spans.append(Span(start, position, "name"))
    return spans
