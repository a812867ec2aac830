"""Pairs that the student learns from: everyday's own and what the teacher wrote.

Of a request's candidates that break no fact, the one most probably the same by the
teacher's checker is taken (or, with ``--choose bold``, of those that reach the
threshold the one that shares the fewest words with its source). It must reach a
threshold there and with the small checker, differ from its source, be written in
tokens that the student knows, and not begin as too many others of its style do. What
each filter dropped is reported by style.

Run    python -m training.everyday.student.pairs --candidates FILE --guard FOLDER
              --student FOLDER -o FOLDER [--same 0.8] [--guarded 0.3]
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tokenizers

from training.everyday import corpus, facts, noise
from training.everyday.checker.encoder import CrossEncoder
from training.everyday.teacher import examples

Row = dict[str, Any]
TALK = ("tatoeba", "goemotions", "topical-chat", "openrewriteeval")
NOISY = 0.25
OPENING = 0.02  # share of a style's pairs that may begin with the same two words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--guard", type=Path, required=True)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--same", type=float, default=0.8)
    parser.add_argument("--guarded", type=float, default=0.3)
    parser.add_argument("--choose", choices=("same", "bold"), default="same")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    own = [t for t in corpus.read_texts(options.texts) if t.split == "train"]
    dropped: dict[str, Counter[str]] = defaultdict(Counter)
    rows = list(
        choose_candidates(
            corpus.read_rows(options.candidates),
            options.same,
            dropped,
            bold=options.choose == "bold",
        )
    )
    encoder = CrossEncoder(options.guard, options.device)
    scores = encoder.score_pairs([(row["source"], row["target"]) for row in rows])
    tokenizer = tokenizers.Tokenizer.from_file(str(options.student / "tokenizer.json"))
    kept = list(filter_rows(rows, scores, tokenizer, own, options.guarded, dropped))
    for row in kept:
        dropped[row["style"]]["kept"] += 1
    draw = random.Random(1)
    draw.shuffle(kept)
    corpus.write_rows(options.output / "kept.jsonl", kept)
    for number in range(options.epochs):
        mixed = [
            *make_own_pairs(own, number, tokenizer),
            *make_taught_pairs(kept, number),
        ]
        random.Random(number).shuffle(mixed)
        corpus.write_rows(options.output / f"epoch-{number}.jsonl", mixed)
        print(f"epoch {number}: {len(mixed)} pairs", flush=True)
    total = sum(dropped.values(), Counter())
    told = {
        "all": dict(total),
        "by style": {k: dict(v) for k, v in sorted(dropped.items())},
    }
    (options.output / "report.json").write_text(json.dumps(told, indent=1), "utf-8")
    print(json.dumps(told["all"]), flush=True)


def choose_candidates(
    requests: Iterable[Row],
    least: float,
    dropped: dict[str, Counter[str]],
    *,
    bold: bool,
) -> Iterable[Row]:
    """Yield the best candidate of each request that has one good enough."""
    for request in requests:
        style, source = request["style"], request["text"]
        count = dropped[style]
        count["requests"] += 1
        count["candidates"] += len(request["candidates"])
        fair = []
        for candidate in request["candidates"]:
            reason = find_reason(source, candidate, least)
            if reason:
                count[f"candidate: {reason}"] += 1
            else:
                fair.append(candidate)
        if not fair:
            count["no candidate left"] += 1
            continue
        if bold:
            best = min(fair, key=lambda one: measure_overlap(source, one["text"]))
        else:
            best = max(fair, key=lambda one: float(one["same"]))
        yield {"source": source, "style": style, "target": best["text"],
               "from": request.get("from", ""), "same": best["same"]}  # fmt: skip


def find_reason(source: str, candidate: Row, least: float) -> str:
    """Return why a candidate is dropped, or nothing."""
    if candidate.get("fault"):
        return str(candidate["fault"])
    if (candidate.get("same") or 0.0) < least:
        return "not the same"
    if facts.split_words(candidate["text"]) == facts.split_words(source):
        return "copy"
    return ""


def filter_rows(
    rows: Sequence[Row], scores: Sequence[float], tokenizer: tokenizers.Tokenizer,
    texts: Sequence[corpus.Text], least: float, dropped: dict[str, Counter[str]],
) -> Iterable[Row]:  # fmt: skip
    """Yield the rows that the small checker and the limits on openings let pass."""
    sizes = Counter(row["style"] for row in rows)
    usual = {
        style: Counter(find_opening(t.versions.get(style, "")) for t in texts)
        for style in corpus.STYLES
    }
    used: Counter[tuple[str, str]] = Counter()
    unknown = tokenizer.token_to_id("<unk>")
    for row, score in zip(rows, scores, strict=True):
        style, count = row["style"], dropped[row["style"]]
        first = find_opening(row["target"])
        share = max(OPENING, 1.3 * usual[style][first] / max(1, len(texts)))
        if score < least:
            count["small checker"] += 1
        elif (
            find_opening(row["source"]) != first
            and used[style, first] >= share * sizes[style]
        ):
            count["opening too frequent"] += 1
        elif unknown in tokenizer.encode(row["target"], add_special_tokens=False).ids:
            count["unknown tokens"] += 1
        else:
            used[style, first] += 1
            yield row | {"guard": round(score, 4)}


def measure_overlap(first: str, second: str) -> float:
    """Return which share of the words of both texts is in both."""
    one, two = set(facts.split_words(first)), set(facts.split_words(second))
    return len(one & two) / max(1, len(one | two))


def find_opening(text: str) -> str:
    return " ".join(facts.split_words(text)[:2])


def make_own_pairs(
    texts: Sequence[corpus.Text], seed: int, tokenizer: tokenizers.Tokenizer
) -> list[Row]:
    """Return an epoch of everyday's own pairs whose targets the student can write."""
    unknown = tokenizer.token_to_id("<unk>")
    rows = examples.make_epoch(texts, 100 + seed)
    result = tokenizer.encode_batch(
        [target for _, _, target in rows], add_special_tokens=False
    )
    return [
        {"source": source, "style": style, "target": target}
        for (source, style, target), one in zip(rows, result, strict=True)
        if unknown not in one.ids
    ]


def make_taught_pairs(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return the teacher's pairs, some sources of talk spelled as in a chat."""
    draw = random.Random(200 + seed)
    result = []
    for row in rows:
        source = row["source"]
        if row["from"] in TALK and draw.random() < NOISY:
            source = noise.spell_as_chat(source, draw)
        result.append(
            {"source": source, "style": row["style"], "target": row["target"]}
        )
    return result


if __name__ == "__main__":
    main()
