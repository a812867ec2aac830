"""The built-in model of fluency behind FL: is a text acceptable English?

`NgramFluency` reads the log-probabilities of a language model (their mean, their
minimum, and both relative to the frequency of each word) and the share of known word
sequences. It is trained on natural sentences and the same sentences corrupted, or on
sentences that people rated. It sees three words at a time: it detects word salad and
broken phrases, but hardly any long-distance agreement errors. docs/judges.md says how
it does on CoLA.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import logistic_regression, ngram_model
from paraphrast.estimators.logistic_regression import LinearModel, softmax
from paraphrast.estimators.ngram_features import dense
from paraphrast.estimators.ngram_model import NgramModel
from paraphrast.metrics.base import Matrix
from paraphrast.storage import weights
from paraphrast.text.model_words import words

Tokens: TypeAlias = list[str]
Flags: TypeAlias = NDArray[np.bool_]

_KIND = "ngram-fluency"
_FOLDS = 5
_SHORTEST = 2  # words; nothing can be corrupted in fewer


@dataclass(frozen=True, eq=False)
class NgramFluency:
    """The built-in model; make one with `train`, `train_on_judgments` or `load`."""

    language_model: NgramModel
    linear: LinearModel
    means: Matrix
    deviations: Matrix

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        return weights.digest(_KIND, self._settings(), self._arrays())

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return each text's probability of being acceptable; 0 without words."""
        if not texts:
            return np.zeros(0)
        tokens = [words(text) for text in texts]
        scaled = (signs(self.language_model, tokens) - self.means) / self.deviations
        probabilities = softmax(self.linear.scores(dense(scaled)))[:, 1]
        return np.where([bool(t) for t in tokens], probabilities, 0.0)

    def save(self, path: Path) -> None:
        """Write the model to ``path`` and its language model to the same folder."""
        self.language_model.save(_beside(path))
        weights.save(path, _KIND, self._settings(), self._arrays())

    def _settings(self) -> dict[str, Any]:
        return {"language_model": self.language_model.signature}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "weights": self.linear.weights,
            "intercepts": self.linear.intercepts,
            "means": self.means,
            "deviations": self.deviations,
        }


def load(path: Path) -> NgramFluency:
    """Read a model that `NgramFluency.save` wrote."""
    settings, arrays = weights.load(path, _KIND)
    language_model = ngram_model.load(_beside(path))
    if language_model.signature != settings["language_model"]:
        raise ParaphrastError(
            f"{_beside(path)}: not the language model with which {path.name} was "
            "trained. Re-download both."
        )
    linear = LinearModel(arrays["weights"], arrays["intercepts"])
    return NgramFluency(language_model, linear, arrays["means"], arrays["deviations"])


def train(
    texts: Sequence[str],
    *,
    seed: int,
    judged: Sequence[tuple[str, bool]] | None = None,
    order: int = 3,
) -> NgramFluency:
    """Train on natural sentences and the same ones corrupted.

    The sentences are scored by language models that have not seen them, one per fold.
    With ``judged`` sentences, `train_on_judgments` is used instead.
    """
    if judged:
        return train_on_judgments(texts, judged, order=order)
    tokens = _split_texts(texts)
    if len(tokens) < 2 * _FOLDS:
        raise ParaphrastError(
            f"fluency needs at least {2 * _FOLDS} sentences of two words or more, "
            f"found {len(tokens)}."
        )
    draw = random.Random(seed)
    draw.shuffle(tokens)
    rows, labels = [], []
    for fold in range(_FOLDS):
        held_out = tokens[fold::_FOLDS]
        rest = [t for i, t in enumerate(tokens) if i % _FOLDS != fold]
        model = ngram_model.train(rest, order=order)
        corrupted = [corrupt_text(sentence, tokens, draw) for sentence in held_out]
        rows.append(signs(model, [*held_out, *corrupted]))
        labels.append(np.repeat([1, 0], len(held_out)))
    final = ngram_model.train(tokens, order=order)
    return _fit_linear(final, np.concatenate(rows), np.concatenate(labels))


def train_on_judgments(
    texts: Sequence[str], judged: Sequence[tuple[str, bool]], *, order: int = 3
) -> NgramFluency:
    """Train the language model on texts, and the classifier on human judgments.

    The language model must not have seen the judged sentences: they are not part of
    ``texts``.
    """
    if len({acceptable for _, acceptable in judged}) < 2:
        raise ParaphrastError(
            "judgments must include both acceptable and unacceptable sentences."
        )
    model = ngram_model.train([words(text) for text in texts], order=order)
    rows = signs(model, [words(text) for text, _ in judged])
    return _fit_linear(
        model, rows, np.array([int(acceptable) for _, acceptable in judged])
    )


def read_judgments(lines: Iterable[str], *, where: str) -> list[tuple[str, bool]]:
    """Read CoLA's tab-separated lines: source, 1 or 0, author's mark, sentence."""
    judged = []
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t")
        if len(columns) != 4 or columns[1] not in ("0", "1"):
            raise ParaphrastError(
                f"{where}:{number}: expected source, 0 or 1, mark and sentence "
                f"separated by tabs, found {line[:60]!r}. Use the format of CoLA."
            )
        judged.append((columns[3], columns[1] == "1"))
    return judged


def signs(model: NgramModel, sentences: Sequence[Sequence[str]]) -> Matrix:
    """Return the features of the built-in model: (sentences, 8)."""
    scored = model.score(sentences)
    lengths = scored.lengths().astype(float)
    common = scored.log_probability - scored.alone

    def mean(values: NDArray[Any]) -> Matrix:
        return np.asarray(np.add.reduceat(values * 1.0, scored.starts) / lengths)

    return np.stack(
        [
            mean(scored.log_probability),
            np.minimum.reduceat(scored.log_probability, scored.starts),
            mean(common),
            np.minimum.reduceat(common, scored.starts),
            mean(scored.unknown),
            mean(scored.matched >= 2),
            mean(scored.matched >= 3),
            np.log(lengths),
        ],
        axis=1,
    )


def corrupt_text(
    sentence: Sequence[str], others: Sequence[Sequence[str]], draw: random.Random
) -> Tokens:
    """Return a corrupted version of a sentence of two or more words.

    Its words are shuffled, two neighbours are swapped, or a word is dropped, repeated,
    or replaced by one from another sentence.
    """
    mistake = draw.choice(_MISTAKES)
    for _ in range(10):
        corrupted = mistake(list(sentence), others, draw)
        if corrupted != list(sentence):
            return corrupted
    return [*sentence, sentence[-1]]  # all its words are the same: say one again


def make_contrast(texts: Sequence[str], *, seed: int) -> tuple[list[str], list[str]]:
    """Return the sentences of two or more words, and corrupted versions of them."""
    tokens = _split_texts(texts)
    draw = random.Random(seed)
    corrupted = [corrupt_text(sentence, tokens, draw) for sentence in tokens]
    return [" ".join(s) for s in tokens], [" ".join(s) for s in corrupted]


def matthews(answers: Flags, right: Flags) -> float:
    """Return Matthews' correlation of two binary columns, 0 if one is constant."""
    if answers.all() or right.all() or not (answers.any() and right.any()):
        return 0.0
    return float(np.corrcoef(answers.astype(float), right.astype(float))[0, 1])


def _split_texts(texts: Sequence[str]) -> list[Tokens]:
    """Return the words of texts that have enough of them to be corrupted."""
    return [own for own in map(words, texts) if len(own) >= _SHORTEST]


def _fit_linear(
    model: NgramModel, rows: Matrix, labels: NDArray[np.int64]
) -> NgramFluency:
    means, deviations = rows.mean(axis=0), rows.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    linear = logistic_regression.train(
        dense((rows - means) / deviations), labels, classes=2, tolerance=1e-6
    )
    return NgramFluency(model, linear, means, deviations)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}-language-model{path.suffix}")


_Others: TypeAlias = Sequence[Sequence[str]]


def _shuffle(sentence: Tokens, _: _Others, draw: random.Random) -> Tokens:
    draw.shuffle(sentence)
    return sentence


def _swap(sentence: Tokens, _: _Others, draw: random.Random) -> Tokens:
    i = draw.randrange(len(sentence) - 1)
    sentence[i : i + 2] = sentence[i + 1], sentence[i]
    return sentence


def _drop(sentence: Tokens, _: _Others, draw: random.Random) -> Tokens:
    del sentence[draw.randrange(len(sentence))]
    return sentence


def _repeat(sentence: Tokens, _: _Others, draw: random.Random) -> Tokens:
    i = draw.randrange(len(sentence))
    return [*sentence[:i], sentence[i], *sentence[i:]]


def _exchange(sentence: Tokens, others: _Others, draw: random.Random) -> Tokens:
    sentence[draw.randrange(len(sentence))] = draw.choice(draw.choice(others))
    return sentence


_MISTAKES: tuple[Callable[[Tokens, _Others, random.Random], Tokens], ...] = (
    _shuffle,
    _swap,
    _drop,
    _repeat,
    _exchange,
)
