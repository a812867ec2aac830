"""The catalogue of corpora: contents, licences and locations.

A corpus is a folder of files whose sizes and sha256 are known. It comes from a mirror
(a folder laid out like ours, given by the user) or from the cache, which
`paraphrast.corpora.catalogue.fetching` fills from the public addresses. Files are
verified once per process, before anything is read from them.
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache as remembered
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Literal, cast

from paraphrast import config
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage.download import find_difference

DEFAULT_CACHE = Path("~/.cache/paraphrast/corpora")
CHECKOUT = (
    Path(__file__).parents[4] / "corpora"
)  # what wheels carry as corpora/included


@dataclass(frozen=True, slots=True)
class File:
    """A file of a corpus; ``path`` is relative to the mirror or the cache.

    A derived file has no ``address``.
    """

    path: str
    bytes: int
    sha256: str
    address: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What the catalogue knows of a corpus; corpora.toml explains ``access``."""

    name: str
    title: str
    about: str
    access: Literal["included", "public", "mirror", "own"]
    folder: str
    licence: str
    citation: str
    address: str
    loader: str
    pairs: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    derived: str = ""
    ask: str = ""
    notes: str = ""

    @property
    def files(self) -> tuple[File, ...]:
        """Return the files whose sizes and sha256 are known."""
        return _files().get(self.name, ())

    @property
    def bytes(self) -> int:
        """Return the size of all files."""
        return sum(file.bytes for file in self.files)


def names() -> list[str]:
    """List the corpora of the catalogue."""
    return sorted(_entries())


def entry(name: str) -> Entry:
    """Return what is known of one corpus."""
    if name not in _entries():
        raise unknown("corpus", name, names())
    return _entries()[name]


def locate(name: str, *, mirror: Path | None = None, cache: Path | None = None) -> Path:
    """Return the folder of a corpus, its files verified."""
    corpus = entry(name)
    if corpus.access == "own":
        raise ParaphrastError(
            f"{name} cannot be distributed with paraphrast: {corpus.ask} "
            f"({corpus.address}). Its loader, {corpus.loader}, reads your own files."
        )
    root = _root(corpus, mirror, cache)
    missing = [file for file in corpus.files if not (root / file.path).is_file()]
    if missing and corpus.access == "included":
        raise ParaphrastError(
            f"{name} comes with paraphrast, but {root} lacks {missing[0].path}. "
            "Reinstall paraphrast."
        )
    if missing and mirror:
        raise ParaphrastError(
            f"mirror {mirror} lacks {missing[0].path} of {name}. "
            "Check that it is laid out like files.tsv of the catalogue."
        )
    if missing:
        raise ParaphrastError(f"{name} is not in {root}. {explain_access(corpus)}")
    _verify(name, root)
    return root / corpus.folder


def locate_all(
    names: Iterable[str], *, mirror: Path | None = None
) -> tuple[dict[str, Path], dict[str, str]]:
    """Return the folders of the available corpora, and why the others are missing."""
    folders, missing = {}, {}
    for name in names:
        entry(name)  # an unknown name is the user's mistake
        try:
            folders[name] = locate(name, mirror=mirror)
        except ParaphrastError as error:
            missing[name] = str(error)
    return folders, missing


def is_here(
    corpus: Entry, *, mirror: Path | None = None, cache: Path | None = None
) -> bool:
    """Say whether all files of a corpus are in the mirror or the cache."""
    root = _root(corpus, mirror, cache)
    return bool(corpus.files) and all(
        (root / file.path).is_file() for file in corpus.files
    )


def explain_access(corpus: Entry) -> str:
    """Say in a sentence how to get a corpus that is missing."""
    if corpus.access == "included":
        return "It comes with paraphrast."
    mirror = "set PARAPHRAST_MIRROR (or --mirror) to a folder that contains it"
    if corpus.access == "public":
        return f"Run `paraphrast corpora fetch {corpus.name}`, or {mirror}."
    return (
        f"Its files were derived from {corpus.address} and can only come from a "
        f"mirror: {mirror}."
    )


def load_pairs(
    name: str, split: str, *, mirror: Path | None = None, cache: Path | None = None
) -> Iterator[Pair]:
    """Yield the pairs of a part of a corpus; the entry's ``pairs`` name the parts."""
    return cast(Iterator[Pair], _load(name, split, "pairs", mirror, cache))


def load_texts(
    name: str, split: str, *, mirror: Path | None = None, cache: Path | None = None
) -> Iterator[str]:
    """Yield the texts of a part of a corpus; the entry's ``texts`` name the parts."""
    return cast(Iterator[str], _load(name, split, "texts", mirror, cache))


def verify(file: File, path: Path) -> None:
    """Refuse a copy of a file that differs from the catalogue."""
    problem = find_difference(path, file.sha256)
    if problem:
        raise ParaphrastError(
            f"{path}: {problem} as in the catalogue. The copy is damaged or from "
            "another version: fetch it again."
        )


def _load(
    name: str, split: str, kind: str, mirror: Path | None, cache: Path | None
) -> Any:
    corpus = entry(name)
    if not getattr(corpus, kind):
        raise ParaphrastError(
            f"{name} has no {kind} to load as such. See {corpus.loader}."
        )
    folder = locate(name, mirror=mirror, cache=cache)
    load = getattr(import_module(corpus.loader), f"{kind}_of")
    return load(folder, name, split)


def _root(corpus: Entry, mirror: Path | None, cache: Path | None) -> Path:
    if corpus.access == "included":
        installed = Path(__file__).parents[1] / "included"
        return installed if installed.is_dir() else CHECKOUT
    return mirror or (cache or DEFAULT_CACHE).expanduser()


@remembered
def _verify(name: str, root: Path) -> None:
    for file in entry(name).files:
        verify(file, root / file.path)


@remembered
def _entries() -> dict[str, Entry]:
    text = resources.files(__name__).joinpath("corpora.toml").read_text("utf-8")
    return {
        name: config.build(
            {"name": name, **table}, Entry, where=f"corpora.toml: {name}"
        )
        for name, table in tomllib.loads(text).items()
    }


@remembered
def _files() -> dict[str, tuple[File, ...]]:
    text = resources.files(__name__).joinpath("files.tsv").read_text("utf-8")
    files: dict[str, tuple[File, ...]] = {}
    for line in text.removesuffix("\n").split("\n")[1:]:
        corpus, path, size, sha256, address = line.split("\t")
        file = File(path, int(size), sha256, address)
        files[corpus] = (*files.get(corpus, ()), file)
    return files
