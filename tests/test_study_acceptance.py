"""Blind reading: sheets that name no system, and what readers accepted."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.proportion import wilson_interval
from paraphrast.study import acceptance, sheets
from paraphrast.study.acceptance import Mark
from paraphrast.study.sheets import Output


def row(item: str, system: str, output: str, target: str = "formal") -> dict[str, str]:
    return {
        "item": item, "system": system, "target": target, "kind": "mail",
        "source": f"source {item}", "output": output,
    }  # fmt: skip


ROWS = [
    row("1", "rules", "I cannot come."),
    row("1", "copy", "can't come"),
    row("2", "rules", "Thank you."),
    row("2", "copy", "Thank you."),
]


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def make_marks(
    annotator: str, marks: dict[int, tuple[int, int, int, int]]
) -> list[Mark]:
    return [
        Mark(number, annotator, dict(zip(acceptance.SCALES, values, strict=True)), "")
        for number, values in marks.items()
    ]


@pytest.mark.parametrize(
    ("share", "trials", "low", "high"),
    # Newcombe 1998, Table I, method 3.
    [
        (81 / 263, 263, 0.2553, 0.3662),
        (15 / 148, 148, 0.0624, 0.1605),
        (0.0, 20, 0.0, 0.1611),
        (1 / 29, 29, 0.0061, 0.1718),
        (1.0, 20, 0.8389, 1.0),
    ],
)
def test_wilsons_interval(share: float, trials: int, low: float, high: float) -> None:
    assert wilson_interval(share, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("share", "trials"), [(0.5, 0), (1.1, 5), (-0.1, 5)])
def test_an_invalid_share_has_no_interval(share: float, trials: int) -> None:
    with pytest.raises(ValueError, match="no interval"):
        wilson_interval(share, trials)


def test_equal_outputs_for_a_text_are_read_once(tmp_path: Path) -> None:
    outputs = sheets.gather_outputs([write_rows(tmp_path / "a.jsonl", ROWS)], seed=1)
    assert len(outputs) == 3
    assert sorted(o.number for o in outputs) == [1, 2, 3]
    together = next(o for o in outputs if o.item == "2")
    assert together.systems == ("copy", "rules")


def test_the_order_follows_from_the_seed(tmp_path: Path) -> None:
    rows = [row(str(n), "rules", f"text {n}") for n in range(30)]
    path = write_rows(tmp_path / "a.jsonl", rows)
    backwards = write_rows(tmp_path / "b.jsonl", rows[::-1])
    first, again, other = (
        [o.item for o in sheets.gather_outputs([p], seed=seed)]
        for p, seed in ((path, 1), (backwards, 1), (path, 2))
    )
    assert first == again != other
    assert first != sorted(first)


def test_two_outputs_of_a_system_for_a_text_are_read_apart(tmp_path: Path) -> None:
    rows = [row("1", "rules", "one"), row("1", "rules", "two")]
    assert (
        len(sheets.gather_outputs([write_rows(tmp_path / "a.jsonl", rows)], seed=1))
        == 2
    )


def test_a_row_given_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [*ROWS, ROWS[0]])
    with pytest.raises(ParaphrastError, match=r":5.*twice \(first at .*:1\)"):
        sheets.gather_outputs([path], seed=1)


def test_a_sheet_names_no_system_and_is_cut_into_parts(tmp_path: Path) -> None:
    rows = [row(str(n), f"system{n}", f"text {n}") for n in range(5)]
    outputs = sheets.gather_outputs([write_rows(tmp_path / "a.jsonl", rows)], seed=1)
    names = sheets.write_sheets(
        outputs, tmp_path / "reading", columns=acceptance.COLUMNS, rows=2
    )
    assert names == ["sheet-01.tsv", "sheet-02.tsv", "sheet-03.tsv"]
    texts = [(tmp_path / "reading" / name).read_text("utf-8") for name in names]
    assert not any("system" in text for text in texts)
    numbers = [
        int(line["number"])
        for text in texts
        for line in csv.DictReader(text.splitlines(), delimiter="\t")
    ]
    assert numbers == [1, 2, 3, 4, 5]
    assert sheets.read_key(tmp_path / "reading" / "key.jsonl") == outputs


def test_filled_in_sheets_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "reading").mkdir()
    (tmp_path / "reading" / "sheet-01.tsv").write_text("filled in", "utf-8")
    with pytest.raises(ParaphrastError, match="already exists"):
        sheets.write_sheets([], tmp_path / "reading", columns=(), rows=2)


OUTPUTS = [
    Output(1, "a", "mail", "formal", "s", "A1", ("new",)),
    Output(2, "a", "mail", "formal", "s", "A2", ("old",)),
    Output(3, "b", "chat", "formal", "s", "B", ("new", "old")),
    Output(4, "c", "chat", "bible", "s", "C1", ("new",)),
    Output(5, "c", "chat", "bible", "s", "C2", ("old",)),
]
MARKS = [
    *make_marks("anna", {1: (1, 2, 2, 2), 2: (0, 0, 1, 2), 3: (1, 2, 1, 2),
                         4: (0, 2, 1, 1), 5: (0, 1, 1, 1)}),
    *make_marks("ben", {1: (1, 2, 2, 2), 2: (0, 1, 1, 2), 3: (0, 2, 1, 2),
                        4: (0, 2, 1, 1), 5: (0, 1, 1, 1)}),
]  # fmt: skip


def test_acceptance_is_the_mean_over_readers() -> None:
    report = acceptance.make_report(OUTPUTS, MARKS)
    new, old = report.systems["new"], report.systems["old"]
    assert new.acceptable.value == pytest.approx(50)  # 1, 1/2 and 0 of three outputs
    low, high = wilson_interval(0.5, 3)
    assert (new.acceptable.low, new.acceptable.high) == pytest.approx(
        (100 * low, 100 * high)
    )
    assert old.acceptable.value == pytest.approx(100 / 6)
    assert new.changed.value == 0
    assert old.changed.value == pytest.approx(100 / 6)
    assert (new.meaning, new.style, new.fluency) == pytest.approx((2, 4 / 3, 5 / 3))
    assert report.readers == ("anna", "ben")


def test_figures_by_style_and_kind_count_their_own_outputs() -> None:
    report = acceptance.make_report(OUTPUTS, MARKS)
    assert {k: v.outputs for k, v in report.by_target["new"].items()} == {
        "bible": 1, "formal": 2,
    }  # fmt: skip
    assert report.by_target["new"]["formal"].acceptable.value == pytest.approx(75)
    assert report.by_kind["old"]["chat"].acceptable.value == pytest.approx(25)


def test_preferences_follow_acceptance_then_marks_and_equal_outputs_tie() -> None:
    (pair,) = acceptance.make_report(OUTPUTS, MARKS).preferences
    assert (pair.first, pair.second) == ("new", "old")
    assert (pair.better, pair.worse, pair.ties) == (2, 0, 1)
    assert pair.share is not None
    assert (pair.share.value, pair.share.high) == (100, 100)
    assert pair.share.low == pytest.approx(100 * wilson_interval(1.0, 2)[0])


def test_a_comparison_is_the_same_from_the_other_side() -> None:
    (pair,) = acceptance.make_report(OUTPUTS, MARKS).preferences
    other = pair.reverse()
    assert (other.first, other.better, other.worse, other.ties) == ("old", 0, 2, 1)
    assert other.share is not None
    assert (other.share.value, other.share.low) == (0, 0)
    assert (other.reverse().better, other.reverse().worse) == (2, 0)


def test_systems_with_equal_outputs_alone_have_no_preferred_share() -> None:
    outputs = [replace(OUTPUTS[0], systems=("new", "old"))]
    marks = make_marks("anna", {outputs[0].number: (1, 2, 2, 2)})
    (pair,) = acceptance.make_report(outputs, marks).preferences
    assert (pair.ties, pair.share, pair.reverse().share) == (1, None, None)


def test_an_acceptable_output_is_preferred_to_higher_marks() -> None:
    outputs = [OUTPUTS[0], OUTPUTS[1]]
    marks = make_marks("anna", {1: (0, 2, 2, 2), 2: (1, 2, 1, 1)})
    (pair,) = acceptance.make_report(outputs, marks).preferences
    assert (pair.better, pair.worse, pair.ties) == (0, 1, 0)


def test_readers_agreement_is_reported_by_criterion() -> None:
    report = acceptance.make_report(OUTPUTS, MARKS)
    names = [row.coefficient for row in report.agreement["acceptable"]]
    assert any("krippendorff" in name for name in names)
    perfect = [row.value for row in report.agreement["fluency"]]
    assert max(perfect) == pytest.approx(1)


def test_faults_of_unacceptable_outputs_are_counted() -> None:
    good, bad = make_marks("anna", {1: (1, 2, 2, 2), 2: (0, 1, 2, 2)})
    marks = [replace(good, fault="unheard"), replace(bad, fault="lost")]
    report = acceptance.make_report(OUTPUTS[:2], marks)
    assert report.faults == {"new": {}, "old": {"lost": 1}}


def test_an_output_without_marks_is_named() -> None:
    with pytest.raises(ParaphrastError, match="2 of 5 outputs have no marks.* is 4"):
        acceptance.make_report(OUTPUTS, [m for m in MARKS if m.number < 4])


def test_a_mark_of_an_unknown_output_is_refused() -> None:
    with pytest.raises(ParaphrastError, match="anna marked output 9"):
        acceptance.make_report(OUTPUTS, make_marks("anna", {9: (1, 2, 2, 2)}))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1\t2\t2\t2\t2", "acceptable is '2', not 0 to 1"),
        ("1\t1\t3\t2\t2", "meaning is '3', not 0 to 2"),
        ("1\t1\t\t2\t2", "meaning' is empty"),
        ("x\t1\t2\t2\t2", "number is 'x', not a number"),
        ("1\t1\t2\t-1\t2", "style is '-1'"),
    ],
)
def test_a_wrong_mark_is_refused_with_its_line(
    tmp_path: Path, cells: str, message: str
) -> None:
    path = tmp_path / "anna.tsv"
    path.write_text(f"number\tacceptable\tmeaning\tstyle\tfluency\n{cells}\n", "utf-8")
    with pytest.raises(ParaphrastError, match=message) as caught:
        acceptance.read_marks([path])
    assert ":2" in str(caught.value)


def test_a_reader_may_fill_in_several_sheets_but_none_twice(tmp_path: Path) -> None:
    head = "number\tacceptable\tmeaning\tstyle\tfluency\tfault\n"
    one, two = tmp_path / "anna.sheet-01.tsv", tmp_path / "anna.sheet-02.tsv"
    one.write_text(head + "1\t1\t2\t2\t2\t\n", "utf-8")
    two.write_text(head + "2\t0\t0\t2\t2\tmeaning\n", "utf-8")
    marks = acceptance.read_marks([one, two])
    assert [(m.annotator, m.number, m.fault) for m in marks] == [
        ("anna", 1, ""), ("anna", 2, "meaning"),
    ]  # fmt: skip
    two.write_text(head + "1\t0\t0\t2\t2\tmeaning\n", "utf-8")
    with pytest.raises(ParaphrastError, match="marked output 1 twice"):
        acceptance.read_marks([one, two])


def test_a_broken_key_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    path.write_text('{"number": 1}\n', "utf-8")
    with pytest.raises(ParaphrastError, match=r"key.jsonl:1: not a row of a key"):
        sheets.read_key(path)


def test_from_outputs_to_report_by_commands(tmp_path: Path) -> None:
    run = CliRunner()
    outputs = write_rows(tmp_path / "outputs.jsonl", ROWS)
    folder = tmp_path / "reading"
    made = run.invoke(app, ["study", "sheet", str(outputs), "-o", str(folder)])
    assert made.exit_code == 0, made.output
    sheet = folder / "sheet-01.tsv"
    assert made.stdout.split() == [str(sheet)]
    lines = sheet.read_text("utf-8").splitlines()
    for name in ("anna", "ben"):
        filled = [line.rstrip("\t") + "\t1\t2\t2\t2\t" for line in lines[1:]]
        text = "\n".join([lines[0], *filled]) + "\n"
        (tmp_path / f"{name}.tsv").write_text(text, "utf-8")
    marks = [str(tmp_path / f"{name}.tsv") for name in ("anna", "ben")]
    command = ["study", "acceptance", str(folder / "key.jsonl"), *marks]
    shown = run.invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert "100% [34, 100]" in shown.stdout
    assert "readers: anna, ben" in shown.stdout
    record = json.loads(run.invoke(app, [*command, "--json"]).stdout)
    assert record["systems"]["rules"]["outputs"] == 2
