"""Turn a trained model's folder into a pack that runs without torch.

The weights are smoothed (`smoothing`) and go to CTranslate2 in 8 bits. Before the pack
is sealed, its log-probabilities of a few pairs are compared with those of the model in
torch: in fp32 they must agree, and the difference in int8 is reported. T5 needs care:
whether its outputs are scaled depends on two settings that can contradict each other,
so the converter is told what the model actually does.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import transformers

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates import memorisation
from paraphrast.neural.finetune.smooth_quant import smooth
from paraphrast.neural.finetune.torch_engine import TorchEngine, load_model
from paraphrast.neural.models import folders
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.folders import ModelFolder
from paraphrast.neural.models.generation import Engine, Prompter, Request
from paraphrast.neural.models.pack import Settings
from paraphrast.neural.styles import KIND
from paraphrast.storage import packs
from paraphrast.storage.packs import About, Data, Pack
from paraphrast.text import subwords

CLOSE = 1e-3  # log-probability per token
PROBES = (
    ("Where are you going?", "Whither goest thou?"),
    ("I do not think that he will come today.", "I think not that he cometh this day."),
    ("gonna be late, soz", "I am going to be late, I am sorry."),
    (
        "The old man looked at the sea for 3 hours.",
        "For 3 hours the old man beheld it.",
    ),
)


@dataclass(frozen=True)
class Parity:
    """The largest differences from torch's log-probability per token."""

    exact: float
    int8: float


@dataclass(frozen=True)
class Converted:
    """A new pack and its parity with its model."""

    pack: Pack
    parity: Parity


def convert(
    source: Path,
    folder: Path,
    *,
    styles: Mapping[str, str],
    settings: Mapping[str, Any] | None = None,
    licences: Sequence[str] = (),
    evaluators: Sequence[str] = (),
    calibration: Sequence[tuple[str, str]] = (),
    learned_from: Iterable[str] = (),
    replacing: bool = False,
) -> Converted:
    """Write a pack that writes ``styles``; ``settings`` differ from the model's own.

    ``calibration`` are typical pairs, for smoothing the weights. The sentences that it
    was ``learned_from`` go into the memorisation filter.
    """
    packs.refuse_taken(folder, replacing=replacing)
    base = folders.read(source)
    record = folders.read_record(source)
    tagged = bool(record.get("tagged", len(styles) > 1))
    if len(styles) != 1 and not tagged:
        raise ParaphrastError(
            f"{source} was trained without style tags and writes one style, not "
            f"{len(styles)}. Name one with --to."
        )
    own = Settings(
        base.shape, base.end, tagged, masked=bool(record.get("masked", False))
    )
    chosen = replace(own, **(settings or {}))
    about = About(
        name=folder.name,
        kind=KIND,
        styles=dict(styles),
        licences=tuple(licences),
        evaluators=tuple(evaluators),
        data=tuple(Data(d["name"], d["sha256"]) for d in record.get("data", ())),
    )
    with packs.new(folder, replacing=replacing) as filling:
        check = _Check(base, chosen, next(iter(styles)), calibration or PROBES)
        parity = _fill(filling, check)
        digests = memorisation.of(learned_from)
        if len(digests.digests):
            memorisation.save(digests, filling / memorisation.FILE)
        about = packs.seal(filling, about, asdict(chosen))
    return Converted(Pack(folder, about), parity)


@dataclass(frozen=True)
class _Check:
    """Compares a model with its conversion, on the probes."""

    base: ModelFolder
    settings: Settings
    style: str
    calibration: Sequence[tuple[str, str]]

    @property
    def prompter(self) -> Prompter:
        """Return how texts are presented to the model."""
        return self.base.prompter(tagged=self.settings.tagged)

    def smooth_model(self) -> Any:
        """Return the model, smoothed on the calibration's pairs."""
        model = load_model(self.base).eval()
        engine = TorchEngine(model, self.prompter, self.base.padding)
        smooth(model, lambda: self.scores(engine, self.calibration))
        return model

    def expect_log_probabilities(self) -> list[float]:
        """Return torch's log-probabilities of the probes."""
        model = load_model(self.base).eval()
        engine = TorchEngine(model, self.prompter, self.base.padding)
        return self.scores(engine, PROBES)

    def worst(self, folder: Path, expected: Sequence[float], compute: str) -> float:
        """Return the largest difference of a converted model from torch, per token."""
        engine = Int8Engine(folder, self.prompter, compute=compute)
        result = self.scores(engine, PROBES)
        tokens = [len(self.prompter.target(target)) for _, target in PROBES]
        return max(
            abs(ours - theirs) / count
            for ours, theirs, count in zip(result, expected, tokens, strict=True)
        )

    def scores(self, engine: Engine, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return an engine's log-probabilities of pairs."""
        requests = [Request(source, self.style) for source, _ in pairs]
        return engine.score(requests, [target for _, target in pairs])


def _fill(filling: Path, check: _Check) -> Parity:
    base, expected = check.base, check.expect_log_probabilities()
    with tempfile.TemporaryDirectory(dir=filling.parent) as scratch:
        exact, small = Path(scratch) / "exact", Path(scratch) / "int8"
        convert_model(base, exact, check.smooth_model, quantization=None)
        parity = check.worst(exact, expected, "float32")
        if parity > CLOSE:
            raise ParaphrastError(
                f"{base.path}: CTranslate2 and torch disagree by {parity:.3g} per "
                "token. The model's config.json does not describe its weights."
            )
        convert_model(base, small, check.smooth_model, quantization="int8")
        # Computed in fp32: what the rounding of the weights costs is the same on every
        # processor, what 8-bit sums cost is not.
        rough = check.worst(small, expected, "float32")
        for path in small.iterdir():
            shutil.move(path, filling / path.name)
    shutil.copyfile(base.path / subwords.FILE, filling / subwords.FILE)
    return Parity(parity, rough)


def convert_model(
    base: ModelFolder,
    folder: Path,
    load: Callable[[], Any],
    *,
    quantization: str | None,
) -> None:
    """Write the model that ``load`` returns for a folder in CTranslate2's format."""
    from ctranslate2.converters import TransformersConverter

    tokenizer = _tokenizer(base)

    class Converter(TransformersConverter):  # type: ignore[misc]
        """Takes a model as it is, in place of reading it anew."""

        def load_model(self, *_: Any, **__: Any) -> Any:
            model = load()
            scales = getattr(model.config, "scale_decoder_outputs", None)
            if scales is not None:
                model.config.tie_word_embeddings = scales
            return model

        def load_tokenizer(self, *_: Any, **__: Any) -> Any:
            return tokenizer

    try:
        Converter(str(base.path)).convert(str(folder), quantization=quantization)
    except (ValueError, NotImplementedError, KeyError) as error:
        raise ParaphrastError(f"cannot convert {base.path}: {error}") from error


def _tokenizer(base: ModelFolder) -> Any:
    """Return the tokenizer that CTranslate2 asks for the vocabulary."""
    padding = base.tokenizer.tokens([base.padding])[0] or base.end
    unknown = base.tokenizer.tokens([base.tokenizer.unknown])[0] or base.end
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(base.path / subwords.FILE),
        pad_token=padding,
        unk_token=unknown,
        eos_token=base.end,
        bos_token=base.end,
    )


def size(folder: Path) -> int:
    """Return the bytes of a pack."""
    return sum(path.stat().st_size for path in folder.iterdir())
