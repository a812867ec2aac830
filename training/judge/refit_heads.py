"""Refit the small judge's heads on its frozen encoder.

Learning nonsense moved the encoder's states a little. Weights are first interpolated
between the earlier and the new ones (``--share``), which keeps most of what either
knows. Then, on a CPU, the heads of style and of plays and the matrix of the sentence
vector are fitted to what the judge said before and to the labels: style to the earlier
logits, plays to the lines' sides, meaning to the earlier vectors and to people's
similarities.

Run    python -m training.judge.refit_heads --folder FOLDER --before small.npz \\
           --after new.npz --vocabulary vocab.txt -o small.npz
Needs  FOLDER with part.npz and weak.npz (`train_nonsense trim`, `nonsense_data`);
       torch, CTranslate2; five minutes of a CPU.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from paraphrast.corpora import read_lines
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.running import Int8Encoder, pool_texts
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.exporting import export
from training.judge.assemble import BERT, split_weights
from training.judge.heads import minimise, to_tensor
from training.judge.measure import spearman
from training.judge.tables import load
from training.judge.tasks import match_vectors, rank_pairs

TEXTS, LINES, STEPS, ROWS = 8000, 12_000, 1000, 256


class Frozen:
    """A frozen encoder and its heads."""

    def __init__(self, path: Path, tokens: list[str], folder: Path) -> None:
        """Write the encoder in 8 bits, as it will run."""
        weights, self.heads = split_weights(path)
        export(weights, tokens, folder, heads=12)
        self._encoder = Int8Encoder(folder, hidden=self.heads.hidden)

    def states(self, texts: list[Any]) -> Any:
        """Return the pooled states: (texts, 2 * hidden)."""
        ids = [[int(number) for number in text] for text in texts]
        return pool_texts(self._encoder, ids, start=BERT["start"], end=BERT["end"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.7)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    tables = load(options.folder / "part.npz") | load(options.folder / "weak.npz")
    tokens = list(read_lines(options.vocabulary))
    with tempfile.TemporaryDirectory() as folder:
        arrays = interpolate(options.before, options.after, options.share)
        kinds = {name: values.dtype for name, values in arrays.items()}
        np.savez(Path(folder) / "between.npz", **arrays)
        before = Frozen(options.before, tokens, Path(folder) / "before")
        after = Frozen(Path(folder) / "between.npz", tokens, Path(folder) / "after")
        for result in (
            style(before, after, tables),
            plays(after, tables),
            meaning(before, after, tables),
        ):
            arrays |= result
    # In the data types of the other weights, so that the file stays small.
    kept = {name: values.astype(kinds[name]) for name, values in arrays.items()}
    np.savez(options.output, **kept)


def interpolate(before: Path, after: Path, share: float) -> dict[str, Any]:
    """Return weights interpolated by a share from one file's to another's."""
    with np.load(before) as old, np.load(after) as new:
        return {
            name: (
                (1 - share) * old[name].astype(np.float32) + share * new[name]
            ).astype(old[name].dtype)
            for name in old.files
        }


def style(before: Frozen, after: Frozen, tables: dict[str, Table]) -> dict[str, Any]:
    """Fit the head of style to its earlier predictions."""
    texts = sample_texts([*tables["style"].texts, *tables["modern"].texts], TEXTS)
    wanted = to_tensor(before.heads.logits("style", before.states(texts))).softmax(1)
    states = to_tensor(after.states(texts))

    def loss(logits: Any, rows: Any) -> Any:
        return functional.cross_entropy(logits, wanted[rows])

    return fit_head("style", after, states, loss, tables["style_dev"])


def plays(after: Frozen, tables: dict[str, Table]) -> dict[str, Any]:
    """Fit the head of plays to the lines' sides, with and without their marks."""
    texts = [*tables["plays"].texts, *tables["plays_twice"].texts[::2]]
    sides = np.concatenate([tables["plays"].labels, tables["plays_twice"].labels])
    places = np.random.default_rng(1).permutation(len(texts))[:LINES]
    labels = torch.from_numpy(sides[places]).long()
    states = to_tensor(after.states([texts[index] for index in places]))

    def loss(logits: Any, rows: Any) -> Any:
        return functional.cross_entropy(logits, labels[rows])

    return fit_head("plays", after, states, loss, tables["plays_valid"])


def fit_head(
    name: str, after: Frozen, states: Any, loss: Any, held: Table
) -> dict[str, Any]:
    """Return the head that minimises a loss, starting from the present one."""
    arrays = arrays_of(after.heads, name)
    weight, bias = (
        torch.nn.Parameter(to_tensor(arrays[f"{name}.{part}"]))
        for part in ("weight", "bias")
    )
    scale = states.std(0) + 1e-3
    began = weight.detach().clone()

    def total() -> Tensor:
        rows = torch.randint(len(states), (ROWS,))
        result = functional.linear(states[rows], weight, bias)
        moved = ((weight - began) * scale).square().sum()
        return loss(result, rows) + 1e-3 * moved

    minimise(total, [weight, bias], STEPS, 2e-3, decay=0.0)
    out = {f"{name}.weight": weight, f"{name}.bias": bias}
    made = {key: value.detach().numpy() for key, value in out.items()}
    own = after.states(held.texts)
    for mark, heads in (("was", arrays), ("is", made)):
        logits = own @ heads[f"{name}.weight"].T + heads[f"{name}.bias"]
        print(name, mark, round(float((logits.argmax(1) == held.labels).mean()), 4))
    return {f"heads.{key}": value for key, value in made.items()}


def meaning(before: Frozen, after: Frozen, tables: dict[str, Table]) -> dict[str, Any]:
    """Fit the vectors to the earlier ones, and their cosines to people's ratings."""
    pool = sample_texts(tables["pairs"].texts, TEXTS)
    wanted = to_tensor(before.heads.vectors(before.states(pool)))
    hidden = after.heads.hidden
    states = to_tensor(after.states(pool))[:, :hidden]
    sts = to_tensor(after.states(tables["sts"].texts))[:, :hidden].view(-1, 2, hidden)
    labels = torch.from_numpy(tables["sts"].labels)
    began = to_tensor(arrays_of(after.heads, "meaning")["meaning.weight"])
    weight = torch.nn.Parameter(began.clone())

    def loss() -> Tensor:
        rows = torch.randint(len(states), (ROWS,))
        vectors = functional.normalize(states[rows] @ weight.T, dim=1)
        near = match_vectors(vectors, wanted[rows])
        chosen = torch.randint(len(sts), (128,))
        pairs = functional.normalize(sts[chosen] @ weight.T, dim=2)
        cosines = (pairs[:, 0] * pairs[:, 1]).sum(1)
        return near + 0.3 * rank_pairs(cosines, labels[chosen])

    minimise(loss, [weight], STEPS, 5e-4, decay=0.0)
    own = to_tensor(after.states(tables["sts_own"].texts))[:, :hidden].view(
        -1, 2, hidden
    )
    for mark, matrix in (("was", began), ("is", weight.detach())):
        pairs = functional.normalize(own @ matrix.T, dim=2)
        result = (pairs[:, 0] * pairs[:, 1]).sum(1).numpy()
        print("meaning", mark, round(spearman(result, tables["sts_own"].labels), 4))
    return {"meaning.weight": weight.detach().numpy()}


def arrays_of(heads: Heads, name: str) -> dict[str, Any]:
    return {key: value for key, value in heads.arrays.items() if key.startswith(name)}


def sample_texts(texts: list[Any], most: int) -> list[Any]:
    draw = np.random.default_rng(1)
    return [texts[index] for index in draw.permutation(len(texts))[:most]]


if __name__ == "__main__":
    main()
