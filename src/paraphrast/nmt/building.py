"""Build a pack from pairs: prepare them, train, quantise to 8 bits, seal.

The same files, settings and seed give the same pack on one machine. An interrupted run
resumes from its last checkpoint; nothing is half-written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from paraphrast.corpora.samples import Sample, show_samples
from paraphrast.errors import explain_lack_of_memory
from paraphrast.nmt import settings, weights
from paraphrast.nmt.beam_search import Search, search
from paraphrast.nmt.clean_up import load_rules
from paraphrast.nmt.inference import Network
from paraphrast.nmt.model import MODEL, Settings
from paraphrast.nmt.preparing import (
    LONGEST,
    Preparation,
    Prepared,
    TextPair,
    prepare,
)
from paraphrast.nmt.styles import KIND
from paraphrast.nmt.surface import prepare_text
from paraphrast.nmt.weights import Weights
from paraphrast.storage import atomic, packs
from paraphrast.storage.packs import About, Data, Pack
from paraphrast.storage.resumable import Parts, fingerprint, identity
from paraphrast.text.spacing import detokenise

if TYPE_CHECKING:
    from paraphrast.neural.finetune.trainer import Report
    from paraphrast.nmt.training.learner import Trained

SUMMARY = "summary.json"
SAMPLES = 5
MEMORY = "Give less text, or a smaller --vocabulary or --hidden."
HELD_OUT = 200  # pairs, where none were given


@dataclass(frozen=True)
class Plan:
    """Settings of a pack; with ``rules``, the rules of the style preprocess sources."""

    architecture: settings.Architecture = field(default_factory=settings.Architecture)
    vocabulary: settings.Vocabulary = field(default_factory=settings.Vocabulary)
    training: settings.Training = field(default_factory=settings.Training)
    search: Search = field(default_factory=Search)
    embeddings: Path | None = None
    longest: int = LONGEST
    rules: bool = False


@dataclass(frozen=True)
class Origin:
    """The files that a pack was made from, and their licences."""

    data: tuple[Data, ...] = ()
    licences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Texts:
    """The training data.

    ``more`` are pairs made by a system; ``pairs`` are repeated ``times`` to balance the
    two, as in the paper. Without ``held_out`` pairs, some are held out.
    """

    pairs: Sequence[TextPair]
    more: Sequence[TextPair] = ()
    held_out: Sequence[TextPair] = ()
    times: int = 1
    origin: Origin = field(default_factory=Origin)


@dataclass(frozen=True)
class Summary:
    """A summary of the training data and result."""

    pairs: int
    held_out: int
    dropped: dict[str, int]
    words: int
    parameters: int
    perplexity: float | None
    history: list[dict[str, float]]
    samples: list[Sample]

    def lines(self) -> Iterator[str]:
        """Yield the summary as lines of text."""
        yield (
            f"{self.pairs:,} pairs, {self.words:,} words in the vocabulary, "
            f"{self.parameters / 1e6:.1f} million weights"
        )
        for reason, number in self.dropped.items():
            yield f"dropped {number:,}: {reason}"
        if self.perplexity is not None:
            held = f"{self.held_out:,} held-out pairs"
            yield f"perplexity {self.perplexity:.2f} on {held}"
        yield from show_samples(self.samples)


@dataclass(frozen=True)
class Built:
    """A new pack, and the summary of its training."""

    pack: Pack
    summary: Summary


def build_pack(
    texts: Texts,
    folder: Path,
    *,
    style: str,
    plan: Plan,
    progress: "Callable[[Report], None] | None" = None,
    resume: bool = False,
    replacing: bool = False,
) -> Built:
    """Train a model and write a pack that rewrites into ``style`` to a new folder."""
    from paraphrast.neural.finetune.trainer import quiet
    from paraphrast.nmt.training import learner

    packs.refuse_taken(folder, replacing=replacing)
    learned, held = _divide(texts, plan.training.seed)
    how = _plan_preparation(plan, style)
    prepared = prepare(learned, held, how)
    made_from = {
        "settings": _list_settings(plan),
        "texts": fingerprint([prepared.data.train, prepared.data.held]),
    }
    with (
        Parts(folder, made_from, resume=resume) as parts,
        explain_lack_of_memory(MEMORY),
    ):
        trained = learner.train(
            prepared.data,
            plan.architecture,
            plan.training,
            parts.folder,
            progress=progress or quiet,
        )
        model = weights.round_weights(
            weights.make_weights(
                plan.architecture, prepared.data.vocabulary, trained.arrays
            )
        )
        samples = _show_samples(model, held, plan, how)
        summary = _summarise(prepared, trained, model, samples)
        pack = write_pack(
            model,
            folder,
            style=style,
            line=f"learned from {len(prepared.data.train):,} pairs of sentences",
            settings=Settings(plan.search, plan.rules),
            origin=texts.origin,
            summary=asdict(summary),
            replacing=replacing,
        )
    return Built(pack, summary)


def _plan_preparation(plan: Plan, style: str) -> Preparation:
    rules = load_rules(style) if plan.rules else None
    return Preparation(
        plan.vocabulary,
        plan.embeddings,
        plan.architecture.embedding,
        plan.longest,
        rules.clean_texts if rules else None,
    )


def _summarise(
    prepared: Prepared, trained: "Trained", model: Weights, samples: list[Sample]
) -> Summary:
    return Summary(
        pairs=len(prepared.data.train),
        held_out=len(prepared.data.held),
        dropped=dict(prepared.dropped),
        words=len(prepared.data.vocabulary),
        parameters=sum(m.values.size for m in model.matrices.values()),
        perplexity=trained.perplexity,
        history=trained.history,
        samples=samples,
    )


def write_pack(
    model: Weights,
    folder: Path,
    *,
    style: str,
    line: str,
    settings: Settings,
    origin: Origin,
    summary: Mapping[str, Any] | None = None,
    replacing: bool = False,
) -> Pack:
    """Seal a rounded model as a pack; ``line`` says what it is."""
    about = About(
        name=folder.name,
        kind=KIND,
        styles={style: line},
        licences=origin.licences,
        data=origin.data,
    )
    with packs.new(folder, replacing=replacing) as filling:
        weights.save(filling / MODEL, model)
        atomic.write_json(filling / SUMMARY, summary or {})
        about = packs.seal(filling, about, asdict(settings))
    return Pack(folder, about)


def _divide(texts: Texts, seed: int) -> tuple[list[TextPair], list[TextPair]]:
    """Return the training pairs, repeated by weight, and the held-out pairs."""
    own, held = list(texts.pairs), list(texts.held_out)
    if not held:
        drawn = set(Random(seed).sample(range(len(own)), min(HELD_OUT, len(own) // 10)))
        held = [own[index] for index in sorted(drawn)]
        sources = {source for source, _ in held}
        own = [pair for pair in own if pair[0] not in sources]
    return own * texts.times + list(texts.more), held


def _list_settings(plan: Plan) -> dict[str, Any]:
    """Return the settings that change the weights."""
    table = asdict(plan) | {"embeddings": None}
    if plan.embeddings is not None:
        table["embeddings"] = identity(plan.embeddings)
    del table["search"], table["training"]["device"]
    return table


def _show_samples(
    model: Weights, held: Sequence[TextPair], plan: Plan, how: Preparation
) -> list[Sample]:
    """Rewrite the first held-out sentences that the model can read."""
    shown = [pair for pair in held if 0 < len(prepare_text(pair[0])) <= how.longest]
    shown = shown[:SAMPLES]
    sources = [source for source, _ in shown]
    cleaned = how.clean_up(sources) if how.clean_up else sources
    words = [prepare_text(source) for source in cleaned]
    outputs = search(Network(model), words, plan.search)
    return [
        Sample(source, detokenise(hypotheses[0].words), target)
        for (source, target), hypotheses in zip(shown, outputs, strict=True)
    ]
