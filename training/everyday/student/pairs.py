"""Pairs that the student learns from: everyday's own and the teacher's rewrites.

``own`` writes epochs of everyday's pairs. ``taught`` takes the best candidate of each
request by the probability that a reader rates it 2 in everything (`teacher.rate`, or
with ``--reward`` `checker.reward`): it must break no fact, keep its meaning probably
enough, differ from its source, not be among those that show their style least, be
written in tokens that the student knows, not begin as too many others of its style do,
and not make a mark of its style more frequent than everyday does (`style_marks`;
``--marks`` says how many times as frequent one may be). What readers rated 2 in
everything and what they wrote themselves (`training.everyday.preferences`) is added
several times. What each filter dropped is reported by style.

Run    python -m training.everyday.student.pairs own --student FOLDER -o FOLDER
       python -m training.everyday.student.pairs taught --scored FILE...
              --student FOLDER -o FOLDER [--gold FILE] [--least 0.5] [--worth 0.4]
              [--marks 1.3]
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tokenizers

from training.everyday import corpus
from training.everyday.checker.reward import Reward, add_worths, cut_words
from training.everyday.student.style_marks import MOST, drop_surplus
from training.everyday.teacher import examples

Row = dict[str, Any]
OPENING = 0.02  # share of a style's pairs that may begin with the same two words
GOLD, CORRECTED = 3, 4  # copies of what a reader rated 2 in everything, or wrote


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("own", "taught"))
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--epochs", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--scored", type=Path, nargs="*", default=[])
    parser.add_argument("--reward", type=Path)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--least", type=float, default=0.5)
    parser.add_argument("--worth", type=float, default=0.0)
    parser.add_argument("--plainest", type=float, default=0.12)
    parser.add_argument("--marks", type=float, default=MOST)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.Tokenizer.from_file(str(options.student / "tokenizer.json"))
    texts = corpus.read_texts(options.texts)
    if options.documents:
        texts += corpus.read_documents(options.documents)
    own = [text for text in texts if text.split == "train"]
    if options.task == "own":
        for number in options.epochs:
            rows = make_own_pairs(own, number, tokenizer)
            corpus.write_rows(options.output / f"own-{number}.jsonl", rows)
            print(f"epoch {number}: {len(rows)} pairs", flush=True)
        return
    told = make_taught_pairs(options, tokenizer, own)
    (options.output / "report.json").write_text(json.dumps(told, indent=1), "utf-8")
    print(json.dumps(told["all"]), flush=True)


def make_taught_pairs(
    options: argparse.Namespace,
    tokenizer: tokenizers.Tokenizer,
    own: Sequence[corpus.Text],
) -> dict[str, Any]:
    """Write the teacher's pairs that are kept; return what was dropped."""
    dropped: dict[str, Counter[str]] = defaultdict(Counter)
    reward = Reward.load(options.reward) if options.reward else None
    scored = [row for path in options.scored for row in corpus.read_rows(path)]
    if reward:
        add_worths(scored, reward)
    asked = join_candidates(scored)
    rows = choose_best(asked, options.least, options.worth, dropped)
    rows = drop_plainest(rows, options.plainest, dropped)
    random.Random(2).shuffle(rows)
    kept = list(filter_rows(rows, tokenizer, own, dropped))
    kept = drop_surplus(kept, own, dropped, most=options.marks)
    for row in kept:
        dropped[row["style"]]["kept"] += 1
    if options.gold:
        for row in corpus.read_rows(options.gold):
            kept += [row] * (CORRECTED if row["corrected"] else GOLD)
    random.Random(1).shuffle(kept)
    corpus.write_rows(options.output / "kept.jsonl", kept)
    return {
        "all": dict(sum(dropped.values(), Counter())),
        "by style": {style: dict(own) for style, own in sorted(dropped.items())},
    }


def join_candidates(rows: Sequence[Row]) -> list[Row]:
    """Return each request once, with the candidates of all its writers."""
    result: dict[tuple[str, str], Row] = {}
    for row in rows:
        own = result.setdefault((row["text"], row["style"]), row | {"candidates": []})
        own["candidates"] += row["candidates"]
    return list(result.values())


def choose_best(
    rows: Sequence[Row], least: float, worth: float, dropped: dict[str, Counter[str]]
) -> list[Row]:
    """Return the best acceptable candidate of each request."""
    result = []
    for row in rows:
        count = dropped[row["style"]]
        count["requests"] += 1
        chosen = find_best(row, least, worth, count)
        if chosen is None:
            count["no candidate left"] += 1
            continue
        result.append(
            {"source": row["text"], "style": row["style"], "from": row.get("from", ""),
             "target": chosen["text"], "chances": chosen["chances"],
             "worth": chosen["worth"]}
        )  # fmt: skip
    return result


def find_best(
    row: Row, least: float, worth: float, dropped: Counter[str]
) -> Row | None:
    """Return the best candidate of a request, if any is acceptable."""
    source = cut_words(row["text"])
    fair = []
    for candidate in row["candidates"]:
        if candidate.get("fault"):
            dropped[f"candidate: {candidate['fault']}"] += 1
        elif candidate["chances"][0] < least:
            dropped["candidate: not the same"] += 1
        elif candidate["worth"] < worth:
            dropped["candidate: style or fluency"] += 1
        elif cut_words(candidate["text"]) == source:
            dropped["candidate: copy"] += 1
        else:
            fair.append(candidate)
    return max(fair, key=lambda candidate: float(candidate["worth"])) if fair else None


def drop_plainest(
    rows: Sequence[Row], share: float, dropped: dict[str, Counter[str]]
) -> list[Row]:
    """Return the rows without those that show their style least."""
    limits = {}
    for style in corpus.STYLES:
        own = sorted(row["chances"][1] for row in rows if row["style"] == style)
        limits[style] = own[int(share * len(own))] if own else 0.0
    kept = []
    for row in rows:
        if row["chances"][1] < limits[row["style"]]:
            dropped[row["style"]]["least in style"] += 1
        else:
            kept.append(row)
    return kept


def filter_rows(
    rows: Sequence[Row], tokenizer: tokenizers.Tokenizer, texts: Sequence[corpus.Text],
    dropped: dict[str, Counter[str]],
) -> Iterator[Row]:  # fmt: skip
    """Yield the rows that the limits on openings and on tokens let pass."""
    sizes = Counter(row["style"] for row in rows)
    usual = {
        style: Counter(find_opening(t.versions.get(style, "")) for t in texts)
        for style in corpus.STYLES
    }
    used: Counter[tuple[str, str]] = Counter()
    unknown = tokenizer.token_to_id("<unk>")
    result = tokenizer.encode_batch_fast(
        [row["target"] for row in rows], add_special_tokens=False
    )
    for row, tokens in zip(rows, result, strict=True):
        style, count = row["style"], dropped[row["style"]]
        first = find_opening(row["target"])
        share = max(OPENING, 1.3 * usual[style][first] / max(1, len(texts)))
        if (
            find_opening(row["source"]) != first
            and used[style, first] >= share * sizes[style]
        ):
            count["opening too frequent"] += 1
        elif unknown in tokens.ids:
            count["unknown tokens"] += 1
        else:
            used[style, first] += 1
            yield row


def find_opening(text: str) -> str:
    return " ".join(cut_words(text)[:2])


def make_own_pairs(
    texts: Sequence[corpus.Text], seed: int, tokenizer: tokenizers.Tokenizer
) -> list[Row]:
    """Return one epoch of everyday's own pairs whose targets the student can write."""
    unknown = tokenizer.token_to_id("<unk>")
    rows = examples.make_epoch(texts, 100 + seed)
    result = tokenizer.encode_batch_fast(
        [target for _, _, target in rows], add_special_tokens=False
    )
    return [
        {"source": source, "style": style, "target": target}
        for (source, style, target), hypotheses in zip(rows, result, strict=True)
        if unknown not in hypotheses.ids
    ]


if __name__ == "__main__":
    main()
