"""The state of one person's judgment of the outputs for one text.

    answer   output, criterion, value   a point of a scale, a rank, a word; null: none
    comment  text

A preference does not belong to a single output: its value is the number of the
preferred one, or 0 for a tie, and its output is 0. The base event has the questions, so
that changing the protocol later does not change given answers.
"""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.web.annotation.alignment import LONGEST_COMMENT

Value: TypeAlias = int | str
Key: TypeAlias = tuple[int, str]  # output and criterion

LONGEST_WORD = 100
KINDS = ("scale", "rank", "preference", "word")


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion as it was when the work started."""

    name: str
    kind: str
    source: bool
    values: tuple[int, ...] = ()
    needed_if: str = ""


@dataclass(frozen=True)
class Judgment:
    """One person's answers; ``outputs`` are numbers in the order they are shown."""

    outputs: tuple[int, ...]
    questions: tuple[Question, ...]
    answers: Mapping[Key, Value] = field(default_factory=dict)
    comment: str = ""

    def missing(self) -> list[Key]:
        """Return the unanswered questions, in the order of the page."""
        return [
            (output, question.name)
            for question in self.questions
            for output in self.asked(question)
            if (output, question.name) not in self.answers
            and self._is_needed(question, output)
        ]

    def asked(self, question: Question) -> tuple[int, ...]:
        """Return the outputs that a question is about; 0 means all at once."""
        return (0,) if question.kind == "preference" else self.outputs

    def shows_source(self) -> bool:
        """Say whether all questions without the source are answered."""
        hidden = {question.name for question in self.questions if not question.source}
        return not any(name in hidden for _, name in self.missing())

    def _is_needed(self, question: Question, output: int) -> bool:
        if not question.needed_if:
            return True
        name, _, value = question.needed_if.partition("=")
        return str(self.answers.get((output, name), "")) == value


def check_base(content: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the outputs of an imported base event, or refuse it."""
    questions = [
        config.build(question, Question, where="a question")
        for question in content["questions"]
    ]
    outputs = tuple(content["outputs"])
    if (
        not outputs
        or len({*outputs}) < len(outputs)
        or not all(question.kind in KINDS for question in questions)
        or not all(type(output) is int for output in outputs)
    ):
        raise ParaphrastError("the questions are not in the format of this version.")
    return outputs


def start(content: Mapping[str, Any]) -> Judgment:
    """Return the state after a base event."""
    questions = tuple(
        Question(**{**question, "values": tuple(question["values"])})
        for question in content["questions"]
    )
    return Judgment(tuple(content["outputs"]), questions)


def apply(state: Judgment, kind: str, content: Mapping[str, Any]) -> Judgment:
    """Return the state after an event; refuse an invalid one."""
    match kind, content:
        case "answer", {"output": int(output), "criterion": str(name), "value": value}:
            question = _find(state, name)
            if output not in state.asked(question):
                raise ParaphrastError(
                    f"there is no question {name!r} about output {output}."
                )
            answers = dict(state.answers)
            answers.pop((output, name), None)
            if value is not None:
                answers[output, name] = _check(state, question, value)
            return replace(state, answers=answers)
        case "comment", {"text": str(text)} if len(text) <= LONGEST_COMMENT:
            return replace(state, comment=text)
    raise ParaphrastError(f"there is no event {kind!r} with this content.")


def as_json(state: Judgment) -> dict[str, Any]:
    """Return the JSON for the page and the database."""
    return {
        "outputs": list(state.outputs),
        "questions": [
            {
                "name": question.name,
                "kind": question.kind,
                "source": question.source,
                "values": list(question.values),
                "needed_if": question.needed_if,
            }
            for question in state.questions
        ],
        "answers": [[*key, value] for key, value in sorted(state.answers.items())],
        "comment": state.comment,
        "shows_source": state.shows_source(),
        "missing": list(_describe_missing(state)),
    }


def from_json(record: Mapping[str, Any]) -> Judgment:
    """Return the state that `as_json` wrote."""
    return replace(
        start(record),
        answers={(output, name): value for output, name, value in record["answers"]},
        comment=record["comment"],
    )


def name_output(state: Judgment, output: int) -> str:
    """Return the letter that an output is shown under."""
    return string.ascii_uppercase[state.outputs.index(output)]


def _describe_missing(state: Judgment) -> Iterator[str]:
    for output, name in state.missing():
        letter = f"{name_output(state, output)}: " if output else ""
        yield f"{letter}{name}" if len(state.outputs) > 1 else name


def _find(state: Judgment, name: str) -> Question:
    for question in state.questions:
        if question.name == name:
            if question.source and not state.shows_source():
                raise ParaphrastError("first answer the questions without the source.")
            return question
    raise ParaphrastError(f"there is no question {name!r}.")


def _check(state: Judgment, question: Question, value: Any) -> Value:
    if question.kind == "word":
        if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_WORD:
            return value.strip()
        raise ParaphrastError(
            f"{question.name}: write a word of at most {LONGEST_WORD} characters."
        )
    allowed = {
        "scale": question.values,
        "rank": tuple(range(1, len(state.outputs) + 1)),
        "preference": (0, *state.outputs),
    }[question.kind]
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        listed = ", ".join(map(str, allowed))
        raise ParaphrastError(f"{question.name} must be one of {listed}.")
    return value
