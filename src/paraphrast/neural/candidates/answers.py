"""What rewriters that check candidates have in common: passages, answers, switches.

`Passages` are split into parts, answered, split again if a passage has no rewrite, and
joined. `restore_candidates` and `make_answer` come before and after the choice among
candidates.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from paraphrast.errors import unknown
from paraphrast.neural.candidates.guards import Rejection
from paraphrast.neural.candidates.rerank import (
    EVEN,
    UNCHANGED,
    Choice,
    Chosen,
    check_strength,
)
from paraphrast.neural.candidates.surface import (
    Answer,
    Prepared,
    cut_passage,
    cut_sentence,
    join_parts,
)
from paraphrast.neural.models.generation import Candidate
from paraphrast.rewriter import Rewrite, Sentence


@dataclass(frozen=True, kw_only=True)
class Switches:
    """User options of a rewriter that checks its candidates.

    ``strength`` says how far a rewrite may move from its source, ``decent`` rejects
    offensive words that are not in the source, and guards named in ``without`` are
    switched off.
    """

    guard_names: ClassVar[Sequence[str]]  # of the guards that can be switched off

    strength: float = EVEN
    decent: bool = False
    without: frozenset[str] = frozenset()

    def adjusted(self, *, strength: float) -> Self:
        """Return a rewriter that stays closer to the source (0) or is freer (1)."""
        check_strength(strength)
        return replace(self, strength=strength)

    def unfiltered(self) -> Self:
        """Return a rewriter that may write offensive words."""
        return replace(self, decent=False)

    def without_guards(self, names: Iterable[str]) -> Self:
        """Return a rewriter with the named guards switched off."""
        without = frozenset(names)
        for name in sorted(without.difference(self.guard_names)):
            raise unknown("guard", name, self.guard_names)
        return replace(self, without=self.without | without)


class Passages:
    """The parts of sentences and passages, with their answers so far."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        """Split the sentences; no part has an answer yet."""
        self.sentences = sentences
        self.parts = [cut_sentence(sentence) for sentence in sentences]
        self.answers = [[Answer() for _ in parts] for parts in self.parts]

    @property
    def unanswered(self) -> list[Sentence]:
        """Return the parts without an answer, of all sentences together."""
        return [self.parts[n][i] for n, i in self._find(lambda a: a.state == "untried")]

    def answer(self, answers: Iterable[Answer]) -> None:
        """Give the unanswered parts their answers."""
        places = self._find(lambda answer: answer.state == "untried")
        for (number, index), answer in zip(places, answers, strict=True):
            self.answers[number][index] = answer

    def split(self, has_failed: Callable[[Answer], bool]) -> None:
        """Split passages whose answers failed into sentences without an answer."""
        for number, index in reversed(self._find(has_failed)):
            if self.parts[number][index].cuts:
                inner = cut_passage(self.parts[number][index])
                self.parts[number][index : index + 1] = inner
                self.answers[number][index : index + 1] = [Answer() for _ in inner]

    def join(self, alternatives: int) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` rewrites of each sentence."""
        return [
            join_parts(sentence, parts, answers, alternatives)
            for sentence, parts, answers in zip(
                self.sentences, self.parts, self.answers, strict=True
            )
        ]

    def _find(self, is_meant: Callable[[Answer], bool]) -> list[tuple[int, int]]:
        return [
            (number, index)
            for number, answers in enumerate(self.answers)
            for index, answer in enumerate(answers)
            if is_meant(answer)
        ]


def restore_candidates(
    prepared: Prepared, candidates: Sequence[Candidate]
) -> tuple[list[Candidate], list[Rejection]]:
    """Return candidates as users see them, without those that lost a protected span."""
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


def make_answer(
    prepared: Prepared, chosen: Chosen, steps: Sequence[str] = ()
) -> Answer:
    """Return the answer for a part, with its edges restored.

    Chat whose spelling was expanded and that the model then left unchanged is a
    rewrite, too.
    """
    spelt = prepared.spelt and chosen.copy and not chosen.choices
    shown = (Choice(chosen.copy, 0.0),) if spelt else chosen.choices
    choices = tuple(
        replace(choice, text=prepared.rebuild(choice.text)) for choice in shown
    )
    unchanged = chosen.why == UNCHANGED
    return Answer(
        state="done" if choices else "unchanged" if unchanged else "rejected",
        choices=choices,
        steps=tuple(map(prepared.rebuild, steps)),
        why="" if choices else chosen.why,
        guards=tuple(dict.fromkeys(rejection.guard for rejection in chosen.rejections)),
    )
