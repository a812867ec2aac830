"""Teach the built-in pack three styles from plain text, and measure what it learned.

``keeper`` is a text of our own in 208 sentences (examples/keeper.txt), ``joyce`` 2,000
sentences of Joyce that the pack was not trained on, and ``young`` 2,000 verses of
Young's Literal Translation, which no style of the pack was made from; the pack's
paraphraser has read some of his verses. The figures are those of the report that
`paraphrast learn` prints: ACC by a classifier made afresh, SIM and FL by the small
judge, on plain versions of sentences held out from all learning.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from paraphrast import packs
from paraphrast.errors import ParaphrastError
from paraphrast.learning import texts
from paraphrast.learning.report import Reporter
from paraphrast.metrics import judge
from paraphrast.neural import teaching
from paraphrast.neural.family import BUNDLED, KIND
from paraphrast.reproduce import Value, Workspace

ROOT = Path(__file__).resolve().parents[2]
TRAINING = Path(__file__).resolve().parents[1] / "strap" / "training"
SENTENCES, SEED = 2000, 1
MEASURES = ("ACC", "SIM", "FL", "J")


def keeper(workspace: Workspace) -> dict[str, Value]:
    path = ROOT / "examples" / "keeper.txt"
    return learned("keeper", path, workspace)


def joyce(workspace: Workspace) -> dict[str, Value]:
    styles = _training()
    found = styles.style_file(workspace.corpus("styles").parent, "joyce", styles.prose)
    trained = {_letters(text) for text in found["guide"]}
    unread = [
        text
        for owner in ("judge", "held out")
        for text in found[owner]
        if styles.fit(text) and _letters(text) not in trained
    ]
    return learned("joyce", _written("joyce", unread, workspace), workspace)


def young(workspace: Workspace) -> dict[str, Value]:
    styles = _training()
    found = styles.bible(workspace.corpus("bibles").parent, ["YLT"])
    verses = [text for part in found.values() for text in part if styles.fit(text)]
    return learned("young", _written("young", verses, workspace), workspace)


def learned(name: str, path: Path, workspace: Workspace) -> dict[str, Value]:
    """Learn a style as the command does and return the figures of its report."""
    bundled = packs.installed(BUNDLED, kind=KIND)
    if not bundled:
        raise ParaphrastError("this version comes without a neural pack to learn from.")
    folder = workspace.folder / "packs" / f"learned-{name}"
    folder.parent.mkdir(exist_ok=True)
    found = texts.read(path)
    source = packs.Data(path.name, packs.sha256(path), "see recipes/learn")
    began = time.monotonic()
    made = teaching.teach(
        bundled[0],
        teaching.Texts(found.sentences, source),
        folder,
        measure=Reporter(judge.load(Path("small"))),
        show=_quiet,
        replacing=folder.exists(),
    )
    minutes = (time.monotonic() - began) / 60
    return figures(name, made, minutes)


def figures(name: str, made: teaching.Taught, minutes: float) -> dict[str, Value]:
    rows, signatures = made.report["figures"], made.report["signatures"]
    joined = "|".join(signatures.values())
    values = {
        f"{name}: {measure} {when}": Value(
            rows[when][measure], signature=signatures.get(measure, joined)
        )
        for when in ("before", "after", "own")
        for measure in MEASURES
    }
    for measure in ("ACC", "J"):
        gain = rows["after"][measure] - rows["before"][measure]
        values[f"{name}: gain in {measure}"] = Value(round(gain, 1), signature=joined)
    megabytes = sum(file.size for file in made.pack.about.files.values()) / 1e6
    values[f"{name}: minutes"] = Value(round(minutes, 1))
    values[f"{name}: megabytes"] = Value(round(megabytes, 1))
    return values


def _quiet(progress: teaching.Progress) -> None:
    """Show nothing: a recipe's steps are announced by name."""


def _written(name: str, sentences: Sequence[str], workspace: Workspace) -> Path:
    """Write so many sentences, drawn by the seed, to a file of the workspace."""
    chosen = list(dict.fromkeys(sentences))
    random.Random(SEED).shuffle(chosen)
    path = workspace.folder / "texts" / f"{name}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*chosen[:SENTENCES], ""]), encoding="utf-8")
    return path


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _training() -> Any:
    """Return the module that parted the styles' text for training."""
    sys.path.insert(0, str(TRAINING))
    try:
        import styles
    finally:
        sys.path.pop(0)
    return styles


STEPS: dict[str, Callable[[Workspace], dict[str, Value]]] = {
    "keeper": keeper,
    "joyce": joyce,
    "young": young,
}
