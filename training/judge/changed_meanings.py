"""Triples for a judge of meaning: a text, its paraphrase, and the paraphrase changed.

The third text has who did what to whom exchanged, or its only negation taken out, or
another fact changed (`mistakes.change_meaning`). They are made of the judges' own text:
both sides of the plays, pairs of the same meaning, the versions of everyday's part for
judges. ``changed_own``, from which nothing is learnt, is made of Twelfth Night and of
everyday texts that are kept back. Labels are indices into `KINDS`.

Run    python -m training.judge.changed_meanings --mirror FOLDER \\
           --vocabulary vocab.txt -o changed.npz
Needs  the corpora; a minute of a CPU.
"""

import argparse
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from paraphrast.corpora import read_lines
from paraphrast.corpora.loaders import everyday
from paraphrast.text.wordpiece import WordPiece
from training.everyday.corpus import FOLDER
from training.judge.data import Corpora, meaning_pairs, plays
from training.judge.mistakes import Words, change_meaning, split
from training.judge.system_outputs import join_words
from training.judge.tables import Tables
from training.judge.transfer_data import read_ids

MOST = {"roles": 8000, "negation removed": 8000, "fact": 12_000}
KINDS = tuple(MOST)
_OBJECT = {
    "i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "thou": "thee",
    "you": "you",
}  # fmt: skip
_SUBJECT = {other: one for one, other in _OBJECT.items()}
_REACH = 3  # maximum number of words from agent to patient
_BETWEEN = frozenset({"and", "or", "but", "that", "than", "is", "are", "was", "be"})
_AFFIRMED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}

Pair = tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--everyday", type=Path, default=FOLDER)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tables = Tables(WordPiece(list(read_lines(options.vocabulary))))
    held_out = read_ids(options.everyday / "references.jsonl")
    texts = everyday.read_texts(options.everyday)
    ours = [text for text in texts if text.split == "judges"]
    draw = random.Random(15)
    for name, pairs, kept in (
        ("changed", meaning_pairs(Corpora(options.mirror, "judge")), False),
        ("changed_own", plays(options.mirror, "valid"), True),
    ):
        versions = [t.versions for t in ours if (t.id in held_out) is kept]
        several = [pair[-2:] for pair in pairs]
        several += draw_versions(versions, draw, 12 * len(versions))
        add_triples(tables, name, several, draw, share=0.1 if kept else 1.0)
    tables.save(options.output)
    print(json.dumps(tables.sizes()))


def draw_versions(
    versions: Iterable[Mapping[str, str]], draw: random.Random, count: int
) -> Iterator[Pair]:
    """Yield pairs of versions of one text."""
    several = list(versions)
    for _ in range(count):
        own = draw.choice(several)
        one, other = draw.sample(sorted(own), 2)
        yield own[one].replace(" / ", " "), own[other].replace(" / ", " ")


def add_triples(
    tables: Tables, name: str, pairs: Iterable[Pair], draw: random.Random, share: float
) -> None:
    """Add triples of every kind, at most a share of the number in `MOST` of each."""
    both = [turned for one, other in pairs for turned in ((one, other), (other, one))]
    draw.shuffle(both)
    names = sorted({w for _, text in both for w in split(text)[1:] if w.istitle()})
    names = draw.sample(names, min(2000, len(names)))
    for kind, most in MOST.items():
        rows = [
            (one, other, join_words(changed))
            for one, other in both
            if (changed := change(kind, split(other), draw, names))
        ][: int(share * most)]
        texts = [text for row in rows for text in row]
        tables.add(name, texts, [KINDS.index(kind)] * len(rows), width=3)


def change(
    kind: str, words: Words, draw: random.Random, names: list[str]
) -> Words | None:
    """Return the words with one thing changed, or None where there is none."""
    made: Mapping[str, Callable[[Words], Words | None]] = {
        "roles": exchange_roles,
        "negation removed": remove_negation,
        "fact": lambda words: change_meaning(words, draw, names=names),
    }
    return made[kind](words)


def exchange_roles(words: Words) -> Words | None:
    """Exchange two pronouns around a verb, each in the case of its new place."""
    lowered = [word.lower() for word in words]
    for first, doer in enumerate(lowered):
        if doer not in _OBJECT:
            continue
        for second in range(first + 2, min(first + 1 + _REACH, len(words))):
            between = lowered[first + 1 : second]
            done_to = lowered[second]
            if not all(w.isalpha() and w not in _BETWEEN for w in between):
                break
            if done_to in _SUBJECT and _SUBJECT[done_to] != doer:
                result = list(words)
                subject = _SUBJECT[done_to]
                begins = doer != "i" and words[first][0].isupper()
                capital = subject == "i" or first == 0 or begins
                result[first] = subject.capitalize() if capital else subject
                result[second] = _OBJECT[doer]
                return result
    return None


def remove_negation(words: Words) -> Words | None:
    """Take out the only negation."""
    places = [i for i, word in enumerate(words) if _affirm(word) is not None]
    if len(places) != 1:
        return None
    result = list(words)
    result[places[0]] = _affirm(words[places[0]]) or ""
    return [word for word in result if word]


def _affirm(word: str) -> str | None:
    lowered = word.lower()
    if lowered in ("not", "n't", "never"):
        return ""
    if lowered in _AFFIRMED:
        return _AFFIRMED[lowered]
    return word[:-3] if lowered.endswith("n't") else None


if __name__ == "__main__":
    main()
