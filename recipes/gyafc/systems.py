"""The outputs of every system, or the reason why a system has none here.

Packs lie in the folder of packs, under these names for each direction (``formal`` or
``informal``), and for GYAFC's domains with the domain after it:

formality-pbmt-formal            phrase-based; the recipe trains it if it is missing
formality-nmt-baseline-formal    LSTM; also nmt-copy and nmt-combined
formality-outputs/SYSTEM-formal.tsv   input and output of a system run elsewhere
formality-seen/PACK.txt          texts that a pack learned from or was chosen by
formality-synthetic.jsonl        filtered synthetic pairs, counted in the corpus

The rules and the pack ``small`` come with paraphrast; ``large`` is taken if installed.
For a system that is missing, the outputs for the texts that were read are kept in
``key.jsonl``, and those of ``large`` for the whole main test in ``outputs``.
A pack that has seen more than `MOST_SEEN` of a test's texts or references is left out
of that test. Outputs are cached on disk under the hash of the pack and of the texts, so
that an interrupted run can resume.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.splitting import normalise_text
from paraphrast.errors import ParaphrastError
from paraphrast.reproduce import Workspace
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.storage import atomic, packs
from paraphrast.study import sheets

from .benchmark import OPEN, READ_TEST, Test

COPY, RULES, PBMT, SMALL, LARGE = "COPY", "rules", "PBMT", "small", "large"
REFERENCE = "REFERENCE"
NMT = {
    "NMT baseline": "nmt-baseline",
    "NMT copy": "nmt-copy",
    "NMT combined": "nmt-combined",
}
PACKS = {PBMT: "pbmt", **NMT}
SYSTEMS = (RULES, PBMT, *NMT, SMALL, LARGE)
KEY = Path(__file__).parent / "key.jsonl"  # outputs that were read, and their systems
KEPT = KEY.parent / "outputs"  # of a system that takes long: inputs and outputs
OUTPUTS = "formality-outputs"
SEEN = "formality-seen"
MOST_SEEN = 0.02
SEED = 1


class LeftOut(Exception):  # noqa: N818 - not an error: a system that this machine lacks
    """A system has no answers here; its message says why."""


def answer(workspace: Workspace, system: str, test: Test) -> list[str]:
    """Return a system's rewrites of a test's texts, or raise `LeftOut`."""
    if system == COPY:
        return list(test.texts)
    if system == REFERENCE:
        return [references[0] for references in test.references]
    elsewhere = _read_outputs(workspace, system, test)
    if elsewhere is not None:
        return elsewhere
    try:
        rewriter, identity = _open(workspace, system, test)
    except LeftOut:
        kept = read_kept(system, test)
        if kept is None:
            raise
        return kept
    path = _answers_path(workspace, [system, identity, test.to, *test.texts])
    if path.exists():
        return list(json.loads(path.read_text("utf-8")))
    rewrites = [rewrite.text for rewrite in rewriter.rewrite(test.texts, seed=SEED)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.writer(path) as file:
        json.dump(rewrites, file, ensure_ascii=False)
    return rewrites


def name_pack(system: str, to: str, training: str) -> str:
    """Return the name of the pack of a system that is trained for a direction."""
    name = f"formality-{PACKS[system]}-{to}"
    return name if training == OPEN else f"{name}-{training}"


def _open(
    workspace: Workspace, system: str, test: Test
) -> tuple[DocumentRewriter, str]:
    """Return a system's rewriter and what identifies it."""
    if system == RULES:
        rewriter = offers.load(test.to, using="rules")
        return rewriter, _hash_folder(Path(offers.__file__).parents[1] / "rules")
    if system == LARGE:
        return _open_large(workspace, test)
    if system == SMALL:
        folder = packs.BUNDLED / SMALL
    else:
        folder = workspace.packs / name_pack(system, test.to, test.training)
    if not folder.is_dir():
        raise LeftOut(f"no pack {folder.name} in {folder.parent}")
    _refuse_seen(workspace.packs / SEEN / f"{folder.name}.txt", test)
    pack = packs.read(folder)
    return offers.load_pack(str(folder), to=test.to), pack.sha256


def _refuse_seen(path: Path, test: Test) -> None:
    """Raise `LeftOut` where too much of a test is among the texts of a file."""
    if not path.is_file():
        return
    seen = _read_seen(path)
    rows = zip(test.texts, test.references, strict=True)
    seen_texts = sum(
        any(normalise_text(side) in seen for side in (text, *references))
        for text, references in rows
    )
    if seen_texts > MOST_SEEN * len(test.texts):
        raise LeftOut(f"{path.stem} has seen {seen_texts} of the test's texts")


@lru_cache(maxsize=8)
def _read_seen(path: Path) -> frozenset[str]:
    return frozenset(map(normalise_text, read_lines(path)))


def _open_large(workspace: Workspace, test: Test) -> tuple[DocumentRewriter, str]:
    try:
        rewriter = offers.load(test.to, using=LARGE, home=workspace.packs)
    except ParaphrastError as error:
        raise LeftOut(str(error)) from error
    return rewriter, offers.identify_packs(rewriter, home=workspace.packs)


def _read_outputs(workspace: Workspace, system: str, test: Test) -> list[str] | None:
    path = workspace.packs / OUTPUTS / _name_file(system, test)
    if not path.is_file():
        return None
    made = _read_table(path)
    missing = [text for text in test.texts if text not in made]
    if missing:
        raise LeftOut(f"{path.name} lacks {len(missing)} of the test's texts")
    return [made[text] for text in test.texts]


def _name_file(system: str, test: Test) -> str:
    return f"{system.lower().replace(' ', '-')}-{test.to}.tsv"


def _read_table(path: Path) -> dict[str, str]:
    """Return outputs by their input."""
    made = {}
    for number, line in enumerate(read_lines(path), start=1):
        source, tab, output = line.partition("\t")
        if not tab:
            raise ParaphrastError(
                f"{path}:{number}: expected input and output separated by a tab."
            )
        made[source] = output
    return made


def read_kept(system: str, test: Test) -> list[str] | None:
    """Return a system's outputs for a test, if all are kept with the recipe."""
    made: dict[str, str] = {}
    if test.name == READ_TEST:
        made = {
            output.source: output.output
            for output in sheets.read_key(KEY)
            if system in output.systems and output.target == test.to
        }
    path = KEPT / _name_file(system, test)
    if path.is_file():
        made |= _read_table(path)
    if not made.keys() >= set(test.texts):
        return None
    return [made[text] for text in test.texts]


def _answers_path(workspace: Workspace, parts: Sequence[str]) -> Path:
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
    return workspace.folder / "answers" / f"{digest}.json"


def _hash_folder(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()
