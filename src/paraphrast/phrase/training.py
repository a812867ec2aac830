"""Train a pack from two parallel texts.

The steps, each of which calls ``progress`` with its name before it starts:

1. clean and tokenise the pairs (`parallel_text`)
2. link their words with each aligner
3. extract and score phrase pairs (`extraction`, `scoring`)
4. estimate a language model of the target side and of further text in its style
5. learn capitals, and keep the pairs to show where a phrase comes from
6. tune the weights on pairs that were held out, if there are some
7. summarise the training, with rewrites of held-out pairs

The same texts, settings and seed give the same pack. An interrupted run resumes from
its finished parts; nothing is half-written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from paraphrast import rules
from paraphrast.align import choosing
from paraphrast.align.base import WordPair
from paraphrast.align.symmetrisation import METHODS
from paraphrast.corpora.samples import Sample
from paraphrast.errors import ParaphrastError, explain_lack_of_memory, unknown
from paraphrast.estimators import language_model
from paraphrast.phrase import (
    coded_corpus,
    examples,
    extraction,
    model,
    parallel_text,
    pruning,
    rules_first,
    scoring,
    summary,
)
from paraphrast.phrase.coded_corpus import CodedLinks, Corpus
from paraphrast.phrase.decoder import Search
from paraphrast.phrase.model import CASING, MODEL, PAIRS, SOURCE, TABLE, Model, Tuning
from paraphrast.phrase.parallel_text import Cleaning, ParallelText
from paraphrast.phrase.styles import KIND
from paraphrast.phrase.summary import Summary
from paraphrast.phrase.surface import TextPair, lowercase, tokens_of
from paraphrast.phrase.table import PhraseTable
from paraphrast.storage import arrays as array_file
from paraphrast.storage import packs
from paraphrast.storage.arrays import Arrays
from paraphrast.storage.packs import About, Data, Pack
from paraphrast.storage.resumable import Parts, fingerprint
from paraphrast.text.casing import Truecaser
from paraphrast.text.spacing import detokenise

Progress: TypeAlias = Callable[[str], None]

LINKS = array_file.Kind("word links", 1, "Leave out --resume to start over.")
CONTRAST, CONTRAST_WEIGHT = "model source", -0.1  # before tuning
CONTRAST_ORDER = 3  # the source side is known well enough by three words
MEMORY = "Give less text, shorter phrases (--longest) or a lower --order."
FEWEST_TO_PART = 50  # smaller texts are too precious to hold pairs out


@dataclass(frozen=True)
class Settings:
    """Training settings; with several ``aligners``, their phrase pairs are summed.

    With ``contrast`` there is also a language model of the source side with a negative
    weight: together with that of the target side, a likelihood ratio. ``held_out``
    pairs are shown in the summary instead of being used in training. ``tokenised``
    texts are split at spaces. ``rules`` names the style whose rules rewrite every
    source first, in training and rewriting; ``search`` has the pack's search settings.
    """

    aligners: tuple[str, ...] = ("fast-align",)
    symmetrisation: str = "grow-diag-final-and"
    cleaning: Cleaning = field(default_factory=Cleaning)
    phrases: extraction.Settings = field(default_factory=extraction.Settings)
    smoothing: scoring.Smoothing = "good-turing"
    significance: pruning.Threshold | None = None
    most_options: int = 50
    ngrams: language_model.Settings = field(default_factory=language_model.Settings)
    contrast: bool = False
    held_out: int = 5
    tokenised: bool = False
    rules: str = ""
    search: Search = field(default_factory=Search)
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse unknown names before training starts."""
        if self.rules and self.rules not in rules.family.styles():
            raise unknown("style of the rules", self.rules, rules.family.styles())
        if self.symmetrisation not in METHODS:
            raise unknown("symmetrisation", self.symmetrisation, METHODS)
        if not self.aligners:
            raise ParaphrastError("no aligner was given. Name one, such as fast-align.")
        for name in self.aligners:
            choosing.family(name)


@dataclass(frozen=True)
class Texts:
    """The training data: pairs, and more text in the style of their targets."""

    pairs: Sequence[TextPair]
    style: Sequence[str] = ()
    data: Sequence[Data] = ()
    licences: Sequence[str] = ()


@dataclass(frozen=True)
class Trained:
    """A new pack, and the summary of its training."""

    pack: Pack
    summary: Summary


def quiet(step: str) -> None:
    """Show no progress."""


def train(
    texts: Texts,
    folder: Path,
    *,
    style: str,
    settings: Settings | None = None,
    tuning: Tuning | None = None,
    progress: Progress = quiet,
    resume: bool = False,
    replacing: bool = False,
) -> Trained:
    """Write a pack that rewrites into ``style`` to a new folder."""
    chosen = settings or Settings()
    packs.refuse_taken(folder, replacing=replacing)
    progress("cleaning")
    text, held, extra = _prepare(texts, chosen)
    made_from = {
        "settings": asdict(chosen),
        "texts": fingerprint([text.sources, text.targets, extra]),
    }
    with (
        Parts(folder, made_from, resume=resume) as parts,
        explain_lack_of_memory(MEMORY),
    ):
        corpus, links = _make_parts(parts, chosen, text, extra, progress)
        weights, note = _tune(parts.folder, chosen, tuning, progress)
        progress("summing up")
        opened = _model_settings(chosen, weights)
        loaded = model.load(parts.folder, opened)
        result = Summary(
            pairs=len(text),
            dropped=dict(text.dropped),
            style_sentences=len(extra),
            source_words=len(corpus.source.words),
            target_words=len(corpus.target.words),
            phrases=loaded.table.phrases,
            options=len(loaded.table),
            ngrams=loaded.ngrams(),
            changed=summary.changed_words(corpus, links),
            samples=_samples(loaded, _show_pairs(held, tuning, chosen)),
            tuning=note,
        )
        result.save(parts.folder / summary.FILE)
        about = About(
            name=folder.name,
            kind=KIND,
            styles={style: f"learned from {len(text):,} pairs of sentences"},
            licences=tuple(texts.licences),
            data=tuple(texts.data),
        )
        return Trained(_write_pack(parts, folder, about, opened, replacing), result)


def settings(
    *,
    aligners: Sequence[str] | None = None,
    longest: int | None = None,
    order: int | None = None,
    **others: Any,
) -> Settings:
    """Return settings with defaults in place of ``None``."""
    given = {name: value for name, value in others.items() if value is not None}
    if aligners:
        given["aligners"] = tuple(aligners)
    if longest is not None:
        given["phrases"] = extraction.Settings(longest=longest)
    if order is not None:
        given["ngrams"] = language_model.Settings(order=order)
    return Settings(**given)


def steps(settings: Settings, *, tuning: bool) -> int:
    """Return how many steps `train` takes."""
    return 5 + len(settings.aligners) + tuning


def _prepare(
    texts: Texts, settings: Settings
) -> tuple[ParallelText, ParallelText, list[list[str]]]:
    """Return the training pairs, the held-out pairs, and more text in the style."""
    text, held = _split_held_out(
        parallel_text.prepare_pairs(
            rules_first.rewrite_sources(texts.pairs, settings.rules),
            settings.cleaning,
            tokenised=settings.tokenised,
        ),
        settings,
    )
    lines = (tokens_of(line, tokenised=settings.tokenised) for line in texts.style)
    return text, held, [tokens for tokens in lines if tokens]


def _split_held_out(
    text: ParallelText, settings: Settings
) -> tuple[ParallelText, ParallelText]:
    number = settings.held_out if len(text) >= FEWEST_TO_PART else 0
    return text.split_off(min(number, len(text) // 10), settings.seed)


def _make_parts(
    parts: Parts,
    settings: Settings,
    text: ParallelText,
    extra: list[list[str]],
    progress: Progress,
) -> tuple[Corpus, CodedLinks]:
    """Write the parts of a pack one by one, unless they exist already."""
    pairs = text.lowercase_pairs()
    corpus = coded_corpus.encode_pairs(pairs)
    links = _link_words(parts, settings, pairs, corpus, progress)
    progress("extracting phrases")
    parts.make(TABLE, lambda path: _make_table(corpus, links, settings).save(path))
    progress("estimating the language model")
    parts.make(MODEL, lambda path: _style_model(pairs, extra, settings).save(path))
    if settings.contrast:
        parts.make(SOURCE, lambda path: _source_model(pairs, settings).save(path))
    progress("learning capitals")
    parts.make(CASING, Truecaser.train([*text.targets, *extra]).save)
    parts.make(PAIRS, examples.pack_examples(pairs).save)
    return corpus, links


def _link_words(
    parts: Parts,
    settings: Settings,
    pairs: Sequence[WordPair],
    corpus: Corpus,
    progress: Progress,
) -> CodedLinks:
    result = []
    for name in settings.aligners:
        progress(f"aligning with {name}")

        def make(path: Path, name: str = name) -> None:
            links = parallel_text.align_pairs(
                pairs,
                using=name,
                symmetrisation=settings.symmetrisation,
                seed=settings.seed,
            )
            coded = coded_corpus.encode_links(corpus, [links])
            arrays: Arrays = {"cells": coded.cells, "starts": coded.starts}
            array_file.write(path, LINKS, arrays, {})

        path = parts.make(f"links-{name}", make)
        arrays, _ = array_file.read(path, LINKS)
        result.append(CodedLinks(arrays["cells"], arrays["starts"]))
    return _join_links(result)


def _make_table(corpus: Corpus, links: CodedLinks, settings: Settings) -> PhraseTable:
    result = extraction.extract(corpus, links, settings=settings.phrases)
    table = scoring.score(corpus, links, result, smoothing=settings.smoothing)
    if settings.significance is not None:
        table = pruning.significant(table, corpus, threshold=settings.significance)
    return pruning.limit_options(table, settings.most_options)


def _style_model(
    pairs: Sequence[WordPair], extra: list[list[str]], settings: Settings
) -> language_model.LanguageModel:
    # Two translations of a play share its lines, and the further text may well
    # hold them too: a line that is only repeated by us must not count twice.
    further = [" ".join(lowercase(tokens)) for tokens in extra]
    targets = dict.fromkeys(" ".join(target) for _, target in pairs)
    for line in further:
        targets.pop(line, None)
    return language_model.train([*targets, *further], settings.ngrams)


def _source_model(
    pairs: Sequence[WordPair], settings: Settings
) -> language_model.LanguageModel:
    order = min(CONTRAST_ORDER, settings.ngrams.order)
    ngrams = replace(settings.ngrams, order=order)
    return language_model.train((" ".join(source) for source, _ in pairs), ngrams)


def _show_pairs(
    held: ParallelText, tuning: Tuning | None, settings: Settings
) -> ParallelText:
    """Return pairs not used in training, for samples: held-out or tuning pairs."""
    if len(held) or tuning is None:
        return held
    pairs = rules_first.rewrite_sources(tuning.pairs, settings.rules)
    text = parallel_text.prepare_pairs(pairs, tokenised=tuning.tokenised)
    return text.split_off(min(settings.held_out, len(text)), settings.seed)[1]


def _model_settings(settings: Settings, weights: Mapping[str, float]) -> model.Settings:
    models = ("style", "source") if settings.contrast else ("style",)
    return model.Settings(models, dict(weights), settings.search, settings.rules)


def _samples(loaded: Model, held: ParallelText) -> tuple[Sample, ...]:
    outputs = loaded.decoder.decode([lowercase(tokens) for tokens in held.sources])
    return tuple(
        Sample(
            detokenise(source),
            detokenise(loaded.truecaser.restore(output.words)),
            detokenise(target),
        )
        for source, target, output in zip(
            held.sources, held.targets, outputs, strict=True
        )
    )


def _join_links(links: Sequence[CodedLinks]) -> CodedLinks:
    """Concatenate the links of several aligners."""
    starts, total = [np.zeros(1, np.int64)], 0
    for part in links:
        starts.append(part.starts[1:] + total)
        total += len(part.cells)
    cells = np.concatenate([part.cells for part in links])
    return CodedLinks(cells, np.concatenate(starts))


def _tune(
    folder: Path, settings: Settings, tuning: Tuning | None, progress: Progress
) -> tuple[dict[str, float], str]:
    first = {CONTRAST: CONTRAST_WEIGHT} if settings.contrast else {}
    if tuning is None:
        return first, ""
    progress("tuning")
    loaded = model.load(folder, _model_settings(settings, first))
    weights, result = model.tune_weights(loaded, tuning, seed=settings.seed)
    return weights, result.summary()


def _write_pack(
    parts: Parts,
    folder: Path,
    about: About,
    settings: model.Settings,
    replacing: bool,
) -> Pack:
    models = [f"model-{name}" for name in settings.models]
    with packs.new(folder, replacing=replacing) as filling:
        for name in (TABLE, *models, CASING, PAIRS, summary.FILE):
            (parts.folder / name).replace(filling / name)
        about = packs.seal(filling, about, asdict(settings))
    return Pack(folder, about)
