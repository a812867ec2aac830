"""Train teachers that read both sentences at once and link the unlabelled pairs.

A teacher is all-mpnet-base-v2 over both sentences, and a layer that scores every pair
of words. Five are trained, each on four fifths of the gold links, so that the held-out
fifth shows how good they are; the first three label the unlabelled pairs. The encoder's
single-word vectors, taken before this training, go into the student's table.

Run    python -m training.aligner.teacher --mirror FOLDER --encoder FOLDER \\
           --words words.txt --unlabelled unlabelled.tsv -o taught
Needs  torch, transformers, tokenizers; five minutes of one GPU.
"""

# ruff: noqa: D102, D107
import argparse
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import MPNetModel

from paraphrast.align.base import WordPair
from paraphrast.corpora import read_lines
from training.aligner.gold_links import FOLDS, Gold, cells, pack, read_gold

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
EPOCHS, BATCH, RATE, LABELLERS, DIMENSIONS = 6, 16, 4e-5, 3, 160
Sides: TypeAlias = Sequence[Sequence[str]]
Augmented: TypeAlias = tuple[list[list[str]], Any]
START, END, PADDING = 0, 2, 1  # of MPNet's vocabulary


class Teacher(nn.Module):  # type: ignore[misc]
    """Scores every word pair of two sentences: a sure link, and any link."""

    def __init__(self, encoder: Path, width: int = 256) -> None:
        super().__init__()
        self.encoder = MPNetModel.from_pretrained(encoder, add_pooling_layer=False)
        size = self.encoder.config.hidden_size
        self.add = nn.ModuleList(nn.Linear(size, width) for _ in range(2))
        self.multiply = nn.ModuleList(nn.Linear(size, width) for _ in range(2))
        self.style = nn.Embedding(2, width)
        nn.init.zeros_(self.style.weight)
        middle = (nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())
        self.scores = nn.Sequential(*middle, nn.Linear(width, 2))
        nn.init.constant_(self.scores[-1].bias, -3.0)

    def forward(
        self, ids: Tensor, mask: Tensor, sources: Tensor, targets: Tensor, style: Tensor
    ) -> Tensor:
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        left, right = (side.to(states.dtype) @ states for side in (sources, targets))
        cells = self.add[0](left)[:, :, None] + self.add[1](right)[:, None]
        cells = cells + self.style(style)[:, None, None]
        products = self.multiply[0](left)[:, :, None] * self.multiply[1](right)[:, None]
        return self.scores(functional.gelu(cells + products / 4)).float()


class Tokens:
    """Cuts words into MPNet's tokens."""

    def __init__(self, encoder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.unknown: int = self.tokenizer.get_vocab()["[UNK]"]
        self.known: dict[str, list[int]] = {}

    def __call__(self, word: str) -> list[int]:
        if word not in self.known:
            result = self.tokenizer.encode(word.lower(), add_special_tokens=False).ids
            self.known[word] = result[:8] or [self.unknown]
        return self.known[word]

    def batch(self, pairs: Sequence[Sides]) -> list[Tensor]:
        """Return ids, mask, and for either side which tokens make up each word."""
        rows: list[list[int]] = []
        spans: list[list[list[tuple[int, int]]]] = []
        for pair in pairs:
            ids, both = [START], []
            for words in pair:
                spans_of = []
                for word in words:
                    result = self(word)
                    spans_of.append((len(ids), len(ids) + len(result)))
                    ids += result
                both.append(spans_of)
                ids += [END, END]
            rows.append(ids[:-1])
            spans.append(both)
        longest = max(map(len, rows))
        table = np.full((len(rows), longest), PADDING)
        for index, row in enumerate(rows):
            table[index, : len(row)] = row
        sides = []
        for side in (0, 1):
            most = max(len(both[side]) for both in spans)
            means = np.zeros((len(rows), most, longest), dtype=np.float32)
            for mean, both in zip(means, spans, strict=True):
                for index, (start, end) in enumerate(both[side]):
                    mean[index, start:end] = 1 / (end - start)
            sides.append(means)
        arrays = (table, (table != PADDING).astype(np.int64), *sides)
        return [torch.from_numpy(array).to(DEVICE) for array in arrays]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--mirror", "--encoder", "--words", "--unlabelled", "-o"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    options.o.mkdir(exist_ok=True)
    tokens = Tokens(options.encoder)
    save_words(options, tokens)
    gold = read_gold(options.mirror)
    left_out: list[np.ndarray] = [np.zeros(0)] * len(gold)
    teachers = []
    for fold in range(FOLDS):
        train = [example for example in gold if example.fold != fold]
        teacher = fit(Teacher(options.encoder).to(DEVICE), tokens, train, seed=fold)
        numbers = [n for n, example in enumerate(gold) if example.fold == fold]
        pairs = [gold[n].pair for n in numbers]
        words = [(pair.source, pair.target) for pair in pairs]
        styles = [gold[n].style for n in numbers]
        there = predict(teacher, tokens, words, styles)
        back = predict(teacher, tokens, words, styles, turned=True)
        for number, forward, backward in zip(numbers, there, back, strict=True):
            left_out[number] = (forward.astype(np.float32) + backward) / 2
        teachers.append(teacher)
    pack(options.o / "gold.npz", left_out)
    lines = list(read_lines(options.unlabelled))
    sides = [line.split("\t") for line in lines]
    words = [(tuple(source.split()), tuple(target.split())) for source, target in sides]
    sums: list[Any] = []
    for number, teacher in enumerate(teachers[:LABELLERS]):
        result = predict(
            teacher, tokens, words, [0] * len(words), turned=number % 2 > 0
        )
        thirds = [grid.astype(np.float32) / LABELLERS for grid in result]
        sums = (
            thirds if not sums else [a + b for a, b in zip(sums, thirds, strict=True)]
        )
    pack(options.o / "labels.npz", sums)


def augment(example: Gold, gold: Sequence[Gold], draw: random.Random) -> Augmented:
    """Drop part of a side, add an unrelated sentence, or swap the sides."""
    sides = [list(example.pair.source), list(example.pair.target)]
    links = cells(example.pair)
    if draw.random() < 0.2:
        side = draw.randrange(2)
        length = len(sides[side])
        count = draw.randint(1, max(1, length // 2))
        start = draw.randint(0, length - count)
        if length > count + 1:
            del sides[side][start : start + count]
            index = links[:, side]
            links = links[(index < start) | (index >= start + count)]
            links[links[:, side] >= start, side] -= count
    if draw.random() < 0.1:
        strange = list(draw.choice(gold).pair.source[:25])
        if draw.random() < 0.5:
            sides[1] = sides[1] + strange
        else:
            sides[1] = strange + sides[1]
            links[:, 1] += len(strange)
    if draw.random() < 0.5:
        sides, links = sides[::-1], links[:, [1, 0, 2, 3]]
    return sides, links


def fit(teacher: Teacher, tokens: Tokens, gold: list[Gold], *, seed: int) -> Teacher:
    torch.manual_seed(seed)
    draw = random.Random(seed)
    encoder = list(teacher.encoder.parameters())
    inside = {id(parameter) for parameter in encoder}
    head = [p for p in teacher.parameters() if id(p) not in inside]
    groups = [{"params": encoder, "lr": RATE}, {"params": head, "lr": 10 * RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = EPOCHS * math.ceil(len(gold) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, 10 * (step + 1) / steps) * (1 - step / steps)
    )
    teacher.train()
    for _ in range(EPOCHS):
        order = draw.sample(gold, len(gold))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            loss = compute_loss(teacher, tokens, chosen, gold, draw)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    teacher.eval()
    return teacher


def compute_loss(
    teacher: Teacher,
    tokens: Tokens,
    chosen: Sequence[Gold],
    gold: Sequence[Gold],
    draw: random.Random,
) -> Tensor:
    pairs = [augment(example, gold, draw) for example in chosen]
    inputs = tokens.batch([sides for sides, _ in pairs])
    shape = (len(pairs), inputs[2].shape[1], inputs[3].shape[1], 2)
    labels, mask = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    for number, ((source, target), links) in enumerate(pairs):
        mask[number, : len(source), : len(target)] = 1
        places = links[:, :2].astype(int)
        labels[number, places[:, 0], places[:, 1]] = links[:, 2:]
    wanted, inside = (torch.from_numpy(array).to(DEVICE) for array in (labels, mask))
    style = torch.tensor([example.style for example in chosen], device=DEVICE)
    with torch.autocast(DEVICE, torch.bfloat16):
        scores = teacher(*inputs, style)
    loss = functional.binary_cross_entropy_with_logits(scores, wanted, inside)
    return loss * inside.numel() / (wanted.sum() + 1)


def predict(
    teacher: Teacher,
    tokens: Tokens,
    pairs: Sequence[WordPair],
    styles: Sequence[int],
    *,
    turned: bool = False,
    size: int = 256,
) -> list[np.ndarray]:
    """Return both probabilities of every cell: 2, source words, target words."""
    order = sorted(range(len(pairs)), key=lambda n: sum(map(len, pairs[n])))
    result: list[np.ndarray] = [np.zeros(0)] * len(pairs)
    for start in range(0, len(order), size):
        numbers = order[start : start + size]
        batch = [pairs[n][::-1] if turned else pairs[n] for n in numbers]
        style = torch.tensor([styles[n] for n in numbers], device=DEVICE)
        with torch.inference_mode(), torch.autocast(DEVICE, torch.bfloat16):
            scores = teacher(*tokens.batch(batch), style).sigmoid()
        for grid, (source, target), n in zip(
            scores.half().cpu().numpy(), batch, numbers, strict=True
        ):
            inside = grid[: len(source), : len(target)]
            result[n] = (
                inside.transpose(2, 1, 0) if turned else inside.transpose(2, 0, 1)
            )
    return result


def save_words(options: argparse.Namespace, tokens: Tokens) -> None:
    """Write the encoder's single-word vectors, cut to their principal components."""
    words = options.words.read_text("utf-8").split("\n")
    encoder = Teacher(options.encoder).encoder.to(DEVICE).eval()
    rows = []
    for start in range(0, len(words), 2048):
        result = [[START, *tokens(word), END] for word in words[start : start + 2048]]
        longest = max(map(len, result))
        padded = [row + [PADDING] * (longest - len(row)) for row in result]
        ids = torch.tensor(padded, device=DEVICE)
        mask = (ids != PADDING).long()
        with torch.inference_mode():
            states = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        rows.append((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))
    vectors = functional.normalize(torch.cat(rows))
    vectors -= vectors.mean(0)
    directions = torch.linalg.svd(vectors.T @ vectors).Vh[:DIMENSIONS]
    short = functional.normalize(vectors @ directions.T)
    np.save(options.o / "words.npy", short.cpu().numpy().astype(np.float16))


if __name__ == "__main__":
    main()
