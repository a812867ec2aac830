"""Score candidates by all checkers: meaning twice, style, fluency.

Reads JSON lines with ``text``, ``style`` and ``candidates`` and adds to each candidate
``guard`` (the small checker of meaning), ``manner`` and ``fluent`` (`checker.manner`)
and, for the ``--most`` faultless candidates that the guard ranks best, ``same``
(the large checker). Files are waited for, so that another process may still write.

Run    python -m training.everyday.checker.candidates --guard FOLDER --manner FOLDER
              [--base FOLDER --same FILE] --outputs FILE... -o FOLDER
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.checker.encoder import CrossEncoder
from training.everyday.teacher import qwen
from training.everyday.teacher.prompts import PromptTokenizer
from training.everyday.teacher.rewrite import Checker
from training.everyday.teacher.tune import log

Row = dict[str, Any]


def score_rows(
    rows: Sequence[Row], guard: CrossEncoder, manner: CrossEncoder | None,
    checker: Checker | None, *, most: int, least: float,
) -> None:  # fmt: skip
    """Add the scores to the rows' candidates."""
    made = [(row, option) for row in rows for option in row["candidates"]]
    values = guard.score_pairs([(row["text"], option["text"]) for row, option in made])
    for (_, option), value in zip(made, values, strict=True):
        option["guard"] = round(value, 4)
    if manner:
        for name, prefix in (("manner", ""), ("fluent", "fluent ")):
            values = manner.score_pairs(
                [(prefix + row["style"], option["text"]) for row, option in made]
            )
            for (_, option), value in zip(made, values, strict=True):
                option[name] = round(value, 4)
    if checker:
        asked = [
            (row, option) for row in rows
            for option in choose_best(row["candidates"], most, least)
        ]  # fmt: skip
        values = checker.score_pairs(
            [(row["text"], option["text"]) for row, option in asked]
        )
        for (_, option), value in zip(asked, values, strict=True):
            option["same"] = round(value, 4)


def choose_best(candidates: Sequence[Row], most: int, least: float) -> list[Row]:
    """Return the candidates that the large checker scores."""
    fair = [option for option in candidates if not option.get("fault")]
    fair = [option for option in fair if option["guard"] >= least]
    return sorted(fair, key=lambda option: -option["guard"])[:most]


def wait_for(path: Path, until: Path | None) -> bool:
    """Wait for a file until another marks the end; return whether it came."""
    while not path.exists():
        if until and until.exists():
            return path.exists()
        time.sleep(0.5)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guard", type=Path, required=True)
    parser.add_argument("--manner", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--same", type=Path)
    parser.add_argument("--most", type=int, default=99)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--until", type=Path, help="is there when no more will come")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--outputs", type=Path, nargs="+", required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    guard = CrossEncoder(options.guard, options.device)
    manner = CrossEncoder(options.manner, options.device) if options.manner else None
    checker = None
    if options.same:
        adapter = qwen.Adapter.load(options.same, options.device)
        model = qwen.load(options.base, options.device).merge(adapter)
        checker = Checker(model, PromptTokenizer(options.base))
    for path in options.outputs:
        if not wait_for(path, options.until):
            log(f"{path.name} never came")
            continue
        if (options.output / path.name).exists():
            continue
        rows = corpus.read_rows(path)
        score_rows(rows, guard, manner, checker, most=options.most, least=options.least)
        corpus.write_rows(options.output / path.name, rows)
        log(f"{path.name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
