"""Categories of edits: what counts, what does not, the report and the commands."""

import json
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from paraphrast.align import choosing
from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.study import edit_report
from paraphrast.study.edits import (
    CATEGORIES,
    categorise_spans,
    find_edits,
    list_categories,
)
from paraphrast.study.word_matching import is_near

ALIGNER = choosing.load()
RUNNER = CliRunner()


def edits(source, target):
    return find_edits([(source, target)], ALIGNER)[0]


def categories(source, target):
    return set(list_categories(edits(source, target)))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("we saw him in rome.", "We saw him in Rome.", {"capitalization"}),
        ("My tv is old.", "My TV is old.", {"capitalization"}),
        ("It was GREAT.", "It was great.", {"lowercase"}),
        ("NASA was right.", "NASA was right.", set()),
        ("He came, I left.", "He came; I left.", {"punctuation"}),
        ("She isn't here.", "She is not here.", {"contractions"}),
        ("She isnt here.", "She is not here.", {"contractions"}),
        ("We'll come.", "We shall come.", {"contractions"}),
        ("Don't you know?", "Do you not know?", {"contractions"}),
        ("He dont know.", "He does not know.", {"contractions"}),
        ("My dog's tail.", "My dog's tail.", set()),
        ("It was sooo hot.", "It was so hot.", {"repetitions"}),
        ("No!!", "No!", {"punctuation", "repetitions"}),
        ("It is very very hot.", "It is very hot.", {"repetitions"}),
        ("Are u there?", "Are you there?", {"normalization"}),
        ("I am gonna go.", "I am going to go.", {"normalization"}),
        ("Five mins from here.", "Five minutes from here.", {"normalization"}),
        ("The fridge is empty.", "The refrigerator is empty.", {"normalization"}),
        ("Ask abt the price.", "Ask about the price.", {"normalization"}),
        ("I recieved it.", "I received it.", {"spelling"}),
        ("Thank you alot.", "Thank you a lot.", {"spelling"}),
        ("Your right.", "You're right.", {"spelling"}),
        ("You should of waited.", "You should have waited.", {"spelling"}),
        ("He was tired.", "He was exhausted.", {"paraphrase"}),
        ("He walks home.", "He walked home.", set()),  # grammar has no category
        ("Um, he was here.", "He was here.", {"fillers", "punctuation"}),
        ("He was here :)", "He was here", {"fillers"}),
        ("I want coffee.", "I want the coffee.", {"completion"}),
        ("He left.", "He left.", set()),
        ("", "", set()),
        ("", "Yes.", {"punctuation"}),
    ],
)
def test_one_category_at_a_time(source, target, expected):
    assert categories(source, target) == expected


def test_a_sentence_that_becomes_two_is_split():
    found = categories("I went, he stayed.", "I went. He stayed.")
    assert "split sentences" in found
    assert "split sentences" not in categories("I went. He stayed.", "I went; he did.")


def test_a_dropped_subject_is_completed():
    assert "completion" in categories("Haven't seen it.", "I have not seen it.")


def test_a_capital_at_a_new_start_is_not_an_edit_of_its_own():
    assert "capitalization" not in categories("Well, that works.", "That works.")
    assert "capitalization" in categories("well, that works.", "That works.")


def test_an_edit_says_where_it_is():
    source = "Are u there?"
    [edit] = edits(source, "Are you there?")
    assert source[edit.start : edit.end] == edit.before == "u"
    assert edit.after == "you"


def test_the_answer_for_a_pair_does_not_depend_on_its_neighbours():
    pairs = [("im late", "I am late."), ("thx 4 that", "Thank you for that.")]
    together = find_edits(pairs, ALIGNER)
    assert together == [find_edits([pair], ALIGNER)[0] for pair in pairs]


def test_every_span_gets_the_categories_of_its_own_edits():
    source, target = "im late", "I am late."
    assert categorise_spans(source, target, [(0, 2), (7, 7)], ALIGNER) == [
        ["capitalization", "contractions"],
        ["punctuation"],
    ]


def test_texts_that_are_too_long_are_refused_with_their_number():
    with pytest.raises(ParaphrastError, match="pair 2: 401 words"):
        find_edits([("a", "a"), ("a " * 401, "a")], ALIGNER)


@pytest.mark.parametrize(
    ("first", "second", "most", "expected"),
    [
        ("freind", "friend", 1, True),  # one swap
        ("cat", "cart", 1, True),
        ("cat", "dog", 2, False),
        ("a", "abcd", 2, False),
    ],
)
def test_edit_distance_counts_swaps_as_one_edit(first, second, most, expected):
    assert is_near(first, second, most) is expected


def test_a_report_counts_a_category_once_per_pair():
    own = [edits("im late, thx!!", "I am late, thank you!"), edits("No.", "No.")]
    report = edit_report.make_report("a", own)
    shares = {share.category: share for share in report.shares}
    assert [share.category for share in report.shares] == list(CATEGORIES)
    assert (report.pairs, report.unchanged) == (2, 1)
    assert shares["contractions"].percent == 50.0
    assert shares["contractions"].low < 50 < shares["contractions"].high
    assert shares["lowercase"].pairs == 0


def test_an_empty_list_of_pairs_is_refused():
    with pytest.raises(ParaphrastError, match="a: no pairs"):
        edit_report.make_report("a", [])


def test_the_chart_is_an_image_with_a_bar_per_category_and_series():
    report = edit_report.make_report("<mine>", [edits("im late", "I am late.")])
    chart = ElementTree.fromstring(edit_report.draw_chart([report]))
    titles = [node.text for node in chart.iter() if node.tag.endswith("title")]
    assert len(titles) == 2 * len(CATEGORIES)
    assert "<mine>, contractions: 100.0%" in titles


def test_the_command_prints_a_table_beside_the_papers_percentages(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("im late\tI am late.\nHe left.\tHe left.\n", "utf-8")
    chart, records = tmp_path / "edits.svg", tmp_path / "edits.jsonl"
    options = ["--chart", str(chart), "-o", str(records)]
    result = RUNNER.invoke(app, ["study", "edits", str(path), *options])
    assert result.exit_code == 0, result.output
    [row] = [line for line in result.output.split("\n") if "contractions" in line]
    assert row.split()[:4] == ["contractions", "12", "8", "50"]
    assert chart.read_text("utf-8").startswith("<svg")
    first, second = map(json.loads, records.read_text("utf-8").splitlines())
    assert "contractions" in first["categories"]
    assert second["edits"] == []


def test_the_command_reads_outputs_beside_their_sources(tmp_path):
    source, output = tmp_path / "source.txt", tmp_path / "output.txt"
    source.write_text("We are late.\n", "utf-8")
    output.write_text("were late\n", "utf-8")
    arguments = ["study", "edits", "--source", str(source), str(output), "--json"]
    record = json.loads(RUNNER.invoke(app, arguments).output)
    assert record["paper"]["people"]["paraphrase"] == 47
    assert record["files"][0]["pairs"] == 1
    output.write_text("were late\nand more\n", "utf-8")
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == 2 or "lines" in str(result.exception)


def test_reverse_reads_the_rewrite_as_the_informal_side(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("I am late.\tim late.\n", "utf-8")
    shares = []
    for option in ([], ["--reverse"]):
        result = RUNNER.invoke(app, ["study", "edits", str(path), "--json", *option])
        [file] = json.loads(result.output)["files"]
        shares.append({s["category"]: s["pairs"] for s in file["shares"]})
    assert [share["contractions"] for share in shares] == [0, 1]


CORPUS_ROW = {
    "id": "1", "to": "formal", "split": "test", "domain": "everyday",
    "source": "everyday", "text": "im late",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "test.jsonl",
            json.dumps(CORPUS_ROW | {"references": ["I am late.", "Late."]}),
        ),
        ("pairs.jsonl", '{"source": "im late", "target": "I am late."}'),
        ("outputs.jsonl", '{"source": "im late", "output": "I am late."}'),
        ("read.tsv", "im late\tI am late."),
        ("pairs.tsv", "source\ttarget\nim late\tI am late."),
        ("outputs.tsv", "id\toutput\tsource\n1\tI am late.\tim late"),
    ],
)
def test_the_command_reads_corpora_and_outputs(tmp_path, name, text):
    path, records = tmp_path / name, tmp_path / "edits.jsonl"
    path.write_text(f"{text}\n", "utf-8")
    result = RUNNER.invoke(app, ["study", "edits", str(path), "-o", str(records)])
    assert result.exit_code == 0, result.output
    [record] = map(json.loads, records.read_text("utf-8").splitlines())
    assert (record["source"], record["output"]) == ("im late", "I am late.")


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (CORPUS_ROW, "id, to, split, domain, source, text"),
        (CORPUS_ROW | {"references": []}, "references"),
        (CORPUS_ROW | {"references": [None]}, "references"),
        ({"target": "I am late."}, "target"),
        ({}, "no fields"),
    ],
)
def test_a_row_without_a_pair_is_refused_with_its_fields(tmp_path, row, found):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row)}\n", "utf-8")
    result = RUNNER.invoke(app, ["study", "edits", str(path)])
    assert isinstance(result.exception, ParaphrastError)
    assert str(result.exception).startswith(
        f'{path}:1: expected texts for "source" and "output" (or "target")'
    )
    assert str(result.exception).endswith(f"{found}.")
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize(("style", "named"), [("formal", True), ("informal", False)])
def test_explain_names_the_categories_of_formal_changes(style, named):
    text = "im gonna be late" if style == "formal" else "I am going to be late."
    arguments = ["rewrite", "--using", "rules", "--to", style, "--explain", text]
    shown = RUNNER.invoke(app, arguments).output
    assert ("[normalization]" in shown) is named
    record = json.loads(RUNNER.invoke(app, [*arguments, "--json"]).output)
    changes = record["changes"]
    assert changes
    assert all(("categories" in change) is named for change in changes)
    if named:
        assert changes[0]["categories"] == ["capitalization", "contractions"]
