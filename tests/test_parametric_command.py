"""``paraphrast paraphrases score``: figures, JSON, and one line for each mistake."""

import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases import Paraphrase, from_rows


@pytest.fixture
def table(tmp_path):
    rows = [
        Paraphrase("old", "aged", 0.5),
        Paraphrase("old", "elderly", 0.2, "NP"),
        Paraphrase("old", "elderly", 0.1, "AP"),
        Paraphrase("old", "cold", 0.005),
    ]
    path = tmp_path / "toy.table"
    from_rows(rows, about={}).save(path)
    return path


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.json"
    write(path)
    return path


def write(path, **changes):
    pair = {
        "id": "story.1.a",
        "source": "the old man",
        "target": "the elderly man",
        "sureAlign": "0-0 1-1 2-2",
        "possibleAlign": "",
    }
    path.write_text(json.dumps([pair | changes]), "utf-8")


def run(*arguments):
    return CliRunner().invoke(app, ["paraphrases", "score", *map(str, arguments)])


def test_text_and_json_say_the_same(table, gold):
    shown = run(table, "--gold", gold, "--longest", 1)
    # "aged" and "elderly" are proposed, the latter is right; "elderly" wants "old".
    assert shown.stdout.splitlines()[1].split()[-3:] == ["1", "2", "2"]
    (row,) = json.loads(run(table, "--gold", gold, "--longest", 1, "--json").stdout)
    assert row["precision"]["value"] == 0.5
    assert row["recall"]["value"] == 0.5


def test_contexts_of_a_paraphrase_add_up(table, gold):
    options = ("--longest", 1, "--minimum", 0.25, "--json")
    (row,) = json.loads(run(table, "--gold", gold, *options).stdout)
    assert row["precision"]["part"] == 1


@pytest.mark.parametrize(
    ("changes", "options", "complaint"),
    [
        ({"sureAlign": "0-0 1-3"}, (), r"gold.json: pair 1: link 1-3 is out"),
        (
            {"possibleAlign": "1-1"},
            ("--labels", "shure"),
            "unknown --labels value 'shure'",
        ),
        ({}, ("--places", "al"), "unknown --places value 'al'. Did you mean 'all'"),
        (
            {},
            ("--half", "scored"),
            "unknown --half value 'scored'. Did you mean 'score'",
        ),
        ({"sureAlign": "0-a"}, (), "pair 1: '0-a' is not a link"),
    ],
)
def test_mistakes_are_named_in_one_line(table, gold, changes, options, complaint):
    write(gold, **changes)
    error = run(table, "--gold", gold, *options).exception
    assert isinstance(error, ParaphrastError)
    assert "\n" not in str(error)
    with pytest.raises(ParaphrastError, match=complaint):
        raise error


def test_a_pair_twice_and_an_empty_half_are_refused(table, gold):
    gold.write_text(json.dumps(json.loads(gold.read_text()) * 2), "utf-8")
    assert "the name 'story.1.a' already occurs" in str(
        run(table, "--gold", gold).exception
    )
    write(gold)
    complaints = {
        half: str(run(table, "--gold", gold, "--half", half).exception or "")
        for half in ("train", "score")
    }
    assert sum("has no pair in" in text for text in complaints.values()) == 1
