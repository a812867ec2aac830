"""The architecture of an NMT model, and how to train one."""

from dataclasses import dataclass
from typing import Literal

from paraphrast.config import check_ranges


@dataclass(frozen=True)
class Architecture:
    """The sizes of a model; the defaults are the paper's, which are OpenNMT-py's.

    The encoder reads in both directions, with ``hidden / 2`` units each. One embedding
    table serves the encoder, the decoder and the output layer. With ``copy`` the
    decoder mixes generating a word with pointing at one of the source.
    """

    embedding: int = 300
    hidden: int = 500
    layers: int = 2
    copy: bool = False

    def __post_init__(self) -> None:
        """Refuse sizes that no model can have."""
        check_ranges(self, counts=("embedding", "hidden", "layers"))
        if self.hidden % 2:
            raise ValueError(
                f"hidden must be even, as the encoder has two directions, "
                f"not {self.hidden}."
            )


@dataclass(frozen=True)
class Vocabulary:
    """The vocabulary: up to ``size`` words that occur in ``least_count`` pairs or more.

    Words of a single pair are better treated as unknown, since a model must learn to
    copy unknown words.
    """

    size: int = 50_000
    least_count: int = 2

    def __post_init__(self) -> None:
        """Refuse a vocabulary without words."""
        check_ranges(self, counts=("size", "least_count"))


@dataclass(frozen=True)
class Training:
    """Training settings.

    A batch has ``batch_tokens`` tokens, including padding. The held-out loss is
    computed every ``evaluate_every`` steps (0: once per epoch), and training stops
    after ``patience`` evaluations without improvement. ``seconds`` limits the time of a
    run and its learning-rate schedule: two such runs differ.
    """

    epochs: int = 20
    seconds: float = 0.0
    batch_tokens: int = 4096
    learning_rate: float = 1e-3
    warmup: float = 0.02
    dropout: float = 0.3
    clip: float = 5.0
    patience: int = 3
    evaluate_every: int = 0
    checkpoint_seconds: float = 60.0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be trained with, before hours are spent."""
        check_ranges(
            self,
            counts=("epochs", "batch_tokens", "patience"),
            positive=("learning_rate", "clip"),
            shares=("warmup", "dropout"),
            natural=("seconds", "evaluate_every"),
        )
