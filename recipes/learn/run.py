"""Teach the built-in pack three writers with `paraphrast learn`, and measure it.

`texts` says who they are and `measuring` how it is measured. Before learning, the best
that the pack can do is to leave the sentence unchanged (COPY) or to write it in the
style nearest to the writer's (nearest); after it, to write it in the learned style.
The command runs as people run it, in a process of its own on one core, so that its time
and memory are known. Its own report is not used: the classifier here has other text,
and more of it.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paraphrast import extras
from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates import memorisation
from paraphrast.neural.models.pack import Settings
from paraphrast.reproduce import Value, Workspace
from paraphrast.storage import packs, sealed_folder
from paraphrast.storage.ctranslate2_model import WEIGHTS
from paraphrast.storage.resumable import fingerprint

from . import measuring, texts
from .measuring import PLAIN, Bench, Measured
from .texts import Writer

FEW, MANY = 200, 2000
ALLOWED = 20.0  # minutes for 2,000 sentences
EXAMPLES, SHOWN = "examples.md", 8
SLOW = 120  # minutes: nothing is cut short on a busy machine


@dataclass(frozen=True)
class Learned:
    """A pack that the command made, and the time and memory that it took."""

    folder: Path
    minutes: float  # of one core
    megabytes: float


def find_missing(workspace: Workspace) -> Iterator[str]:
    """Refuse to begin without torch; report whether the mirror lacks the book."""
    for package in ("torch", "transformers"):
        extras.require(package)
    if texts.book(_mirror(workspace)) is None:
        yield (
            f"left out, the book's figures: {_mirror(workspace) / texts.BOOK} has no "
            "pages. Put share/doc/rust/html/book of rustup's rust-docs there."
        )


def joyce_few(workspace: Workspace) -> dict[str, Value]:
    return _figures(texts.joyce(_mirror(workspace)), FEW, workspace)


def joyce_many(workspace: Workspace) -> dict[str, Value]:
    return _figures(texts.joyce(_mirror(workspace)), MANY, workspace)


def book_few(workspace: Workspace) -> dict[str, Value]:
    writer = texts.book(_mirror(workspace))
    return _figures(writer, FEW, workspace) if writer else {}


def book_many(workspace: Workspace) -> dict[str, Value]:
    writer = texts.book(_mirror(workspace))
    return _figures(writer, MANY, workspace) if writer else {}


def keeper_few(workspace: Workspace) -> dict[str, Value]:
    values = _figures(texts.keeper(), FEW, workspace)
    _write_examples(workspace)
    return values


def left_out(workspace: Workspace) -> dict[str, Value]:
    """Return how many of each writer's sentences the pack was trained on.

    This is known only for a pack with digests of its training text.
    """
    digests = measuring.shipped_pack() / memorisation.FILE
    if not digests.exists():
        return {}
    pack, mirror = memorisation.load(digests), _mirror(workspace)
    values = {}
    for writer in (texts.keeper(), texts.joyce(mirror), texts.book(mirror)):
        if writer is not None:
            every = [*writer.learned, *writer.tested, *writer.unread]
            name = f"{writer.name}: sentences that the pack was trained on"
            signature = f"of {len(every)}, texts sha256 {fingerprint(every)[:12]}"
            values[name] = Value(sum(map(pack.has, every)), signature=signature)
    return values


def _figures(writer: Writer, number: int, workspace: Workspace) -> dict[str, Value]:
    """Learn from so many sentences, and return all figures before and after."""
    made = _learn_pack(writer, number, workspace)
    bench = _bench(writer.name, _mirror(workspace))
    tag = packs.read(made.folder).settings(Settings).tag
    label = f"{writer.name} {number:,}"
    values = {
        f"{label}: minutes of one core": Value(round(made.minutes, 1)),
        f"{label}: megabytes of memory": Value(round(made.megabytes)),
        f"{label}: nearest is {tag}": Value(1.0),
    }
    if number == MANY:
        values[f"{label}: times within {ALLOWED:g} minutes"] = Value(
            round(ALLOWED / made.minutes, 2)
        )
    for kind, given in bench.inputs.items():
        rows = _rows(bench, kind, given, tag, made)
        values |= _prefix_names(f"{label}, {kind}", rows)
        best = max(("COPY", "nearest"), key=lambda name: rows[name].figures["J"].value)
        for name in ("COPY", "nearest"):
            ahead = measuring.lead(bench, rows[name], rows["learned"])
            values[f"{label}, {kind}: lead in J over {name}"] = ahead
            if name == best:
                values[f"{label}, {kind}: lead in J over the better"] = ahead
    return values


def _rows(
    bench: Bench, kind: str, given: Sequence[str], tag: str, made: Learned
) -> dict[str, Measured]:
    systems = {
        "COPY": list(given),
        "nearest": _nearest(tag, tuple(given)),
        "learned": measuring.rewrite_texts(measuring.load_learned(made.folder), given),
    }
    if kind == PLAIN:
        systems["OWN"] = list(bench.originals)
    path = made.folder.parent / f"{made.folder.name} {kind}.json"
    path.write_text(json.dumps(systems | {"given": list(given)}), encoding="utf-8")
    return {
        name: measuring.measure(bench, given, outputs)
        for name, outputs in systems.items()
    }


@cache
def _nearest(tag: str, given: tuple[str, ...]) -> list[str]:
    """Return the built-in pack's outputs, made once for all lessons of a writer."""
    return measuring.rewrite_texts(measuring.load_shipped(tag), given)


def _prefix_names(label: str, rows: Mapping[str, Measured]) -> dict[str, Value]:
    return {
        f"{label}, {name}: {measure}": value
        for name, row in rows.items()
        for measure, value in row.figures.items()
    }


@cache
def _bench(name: str, mirror: Path) -> Bench:
    """Return the writer's `Bench`, made once for all lessons."""
    result = {"keeper": texts.keeper(), "joyce": texts.joyce(mirror)}
    writer = result.get(name) or texts.book(mirror)
    if writer is None:
        raise ParaphrastError(f"there is no text of {name}. Add it to the mirror.")
    return measuring.bench(writer, texts.others(mirror))


def _learn_pack(writer: Writer, number: int, workspace: Workspace) -> Learned:
    """Run the command on a file of so many sentences, unless it was run before."""
    home = workspace.folder / "packs"
    home.mkdir(exist_ok=True)
    name = f"{writer.name}-{number}"
    text, note = writer.file(number, workspace), home / f"{name}.json"
    weights = packs.read(measuring.shipped_pack()).about.files[WEIGHTS].sha256
    made_from = {"text": sealed_folder.sha256(text), "weights": weights}
    took = json.loads(note.read_text("utf-8")) if note.exists() else {}
    if not made_from.items() <= took.items() or not (home / name).exists():
        minutes, megabytes = _run(name, text, home)
        took = made_from | {"minutes": minutes, "megabytes": megabytes}
        note.write_text(json.dumps(took), encoding="utf-8")
    return Learned(home / name, took["minutes"], took["megabytes"])


def _run(name: str, text: Path, home: Path) -> tuple[float, float]:
    """Return the minutes of one core that the command took, and its memory."""
    command = [
        sys.executable, "-m", "paraphrast", "learn", name, str(text),
        "--packs", str(home), "--threads", "1", "--minutes", str(SLOW), "--replace",
    ]  # fmt: skip
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    child = os.posix_spawn(sys.executable, command, environment)
    _, status, used = os.wait4(child, 0)
    if status:
        raise ParaphrastError(f"`paraphrast learn {name}` failed; see its message.")
    return (used.ru_utime + used.ru_stime) / 60, used.ru_maxrss / 1000


def _write_examples(workspace: Workspace) -> None:
    """Write some rewrites of our own text, which may be shown."""
    path = workspace.folder / "packs" / f"keeper-{FEW} {PLAIN}.json"
    rows = json.loads(path.read_text("utf-8"))
    lines = ["| given | before: nearest style | after: learned | the keeper's own |"]
    lines.append("|---|---|---|---|")
    names = ("given", "nearest", "learned", "OWN")
    for row in list(zip(*(rows[name] for name in names), strict=True))[:SHOWN]:
        lines.append("| " + " | ".join(text.replace("|", "/") for text in row) + " |")
    text = "\n".join([*lines, ""])
    (workspace.folder / EXAMPLES).write_text(text, encoding="utf-8")


def _mirror(workspace: Workspace) -> Path:
    return workspace.corpus("styles").parent


STEPS: dict[str, Callable[[Workspace], dict[str, Value]]] = {
    f"keeper {FEW}": keeper_few,
    f"joyce {FEW}": joyce_few,
    f"book {FEW}": book_few,
    f"joyce {MANY}": joyce_many,
    f"book {MANY}": book_many,
    "left out": left_out,
}
