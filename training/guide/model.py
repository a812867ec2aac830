"""The guide: a reranker that scores style, meaning and fluency of samples.

One SmolLM2 with a head of eleven styles, one of Shakespeare against modern English, one
of fluency, and a vector of meaning. It shares neither backbone nor text with the judge.
`Guide` is what `paraphrast.neural.candidates.rerank` takes; its `signature` goes into
the manifest of a pack that was made with it, so that scoring refuses it.

Run    python -m training.guide.model --folder FOLDER --seconds 150
Needs  FOLDER with backbone/ (training.base_models smollm2), tokenizer.json and
       guide.npz (data.py); torch, transformers; minutes of one GPU. ``--share 0.001``
       tries it on a CPU.
Makes  guide.json (signature and figures), then guide.pt
"""

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor

from paraphrast.judges.training.examples import LONGEST, Table
from paraphrast.judges.training.fitting import Labelled, Plan, Task, fit
from paraphrast.judges.training.network import Head, Marks, Network
from training.judge.measure import spearman
from training.judge.prediction import predict
from training.judge.tables import load
from training.judge.tasks import Contrast
from training.styles import STYLES

HEADS = (
    Head("style", "classes", len(STYLES)),
    Head("plays", "classes", 2),
    Head("natural", "flag"),
)
LAYERS = 24  # of SmolLM2's 30
PLAYS = ("modern", "shakespeare")
MARKS = Marks(start=0, end=0, padding=0)  # <|endoftext|>
ROWS, CLIPPED = 2048, 78
SAMPLES = (
    "Wherefore art thou so pale and wan, good my lord?",
    "Why do you look so pale, sir?",
    "Why dost thou thee pale of the of my lord lord?",
    "He will not come to the feast tonight.",
)


class Causal(Network):
    """A causal network: its last state represents the whole text."""

    def pool_states(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean of a text's states and its last one."""
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask[:, :, None].to(states.dtype)
        mean = (states * weights).sum(1, dtype=torch.float32) / mask.sum(1)[:, None]
        ends = mask.sum(1) - 1
        return mean, states[torch.arange(len(ids), device=ids.device), ends].float()


class Guide:
    """Scores style, meaning and fluency as probabilities; each text is read once."""

    def __init__(self, network: Causal, cut: Any, *, device: str, signature: str):
        """Take a trained network and its tokenizer."""
        half = torch.bfloat16 if device == "cuda" else torch.float32
        self.network = network.to(device).eval()
        self.network.encoder.to(half)
        self.cut, self.device, self.signature = cut, device, signature
        self.forget()

    @classmethod
    def load(cls, folder: Path, *, device: str = "cuda") -> "Guide":
        """Return the guide that ``train`` wrote into a folder."""
        import tokenizers

        state = torch.load(folder / "guide.pt", map_location="cpu", weights_only=True)
        config = transformers.AutoConfig.from_pretrained(folder / "backbone")
        config.num_hidden_layers = LAYERS
        network = add_heads(transformers.AutoModel.from_config(config))
        network.load_state_dict({k: v.float() for k, v in state.items()})
        cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        cut.enable_truncation(LONGEST)
        record = json.loads((folder / "guide.json").read_text("utf-8"))
        return cls(network, cut, device=device, signature=record["signature"])

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return for each text the probability that it is in the style."""
        result = self.read(texts)
        chance = result["style"][:, STYLES.index(style)]
        if style in PLAYS:
            plays = result["plays"] if style == "shakespeare" else 1 - result["plays"]
            chance = (chance + plays) / 2
        return [float(value) for value in chance]

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return for each text the similarity of its meaning to its source's."""
        self._remember([*sources, *texts])
        ours = [self._places[text] for text in sources]
        theirs = [self._places[text] for text in texts]
        result: list[float] = []
        for start in range(0, len(ours), 65_536):
            part = slice(start, start + 65_536)
            pair = self._vectors[ours[part]] * self._vectors[theirs[part]]
            result += pair.sum(1, dtype=torch.float32).clamp(0, 1).tolist()
        return result

    def fluency(self, texts: Sequence[str]) -> list[float]:
        """Return for each text the probability that it is a natural sentence."""
        return [float(value) for value in self.read(texts)["fluency"]]

    def read(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return probabilities by text: style (texts, 11), plays, fluency (texts,)."""
        self._remember(texts)
        rows = self._figures[[self._places[text] for text in texts]]
        return {
            "style": rows[:, : len(STYLES)],
            "plays": rows[:, -2],
            "fluency": rows[:, -1],
        }

    def forget(self) -> None:
        """Clear the cache of texts, to free memory."""
        self._places: dict[str, int] = {}
        self._figures = np.zeros((0, len(STYLES) + 2), np.float32)
        self._vectors = torch.zeros(
            0, self.network.encoder.config.hidden_size, dtype=torch.float16
        )

    def _remember(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._places]
        if not new:
            return
        cut = [
            np.array(encoding.ids, np.int64)
            for encoding in self.cut.encode_batch_fast([text.lower() for text in new])
        ]
        order = sorted(range(len(new)), key=lambda index: len(cut[index]))
        figures, vectors = [], []
        with torch.inference_mode():
            for start in range(0, len(order), ROWS):
                chosen = [cut[index] for index in order[start : start + ROWS]]
                result, vector = self._run(chosen)
                figures.append(result)
                vectors.append(vector)
        begin = len(self._places)
        self._places |= {new[index]: begin + row for row, index in enumerate(order)}
        result = torch.cat(figures).cpu().numpy()
        self._figures = np.concatenate([self._figures, result])
        self._vectors = torch.cat([self._vectors, *(v.cpu() for v in vectors)])

    def _run(self, texts: list[Any]) -> tuple[Tensor, Tensor]:
        network = self.network
        mean, last = network.pool_states(*network.batch(texts, self.device))
        logits = {head.name: network.read(head.name, mean, last) for head in HEADS}
        result = (
            logits["style"].softmax(1),
            logits["plays"].softmax(1)[:, 1:],
            logits["natural"].sigmoid(),
        )
        return torch.cat(result, 1), network.vectors(mean).half()


def add_heads(encoder: Any) -> Causal:
    """Return an encoder with untrained heads."""
    torch.manual_seed(1)
    return Causal(encoder, HEADS, marks=MARKS, vector=encoder.config.hidden_size)


def load_backbone(folder: Path) -> Any:
    """Return the first layers of SmolLM2."""
    model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
    model.layers = model.layers[:LAYERS]
    return model.float()


def train(options: argparse.Namespace) -> None:
    """Train all heads together, measure, and write."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    tables = load(options.folder / "guide.npz")
    if options.share < 1:
        tables = {
            name: sample_rows(table, options.share) for name, table in tables.items()
        }
    network = add_heads(load_backbone(options.folder / "backbone"))
    tables = {name: clip_texts(table) for name, table in tables.items()}
    size = 1.0 if options.share == 1 else 0.05
    tasks: list[Task] = [
        Labelled("style", tables["style"], scale(160, size)),
        Labelled("plays", tables["plays"], scale(64, size)),
        Labelled("natural", tables["natural"], scale(256, size), weight=1.5),
        Contrast(tables["pairs"], scale(112, size), weight=2.0),
    ]
    began = time.time()

    def progress(step: int, loss: float) -> None:
        print(f"{step} {loss:.3f} {time.time() - began:.0f}s", flush=True)

    plan = Plan(scale(6000, options.share), options.rate, 1, seconds=options.seconds)
    fit(network, tasks, plan, device=device, progress=progress)
    network.eval()
    figures = measure(network, tables, device)
    print(json.dumps(figures), flush=True)
    state = {k: v.half().cpu() for k, v in network.state_dict().items()}
    record = {"signature": hash_weights(state), **figures}
    (options.folder / "guide.json").write_text(json.dumps(record, indent=1))
    torch.save(state, options.folder / "guide.part")
    (options.folder / "guide.part").rename(options.folder / "guide.pt")
    guide = Guide.load(options.folder, device=device)
    for text in SAMPLES:
        own = guide.style([text], "shakespeare"), guide.fluency([text])
        same = guide.meaning([SAMPLES[0]], [text])
        print([round(values[0], 3) for values in (*own, same)], text, flush=True)


def scale(number: int, share: float) -> int:
    return max(4, int(number * share))


def clip_texts(table: Table) -> Table:
    """Return the table with long texts truncated: they cost more than they teach."""
    texts = [text[:CLIPPED] for text in table.texts]
    return Table(texts, table.labels, table.width, table.extra)


def sample_rows(table: Table, share: float) -> Table:
    count = max(40, int(len(table) * share))
    places = np.random.default_rng(1).permutation(len(table))[:count]
    texts = [
        table.texts[table.width * i + j] for i in places for j in range(table.width)
    ]
    return Table(texts, table.labels[places], table.width)


def measure(network: Causal, tables: dict[str, Table], device: str) -> dict[str, float]:
    """Return figures on text that it has not seen; test parts are for information."""
    result = {}

    def logits(name: str) -> Any:
        return predict(network, tables[name].texts, device=device)

    for head, table, name in (
        ("style", "style_dev", "eleven styles, accuracy on held-out text"),
        ("plays", "plays_valid", "Twelfth Night, accuracy"),
    ):
        right = logits(table)[head].argmax(1) == tables[table].labels
        result[name] = float(right.mean())
    own = tables["natural_own"]
    natural = logits("natural_own")["natural"][:, 0] > 0
    result["natural against broken and nonsense, accuracy on held-out text"] = float(
        (natural == (own.labels > 0.5)).mean()
    )
    cola = logits("cola_test")["natural"][:, 0]
    result["CoLA dev, Matthews with seven in ten accepted"] = matthews(
        cola > np.quantile(cola, 0.3), tables["cola_test"].labels > 0.5
    )
    result["CoLA dev, Spearman"] = spearman(cola, tables["cola_test"].labels)
    gug = logits("gug_test")["natural"][:, 0]
    result["GUG dev, Spearman"] = spearman(gug, tables["gug_test"].labels)
    vectors = logits("sts_test")["vector"]
    cosines = (vectors[::2] * vectors[1::2]).sum(1)
    result["STS-B dev, Spearman"] = spearman(cosines, tables["sts_test"].labels)
    return {name: round(value, 4) for name, value in result.items()}


def matthews(guess: Any, right: Any) -> float:
    if guess.all() or not guess.any():
        return 0.0
    return float(np.corrcoef(guess, right)[0, 1])


def hash_weights(state: dict[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(state.items()):
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    train(options)


if __name__ == "__main__":
    main()
