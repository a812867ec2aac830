"""Protocols of human evaluation, as data.

There is one TOML file per protocol: those of the papers come with the package, and a
server reads more from ``protocols`` in its data folder. ``report`` names the part of
`study` that evaluates the answers.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown

FOLDER = Path(__file__).parent

Kind: TypeAlias = Literal["scale", "rank", "preference", "word"]


@dataclass(frozen=True)
class Answer:
    """A point of a scale, and its label."""

    value: int
    label: str


@dataclass(frozen=True)
class Criterion:
    """A question: a scale with answers, a ranking, a preference, or a free word.

    Without ``source`` it is asked before the source is shown. With ``needed_if`` (such
    as ``acceptable=0``) it depends on another answer.
    """

    name: str
    question: str
    kind: Kind = "scale"
    source: bool = True
    answers: tuple[Answer, ...] = ()
    needed_if: str = ""

    def __post_init__(self) -> None:
        """Refuse an inconsistent question."""
        if (self.kind == "scale") != (len(self.answers) >= 2):
            raise ValueError(f"{self.name}: a scale, and it alone, has two answers.")


@dataclass(frozen=True)
class Protocol:
    """A protocol; ``outputs`` is the number of outputs that are shown at once.

    ``people`` judge each item, unless a project's lead sets another number.
    """

    name: str
    title: str
    about: str
    report: Literal["criteria", "paraphrase", "acceptance"]
    outputs: Literal["one", "two", "all"]
    criteria: tuple[Criterion, ...]
    people: int = 2

    def __post_init__(self) -> None:
        """Refuse questions that do not go with the number of outputs."""
        names = [criterion.name for criterion in self.criteria]
        if not names or len(names) != len(set(names)):
            raise ValueError("give one or more criteria, each by a name of its own.")
        for criterion in self.criteria:
            if criterion.kind == "rank" and self.outputs == "one":
                raise ValueError(f"{criterion.name}: one output cannot be ranked.")
            if criterion.kind == "preference" and self.outputs != "two":
                raise ValueError(f"{criterion.name}: prefers one of two outputs.")


def load_protocols(folder: Path | None = None) -> dict[str, Protocol]:
    """Return all protocols by name; those of a folder beside those of the package."""
    result = dict(_shipped())
    for path in sorted((folder or FOLDER).glob("*.toml")) if folder else ():
        result[path.stem] = _load(path)
    return result


def find_protocol(name: str, folder: Path | None = None) -> Protocol:
    """Return the protocol of that name."""
    protocols = load_protocols(folder)
    if name not in protocols:
        raise unknown("protocol", name, protocols)
    return protocols[name]


@cache
def _shipped() -> dict[str, Protocol]:
    return {path.stem: _load(path) for path in sorted(FOLDER.glob("*.toml"))}


def _load(path: Path) -> Protocol:
    protocol = config.load(path, Protocol)
    if protocol.name != path.stem:
        raise ParaphrastError(
            f"{path}: the protocol is called {protocol.name!r}. Give the file the same "
            "name."
        )
    return protocol
