"""Measure the teacher's checker: how many wrong versions it finds at 5% false alarms.

Run    python -m training.everyday.teacher.check --base FOLDER --checker FILE
              --pairs FILE -o FILE
"""

import argparse
import json
from pathlib import Path

from training.everyday import corpus
from training.everyday.checker.measure import report_recall
from training.everyday.teacher import qwen
from training.everyday.teacher.prompts import PromptTokenizer
from training.everyday.teacher.rewrite import Checker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--checker", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = corpus.read_rows(options.pairs)
    base = qwen.load(options.base, options.device)
    adapter = qwen.Adapter.load(options.checker, options.device)
    checker = Checker(base.merge(adapter), PromptTokenizer(options.base))
    scores = checker.score_pairs([(row["first"], row["second"]) for row in rows])
    result = report_recall(rows, scores)
    scored = zip(rows, scores, strict=True)
    corpus.write_rows(
        options.output.with_suffix(".scores.jsonl"),
        [row | {"score": round(score, 4)} for row, score in scored],
    )
    options.output.write_text(json.dumps(result, indent=1), "utf-8")
    print(json.dumps(result, indent=1), flush=True)


if __name__ == "__main__":
    main()
