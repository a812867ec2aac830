"""Choose among scored candidates: the best of each request, and preferences.

A candidate's worth is the probability that a reader rates its meaning 2, times a part
for style and a part for fluency (`checker.reward`). The best one is taken if it breaks
no fact, is no copy and its meaning is probable enough. A preference sets it against the
worst candidate, if that is worth less by a share of ``--gap``.

Run    python -m training.everyday.teacher.choose --scored FILE... --reward FILE
              -o FOLDER [--ratings FILE] [--least 0.6]
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.everyday import corpus, noise
from training.everyday.checker.reward import Reward, cut_words, describe_candidate

Row = dict[str, Any]
NOISY = 0.25
TALK = (
    "tatoeba",
    "goemotions",
    "topical-chat",
    "openrewriteeval",
    "everyday",
    "europarl",
)


def add_worths(rows: Sequence[Row], reward: Reward) -> None:
    """Add to each candidate the three probabilities and its worth."""
    made = [(row, one) for row in rows for one in row["candidates"]]
    if not made:
        return
    features = np.array(
        [describe_candidate(row["text"], row["style"], one) for row, one in made]
    )
    for (_, one), chances in zip(made, reward.estimate(features).tolist(), strict=True):
        one["chances"] = [round(chance, 4) for chance in chances]
        one["worth"] = round(compute_worth(chances), 4)
        if one.get("fault"):
            one["worth"] = round(0.3 * one["worth"], 4)


def compute_worth(chances: Sequence[float]) -> float:
    """Return the worth of a candidate: meaning first, style and fluency after it."""
    meaning, manner, fluency = chances
    return meaning * (0.4 + 0.6 * manner) * (0.4 + 0.6 * fluency)


def find_best(row: Row, least: float, dropped: Counter[str]) -> Row | None:
    """Return the best candidate that may be learnt from, if there is one."""
    source = cut_words(row["text"])
    fair = []
    for one in row["candidates"]:
        if one.get("fault"):
            dropped[f"candidate: {one['fault']}"] += 1
        elif "same" not in one:
            dropped["candidate: not among the best"] += 1
        elif one["chances"][0] < least:
            dropped["candidate: not the same"] += 1
        elif cut_words(one["text"]) == source:
            dropped["candidate: copy"] += 1
        else:
            fair.append(one)
    return max(fair, key=lambda one: float(one["worth"])) if fair else None


def choose(
    rows: Iterable[Row], least: float, gap: float, dropped: dict[str, Counter[str]]
) -> tuple[list[Row], list[Row]]:
    """Return the best candidates and the preferences."""
    best, preferences = [], []
    for row in rows:
        count = dropped[row["style"]]
        count["requests"] += 1
        count["candidates"] += len(row["candidates"])
        chosen = find_best(row, least, count)
        if chosen is None:
            count["no candidate left"] += 1
            continue
        base = {"source": row["text"], "style": row["style"],
                "from": row.get("from", "")}  # fmt: skip
        count["chosen"] += 1
        best.append(base | {"target": chosen["text"], "chances": chosen["chances"],
                            "worth": chosen["worth"]})  # fmt: skip
        worst = min(row["candidates"], key=lambda one: float(one["worth"]))
        if worst["worth"] <= (1 - gap) * chosen["worth"]:
            count["preferences"] += 1
            preferences.append(
                base | {"chosen": chosen["text"], "rejected": worst["text"]}
            )
    return best, preferences


def spell_some(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return the rows, some modern sources spelled as in a chat."""
    draw = random.Random(seed)
    return [
        row | {"source": noise.spell_as_chat(row["source"], draw)}
        if row["from"] in TALK and draw.random() < NOISY else row
        for row in rows
    ]  # fmt: skip


def read_gold(path: Path) -> list[Row]:
    """Return rewrites that a reader rated 2 in everything; held-out ones are not."""
    return [
        {"source": row["source"], "style": row["style"], "target": row["output"],
         "from": row["from"]}
        for row in corpus.read_rows(path)
        if not row["held"] and row["meaning"] == row["manner"] == row["fluency"] == 2
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scored", type=Path, nargs="+", required=True)
    parser.add_argument("--reward", type=Path, required=True)
    parser.add_argument("--ratings", type=Path)
    parser.add_argument("--least", type=float, default=0.6)
    parser.add_argument("--gap", type=float, default=0.5)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [row for path in options.scored for row in corpus.read_rows(path)]
    add_worths(rows, Reward.load(options.reward))
    dropped: dict[str, Counter[str]] = defaultdict(Counter)
    best, preferences = choose(rows, options.least, options.gap, dropped)
    if options.ratings:
        best += read_gold(options.ratings)
    draw = random.Random(1)
    draw.shuffle(best)
    draw.shuffle(preferences)
    corpus.write_rows(options.output / "best.jsonl", spell_some(best, 1))
    corpus.write_rows(options.output / "preferences.jsonl", spell_some(preferences, 2))
    told = {
        "all": dict(sum(dropped.values(), Counter())),
        "by style": {style: dict(own) for style, own in sorted(dropped.items())},
    }
    (options.output / "report.json").write_text(json.dumps(told, indent=1), "utf-8")
    print(json.dumps(told["all"]), flush=True)
    for row in preferences[:12]:
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
