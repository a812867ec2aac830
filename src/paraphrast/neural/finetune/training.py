"""Fine-tune a model on pairs; the same command on a CPU and on a GPU.

1. `examples` reads and mixes the files; some are held out (`examples.parted`)
2. texts become pieces (`prompts`), once
3. `batches.plan` orders each epoch; `_Learner` takes the steps
4. every so often the held-out loss is taken, the best weights are kept, and after some
   evaluations without gain training stops
5. the model appears as a Hugging Face folder with a record of all that

The same settings and files give the same weights on one machine. A stopped run goes on
from its last checkpoint and ends with the weights that it would have had.
"""

import json
import math
import multiprocessing
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.neural import tokens
from paraphrast.neural.finetune import checkpoints, examples
from paraphrast.neural.finetune.batches import plan
from paraphrast.neural.finetune.examples import Example, Source
from paraphrast.neural.finetune.quantisation_aware import rounded
from paraphrast.neural.finetune.settings import Settings
from paraphrast.neural.finetune.torch_engine import (
    collated,
    device_named,
    held_out_loss,
    load_model,
    modules,
    predicted,
    summed_loss,
)
from paraphrast.neural.models import folders
from paraphrast.neural.models.folders import RECORD, ModelFolder
from paraphrast.neural.models.prompts import Prompter
from paraphrast.storage.packs import sha256
from paraphrast.storage.workshop import Workshop, fingerprint

MANY, MOST_PROCESSES = 50_000, 8  # examples worth starting processes for
CHECKPOINT, BEST, MODEL = "checkpoint.pt", "best.pt", "model"

Numbers: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Report:
    """Where a run is: its step of so many, the loss a piece, and the held-out loss."""

    step: int
    steps: int
    loss: float
    held_out: float | None = None
    pieces_a_second: float = 0.0


Progress: TypeAlias = Callable[[Report], None]


def quiet(report: Report) -> None:
    """Show no progress."""


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
    refuse_taken(folder, replacing=replacing)
    base = folders.read(settings.base)
    learned, held = _examples(settings)
    made_from = {
        "settings": _plain(settings),
        "texts": fingerprint([[e.request.text, e.target] for e in learned]),
    }
    with Workshop(folder, made_from, resume=resume) as workshop:
        learner = _Learner(settings, base, learned, held, workshop.folder, progress)
        history = learner.run()
        record = _record(settings, base, learned, held, history)
        _write(workshop.folder / MODEL, learner, base, record)
        if folder.exists():
            shutil.rmtree(folder)
        (workshop.folder / MODEL).replace(folder)
    return Trained(folder, record)


def refuse_taken(folder: Path, *, replacing: bool) -> None:
    """Refuse a place where something stands that must not be lost."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not replacing:
        raise ParaphrastError(
            f"{folder} is there already. Choose another with -o, or add --replace."
        )
    if not (folder / RECORD).is_file():
        raise ParaphrastError(
            f"{folder} is not a model of ours, so it is not replaced. "
            "Choose another with -o."
        )


def _examples(settings: Settings) -> tuple[list[Example], list[Example]]:
    def read(sources: Sequence[Source]) -> list[Example]:
        parts = [(s, examples.read(s, tagged=settings.tagged)) for s in sources]
        return examples.mixed(parts, settings.seed)

    learned = read(settings.sources)
    if settings.validation:
        held = read(settings.validation)
    else:
        number = min(settings.held_out, len(learned) // 10)
        learned, held = examples.parted(learned, number, settings.seed)
    if not learned:
        raise ParaphrastError("there are no pairs to learn from. Check the files.")
    return learned, held


@dataclass
class _State:
    """How far a run is."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    best: float = math.inf
    without_gain: int = 0
    rounds: bool = False
    history: list[dict[str, float]] = field(default_factory=list)


class _Learner:
    """Takes the steps of a run, from its start or its last checkpoint."""

    def __init__(
        self,
        settings: Settings,
        base: ModelFolder,
        learned: Sequence[Example],
        held: Sequence[Example],
        folder: Path,
        progress: Progress,
    ) -> None:
        torch, _ = modules()
        self.settings, self.folder, self.progress = settings, folder, progress
        self.base, self.examples = base, learned
        self.prompter = base.prompter(tagged=settings.tagged)
        self.pieces = _numbered(learned, self.prompter, settings.longest)
        self.held = _numbered(held, self.prompter, settings.longest)
        self.lengths = [len(source) + len(target) for source, target in self.pieces]
        self.device = device_named(settings.device)
        wanted = settings.precision
        self.half = wanted == "bf16" or (wanted == "auto" and self.device == "cuda")
        self.model = load_model(base, seed=settings.seed).to(self.device)
        self.compiled = torch.compile(self.model) if settings.compile else self.model
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, settings.weight_decay), lr=settings.learning_rate
        )
        batches_an_epoch = len(self._plan(0))
        steps = settings.epochs * -(-batches_an_epoch // settings.accumulate)
        self.steps = min(steps, settings.most_steps) if settings.most_steps else steps
        self.state = _State()
        self.saved = self.began = time.monotonic()

    def run(self) -> list[dict[str, float]]:
        """Learn until the steps are done or nothing is gained any more."""
        torch, _ = modules()
        torch.manual_seed(self.settings.seed)
        if (self.folder / CHECKPOINT).exists():
            checkpoints.restore(self.folder / CHECKPOINT, self._restore)
        self.compiled.train()
        while not self._is_done():
            groups = self._groups_of(self._plan(self.state.epoch))
            start = self.state.batch
            for place in range(start, len(groups)):
                self.state.batch = place + 1
                self._step(groups[place])
                if self._is_done():
                    break
            else:
                self.state.epoch, self.state.batch = self.state.epoch + 1, 0
                if not self.settings.evaluate_every:
                    self._evaluate()
        if not self.state.history or self.state.history[-1]["step"] < self.state.step:
            self._evaluate()
        self._take_best()
        return self.state.history

    def _done(self) -> float:
        """Return which share of the run is done: of its steps or of its time."""
        share = self.state.step / self.steps
        most = self.settings.most_seconds
        return max(share, (time.monotonic() - self.began) / most) if most else share

    def _is_done(self) -> bool:
        return (
            self._done() >= 1
            or self.state.epoch >= self.settings.epochs
            or self.state.without_gain >= self.settings.patience
        )

    def _plan(self, epoch: int) -> list[list[int]]:
        most, seed = self.settings.batch_pieces, self.settings.seed
        return plan(self.lengths, most, seed=seed, epoch=epoch)

    def _groups_of(self, batched: list[list[int]]) -> list[list[list[int]]]:
        size = self.settings.accumulate
        return [batched[i : i + size] for i in range(0, len(batched), size)]

    def _step(self, group: Sequence[Sequence[int]]) -> None:
        torch, _ = modules()
        began = time.monotonic()
        self._begin_rounding()
        for options in self.optimizer.param_groups:
            options["lr"] = self.settings.learning_rate * self._rate()
        pairs = [[self._pair(place) for place in batch] for batch in group]
        wanted = sum(len(target) for batch in pairs for _, target in batch)
        total = torch.zeros((), device=self.device)
        for batch in pairs:
            loss = self._loss(batch, self.settings.smoothing) / wanted
            loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.state.step += 1
        self._after(float(total), wanted / (time.monotonic() - began))

    def _begin_rounding(self) -> None:
        """Go over to 8 bits when it is time; weights from before no longer count."""
        share = self.settings.rounding
        if share and not self.state.rounds and self._done() >= 1 - share:
            self.state.rounds = True
            self.state.best, self.state.without_gain = math.inf, 0

    def _after(self, loss: float, speed: float) -> None:
        if not math.isfinite(loss):
            raise ParaphrastError(
                f"the loss is no number any more at step {self.state.step}. Try a "
                "lower learning_rate, or precision fp32."
            )
        self.progress(Report(self.state.step, self.steps, loss, None, speed))
        every = self.settings.evaluate_every
        if every and self.state.step % every == 0:
            self._evaluate()
        if time.monotonic() - self.saved >= self.settings.checkpoint_seconds:
            self._save()

    def _rate(self) -> float:
        """Return the share of the learning rate for the step to come."""
        warm = max(1 / self.steps, self.settings.warmup)
        share = self._done() + 1 / self.steps
        if share <= warm:
            return share / warm
        done = (share - warm) / max(1 / self.steps, 1 - warm)
        if self.settings.schedule == "linear":
            return max(0.0, 1 - done) or 1 / self.steps
        if self.settings.schedule == "cosine":
            return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
        return 1.0

    def _pair(self, place: int) -> Numbers:
        share = self.settings.masking
        if not share:
            return self.pieces[place]
        seed = f"{self.settings.seed}:{self.state.epoch}:{place}"
        generator = random.Random(seed)
        if generator.random() >= share:
            return self.pieces[place]
        hidden = examples.masked(self.examples[place], generator)
        return _numbers(hidden, self.prompter, self.settings.longest)

    def _loss(self, pairs: Sequence[Numbers], smoothing: float = 0.0) -> Any:
        """Return the summed loss of the targets' pieces."""
        torch, _ = modules()
        multiple = 8 if self.device == "cuda" else 1
        multiple = 32 if self.settings.compile else multiple
        table = collated(pairs, self.base.shape, self.base.padding, multiple=multiple)
        with (
            torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.half),
            rounded(self.model, enabled=self.state.rounds),
        ):
            logits, labels = predicted(self.compiled, table, self.device)
        return summed_loss(logits, labels, smoothing=smoothing)

    def _evaluate(self) -> None:
        """Take the held-out loss, keep the best weights, and save."""
        torch, _ = modules()
        step = {"step": float(self.state.step)}
        if self.held:
            loss = self._held_out_loss()
            step["held_out"] = loss
            gained = loss < self.state.best
            self.state.without_gain = 0 if gained else self.state.without_gain + 1
            if gained:
                self.state.best = loss
                checkpoints.save(self.model.state_dict(), self.folder / BEST)
            self.progress(Report(self.state.step, self.steps, math.nan, loss))
        self.state.history.append(step)
        if math.isfinite(self.settings.checkpoint_seconds):
            self._save()

    def _held_out_loss(self) -> float:
        self.compiled.eval()
        found = held_out_loss(self.held, self._loss, self.settings.batch_pieces)
        self.compiled.train()
        return found

    def _save(self) -> None:
        torch, _ = modules()
        cuda = torch.cuda.get_rng_state() if self.device == "cuda" else None
        table = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "state": asdict(self.state),
            "random": torch.get_rng_state(),
            "cuda": cuda,
        }
        checkpoints.save(table, self.folder / CHECKPOINT)
        self.saved = time.monotonic()

    def _restore(self, table: dict[str, Any]) -> None:
        torch, _ = modules()
        self.model.load_state_dict(table["model"])
        self.optimizer.load_state_dict(table["optimizer"])
        self.state = _State(**table["state"])
        torch.set_rng_state(table["random"])
        if self.device == "cuda" and table["cuda"] is not None:
            torch.cuda.set_rng_state(table["cuda"])

    def _take_best(self) -> None:
        torch, _ = modules()
        path = self.folder / BEST
        if path.exists():
            state = torch.load(path, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state)


def _groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """Return the weights; vectors (biases and norms) do not decay."""
    weights = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in weights if p.ndim > 1], "weight_decay": decay},
        {"params": [p for p in weights if p.ndim <= 1], "weight_decay": 0.0},
    ]


def _numbered(
    found: Sequence[Example], prompter: Prompter, longest: int
) -> list[Numbers]:
    """Return all examples as numbers; many of them are shared out among processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if len(found) < MANY or cores < 2:
        return [_numbers(example, prompter, longest) for example in found]
    # A tokenizer cannot be sent to a process, but a forked one has it.
    context = multiprocessing.get_context("fork")
    given = (prompter, longest)
    with context.Pool(min(cores, MOST_PROCESSES), _HELPER.extend, (given,)) as pool:
        return pool.map(_numbers_there, found, chunksize=2000)


_HELPER: list[Any] = []  # in a process of `_numbered`: the prompter and the longest


def _numbers_there(example: Example) -> Numbers:
    return _numbers(example, *_HELPER)


def _numbers(example: Example, prompter: Prompter, longest: int) -> Numbers:
    """Return both sides as numbers; a long one keeps its start and its last."""
    sides = prompter.source(example.request), prompter.target(example.target)
    source, target = (prompter.tokenizer.numbers(side) for side in sides)
    return _cut(source, longest), _cut(target, longest)


def _cut(numbers: list[int], longest: int) -> list[int]:
    if len(numbers) <= longest:
        return numbers
    return [*numbers[: longest - 1], numbers[-1]]


def _plain(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON can hold them; files by name, for a record to travel."""
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
    weights = base.path / folders.WEIGHTS
    return {
        "format": 1,
        "settings": _plain(settings),
        "tagged": settings.tagged,
        "masked": settings.masking > 0,
        "styles": styles,
        "examples": len(learned),
        "held_out": len(held),
        "base": {
            "name": base.path.name,
            "sha256": sha256(weights) if weights.exists() else "",
        },
        "data": [
            {"name": path.name, "sha256": sha256(path)}
            for path in dict.fromkeys(source.path for source in settings.sources)
        ],
        "history": list(history),
        "versions": {n: version(n) for n in ("paraphrast", "torch", "transformers")},
    }


def _write(
    folder: Path, learner: _Learner, base: ModelFolder, record: dict[str, Any]
) -> None:
    learner.model.to("cpu").save_pretrained(folder)
    shutil.copyfile(base.path / tokens.FILE, folder / tokens.FILE)
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    (folder / RECORD).write_text(text, encoding="utf-8")
