"""``paraphrast paraphrases rules``."""

import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.paraphrases import app

SOURCE = "(NP (NP (DT the) (NN capital)) (PP (IN of) (NP (NNP France))))"
TARGET = "(NP (NP (NNP France) (POS 's)) (NN capital))"
PAIR = {
    "source": ["the", "capital", "of", "France"],
    "target": ["France", "'s", "capital"],
    "links": [[1, 2, 1.0, "sure"], [3, 0, 0.9, "possible"]],
}


@pytest.fixture
def arguments(tmp_path):
    texts = {"a.jsonl": json.dumps(PAIR), "s.trees": SOURCE, "t.trees": TARGET}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n", "utf-8")
    aligned, source, target = (str(tmp_path / name) for name in texts)
    return ["rules", aligned, "--source-trees", source, "--target-trees", target]


def test_rules_are_printed_with_count_probability_and_kind(arguments):
    result = CliRunner().invoke(app, [*arguments, "--kind", "reordering"])
    assert result.exit_code == 0
    assert result.stdout == (
        "1\t1.0000\treordering\tNP -> <the NN1 of NNP2, NNP2 's NN1>\n"
    )


def test_rules_are_printed_as_json(arguments):
    result = CliRunner().invoke(app, [*arguments, "--json", "--longest", "4"])
    records = [json.loads(line) for line in result.stdout.split("\n") if line]
    assert {
        "source_label": "NP",
        "target_label": "NP",
        "source": ["the", "NN1", "of", "NNP2"],
        "target": ["NNP2", "'s", "NN1"],
        "kind": "reordering",
        "count": 1,
        "probability": 1.0,
    } in records
    assert len(records) == 4


def test_an_unknown_kind_and_a_missing_side_are_refused(arguments):
    result = CliRunner().invoke(app, [*arguments, "--kind", "reordring"])
    assert "Did you mean 'reordering'?" in str(result.exception)
    result = CliRunner().invoke(app, arguments[:-2])
    assert "Give both" in str(result.exception)


@pytest.mark.parser
def test_rules_come_from_the_parser_where_no_trees_are_given(arguments, tmp_path):
    kept = tmp_path / "parses.jsonl"
    result = CliRunner().invoke(app, [*arguments[:2], "--parses", str(kept)])
    assert result.exit_code == 0
    assert "the capital of france, france 's capital" in result.stdout
    assert kept.exists()
