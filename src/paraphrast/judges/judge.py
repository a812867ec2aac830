"""A judge: the three models behind ACC, SIM, FL, J and GM, kept in one folder.

The judge never trains or reranks. A system's manifest names the evaluators used in
making it, and `refuse_if_used` compares them with the judge's hashes, so that no system
is scored by a model that it was fitted to.

A judge is a sealed folder: ``judge.json`` (format, versions, what each model was
trained on with its sha256, held-out figures, each model's hash) and one file of arrays
per model (format 4), or encoders with heads (`judges.encoder.folder`; format 3, or 5 if
similarity matches words). Loading checks every hash and runs nothing from the folder.
The small encoder judge is in the package: ``small``.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.config import count_threads
from paraphrast.errors import ParaphrastError
from paraphrast.judges import accuracy as accuracies
from paraphrast.judges import fluency as fluencies
from paraphrast.judges.accuracy import LinearStyle
from paraphrast.judges.evaluator import (
    Accuracy,
    Fluency,
    FluencyModel,
    FormalityModel,
    GeometricMean,
    Joint,
    Model,
    Similarity,
    SimilarityModel,
    StyleClassifier,
)
from paraphrast.judges.fluency import NgramFluency
from paraphrast.metrics.base import Metric
from paraphrast.storage import sealed_folder
from paraphrast.storage.sealed_folder import Kind
from paraphrast.text.similarity import HashedSimilarity

FORMAT = 4  # of judges that `train_judge` makes; those of 1 were NumPy archives
ENCODERS = 3  # of judges made of encoders; 2 had some that ran in numpy
MATCHING = 5  # of judges made of encoders whose similarity matches words
SMALL = Path(__file__).parent / "data" / "judge"
LARGE = Path("~/.local/share/paraphrast/judges/large")
KIND = Kind(
    "judge",
    "judge.json",
    (ENCODERS, MATCHING, FORMAT),
    "Re-download the judge, train it again with `paraphrast metrics train-judge`, or "
    "build it from its weights: training/README.md.",
)
# What a manifest says of the folder, not of the judge.
_SEALED = ("format", "hashes", "styles", "files", "paraphrast")
_HELD_OUT = 10  # without validation text, every tenth sentence of each style is kept


@dataclass(frozen=True, eq=False)
class Judge:
    """Three models, or four with formality, which does not enter J.

    ``about`` has their training data and held-out figures.
    """

    accuracy: StyleClassifier
    similarity: SimilarityModel
    fluency: FluencyModel
    about: Mapping[str, Any] = field(default_factory=dict)
    formality: FormalityModel | None = None

    @property
    def styles(self) -> tuple[str, ...]:
        """Return the styles that it distinguishes."""
        return self.accuracy.styles

    def parts(self) -> dict[str, Model]:
        """Return the models by the names of their parts."""
        names = ("accuracy", "similarity", "fluency", "formality")
        models = {name: getattr(self, name) for name in names}
        return {name: model for name, model in models.items() if model is not None}

    def hashes(self) -> dict[str, str]:
        """Return each model's signature, by its part."""
        return {part: model.signature for part, model in self.parts().items()}

    def without_surface_features(self) -> "Judge":
        """Return the judge whose formality ignores case and punctuation."""
        if self.formality is None:
            return self
        robust = getattr(self.formality, "robust", None)
        if robust is None:
            raise ParaphrastError(
                "this judge's formality model has no variant without surface features. "
                "Give --judge small, or leave out --no-surface-features."
            )
        return replace(self, formality=robust())

    def metrics(self) -> tuple[Metric, ...]:
        """Return ACC, SIM, FL, J and GM by these models."""
        parts = (
            Accuracy(self.accuracy),
            Similarity(self.similarity),
            Fluency(self.fluency),
        )
        return (*parts, Joint(*parts), GeometricMean(*parts))

    def save(self, folder: Path) -> None:
        """Write the judge, if its models are built-in ones, replacing an old one."""
        with sealed_folder.new(folder, KIND, replacing=True) as filling:
            for part, model in self.parts().items():
                if not isinstance(model, LinearStyle | HashedSimilarity | NgramFluency):
                    raise ParaphrastError(
                        f"cannot save a judge whose {part} model is a "
                        f"{type(model).__name__}; only the built-in ones can be."
                    )
                model.save(filling / f"{part}.arrays")
            about = {"format": FORMAT, "hashes": self.hashes()}
            about |= {"styles": list(self.styles), **self.about}
            sealed_folder.seal(filling, KIND, about)


def load(folder: Path, *, threads: int | None = None) -> Judge:
    """Read a judge and check that every model is the one its manifest names.

    ``small`` is the judge in the package and ``large`` the one built as in
    training/README.md, unless folders of these names exist in the working directory.
    Encoders run on ``threads`` cores, or on all that this process may use.
    """
    folder = _find_folder(folder)
    manifest = sealed_folder.verify(folder, KIND)
    about = {key: value for key, value in manifest.items() if key not in _SEALED}
    if manifest["format"] in (ENCODERS, MATCHING):
        from paraphrast.judges.encoder.folder import parts

        threads = threads or count_threads()
        judge = Judge(**parts(folder, manifest, threads=threads), about=about)
    else:
        judge = Judge(
            accuracies.load(folder / "accuracy.arrays"),
            HashedSimilarity.load(folder / "similarity.arrays"),
            fluencies.load(folder / "fluency.arrays"),
            about,
        )
    hashes = manifest.get("hashes")
    for part, signature in judge.hashes().items():
        if not isinstance(hashes, dict) or hashes.get(part) != signature:
            raise ParaphrastError(
                f"{folder}: the {part} model is not the one that {KIND.manifest} "
                f"names. {KIND.again}"
            )
    return judge


def _find_folder(folder: Path) -> Path:
    if folder.exists() or str(folder) not in ("small", "large"):
        return folder
    if str(folder) == "small":
        return SMALL
    large = LARGE.expanduser()
    if not large.exists():
        raise ParaphrastError(
            f"the large judge was not found ({LARGE}). Build it as training/README.md "
            "says, or use --judge small."
        )
    return large


def refuse_if_used(judge: Judge, hashes: Iterable[str], *, system: str = "") -> None:
    """Refuse to judge a system whose manifest names one of the judge's own models.

    ``hashes`` are the evaluators that trained, filtered or reranked for the system. A
    model wrapped in another (with checks, or restricted to some styles) is the same
    model.
    """
    used = {sha256 for sha256 in hashes if sha256}
    for part, signature in judge.hashes().items():
        if any(sha256 in signature or signature in sha256 for sha256 in used):
            raise ParaphrastError(
                f"{system or 'the system'} was made with this judge's {part} model "
                f"({signature[:24]}…), so this judge cannot score it. Use a judge that "
                "was not used in its training."
            )


def refuse_alike(judge: Judge, second: Judge) -> None:
    """Refuse a second judge that shares a model with the first.

    The second judge should reveal systems that were fitted to the first, which a shared
    model cannot do.
    """
    first = judge.hashes()
    for part, signature in second.hashes().items():
        if first.get(part) == signature:
            raise ParaphrastError(
                f"the second judge shares the first one's {part} model "
                f"({signature[:24]}…). Give a judge of another kind."
            )


def unlike(
    judge: Judge, targets: Iterable[str], used: Iterable[str] = ()
) -> Judge | None:
    """Return the small judge as a second judge, if it is suitable.

    It must know the target styles, share no model with the other, and be none of the
    evaluators ``used`` in making the systems.
    """
    small = load(SMALL)
    if not set(targets) <= set(small.styles):
        return None
    try:
        refuse_alike(judge, small)
        refuse_if_used(small, used)
    except ParaphrastError:
        return None
    return small


def train_judge(
    styles: Mapping[str, Sequence[str]],
    *,
    valid: Mapping[str, Sequence[str]] | None = None,
    judged: Sequence[tuple[str, bool]] | None = None,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Judge:
    """Train the built-in models on texts of each style.

    ``valid`` is for calibrating and evaluating the classifier; without it, every tenth
    sentence of each style is held out. ``judged`` sentences (text, acceptable) replace
    corrupted ones for fluency.
    """
    progress("training the style classifier")
    kept, held_out = (styles, valid) if valid else hold_out(styles)
    classifier = accuracies.train(kept, valid=held_out)
    texts = [text for own in kept.values() for text in own]
    progress("estimating character n-gram weights for similarity")
    similarity = HashedSimilarity.fit(texts)
    progress("training the fluency model")
    fluency = fluencies.train(texts, judged=judged, seed=seed)
    progress("evaluating on held-out text")
    about = {
        "versions": {name: version(name) for name in ("paraphrast", "numpy")},
        "seed": seed,
        "training": {name: describe_texts(own) for name, own in styles.items()},
        "valid": {name: describe_texts(own) for name, own in (valid or {}).items()},
        "judgments": describe_texts([f"{ok}\t{text}" for text, ok in judged or ()]),
        "held_out": held_out_figures(classifier, fluency, held_out, seed=seed),
    }
    return Judge(classifier, similarity, fluency, about)


def held_out_figures(
    classifier: StyleClassifier,
    fluency: FluencyModel,
    styles: Mapping[str, Sequence[str]],
    *,
    seed: int,
) -> dict[str, float]:
    """Return the models' evaluation on held-out text."""
    texts = [text for own in styles.values() for text in own]
    natural, corrupted = fluencies.make_contrast(texts, seed=seed)
    return {
        "accuracy": round(accuracies.accuracy(classifier, styles), 4),
        "calibration_error": round(accuracies.calibration_error(classifier, styles), 4),
        "natural_accepted": _share(fluency.probabilities(natural) >= 0.5),
        "corrupted_refused": _share(fluency.probabilities(corrupted) < 0.5),
        "sentences": len(texts),
    }


def hold_out(
    styles: Mapping[str, Sequence[str]],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Hold out every tenth sentence of each style; return the rest and these."""
    # The same sentence on both sides would flatter: a held-out one leaves training.
    held_out = {name: list(own[::_HELD_OUT]) for name, own in styles.items()}
    gone = {text for own in held_out.values() for text in own}
    kept = {
        name: [text for text in own if text not in gone] for name, own in styles.items()
    }
    return kept, held_out


def describe_texts(texts: Sequence[str]) -> dict[str, object]:
    """Name texts by their number and hash, for a manifest."""
    sha = hashlib.sha256()
    for text in texts:
        sha.update(text.encode("utf-8", "surrogateescape") + b"\n")
    return {"lines": len(texts), "sha256": sha.hexdigest()}


def _share(flags: Any) -> float:
    return round(float(np.mean(flags)), 4) if len(flags) else 0.0
