"""Blind sheets for the four criteria: written, filled in, and read with their key."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.study import criteria, sheets

SYSTEMS = ("copy", "rules", "model")


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    rows = [
        {"item": str(item), "system": system, "target": target, "source": f"s{item}",
         "output": "same" if system != "model" else f"better {item}"}
        for item in range(6) for target in ("formal", "informal") for system in SYSTEMS
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def fill_in(sheet: Path, filled: Path, **marks: object) -> None:
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    with filled.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys(), delimiter="\t")
        table.writeheader()
        for row in rows:
            best = row["output"].startswith("better")
            rank = {"rank": 1 if best else 2}
            table.writerow(row | rank | {k: v for k, v in marks.items() if best})


def test_outputs_for_a_text_stand_together_and_are_ranked(
    run: Callable[..., tuple[int, str, str]], outputs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "reading"
    made = run("study", "sheet", outputs, "--criteria", "--rows", 7, "-o", folder)
    assert made[0] == 0, made
    paths = sorted(folder.glob("sheet-*.tsv"))
    assert len(paths) == 4  # 24 outputs, no text's divided
    for number, path in enumerate(paths):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert [*rows[0]][-4:] == ["formality", "fluency", "meaning", "rank"]
        texts = [(row["source"], row["target"]) for row in rows]
        assert texts[::2] == texts[1::2]
        marks: dict[str, Any] = {"formality": 2, "fluency": 5, "meaning": 6}
        fill_in(path, tmp_path / f"anna.{number}.tsv", **marks)
    filled = sorted(tmp_path.glob("anna.*.tsv"))
    key = folder / "key.jsonl"
    code, out, _ = run("study", "criteria", "--key", key, "--json", *filled)
    assert code == 0
    systems = json.loads(out)["systems"]
    assert systems["model"]["rank"]["value"] == 1
    assert systems["copy"]["rank"]["value"] == systems["rules"]["rank"]["value"] == 2
    assert systems["model"]["formality"] | {"p": None} == {
        "value": 2, "low": 2, "high": 2, "sentences": 12, "p": None,
    }  # fmt: skip


def test_a_mark_twice_or_without_its_output_is_refused(
    outputs: Path, tmp_path: Path
) -> None:
    known = sheets.keep_together(sheets.gather_outputs([outputs], seed=1))
    path = tmp_path / "anna.tsv"
    path.write_text("number\trank\n1\t1\n1\t2\n", "utf-8")
    with pytest.raises(ParaphrastError, match=r"anna.tsv:3: .*marked output 1 twice"):
        criteria.read_sheets(known, [path])
    path.write_text("number\trank\n99\t1\n", "utf-8")
    with pytest.raises(ParaphrastError, match=r"output 99 is not in the key"):
        criteria.read_sheets(known, [path])
    path.write_text("number\trank\none\t1\n", "utf-8")
    with pytest.raises(ParaphrastError, match=r"number is 'one', not a number"):
        criteria.read_sheets(known, [path])
