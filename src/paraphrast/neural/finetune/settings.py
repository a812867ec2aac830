"""The settings of fine-tuning, read from a TOML file by `paraphrast.config`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from paraphrast import config
from paraphrast.neural.finetune.examples import Source


@dataclass(frozen=True)
class Settings:
    """Data, model and hyperparameters of a training run.

    ``base`` is a Hugging Face folder; one without weights is trained from scratch.
    ``tagged`` puts the style before every source: one model of many styles. A batch has
    ``batch_tokens`` tokens, including padding, and ``accumulate`` of them make a step.
    ``masking`` is the share of examples whose shared spans are hidden. Validation is on
    ``validation``, otherwise on ``held_out`` examples, every ``evaluate_every`` steps
    (0: once per epoch); training stops after ``patience`` evaluations without
    improvement. ``quantisation_aware`` is the share of the run, at its end, with
    weights and activations rounded to 8 bits. ``most_seconds`` limits the time of a run
    and its schedule: two such runs differ. With infinite ``checkpoint_seconds`` there
    are no checkpoints.
    """

    base: Path
    sources: tuple[Source, ...]
    validation: tuple[Source, ...] = ()
    tagged: bool = False
    epochs: int = 3
    most_steps: int = 0
    most_seconds: float = 0.0
    batch_tokens: int = 4096
    accumulate: int = 1
    longest: int = 128
    learning_rate: float = 3e-4
    warmup: float = 0.05
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    weight_decay: float = 0.01
    clip: float = 1.0
    smoothing: float = 0.0
    masking: float = 0.0
    quantisation_aware: float = 0.0
    held_out: int = 500
    evaluate_every: int = 0
    patience: int = 3
    checkpoint_seconds: float = 300.0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    compile: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse invalid settings before training starts."""
        if not self.sources:
            raise ValueError("no pairs to learn from. Give one file or more.")
        config.check_ranges(
            self,
            counts=("epochs", "batch_tokens", "accumulate", "longest", "patience"),
            positive=("learning_rate", "clip"),
            shares=("warmup", "masking", "smoothing", "quantisation_aware"),
            natural=(
                *("most_seconds", "checkpoint_seconds"),
                *("held_out", "most_steps", "evaluate_every"),
            ),
        )


def load(path: Path) -> Settings:
    """Read settings from a TOML file; paths in it count from its folder."""
    result = config.load(path, Settings)
    home = path.parent
    return replace(
        result,
        base=home / result.base,
        sources=tuple(replace(s, path=home / s.path) for s in result.sources),
        validation=tuple(replace(s, path=home / s.path) for s in result.validation),
    )
