"""What an alignment is, and what an aligner is.

An alignment is a set of links between the words of two tokenised sentences. A link is
sure if the words clearly correspond in this context, and possible if they only may
(COHN08 §2); it has a probability if a model gave one.

An aligner is a `Family` under the entry-point group ``paraphrast.aligners``: it can be
trained on sentence pairs, saved to a folder and loaded again; the resulting `Aligner`
aligns new pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from paraphrast.errors import ParaphrastError
from paraphrast.storage import sealed_folder

Words: TypeAlias = tuple[str, ...]
WordPair: TypeAlias = tuple[Words, Words]

# Operating points: what to have more of where an aligner is not sure.
Preference: TypeAlias = Literal["precision", "balance", "recall"]
PREFERENCES: tuple[Preference, ...] = get_args(Preference)

RETRAIN = "Train it again with `paraphrast align train`."
SAVED = sealed_folder.Kind(
    "saved aligner", "manifest.json", (1,), RETRAIN, replaceable=False
)


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Joins ``source[source]`` and ``target[target]``."""

    source: int
    target: int
    probability: float = 1.0
    sure: bool = True


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two sentences in words, and the links between them."""

    source: Words
    target: Words
    links: tuple[Link, ...] = ()
    name: str = ""


def refuse_long(pairs: Sequence[WordPair], *, longest: int, aligner: str) -> None:
    """Refuse the first pair with more words on one side than the aligner accepts."""
    for number, pair in enumerate(pairs, start=1):
        if max(map(len, pair)) > longest:
            raise ParaphrastError(
                f"pair {number}: {aligner} aligns up to {longest} words per side, but "
                f"there are {max(map(len, pair))}. Split the pair."
            )


class Aligner(Protocol):
    """Links the words of sentence pairs; made by a `Family`."""

    def __call__(self, pairs: Sequence[WordPair]) -> list[tuple[Link, ...]]:
        """Return the links of each pair, in the order of their words."""
        ...

    def save(self, folder: Path) -> None:
        """Write the aligner so that its family can load it."""
        ...


@runtime_checkable
class Adjustable(Aligner, Protocol):
    """An aligner that can trade precision for recall."""

    def preferring(self, preference: Preference) -> Aligner:
        """Return the aligner at that operating point."""
        ...


class Family(Protocol):
    """A kind of aligner, such as ``hmm``, under its usual name."""

    summary: str

    def train(self, pairs: Sequence[AlignedPair]) -> Aligner:
        """Train on sentence pairs; statistical aligners ignore their links."""
        ...

    def load(self, folder: Path | None) -> Aligner:
        """Read a saved aligner; without a folder the built-in one, if there is one."""
        ...


def seal(folder: Path, family: str, settings: Mapping[str, Any]) -> None:
    """Seal the folder of a saved aligner; see `storage.sealed_folder`."""
    sealed_folder.seal(folder, SAVED, {"family": family, "settings": dict(settings)})


def read_settings(folder: Path, family: str) -> dict[str, Any]:
    """Return the settings of a saved aligner of a family, its files verified."""
    manifest = sealed_folder.verify(folder, SAVED)
    if manifest.get("family") != family:
        raise ParaphrastError(
            f"{folder}: a model of {manifest.get('family')!r}, not of {family!r}. "
            f"Load it with --using {manifest.get('family')}."
        )
    settings = manifest.get("settings")
    if not isinstance(settings, dict):
        raise sealed_folder.damaged(folder / SAVED.manifest, SAVED, "has no settings")
    return settings
