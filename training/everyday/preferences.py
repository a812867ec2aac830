"""Training data from ratings: rewrites to learn, and preferences between two.

``gold.jsonl`` has the rewrites that were rated 2 in everything, with corrections.
``preferences.jsonl`` sets such a one against every rewrite of the same request by the
teacher, or by the student (``--of``), that was rated lower in meaning, style or
fluency. Faults of style alone stand twice where they are less than half as many as
others. A copy of the source, which no reader is shown, is such a fault (``--rows``,
those of the sheets). Held-out sources (`training.everyday.ratings`) teach nothing:
their preferences, ``held.jsonl``, are what learning is stopped by. ``--rated`` adds
candidates that the rater marked (`training.everyday.teacher.rate`): the best of a
request against a much worse one.

Run    python -m training.everyday.preferences --ratings FILE... -o FOLDER
              [--of teacher|student] [--rows FILE] [--rated FILE...]
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.ratings import (
    CORRECTED,
    RATED,
    is_gold,
    is_held_out,
    read_ratings,
)

BETTER, APART = 0.5, 0.35  # worth of the better one; between the chances of two
TEACHER, STUDENT, COPY = "teacher", "student", "copy"
Row = dict[str, Any]


def read_gold(rows: Iterable[Row]) -> list[Row]:
    """Return rewrites that a reader rated 2 in everything, or corrected."""
    return [
        {"source": row["source"], "style": row["style"], "target": row["output"],
         "from": row["from"], "corrected": row["kind"] == CORRECTED}
        for row in rows if is_gold(row)
    ]  # fmt: skip


def is_by(row: Row, writer: str) -> bool:
    """Return whether the teacher, or the student, wrote a rewrite; both may have."""
    if writer == STUDENT:
        return STUDENT in row["systems"]
    return bool(set(row["systems"]) - {STUDENT})


def pair_ratings(
    rows: Sequence[Row], draw: random.Random, writer: str = TEACHER
) -> list[Row]:
    """Return preferences over a model's rewrites, in random order."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["source"], row["style"]].append(row)
    made = []
    for (source, style), own in groups.items():
        good = [row for row in own if is_gold(row)]
        for row in own:
            if not good or is_gold(row) or not is_by(row, writer):
                continue
            better = draw.choice(good)
            made.append({
                "source": source, "style": style, "from": row["from"],
                "chosen": better["output"], "rejected": row["output"],
                "fault": name_fault(row), "corrected": better["kind"] == CORRECTED,
            })  # fmt: skip
    result = weigh_style(made)
    draw.shuffle(result)
    return result


def find_copies(rows: Iterable[Row], writer: str = TEACHER) -> list[Row]:
    """Return the copies that were left out of sheets, rated 0 for their style."""
    return [
        {"source": row["source"], "style": row["style"], "output": row["source"],
         "from": row.get("from", ""), "systems": [writer], "kind": COPY,
         "held": is_held_out(row["source"]), "meaning": 2, "manner": 0, "fluency": 2}
        for row in rows if row.get("copies")
    ]  # fmt: skip


def pair_rated(rows: Iterable[Row], draw: random.Random) -> list[Row]:
    """Return preferences between candidates that the rater marked, meaning first."""
    made = []
    for row in rows:
        own = [option for option in row["candidates"] if "worth" in option]
        own = [option for option in own if option["text"] != row["text"]]
        best = max(own, key=lambda option: float(option["worth"]), default=None)
        if best is None or best["worth"] < BETTER:
            continue
        worse = [
            (fault, option) for option in own
            if (fault := find_fault(best, option))
        ]  # fmt: skip
        if worse:
            fault, option = draw.choice(worse)
            made.append({
                "source": row["text"], "style": row["style"],
                "from": row.get("from", ""), "chosen": best["text"],
                "rejected": option["text"], "fault": fault, "corrected": False,
            })  # fmt: skip
    return made


def find_fault(best: Row, option: Row) -> str:
    """Return the mark in which a candidate is much worse than the best, if any."""
    for name, good, bad in zip(RATED, best["chances"], option["chances"], strict=True):
        if bad < good - APART:
            return name
    return ""


def weigh_style(rows: Sequence[Row]) -> list[Row]:
    """Return the preferences, those against faults of style alone doubled if few."""
    styled = [row for row in rows if row["fault"] == "manner"]
    return [*rows, *(styled if 3 * len(styled) < len(rows) else [])]


def name_fault(row: Row) -> str:
    """Return what is worse than the best: meaning before style before fluency."""
    return next(name for name in ("meaning", "manner", "fluency") if row[name] < 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=Path, nargs="+", required=True)
    parser.add_argument("--of", choices=(TEACHER, STUDENT), default=TEACHER)
    parser.add_argument("--rows", type=Path, help="of the sheets, with their copies")
    parser.add_argument("--rated", type=Path, nargs="*", default=[])
    parser.add_argument("--most", type=int, default=12_000, help="of those rated")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [row for path in options.ratings for row in read_ratings(path)]
    if options.rows:
        rows += find_copies(corpus.read_rows(options.rows), options.of)
    gold = read_gold(row for row in rows if not row["held"])
    corpus.write_rows(options.output / "gold.jsonl", gold)
    print(f"{len(gold)} gold, {sum(row['corrected'] for row in gold)} corrected")
    for name, held in (("preferences", False), ("held", True)):
        own = [row for row in rows if row["held"] == held]
        made = pair_ratings(own, random.Random(1), options.of)
        if not held:
            marked = (row for path in options.rated for row in corpus.read_rows(path))
            made += pair_rated(marked, random.Random(1))[: options.most]
            random.Random(2).shuffle(made)
        corpus.write_rows(options.output / f"{name}.jsonl", made)
        print(f"{len(made)} {name}", dict(Counter(row["fault"] for row in made)))


if __name__ == "__main__":
    main()
