"""Comparing systems: figures simple enough for mental arithmetic."""

import csv
import io
import json
import re
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.comparison import tables
from paraphrast.comparison.compare import Plan, compare
from paraphrast.comparison.outcome import File
from paraphrast.errors import ParaphrastError
from paraphrast.estimators import charts
from paraphrast.judges.judge import train_judge
from paraphrast.metrics.base import Segment, mean_statistics, ratio
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.pinc import Pinc


@dataclass(frozen=True, slots=True)
class Points:
    """The mean of outputs that are numbers, so that a test can choose its figures."""

    name: ClassVar[str] = "points"
    needs: ClassVar[frozenset[str]] = frozenset()

    higher_is_better: bool = True

    def statistics(self, segments):
        return mean_statistics([float(segment.output or 0) for segment in segments])

    def total(self, statistics):
        return ratio(statistics)

    def each(self, statistics):
        return ratio(statistics)


LINES = 40
PLANNED = [field.name for field in fields(Plan)]
SOURCES = ["5"] * LINES
REFERENCES = [("9",)] * LINES
SYSTEMS = {
    "first": ["6", "8"] * (LINES // 2),  # mean 7
    "twin": ["8", "6"] * (LINES // 2),  # mean 7, in another order
    "strong": ["7", "9"] * (LINES // 2),  # mean 8, one more on every line
    "weak": ["3", "5"] * (LINES // 2),  # mean 4, below COPY
}


def compared(systems=SYSTEMS, *, metrics=None, references=REFERENCES, **options):
    plan = {name: options.pop(name) for name in PLANNED if name in options}
    return compare(
        systems,
        SOURCES,
        references,
        metrics=metrics or {"points": Points()},
        plan=Plan(**{"resamples": 500} | plan),
        **options,
    )


def test_scores_are_those_of_the_metric_with_an_interval_around():
    cell = compared().cell("first", "points")
    assert cell.value == 7
    assert 6.4 < cell.low < 7 < cell.high < 7.6  # 1 / sqrt(40) is 0.16
    assert cell.each.tolist() == [6, 8] * 20


def test_copy_and_reference_are_always_there():
    result = compared()
    assert [row.name for row in result.rows if row.control][:2] == ["COPY", "REFERENCE"]
    assert result.cell("COPY", "points").value == 5
    assert result.cell("REFERENCE", "points").value == 9


def test_the_first_reference_is_scored_against_the_others():
    result = compared(
        metrics={"bleu": Bleu(smoothing="none")},
        references=[("a b c d", "a b c d"), *[("a b c d", "e f g h")] * (LINES - 1)],
    )
    row = next(row for row in result.rows if row.name == "REFERENCE")
    assert "first reference against the others" in row.note
    # one line of forty matches: every precision is 1/40, and lengths are equal
    assert row.cells[0].value == pytest.approx(2.5)


def test_without_references_the_row_says_why_it_is_missing():
    result = compared(references=[()] * LINES)
    assert "references" in result.missing["REFERENCE"]
    assert "REFERENCE: no row; no references were given." in tables.text(result)


def test_a_constant_gain_is_significant_and_a_shuffled_twin_is_not():
    result = compared()
    assert result.setting.baseline == "first"
    assert result.cell("strong", "points").verdict == "better"
    assert result.cell("weak", "points").verdict == "worse"
    assert result.cell("twin", "points").verdict == "same"
    assert result.cell("first", "points").p is None


def test_lower_is_better_reverses_verdicts_ranks_and_warnings():
    result = compared(metrics={"points": Points(higher_is_better=False)})
    assert result.cell("strong", "points").verdict == "worse"
    assert result.cell("weak", "points").rank == 1
    assert result.best(0) == {"weak"}
    assert {warning.split()[0] for warning in result.warnings} >= {"first", "strong"}


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_tied_systems_share_a_rank(test):
    result = compared(test=test)
    ranks = {r.name: r.cells[0].rank for r in result.rows if not r.control}
    assert ranks == {"strong": 1, "first": 2, "twin": 2, "weak": 4}


def test_controls_have_no_rank():
    assert compared().cell("COPY", "points").rank is None


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests():
    raw = compared(correction="none").cell("weak", "points").p
    tests = len(compared().rows) - 1
    assert raw == pytest.approx(1 / 501)  # the observed one among 500 resamples
    assert compared(correction="holm").cell("weak", "points").p <= raw * tests + 1e-12
    assert compared(correction="bh").cell("weak", "points").p >= raw


def many(count):
    """Systems of which each gains one on the one before, on every line."""
    return {f"s{n}": [str(n + line % 2) for line in range(LINES)] for n in range(count)}


def test_trials_grow_with_the_number_of_pairs_to_allow_for_holm():
    result = compared(many(12), resamples=None)  # 66 pairs
    assert result.setting.trials > 66 / 0.05
    ranks = [row.cells[0].rank for row in result.rows if not row.control]
    assert sorted(ranks) == list(range(1, 13))
    assert not [warning for warning in result.warnings if "trials" in warning]


def test_too_few_trials_for_the_correction_are_reported():
    warnings = compared(many(12), resamples=1000).warnings
    assert any("66 tests no p-value can be below 0.07" in told for told in warnings)
    relaxed = compared(many(12), resamples=1000, correction="none").warnings
    assert not [warning for warning in relaxed if "trials" in warning]


def test_pairs_are_all_pairs_of_systems():
    pairs = compared().pairs
    assert len(pairs) == 6  # of 4 systems
    found = {(pair.first, pair.second): pair.difference for pair in pairs}
    assert found["first", "strong"] == -1
    assert found["first", "twin"] == 0


def test_a_system_below_copy_is_reported():
    warnings = " ".join(compared().warnings)
    assert "weak is below COPY on points (4.00, COPY 5.00)" in warnings
    assert "strong is below" not in warnings


def test_every_metric_below_copy_is_named_in_one_warning():
    metrics = {"pinc": Pinc(), "points": Points(), "again": Points()}
    warnings = [told for told in compared(metrics=metrics).warnings if "COPY" in told]
    below = "points (4.00, COPY 5.00), again (4.00, COPY 5.00)"
    assert warnings == [f"weak is below COPY on {below}: doing nothing scores better."]


def test_the_main_metric_is_j_or_else_the_first():
    systems = {"copycat": ["5"] * LINES, "other": ["6"] * LINES}
    metrics = {"points": Points(), "pinc": Pinc()}
    assert compared(systems, metrics=metrics).setting.main == "points"
    assert (
        compared(systems, metrics={"pinc": Pinc(), "j": Points()}).setting.main == "j"
    )


OLD = [
    f"thou {verb} the {noun} , good sir"
    for verb in ("hast", "seest", "knowest", "lovest")
    for noun in ("king", "moon", "sea", "rose", "sword")
]
NEW = [text.replace("thou", "you really").replace("good sir", "dude") for text in OLD]


@pytest.fixture(scope="module")
def judge():
    return train_judge({"old": OLD, "new": NEW}, seed=1)


def test_a_judge_puts_j_first_and_copying_earns_nothing_by_it(judge):
    result = compare(
        {"ours": OLD},
        NEW,
        [(text,) for text in OLD],
        metrics={"pinc": Pinc()},
        judge=judge,
        targets="old",
        plan=Plan(resamples=20),
    )
    names = [column.name for column in result.columns]
    assert names == ["j", "acc", "sim_reference", "fl", "gm", "pinc"]
    assert result.setting.main == "j"
    assert result.cell("ours", "j").value > 90
    assert result.cell("COPY", "j").value == 0  # no source is in the target style


def test_naive_is_tuned_by_gm_on_validation(judge):
    segments = [
        Segment("", source, (reference,), "old")
        for source, reference in zip(NEW, OLD, strict=True)
    ]
    options = {
        "metrics": {},
        "judge": judge,
        "targets": "old",
        "plan": Plan(resamples=20),
    }
    references = [(text,) for text in OLD]
    tuned = compare({"ours": OLD}, NEW, references, validation=segments, **options)
    note = next(row.note for row in tuned.rows if row.name == "NAIVE")
    assert "tuned by gm on 20 validation lines" in note
    plain = compare({"ours": OLD}, NEW, references, **options)
    note = next(row.note for row in plain.rows if row.name == "NAIVE")
    assert "p = 0.5 (not tuned: no validation text was given)" in note
    assert "random line of the references" in note


def test_naive_copies_or_retrieves_from_the_corpus_of_each_lines_style():
    corpora = {"x": ["100"], "y": ["200"]}
    result = compared(targets=["x", "y"] * (LINES // 2), target_corpus=corpora)
    row = next(row for row in result.rows if row.name == "NAIVE")
    assert set(row.outputs[::2]) == {"5", "100"}
    assert set(row.outputs[1::2]) == {"5", "200"}
    assert "random line of the target corpus" in row.note


def test_naive_with_nothing_to_retrieve_says_why_it_is_missing():
    missing = compared(references=[()] * LINES, targets="old").missing
    assert missing["NAIVE"].startswith("neither target corpus nor references of 'old'")


def test_a_system_that_chance_beats_is_reported():
    result = compared(target_corpus={"": ["100"]})
    assert any("strong is below NAIVE on points" in told for told in result.warnings)


def test_the_same_seed_gives_the_same_comparison():
    assert compared(seed=7) == compared(seed=7)
    assert compared(seed=7) != compared(seed=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": {}}, "nothing to compare"),
        (
            {"systems": {"COPY": SOURCES}},
            "COPY is the name of a row in every comparison",
        ),
        ({"systems": {"a": ["1"]}}, "a: 1 lines but 40 sources"),
        ({"references": [("9",)]}, "references: 1 lines but 40 sources"),
        ({"targets": ["x"]}, "targets: 1 lines but 40 sources"),
        ({"baseline": "frist"}, "Did you mean 'first'"),
        ({"main": "point"}, "Did you mean 'points'"),
        ({"test": "bootstap"}, "Did you mean 'bootstrap'"),
        ({"correction": "hom"}, "Did you mean 'holm'"),
    ],
)
def test_mistakes_are_named_with_a_remedy(change, message):
    with pytest.raises(ParaphrastError, match=message):
        compared(**change)


def test_unknown_names_of_a_comparison_are_refused():
    with pytest.raises(ParaphrastError, match="unknown system"):
        compared().cell("nobody", "points")
    with pytest.raises(ParaphrastError, match="unknown metric"):
        compared().cell("first", "nothing")


def test_text_fits_a_hundred_columns_and_marks_what_is_significant():
    result = compared(metrics={f"points{n}": Points() for n in range(9)})
    shown = tables.text(result)
    lines = [line for line in shown.splitlines() if "|" not in line]  # signatures
    assert max(map(len, lines)) <= 100
    strong = next(line for line in shown.splitlines() if line.startswith("strong"))
    assert re.search(r"8\.00 ±0\.\d\d #1\+\*", strong)
    assert all(f"points{n}" in shown for n in range(9))


def test_long_names_keep_both_ends():
    assert charts.shorten("a" * 30 + "b" * 30, 11) == "aaaaa…bbbbb"


def test_two_names_are_never_shortened_to_the_same():
    ends = "a" * 20, "b" * 20
    systems = {f"{ends[0]}{n}{ends[1]}": SYSTEMS["first"] for n in "12"}
    shown = tables.text(compared(systems))
    lines = [line for line in shown.splitlines() if line.startswith("aaa")]
    assert len({line.split()[0] for line in lines}) == 2


def test_csv_gives_back_the_unrounded_figures():
    result = compared({'a,"b"\n': SYSTEMS["first"], **SYSTEMS})
    lines = list(csv.DictReader(io.StringIO(tables.as_csv(result))))
    assert len(lines) == len(result.rows)
    for line in lines:
        cell = result.cell(line["row"], line["metric"])
        assert float(line["value"]) == cell.value
        assert float(line["low"]) == cell.low
        assert (float(line["p"]) if line["p"] else None) == cell.p
        assert (int(line["rank"]) if line["rank"] else None) == cell.rank


def test_latex_escapes_names_and_sets_the_best_in_bold():
    systems = {r"50%_of {x} & ~^\#$": SYSTEMS["strong"], "plain": SYSTEMS["weak"]}
    shown = tables.latex(compared(systems))
    name = (
        r"50\%\_of \{x\} \& \textasciitilde{}\textasciicircum{}"
        r"\textbackslash{}\#\$ & \textbf{8.00}"
    )
    assert name in shown
    assert r"\toprule" in shown
    assert "plain & 4.00$^{-}$" in shown


@given(st.text(max_size=20))
def test_latex_never_leaves_a_special_character_bare(name):
    escaped = tables.escape_latex(name)
    stripped = escaped
    for whole in sorted(tables._LATEX.values(), key=len, reverse=True):
        stripped = stripped.replace(whole, "")
    assert not set(stripped) & set("\\&%$#_{}~^")
    assert "\n" not in escaped


def test_the_record_has_a_stable_shape():
    file = File("source", "in.txt", "0" * 64)
    record = json.loads(tables.as_json(replace(compared(), files=(file,))))
    assert list(record) == [
        "format",
        "versions",
        "setting",
        "sentences",
        "metrics",
        "rows",
        "pairs",
        "missing",
        "warnings",
        "files",
    ]
    assert record["format"] == 1
    assert set(record["setting"]) == {
        "baseline",
        "main",
        "test",
        "correction",
        "resamples",
        "trials",
        "seed",
        "alpha",
    }
    row = next(row for row in record["rows"] if row["name"] == "weak")
    assert set(row) == {"name", "control", "note", "scores", "gaming"}
    assert set(row["scores"]["points"]) == {
        "value",
        "low",
        "high",
        "p",
        "verdict",
        "rank",
    }
    assert set(row["gaming"]) == {"length_ratio", "findings", "unchecked"}
    assert record["metrics"][0]["signature"].startswith("points|")
    assert record["files"] == [{"role": "source", "path": "in.txt", "sha256": "0" * 64}]


def test_the_record_names_lines_of_gaming():
    systems = {"mixed": ["5"] * 3 + ["7"] * (LINES - 3)}
    record = tables.record(compared(systems))
    row = next(row for row in record["rows"] if row["name"] == "mixed")
    assert row["gaming"]["findings"]["copies"] == {
        "count": 3,
        "share": 7.5,
        "examples": [1, 2, 3],
    }


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.text(max_size=12) for _ in range(4)]), min_size=1, max_size=6
    )
)
def test_any_text_can_be_compared(lines):
    sources, references, one, two = map(list, zip(*lines, strict=True))
    result = compare(
        {"one": one, "two": two},
        sources,
        [(reference,) for reference in references],
        metrics={"bleu": Bleu()},
        plan=Plan(resamples=10),
    )
    assert all(np.isfinite(row.cells[0].value) for row in result.rows)
    assert tables.text(result)
    json.loads(tables.as_json(result))
