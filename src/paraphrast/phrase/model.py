"""A phrase pack, opened: its table, language models, weights and truecaser.

A pack of kind ``phrase`` has the files `TABLE`, one language model for each name in its
settings, `CASING`, `PAIRS` and the summary of its training. All large files are
memory-mapped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from paraphrast.estimators import language_model
from paraphrast.phrase import tuning
from paraphrast.phrase.decoder import FAST, Decoder, Search
from paraphrast.phrase.examples import Examples
from paraphrast.phrase.features import Weights, names
from paraphrast.phrase.rules_first import rewrite_sources
from paraphrast.phrase.styles import KIND
from paraphrast.phrase.surface import TextPair, lowercase, tokens_of
from paraphrast.phrase.table import PhraseTable
from paraphrast.phrase.tuning import Objective, Tuned
from paraphrast.phrase.tuning.objective import Judge, Metric
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack
from paraphrast.text.casing import Truecaser

TABLE = "table"
MODEL = "model-style"
SOURCE = "model-source"
CASING = "casing.txt"
PAIRS = "pairs"
LIST = 100  # candidates per sentence when tuning


@dataclass(frozen=True)
class Settings:
    """The contents of ``config.toml``: the models, the weights and the search settings.

    ``rules`` names the style whose rules rewrite a text first.
    """

    models: tuple[str, ...] = ("style",)
    weights: dict[str, float] = field(default_factory=dict)
    search: Search = field(default_factory=Search)
    rules: str = ""


@dataclass(frozen=True, eq=False)
class Model:
    """Rewrites lower-case tokens; made by `load`."""

    folder: Path
    settings: Settings
    table: PhraseTable
    models: tuple[language_model.LanguageModel, ...]
    truecaser: Truecaser

    @cached_property
    def decoder(self) -> Decoder:
        """Return the decoder over the table and the models."""
        return Decoder(
            self.table,
            dict(zip(self.settings.models, self.models, strict=True)),
            Weights(self.settings.weights),
            self.settings.search,
        )

    @cached_property
    def examples(self) -> Examples:
        """Return the training pairs, needed only for explanations."""
        return Examples.open(self.folder / PAIRS)

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of the features in their order."""
        return self.decoder.features

    def with_closeness(self, closeness: float | None) -> "Model":
        """Return the model with a bonus for unchanged words; ``None``: no change.

        ``closeness`` is in units of the first language model's weight, so that it means
        the same before and after tuning: a bonus of 1 is worth a factor of e in
        probability.
        """
        if closeness is None:
            return self
        weights = dict(zip(self.features, self.decoder.weights.tolist(), strict=True))
        unit = abs(weights[f"model {self.settings.models[0]}"])
        weights["kept"] += closeness * unit
        return replace(self, settings=replace(self.settings, weights=weights))

    def with_search(self, search: Search) -> "Model":
        """Return the model with other search settings."""
        return replace(self, settings=replace(self.settings, search=search))

    def ngrams(self) -> tuple[int, ...]:
        """Return how many n-grams of each order the first model has."""
        orders = self.models[0].about.get("orders", ())
        return tuple(int(order["kept"]) for order in orders)


def load(folder: Path, settings: Settings) -> Model:
    """Open the files in a folder."""
    return Model(
        folder,
        settings,
        PhraseTable.open(folder / TABLE),
        tuple(language_model.load(folder / f"model-{n}") for n in settings.models),
        Truecaser.load(folder / CASING),
    )


def load_pack(folder: Path) -> Model:
    """Open a pack of this kind, ready to decode."""
    pack = packs.read(folder)
    pack.require(KIND)
    model = load(folder, pack.settings(Settings))
    _ = model.decoder
    return model


@dataclass(frozen=True)
class Tuning:
    """Pairs for tuning the weights, and the objective; see `tuning`."""

    pairs: Sequence[TextPair]
    metric: Metric | Judge
    method: str = "mert"
    least_gain: float = 0.0
    tokenised: bool = False

    def __post_init__(self) -> None:
        """Refuse an unknown method."""
        tuning.method(self.method)


def tune_weights(
    model: Model, wanted: Tuning, *, seed: int = 1, threads: int = 1
) -> tuple[dict[str, float], Tuned]:
    """Return the weights that maximise the metric on the tuning pairs.

    N-best lists come from the fast search. The weight of unknown words is fixed, as it
    has no effect. The pack's rules rewrite the sources first.
    """
    quick = model.with_search(FAST)
    pairs = rewrite_sources(wanted.pairs, model.settings.rules)
    sources, targets = (
        [lowercase(tokens_of(pair[side], tokenised=wanted.tokenised)) for pair in pairs]
        for side in (0, 1)
    )
    objective = Objective(
        wanted.metric,
        [" ".join(words) for words in sources],
        [[" ".join(words)] for words in targets],
    )

    def decode(weights: NDArray[np.float64]) -> tuning.Candidates:
        return quick.decoder.candidates(sources, weights, LIST, threads=threads)

    result = tuning.tune(
        decode,
        objective,
        model.decoder.weights,
        method=tuning.method(wanted.method),
        fixed=[model.features.index("unknown")],
        least_gain=wanted.least_gain,
        seed=seed,
    )
    values = dict(zip(model.features, map(float, result.weights), strict=True))
    return values, result


def with_table(pack: Pack, table: PhraseTable, folder: Path) -> Pack:
    """Write a copy of a pack with another phrase table, and the weights that fit it."""
    settings = pack.settings(Settings)
    features = names(settings.models, table.names, reordering=table.has_reordering)
    weights = {name: w for name, w in settings.weights.items() if name in features}
    with TemporaryDirectory() as temporary:
        path = Path(temporary) / TABLE
        table.save(path)
        return packs.update(
            pack,
            folder,
            settings=asdict(replace(settings, weights=weights)),
            added=[path],
        )


def with_weights(pack: Pack, weights: Mapping[str, float], folder: Path) -> Pack:
    """Write a pack with other weights to a folder, perhaps its own."""
    settings = asdict(replace(pack.settings(Settings), weights=dict(weights)))
    return packs.update(pack, folder, settings=settings)
