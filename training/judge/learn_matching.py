"""Learn the matrix by which words are matched, so that it feels who did what to whom.

The shipped matrix turns states into meanings of whole texts; between single words it
hardly sees agent and patient. It gets a change of low rank, learnt on the frozen
encoder: in triples of a text, its paraphrase and the paraphrase with roles exchanged, a
negation taken out or a fact changed (`changed_meanings`), words must match better in
the second than in the third, and far better than in another text. The triples are made
of the plays' training part and of everyday's part for judges, no ratings.

Run    python -m training.judge.learn_matching --mirror FOLDER -o words.arrays
Needs  the extra `train`; some six minutes of a CPU.
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.nn.functional import normalize, softplus

from paraphrast.corpora.loaders import everyday, plays
from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.matching import Change, weigh_vocabulary
from paraphrast.judges.encoder.reading import Reader
from training.everyday.corpus import FOLDER
from training.judge.changed_meanings import KINDS, change, draw_versions
from training.judge.mistakes import split
from training.judge.system_outputs import join_words
from training.judge.transfer_data import read_ids

RANK = 32
EACH = 1200  # triples of a kind, from plays and from everyday texts
EPOCHS, BATCH, RATE = 4, 64, 1e-3
HOLD = 3.0  # penalty on what changes, relative to the matrix
WORST = 2  # as in `judges.encoder.matching`

Words: TypeAlias = tuple[torch.Tensor, torch.Tensor]  # states and weights, padded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--everyday", type=Path, default=FOLDER)
    parser.add_argument("--judge", type=Path, default=judges.SMALL)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    model: Any = judges.load(options.judge, threads=1).similarity
    model.reader.keeps_tokens = True
    triples = make_triples(options.mirror, options.everyday, random.Random(15))
    states = read_words(model.reader, sorted({t for row in triples for t in row}))
    rows = [[states[text] for text in row] for row in triples]
    rows = [row for row in rows if all(len(w) >= WORST for _, w in row)]
    matrix = model.reader.heads.arrays["meaning.weight"].astype(np.float32)
    down, up = learn(rows, torch.from_numpy(matrix))
    Change(down.astype(np.float16), up.astype(np.float16)).save(options.output)


def make_triples(
    mirror: Path, folder: Path, draw: random.Random
) -> list[tuple[str, str, str]]:
    """Return triples of every kind, of old and of modern text."""
    held_out = read_ids(folder / "references.jsonl")
    versions = [
        text.versions
        for text in everyday.read_texts(folder)
        if text.split == "judges" and text.id not in held_out
    ]
    old = plays.pairs_of(mirror / "jhamtani17", "jhamtani17", "train")
    return [
        *change_pairs([(pair.source, pair.target) for pair in old], draw),
        *change_pairs(draw_versions(versions, draw, 12 * len(versions)), draw),
    ]


def change_pairs(
    pairs: Iterable[tuple[str, str]], draw: random.Random
) -> list[tuple[str, str, str]]:
    both = [turned for one, other in pairs for turned in ((one, other), (other, one))]
    draw.shuffle(both)
    names = sorted({w for _, text in both for w in split(text)[1:] if w.istitle()})
    names = draw.sample(names, min(2000, len(names)))
    result = []
    for kind in KINDS:
        rows = [
            (one, other, join_words(changed))
            for one, other in both
            if (changed := change(kind, split(other), draw, names))
        ]
        result += rows[:EACH]
    return result


def read_words(reader: Reader, texts: Sequence[str]) -> dict[str, Any]:
    """Return the states and weights of each text's words."""
    tokenizer: Any = reader.tokenizer
    rarity = weigh_vocabulary(tokenizer.tokens, tokenizer.id("the"))
    result = {}
    for first in range(0, len(texts), 512):
        some = texts[first : first + 512]
        for text, tokens in zip(some, reader.tokens(some), strict=True):
            own = rarity[tokens.ids] if tokens.ids else np.zeros(0)
            result[text] = tokens.joined()[own > 0], own[own > 0].astype(np.float32)
    return result


def learn(rows: list[Any], matrix: torch.Tensor) -> tuple[Any, Any]:
    """Return the two factors of what is added to the matrix."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    draw = random.Random(1)
    down = torch.nn.Parameter(torch.randn(RANK, matrix.shape[1]) / RANK)
    up = torch.nn.Parameter(torch.zeros(matrix.shape[0], RANK))
    optimizer = torch.optim.Adam([down, up], lr=RATE)
    for _ in range(EPOCHS):
        draw.shuffle(rows)
        total = 0.0
        for first in range(0, len(rows), BATCH):
            change = up @ down
            loss = lose(rows[first : first + BATCH], matrix + change)
            loss = loss + HOLD * (change**2).mean() / (matrix**2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(rows[first : first + BATCH])
        print(f"loss {total / len(rows):.4f}", flush=True)
    return down.detach().numpy(), up.detach().numpy()


def lose(rows: list[Any], matrix: torch.Tensor) -> torch.Tensor:
    texts, same, changed = (pad([row[at] for row in rows]) for at in range(3))
    others = same[0].roll(1, 0), same[1].roll(1, 0)
    right, wrong, far = (score(texts, to, matrix) for to in (same, changed, others))
    near = softplus((0.1 - right + wrong) / 0.05).mean()
    return near + softplus((0.3 - right + far) / 0.1).mean()


def pad(rows: list[Any]) -> Words:
    longest = max(len(weights) for _, weights in rows)
    states = np.zeros((len(rows), longest, rows[0][0].shape[1]), np.float32)
    weights = np.zeros((len(rows), longest), np.float32)
    for at, (own, rarity) in enumerate(rows):
        states[at, : len(rarity)] = own
        weights[at, : len(rarity)] = rarity
    return torch.from_numpy(states), torch.from_numpy(weights)


def score(first: Words, second: Words, matrix: torch.Tensor) -> torch.Tensor:
    """Return the mean match of the words less the loss of the worst: (pairs,)."""
    vectors = [normalize(states @ matrix.T, dim=-1) for states, _ in (first, second)]
    cosines = torch.einsum("bid,bjd->bij", *vectors).clamp(0, 1)
    (_, ours), (_, theirs) = first, second
    cosines = cosines * (ours > 0)[:, :, None] * (theirs > 0)[:, None]
    found = []
    for nearest, own in (
        (cosines.max(2).values, ours),
        (cosines.max(1).values, theirs),
    ):
        losses = ((1 - nearest) * own).topk(WORST, 1).values.mean(1)
        found.append((nearest * own).sum(1) / own.sum(1) - losses)
    return (found[0] + found[1]) / 2


if __name__ == "__main__":
    main()
