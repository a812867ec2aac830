"""Train LoRA adapters of a pack's decoder on pairs, on a CPU, within a time limit.

The encoder is frozen, so that its states of a source are computed once and kept. The
decoder trains with dropout, without which a few sentences are soon memorised. Dropout
and the order of the examples are functions of the seed, so a resumed run gives the same
result. If the time limit is reached before the last step, training stops early with the
learning rate annealed; it also stops if the held-out loss has not decreased for some
epochs. The adapters with the lowest held-out loss are kept.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from paraphrast.estimators.schedule import Schedule
from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.finetune.lora import Adapters
from paraphrast.neural.finetune.torch_engine import (
    collate,
    given_to_decoder,
    held_out_loss,
    summed_loss,
)
from paraphrast.neural.finetune.trainer import Ids, Limits, Progress, Trainer

CHECKPOINT = "adapters.pt"
MOST_KEPT = 400_000  # tokens of sources whose states are kept: about 400 MB


@dataclass(frozen=True)
class Plan:
    """How long to train: ``epochs`` over the pairs, but at most ``seconds``."""

    epochs: int
    seconds: float
    learning_rate: float
    warmup: float = 0.06
    batch_tokens: int = 768  # of sources and targets, padding included
    clip: float = 1.0
    patience: int = 1  # evaluations without gain, one per epoch
    seed: int = 1


class Training(Trainer):
    """Trains adapters, with checkpoints in ``folder``."""

    def __init__(
        self,
        model: Any,
        adapters: Adapters,
        pairs: Sequence[Ids],
        held: Sequence[Ids],
        plan: Plan,
        folder: Path,
        progress: Progress,
    ) -> None:
        """Prepare, resuming from a checkpoint in the folder."""
        limits = Limits(plan.epochs, plan.patience, plan.clip, plan.learning_rate)
        super().__init__(limits, folder / CHECKPOINT, progress)
        self.model, self.adapters, self.plan = model, adapters, plan
        self.pairs, self.held = pairs, held
        self.lengths = [len(source) + len(target) for source, target in pairs]
        self.parameters = list(adapters.parameters())
        self.optimizer = torch.optim.AdamW(
            self.parameters, lr=plan.learning_rate, weight_decay=0.0
        )
        steps = plan.epochs * len(self.batches(0))
        self.schedule = Schedule(
            steps, plan.seconds, plan.warmup, fall_from=0.0, floor=0.02
        )
        self.best = adapters.state()
        self.kept: dict[int, Any] = {}
        self.is_kept = sum(len(source) for source, _ in pairs) <= MOST_KEPT

    def run(self, *, evaluate_first: bool = True) -> list[dict[str, float]]:
        """Train to the end and keep the best adapters.

        Before the first step the held-out loss is the model's own.
        """
        history = super().run(evaluate_first=evaluate_first)
        if self.held:
            self.adapters.restore(self.best)
        return history

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the order of the pairs in an epoch."""
        most, seed = self.plan.batch_tokens, self.plan.seed
        return plan(self.lengths, most, seed=seed, epoch=epoch)

    def accumulate(self, batch: Sequence[int]) -> tuple[float, int]:
        """Add the gradient of a batch."""
        states = [self._states(index) for index in batch] if self.is_kept else None
        pairs = [self.pairs[index] for index in batch]
        tokens = sum(len(target) for _, target in pairs)
        with self._dropout():
            loss = self._loss(pairs, states) / tokens
        loss.backward()
        return float(loss.detach()), tokens

    def held_out_loss(self) -> float:
        """Return the loss per token of the held-out pairs."""
        return held_out_loss(self.held, self._loss, self.plan.batch_tokens)

    def keep_best(self) -> None:
        """Copy the adapters."""
        self.best = {
            name: [matrix.clone() for matrix in pair]
            for name, pair in self.adapters.state().items()
        }

    def tables(self) -> dict[str, Any]:
        """Return the current and the best adapters."""
        return {"adapters": self.adapters.state(), "best": self.best}

    def restore(self, tables: dict[str, Any]) -> None:
        """Continue with these adapters."""
        self.adapters.restore(tables["adapters"])
        self.best = tables["best"]

    @contextmanager
    def _dropout(self) -> Iterator[None]:
        """Train the decoder with dropout, deterministic per step."""
        torch.manual_seed(self.plan.seed * 1_000_003 + self.state.step)
        self.model.decoder.train()
        try:
            yield
        finally:
            self.model.decoder.eval()

    def _loss(self, pairs: Sequence[Ids], states: list[Any] | None = None) -> Any:
        """Return the summed loss of the targets' tokens."""
        config = self.model.config
        table = collate(pairs, "encoder-decoder", config.pad_token_id)
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

    def _states(self, index: int) -> Any:
        """Return the encoder's states of a source: (tokens, width), in 16 bits."""
        if index not in self.kept:
            source = torch.tensor([self.pairs[index][0]])
            with torch.no_grad():
                states = self.model.encoder(input_ids=source).last_hidden_state
            self.kept[index] = states[0].half()
        return self.kept[index]
