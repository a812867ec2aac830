"""The shared training loop: epochs of batches, evaluation, checkpoints.

A trainer defines batches and their gradients. The loop counts steps and time, sets the
learning rate, refuses a loss that became NaN, keeps the weights with the lowest
held-out loss, stops after ``patience`` evaluations without improvement (early stopping)
or at the limit of steps or time, and writes checkpoints. An interrupted run resumes
from its last checkpoint and ends with the same weights as an uninterrupted one.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

import torch

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.schedule import Schedule
from paraphrast.neural.finetune import checkpoints

CHECKPOINT, BEST = "checkpoint.pt", "best.pt"

Ids: TypeAlias = tuple[list[int], list[int]]  # of a source and of its target


@dataclass(frozen=True)
class Report:
    """The progress of a run: its step, the loss per token, the held-out loss."""

    step: int
    steps: int
    loss: float
    held_out: float | None = None
    tokens_per_second: float = 0.0


Progress: TypeAlias = Callable[[Report], None]


def quiet(report: Report) -> None:
    """Show no progress."""


def device_named(name: str) -> str:
    """Return ``cuda`` or ``cpu``; ``auto`` uses a GPU if there is one."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ParaphrastError("torch found no usable GPU. Use device cpu.")
    return name


@dataclass
class State:
    """The state of a run; ``batch`` counts within the epoch."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    elapsed: float = 0.0
    best: float = math.inf
    without_gain: int = 0
    quantised: bool = False
    history: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Limits:
    """When to stop, evaluate and save; ``evaluate_every`` 0 is once per epoch."""

    epochs: int
    patience: int
    clip: float
    learning_rate: float
    evaluate_every: int = 0
    checkpoint_seconds: float = 30.0

    @classmethod
    def of(cls, settings: object) -> "Limits":
        """Take the limits from settings, which have fields of the same names."""
        return cls(*(getattr(settings, limit.name) for limit in fields(cls)))


class Trainer(ABC):
    """Runs the steps of a training, from its start or its last checkpoint.

    A subclass sets ``parameters``, ``optimizer``, ``schedule`` and ``held``.
    """

    parameters: list[Any]
    optimizer: Any
    schedule: Schedule
    held: Sequence[Ids]

    def __init__(self, limits: Limits, checkpoint: Path, progress: Progress) -> None:
        """Start a run whose checkpoint is this file."""
        self.limits, self.checkpoint, self.progress = limits, checkpoint, progress
        self.state = State()
        self._saved = self._before = time.monotonic()

    @abstractmethod
    def batches(self, epoch: int) -> Sequence[Any]:
        """Return the batches of an epoch."""

    @abstractmethod
    def accumulate(self, batch: Any) -> tuple[float, int]:
        """Add a batch's gradient; return the loss per token and its target tokens."""

    @abstractmethod
    def held_out_loss(self) -> float:
        """Return the loss per token of the held-out pairs."""

    @abstractmethod
    def keep_best(self) -> None:
        """Keep the current weights as the best so far."""

    @abstractmethod
    def tables(self) -> dict[str, Any]:
        """Return what a checkpoint needs besides the optimizer and the state."""

    @abstractmethod
    def restore(self, tables: dict[str, Any]) -> None:
        """Continue from what `tables` returned."""

    def run(self, *, evaluate_first: bool = False) -> list[dict[str, float]]:
        """Train to the end; return the steps and held-out losses of evaluations."""
        if self.checkpoint.exists():
            checkpoints.restore(self.checkpoint, self._restore)
        self._before = time.monotonic()
        if evaluate_first and not self.state.history:
            self._evaluate()
        while not self._is_done():
            batches = self.batches(self.state.epoch)
            for batch in batches[self.state.batch :]:
                self.state.batch += 1
                self._step(batch)
                if self._is_done():
                    break
            else:
                self.state.epoch, self.state.batch = self.state.epoch + 1, 0
                if not self.limits.evaluate_every:
                    self._evaluate()
        if not self.state.history or self.state.history[-1]["step"] < self.state.step:
            self._evaluate()
        return self.state.history

    def share_done(self) -> float:
        """Return the share of the run that is done."""
        return self.schedule.share_done(self.state.step, self._seconds_elapsed())

    def _seconds_elapsed(self) -> float:
        now = time.monotonic()
        self.state.elapsed, self._before = (
            self.state.elapsed + now - self._before,
            now,
        )
        return self.state.elapsed

    def _is_done(self) -> bool:
        return (
            self.share_done() >= 1
            or self.state.epoch >= self.limits.epochs
            or self.state.without_gain >= self.limits.patience
        )

    def _step(self, batch: Any) -> None:
        began = time.monotonic()
        factor = self.schedule.rate(self.state.step, self._seconds_elapsed())
        for options in self.optimizer.param_groups:
            options["lr"] = self.limits.learning_rate * factor
        loss, tokens = self.accumulate(batch)
        torch.nn.utils.clip_grad_norm_(self.parameters, self.limits.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.state.step += 1
        if not math.isfinite(loss):
            raise ParaphrastError(
                f"the loss became NaN at step {self.state.step}. Use a lower "
                "learning_rate, or precision fp32."
            )
        speed = tokens / (time.monotonic() - began)
        self.progress(Report(self.state.step, self.schedule.steps, loss, None, speed))
        every = self.limits.evaluate_every
        if every and self.state.step % every == 0:
            self._evaluate()
        if time.monotonic() - self._saved >= self.limits.checkpoint_seconds:
            self._save()

    def _evaluate(self) -> None:
        """Compute the held-out loss, keep the best weights, and save."""
        entry = {"step": float(self.state.step)}
        if self.held:
            loss = entry["held_out"] = self.held_out_loss()
            gained = loss < self.state.best
            self.state.without_gain = 0 if gained else self.state.without_gain + 1
            if gained:
                self.state.best = loss
                self.keep_best()
            self.progress(Report(self.state.step, self.schedule.steps, math.nan, loss))
        self.state.history.append(entry)
        if math.isfinite(self.limits.checkpoint_seconds):
            self._save()

    def _save(self) -> None:
        self._seconds_elapsed()
        state = {"optimizer": self.optimizer.state_dict(), "state": asdict(self.state)}
        checkpoints.save(self.tables() | state, self.checkpoint)
        self._saved = time.monotonic()

    def _restore(self, table: dict[str, Any]) -> None:
        self.restore(table)
        self.optimizer.load_state_dict(table["optimizer"])
        self.state = State(**table["state"])


class NetworkTrainer(Trainer):
    """Trains all weights of a torch module, ``network``, on a ``device``.

    The best weights are in a separate file beside the checkpoint, and are loaded when
    the run ends.
    """

    network: Any
    device: str

    def __init__(self, settings: object, folder: Path, progress: Progress) -> None:
        """Start a run with the limits of ``settings``, whose files are in a folder."""
        super().__init__(Limits.of(settings), folder / CHECKPOINT, progress)
        self.best = folder / BEST

    def run(self, *, evaluate_first: bool = False) -> list[dict[str, float]]:
        """Train to the end and load the best weights."""
        history = super().run(evaluate_first=evaluate_first)
        if self.best.exists():
            state = torch.load(self.best, map_location=self.device, weights_only=True)
            self.network.load_state_dict(state)
        return history

    def keep_best(self) -> None:
        """Write the weights to a separate file."""
        checkpoints.save(self.network.state_dict(), self.best)

    def tables(self) -> dict[str, Any]:
        """Return the weights and the state of the random generators."""
        cuda = torch.cuda.get_rng_state() if self.device == "cuda" else None
        state = {"network": self.network.state_dict(), "cuda": cuda}
        return state | {"random": torch.get_rng_state()}

    def restore(self, tables: dict[str, Any]) -> None:
        """Continue with these weights and this state of the random generators."""
        self.network.load_state_dict(tables["network"])
        torch.set_rng_state(tables["random"])
        if tables["cuda"] is not None and self.device == "cuda":
            torch.cuda.set_rng_state(tables["cuda"])
