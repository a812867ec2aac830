"""PBMT as Rao and Tetreault (2018, §8.2.2) train it, where parallel text is scarce.

1. pairs whose sources went through the rules, if the settings name rules;
2. self-training (Ueffing 2006): a first pack rewrites text of the source style that
   has no targets;
3. sub-selection: rewrites that differ from their source by more than a number of
   characters become pairs, which keeps the pack from being too conservative;
4. the original pairs are repeated until they are about as many as those;
5. a larger language model: of general text, the lines that are most like the targets
   (Moore and Lewis 2010);
6. the pack is trained on all of it, and tuned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import language_model
from paraphrast.extras import require
from paraphrast.phrase import model, training
from paraphrast.phrase.model import Tuning
from paraphrast.phrase.rewriter import PhraseRewriter
from paraphrast.phrase.rules_first import rewrite_texts
from paraphrast.phrase.surface import TextPair, lowercase, tokens_of
from paraphrast.phrase.training import Progress, Settings, Texts, Trained, quiet
from paraphrast.rewriter import Sentence

SHORTEST, LONGEST = 5, 25  # words of unlabelled text, as the paper has it
ORDER = 3  # of the models that select general text


@dataclass(frozen=True)
class Unlabelled:
    """Text without pairs: of the source style, and general text of the target's side.

    Rewrites with more than ``least_edits`` characters changed become pairs;
    ``most_general`` lines of general text are kept for the language model.
    """

    source: Sequence[str] = ()
    general: Sequence[str] = ()
    least_edits: int = 10
    most_general: int = 100_000

    def __post_init__(self) -> None:
        """Refuse invalid limits."""
        if self.least_edits < 0 or self.most_general < 1:
            raise ParaphrastError(
                f"least_edits must be 0 or more and most_general at least 1, not "
                f"{self.least_edits} and {self.most_general}."
            )


def train(
    texts: Texts,
    unlabelled: Unlabelled,
    folder: Path,
    *,
    style: str,
    settings: Settings | None = None,
    tuning: Tuning | None = None,
    progress: Progress = quiet,
    replacing: bool = False,
) -> Trained:
    """Train a pack on pairs and on its own rewrites."""
    chosen = settings or Settings()
    progress("selecting text for the language model")
    extra = select_general(
        [target for _, target in texts.pairs],
        unlabelled.general,
        most=unlabelled.most_general,
    )
    texts = replace(texts, style=[*texts.style, *extra])
    pairs = list(texts.pairs)
    if unlabelled.source:
        with TemporaryDirectory() as temporary:
            progress("training a first pack")
            first = training.train(
                texts, Path(temporary) / "first", style=style, settings=chosen
            )
            progress("rewriting unlabelled text")
            own = rewrite_unlabelled(first.pack.folder, unlabelled, chosen)
        copies = max(1, round(len(own) / max(1, len(pairs))))
        pairs = pairs * copies + own
    return training.train(
        replace(texts, pairs=pairs),
        folder,
        style=style,
        settings=chosen,
        tuning=tuning,
        progress=progress,
        replacing=replacing,
    )


def steps(settings: Settings, *, tuning: bool) -> int:
    """Return how many steps `train` takes."""
    return 3 + training.steps(settings, tuning=tuning)


def rewrite_unlabelled(
    pack: Path, unlabelled: Unlabelled, settings: Settings
) -> list[TextPair]:
    """Return a pack's rewrites of unlabelled text that change enough, with sources.

    Sources are the output of the rules. Questions are kept; lines with fewer or more
    words than in the paper are left out.
    """
    lines = [
        line
        for line in dict.fromkeys(unlabelled.source)
        if SHORTEST <= len(line.split()) <= LONGEST
    ]
    sources = rewrite_texts(lines, settings.rules) if settings.rules else lines
    rewriter = PhraseRewriter(model.load_pack(pack))
    outputs = rewriter([Sentence(text) for text in sources], alternatives=1, seed=1)
    return select_edited(
        [(text, own[0].text) for text, own in zip(sources, outputs, strict=True)],
        least_edits=unlabelled.least_edits,
    )


def select_edited(pairs: Sequence[TextPair], *, least_edits: int) -> list[TextPair]:
    """Return the pairs whose sides differ by more than a number of characters."""
    distance = require("rapidfuzz.distance").Levenshtein.distance
    return [pair for pair in pairs if distance(*pair) > least_edits]


def select_general(
    targets: Sequence[str], general: Sequence[str], *, most: int
) -> list[str]:
    """Return the general lines most similar to the targets, in their order.

    A line's score is its cross-entropy per word by a model of the targets, minus that
    by a model of as much general text; the lowest are kept.
    """
    lines = list(dict.fromkeys(general))
    if not lines:
        return []
    tokens = [" ".join(lowercase(tokens_of(line))) for line in lines]
    own = [" ".join(lowercase(tokens_of(target))) for target in dict.fromkeys(targets)]
    sample = tokens[:: max(1, len(tokens) // max(1, len(own)))]
    ngrams = language_model.Settings(order=ORDER)
    scores = [
        _cross_entropy(language_model.train(text, ngrams), tokens)
        for text in (own, sample)
    ]
    difference = scores[0] - scores[1]
    best = np.argsort(difference, kind="stable")[:most]
    return [lines[at] for at in sorted(best.tolist())]


def _cross_entropy(
    ngrams: language_model.LanguageModel, lines: Sequence[str]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    rows = ngrams.score_lines(lines)
    return np.asarray(-rows[:, 0] / np.maximum(rows[:, 2], 1), dtype=np.float64)
