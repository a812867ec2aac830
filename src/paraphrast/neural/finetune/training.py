"""Fine-tune a model on pairs; the same command on a CPU and on a GPU.

1. `examples` reads and mixes the files; some are held out (`examples.hold_out`)
2. texts are tokenised (`generation.Prompter`), once
3. `batches.plan` orders each epoch; `trainer.Trainer` runs the steps, evaluates, and
   stops early
4. the model is written as a Hugging Face folder with a record of the training

The same settings and files give the same weights on one machine.
"""

import math
import multiprocessing
import os
import random
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.schedule import Schedule
from paraphrast.neural.finetune import examples
from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.finetune.examples import Example, Source
from paraphrast.neural.finetune.quantisation_aware import round_linear_layers
from paraphrast.neural.finetune.settings import Settings
from paraphrast.neural.finetune.torch_engine import (
    collate,
    held_out_loss,
    load_model,
    predict_logits,
    summed_loss,
)
from paraphrast.neural.finetune.trainer import (
    Ids,
    NetworkTrainer,
    Progress,
    device_named,
    quiet,
)
from paraphrast.neural.models import folders
from paraphrast.neural.models.folders import ModelFolder
from paraphrast.neural.models.generation import Prompter
from paraphrast.storage import sealed_folder
from paraphrast.storage.resumable import Parts, fingerprint
from paraphrast.storage.sealed_folder import sha256
from paraphrast.text import subwords

MANY, MOST_PROCESSES = 50_000, 8  # examples worth starting processes for


@dataclass(frozen=True)
class Trained:
    """A new model's folder and its record."""

    folder: Path
    record: dict[str, Any]


def train(
    settings: Settings,
    folder: Path,
    *,
    progress: Progress = quiet,
    resume: bool = False,
    replacing: bool = False,
) -> Trained:
    """Write a trained model to a new folder."""
    sealed_folder.refuse_taken(folder, folders.KIND, replacing=replacing)
    base = folders.read(settings.base)
    learned, held = _examples(settings)
    made_from = {
        "settings": _plain(settings),
        "base": _weights_hash(base),
        "texts": fingerprint([[e.request.text, e.target] for e in learned]),
    }
    with Parts(folder, made_from, resume=resume) as parts:
        learner = _Learner(settings, base, learned, held, parts.folder, progress)
        history = learner.run()
        record = _record(settings, base, learned, held, history)
        with sealed_folder.new(folder, folders.KIND, replacing=replacing) as filling:
            learner.network.to("cpu").save_pretrained(filling)
            shutil.copyfile(base.path / subwords.FILE, filling / subwords.FILE)
            record = sealed_folder.seal(filling, folders.KIND, record)
    return Trained(folder, record)


def _examples(settings: Settings) -> tuple[list[Example], list[Example]]:
    def read(sources: Sequence[Source]) -> list[Example]:
        parts = [(s, examples.read(s, tagged=settings.tagged)) for s in sources]
        return examples.mix_examples(parts, settings.seed)

    learned = read(settings.sources)
    if settings.validation:
        held = read(settings.validation)
    else:
        number = min(settings.held_out, len(learned) // 10)
        learned, held = examples.hold_out(learned, number, settings.seed)
    if not learned and held:
        raise ParaphrastError(
            "every pair shares a side with a held-out pair. Give more pairs, or set "
            "held_out to 0."
        )
    if not learned:
        raise ParaphrastError("there are no pairs to learn from. Check the files.")
    return learned, held


class _Learner(NetworkTrainer):
    """Fine-tunes all weights of a model."""

    def __init__(
        self,
        settings: Settings,
        base: ModelFolder,
        learned: Sequence[Example],
        held: Sequence[Example],
        folder: Path,
        progress: Progress,
    ) -> None:
        super().__init__(settings, folder, progress)
        self.settings = settings
        self.base, self.examples = base, learned
        self.prompter = base.prompter(tagged=settings.tagged)
        self.pairs = _encode_all(learned, self.prompter, settings.longest)
        self.held = _encode_all(held, self.prompter, settings.longest)
        self.lengths = [len(source) + len(target) for source, target in self.pairs]
        self.device = device_named(settings.device)
        wanted = settings.precision
        self.half = wanted == "bf16" or (wanted == "auto" and self.device == "cuda")
        self.network = load_model(base, seed=settings.seed).to(self.device)
        self.compiled = self.network
        if settings.compile:
            self.compiled = torch.compile(self.network)
        self.parameters = list(self.network.parameters())
        self.optimizer = torch.optim.AdamW(
            _groups(self.network, settings.weight_decay), lr=settings.learning_rate
        )
        steps = settings.epochs * len(self.batches(0))
        self.schedule = Schedule(
            min(steps, settings.most_steps) if settings.most_steps else steps,
            settings.most_seconds,
            settings.warmup,
            settings.schedule,
        )

    def run(self, *, evaluate_first: bool = False) -> list[dict[str, float]]:
        """Train to the end and load the best weights."""
        torch.manual_seed(self.settings.seed)
        self.compiled.train()
        return super().run(evaluate_first=evaluate_first)

    def batches(self, epoch: int) -> list[list[list[int]]]:
        """Return groups of batches; a group makes a step."""
        most, seed = self.settings.batch_tokens, self.settings.seed
        ordered = plan(self.lengths, most, seed=seed, epoch=epoch)
        size = self.settings.accumulate
        return [ordered[i : i + size] for i in range(0, len(ordered), size)]

    def accumulate(self, batch: Sequence[Sequence[int]]) -> tuple[float, int]:
        """Add the gradients of a group of batches."""
        self._begin_quantisation()
        parts = [[self._pair(index) for index in part] for part in batch]
        tokens = sum(len(target) for part in parts for _, target in part)
        total = torch.zeros((), device=self.device)
        for part in parts:
            loss = self._loss(part, self.settings.smoothing) / tokens
            loss.backward()
            total += loss.detach()
        return float(total), tokens

    def held_out_loss(self) -> float:
        """Return the loss per token of the held-out pairs, without dropout."""
        self.compiled.eval()
        loss = held_out_loss(self.held, self._loss, self.settings.batch_tokens)
        self.compiled.train()
        return loss

    def _begin_quantisation(self) -> None:
        """Switch to quantisation-aware training when due; drop earlier best weights."""
        share = self.settings.quantisation_aware
        if share and not self.state.quantised and self.share_done() >= 1 - share:
            self.state.quantised = True
            self.state.best, self.state.without_gain = math.inf, 0

    def _pair(self, index: int) -> Ids:
        share = self.settings.masking
        if not share:
            return self.pairs[index]
        seed = f"{self.settings.seed}:{self.state.epoch}:{index}"
        generator = random.Random(seed)
        if generator.random() >= share:
            return self.pairs[index]
        hidden = examples.mask_shared_spans(self.examples[index], generator)
        return _encode(hidden, self.prompter, self.settings.longest)

    def _loss(self, pairs: Sequence[Ids], smoothing: float = 0.0) -> Any:
        """Return the summed loss of the targets' tokens."""
        multiple = 8 if self.device == "cuda" else 1
        multiple = 32 if self.settings.compile else multiple
        table = collate(pairs, self.base.shape, self.base.padding, multiple=multiple)
        with (
            torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.half),
            round_linear_layers(self.network, enabled=self.state.quantised),
        ):
            logits, labels = predict_logits(self.compiled, table, self.device)
        return summed_loss(logits, labels, smoothing=smoothing)


def _groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """Return the parameter groups; vectors (biases and norms) have no weight decay."""
    weights = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in weights if p.ndim > 1], "weight_decay": decay},
        {"params": [p for p in weights if p.ndim <= 1], "weight_decay": 0.0},
    ]


def _encode_all(
    examples: Sequence[Example], prompter: Prompter, longest: int
) -> list[Ids]:
    """Return all examples as token ids, in several processes if there are many."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if len(examples) < MANY or cores < 2:
        return [_encode(example, prompter, longest) for example in examples]
    # A tokenizer cannot be sent to a process, but a forked one has it.
    context = multiprocessing.get_context("fork")
    given = (prompter, longest)
    number = min(cores, MOST_PROCESSES)
    with ProcessPoolExecutor(number, context, _HELPER.extend, (given,)) as pool:
        try:
            return list(pool.map(_encode_there, examples, chunksize=2000))
        except BrokenProcessPool as error:
            raise ParaphrastError(
                "a process that encoded examples was killed, perhaps for lack of "
                "memory. Give fewer examples, or close other programs."
            ) from error


_HELPER: list[Any] = []  # in a process of `_encode_all`: the prompter and the longest


def _encode_there(example: Example) -> Ids:
    return _encode(example, *_HELPER)


def _encode(example: Example, prompter: Prompter, longest: int) -> Ids:
    """Return both sides as token ids; a long one is truncated before its last token."""
    sides = prompter.source(example.request), prompter.target(example.target)
    source, target = (prompter.tokenizer.ids(side) for side in sides)
    return _cut(source, longest), _cut(target, longest)


def _cut(numbers: list[int], longest: int) -> list[int]:
    if len(numbers) <= longest:
        return numbers
    return [*numbers[: longest - 1], numbers[-1]]


def _plain(settings: Settings) -> dict[str, Any]:
    """Return settings as a portable JSON value, with files by name."""
    table = asdict(settings)
    table["base"] = settings.base.name
    for key in ("sources", "validation"):
        table[key] = [s | {"path": s["path"].name} for s in table[key]]
    return table


def _record(
    settings: Settings,
    base: ModelFolder,
    learned: Sequence[Example],
    held: Sequence[Example],
    history: Sequence[dict[str, float]],
) -> dict[str, Any]:
    styles = sorted({e.request.style for e in learned if e.request.style})
    return {
        "settings": _plain(settings),
        "tagged": settings.tagged,
        "masked": settings.masking > 0,
        "styles": styles,
        "examples": len(learned),
        "held_out": len(held),
        "base": {"name": base.path.name, "sha256": _weights_hash(base)},
        "data": [
            {"name": path.name, "sha256": sha256(path)}
            for path in dict.fromkeys(source.path for source in settings.sources)
        ],
        "history": list(history),
        "versions": {n: version(n) for n in ("paraphrast", "torch", "transformers")},
    }


def _weights_hash(base: ModelFolder) -> str:
    weights = base.path / folders.WEIGHTS
    return sha256(weights) if weights.exists() else ""
