"""Rewrite sentences with an instruction-following model: the main path.

1. A sentence that cannot be rewritten is returned with the reason, and a long one is
   split into parts, as for the neural packs (`neural.candidates.surface`). Passages of
   several sentences are read as one text.
2. A `Writer` gives the most probable rewrite of each part, and samples if more
   alternatives are wanted.
3. Its outputs must pass the guards (`instruct.guards`, `neural.candidates.guards`). A
   part without a rewrite that surely says the same is tried again, a few times; then
   less will do. A passage without one is tried sentence by sentence.
4. The parts are joined. What could not be rewritten is returned unchanged, with the
   reason and the names of the guards that rejected candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from paraphrast.instruct.guards import GUARDS as OWN_GUARDS
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
    Checks,
    Guard,
    select_guards,
)
from paraphrast.neural.candidates.rerank import EVEN, Checker, MeaningCheck, choose
from paraphrast.neural.candidates.surface import (
    Answer,
    Prepared,
    prepare,
    reason_against,
)
from paraphrast.neural.models.generation import Candidate
from paraphrast.neural.styles import LOOSE, VERSE
from paraphrast.rewriter import NO_WORDS, Rewrite, Sentence
from paraphrast.rules.words import spell_out_chat
from paraphrast.text.overlap import words

RETRIES = 3  # samples for a text without a rewrite
MORE = 2  # samples beyond the alternatives that are wanted
CHOICES = 4  # rewrites of which a strength takes the nearest or the freest
LEAST_SAME = 0.4  # of the checker's score
CONTEXT = 60  # words of a passage that is read as one text
GUARD_NAMES = (*(g.name for g in (*OWN_GUARDS, *GUARDS, OFFENSIVE)), MEANING)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's output for a text, or the reason why there is none."""

    candidate: Candidate | None
    why: str = ""


def find_checker() -> Checker | None:
    """Return the meaning checker of a pack that comes with paraphrast, if any."""
    from paraphrast.neural.candidates import checker
    from paraphrast.storage import packs

    for pack in packs.list_installed(packs.BUNDLED):
        loaded = checker.load(pack.folder, pack.sha256, threads=1)
        if loaded is not None:
            return checker.EncoderAlone(loaded)
    return None


class Writer(Protocol):
    """A model that rewrites texts in one style."""

    @property
    def batch(self) -> int:
        """Return the preferred number of texts per batch."""
        ...

    def write(
        self, texts: Sequence[str], *, strength: float, draw: int | None
    ) -> list[Reply]:
        """Return the likeliest rewrite of each text, or the sample of that number."""
        ...


@dataclass(frozen=True)
class InstructRewriter(Switches):
    """Rewrites sentences in one style.

    A rewrite that the ``checker`` scores below ``least_same`` has changed its meaning.
    Others are tried while none has ``surely_same``.
    ``identity`` changes with the model, and ``notice`` is shown to the user before the
    first request.
    """

    guard_names = GUARD_NAMES

    writer: Writer
    style: str
    decent: bool = field(default=True, kw_only=True)
    checker: Checker | None = None
    least_same: float = LEAST_SAME
    surely_same: float = 0.0
    identity: str = ""
    notice: str = ""

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first."""
        passages = Passages(sentences)
        passages.answer(self._rewrite_parts(passages.unanswered, alternatives, seed))
        passages.split(_was_rejected)
        passages.answer(self._rewrite_parts(passages.unanswered, alternatives, seed))
        return passages.join(alternatives)

    @property
    def batch(self) -> int:
        """Return the preferred number of sentences per batch."""
        return self.writer.batch

    @property
    def context(self) -> int:
        """Return how many words of neighbouring sentences are read as one text."""
        return CONTEXT

    @cached_property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that a candidate has to pass."""
        own = [guard for guard in OWN_GUARDS if guard.name not in self.without]
        others = select_guards(
            Checks(),
            loose=self.style in LOOSE,
            decent=self.decent,
            without=self.without,
        )
        return (*own, *others)

    def _rewrite_parts(
        self, parts: Sequence[Sentence], alternatives: int, seed: int
    ) -> list[Answer]:
        verse = self.style == VERSE
        prepared = [
            replace(prepare(p.text, p.protected, None, hide="nothing"), verse=verse)
            for p in parts
        ]
        reasons = [
            _find_reason(part, own) for part, own in zip(parts, prepared, strict=True)
        ]
        open_ = [index for index, why in enumerate(reasons) if not why]
        candidates: dict[int, list[Candidate]] = {index: [] for index in open_}
        answers = [Answer("done", why=why) for why in reasons]
        number = alternatives if self.strength == EVEN else max(alternatives, CHOICES)
        draws = [None, *range(number + MORE if number > 1 else RETRIES)]
        for draw in draws:
            wanted = [i for i in open_ if _wants_more(answers[i], draw, number)]
            replies = self.writer.write(
                [prepared[index].read for index in wanted],
                strength=self.strength,
                draw=None if draw is None else seed * 1000 + draw,
            )
            for index, reply in zip(wanted, replies, strict=True):
                if reply.candidate is None:
                    answers[index] = _give_up(answers[index], reply.why)
                    continue
                candidates[index].append(reply.candidate)
                answers[index] = self._choose(
                    prepared[index], candidates[index], self.surely_same
                )
        unsure = self.surely_same > self.least_same
        for index in (i for i in open_ if unsure and _is_short(answers[i], number)):
            answers[index] = self._choose(prepared[index], candidates[index])
        return answers

    def _check_meaning(self, least: float) -> MeaningCheck | None:
        if self.checker is None or MEANING in self.without:
            return None
        return MeaningCheck(self.checker, max(least, self.least_same))

    def _choose(
        self, prepared: Prepared, candidates: Sequence[Candidate], least: float = 0.0
    ) -> Answer:
        """Restore candidates, and choose among those that pass."""
        texts, lost = restore_candidates(prepared, candidates)
        # Guards read what chat spelling stands for, as the model does.
        source = spell_out_chat(Sentence(prepared.core)).text
        new = [own for own in texts if words(own.text) != words(prepared.core)]
        (chosen,) = choose(
            [source],
            [new],
            self.style,
            guards=self.guards,
            meaning=self._check_meaning(least),
            strength=self.strength,
        )
        rejections = (*lost, *chosen.rejections)
        copy = chosen.copy or next((own.text for own in texts if own not in new), "")
        return make_answer(prepared, replace(chosen, rejections=rejections, copy=copy))


def _was_rejected(answer: Answer) -> bool:
    return answer.state == "rejected"


def _find_reason(part: Sentence, prepared: Prepared) -> str:
    """Return why a part is not sent to the model, or an empty string."""
    has_words = any(map(str.isalpha, prepared.core))
    return reason_against(part.text) if has_words else NO_WORDS


def _wants_more(answer: Answer, draw: int | None, number: int) -> bool:
    """Say whether another rewrite of a text is needed."""
    if draw is None:
        return True
    failed = answer.state == "done" and not answer.choices
    # A text that is copied twice is in the style already.
    again = draw == 0 or answer.state != "unchanged"
    return again and not failed and len(answer.choices) < number


def _is_short(answer: Answer, number: int) -> bool:
    return answer.state != "unchanged" and len(answer.choices) < number


def _give_up(answer: Answer, why: str) -> Answer:
    """Keep the rewrites found so far; without any, give the reason."""
    return answer if answer.choices else Answer("done", why=why)
