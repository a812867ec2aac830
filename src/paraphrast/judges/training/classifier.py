"""Train a judge whose classifier of styles is an encoder, from texts of each style.

The encoder is fine-tuned on the styles (`fitting`), on a CPU or a GPU alike; similarity
and fluency are the built-in models, as in `judge.train_judge`. The exported judge runs
in int8 without torch, and is evaluated as it runs: accuracy and calibration are those
of the exported encoder on held-out text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paraphrast.estimators import logistic_regression
from paraphrast.judges import accuracy as accuracies
from paraphrast.judges import fluency as fluencies
from paraphrast.judges import judge as judges
from paraphrast.judges.encoder import folder as folders
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.models import EncoderStyle
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.training import backbones
from paraphrast.judges.training.backbones import Backbone
from paraphrast.judges.training.examples import LONGEST, Table
from paraphrast.judges.training.fitting import Labelled, Plan, fit
from paraphrast.judges.training.network import Head, Network
from paraphrast.storage import sealed_folder
from paraphrast.text.similarity import HashedSimilarity

Styles = Mapping[str, Sequence[str]]

HEAD, ENCODER = "style", "encoder"


@dataclass(frozen=True)
class Settings:
    """Training settings: epochs, batch size, and peak learning rate."""

    epochs: float = 3.0
    rows: int = 64
    rate: float = 5e-5
    device: str = "auto"


def train(
    styles: Styles,
    backbone: Path,
    output: Path,
    *,
    valid: Styles | None = None,
    judged: Sequence[tuple[str, bool]] | None = None,
    settings: Settings,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> judges.Judge:
    """Train a judge on texts of each style, write it to a folder, and read it back.

    ``valid`` is for calibration and evaluation; without it every tenth sentence of each
    style is held out. ``judged`` sentences (text, acceptable) replace corrupted ones
    for fluency.
    """
    accuracies.refuse_poor(styles)
    kept, held_out = (styles, valid) if valid else judges.hold_out(styles)
    started = backbones.load(backbone)
    network = _fit_network(kept, started, settings, seed=seed, progress=progress)
    with sealed_folder.new(output, judges.KIND, replacing=True) as filling:
        progress("quantising the encoder to 8 bits")
        about = _write_encoder(network, started, filling / ENCODER)
        style = _calibrate_style(filling, about, tuple(styles), held_out)
        texts = [text for own in kept.values() for text in own]
        progress("similarity and fluency: the built-in models")
        HashedSimilarity.fit(texts).save(filling / "similarity.arrays")
        fluency = fluencies.train(texts, judged=judged, seed=seed)
        fluency.save(filling / "fluency.arrays")
        described = {
            "versions": {n: version(n) for n in ("paraphrast", "ctranslate2", "torch")},
            "seed": seed,
            "backbone": {"name": backbone.name, "files": backbones.hashes(backbone)},
            "training": {n: judges.describe_texts(own) for n, own in styles.items()},
            "valid": {
                n: judges.describe_texts(own) for n, own in (valid or {}).items()
            },
            "held_out": judges.held_out_figures(style, fluency, held_out, seed=seed),
        }
        _seal(filling, about, style, described)
    return judges.load(output)


def _fit_network(
    styles: Styles,
    backbone: Backbone,
    settings: Settings,
    *,
    seed: int,
    progress: Callable[[str], None],
) -> Network:
    texts = [
        np.array(backbone.tokenizer.ids(text)[:LONGEST], np.int64)
        for result in styles.values()
        for text in result
    ]
    labels = np.repeat(np.arange(len(styles)), [len(t) for t in styles.values()])
    torch.manual_seed(seed)
    heads = [Head(HEAD, "classes", len(styles))]
    network = Network(backbone.encoder, heads, marks=backbone.marks)
    steps = max(1, round(settings.epochs * len(texts) / settings.rows))
    device = settings.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    table = Table(texts, labels.astype(np.float32))
    fit(
        network,
        [Labelled(HEAD, table, settings.rows)],
        Plan(steps, settings.rate, seed),
        device=device,
        progress=lambda step, loss: progress(f"step {step} of {steps}: {loss:.3f}"),
    )
    network.cpu().eval()
    return network


def _write_encoder(
    network: Network, backbone: Backbone, folder: Path
) -> dict[str, Any]:
    about = backbone.export(folder)
    head: Any = network.heads[HEAD]
    hidden = int(network.encoder.config.hidden_size)
    arrays = {
        f"{HEAD}.weight": head.weight.detach().float().numpy(),
        f"{HEAD}.bias": head.bias.detach().float().numpy(),
    }
    Heads(hidden, arrays).save(folder / "heads.arrays")
    return {
        "hidden": hidden,
        **about,
        "start": backbone.marks.start,
        "end": backbone.marks.end,
        "files": folders.files(folder),
    }


def _calibrate_style(
    output: Path, about: dict[str, Any], styles: tuple[str, ...], held_out: Styles
) -> EncoderStyle:
    reader: Reader = folders.reader(output / ENCODER, about, threads=1)
    style = EncoderStyle(styles, (reader,), HEAD)
    texts = [text for result in held_out.values() for text in result]
    labels = [styles.index(name) for name, result in held_out.items() for _ in result]
    logits = reader.heads.logits(HEAD, reader.pool(texts))
    sharpness = logistic_regression.temperature(logits, np.array(labels, np.int64))
    return replace(style, sharpness=round(float(sharpness), 4))


def _seal(
    output: Path, about: dict[str, Any], style: EncoderStyle, described: dict[str, Any]
) -> None:
    part = {
        "styles": list(style.styles),
        "encoders": [ENCODER],
        "head": HEAD,
        "sharpness": style.sharpness,
    }
    manifest: dict[str, Any] = {
        "format": judges.ENCODERS,
        "styles": list(style.styles),
        "encoders": {ENCODER: about},
        "parts": {
            "accuracy": [part],
            "similarity": {"file": "similarity.arrays"},
            "fluency": {"file": "fluency.arrays"},
        },
        **described,
    }
    models = folders.parts(output, manifest)
    manifest["hashes"] = {name: model.signature for name, model in models.items()}
    sealed_folder.seal(output, judges.KIND, manifest)
