"""``paraphrast metrics list | score | correlate`` as a user meets them."""

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paraphrast import registry
from paraphrast.cli.metrics import app
from paraphrast.errors import ParaphrastError
from paraphrast.metrics import choose
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.choosing import describe
from paraphrast.metrics.number_tables import read_numbers, read_table, table_lines
from paraphrast.metrics.pinc import Pinc

OURS = [
    "bleu",
    "chrf",
    "copy-rate",
    "edit-distance",
    "length-ratio",
    "lexical-overlap",
    "pinc",
    "repetition",
    "sentence-bleu",
    "ter",
    "word-order",
]


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def files(tmp_path):
    texts = {
        "out": "thou art late\u2028again\nwhat sayest thou , sir\n",
        "ref": "thou art tardy\nwhat sayest thou , sir\n",
        "in": "you are late\nwhat do you say , sir\n",
        "short": "you are late\n",
        "empty": "",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_list_names_every_metric_with_a_summary():
    lines = dict(line.split(maxsplit=1) for line in run("list").splitlines())
    assert set(OURS) <= set(lines)
    assert lines["bleu"].startswith("N-gram precision")
    records = json.loads(run("list", "--json"))
    (bleu,) = (record for record in records if record["name"] == "bleu")
    assert bleu["needs"] == ["references"]
    assert bleu["settings"] == ["tokenize", "lowercase", "smoothing", "order"]


@pytest.mark.parametrize("name", OURS)
def test_every_metric_is_registered_under_its_own_name(name):
    assert registry.find("metrics", name).name == name
    assert choose(name).name == name


def test_score_prints_value_interval_and_signature(files):
    header, row, blank, signature = run(
        "score", files / "out", files / "ref"
    ).splitlines()
    assert header.split() == ["metric", "score", "95%", "interval"]
    assert row.split()[0] == "bleu"
    assert blank == ""
    assert signature.startswith("bleu|tokenize:13a|")
    assert "|segments:2|references:1|resamples:1000|seed:12345|" in signature


def test_signatures_do_not_widen_the_table(files):
    several = ("-m", "bleu", "-m", "chrf", "-m", "ter")
    text = run("score", files / "out", files / "ref", *several)
    table = text.partition("\n\n")[0].splitlines()
    assert len(table) == 4
    assert max(map(len, table)) < 40


def test_score_as_json_and_by_sentence(files):
    table = files / "each.tsv"
    text = run(
        "score",
        files / "out",
        files / "ref",
        files / "ref",
        "--source",
        files / "in",
        *("-m", "ter", "-m", "copy-rate", "-m", "pinc:tokenize=none"),
        *("--per-sentence", table, "--resamples", 50, "--seed", 3, "--json"),
    )
    records = json.loads(text)
    names = ["ter", "copy-rate", "pinc:tokenize=none"]
    assert [record["metric"] for record in records] == names
    assert all(r["low"] <= r["value"] <= r["high"] for r in records)
    assert "|references:2|resamples:50|seed:3|" in records[0]["signature"]
    header, *values = [line.split("\t") for line in table.read_text().splitlines()]
    assert header == names
    assert values[1][:2] == ["0", "0"]  # the second output is the reference
    assert len(values) == 2  # U+2028 does not end a line


def test_without_references_the_default_is_pinc(files):
    text = run("score", files / "out", "--source", files / "in")
    assert text.splitlines()[1].startswith("pinc  ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["out", "short"], "has 2, .*short has 1"),
        (["empty", "empty"], "bleu: nothing to score"),
        (["out", "ref", "-m", "bleau"], "Did you mean 'bleu'"),
        (["out", "ref", "-m", "bleu:tokenise=none"], "Did you mean 'tokenize'"),
        (["out", "ref", "-m", "bleu:lowercase"], "Write it as bleu:SETTING=VALUE"),
        (["out", "ref", "-m", "bleu:order=many"], "order: expected int, found 'many'"),
        (["out", "ref", "-m", "bleu:order=0"], "bleu: order must be at least 1"),
        (["out", "-m", "ter"], "ter needs references"),
        (["out", "-m", "pinc"], "pinc needs sources"),
        (["missing"], "cannot read .*missing"),
    ],
)
def test_mistakes_are_explained(files, monkeypatch, arguments, complaint):
    monkeypatch.chdir(files)
    with pytest.raises(ParaphrastError, match=complaint):
        run("score", *arguments)


def test_an_unwritable_table_is_explained_and_leaves_nothing(files):
    with pytest.raises(ParaphrastError, match="cannot write"):
        run("score", files / "out", files / "ref", "--per-sentence", files / "no" / "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu", Bleu()),
        (" bleu : tokenize = none , lowercase = yes ", Bleu("none", lowercase=True)),
        ("bleu:lowercase=FALSE,order=2,", Bleu(order=2)),
        ("pinc:convention=xu12", Pinc(convention="xu12")),
    ],
)
def test_choose_reads_settings_by_their_types(text, expected):
    assert choose(text) == expected


def test_correlate_reads_two_files_of_numbers(tmp_path):
    (tmp_path / "a").write_text("1\n2\n3\n4\n")
    (tmp_path / "b").write_text("2\n4\n6\n8.0\n")
    found = json.loads(run("correlate", tmp_path / "a", tmp_path / "b", "--json"))
    assert [record["kind"] for record in found] == ["pearson", "spearman", "kendall"]
    assert all(record["value"] == pytest.approx(1.0) for record in found)
    assert found[0]["pairs"] == 4


def test_correlate_reads_columns_by_name_or_number(tmp_path):
    table = tmp_path / "judged.csv"
    table.write_text('id,"bleu, mean",style\na,1,3\nb,2,2\nc,3,1\n')
    by_name = run("correlate", table, "--x", "bleu, mean", "--y", "style")
    assert by_name == run("correlate", table, "--x", 2, "--y", 3)
    assert by_name.startswith("pearson   -1.000 [-1.000, +1.000]  bootstrap")


def test_correlate_reads_what_score_writes(files):
    table = files / "each.tsv"
    metrics = ("-m", "ter", "-m", "chrf")
    run("score", files / "out", files / "ref", *metrics, "--per-sentence", table)
    assert "2 pairs" in run("correlate", table, "--x", "ter", "--y", "chrf")


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("x\ty\n1\t2\n3\tno\n", [], "row 3: expected a number, found 'no'"),
        ("x\ty\n1\t2\n3\n", [], "row 3 has 1 columns, not 2"),
        ("x\ty\n1\t2\n", ["--x", "z"], "unknown column 'z'"),
        ("x\ty\n1\t2\n", ["--x", "7"], "unknown column '7'"),
        ("x\ty\n1\tinf\n", [], "expected a number, found 'inf'"),
        ("x\ty\n1\t2\n1\t3\n", [], "first column has fewer than two different"),
        ("", [], "is empty"),
    ],
)
def test_tables_that_cannot_be_correlated(tmp_path, text, options, complaint):
    table = tmp_path / "table.tsv"
    table.write_text(text)
    with pytest.raises(ParaphrastError, match=complaint):
        run("correlate", table, *options)


def test_three_files_are_too_many_to_correlate(files):
    with pytest.raises(ParaphrastError, match="not 3 files"):
        run("correlate", files / "out", files / "ref", files / "in")


def test_invalid_numbers_are_reported_by_line():
    with pytest.raises(ParaphrastError, match="a.txt:2: expected a number, found 'x'"):
        read_numbers(["1", "x"], where="a.txt")


def test_a_table_round_trips():
    columns = {"a": [1.0, -2.5], "b, c": [math.pi, 1e-12]}
    lines = list(table_lines(columns))
    found = read_table(lines, list(columns), delimiter="\t", where="here")
    assert found == [pytest.approx(values, rel=1e-5) for values in columns.values()]


def test_the_page_about_metrics_has_a_row_for_each_of_them():
    page = Path(__file__).parent.parent / "docs" / "metrics.md"
    text = page.read_text("utf-8")
    for name in OURS:
        assert f"\n| `{name}` |" in text
        for setting in describe(name, registry.find("metrics", name))["settings"]:
            assert f"`{setting}`" in text
