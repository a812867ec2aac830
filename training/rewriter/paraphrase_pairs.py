"""Paraphrase pairs to learn from: collected, filtered, balanced, reported.

Sources: one verse in two Bibles (into those in plain English), Quora's duplicate
questions, two captions of one picture, English sentences with one translation in
Tatoeba, and back-translated sentences (back_translation.py).

Every pair passes STRAP's stages (corpora/filtering) with thresholds of our own, keeps
names, numbers, persons and negation, and is similar enough by the given model. Then
sources and lengths are balanced, and names are exchanged for others on both sides, so
that the model learns to copy names.

Run    python -m training.rewriter.paraphrase_pairs --mirror FOLDER \\
           --similarity MINILM --made TSV -o FOLDER
Writes train.tsv, dev.tsv (source, target, TAB-separated), report.json and sample.tsv;
       --any-distance REPORT draws as many of each source as that report.json says
       were kept, but lets near copies pass: what STRAP's ablation "- Div. PP" needs
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paraphrast.corpora import read_lines
from paraphrast.corpora.filtering import Pipeline, change_thresholds, judge
from paraphrast.corpora.filtering.preservation import keeps
from paraphrast.language.grammar import count_denials
from paraphrast.language.names import find_uncommon_names
from paraphrast.language.words import find_persons
from paraphrast.text import overlap
from paraphrast.text.normalisation import keep_letters, normalise, straighten
from training.splits import find_test_sentences

if TYPE_CHECKING:
    from training.rewriter.similarity import Similarity

SEED, DEV = 1, 1000
MANY = 4  # maximum number of pairs per source sentence
READ = 5  # rows to look at for one candidate
FILLED = 0.8  # share of a source's quota that pairs of any length may fill
PLAIN = ("BBE", "WEB", "LEB")
OTHERS = ("KJV", "ASV", "DRA", "DARBY", "YLT")
# Of each source: candidates to score, pairs to keep, least similarity.
QUOTAS = {
    "made": (250_000, 120_000, 0.80),
    "tatoeba": (40_000, 40_000, 0.72),
    "bible": (44_000, 30_000, 0.72),
    "quora": (28_000, 7_000, 0.92),
    "captions": (8_000, 3_000, 0.85),
}
SPARE = 1.5  # candidates for each pair to keep, where similarity drops the rest
DISTANCE = ("trigrams", "unigrams")  # the stages that reject near copies
BUCKETS = ((5, 0.22), (10, 0.36), (16, 0.27), (30, 0.15))  # words of a source, share
# STRAP's stages, less strict where people and not machines wrote the pairs.
STAGES = {
    "trigrams": {"maximum": 0.5},
    "unigrams": {"maximum": 0.75},
    "length": {"difference": 7, "shortest": 2.0, "longest": 30.0},
}
_CONTRACTIONS = (
    ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"),
    ("'s", " is"), ("'re", " are"), ("'m", " am"), ("'ll", " will"), ("'ve", " have"),
    ("'d", " would"),
)  # fmt: skip
_END = re.compile(r"\s*[,;:-]+$")  # a verse may stop in the middle of a sentence
_MARKS = re.compile(r"[\[\]{}<>|_*~@#^=\\]|https?:|\.\.\.\.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair with the properties that it is balanced by."""

    kind: str
    source: str
    target: str
    similarity: float = 0.0

    @property
    def diversity(self) -> float:
        """Return how much words and their order change, 0 to 2."""
        here, there = overlap.words(self.source), overlap.words(self.target)
        share_shuffled = (
            overlap.share_shuffled(here, there) if set(here) & set(there) else 0.0
        )
        return 1 - overlap.unigram_overlap(here, there).f1 + share_shuffled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--similarity", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--made", type=Path, help="what back_translation.py wrote")
    parser.add_argument("--kinds", nargs="+", default=list(QUOTAS), choices=QUOTAS)
    parser.add_argument("--share", type=float, default=1.0, help="of every quota")
    parser.add_argument("--any-distance", type=Path, metavar="REPORT")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    from training.rewriter.similarity import Similarity

    options.output.mkdir(parents=True, exist_ok=True)
    never = find_test_sentences(options.mirror)
    report: dict[str, dict[str, object]] = {}
    chosen: list[Candidate] = []
    scorer = Similarity(options.similarity, device=options.device)
    near = options.any_distance is not None
    for kind, (many, few, least) in quotas(options.any_distance).items():
        if kind not in options.kinds or (kind == "made" and not options.made):
            continue
        counts: Counter[str] = Counter()
        # A generator per source, so that another's threshold does not change the draw.
        draw = random.Random(f"{SEED} {kind}")
        rows = list(SOURCES[kind](options.made if kind == "made" else options.mirror))
        draw.shuffle(rows)
        limit = int(READ * many * options.share)
        result = clean_pairs(kind, iter(rows[:limit]), never, counts, near=near)
        result = sample_pairs(result, int(many * options.share), draw)
        result = filter_similar(result, scorer, least, counts)
        kept = balance_lengths(result, int(few * options.share), near=near)
        report[kind] = {
            "counts": dict(counts),
            "kept": len(kept),
            **measure_pairs(kept),
        }
        print(kind, json.dumps(report[kind]), flush=True)
        chosen += kept
    write(chosen, random.Random(SEED), options.output)
    report["all"] = {"kept": len(chosen), **measure_pairs(chosen)}
    summary = {"similarity": scorer.signature, "sources": report}
    (options.output / "report.json").write_text(json.dumps(summary, indent=1) + "\n")


def quotas(report: Path | None) -> dict[str, tuple[int, int, float]]:
    """Return the quotas, or those that keep as many as a report says were kept."""
    if report is None:
        return QUOTAS
    sources = json.loads(report.read_text("utf-8"))["sources"]
    return {
        kind: (int(SPARE * sources[kind]["kept"]), sources[kind]["kept"], least)
        for kind, (_, _, least) in QUOTAS.items()
    }


def bible(mirror: Path) -> Iterator[tuple[str, str]]:
    """Yield verses in one of the plain versions, and in another."""
    texts: dict[str, dict[tuple[str, ...], str]] = {}
    for version in (*PLAIN, *OTHERS):
        rows = (
            line.split("\t") for line in read_lines(mirror / f"bibles/{version}.tsv.xz")
        )
        texts[version] = {tuple(row[:3]): row[3] for row in rows}
    for source in (*OTHERS, *PLAIN):
        for target in PLAIN:
            if source != target:
                for verse, text in texts[source].items():
                    if verse in texts[target]:
                        yield text, texts[target][verse]


def quora(mirror: Path) -> Iterator[tuple[str, str]]:
    for line in read_lines(mirror / "paraphrase/quora.tsv.xz"):
        first, second = line.split("\t")[:2]
        yield first, second
        yield second, first


def captions(mirror: Path) -> Iterator[tuple[str, str]]:
    for line in read_lines(mirror / "paraphrase/multi30k-captions.tsv.xz"):
        five = line.split("\t")
        yield from ((a, b) for a in five for b in five if a != b)


def tatoeba(mirror: Path) -> Iterator[tuple[str, str]]:
    """Yield sentences that share a translation into French or German."""
    # The Spanish file beside them holds another corpus under this name.
    for name in ("fra", "deu"):
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for line in read_lines(mirror / f"bilingual/tatoeba.en-{name}.tsv.xz"):
            english, foreign = line.split("\t")[:2]
            groups[keep_letters(foreign)].append(english)
        for group in groups.values():
            several = list(dict.fromkeys(group))[:8]
            yield from ((a, b) for a in several for b in several if a != b)


def read_made_pairs(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_lines(path):
        english, other = line.split("\t")
        yield english, other
        yield other, english


SOURCES: dict[str, Callable[[Path], Iterator[tuple[str, str]]]] = {
    "bible": bible,
    "quora": quora,
    "captions": captions,
    "tatoeba": tatoeba,
    "made": read_made_pairs,
}


def clean_pairs(
    kind: str,
    rows: Iterator[tuple[str, str]],
    never: set[str],
    counts: Counter[str],
    *,
    near: bool = False,
) -> list[Candidate]:
    """Return the pairs that pass everything but the similarity; count the others.

    Near copies, which differ in a letter at least, pass if ``near``.
    """
    skip = ("content", "order", "language", *(DISTANCE if near else ()))
    changed = {name: own for name, own in STAGES.items() if name not in skip}
    pipeline = change_thresholds(Pipeline(), changed, skip=skip)
    language = change_thresholds(
        Pipeline(),
        {"language": {"sides": "both"}},
        skip=("content", "order", "trigrams", "unigrams", "length"),
    )
    seen: set[tuple[str, str]] = set()
    pairs = []
    for source, target in rows:
        counts["read"] += 1
        pair = (tidy(source), tidy(target))
        key = (keep_letters(pair[0]), keep_letters(pair[1]))
        if key in seen:
            counts["repeated"] += 1
        elif key[0] in never or key[1] in never:
            counts["measured on"] += 1
        elif (reason := find_change(*pair)) and not (near and _nearly(reason, *pair)):
            counts[reason] += 1
        else:
            seen.add(key)
            pairs.append(pair)
    for stages in (pipeline, language) if kind in ("quora", "tatoeba") else (pipeline,):
        verdicts = judge(pairs, pipeline=stages, similarity=lambda a, b: [1.0] * len(a))
        counts.update(verdict for verdict in verdicts if verdict)
        pairs = [p for p, verdict in zip(pairs, verdicts, strict=True) if not verdict]
    return [Candidate(kind, *pair) for pair in pairs]


def tidy(text: str) -> str:
    """Return a text in ASCII quotes and single spaces, with a sentence-final mark."""
    text = " ".join(straighten(normalise(text), em_dash=" - ").split())
    text = text.replace("`", "'").lstrip("- ")
    if text.startswith('"') and '""' in text:  # a field of CSV with its quotes
        text = text[1:].removesuffix('"').replace('""', '"')
    if text.startswith("(") and text.rstrip(".").endswith(")") and text.count("(") == 1:
        text = text.strip("(),;. ") + "."
    if text.startswith("'") and text.count("'") == 1:
        text = text[1:]
    if text.count('"') % 2:  # half of a quotation that another verse ends
        text = " ".join(text.replace('"', "").split())
    text = _END.sub(".", text)
    return text[:1].upper() + text[1:]


def find_change(source: str, target: str) -> str:
    """Return what a pair changes that a paraphrase must not, or nothing."""
    if _MARKS.search(source) or _MARKS.search(target) or not (source and target):
        return "marks"
    if keep_letters(_spelled_out(source)) == keep_letters(_spelled_out(target)):
        return "same"
    if source.endswith("?") != target.endswith("?"):
        return "question"
    if not keeps(source, target):
        return "names and numbers"
    if find_persons(source) != find_persons(target):
        return "persons"
    here, there = (min(2, count_denials(text)) for text in (source, target))
    if here != there:
        return "negation"
    return ""


def _nearly(reason: str, source: str, target: str) -> bool:
    return reason == "same" and source != target


def _spelled_out(text: str) -> str:
    """Return a text without contractions: "It's" and "It is" are no paraphrase."""
    for short, long in _CONTRACTIONS:
        text = text.replace(short, long)
    return text


def sample_pairs(
    result: list[Candidate], most: int, draw: random.Random
) -> list[Candidate]:
    """Return a limited number of pairs, and few with the same source sentence."""
    draw.shuffle(result)
    times: Counter[str] = Counter()
    kept = []
    for candidate in result:
        times[candidate.source] += 1
        if times[candidate.source] <= MANY:
            kept.append(candidate)
    return kept[:most]


def filter_similar(
    result: list[Candidate], scorer: "Similarity", least: float, counts: Counter[str]
) -> list[Candidate]:
    scores = scorer.cosines([c.source for c in result], [c.target for c in result])
    kept = [
        Candidate(c.kind, c.source, c.target, score)
        for c, score in zip(result, scores, strict=True)
        if score >= least
    ]
    counts["scored"] += len(result)
    counts["content"] += len(result) - len(kept)
    return kept


def balance_lengths(
    result: list[Candidate], most: int, *, near: bool = False
) -> list[Candidate]:
    """Return the most diverse pairs of each length, in set shares.

    If ``near``, the first of them, whatever their diversity.
    """
    rank = (lambda _: 0) if near else _rank
    by_length: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in result:
        words = len(candidate.source.split())
        by_length[next((b for b, _ in BUCKETS if words <= b), 0)].append(candidate)
    kept: list[Candidate] = []
    rest: list[Candidate] = []
    for bucket, share in BUCKETS:
        ranked = sorted(by_length[bucket], key=rank)
        cut = int(most * share)
        kept, rest = kept + ranked[:cut], rest + ranked[cut:]
    # A source that has no short sentences may give more of the others.
    room = max(0, int(most * FILLED) - len(kept))
    return kept + sorted(rest, key=rank)[:room]


def _rank(candidate: Candidate) -> tuple[float, str, str]:
    worth = candidate.diversity + 1.5 * candidate.similarity
    return -worth, candidate.source, candidate.target


def measure_pairs(result: list[Candidate]) -> dict[str, float]:
    """Return the figures of STRAP's Table 16, and lengths."""
    if not result:
        return {}
    words = [(overlap.words(c.source), overlap.words(c.target)) for c in result]
    shared = [pair for pair in words if len(set(pair[0]) & set(pair[1])) > 1]
    figures = {
        "similarity": np.mean([c.similarity for c in result]),
        "lexical overlap": np.mean([overlap.unigram_overlap(*w).f1 for w in words]),
        "word order": np.mean([overlap.kendall_tau(*w) for w in shared] or [1.0]),
        "words": np.mean([len(c.source.split()) for c in result]),
    }
    strict = judge(
        [(c.source, c.target) for c in result],
        pipeline=change_thresholds(Pipeline(), {}, skip=("content", "language")),
        similarity=lambda a, b: [1.0] * len(a),
    )
    return {k: round(float(v), 3) for k, v in figures.items()} | {
        "would pass STRAP's own thresholds": strict.count("")
    }


def write(chosen: list[Candidate], draw: random.Random, folder: Path) -> None:
    """Write training and development pairs that share no sentence, and a sample."""
    draw.shuffle(chosen)
    held = {text for c in chosen[:DEV] for text in (c.source, c.target)}
    dev = chosen[:DEV]
    train = [c for c in chosen[DEV:] if c.source not in held and c.target not in held]
    pool = sorted(
        {
            name
            for c in train
            if c.kind != "tatoeba"
            for name in find_uncommon_names(c.source)
        }
    )
    lines = [f"{c.source}\t{c.target}" for c in train]
    lines += exchange_names(train, pool, draw)
    draw.shuffle(lines)
    for name, rows in (
        ("train", lines),
        ("dev", [f"{c.source}\t{c.target}" for c in dev]),
    ):
        (folder / f"{name}.tsv").write_text("\n".join([*rows, ""]), "utf-8")
    sample = [
        f"{c.kind}\t{c.similarity:.2f}\t{c.source}\t{c.target}" for c in train[:50]
    ]
    (folder / "sample.tsv").write_text("\n".join([*sample, ""]), "utf-8")
    print(f"{len(lines)} training pairs, {len(dev)} for development")


def exchange_names(
    train: list[Candidate], pool: list[str], draw: random.Random
) -> list[str]:
    """Return pairs with other names in place of theirs, and calls by name alone."""
    made = []
    for candidate in train:
        both = [
            n
            for n in find_uncommon_names(candidate.source)
            if re.search(rf"\b{n}\b", candidate.target)
        ]
        if (
            not both
            or len(both) > 3
            or (candidate.kind == "bible" and draw.random() < 0.7)
        ):
            continue
        others = dict(zip(both, draw.sample(pool, len(both)), strict=True))
        pattern = re.compile(rf"\b(?:{'|'.join(both)})\b")
        made.append(
            "\t".join(
                pattern.sub(lambda match: others[match[0]], text)  # noqa: B023
                for text in (candidate.source, candidate.target)
            )
        )
    for name in draw.sample(pool, min(len(pool), len(train) // 200)):
        end = draw.choice("!?.")
        made.append(f"{name}{end}\t{name}{end}")
    return made


if __name__ == "__main__":
    main()
