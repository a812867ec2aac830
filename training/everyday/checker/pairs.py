"""Examples for checkers: two texts, and whether they say the same.

Same: any two versions of a text, one of them perhaps spelled as in a chat; and the
contrast set's lines of kind "same". Not the same: a version against another that was
corrupted by rule, against one of the contrast set's wrong versions, and against a
version of a similar text.

With ``--ratings`` guards also learn from a reader's ratings of the teacher's rewrites,
each so many times; ``rated-test.jsonl`` has those that are held out. The file
``guards-train-few.jsonl`` is for a large model that reads little: all contrast lines
and ratings, and as many of the others as are asked for.

Guards learn from the part `train`, with the contrast lines of its half for guards,
and are measured on `dev` and `judges`. Judges learn from the part `judges` and from
the other half of `train`, and are measured on `dev` and on the half for guards.

Run    python -m training.everyday.checker.pairs -o FOLDER [--each 60]
"""

import argparse
import multiprocessing
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from training.everyday import corpus, noise
from training.everyday.checker.corruptions import Change, Replacer
from training.everyday.corpus import MODERN, Contrast, Text
from training.everyday.ratings import read_ratings

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--contrast", type=Path, default=corpus.CONTRAST)
    parser.add_argument(
        "--each", type=int, default=60, help="examples, same and not the same, per text"
    )
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--ratings", type=Path)
    parser.add_argument("--rated", type=int, default=4, help="copies of each rating")
    parser.add_argument("--few", type=int, default=60_000)
    parser.add_argument("--roles", nargs="+", default=["guards", "judges"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    texts = corpus.read_texts(options.texts)
    if options.documents:
        texts += corpus.read_lines(options.documents)
    rated = read_ratings(options.ratings) if options.ratings else []
    written = corpus.read_contrast(options.contrast)
    alike = find_neighbours(texts)
    options.output.mkdir(parents=True, exist_ok=True)
    for role in options.roles:
        draw = random.Random(f"{role} {options.seed}")
        learned, held = divide_texts(texts, role)
        for name, group, each in (("train", learned, options.each), ("test", held, 12)):
            # Held-out texts contribute nothing to training texts, and vice versa.
            near = find_similar(group)
            kinds = Replacer([text.plain for text in group], alike).list_kinds()
            task = Task(group, near, kinds, written, role, name == "train", each)
            rows = task.make_rows(options.seed, options.workers)
            if role == "guards" and name == "train":
                rows += make_rated_examples(rated, held=False) * options.rated
            draw.shuffle(rows)
            path = options.output / f"{role}-{name}.jsonl"
            corpus.write_rows(path, rows)
            few = (
                choose_few(rows, options.few, options.seed)
                if name == "train"
                else rows[:1500]
            )
            corpus.write_rows(options.output / f"{role}-{name}-few.jsonl", few)
            print(path.name, len(group), len(rows), len(few))
            if role == "guards" and name == "test":
                tested = make_rated_examples(rated, held=True)
                corpus.write_rows(options.output / "rated-test.jsonl", tested)
                few = choose_held(rows, tested)
                corpus.write_rows(options.output / "held-few.jsonl", few)


@dataclass(frozen=True)
class Task:
    """Everything that the examples of a group of texts are made from."""

    texts: Sequence[Text]
    near: Mapping[str, Sequence[Text]]
    kinds: Mapping[str, Change]
    written: Mapping[str, Sequence[Contrast]]
    role: str
    learnt: bool
    each: int

    def make_rows(self, seed: int, workers: int) -> list[Row]:
        """Return the examples; the texts are divided among processes."""
        if workers == 1:
            return self.make_share(seed, 0, 1)
        _tasks.append(self)  # handed on by forking: functions cannot be pickled
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(workers, context) as pool:
            share = partial(_make_share, seed, of=workers)
            return [row for rows in pool.map(share, range(workers)) for row in rows]

    def make_share(self, seed: int, number: int, of: int) -> list[Row]:
        """Return the examples of a share of the texts."""
        draw = random.Random(f"{self.role} {self.learnt} {seed} {number}")
        rows = []
        for text in self.texts[number::of]:
            near = self.near[text.name]
            rows += make_examples(text, near, self.kinds, self.each, draw)
            if not self.learnt or may_learn(text, self.role):
                lines = self.written.get(text.name, [])
                each = CONTRASTED if self.learnt else 1
                rows += make_contrast_examples(text, lines, draw, each)
        return rows


_tasks: list[Task] = []


def _make_share(seed: int, number: int, of: int) -> list[Row]:
    return _tasks[-1].make_share(seed, number, of)


CONTRASTED = 8  # sources for each contrast line
TARGETS = (0.02, 0.12, 0.96)  # for ratings of meaning


def make_rated_examples(rated: Sequence[Row], *, held: bool) -> list[Row]:
    """Return examples of ratings: only what says exactly the same is the same."""
    return [
        {"first": row["source"], "second": row["output"], "same": row["meaning"] == 2,
         "target": TARGETS[row["meaning"]], "kind": f"rated {row['meaning']}",
         "text": "", "style": row["style"]}
        for row in rated if row["held"] == held
    ]  # fmt: skip


def choose_few(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """Return contrast lines and ratings, and as many others as fit."""
    chosen, others, seen = [], [], set()
    for row in rows:
        pair = (row["first"], row["second"])
        if not row["kind"].startswith(("written", "rated")):
            others.append(row)
        elif pair not in seen:
            seen.add(pair)
            chosen.append(row)
    result = chosen + others[: max(0, most - len(chosen))]
    random.Random(seed).shuffle(result)
    return result


def choose_held(rows: Sequence[Row], rated: Sequence[Row]) -> list[Row]:
    """Return a few examples for early stopping."""
    written = [row for row in rows if row["kind"].startswith("written")]
    versions = [row for row in rows if row["kind"] == "version"]
    return [*rated[:800], *written[:400], *versions[:400]]


def divide_texts(texts: Sequence[Text], role: str) -> tuple[list[Text], list[Text]]:
    """Return the training texts and the test texts for checkers of a role."""
    if role == "guards":
        learned = [t for t in texts if t.split == "train"]
        return learned, [t for t in texts if t.split != "train"]
    learned = [
        t
        for t in texts
        if t.split == "judges" or (t.split == "train" and t.half == role)
    ]
    names = {t.name for t in learned}
    held = [t for t in texts if t.name not in names]
    rest = [t for t in held if t.split != "dev"]
    return learned, [t for t in held if t.split == "dev"] + rest[::4]


def may_learn(text: Text, role: str) -> bool:
    """Return whether the contrast lines of a text are for this role."""
    return (
        text.split == "judges"
        if role == "judges" and text.split != "train"
        else text.half == role
    )


def find_similar(texts: Sequence[Text], most: int = 6) -> dict[str, list[Text]]:
    """Return for each text the others that share rare words with it."""
    bags = [set(re.findall(r"[a-z']{3,}", t.plain.lower())) for t in texts]
    counts = Counter(word for bag in bags for word in bag)
    holders: dict[str, list[int]] = defaultdict(list)
    for at, bag in enumerate(bags):
        for word in bag:
            if counts[word] <= 60:
                holders[word].append(at)
    result = {}
    for at, bag in enumerate(bags):
        shared: Counter[int] = Counter()
        for word in bag:
            for other in holders.get(word, ()):
                if other != at:
                    shared[other] += 1 / counts[word] ** 0.5
        result[texts[at].name] = [texts[other] for other, _ in shared.most_common(most)]
    return result


def find_neighbours(texts: Sequence[Text]) -> dict[str, list[str]]:
    """Return for words of the texts others with similar usage, by word vectors.

    The very nearest are left out: they are mostly inflected forms or synonyms.
    """
    words, vectors = read_vectors()
    counts = Counter(w for t in texts for w in re.findall(r"\b[a-z]{4,}\b", t.plain))
    wanted = [w for w in words if counts[w] >= 1 and w not in _FREQUENT]
    at = {word: number for number, word in enumerate(words)}
    pool = [w for w in wanted if counts[w] >= 2]
    matrix = vectors[[at[w] for w in pool]]
    result = {}
    for word in wanted:
        similarities = matrix @ vectors[at[word]]
        nearest = np.argsort(-similarities)[1:40]
        chosen = [
            pool[n] for n in nearest if may_replace(pool[n], word, similarities[n])
        ]
        if chosen:
            result[word] = chosen[:10]
    return result


def may_replace(other: str, word: str, similarity: float) -> bool:
    """Return whether a word is used like another, ends alike and is no form of it."""
    if not 0.25 < similarity < 0.62:
        return False
    if cut_ending(other) != cut_ending(word) and other[-2:] == word[-2:]:
        return True
    return similarity < 0.5 and word[-1] != "s" and other[-1] == word[-1]


def read_vectors(most: int = 30_000) -> tuple[list[str], Any]:
    """Return the shipped aligner's common words and their unit vectors."""
    folder = files("paraphrast.align.monolingual") / "data"
    table = (folder / "words.txt").read_text("utf-8").split("\n")
    rows = [at for at, word in enumerate(table) if re.fullmatch("[a-z]{4,}", word)]
    rows = rows[:most]
    with as_file(folder / "vectors.npz") as path, np.load(path) as arrays:
        vectors = arrays["rows"][rows].astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return [table[at] for at in rows], vectors / np.maximum(1e-6, lengths)


def cut_ending(word: str) -> str:
    return re.sub(r"(?:ing|ed|es|s|er|est|ly|e)$", "", word)[:6]


_FREQUENT_WORDS = """
    that this with have from they will would could should been were your their there
    about which when what where them then than some only just very much more most also
    into over such each does done didn doesn
"""
_FREQUENT = frozenset(_FREQUENT_WORDS.split())


def draw_version(text: Text, style: str, draw: random.Random) -> str:
    """Return a version, perhaps spelled as in a chat."""
    said = text.versions[style]
    return (
        noise.spell_as_chat(said, draw)
        if style in MODERN and draw.random() < 0.15
        else said
    )


_SHARE = {"negation": 1.3, "number": 1.0, "omission": 1.5, "content word": 1.5,
          "antonym": 1.3, "actor": 1.0, "order": 1.2, "degree": 1.2}  # fmt: skip


def make_examples(
    text: Text, near: Sequence[Text], kinds: Mapping[str, Change], each: int,
    draw: random.Random,
) -> list[Row]:  # fmt: skip
    """Return a given number of positive and negative examples of a text."""
    styles = sorted(text.versions)
    rows = []
    for _ in range(each):
        first, second = draw_styles(styles, draw)
        kind = "copy" if first == second else "version"
        said = draw_version(text, first, draw)
        rows.append(make_row(said, text.versions[second], True, kind, text, second))
    for kind, change in kinds.items():
        for _ in range(max(1, round(each * _SHARE.get(kind, 1.0) / len(kinds)))):
            rows += corrupt_version(text, kind, change, draw)
    for other in near[: max(1, each // 20)]:
        said = draw_version(text, draw.choice(styles), draw)
        second = draw.choice(sorted(other.versions))
        wrong = other.versions[second]
        rows.append(make_row(said, wrong, False, "similar text", text, second))
    return rows


def corrupt_version(
    text: Text, kind: str, change: Change, draw: random.Random
) -> list[Row]:
    """Return an example with a corrupted version, or None if nothing was changed."""
    first, second = draw_styles(sorted(text.versions), draw)
    if draw.random() < 0.25:
        second = first
    wrong = change(text.versions[second], draw)
    if not wrong or wrong == text.versions[second]:
        return []
    said = draw_version(text, first, draw)
    if draw.random() < 0.2:
        said, wrong = wrong, said
    return [make_row(said, wrong, False, kind, text, second)]


def draw_styles(styles: Sequence[str], draw: random.Random) -> tuple[str, str]:
    """Return two styles; the first is often plain, so that both may be."""
    first, second = draw.sample(styles, 2)
    return ("plain" if draw.random() < 0.4 else first), second


def make_contrast_examples(
    text: Text, lines: Sequence[Contrast], draw: random.Random, each: int
) -> list[Row]:
    """Return examples of the contrast lines of a text."""
    rows = []
    for line in lines:
        others = ["plain", *draw.choices(sorted(text.versions), k=each - 1)]
        for first in others:
            said, same = text.versions[first], line.kind == "same"
            kind = f"written: {line.kind}"
            rows.append(make_row(said, line.text, same, kind, text, line.style))
    return rows


def make_row(
    first: str, second: str, same: bool, kind: str, text: Text, style: str
) -> Row:
    return {"first": first, "second": second, "same": same, "kind": kind,
            "text": text.name, "style": style}  # fmt: skip


if __name__ == "__main__":
    main()
