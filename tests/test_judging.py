"""`metrics judge`: one record per row, whatever the row; and its readers."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges import rows as judged_rows
from paraphrast.judges.judge import SMALL, load
from paraphrast.judges.rows import Counts, Row, judge_rows, read_rows

KEYS = {"style", "sim_source", "sim_reference", "fluency", "formality"}


@pytest.fixture(scope="module")
def small():
    return load(SMALL)


def records(judge, given, **options):
    counts = Counts()
    return list(judge_rows(judge, given, counts, **options)), counts


def test_table_and_json_read_alike():
    table = ["output\tsource\tnote", "thou\tyou\tx", "\t\t"]
    lines = [
        '{"output": "thou", "source": "you"}',
        '{"output": "", "source": "", "reference": null}',
    ]
    assert list(read_rows(table, where="f")) == list(read_rows(lines, where="f"))
    assert list(read_rows(table, where="f"))[0] == Row("thou", "you")


def test_plain_text_and_plain_json():
    assert list(read_rows(["a\tb", ""], where="f", plain=True)) == [
        Row("a\tb"),
        Row(""),
    ]
    found = read_rows(
        ['"a"', '{"text": "b"}', '{"output": "c"}'], where="f", plain=True
    )
    assert list(found) == [Row("a"), Row("b"), Row("c")]
    assert list(read_rows([], where="f")) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["source\ttarget", "a\tb"], "no column is named output"),
        (["source\toutput", "a"], "f:2: 1 columns"),
        (['{"output": "a"}', "{"], "f:2: not JSON"),
        (['{"source": "a"}'], 'f:1: expected an object with a text for "output"'),
        (['{"output": "a", "reference": 3}'], '"reference" must be a text or null'),
    ],
)
def test_bad_rows_are_named(lines, message):
    with pytest.raises(ParaphrastError, match=message):
        list(read_rows(lines, where="f"))


def test_records_of_odd_rows(small):
    given = [
        Row("I love thee.", "I love you.", "I do love thee."),
        Row("", "I love you."),
        Row("😀😀", "😀😀", ""),
        Row("Same here.", "Same here.", "Same here."),
        Row("Yes", None, None),
        Row("мы не знаем", "we do not know", "x"),
        Row("word " * 1000, "word", "word"),
    ]
    found, counts = records(small, given, to="shakespeare")
    assert all(record.keys() - {"why", "not_sure"} == KEYS for record in found)
    assert found[0]["style"] > 0.5 > found[3]["style"]
    assert found[1] | {"why": 0} == {
        "style": 0.0, "sim_source": 0.0, "sim_reference": None, "fluency": 0.0,
        "formality": None, "why": 0,
    }  # fmt: skip
    assert found[1]["why"].keys() == {"sim_reference", "formality"}
    assert found[2]["sim_source"] == found[3]["sim_source"] == 1
    assert found[4]["why"]["sim_source"] == "the row has no source"
    assert found[5]["fluency"] == found[5]["style"] == 0
    assert counts.rows == 7
    assert (counts.empty, counts.copies, counts.long) == (1, 2, 1)
    assert (counts.without_source, counts.without_reference) == (1, 2)
    assert str(counts).startswith("7 rows, 1 empty")


def test_the_style_of_very_short_text_is_uncertain(small):
    given = [Row("I love thee."), Row("I do love thee !"), Row(""), Row("thee - -")]
    found, counts = records(small, given, to="shakespeare")
    assert ["not_sure" in record for record in found] == [True, False, False, True]
    assert found[0]["not_sure"] == {
        "style": "fewer than 4 words: too short to judge the style"
    }
    assert found[0]["style"] is not None
    assert counts.not_sure == 2
    assert "2 not sure" in str(counts)
    unasked, _ = records(small, given)
    assert not any("not_sure" in record for record in unasked)


@pytest.mark.parametrize(
    "lines",
    [
        ["source\toutput\treference", "a\tb\t", "a\tb\t ", "a\tb\tc"],
        [
            '{"source": "a", "output": "b", "reference": ""}',
            '{"source": "a", "output": "b", "reference": " "}',
            '{"source": "a", "output": "b", "reference": "c"}',
        ],
    ],
)
def test_empty_reference_is_none(lines):
    found = [row.reference for row in read_rows(lines, where="rows")]
    assert found == [None, None, "c"]


def test_a_missing_target_style_is_reported(small):
    (record,), _ = records(small, [Row("Hello there.")], plain=True)
    assert record.keys() == {"style", "fluency", "formality", "why"}
    assert record["why"] == {"style": "no target style; give --to"}


def test_unknown_style_is_refused(small):
    with pytest.raises(ParaphrastError, match="shakespeare"):
        records(small, [Row("a")], to="shakespear")


def test_order_is_kept_across_chunks(small, monkeypatch):
    monkeypatch.setattr(judged_rows, "_ROWS", 2)
    given = [Row("x " * n, "x") for n in range(5)]
    found, counts = records(small, given)
    assert [r["fluency"] > 0 for r in found] == [False, True, True, True, True]
    assert counts.rows == 5


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=20), max_size=5))
def test_one_record_per_row_and_never_nan(small, texts):
    given = [Row(t, t[::-1], None) for t in texts]
    found, counts = records(small, given, to="modern")
    assert len(found) == counts.rows == len(texts)
    json.dumps(found, allow_nan=False)


def test_command_prints_json_lines(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text(
        "source\toutput\nThe man bit the dog.\tThe dog bit the man.\n", "utf-8"
    )
    run = CliRunner().invoke(app, ["metrics", "judge", str(path), "--to", "modern"])
    assert run.exit_code == 0, run.output
    checked = json.loads(run.stdout.splitlines()[0])
    assert checked["sim_reference"] is None
    run = CliRunner().invoke(app, ["metrics", "judge", str(path), "--no-checks"])
    assert json.loads(run.stdout.splitlines()[0])["sim_source"] > checked["sim_source"]
    assert run.stderr.startswith("1 row, ")


def test_formality_without_surface_features_does_not_see_case_and_marks(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("I must leave now.\ni must leave now\n", "utf-8")
    command = ["metrics", "judge", str(path), "--plain"]

    def formality(*options):
        run = CliRunner().invoke(app, [*command, *options])
        return [json.loads(line)["formality"] for line in run.stdout.splitlines()]

    neat, bare = formality()
    assert neat - bare > 0.05
    neat, bare = formality("--no-surface-features")
    assert neat == pytest.approx(bare, abs=0.02)


def test_surface_features_can_only_be_left_out_where_there_is_a_variant(small):
    class Other:
        signature = "other"

    with pytest.raises(ParaphrastError, match="without surface features"):
        replace(small, formality=Other()).without_surface_features()
    none = replace(small, formality=None)
    assert none.without_surface_features() is none


def test_score_takes_the_small_judge_by_name(tmp_path):
    (tmp_path / "out").write_text("I love thee, sweet lord.\n\n", "utf-8")
    (tmp_path / "in").write_text("I love you, sweet lord.\nGo.\n", "utf-8")
    arguments = ["metrics", "score", str(tmp_path / "out"), "--source"]
    arguments += [str(tmp_path / "in"), "--to", "shakespeare", "--judge", "small"]
    run = CliRunner().invoke(app, [*arguments, "--json"])
    assert run.exit_code == 0, run.output
    found = {record["metric"]: record["value"] for record in json.loads(run.stdout)}
    assert found["acc"] == found["fl"] == 50
    assert 20 < found["j"] < 50


def test_one_is_counted_in_the_singular():
    assert str(Counts(rows=3, copies=1)) == "3 rows, 1 copy"
    assert str(Counts(rows=1, copies=2, empty=1)) == "1 row, 1 empty, 2 copies"
    assert str(Counts()) == "0 rows"
