"""Rewrite sentences with a neural pack: the main path, from top to bottom.

1. A sentence that cannot be rewritten is returned with the reason, and a long one is
   split into parts (`surface`). Passages of several sentences are read as one text.
2. Each part goes through the attempts of `search`, until one gives a rewrite. An
   attempt expands chat spelling, hides protected spans (`surface`), runs the pack's
   steps, and generates candidates with the last of them.
3. Candidates pass the guards or are rejected (`guards`, `checker`), and the best is
   chosen (`rerank`).
4. A passage without a rewrite is tried again sentence by sentence, and a sentence
   without one goes to the fallback: the rules, for styles that they write.
5. The parts are joined. What could not be rewritten is returned unchanged, with the
   reason and the names of the guards that rejected candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from paraphrast.neural.candidates.answers import (
    Passages,
    Switches,
    make_answer,
    restore_candidates,
)
from paraphrast.neural.candidates.guards import (
    GUARDS,
    MEANING,
    OFFENSIVE,
    Guard,
    basic_guards,
    find_rejection,
    is_repetitive,
    select_guards,
)
from paraphrast.neural.candidates.rerank import (
    EVEN,
    UNCHANGED,
    Choice,
    Guide,
    MeaningCheck,
    choose,
)
from paraphrast.neural.candidates.search import (
    ATTEMPTS,
    Attempt,
    Searcher,
)
from paraphrast.neural.candidates.surface import (
    CODE,
    FOREIGN,
    Answer,
    Hide,
    Prepared,
    prepare,
    reason_against,
)
from paraphrast.neural.models.generation import (
    MOST_CANDIDATES,
    Decoding,
    Request,
)
from paraphrast.neural.models.pack import Model
from paraphrast.neural.styles import ENDED, LOOSE, VERSE
from paraphrast.rewriter import NO_WORDS, Rewrite, Rewriter, Sentence
from paraphrast.rules.words import spell_out_chat
from paraphrast.text.overlap import unigram_overlap, words

UNKNOWN = "its words are not in the model's vocabulary"
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
    MEANING,
)


@dataclass(frozen=True)
class NeuralRewriter(Switches):
    """Rewrites sentences with a pack; ``guide`` reranks the candidates.

    ``fallback`` rewrites what the model could not.
    """

    guard_names = GUARD_NAMES

    model: Model
    guide: Guide | None = None
    fallback: Rewriter | None = None

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first."""
        even = self._rewrite_evenly(sentences, seed)
        # What medium strength leaves unchanged, low strength leaves unchanged.
        kept = {at: r for at, r in even.items() if r.text == sentences[at].text}
        asked = [s for at, s in enumerate(sentences) if at not in kept]
        passages = Passages(asked)
        searcher = self._make_searcher(alternatives, seed)
        passages.answer(self._rewrite_parts(passages.unanswered, searcher))
        passages.split(_has_failed)
        passages.answer(self._rewrite_parts(passages.unanswered, searcher))
        for parts, answers in zip(passages.parts, passages.answers, strict=True):
            answers[:] = self._fall_back(parts, answers, alternatives, seed)
        rewrites = iter(passages.join(alternatives))
        return [
            [kept[at]]
            if at in kept
            else _put_nearer_first(sentence.text, even.get(at), next(rewrites))
            for at, sentence in enumerate(sentences)
        ]

    def _rewrite_evenly(
        self, sentences: Sequence[Sentence], seed: int
    ) -> dict[int, Rewrite]:
        """Return the rewrites by medium strength, if this one is lower."""
        if self.strength >= EVEN:
            return {}
        rewriter = replace(self, strength=EVEN)
        return {
            at: own[0]
            for at, own in enumerate(rewriter(sentences, alternatives=1, seed=seed))
        }

    @property
    def context(self) -> int:
        """Return how many words of neighbouring sentences are read as one text."""
        return self.model.settings.context

    @cached_property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that a candidate has to pass."""
        guards = select_guards(
            self.model.settings.choosing.checks,
            loose=self.model.style in LOOSE,
            decent=self.decent,
            without=self.without,
        )
        if self.model.training_text is not None and MEMORISED not in self.without:
            guards.append(Guard(MEMORISED, self.model.training_text.check))
        return tuple(guards)

    def _rewrite_parts(
        self, parts: Sequence[Sentence], searcher: Searcher
    ) -> list[Answer]:
        """Run the attempts in order on the parts that still need a rewrite."""
        reasons = [reason_against(part.text) for part in parts]
        answers = [Answer("done", why=why) if why else Answer() for why in reasons]
        for attempt in ATTEMPTS:
            indices = [
                index
                for index, answer in enumerate(answers)
                if answer.state == attempt.when
                # What is a loop itself takes long.
                and (attempt.when == "untried" or not is_repetitive(parts[index].text))
            ]
            tried = self._try([parts[index] for index in indices], attempt, searcher)
            for index, answer in zip(indices, tried, strict=True):
                answers[index] = _combine(answers[index], answer)
        return answers

    def _fall_back(
        self,
        parts: Sequence[Sentence],
        answers: Sequence[Answer],
        alternatives: int,
        seed: int,
    ) -> Sequence[Answer]:
        """Apply the fallback to the parts that the model left unchanged."""
        failed = [index for index, own in enumerate(answers) if _has_failed(own)]
        if self.fallback is None or not failed:
            return answers
        results = list(answers)
        rewrites = self.fallback(
            [parts[index] for index in failed], alternatives=alternatives, seed=seed
        )
        for index, options in zip(failed, rewrites, strict=True):
            text = parts[index].text
            choices = tuple(Choice(r.text, r.score) for r in options if r.text != text)
            results[index] = replace(answers[index], choices=choices)
        return results

    def _make_searcher(self, alternatives: int, seed: int) -> Searcher:
        """Return a searcher for the last step, with sampling if strength needs it."""
        decoding = self.model.settings.decoding
        number = min(MOST_CANDIDATES, max(SAMPLED, SAMPLED_EACH * alternatives))
        sample = replace(decoding, method="nucleus", candidates=number)
        alone = alternatives == 1 and self.guide is None and self.strength == EVEN
        step = self.model.steps[-1]
        return Searcher(step, decoding, None if alone else sample, seed)

    def _try(
        self, parts: Sequence[Sentence], attempt: Attempt, searcher: Searcher
    ) -> list[Answer]:
        """Run one attempt on each part."""
        prepared = [self._prepare(part) for part in parts]
        obstacles = [self._find_obstacle(part) for part in prepared]
        fit = [p for p, why in zip(prepared, obstacles, strict=True) if not why]
        read, steps = self._take_first_steps(fit)
        candidates = searcher.find_candidates(read, attempt)
        restored = list(map(restore_candidates, fit, candidates))
        # Where one rewrite is wanted, the likeliest that passes is the best.
        enough = 1 if searcher.sample is None else MOST_CANDIDATES
        chosen = choose(
            [part.core for part in fit],
            [texts for texts, _ in restored],
            self.model.style,
            guards=self.guards,
            meaning=self._check_meaning(enough),
            guide=self.guide,
            settings=self.model.settings.choosing,
            strength=self.strength,
        )
        answers = (
            make_answer(part, replace(own, rejections=(*lost, *own.rejections)), passed)
            for part, own, passed, (_, lost) in zip(
                fit, chosen, steps, restored, strict=True
            )
        )
        return [Answer("done", why=why) if why else next(answers) for why in obstacles]

    def _prepare(self, part: Sentence) -> Prepared:
        is_loose = self.model.style in LOOSE  # in which chat may stay as it is
        spelt = spell_out_chat(
            part, keep_fillers=is_loose, end=self.model.style in ENDED
        )
        tokenizer = self.model.prompter.tokenizer
        hide: Hide = "as trained" if self.model.settings.masked else "as names"
        prepared = prepare(spelt.text, spelt.protected, tokenizer, hide=hide)
        # A stop alone is no rewrite.
        changed = spelt.text.removesuffix(".") != part.text.removesuffix(".")
        return replace(
            prepared,
            spelt=changed and not is_loose,
            verse=self.model.style == VERSE,
        )

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
        """Return the input of the last step, and the intermediate texts."""
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

    def _check_meaning(self, enough: int) -> MeaningCheck | None:
        if self.model.checker is None or MEANING in self.without:
            return None
        return MeaningCheck(self.model.checker, self.model.least_meaning, enough)


def _combine(before: Answer, after: Answer) -> Answer:
    """Prefer a later answer if it has choices, with the guards of both."""
    guards = tuple(dict.fromkeys((*before.guards, *after.guards)))
    better = after if after.choices or before.state == "untried" else before
    return replace(better, guards=guards)


def _has_failed(answer: Answer) -> bool:
    """Say whether a part is unchanged although the model would change it."""
    return not answer.choices and answer.why not in (UNCHANGED, NO_WORDS, CODE, FOREIGN)


def _put_nearer_first(
    source: str, even: Rewrite | None, rewrites: Sequence[Rewrite]
) -> list[Rewrite]:
    """Return rewrites by low strength, led by that of medium strength if it is nearer.

    It may be: a search that finds it is not made where a sample passes.
    """
    if even is None or _measure_nearness(source, even) <= _measure_nearness(
        source, rewrites[0]
    ):
        return list(rewrites)
    others = [own for own in rewrites if own.text != even.text]
    return [even, *others][: len(rewrites)]


def _measure_nearness(source: str, rewrite: Rewrite) -> float:
    return unigram_overlap(words(source), words(rewrite.text)).f1
