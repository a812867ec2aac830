"""Readers' ratings of rewrites, meaning, style and fluency, 0 to 2, and corrections.

Sheets answer the numbers of the rows: ``12a 2 1 2 [kind of error]`` rates candidate `a`
of row 12 (`training.everyday.sheets`), ``12 2 1 2 [kind]`` a row with one ``output``,
and ``12! text`` is the right rewrite where no candidate was. A correction counts as
rated 2 in everything. Lines that cannot be read are shown and left out. A fifth of the
sources is held out: no checker learns from their ratings. ``--asked`` gets the rated
rewrites of one system as requests with one candidate, to be scored by the checkers.

Run    python -m training.everyday.ratings --rows FILE --sheets FILE... -o FILE
              [--asked FILE --system greedy]
"""

import argparse
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus

HELD = 5  # one source in this many is held out
RATED = ("meaning", "manner", "fluency")
CORRECTED = "corrected"
_RATING = re.compile(r"(\d+)([a-z]?)\s+([012])\s+([012])\s+([012])(?:\s+(\S+).*)?")
_CORRECTION = re.compile(r"(\d+)!\s*(\S.*)")
Row = dict[str, Any]


def is_held_out(source: str) -> bool:
    """Return whether the ratings of a source's rewrites are kept from all checkers."""
    digest = hashlib.sha256(f"rating:{source}".encode()).hexdigest()
    return int(digest[:8], 16) % HELD == 0


def join_ratings(
    rows: Sequence[Mapping[str, Any]], lines: Iterable[str]
) -> tuple[list[Row], list[str]]:
    """Return the rated rewrites, in the rows' order, and the unreadable lines."""
    by_number = {int(row["n"]): row for row in rows}
    result: dict[tuple[int, str], Row] = {}
    unread = []
    for line in map(str.strip, lines):
        if not line:
            continue
        rated = _RATING.fullmatch(line)
        match = rated or _CORRECTION.fullmatch(line)
        row = by_number.get(int(match.group(1))) if match else None
        if match is None or row is None:
            unread.append(line)
            continue
        letter = match.group(2) if rated else "!"
        made = _read_rating(row, rated) if rated else _read_correction(row, match)
        if made is None:
            unread.append(line)
        else:
            result[int(row["n"]), letter] = made
    return [result[key] for key in sorted(result)], unread


def _read_rating(row: Mapping[str, Any], match: "re.Match[str]") -> Row | None:
    letter, kind = match.group(2), match.group(6) or ""
    if letter and letter not in row.get("candidates", {}):
        return None
    if not letter and "output" not in row:
        return None
    candidate = row["candidates"][letter] if letter else {"text": row["output"]}
    values = (int(value) for value in match.group(3, 4, 5))
    made = _make_row(
        row, candidate["text"], candidate.get("systems", ["teacher"]), kind
    )
    made |= {
        name: candidate[name]
        for name in ("logp", "tokens", "fault")
        if name in candidate
    }
    return made | dict(zip(RATED, values, strict=True))


def _read_correction(row: Mapping[str, Any], match: "re.Match[str]") -> Row:
    said = " ".join(match.group(2).split())
    return _make_row(row, said, ["reader"], CORRECTED) | dict.fromkeys(RATED, 2)


def _make_row(
    row: Mapping[str, Any], output: str, systems: list[str], kind: str
) -> Row:
    return {
        "source": row["source"], "style": row["style"], "output": output,
        "from": row.get("from", ""), "systems": systems, "kind": kind,
        "held": is_held_out(row["source"]),
    }  # fmt: skip


def read_ratings(path: Path) -> list[Row]:
    """Return rated rewrites from a file of this module or the corpus's own file."""
    return [
        {"from": "inputs", "held": is_held_out(row["source"])} | row
        for row in corpus.read_rows(path)
    ]


def is_gold(row: Mapping[str, Any]) -> bool:
    """Return whether a rewrite was rated 2 in everything."""
    return all(row[name] == 2 for name in RATED)


def ask_again(rows: Iterable[Row], system: str) -> list[Row]:
    """Return rated rewrites of a system as requests with one candidate."""
    kept = ("logp", "tokens", "fault")
    return [
        row | {"text": row["source"], "candidates": [
            {"logp": -0.5, "tokens": 1, "text": row["output"]}
            | {name: row[name] for name in kept if name in row}
        ]}
        for row in rows if system in row["systems"]
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--sheets", type=Path, nargs="+", required=True)
    parser.add_argument("--asked", type=Path)
    parser.add_argument("--system", default="greedy")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    lines = [
        line for path in options.sheets for line in path.read_text("utf-8").splitlines()
    ]
    rated, unread = join_ratings(corpus.read_rows(options.rows), lines)
    for line in unread:
        print(f"not read: {line[:100]}")
    corpus.write_rows(options.output, rated)
    if options.asked:
        corpus.write_rows(options.asked, ask_again(rated, options.system))
    gold = sum(map(is_gold, rated))
    corrected = sum(row["kind"] == CORRECTED for row in rated)
    print(f"{len(rated)} rated, {gold} of them 2 in everything, {corrected} corrected, "
          f"{len(unread)} not read")  # fmt: skip


if __name__ == "__main__":
    main()
