"""Train a pack on a new style from texts in that style alone, on a CPU.

1. The texts are split: some are held out for evaluation.
2. The pack paraphrases all of them plainly (`back_paraphrase`), as in STRAP.
3. The pack's nearest style is found, and its tag is the starting point.
4. LoRA adapters of the decoder are trained on the inverse (`lora`, `lora_training`).
5. They are merged into the weights, in 8 bits, and a new pack is written: the old one's
   other files, the new weights, and a reranker of candidates (`style_guide`).

The evaluation of the new style is passed as an argument, since no rewriter imports a
judge. Every finished stage is kept until the end, so that a run can be resumed.
"""

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.neural.candidates import checker, rerank
from paraphrast.neural.finetune.examples import Example, mask_shared_spans
from paraphrast.neural.learn import back_paraphrase, style_guide
from paraphrast.neural.learn.back_paraphrase import Pair
from paraphrast.neural.learn.style_guide import StyleGuide, StyleModel
from paraphrast.neural.models import pack as model_pack
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.generation import Prompter, Request
from paraphrast.neural.rewriter import NeuralRewriter
from paraphrast.neural.styles import KIND
from paraphrast.storage import atomic, ctranslate2_weights, packs
from paraphrast.storage.ctranslate2_model import WEIGHTS
from paraphrast.storage.packs import About, Data, Pack, Score
from paraphrast.storage.resumable import Parts, fingerprint
from paraphrast.text import subwords

if TYPE_CHECKING:
    from paraphrast.neural.finetune.trainer import Ids, Report

BLOCK = 128  # texts whose versions are made and kept at a time
LONGEST = 96  # tokens of a side that are learned from
PROBED = 48  # pairs by which the nearest style is found
HELD_OUT_SHARE, LEAST_HELD, MOST_HELD = 0.1, 40, 200
PRESENTED = 5_000  # pairs in training, each as often as it comes
FEWEST_EPOCHS, MOST_EPOCHS = 1, 3
FEWEST_PAIRS = 100
MASKED_SHARE = 0.1  # of the pairs, if the pack knows placeholders
GUIDED = rerank.Settings(style=4.0, meaning=1.0, fluency=0.0, likelihood=1.0)
TEMPERATURE = 0.7  # of the samples: in hotter ones style costs meaning and fluency
REPORT = "report.json"


@dataclass(frozen=True)
class Texts:
    """The user's sentences, and the name, hash and licence of where they came from."""

    sentences: Sequence[str]
    source: Data


@dataclass(frozen=True)
class Options:
    """Options of learning: ``seconds`` limits the training of the adapters."""

    seconds: float = 840.0
    threads: int = 2
    rank: int = 16
    learning_rate: float = 1e-3
    seed: int = 1


@dataclass(frozen=True)
class HeldOut:
    """The evaluation data for a new style.

    ``learned`` and ``others`` are sentences of the style and versions of them that the
    guide of the evaluated rewriter has not seen; ``versions`` are other versions of
    ``originals``, which were not used in training: the first of each, then the second,
    and so on. ``nearest`` is the style of the old pack from which training started.
    """

    style: str
    nearest: str
    learned: Sequence[str]
    others: Sequence[str]
    versions: Sequence[str]
    originals: Sequence[str]


@dataclass(frozen=True)
class Measured:
    """Figures for the pack's manifest, and a report in its folder."""

    scores: tuple[Score, ...]
    report: Mapping[str, Any]


@dataclass(frozen=True)
class Progress:
    """The current stage, its progress, and a remark."""

    stage: str
    done: int
    of: int
    remark: str = ""


Show: TypeAlias = Callable[[Progress], None]
# It is given the rewriter before learning, the one after it, and what is held out.
Measure: TypeAlias = Callable[[NeuralRewriter, NeuralRewriter, HeldOut], Measured]


@dataclass(frozen=True)
class Taught:
    """A new pack and its evaluation."""

    pack: Pack
    report: Mapping[str, Any]


def teach(
    base: Pack,
    texts: Texts,
    folder: Path,
    *,
    measure: Measure,
    show: Show,
    options: Options | None = None,
    resume: bool = False,
    replacing: bool = False,
) -> Taught:
    """Write a pack in the style of ``texts``; the style has the folder's name."""
    chosen = options or Options()
    require("torch").set_num_threads(chosen.threads)
    packs.refuse_taken(folder, replacing=replacing)
    made_from = {
        "options": asdict(chosen),
        "texts": fingerprint(list(texts.sentences)),
        "base": base.about.files[WEIGHTS].sha256,
    }
    with Parts(folder, made_from, resume=resume) as parts:
        lesson = _Lesson(base, folder.name, texts, chosen, parts, show)
        learned = lesson.learn()
        with packs.new(folder, replacing=replacing) as filling:
            learned.write(filling)
            show(Progress("measuring", 0, 1))
            measured = measure(
                learned.before(), learned.rewriter(filling), learned.held_out()
            )
            show(Progress("measuring", 1, 1))
            report = {**measured.report, "lesson": learned.describe()}
            atomic.write_json(filling / REPORT, report)
            about = replace(learned.about(), scores=measured.scores)
            about = packs.seal(filling, about, asdict(learned.settings))
    return Taught(Pack(folder, about), report)


class _Lesson:
    """The stages of learning, each of which can be resumed."""

    def __init__(
        self,
        base: Pack,
        name: str,
        texts: Texts,
        options: Options,
        parts: Parts,
        show: Show,
    ) -> None:
        self.base, self.name, self.texts = base, name, texts
        self.options, self.parts, self.show = options, parts, show
        settings = base.settings(model_pack.Settings)
        if settings.shape != "encoder-decoder" or not settings.tagged:
            raise ParaphrastError(
                f"{base.folder} cannot be fine-tuned: it is not a T5 with several "
                "styles. Name another pack with --from."
            )
        self.settings = settings
        self.styles = list(base.about.styles)
        self.plain = back_paraphrase.plain_style(self.styles)
        self.prompter = Prompter(
            subwords.load(base.folder), settings.shape, settings.end, tagged=True
        )
        self.engine = Int8Engine(base.folder, self.prompter, options.threads)
        self.kept, self.held = _hold_out(texts.sentences, options.seed)
        self.trained = Progress("learning", 0, 0)
        self.seconds = 0.0

    def learn(self) -> "_Learned":
        """Run the stages."""
        self._show_pairs(0)
        held = self._pairs("held", self.held)
        pairs = self._pairs("learned", self.kept, before=len(self.held))
        if len(pairs) < FEWEST_PAIRS:
            raise ParaphrastError(
                f"only {len(pairs)} of {len(self.kept)} sentences could be paraphrased "
                f"into plain English with their names kept, but {FEWEST_PAIRS} are "
                "needed. Give more text, with longer sentences."
            )
        tag = self._nearest(pairs)
        layers = self._train_layers(pairs, held, tag)
        return _Learned(self, tag, layers, pairs, held)

    def _show_pairs(self, done: int) -> None:
        of = len(self.held) + len(self.kept)
        self.show(Progress("paraphrasing", done, of))

    def _pairs(self, part: str, texts: Sequence[str], before: int = 0) -> list[Pair]:
        """Return pairs for texts, in resumable blocks.

        ``before`` is the number of texts before these.
        """
        pairs: list[Pair] = []
        for start in range(0, len(texts), BLOCK):
            block = texts[start : start + BLOCK]

            def make(path: Path, block: Sequence[str] = block, at: int = start) -> None:
                made = back_paraphrase.pairs(self.engine, block, self.styles, start=at)
                with atomic.writer(path) as file:
                    json.dump([[pair.source, pair.target] for pair in made], file)

            path = self.parts.make(f"{part}.{start}.json", make)
            rows = json.loads(path.read_text("utf-8"))
            pairs += [Pair(source, target) for source, target in rows]
            self._show_pairs(before + start + len(block))
        return pairs

    def _nearest(self, pairs: Sequence[Pair]) -> str:
        """Return the tag that gives the texts the highest probability."""
        draw = random.Random(self.options.seed)
        probed = draw.sample(list(pairs), min(PROBED, len(pairs)))
        targets = [pair.target for pair in probed]

        def likely(style: str) -> float:
            requests = [Request(pair.source, style) for pair in probed]
            return sum(self.engine.score(requests, targets))

        nearest = max(self.styles, key=likely)
        remark = f"{nearest} is nearest"
        self.show(Progress("finding the nearest style", 1, 1, remark))
        return nearest

    def _train_layers(
        self, pairs: Sequence[Pair], held: Sequence[Pair], tag: str
    ) -> dict[str, Any]:
        """Return the changed layers' weights."""
        from paraphrast.neural.finetune import t5_weights
        from paraphrast.neural.finetune.lora import adapt
        from paraphrast.neural.finetune.lora_training import Plan, Training

        model, weights = t5_weights.open_model(self.base.folder)
        names = [
            name
            for layer in t5_weights.places(weights)
            for name in layer.layers
            if name.startswith("decoder")
        ]
        adapters = adapt(model, names, rank=self.options.rank, seed=self.options.seed)
        epochs = -(-PRESENTED // len(pairs))
        plan = Plan(
            epochs=max(FEWEST_EPOCHS, min(MOST_EPOCHS, epochs)),
            seconds=self.options.seconds,
            learning_rate=self.options.learning_rate,
            seed=self.options.seed,
        )
        training = Training(
            model,
            adapters,
            self._encode_pairs(pairs, tag, hide=True),
            self._encode_pairs(held, tag),
            plan,
            self.parts.folder,
            self._show_step,
        )
        began = time.monotonic()
        training.run()
        self.seconds = time.monotonic() - began
        return adapters.merge_weights(model)

    def _show_step(self, report: "Report") -> None:
        held = report.held_out
        loss = "" if held is None else f"held-out loss {held:.3f}"
        self.trained = Progress("learning", report.step, report.steps, loss)
        self.show(self.trained)

    def _encode_pairs(
        self, pairs: Sequence[Pair], tag: str, *, hide: bool = False
    ) -> list["Ids"]:
        draw = random.Random(self.options.seed)
        hide = hide and self.settings.masked
        encoded = []
        for pair in pairs:
            example = Example(Request(pair.source, tag), pair.target)
            if hide and draw.random() < MASKED_SHARE:
                example = mask_shared_spans(example, draw)
            sides = (
                self.prompter.source(example.request),
                self.prompter.target(example.target),
            )
            source, target = (self.prompter.tokenizer.ids(side) for side in sides)
            if len(source) <= LONGEST and len(target) <= LONGEST:
                encoded.append((source, target))
        return encoded


@dataclass(frozen=True)
class _Learned:
    """Everything that goes into the new pack."""

    lesson: _Lesson
    tag: str
    layers: Mapping[str, Any]
    pairs: Sequence[Pair]
    held: Sequence[Pair]

    @property
    def settings(self) -> model_pack.Settings:
        """Return the pack's settings: the old one's, with the tag to start from."""
        plain = self.lesson.plain
        old = self.lesson.settings
        return replace(
            old,
            through="",
            tag=self.tag,
            plain=plain,
            decoding=replace(old.decoding, temperature=TEMPERATURE),
            choosing=replace(GUIDED, checks=old.choosing.checks),
        )

    def write(self, filling: Path) -> None:
        """Fill a pack's folder, all but its manifest."""
        from paraphrast.neural.finetune import t5_weights

        base = self.lesson.base
        own = (packs.README, packs.CONFIG, WEIGHTS, style_guide.FILE, REPORT)
        for name in base.about.files:
            if name not in own:
                (filling / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(base.folder / name, filling / name)
        weights = ctranslate2_weights.read(base.folder / WEIGHTS)
        changed = t5_weights.replace_layers(weights, self.layers)
        ctranslate2_weights.write(changed, filling / WEIGHTS)
        self.guide.save(filling / style_guide.FILE)

    @cached_property
    def guide(self) -> StyleModel:
        """Return the pack's style model for reranking, trained on every text."""
        return self._guide(self.lesson.kept)

    def _guide(self, texts: Sequence[str]) -> StyleModel:
        read = set(texts)
        outside = [pair.source for pair in self.pairs if pair.target in read]
        return style_guide.learn(texts, outside, seed=self.lesson.options.seed)

    @property
    def checker(self) -> rerank.Checker | None:
        """Return the old pack's checker of meaning, which the new one keeps."""
        base = self.lesson.base
        return checker.load(base.folder, base.sha256, self.lesson.options.threads)

    def before(self) -> NeuralRewriter:
        """Return what rewrites into the nearest style of the old pack."""
        lesson = self.lesson
        step = model_pack.Step(lesson.engine, self.tag)
        settings = replace(lesson.settings, through="")
        return NeuralRewriter(model_pack.Model((step,), settings, checker=self.checker))

    def rewriter(self, filling: Path) -> NeuralRewriter:
        """Return the rewriter of the new pack before it is sealed.

        Its guide is trained on every second text only, so that the evaluation can use
        the others: see `held_out`.
        """
        lesson = self.lesson
        engine = Int8Engine(filling, lesson.prompter, lesson.options.threads)
        step = model_pack.Step(engine, lesson.name, self.tag)
        guide = StyleGuide(self._guide(lesson.kept[::2]), engine, lesson.plain)
        model = model_pack.Model((step,), self.settings, checker=self.checker)
        return NeuralRewriter(model, guide=guide)

    def held_out(self) -> HeldOut:
        """Return the evaluation data, most of which was not used in training."""
        lesson = self.lesson
        unread = set(lesson.kept[1::2])
        others = [pair.source for pair in self.pairs if pair.target in unread]
        rounds = Counter[str]()
        order = []
        for pair in self.held:
            rounds[pair.target] += 1
            order.append((rounds[pair.target], pair))
        held = [pair for _, pair in sorted(order, key=lambda row: row[0])]
        return HeldOut(
            lesson.name,
            self.tag,
            sorted(unread),
            others,
            [pair.source for pair in held],
            [pair.target for pair in held],
        )

    def describe(self) -> dict[str, Any]:
        """Return the progress of training, and how much of the text was usable."""
        trained, options = self.lesson.trained, self.lesson.options
        return {
            "steps": trained.done,
            "planned_steps": trained.of,
            "seconds": round(self.lesson.seconds, 1),
            "stopped_by_time": self.lesson.seconds >= options.seconds,
            "training_sentences": len(self.lesson.kept),
            "paraphrased_sentences": len({pair.target for pair in self.pairs}),
        }

    def about(self) -> About:
        """Return the pack's manifest data."""
        base, texts = self.lesson.base, self.lesson.texts
        number = len(texts.sentences)
        line = f"learned from {texts.source.name} ({number:,} sentences)"
        return About(
            name=self.lesson.name,
            kind=KIND,
            styles={self.lesson.name: line},
            licences=base.about.licences,
            evaluators=(*base.about.evaluators, self.guide.signature),
            data=(*base.about.data, texts.source),
        )


def _hold_out(sentences: Sequence[str], seed: int) -> tuple[list[str], list[str]]:
    """Return the sentences to learn from, and those to hold out."""
    order = list(sentences)
    random.Random(seed).shuffle(order)
    share = round(HELD_OUT_SHARE * len(order))
    number = min(MOST_HELD, max(LEAST_HELD, share))
    return order[number:], order[:number]
