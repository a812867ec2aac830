"""``paraphrast agreement`` as a user meets it."""

import json

import pytest
import typer
from typer.testing import CliRunner

from paraphrast.align.base import AlignedPair
from paraphrast.align.formats import write_alignments
from paraphrast.align.links import links_of
from paraphrast.cli.study import agreement
from paraphrast.errors import ParaphrastError

LONG = """item,annotator,label
1,anna,good
2,anna,bad
3,anna,good
1,bert,good
2,bert,bad
3,bert,bad
4,bert,bad
1,cleo,good
2,cleo,
3,cleo,good
"""
MATRIX = "item\tanna\tbert\n1\t3\t4\n2\t1\t1\n3\t5\t4\n4\t2\t\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    app = typer.Typer()
    app.command()(agreement)
    result = CliRunner().invoke(app, ["--resamples", "50", *map(str, arguments)])
    if isinstance(result.exception, ParaphrastError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return name


def test_judgments_in_rows_are_compared_and_skipped_items_reported(folder):
    shown = run(write(folder, "judged.csv", LONG))
    assert "4 items, 3 annotators, 2 labels on a scale that is nominal" in shown
    assert "anna skipped 1 of 4 items" in shown
    assert "cleo skipped 2 of 4 items" in shown
    assert "bert skipped" not in shown
    assert "1 items have fewer than two judgments" in shown
    for name in ("mean cohen kappa", "fleiss kappa", "krippendorff alpha nominal"):
        assert name in shown
    assert "anna and cleo" in shown


def test_a_matrix_of_numbers_gets_correlations_too(folder):
    record = json.loads(run(write(folder, "m.tsv", MATRIX), "--json"))
    assert record["scale"] == "interval"
    assert record["skipped"] == {"anna": 0, "bert": 1}
    found = {one["coefficient"]: one for one in record["pairwise"]}
    # 3 1 5 and 4 1 4: the products add up to 6, the squares to 8 and 6.
    assert found["pearson"]["value"] == pytest.approx(6 / (8 * 6) ** 0.5)
    assert found["pearson"]["items"] == 3
    assert "cohen kappa quadratic" in found


def test_json_lines_hold_the_same_judgments(folder):
    rows = [line.split(",") for line in LONG.split("\n")[1:] if line]
    lines = [
        json.dumps({"item": item, "annotator": who, "label": label or None})
        for item, who, label in rows
    ]
    there = run(write(folder, "a.jsonl", "\n".join(lines)), "--json")
    assert json.loads(there) == json.loads(run(write(folder, "a.csv", LONG), "--json"))


def test_annotators_in_separate_files_are_named_after_them(folder):
    write(folder, "anna.csv", "item,label\n1,x\n2,y\n")
    write(folder, "b.csv", "item,label\n1,x\n2,x\n")
    record = json.loads(run("anna.csv", "bert=b.csv", "--json"))
    assert record["annotators"] == ["anna", "bert"]


def test_undefined_figures_are_reported_as_undefined(folder):
    write(folder, "same.csv", "anna,bert\nx,x\nx,x\n")
    assert "undefined" in run("same.csv")
    assert json.loads(run("same.csv", "--json"))["pairwise"][0]["value"] is None


def test_a_label_can_say_that_an_item_was_skipped(folder):
    write(folder, "na.csv", "anna,bert\n1,2\nNA,3\n4,4\n2,NA\n")
    assert json.loads(run("na.csv", "--json"))["scale"] == "nominal"
    record = json.loads(run("na.csv", "--skipped", "NA", "--json"))
    assert record["scale"] == "interval"
    assert record["skipped"] == {"anna": 1, "bert": 1}


def test_order_makes_words_ordinal(folder):
    write(folder, "o.csv", "anna,bert\nlow,low\nhigh,mid\nmid,mid\n")
    shown = run("o.csv", "--order", "low,mid,high")
    assert "krippendorff alpha ordinal" in shown
    assert "cohen kappa quadratic" in shown


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.csv", LONG + "2,anna,good\n", r"a\.csv:12: .*'anna' judged item '2' twice"),
        ("a.csv", "item,annotator,lable\n1,a,x\n", r"a\.csv:2: unknown column 'label'"),
        ("a.csv", "annotator,label\na,x\n", r"a\.csv:2: unknown column 'item'"),
        ("a.csv", "item,annotator,label\n1,a\n", r"a\.csv:2: expected 3 columns"),
        ("a.csv", "item,annotator,label\n,a,x\n", r"a\.csv:2: column 'item' is empty"),
        ("a.csv", "item,a,a\n1,x,y\n", r"a\.csv:1: two columns are called 'a'"),
        ("a.csv", "", "no judgments"),
        ("a.csv", "item,a\n1,x\n", "at least two annotators"),
        ("a.jsonl", '{"item": 1\n', r"a\.jsonl:1: not valid JSON"),
        ("a.jsonl", "[1]\n", r"a\.jsonl:1: expected a JSON object"),
        ("a.jsonl", '{"item": 1, "a": [1]}\n', r"a\.jsonl:1: field 'a' is neither"),
        ("a.txt", "x\n", r"a\.txt: the ending tells neither"),
    ],
)
def test_bad_judgments_are_refused_with_file_and_line(folder, name, text, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        run(write(folder, name, text))


WORDS = [
    ("it is a fine day", "this is a lovely day"),
    ("he left early", "he went away early"),
    ("rain fell on the town", "it rained in the town"),
]


def aligned(*cells):
    return [
        AlignedPair(
            tuple(source.split()), tuple(target.split()), links_of(links), f"p{number}"
        )
        for number, ((source, target), links) in enumerate(
            zip(WORDS, cells, strict=True)
        )
    ]


ANNA = aligned(
    [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
    [(0, 0), (1, 1), (1, 2), (2, 3)],
    [(0, 1), (1, 1), (3, 3), (4, 4)],
)
BERT = aligned(
    [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
    [(0, 0), (1, 1), (2, 3)],
    [(0, 1), (2, 2), (3, 3), (4, 4)],
)


@pytest.mark.parametrize("name", ["{}.json", "{}.jsonl"])
def test_alignments_are_compared_over_words_and_phrases(folder, name):
    for who, pairs in (("anna", ANNA), ("bert", BERT)):
        write_alignments(pairs, folder / name.format(who))
    files = [name.format("anna"), name.format("bert")]
    record = json.loads(run(*files, "--samples", "50", "--json"))
    (pair,) = record["pairwise"]
    # Of anna's six links between different words bert has four, and of his five.
    assert pair["tables"]["words"]["precision_sure"] == pytest.approx(4 / 6)
    assert pair["tables"]["words"]["recall_sure"] == pytest.approx(4 / 5)
    corrected = pair["corrected"]["words"]
    assert corrected["low"] <= corrected["value"] <= corrected["high"]
    assert corrected["observed"] == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert "anna against bert, 3 pairs" in run(*files, "--samples", "5")


def test_three_annotators_are_summed_up_and_partial_ones_counted(folder):
    for who, pairs in (("anna", ANNA), ("bert", BERT), ("cleo", ANNA[:2])):
        write_alignments(pairs, folder / f"{who}.json")
    shown = run("anna.json", "bert.json", "cleo.json", "--samples", "20")
    assert "cleo skipped 1 of 3 pairs" in shown
    assert "anna against cleo, 2 pairs" in shown
    assert "all annotators" in shown


def test_formats_without_words_take_them_from_another_file(folder):
    for who, pairs in (("anna", ANNA), ("bert", BERT)):
        write_alignments(pairs, folder / f"{who}.pharaoh")
    write(folder, "source", "".join(f"{source}\n" for source, _ in WORDS))
    write(folder, "target", "".join(f"{target}\n" for _, target in WORDS))
    words = ["--source", "source", "--target", "target"]
    shown = run("anna.pharaoh", "bert.pharaoh", *words, "--samples", "20")
    assert "3 sentence pairs, 2 annotators" in shown
    with pytest.raises(ParaphrastError, match="belong together"):
        run("anna.pharaoh", "bert.pharaoh", "--source", "source")


def jacana(folder, name, **changes):
    record = {"id": "p0", "source": "a b", "target": "c d"}
    links = {"sureAlign": "0-0", "possibleAlign": ""}
    return write(folder, name, json.dumps([record | links | changes]))


def test_bad_alignments_are_refused_with_file_and_line(folder):
    jacana(folder, "anna.json")
    with pytest.raises(ParaphrastError, match=r"bert\.json: pair 1: link 0-9 is out"):
        run("anna.json", jacana(folder, "bert.json", sureAlign="0-9"))
    with pytest.raises(ParaphrastError, match="bert: sentence pair 'p0' has other"):
        run("anna.json", jacana(folder, "bert.json", source="a x"))
    with pytest.raises(ParaphrastError, match="no sentence pair in common"):
        run("anna.json", jacana(folder, "bert.json", id="p1"))
    with pytest.raises(ParaphrastError, match="two files are named 'anna'"):
        run("anna.json", "anna.json")
    with pytest.raises(ParaphrastError, match="at least two annotators"):
        run("anna.json")
    with pytest.raises(ParaphrastError, match="for judgments only"):
        run("anna.json", "--scale", "nominal")
    with pytest.raises(ParaphrastError, match="unknown aligner"):
        run("anna.json", jacana(folder, "bert.json"), "--initial", "hmmm")


def test_a_pair_given_twice_is_refused(folder):
    jacana(folder, "anna.json")
    record = json.loads((folder / "anna.json").read_text())
    write(folder, "bert.json", json.dumps(record * 2))
    with pytest.raises(ParaphrastError, match=r"bert\.json: pair 2: .*'p0'"):
        run("anna.json", "bert.json")
