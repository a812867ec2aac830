"""A neural pack, opened: its engine and settings.

A pack of kind ``neural`` has one model in CTranslate2's format (``model.bin``, its
``config.json`` and vocabulary) and its ``tokenizer.json``. One model may write many
styles, selected by the tag before the text. A folder ``checker`` has the meaning
checker (`candidates.checker`). A pack whose settings have ``through`` first rewrites a
text in that style, as STRAP goes through a neutral paraphrase; if the pack does not
write that style itself, a pack in the same folder must.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates import checker, memorisation, rerank
from paraphrast.neural.candidates.memorisation import TrainingText
from paraphrast.neural.candidates.rerank import Checker
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.generation import Decoding, Prompter, Request, Shape
from paraphrast.neural.styles import KIND
from paraphrast.storage import packs
from paraphrast.storage.ctranslate2_model import check_shapes
from paraphrast.storage.packs import Pack
from paraphrast.text import subwords


@dataclass(frozen=True)
class Settings:
    """The contents of ``config.toml``; ``masked`` packs copy placeholders.

    ``tag`` is put before a text instead of the style's name, in a pack with a style
    learned on top of another pack; ``plain`` is its tag for plain text. Passages of up
    to ``context`` words are read as one text. A rewrite that the pack's checker scores
    below ``meaning``, or below the threshold of its style in ``meaning_by_style``, is
    rejected.
    """

    shape: Shape
    end: str
    tagged: bool = False
    masked: bool = False
    through: str = ""
    tag: str = ""
    plain: str = ""
    context: int = 0
    meaning: float = 0.5
    meaning_by_style: dict[str, float] = field(default_factory=dict)
    decoding: Decoding = field(default_factory=Decoding)
    choosing: rerank.Settings = field(default_factory=rerank.Settings)


@dataclass(frozen=True)
class Step:
    """A model that writes one style; ``tag`` is its tag, if not the name."""

    engine: Int8Engine
    style: str
    tag: str = ""

    def request(self, text: str) -> Request:
        """Return how a text is presented to the model."""
        return Request(text, self.tag or self.style)


@dataclass(frozen=True)
class Model:
    """The steps from a text to a style."""

    steps: tuple[Step, ...]
    settings: Settings
    training_text: TrainingText | None = None
    checker: Checker | None = None  # of meaning

    @property
    def style(self) -> str:
        """Return the style that is written."""
        return self.steps[-1].style

    @property
    def least_meaning(self) -> float:
        """Return the score below which the checker rejects a rewrite."""
        return self.settings.meaning_by_style.get(self.style, self.settings.meaning)

    @property
    def prompter(self) -> Prompter:
        """Return how texts are presented to the first model."""
        return self.steps[0].engine.prompter


def load_pack(folder: Path, style: str, *, threads: int = 1) -> Model:
    """Read a pack and open its model to write ``style``."""
    return open_model(read(folder), style, threads=threads)


def open_model(pack: Pack, style: str, *, threads: int = 1) -> Model:
    """Open a pack's model, preceded by that of an intermediate style, if any."""
    engine, settings = _engine(pack, threads)
    last = Step(engine, style, settings.tag)
    path = pack.folder / memorisation.FILE
    training_text = memorisation.load(path) if path.is_file() else None
    checking = checker.load(pack.folder, pack.sha256, threads)
    through = settings.through
    if not through or through == style:
        return Model((last,), settings, training_text, checking)
    own = through in pack.about.styles
    first = engine if own else _engine(_find_beside(pack, through), threads)[0]
    return Model((Step(first, through), last), settings, training_text, checking)


def read(folder: Path) -> Pack:
    """Read a pack of this kind and verify its files."""
    pack = packs.read(folder)
    pack.require(KIND)
    return pack


def _engine(pack: Pack, threads: int) -> tuple[Int8Engine, Settings]:
    pack.require(KIND)
    settings = pack.settings(Settings)
    form = settings.shape, settings.end, settings.tagged
    return _open(pack.folder, pack.sha256, form, threads), settings


@lru_cache(maxsize=2)
def _open(
    folder: Path,
    sha256: str,
    form: tuple[Shape, str, bool],
    threads: int,
) -> Int8Engine:
    """Return an engine; the styles of one pack share it, until its files change."""
    check_shapes(folder)  # here, and not only when the first text is rewritten
    return Int8Engine(folder, Prompter(subwords.load(folder), *form), threads)


def _find_beside(pack: Pack, style: str) -> Pack:
    for other in packs.list_installed(pack.folder.resolve().parent, kind=KIND):
        if style in other.about.styles:
            return other
    raise ParaphrastError(
        f"{pack.folder} goes through {style!r}, but no pack in the same folder writes "
        "that style. Put the paraphraser's pack there."
    )
