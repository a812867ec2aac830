"""Train adapters of a pack's decoder on pairs, on a CPU, within a set time.

The encoder stays as it is, so that what it makes of a source is worked out once and
kept. The decoder drops some of its activations while it learns, without which few
sentences are soon known by heart. Chance in that and in the order of the examples
follows from the seed, so a stopped run that goes on ends where it would have ended. The
learning rate falls with the steps or with the time, whichever is further; if time runs
out before the steps do, training ends there, well cooled down. It ends, too, when the
held-out loss has not fallen for some epochs; the adapters with the lowest are kept.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.neural.finetune import checkpoints
from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.finetune.lora import Adapters
from paraphrast.neural.finetune.torch_engine import (
    collated,
    given_to_decoder,
    held_out_loss,
    modules,
    summed_loss,
)

CHECKPOINT = "adapters.pt"
MOST_KEPT = 400_000  # pieces of sources whose states are kept: about 400 MB
SECONDS_BETWEEN_SAVES = 30.0

Numbers: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Plan:
    """How long to train: ``epochs`` over the pairs, but at most ``seconds``."""

    epochs: int
    seconds: float
    learning_rate: float
    warmup: float = 0.06
    batch_pieces: int = 768  # of sources and targets, padding included
    clip: float = 1.0
    patience: int = 1  # evaluations without gain, one an epoch
    seed: int = 1


@dataclass(frozen=True)
class Step:
    """Where training is."""

    done: int
    of: int
    loss: float
    held_out: float | None = None


@dataclass
class _State:
    step: int = 0
    epoch: int = 0
    batch: int = 0
    elapsed: float = 0.0
    best: float = math.inf
    history: list[list[float]] = field(default_factory=list)


Progress: TypeAlias = Callable[[Step], None]


class Training:
    """Trains adapters; its checkpoints lie in ``folder``."""

    def __init__(
        self,
        model: Any,
        adapters: Adapters,
        pairs: Sequence[Numbers],
        held: Sequence[Numbers],
        plan: Plan,
        folder: Path,
    ) -> None:
        """Make ready, or go on from the last checkpoint."""
        torch, _ = modules()
        self.model, self.adapters, self.plan, self.folder = (
            model,
            adapters,
            plan,
            folder,
        )
        self.pairs, self.held = pairs, held
        self.lengths = [len(source) + len(target) for source, target in pairs]
        self.optimizer = torch.optim.AdamW(
            adapters.parameters(), lr=plan.learning_rate, weight_decay=0.0
        )
        self.steps = plan.epochs * len(self._batches(0))
        self.state, self.best = _State(), adapters.state()
        self.kept: dict[int, Any] = {}
        self.is_kept = sum(len(source) for source, _ in pairs) <= MOST_KEPT
        if (folder / CHECKPOINT).exists():
            checkpoints.restore(folder / CHECKPOINT, self._restore)
        self.saved = self.before = time.monotonic()

    def run(self, progress: Progress) -> list[list[float]]:
        """Train, leave the best adapters in place, and return step and held-out loss.

        Before the first step the held-out loss is the model's own.
        """
        if not self.state.history:
            self._evaluate(progress)
        while not self._is_done():
            every = self._batches(self.state.epoch)
            for place in range(self.state.batch, len(every)):
                self._step(every[place], progress)
                if self._is_late():
                    break
            else:
                self.state.epoch, self.state.batch = self.state.epoch + 1, 0
            self._evaluate(progress)
        self.adapters.restore(self.best)
        return self.state.history

    def _is_done(self) -> bool:
        losses = [loss for _, loss in self.state.history]
        since = len(losses) - 1 - losses.index(min(losses))
        return (
            self.state.epoch >= self.plan.epochs
            or self._is_late()
            or (bool(self.held) and since >= self.plan.patience)
        )

    def _is_late(self) -> bool:
        return self.state.elapsed >= self.plan.seconds

    def _batches(self, epoch: int) -> list[list[int]]:
        most, seed = self.plan.batch_pieces, self.plan.seed
        return plan(self.lengths, most, seed=seed, epoch=epoch)

    def _rate(self) -> float:
        steps = self.state.step / max(1, self.steps)
        done = max(steps, self.state.elapsed / self.plan.seconds)
        if steps < self.plan.warmup:
            return (self.state.step + 1) / max(1.0, self.plan.warmup * self.steps)
        return max(0.02, 1.0 - done)

    def _step(self, batch: Sequence[int], progress: Progress) -> None:
        torch, _ = modules()
        for options in self.optimizer.param_groups:
            options["lr"] = self.plan.learning_rate * min(1.0, self._rate())
        states = [self._states(place) for place in batch] if self.is_kept else None
        pairs = [self.pairs[place] for place in batch]
        with self._dropping():
            loss = self._loss(pairs, states) / sum(len(target) for _, target in pairs)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.adapters.parameters(), self.plan.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        now = time.monotonic()
        self.state.step, self.state.batch = self.state.step + 1, self.state.batch + 1
        self.state.elapsed, self.before = self.state.elapsed + now - self.before, now
        value = float(loss.detach())
        if not math.isfinite(value):
            raise ParaphrastError(
                "training broke down: the loss is no number any more."
            )
        if now - self.saved >= SECONDS_BETWEEN_SAVES:
            self._save()
        progress(Step(self.state.step, self.steps, value))

    @contextmanager
    def _dropping(self) -> Iterator[None]:
        """Let the decoder forget by chance, the same at the same step."""
        torch, _ = modules()
        torch.manual_seed(self.plan.seed * 1_000_003 + self.state.step)
        self.model.decoder.train()
        try:
            yield
        finally:
            self.model.decoder.eval()

    def _loss(self, pairs: Sequence[Numbers], states: list[Any] | None = None) -> Any:
        """Return the summed loss of the targets' pieces."""
        torch, _ = modules()
        config = self.model.config
        table = collated(pairs, "encoder-decoder", config.pad_token_id)
        if states is None:
            with torch.no_grad():
                given = {n: table[n] for n in ("input_ids", "attention_mask")}
                read = self.model.encoder(**given).last_hidden_state
        else:
            padded = torch.nn.utils.rnn.pad_sequence(states, batch_first=True)
            read = padded.float()
        logits = self.model(
            encoder_outputs=(read,),
            attention_mask=table["attention_mask"],
            decoder_input_ids=given_to_decoder(table["labels"], config),
            use_cache=False,
        ).logits
        return summed_loss(logits, table["labels"])

    def _states(self, place: int) -> Any:
        """Return what the encoder makes of a source: (pieces, width), in 16 bits."""
        torch, _ = modules()
        if place not in self.kept:
            source = torch.tensor([self.pairs[place][0]])
            with torch.no_grad():
                found = self.model.encoder(input_ids=source).last_hidden_state
            self.kept[place] = found[0].half()
        return self.kept[place]

    def _evaluate(self, progress: Progress) -> None:
        loss = held_out_loss(self.held, self._loss, self.plan.batch_pieces)
        self.state.history.append([float(self.state.step), loss])
        if loss < self.state.best or not self.held:
            self.state.best = loss
            self.best = {
                name: [matrix.clone() for matrix in pair]
                for name, pair in self.adapters.state().items()
            }
        progress(Step(self.state.step, self.steps, math.nan, loss))
        now = time.monotonic()
        self.state.elapsed, self.before = self.state.elapsed + now - self.before, now
        self._save()

    def _save(self) -> None:
        table = {
            "adapters": self.adapters.state(),
            "best": self.best,
            "optimizer": self.optimizer.state_dict(),
            "state": asdict(self.state),
        }
        checkpoints.save(table, self.folder / CHECKPOINT)
        self.saved = time.monotonic()

    def _restore(self, table: dict[str, Any]) -> None:
        self.adapters.restore(table["adapters"])
        self.best = table["best"]
        self.optimizer.load_state_dict(table["optimizer"])
        self.state = _State(**table["state"])
