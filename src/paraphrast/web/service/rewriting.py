"""A server's rewriting, rating and aligning: models are loaded once and shared.

Rewriters are loaded as on the command line (`rewriting.offers`), ratings are by the
small judge, alignments by the best installed aligner.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from paraphrast import __version__
from paraphrast.align.base import AlignedPair, Preference
from paraphrast.align.rows import Row, align_rows
from paraphrast.errors import ParaphrastError
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.ratings import Rating, Score, rate_with
from paraphrast.study.rating import open_judge
from paraphrast.text import tokenise
from paraphrast.web.service.aligning import open_aligner, warm_up
from paraphrast.web.service.batcher import BatchedRewriter, Batcher
from paraphrast.web.settings import Settings

_log = logging.getLogger(__name__)

WARM_UP = "We will be late."
MOST_LOADED = 64  # combinations of style, rewriter and strength


@dataclass(frozen=True)
class Loaded:
    """A rewriter of one style, and its origin."""

    rewriter: DocumentRewriter
    pack: str | None
    sha256: str | None

    def signature(self, **settings: object) -> str:
        """Return what determines a rewrite."""
        own = {"style": self.rewriter.style, "rewriter": self.rewriter.family}
        about = {"pack": self.sha256 or "none", "paraphrast": __version__}
        table = own | settings | about
        return "|".join(["rewrite", *(f"{k}:{v}" for k, v in table.items())])


@dataclass(frozen=True)
class Progress:
    """The number of loaded styles, and of all; ``why`` says why loading has failed."""

    loaded: int = 0
    styles: int = 0
    ready: bool = False
    why: str = ""


class Service:
    """The models of a server; safe to use from many threads."""

    def __init__(self, settings: Settings) -> None:
        """Start without models; each is loaded on first use."""
        self.settings = settings
        self.batcher = Batcher()
        self._loading = threading.Lock()
        self._judging = threading.Lock()
        self._load = lru_cache(maxsize=MOST_LOADED)(self._load_anew)
        self._judge: Callable[[], tuple[Score, Sequence[str]]] = lru_cache(open_judge)
        self.progress = Progress()
        self._closing = False
        self._preloading: threading.Thread | None = None

    def start(self) -> None:
        """Start loading models in the background."""
        self._preloading = threading.Thread(target=self._preload, name="preload")
        self._preloading.start()

    def _preload(self) -> None:
        try:
            self.preload()
        # Nobody waits for this thread: what ends it must be said to whoever asks.
        except Exception as error:  # noqa: BLE001
            _log.error("models cannot be loaded: %s", error)
            why = "models cannot be loaded; the server's log says why."
            self.progress = replace(self.progress, why=why)

    def close(self) -> None:
        """Stop rewriting, and loading models."""
        self._closing = True
        if self._preloading is not None:
            self._preloading.join()
        self.batcher.close()

    def styles(self) -> list[offers.Style]:
        """List the available target styles."""
        return offers.styles(self.settings.packs)

    def rewriters(self) -> list[offers.Offer]:
        """List the installed rewriters."""
        return offers.rewriters(self.settings.packs)

    def preload(self) -> None:
        """Load the default rewriter of every style that has one, and the aligner.

        A model is read only on first use, so one rewriter of each pack rewrites
        something.
        """
        styles = offers.default_styles(self.settings.packs)
        asked: set[tuple[str, str | None]] = set()
        for count, style in enumerate(styles):
            self.progress = Progress(count, len(styles))
            if self._closing:
                return
            try:
                loaded = self.load(style)
                model = loaded.rewriter.family, loaded.sha256
                if model not in asked:
                    asked.add(model)
                    loaded.rewriter.rewrite(WARM_UP)
            except ParaphrastError as error:  # one broken pack must not stop the rest
                _log.warning("%s", error)
        warm_up()
        self.progress = Progress(len(styles), len(styles), ready=True)

    def load(
        self, style: str, *, using: str | None = None, strength: float | None = None
    ) -> Loaded:
        """Return a rewriter whose sentences share batches with other requests'."""
        with self._loading:
            return self._load(style, using, strength)

    def _load_anew(
        self, style: str, using: str | None, strength: float | None
    ) -> Loaded:
        home = self.settings.packs
        loaded = offers.load(style, using=using, home=home)
        pack = offers.find_pack(loaded, home=home)
        if strength is not None:
            loaded = loaded.adjusted(strength=strength)
        key = style, loaded.family, strength
        batched = BatchedRewriter(loaded.rewriter, self.batcher, key)
        return Loaded(
            replace(loaded, rewriter=batched),
            pack.about.name if pack else None,
            pack.sha256 if pack else None,
        )

    def rate(self, loaded: Loaded, source: str, texts: Sequence[str]) -> list[Rating]:
        """Return the small judge's ratings of rewrites of a source."""
        batched = loaded.rewriter.rewriter
        rewriter = batched.rewriter if isinstance(batched, BatchedRewriter) else batched
        with self._judging:
            score, styles = self._judge()
            rate = rate_with(score, styles, rewriter, loaded.rewriter.style)
            return rate(source, texts)

    def score(
        self, sources: Sequence[str], texts: Sequence[str], *, style: str
    ) -> list[Rating]:
        """Return the small judge's ratings of texts against their sources."""
        with self._judging:
            score, styles = self._judge()
            return score(sources, texts, style=style)

    def judged_styles(self) -> Sequence[str]:
        """List the styles that the judge knows."""
        with self._judging:
            return self._judge()[1]

    def align(
        self, pairs: Sequence[tuple[str, str]], *, prefer: Preference = "precision"
    ) -> list[dict[str, Any]]:
        """Return the words of text pairs, and the links between them.

        A pair that cannot be aligned has no links, and the reason in ``error``.
        """
        rows = [_make_row(source, target) for source, target in pairs]
        with open_aligner(prefer) as aligner:
            return [record for _, record in align_rows(rows, aligner)]


def _make_row(source: str, target: str) -> Row:
    words = tuple(tokenise(source)), tuple(tokenise(target))
    return Row(AlignedPair(*words), "", 0, "" if all(words) else "a side is empty")
