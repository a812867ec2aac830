"""XU12 in full: every system of the paper trained, tuned and scored anew, and our best.

Text is prepared once for all: quotes straightened, tokenised as Moses does, in lower
case. Romeo and Juliet is held out everywhere; the 510 test lines are decoded and
scored, and nothing is chosen by them. Weights are tuned on the paper's development
lines (Romeo and Juliet without the test lines, from both study guides). The 1,462
lines contain those, so that for them weights are tuned on Twelfth Night, without its
lines in the language model.

The paper's video captions are not public; captions of pictures stand for them. The
outputs of Moses were made from text prepared in the same way.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path

from paraphrast.align.base import Link
from paraphrast.comparison.significance import paired_bootstrap
from paraphrast.corpora import catalogue
from paraphrast.corpora.loaders import paraphrases, plays
from paraphrast.estimators import language_model
from paraphrast.estimators.charts import Point
from paraphrast.estimators.language_model import LanguageModel
from paraphrast.metrics import Segment, score
from paraphrast.metrics.base import Metric
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.style_scores import (
    StyleModel,
    StyleScore,
    train_cosine,
    train_logistic,
)
from paraphrast.metrics.style_scores import train_language_model as train_style_model
from paraphrast.phrase import model, training
from paraphrast.phrase.coded_corpus import Alignment, encode_links, encode_pairs
from paraphrast.phrase.decoder import FAST, Decoder
from paraphrast.phrase.extraction import extract
from paraphrast.phrase.features import Weights
from paraphrast.phrase.parallel_text import align_pairs
from paraphrast.phrase.pruning import significant
from paraphrast.phrase.scoring import score as scored
from paraphrast.phrase.surface import lowercase, tokens_of
from paraphrast.phrase.table import PhraseTable
from paraphrast.phrase.tuning import Objective, tune
from paraphrast.reproduce import Value, Workspace
from paraphrast.rewriting.offers import load_pack
from paraphrast.storage.packs import Data
from paraphrast.text.normalisation import join_apostrophes
from recipes.charts import scatter

from . import dictionary

SEED = 1
CANDIDATES = 100
HELD_OUT = ("romeojuliet", "romeo-and-juliet")
BLEU = Bleu(tokenize="none", smoothing="none")
PINC = Pinc(convention="xu12")
# Captions of a picture stand for captions of a video where they share these words.
ALIKE = 0.6
# Table 4 in the paper's order: the phrase table, the language model, and MERT or not.
SYSTEMS = {
    "16and7plays_36LM": ("16and7plays", "36LM", False),
    "16and7plays_36LM_mert": ("16and7plays", "36LM", True),
    "16and7plays_16LM": ("16and7plays", "16LM", False),
    "16and7plays_16LM_mert": ("16and7plays", "16LM", True),
    "16plays_36LM": ("16plays", "36LM", False),
    "16plays_36LM_mert": ("16plays", "36LM", True),
    "video_corpus_baseline": ("video", "36LM", False),
    "dictionary": ("dictionary", "36LM", False),
}
# Figure 4: into modern English, with a language model of the modern side.
SWAPPED = {
    "16plays": ("16plays", "modern", False),
    "16plays_mert": ("16plays", "modern", True),
    "video_corpus_baseline": ("video", "modern", False),
    "dictionary": ("dictionary", "modern", False),
}
MOSES = {"16plays_36LM": "to-shakespeare", "16plays_36LM_mert": "to-shakespeare.mert"}
# Our best, as the development lines have it (tuning on one half, scoring the other):
# smoothed counts, significant phrase pairs, five-grams, and against an output that
# stays modern a language model of the modern side. The way back omits the last.
BEST = training.Settings(
    smoothing="good-turing",
    significance="alpha-epsilon",
    most_options=20,
    ngrams=language_model.Settings(order=5),
    contrast=True,
)
BEST_MODERN = training.Settings(
    smoothing="good-turing",
    most_options=20,
    ngrams=language_model.Settings(order=5),
)
CLOSENESS = (-0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.8, 1.6)
EXAMPLES = {
    "shakespeare": (
        "I can't believe you killed my friend.",
        "Please help me, father!",
        "Do you think he will come back tomorrow?",
        "Where are you going so early in the morning?",
        "I'll tell you everything I know about her.",
        "Shut up and listen to me, you fool.",
        "He was honest, but nobody trusted him.",
        "Goodbye, my friends. I hope we meet again soon.",
    ),
    "modern": (
        "Thou art a villain, and I know thee well.",
        "Whither goest thou, good cousin?",
        "I prithee, speak no more of this matter.",
        "Hath he not told thee what he saw yesternight?",
        "Methinks the lady doth weep.",
        "Fare thee well; I shall return ere the morning.",
        "What wouldst thou have me do?",
        "He hath slain my kinsman, and he shall die for it.",
    ),
}

Words = tuple[str, ...]
WordPairs = list[tuple[Words, Words]]
TextPairs = list[tuple[str, str]]


class Study:
    """The texts, tables and models of the paper, each made once when it is needed."""

    def __init__(self, workspace: Workspace) -> None:
        """Take the corpora; ``swapped`` is into modern English."""
        self.workspace = workspace
        self.folder = workspace.corpus("xu12")
        self.table = cache(self._table)
        self.model = cache(self._model)
        self.links = cache(self._links)
        self.pairs = cache(self._pairs)
        self.decoder = cache(self._decoder)

    @cached_property
    def lines(self) -> list[plays.Line]:
        """Return the 510 test lines, tokenised."""
        return plays.romeo_and_juliet(self.folder, form="tokenised")

    @cached_property
    def development(self) -> WordPairs:
        """Return the paper's development lines."""
        return prepare_pairs(
            (pair.source, pair.target)
            for pair in plays.pairs_of(self.folder, "xu12", "tuning")
        )

    def development_of(self, guide: plays.Guide) -> TextPairs:
        """Return the development lines from one study guide, tokenised."""
        return join_pairs(
            prepare_pairs(
                (pair.source, pair.target)
                for pair in plays.development(self.folder, guide)
            )
        )

    @cached_property
    def plays_text(self) -> list[str]:
        """Return the text of the 36 plays, one sentence per line."""
        result = plays.texts_of(self.folder, "xu12", "plays")
        return [line for text in result if (line := " ".join(words(text)))]

    def raw_pairs(self, name: str) -> TextPairs:
        """Return the pairs behind a table, modern first, as they are published."""
        if name == "video":
            captions = paraphrases.captions(self.workspace.corpus("captions"))
            return [
                (one, two)
                for five in captions
                for one, two in combinations(five, 2)
                if shared_words(one, two) >= ALIKE
            ]
        guides: tuple[plays.Guide, ...] = ("sparknotes", "enotes")
        return [
            (pair.source, pair.target)
            for guide in (guides if name == "16and7plays" else guides[:1])
            for play in plays.plays(self.folder, guide)
            if play not in HELD_OUT
            for pair in plays.read_aligned(self.folder, guide, play)
        ]

    def _pairs(self, name: str) -> WordPairs:
        return prepare_pairs(self.raw_pairs(name))

    def _links(self, name: str) -> Alignment:
        return align_pairs(
            self.pairs(name),
            using="fast-align",
            symmetrisation="grow-diag-final-and",
            seed=SEED,
        )

    def _table(self, name: str, swapped: bool) -> PhraseTable:
        if name == "dictionary":
            return self._dictionary(swapped)
        pairs, links = self.pairs(name), self.links(name)
        if swapped:
            pairs = swap_sides(pairs)
            links = [[Link(link.target, link.source) for link in row] for row in links]
        corpus = encode_pairs(pairs)
        result = encode_links(corpus, [links])
        table = scored(corpus, result, extract(corpus, result))
        # Captions are loose paraphrases: phrase pairs seen once are mostly chance.
        if name == "video":
            return significant(table, corpus, threshold="alpha+epsilon")
        return table

    def _dictionary(self, swapped: bool) -> PhraseTable:
        entries = [
            (tuple(words(pair.source)), tuple(words(pair.target)))
            for pair in plays.dictionary(self.folder)
        ]
        if swapped:
            entries = [(target, source) for source, target in entries]
        ngrams = self.model("modern" if swapped else "36LM")
        # The paper's own table gives a phrase the probability of its last word.
        return dictionary.by_frequency(entries, ngrams, measure="last word")

    def _model(self, name: str) -> LanguageModel:
        side = {"modern": 0, "16LM": 1}
        if name in side:
            text = [" ".join(pair[side[name]]) for pair in self.pairs("16plays")]
        else:
            text = self.plays_text
        return language_model.train(text, language_model.Settings(order=3))

    def _decoder(self, table: str, name: str, tuned: bool, swapped: bool) -> Decoder:
        result, models = self.table(table, swapped), {name: self.model(name)}
        if not tuned:
            return Decoder(result, models)
        pairs = swap_sides(self.development) if swapped else self.development
        quick = Decoder(result, models, search=FAST)
        return Decoder(result, models, Weights(tuned_weights(quick, pairs)))

    def decode(
        self, system: tuple[str, str, bool], texts: Sequence[str], *, swapped: bool
    ) -> list[str]:
        """Return a system's outputs for tokenised lines."""
        decoder = self.decoder(*system, swapped)
        return [" ".join(h.words) for h in decoder.decode([t.split() for t in texts])]


def words(text: str) -> list[str]:
    return lowercase(tokens_of(text))


def prepare_pairs(pairs: Iterable[tuple[str, str]]) -> WordPairs:
    both = ((tuple(words(source)), tuple(words(target))) for source, target in pairs)
    return [pair for pair in both if all(pair)]


def shared_words(one: str, two: str) -> float:
    """Return the F1 of two texts' sets of words."""
    first, second = set(words(one)), set(words(two))
    return 2 * len(first & second) / max(len(first) + len(second), 1)


def swap_sides(pairs: WordPairs) -> WordPairs:
    return [(target, source) for source, target in pairs]


def tuned_weights(decoder: Decoder, pairs: WordPairs) -> dict[str, float]:
    """Return the weights that MERT finds for BLEU."""
    sources = [source for source, _ in pairs]
    objective = Objective(
        BLEU,
        [" ".join(source) for source in sources],
        [[" ".join(target)] for _, target in pairs],
    )
    result = tune(
        lambda weights: decoder.candidates(sources, weights, CANDIDATES),
        objective,
        decoder.weights,
        fixed=[decoder.features.index(name) for name in ("unknown", "kept")],
        seed=SEED,
    )
    return dict(zip(decoder.features, result.weights, strict=True))


@cache
def study(folder: Path) -> Study:
    return Study(_WORKSPACES[folder])


_WORKSPACES: dict[Path, Workspace] = {}


def of(workspace: Workspace) -> Study:
    """Return the study of a workspace; all steps share it."""
    _WORKSPACES[workspace.folder] = workspace
    return study(workspace.folder)


def measure_rows(
    name: str, metric: Metric, rows: Sequence[Segment]
) -> dict[str, Value]:
    result = score(metric, rows)
    return {name: Value(result.value, result.low, result.high, result.signature)}


def compare_with_moses(
    name: str, ours: Sequence[Segment], theirs: Sequence[Segment]
) -> dict[str, Value]:
    """Return our lead in BLEU, with a paired test."""
    result = paired_bootstrap(BLEU, BLEU.statistics(theirs), [BLEU.statistics(ours)])[0]
    test = f"paired bootstrap|p:{result.p:.4f}|resamples:1000"
    return {name: Value(result.value, result.low, result.high, test)}


def segments(
    outputs: Sequence[str], sources: Sequence[str], references: Sequence[str]
) -> list[Segment]:
    rows = zip(outputs, sources, references, strict=True)
    return [Segment(output, source, (reference,)) for output, source, reference in rows]


def sides(lines: Sequence[plays.Line]) -> dict[plays.Guide, list[str]]:
    return {
        "sparknotes": [line.sparknotes for line in lines],
        "enotes": [line.enotes for line in lines],
    }


def style_metrics(own: Study) -> dict[str, Metric]:
    """Return the three style scores, trained as for the paper's people."""
    pairs = own.raw_pairs("16and7plays")
    modern = [join_apostrophes(source) for source, _ in pairs]
    original = [join_apostrophes(target) for _, target in pairs]
    models: dict[str, StyleModel] = {
        "cosine": train_cosine(modern, original),
        "language model": train_style_model(
            modern, original, order=4, likelihood="word"
        ),
        "logistic": train_logistic(modern, original),
    }
    return {name: StyleScore(trained) for name, trained in models.items()}


def systems(workspace: Workspace) -> dict[str, Value]:
    """Score the nine systems on both modern sides, and compare MERT with Moses'."""
    own = of(workspace)
    metrics: dict[str, Metric] = {"bleu": BLEU, "pinc": PINC, **style_metrics(own)}
    originals = [line.original for line in own.lines]
    values: dict[str, Value] = {}
    panels: dict[str, list[Point]] = {}
    for side, texts in sides(own.lines).items():
        outputs = {
            name: own.decode(parts, texts, swapped=False)
            for name, parts in SYSTEMS.items()
        }
        outputs["no-change"] = texts
        for name, lines in outputs.items():
            rows = segments(lines, texts, originals)
            for label, metric in metrics.items():
                values |= measure_rows(f"{label} {name} {side}", metric, rows)
        panels[f"to Shakespeare, {side} side"] = points(values, outputs, side)
        for name, file in MOSES.items():
            values |= beside_moses(
                own, f"{name} {side}", outputs[name], f"{file}.{side}", texts, originals
            )
    workspace.write("figure1.svg", scatter(panels, across="PINC", up="BLEU"))
    return values


def beside_moses(
    own: Study,
    name: str,
    outputs: Sequence[str],
    file: str,
    sources: Sequence[str],
    references: Sequence[str],
) -> dict[str, Value]:
    """Return Moses' BLEU on the same lines, and our lead."""
    folder = own.workspace.corpus("moses-outputs")
    result = list(plays.texts_of(folder, "moses-outputs", file))
    theirs = segments(result, sources, references)
    return measure_rows(f"bleu Moses {name}", BLEU, theirs) | compare_with_moses(
        f"lead over Moses {name}", segments(outputs, sources, references), theirs
    )


def score_lines(
    own: Study,
    name: str,
    outputs: Sequence[str],
    file: str,
    sources: Sequence[str],
    references: Sequence[str],
) -> dict[str, Value]:
    """Return BLEU and PINC of our lines, with Moses' BLEU beside them."""
    rows = segments(outputs, sources, references)
    values = measure_rows(f"bleu {name}", BLEU, rows)
    values |= measure_rows(f"pinc {name}", PINC, rows)
    return values | beside_moses(own, name, outputs, file, sources, references)


def score_swapped(workspace: Workspace) -> dict[str, Value]:
    """Score systems into modern English (section 5, Figure 4)."""
    own = of(workspace)
    originals = [line.original for line in own.lines]
    references = [line.sparknotes for line in own.lines]
    outputs = {
        name: own.decode(parts, originals, swapped=True)
        for name, parts in SWAPPED.items()
    }
    outputs["no-change"] = originals
    values: dict[str, Value] = {}
    for name, lines in outputs.items():
        rows = segments(lines, originals, references)
        values |= measure_rows(f"bleu {name} modern", BLEU, rows)
        values |= measure_rows(f"pinc {name} modern", PINC, rows)
    panel = {"to modern English": points(values, outputs, "modern")}
    workspace.write("figure4.svg", scatter(panel, across="PINC", up="BLEU"))
    for name, file in (("16plays", "to-modern"), ("16plays_mert", "to-modern.mert")):
        values |= beside_moses(
            own, f"{name} modern", outputs[name], file, originals, references
        )
    return values


def points(values: Mapping[str, Value], names: Iterable[str], side: str) -> list[Point]:
    return [
        Point(
            name,
            values[f"pinc {name} {side}"].value,
            values[f"bleu {name} {side}"].value,
        )
        for name in names
    ]


def whole_play(workspace: Workspace) -> dict[str, Value]:
    """Score the 1,462 lines with default weights and those tuned on Twelfth Night."""
    own = of(workspace)
    folder = workspace.corpus("jhamtani17")
    train, valid, test = (
        prepare_pairs(
            (pair.source, pair.target)
            for pair in plays.pairs_of(folder, "jhamtani17", split)
        )
        for split in ("train", "valid", "test")
    )
    links = align_pairs(
        train, using="fast-align", symmetrisation="grow-diag-final-and", seed=SEED
    )
    corpus = encode_pairs(train)
    result = encode_links(corpus, [links])
    table = scored(corpus, result, extract(corpus, result))
    full = {"36LM": own.model("36LM")}
    weights = tuned_weights(
        Decoder(table, {"36LM": train_without(own.plays_text, valid)}, search=FAST),
        valid,
    )
    sources = [source for source, _ in test]
    texts = [" ".join(source) for source in sources]
    references = [" ".join(target) for _, target in test]
    values = measure_rows(
        "bleu no-change 1462", BLEU, segments(texts, texts, references)
    )
    for name, chosen, file in (
        ("16plays_36LM", {}, "to-shakespeare.1462"),
        ("16plays_36LM_mert", weights, "to-shakespeare.1462.mert"),
    ):
        decoder = Decoder(table, full, Weights(chosen))
        lines = [" ".join(h.words) for h in decoder.decode(sources)]
        values |= score_lines(own, f"{name} 1462", lines, file, texts, references)
    text = [line for line in own.plays_text if line not in lines_of(valid)]
    folder = workspace.folder / "packs" / "whole-play"
    lines = rewrite_lines(
        pack_of(folder, join_pairs(train), join_pairs(valid), text), texts
    )
    file = "to-shakespeare.1462.mert"
    return values | score_lines(own, "best 1462", lines, file, texts, references)


def lines_of(pairs: WordPairs) -> set[str]:
    return {" ".join(target) for _, target in pairs}


def train_without(text: Sequence[str], pairs: WordPairs) -> LanguageModel:
    """Return a model of the plays without the lines that weights are tuned on."""
    tuning_lines = lines_of(pairs)
    kept = [line for line in text if line not in tuning_lines]
    return language_model.train(kept, language_model.Settings(order=3))


def best(workspace: Workspace) -> dict[str, Value]:
    """Train the packs that rewriting uses, and score them beside Moses.

    The study guides differ so much that each has its own: for the Sparknotes side,
    which is how people write, the pack is trained and tuned on Sparknotes alone; for
    the Enotes side one is trained on both and tuned on Enotes.
    """
    own = of(workspace)
    originals = [line.original for line in own.lines]
    text = list(plays.texts_of(own.folder, "xu12", "plays"))
    packs = {
        "sparknotes": (workspace.packs / "shakespeare", "16plays"),
        "enotes": (workspace.folder / "packs" / "enotes", "16and7plays"),
    }
    values: dict[str, Value] = {}
    for side, texts in sides(own.lines).items():
        folder, name = packs[side]
        pack_of(folder, own.raw_pairs(name), own.development_of(side), text)
        lines = rewrite_lines(folder, texts)
        file = f"to-shakespeare.mert.{side}"
        values |= score_lines(own, f"best {side}", lines, file, texts, originals)
    return values | best_modern(own)


def best_modern(own: Study) -> dict[str, Value]:
    """Train and score the pack for the way back."""
    pairs, tuning = (
        [(target, source) for source, target in both]
        for both in (own.raw_pairs("16plays"), own.development_of("sparknotes"))
    )
    pack = pack_of(
        own.workspace.packs / "modern",
        pairs,
        tuning,
        style="modern",
        settings=BEST_MODERN,
    )
    originals = [line.original for line in own.lines]
    references = [line.sparknotes for line in own.lines]
    lines = rewrite_lines(pack, originals)
    return score_lines(
        own, "best modern", lines, "to-modern.mert", originals, references
    )


def pack_of(
    folder: Path,
    pairs: TextPairs,
    tuning: TextPairs,
    text: Sequence[str] = (),
    *,
    style: str = "shakespeare",
    settings: training.Settings = BEST,
) -> Path:
    """Train a pack and tune it by MIRA, which carries over to other lines best."""
    entry = catalogue.entry("xu12")
    hashed = hashlib.sha256("\n".join("\t".join(pair) for pair in pairs).encode())
    texts = training.Texts(
        pairs,
        style=text,
        data=[Data("xu12", hashed.hexdigest(), entry.licence)],
        licences=[entry.licence],
    )
    training.train(
        texts,
        folder,
        style=style,
        settings=settings,
        tuning=model.Tuning(tuning, BLEU, method="mira", tokenised=True),
        replacing=True,
    )
    return folder


def join_pairs(pairs: WordPairs) -> TextPairs:
    return [(" ".join(source), " ".join(target)) for source, target in pairs]


def rewrite_lines(pack: Path, texts: Sequence[str]) -> list[str]:
    """Return a pack's outputs for tokenised lines in lower case."""
    decoder = model.load_pack(pack).decoder
    return [" ".join(h.words) for h in decoder.decode([t.split() for t in texts])]


def closeness(workspace: Workspace) -> dict[str, Value]:
    """Vary the setting between staying close and changing more; draw the curve."""
    own = of(workspace)
    originals = [line.original for line in own.lines]
    loaded = model.load_pack(workspace.packs / "shakespeare")
    values: dict[str, Value] = {}
    panels: dict[str, list[Point]] = {}
    for side, texts in sides(own.lines).items():
        curve = []
        for weight in CLOSENESS:
            result = loaded.with_closeness(weight).decoder.decode(
                [t.split() for t in texts]
            )
            rows = segments([" ".join(h.words) for h in result], texts, originals)
            bleu, pinc = (score(m, rows, resamples=0).value for m in (BLEU, PINC))
            values[f"bleu closeness {weight:+.1f} {side}"] = Value(bleu)
            values[f"pinc closeness {weight:+.1f} {side}"] = Value(pinc)
            curve.append(Point(f"{weight:+.1f}", pinc, bleu, "closeness"))
        panels[f"to Shakespeare, {side} side, by closeness"] = curve
    workspace.write("closeness.svg", scatter(panels, across="PINC", up="BLEU"))
    return values


def examples(workspace: Workspace) -> dict[str, Value]:
    """Rewrite sentences of our own both ways, as in Tables 5 and 8."""
    lines = []
    for style, texts in EXAMPLES.items():
        rewriter = load_pack(str(workspace.packs / style))
        lines += [f"| to {style} | |", "|---|---|"]
        for text, result in zip(texts, rewriter.rewrite(texts), strict=True):
            lines.append(f"| {text} | {result.text} |")
        lines.append("")
    workspace.write("examples.md", "\n".join(lines))
    return {}


STEPS = {
    "systems": systems,
    "swapped": score_swapped,
    "whole-play": whole_play,
    "best": best,
    "closeness": closeness,
    "examples": examples,
}
