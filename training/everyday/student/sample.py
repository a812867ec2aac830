"""Let the student rewrite requests by sampling, and check the facts of what it writes.

The rows are those of `training.everyday.teacher.rewrite`; copies of the source are left
out.

Run    python -m training.everyday.student.sample --student FOLDER --requests FILE...
              -o FOLDER [--each 4] [--temperature 0.7] [--workers 8]
"""

import argparse
import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training.everyday import corpus, facts
from training.everyday.student.train import LONGEST, Student, open_student, pad
from training.everyday.teacher.tune import log

Row = dict[str, Any]
ROWS = 6144  # candidates written at a time
TOP_P = 0.95


@torch.inference_mode()  # type: ignore[untyped-decorator]
def draw_rewrites(
    student: Student, requests: Sequence[tuple[str, str]], each: int, temperature: float
) -> list[list[str]]:
    """Return the greedy rewrite of each request, then samples, without repetitions."""
    student.model.eval()
    rows = [row[-LONGEST:] for row in student.encode_sources(requests)]
    order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
    result: list[list[str]] = [[] for _ in rows]
    size = max(1, ROWS // (each + 1))
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        ids, mask = pad([rows[at] for at in batch], 0)
        given = {
            "input_ids": ids.to(student.device),
            "attention_mask": mask.to(student.device),
            "max_new_tokens": min(LONGEST, int(1.6 * ids.shape[1]) + 12),
        }  # fmt: skip
        with torch.autocast(student.device, torch.bfloat16, enabled=student.bfloat16):
            likeliest = student.model.generate(**given, num_beams=1, do_sample=False)
            drawn = student.model.generate(
                **given, do_sample=True, num_beams=1, temperature=temperature,
                top_p=TOP_P, top_k=0, num_return_sequences=each,
            )  # fmt: skip
        said = [decode(student, likeliest), decode(student, drawn)]
        for place, at in enumerate(batch):
            own = [said[0][place], *said[1][place * each : (place + 1) * each]]
            result[at] = list(dict.fromkeys(own))
        log(f"{min(start + size, len(order))} of {len(order)}")
    return result


def decode(student: Student, made: Any) -> list[str]:
    """Return the texts of written tokens."""
    texts = student.tokenizer.decode_batch(made.tolist(), skip_special_tokens=True)
    return [" ".join(text.split()) for text in texts]


def check_rewrites(
    rows: Sequence[Row], written: Sequence[Sequence[str]], workers: int
) -> list[Row]:
    """Return the rows with their candidates and the fact that each breaks, if any."""
    made = [
        (row["text"], said, row["style"])
        for row, own in zip(rows, written, strict=True)
        for said in own if said != row["text"]
    ]  # fmt: skip
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        faults = iter(pool.starmap(facts.find_any_fault, made, chunksize=200))
    result = []
    for row, own in zip(rows, written, strict=True):
        candidates = []
        for said in own:
            if said != row["text"]:
                fault = next(faults)
                candidates.append({"text": said} | ({"fault": fault} if fault else {}))
        result.append(row | {"candidates": candidates})
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--requests", type=Path, nargs="+", required=True)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    student = open_student(options.student, options.device)
    if not isinstance(student, Student):
        raise SystemExit(f"{options.student}: only an encoder-decoder can be sampled.")
    torch.manual_seed(options.seed)
    for path in options.requests:
        rows = corpus.read_rows(path)
        asked = [(row["text"], row["style"]) for row in rows]
        written = draw_rewrites(student, asked, options.each, options.temperature)
        checked = check_rewrites(rows, written, options.workers)
        corpus.write_rows(options.output / path.name, checked)
        log(f"{path.name}: {len(rows)} requests")


if __name__ == "__main__":
    main()
