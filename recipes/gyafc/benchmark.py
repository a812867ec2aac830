"""The test data of the systems: the open formality corpus, or the user's own GYAFC.

The main test of the open corpus is the texts of everyday that have four references;
its other sources are tests of their own, each with its single reference. GYAFC
has a test for each domain, of which the paper drew 500 sentences; so do we, by their
hashes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from paraphrast.corpora import formality
from paraphrast.corpora.formality import STYLES, Assembled
from paraphrast.corpora.formality.sources import Style
from paraphrast.corpora.loaders import gyafc
from paraphrast.reproduce import Workspace

MAIN, OTHERS = 500, 100  # sentences of a test
READ = 50  # texts per direction that readers read
READ_TEST = "everyday, read"  # the first texts of the main test, whose outputs are kept
OPEN = "open"  # the training data of the systems for every open test
SYNTHETIC = "formality-synthetic.jsonl"  # in the folder of packs, made elsewhere


@dataclass(frozen=True)
class Test:
    """Texts with references; ``training`` names the data of the systems tested."""

    name: str
    to: Style
    training: str
    texts: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    @property
    def is_main(self) -> bool:
        """Whether it has several references, and is not a part of such a test."""
        return len(self.references[0]) > 1 and self.name != READ_TEST

    @property
    def title(self) -> str:
        """Name the test and its direction."""
        return f"{self.name} to {self.to}"

    def first(self, count: int) -> "Test":
        """Return the test with its first texts only."""
        return replace(
            self, texts=self.texts[:count], references=self.references[:count]
        )


@dataclass(frozen=True)
class Material:
    """The data of the systems of one direction: training pairs and tuning pairs."""

    pairs: tuple[tuple[str, str], ...]
    tuning: tuple[tuple[str, str], ...]


def list_tests(workspace: Workspace) -> list[Test]:
    """Return the tests of both directions, the main ones first."""
    if workspace.data is not None:
        _check_data(workspace.data)
        return [
            _gyafc_test(workspace.data, domain, to)
            for to in STYLES
            for domain in gyafc.DOMAINS
        ]
    corpus = _assemble(workspace)
    tests = []
    for to in STYLES:
        rows = corpus.select(to, "test")
        four = [row for row in rows if len(row.references) > 1]
        tests.append(_test("everyday", to, OPEN, four, MAIN))
        for source in dict.fromkeys(row.source for row in rows):
            own = [r for r in rows if r.source == source and len(r.references) == 1]
            name = "everyday, one reference" if source == "everyday" else source
            tests.append(_test(name, to, OPEN, own, OTHERS))
    return [*tests, *(_choose_read(test) for test in tests if test.is_main)]


def _choose_read(test: Test) -> Test:
    """Return the part of a test that readers read."""
    return replace(test.first(READ), name=READ_TEST)


def list_training(workspace: Workspace) -> tuple[str, ...]:
    """Return the names of the training data: the open corpus, or GYAFC's domains.

    The user's GYAFC is checked first, all of it: a missing file of the test must not
    come to light after hours of training.
    """
    if workspace.data is None:
        return (OPEN,)
    _check_data(workspace.data)
    return gyafc.DOMAINS


@lru_cache(maxsize=1)
def _check_data(folder: Path) -> None:
    gyafc.check_folder(folder)


def read_material(workspace: Workspace, training: str, to: Style) -> Material:
    """Return the training data of a system, without synthetic pairs."""
    if workspace.data is not None:
        pairs = gyafc.train(workspace.data, training, to=to)
        tune = gyafc.evaluation(workspace.data, training, "tune", to=to)
        return Material(
            tuple((pair.source, pair.target) for pair in pairs),
            tuple((row.source, row.references[0]) for row in tune),
        )
    corpus = _assemble(workspace)
    train, tune_rows = (corpus.select(to, split) for split in ("train", "tune"))
    return Material(
        tuple((row.text, row.references[0]) for row in train),
        tuple((row.text, row.references[0]) for row in tune_rows),
    )


def read_corpus(workspace: Workspace) -> Assembled | None:
    """Return the open corpus, with the synthetic pairs that are available.

    With the user's own data there is no open corpus.
    """
    if workspace.data is not None:
        return None
    synthetic = workspace.packs / SYNTHETIC
    return _assemble(workspace, (synthetic,) if synthetic.is_file() else ())


def _assemble(workspace: Workspace, synthetic: tuple[Path, ...] = ()) -> Assembled:
    everyday, sources = (workspace.corpus(n) for n in ("everyday", "formality"))
    return _assemble_once(everyday, sources, synthetic)


@lru_cache(maxsize=2)
def _assemble_once(
    everyday: Path, sources: Path, synthetic: tuple[Path, ...]
) -> Assembled:
    return formality.assemble(everyday, sources, synthetic=synthetic)


def _gyafc_test(folder: Path, domain: str, to: Style) -> Test:
    rows = gyafc.evaluation(folder, domain, "test", to=to)
    drawn = _draw([row.source for row in rows], MAIN)
    return Test(
        domain,
        to,
        domain,
        tuple(rows[at].source for at in drawn),
        tuple(rows[at].references for at in drawn),
    )


def _test(
    name: str, to: Style, training: str, rows: Sequence[formality.Row], most: int
) -> Test:
    drawn = _draw([row.text for row in rows], most)
    return Test(
        name,
        to,
        training,
        tuple(rows[at].text for at in drawn),
        tuple(rows[at].references for at in drawn),
    )


def _draw(texts: Sequence[str], most: int) -> list[int]:
    """Return the indices of at most so many texts, those with the lowest hashes."""
    order = sorted(
        range(len(texts)), key=lambda at: sha256(texts[at].encode()).hexdigest()
    )
    return sorted(order[:most])
