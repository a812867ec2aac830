"""Extract a paraphrase table by any method, from files or corpora of the catalogue.

A text is a file of sentence pairs, in any format of `paraphrast.corpora.formats`, or
``CORPUS:PART`` of the catalogue, such as ``europarl:en-fr``. What a method needs before
it can begin, alignments or trees, is made here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from paraphrast.align import choosing
from paraphrast.align.base import AlignedPair, Aligner, WordPair
from paraphrast.align.formats import read_alignments
from paraphrast.config import build
from paraphrast.corpora import catalogue
from paraphrast.corpora.formats import read_pairs
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.paraphrases import cotraining, pivot, smt
from paraphrast.paraphrases.building import prune
from paraphrast.paraphrases.syntax import acquisition, parser
from paraphrast.paraphrases.table import Table
from paraphrast.text import tokenise

BATCH = 1000


@dataclass(frozen=True)
class Text:
    """Sentence pairs by name; read again on every iteration."""

    name: str
    mirror: Path | None = None

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs in order."""
        corpus, colon, part = self.name.partition(":")
        if colon and not Path(self.name).exists():
            return catalogue.load_pairs(corpus, part, mirror=self.mirror)
        return read_pairs(Path(self.name))


@dataclass(frozen=True)
class Syntax:
    """Settings of the method ``syntax``; see `paraphrast.paraphrases.syntax`."""

    longest: int = acquisition.LONGEST
    minimum: float = 0.01


@dataclass(frozen=True)
class Resources:
    """What extraction needs besides the texts and the method's settings.

    ``aligned`` means that the files are alignments; otherwise ``smt`` aligns with the
    named aligner, a trained ``model``, or the best available one. Statistical aligners
    without a model are trained on the pairs themselves. ``parses`` is a cache file for
    parses.
    """

    tokenized: bool = False
    aligned: bool = False
    using: str | None = None
    model: Path | None = None
    parses: Path | None = None
    processes: int = 1
    folder: Path | None = None


def extract(
    method: str,
    texts: Sequence[Text],
    *,
    settings: Mapping[str, object] | None = None,
    resources: Resources | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Table:
    """Return the table that a method makes of texts.

    ``settings`` are those of the method's ``Settings`` that are not the default;
    ``progress`` is called with the current step.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if not texts:
        raise ParaphrastError("there is nothing to extract from. Give a text.")
    chosen = Work(texts, dict(settings or {}), resources or Resources(), progress)
    return METHODS[method](chosen)


@dataclass(frozen=True)
class Work:
    """One extraction."""

    texts: Sequence[Text]
    settings: dict[str, object]
    resources: Resources
    progress: Callable[[str], None] = field(repr=False)

    def word_pairs(self) -> Iterator[WordPair]:
        """Yield the pairs of all texts in words; those with an empty side are left."""
        cut = str.split if self.resources.tokenized else tokenise
        for pair in chain.from_iterable(self.texts):
            source, target = tuple(cut(pair.source)), tuple(cut(pair.target))
            if source and target:
                yield source, target


def _smt(work: Work) -> Table:
    settings = build(work.settings, smt.Settings, where="smt")
    pairs: Iterable[AlignedPair]
    if work.resources.aligned:
        pairs = chain.from_iterable(
            read_alignments(Path(text.name)) for text in work.texts
        )
    else:
        pairs = _align(work)
    work.progress("counting phrase pairs")
    return smt.extract(pairs, settings=settings, folder=work.resources.folder)


def _align(work: Work) -> Iterator[AlignedPair]:
    using, model = work.resources.using, work.resources.model
    if model is None and using is not None and using not in choosing.READY:
        work.progress(f"training {using}")
        pairs = [AlignedPair(*pair) for pair in work.word_pairs()]
        aligner: Aligner = choosing.family(using).train(pairs)
    else:
        aligner = choosing.load(using, model)
    work.progress("aligning and counting phrase pairs")
    waiting = work.word_pairs()
    while batch := list(islice(waiting, BATCH)):
        for (source, target), links in zip(batch, aligner(batch), strict=True):
            yield AlignedPair(source, target, links)


def _pivot(work: Work) -> Table:
    return pivot.extract(
        work.texts,
        settings=build(work.settings, pivot.Settings, where="pivot"),
        processes=work.resources.processes,
        folder=work.resources.folder,
        progress=work.progress,
    )


def _cotraining(work: Work) -> Table:
    settings = build(work.settings, cotraining.Settings, where="co-training")
    work.progress("learning contexts and paraphrases")
    return cotraining.extract(work.word_pairs(), settings=settings)


def _syntax(work: Work) -> Table:
    """Merge the sentences that are paired with one and the same sentence."""
    settings = build(work.settings, Syntax, where="syntax")
    groups: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for source, target in work.word_pairs():
        groups.setdefault(source, {source: None})[target] = None
    work.progress("parsing")
    sentences = [list(group) for group in groups.values()]
    trees = iter(parser.parse(chain(*sentences), cache=work.resources.parses).trees)
    work.progress("merging trees")
    table = acquisition.acquire(
        ([next(trees) for _ in group] for group in sentences),
        longest=settings.longest,
    )
    return prune(table, minimum=settings.minimum)


METHODS: dict[str, Callable[[Work], Table]] = {
    "co-training": _cotraining,
    "pivot": _pivot,
    "smt": _smt,
    "syntax": _syntax,
}
