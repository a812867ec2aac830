"""Tables from which a judge learns to generalise beyond its training corpora.

Beside the tables of `training.judge.data`, of which a sample is taken: SQUINKY's
formality; the everyday corpus's part for judges, as ordered triples (formal, plain,
informal), as texts of fourteen styles, and as pairs of graded similarity with the
judges' half of the contrast set; texts with a changed surface (`surface_changes`);
outputs as weak systems write them (`system_outputs`); and open
texts of many kinds that only a teacher labels. Everyday texts that have references
written for them are a test set: they go into tables whose names end in ``_own``, which
nothing is learnt from.

Run    python -m training.judge.transfer_data --mirror FOLDER --data judge.npz \\
           --vocabulary vocab.txt -o transfer.npz
Needs  the corpora and what `training.judge.data` wrote; ten minutes of a CPU.
"""

import argparse
import json
import lzma
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from paraphrast.corpora import read_lines
from paraphrast.corpora.loaders import everyday
from paraphrast.judges.encoder.surface import features, strip_surface
from paraphrast.text.normalisation import keep_letters, straighten
from paraphrast.text.wordpiece import WordPiece
from training.everyday.corpus import FOLDER
from training.everyday.noise import spell_as_chat
from training.judge.data import Corpora, is_sentence, plays, vary_surface
from training.judge.judged_variants import vary_tables
from training.judge.nonsense_data import read
from training.judge.sampled_tables import label_modern, sample_tables
from training.judge.surface_changes import change_surface, read_squinky
from training.judge.system_outputs import OutputMaker, grade_loss
from training.judge.tables import Tables, load, write_tables
from training.styles import STYLES

ALL_STYLES = (*STYLES, "polite", "simple", "concise")
WIDE = {
    "goemotions": 30_000,
    "topical-chat": 30_000,
    "counselchat-family-answers": 4000,
    "counselchat-family-questions": 2000,
    "nus-sms": 12_000,
}
REGISTERS = ("formal", "plain", "informal")
LEAST_APART, CHAT, BROKEN = 0.6, 0.8, 0.4  # of formality, on its scale of six
SAME = 0.92
SIMILAR_AFTER = {
    "negation": 0.35, "actor": 0.45, "number": 0.55, "order": 0.55, "condition": 0.55,
    "degree": 0.65, "content": 0.5, "omission": 0.6, "addition": 0.65, "mood": 0.65,
    "quotation": 0.6, "tense": 0.7, "same": SAME,
}  # fmt: skip
OUTPUTS, SURFACES, ALIKE = 60_000, 9000, 8000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--everyday", type=Path, default=FOLDER)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tokens = list(read_lines(options.vocabulary))
    old = load(options.data)
    sampled = sample_tables(label_modern(old), options.share)
    builder = Builder(options.mirror, Tables(WordPiece(tokens)), options.share)
    builder.add_formality()
    builder.add_everyday(
        options.everyday, read_ids(options.everyday / "references.jsonl")
    )
    natural = [" ".join(words) for words in read(old["modern"].texts[::9], tokens)]
    builder.add_outputs(natural)
    builder.add_wide()
    builder.tables.save(options.output)
    tables = sampled | load(options.output)
    tables |= vary_tables(tables, tokens)
    write_tables(tables, options.output)
    print(json.dumps({name: len(table) for name, table in tables.items()}, indent=1))


def read_ids(path: Path) -> set[str]:
    """Return the ids in a file of references."""
    return {json.loads(line)["id"] for line in read_lines(path)}


class Builder:
    """Fills the tables; all randomness comes from one generator."""

    def __init__(self, mirror: Path, tables: Tables, share: float = 1.0) -> None:
        """Remember what must not be learnt from; ``share`` scales what is made."""
        self.mirror, self.tables, self.share = mirror, tables, share
        self.draw = random.Random(15)
        self.blocked = Corpora(mirror, "judge").blocked
        self._texts: list[str] = []  # natural texts of everyday, to be changed
        self._versions: list[dict[str, str]] = []

    def add_formality(self) -> None:
        """Add SQUINKY; a tenth is kept back."""
        rows = [
            r
            for r in read_squinky(self.mirror)
            if keep_letters(r[0]) not in self.blocked
        ]
        self.draw.shuffle(rows)
        cut = len(rows) // 10
        for name, part in (("squinky_own", rows[:cut]), ("squinky", rows[cut:])):
            texts = [text for text, _ in part]
            scores = [score for _, score in part]
            self.tables.add(name, texts, scores)
            self.tables.attach(name, "features", features(texts))
            self.tables.add(f"{name}_bare", [strip_surface(t) for t in texts], scores)

    def add_everyday(self, folder: Path, held_out: set[str]) -> None:
        """Add registers, styles and similarities of the part for judges."""
        texts = everyday.read_texts(folder)
        ours = [text for text in texts if text.split == "judges"]
        contrast = [c for c in everyday.read_contrast(folder) if c.half == "judges"]
        for suffix, chosen in (
            ("", [text for text in ours if text.id not in held_out]),
            ("_own", [text for text in ours if text.id in held_out]),
        ):
            self._versions = [dict(text.versions) for text in chosen]
            self._texts = [t for own in self._versions for t in own.values()]
            self._add_registers(f"order{suffix}")
            self._add_surface(f"surface{suffix}", len(chosen) * SURFACES // 600)
            self._add_styles(f"versions{suffix}")
            ids = {text.id for text in chosen}
            if not suffix:  # the contrast lines of other parts are the judges', too
                ids = {text.id for text in texts} - {text.id for text in ours}
                ids |= {text.id for text in chosen}
            versions = {text.id: text.versions for text in texts if text.id in ids}
            lines = [c for c in contrast if c.id in ids]
            self._add_alike(f"alike{suffix}", versions, lines)
        self._versions = [
            dict(text.versions) for text in ours if text.id not in held_out
        ]
        self._texts = [t for own in self._versions for t in own.values()]

    def _add_registers(self, name: str) -> None:
        rows: list[tuple[str, str, float]] = []
        for own in self._versions:
            for more, less in zip(REGISTERS, REGISTERS[1:], strict=False):
                rows.append((own[more], own[less], LEAST_APART))
            rows.append((own["plain"], spell_as_chat(own["plain"], self.draw), CHAT))
            rows.append((own["formal"], self._break(own["formal"]), BROKEN))
        self._add_ordered(name, [r for r in rows if r[0] != r[1]])

    def _break(self, text: str) -> str:
        words = text.split()
        for _ in range(self.draw.choice((1, 2, 3))):
            at = self.draw.randrange(len(words))
            if self.draw.random() < 0.5:
                words.insert(at, words[at])
            else:
                other = self.draw.randrange(len(words))
                words[at], words[other] = words[other], words[at]
        return " ".join(words)

    def _add_surface(self, name: str, count: int) -> None:
        rows = []
        for _ in range(max(8, int(count * self.share))):
            text = self.draw.choice(self._texts)
            changed, drop = change_surface(text, self.draw)
            rows.append((text, changed, drop))
        self._add_ordered(name, [r for r in rows if r[0] != r[1]])

    def _add_ordered(self, name: str, rows: Sequence[tuple[str, str, float]]) -> None:
        texts = [text for row in rows for text in row[:2]]
        self.tables.add(name, texts, [row[2] for row in rows], width=2)
        both = features(texts).reshape(len(rows), -1)
        self.tables.attach(name, "features", both)

    def _add_styles(self, name: str) -> None:
        own = name.endswith("_own")
        for versions in self._versions:
            for style, text in versions.items():
                judged = "modern" if style == "plain" else style
                flat = text.replace(" / ", self.draw.choice((" ", " / ")))
                said = flat if own else vary_surface(flat, self.draw)
                self.tables.add(name, [said], [ALL_STYLES.index(judged)])

    def _add_alike(
        self,
        name: str,
        versions: dict[str, dict[str, str]],
        contrast: Sequence[everyday.Contrast],
    ) -> None:
        rows: list[tuple[str, str, float]] = []
        for line in contrast:
            other = versions[line.id]["plain"]
            rows.append((other, line.text, SIMILAR_AFTER[line.kind]))
        count = max(8, int(self.share * len(self._versions) * ALIKE / 600))
        for _ in range(count):
            own = self.draw.choice(self._versions)
            one, other = self.draw.sample(sorted(own), 2)
            chance = self.draw.random()
            if chance < 0.35:
                rows.append((own[one], own[other], SAME))
            elif chance < 0.85:
                rows.append((own[one], *grade_loss(own[other], self.draw, SAME)))
            else:
                rows.append((own[one], self.draw.choice(self._texts), 0.1))
        kept = [(a.replace(" / ", " "), b.replace(" / ", " "), v) for a, b, v in rows]
        texts = [text for row in kept for text in row[:2]]
        self.tables.add(name, texts, [v for *_, v in kept], width=2)

    def add_outputs(self, natural: Sequence[str]) -> None:
        """Add outputs as weak systems write them, and texts that people wrote."""
        pairs = [
            pair
            for pair in plays(self.mirror, "train")
            if not set(map(keep_letters, pair)) & self.blocked
        ]
        pool = [*self._texts, *natural, *(text for pair in pairs[::3] for text in pair)]
        maker = OutputMaker(pool, pairs, self._versions)
        count = max(40, int(OUTPUTS * self.share))
        for name, size in (("outputs", count), ("outputs_own", count // 16)):
            rows = [maker.make(self.draw.choice(pool), self.draw) for _ in range(size)]
            texts = [text for text, _ in rows]
            kept = [maker.present(self.draw.choice(pool), self.draw) for _ in texts]
            labels = [label for _, label in rows] + [1.0] * len(kept)
            self.tables.add(name, texts + kept, labels)

    def add_wide(self) -> None:
        """Add open texts of many kinds, for a teacher to label."""
        for name, count in WIDE.items():
            path = self.mirror / f"formality/unlabelled/{name}.txt.xz"
            with lzma.open(path, "rt", encoding="utf-8") as file:
                texts = [straighten(line.strip()) for line in file]
            fair = [t for t in texts if keep_letters(t) not in self.blocked and t]
            self.draw.shuffle(fair)
            self._add_unlabelled(fair[: max(8, int(count * self.share))])

    def _add_unlabelled(self, texts: Iterable[str]) -> None:
        kept = [vary_surface(t, self.draw) for t in texts if is_sentence(t)]
        self.tables.add("wide", kept, [0.0] * len(kept))


if __name__ == "__main__":
    main()
