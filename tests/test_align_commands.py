"""``paraphrast align …`` as a user meets it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from alignments import SOURCE, TARGET, annotators
from paraphrast.align.base import PREFERENCES
from paraphrast.align.formats import write_alignments
from paraphrast.cli.align import app
from paraphrast.errors import ParaphrastError

A, B = annotators()


def run(*arguments, stdin=None, stderr=False):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return (result.stdout, result.stderr) if stderr else result.stdout


def records(text):
    return [json.loads(line) for line in text.split("\n")[:-1]]


def write(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def gold(tmp_path):
    write_alignments([A], tmp_path / "a.jsonl")
    write_alignments([B], tmp_path / "b.json")
    return tmp_path


def test_pairs_writes_the_documented_record(tmp_path):
    path = write(tmp_path / "p.tsv", "A cat sat.\tThe cat sat!\n")
    [record] = records(run("pairs", path, "--using", "identity"))
    assert record == {
        "source": ["A", "cat", "sat", "."],
        "target": ["The", "cat", "sat", "!"],
        "links": [[1, 1, 1.0, "sure"], [2, 2, 1.0, "sure"]],
    }


def test_tokenized_pairs_keep_their_tokens(tmp_path):
    path = write(tmp_path / "p.tsv", "can't  stop.\tcan't stop.\n")
    [record] = records(run("pairs", path, "--tokenized", "--using", "identity"))
    assert record["source"] == record["target"] == ["can't", "stop."]
    [record] = records(run("pairs", path, "--using", "identity"))
    assert record["source"] != ["can't", "stop."]


def test_a_preference_for_recall_adds_possible_links(tmp_path):
    source = "the third one is an athlete from zimbabwe , with a result of 354 points ."
    target = "a zimbabwean came third , with a total score of 354 points ."
    path = write(tmp_path / "p.tsv", f"{source}\t{target}\n")
    usual, few, more, many = (
        records(run("pairs", path, *options))[0]["links"]
        for options in ((), *(("--prefer", own) for own in PREFERENCES))
    )
    assert usual == few
    assert len(few) < len(more) < len(many)
    assert all(link in many for link in more)
    assert all(link in more for link in few)


def test_a_preference_needs_an_aligner_that_can_choose(tmp_path):
    path = write(tmp_path / "p.tsv", "a\ta\n")
    with pytest.raises(ParaphrastError, match="identity has one operating point"):
        run("pairs", path, "--using", "identity", "--prefer", "recall")


def test_jsonl_may_hold_texts_or_words_and_an_id(tmp_path):
    rows = [
        {"id": 7, "source": "a b", "target": "b"},
        {"source": ["a b", "c"], "target": ["c"], "other": None},
    ]
    path = write(tmp_path / "p.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    first, second = records(run("pairs", path, "--using", "identity"))
    assert first["id"] == "7"
    assert first["links"] == [[1, 0, 1.0, "sure"]]
    assert second["source"] == ["a b", "c"]
    assert second["links"] == [[1, 0, 1.0, "sure"]]


BAD = {
    "p.tsv": [
        (b"alone", "expected 2 tab-separated columns, found 1"),
        (b"a\tb\tc", "expected 2 tab-separated columns, found 3"),
        (b"\tb", "the source side is empty"),
        (b"a\t ", "the target side is empty"),
        (b"a\t\xff", "not valid UTF-8"),
    ],
    "p.jsonl": [
        (b"", "not valid JSON"),
        (b"[]", "expected a JSON object"),
        (b'{"source": "a"}', "'target' must be a text or a list of words"),
        (b'{"source": "a", "target": 3}', "'target' must be a text"),
        (b'{"source": "a", "target": ""}', "the target side is empty"),
        (b'{"source": "a", "target": "\\ud800"}', "'target' has an unpaired"),
    ],
}
GOOD = {"p.tsv": b"a\ta", "p.jsonl": b'{"source": "a", "target": "a"}'}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_are_passed_through_in_order_and_counted(name, tmp_path):
    lines = [line for row, _ in BAD[name] for line in (row, GOOD[name])]
    (tmp_path / name).write_bytes(b"\n".join(lines) + b"\n")
    out, err = run("pairs", tmp_path / name, "--using", "identity", stderr=True)
    result = records(out)
    assert len(result) == len(lines)
    for bad, good, (_, why) in zip(result[::2], result[1::2], BAD[name], strict=True):
        assert bad["error"].startswith(why)
        assert bad["links"] == []
        assert good["links"] == [[0, 0, 1.0, "sure"]]
        assert "error" not in good
    assert err.startswith(f"{len(BAD[name])} of {len(lines)} rows could not be aligned")
    assert f"{name}:1: " in err
    assert err.count("\n") == 1


def test_a_pair_too_long_for_an_aligner_is_passed_through(tmp_path):
    path = write(tmp_path / "p.tsv", "a b\ta b\n" + "a " * 201 + "\ta\n")
    run("train", "hmm", path, "-o", tmp_path / "m")
    first, second = records(run("pairs", path, "--model", tmp_path / "m"))
    assert first["links"]
    assert second["error"].startswith(
        "201 words on one side; this aligner accepts up to"
    )


def test_output_can_be_written_to_a_file(tmp_path):
    path = write(tmp_path / "p.tsv", "a\ta\n")
    assert run("pairs", path, "-o", tmp_path / "out.jsonl", "--using", "identity") == ""
    [record] = records((tmp_path / "out.jsonl").read_text("utf-8"))
    assert record["links"] == [[0, 0, 1.0, "sure"]]


def test_pairs_come_from_standard_input_in_a_stream():
    command = [sys.executable, "-m", "paraphrast", "align", "pairs", "-"]
    done = subprocess.run(
        [*command, "--using", "identity"],
        input="a b\tb a\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["links"] == [
        [0, 1, 1.0, "sure"],
        [1, 0, 1.0, "sure"],
    ]


def test_an_unknown_file_or_aligner_is_one_line(tmp_path):
    with pytest.raises(ParaphrastError, match="name its format with --format"):
        run("pairs", tmp_path / "pairs.dat", "--using", "identity")
    with pytest.raises(ParaphrastError, match="Did you mean 'identity'"):
        run("pairs", tmp_path / "p.tsv", "--using", "identiti")
    with pytest.raises(ParaphrastError, match="hmm must be trained first"):
        run("pairs", tmp_path / "p.tsv", "--using", "hmm")


def test_an_aligner_is_trained_and_used(tmp_path):
    rows = ["big dog\tlarge hound", "big cat\tlarge kitten", "old dog\taged hound"]
    path = write(tmp_path / "p.tsv", "".join(f"{row}\n" for row in rows) * 3)
    said = json.loads(run("train", "ibm1", path, "-o", tmp_path / "m", "--json"))
    assert said["pairs"] == 9
    result = records(run("pairs", path, "--model", tmp_path / "m"))
    assert [link[:2] for link in result[0]["links"]] == [[0, 0], [1, 1]]


def test_training_takes_its_settings(tmp_path):
    path = write(tmp_path / "p.tsv", "a\tb\n")
    options = ("--symmetrisation", "union", "--lexicon", "none", "--case", "mixed")
    run("train", "ibm1", path, "-o", tmp_path / "m", *options, "--iterations", 2)
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text("utf-8"))
    assert manifest["settings"] == {
        "symmetrisation": "union",
        "lexicon": "none",
        "case": "mixed",
        "iterations": 2,
        "seed": 1,
    }


def test_training_refuses_invalid_settings(tmp_path):
    path = write(tmp_path / "p.tsv", "a\tb\n")
    with pytest.raises(ParaphrastError, match="align train: symmetrisation must be"):
        run("train", "ibm1", path, "-o", tmp_path / "m", "--symmetrisation", "x")
    with pytest.raises(ParaphrastError, match="identity has no setting --seed"):
        run("train", "identity", path, "-o", tmp_path / "m", "--seed", 2)


def test_training_asks_for_a_new_folder_before_it_begins(tmp_path):
    write(tmp_path / "p.tsv", "a\tb\n")
    with pytest.raises(ParaphrastError, match="already exists"):
        run("train", "hmm", tmp_path / "no.tsv", "-o", tmp_path)


def test_training_reads_alignments_too(gold):
    run("train", "hmm", gold / "b.json", "-o", gold / "m")
    assert (gold / "m" / "manifest.json").exists()


def test_score_prints_the_papers_figures(gold):
    result = json.loads(run("score", gold / "a.jsonl", gold / "b.json", "--json"))
    words = result["scores"][0]
    assert (words["level"], words["average"]) == ("words", "micro")
    assert (words["precision"], words["recall"], words["f1"]) == (1, 0.8, 0.8889)
    assert "labels:asymmetric|identical:ignored|pairs:1" in result["signature"]


def test_score_prints_a_table(gold):
    lines = run("score", gold / "a.jsonl", gold / "b.json", "--labels", "possible")
    words, _, phrases = lines.splitlines()[1:4]
    assert words.split()[:5] == [
        "words",
        "micro",
        "72.7",
        "80.0",
        "76.2",
    ]  # 8 of 11, 8 of 10
    assert phrases.split()[:5] == ["phrases", "micro", "71.4", "42.9", "53.6"]


def test_score_takes_words_from_the_gold_for_bare_links(gold):
    run("convert", gold / "a.jsonl", gold / "a.align")
    with_words = run("score", gold / "a.jsonl", gold / "b.json")
    assert run("score", gold / "a.align", gold / "b.json") == with_words
    run("convert", gold / "b.json", gold / "b.wa")
    write(gold / "s", SOURCE + "\n")
    write(gold / "t", TARGET + "\n")
    options = ("--source", gold / "s", "--target", gold / "t")
    assert run("score", gold / "a.align", gold / "b.wa", *options) == with_words


def test_score_refuses_mismatched_files(gold):
    write_alignments([A, A], gold / "two.jsonl")
    with pytest.raises(ParaphrastError, match="2 pairs to score but 1 in the gold"):
        run("score", gold / "two.jsonl", gold / "b.json")
    turned = type(A)(A.target, A.source)
    write_alignments([turned], gold / "turned.jsonl")
    with pytest.raises(ParaphrastError, match="pair 1: the source is 'both parties"):
        run("score", gold / "turned.jsonl", gold / "b.json")
    with pytest.raises(ParaphrastError, match="give both --source and --target"):
        run("score", gold / "a.jsonl", gold / "b.json", "--source", gold / "s")
    with pytest.raises(ParaphrastError, match="Did you mean 'possible'"):
        run("score", gold / "a.jsonl", gold / "b.json", "--labels", "posible")


def test_rows_that_could_not_be_aligned_are_scored_as_empty(gold):
    record = {"source": [], "target": [], "links": [], "error": "broken"}
    write(gold / "x.jsonl", json.dumps(record) + "\n")
    result = json.loads(run("score", gold / "x.jsonl", gold / "b.json", "--json"))
    assert result["scores"][0]["recall"] == 0


def test_show_finds_a_pair_by_number_and_by_id(gold):
    named = type(A)(A.source, A.target, A.links, "news:7")
    write_alignments([B, named], gold / "two.jsonl")
    by_id = run("show", gold / "two.jsonl", "news:7")
    assert by_id == run("show", gold / "two.jsonl", 2)
    assert by_id != run("show", gold / "two.jsonl", 1)
    assert by_id.count("██") == 8
    with pytest.raises(ParaphrastError, match="no pair '3'. Give an id, or a number"):
        run("show", gold / "two.jsonl", 3)


def test_show_writes_svg_and_puts_two_side_by_side(gold):
    picture = gold / "p.svg"
    run("show", gold / "a.jsonl", "-o", picture, "--beside", gold / "b.json")
    text = picture.read_text("utf-8")
    assert text.startswith("<svg ")
    assert ">a</text>" in text
    assert ">b</text>" in text


def test_show_prints_the_record(gold):
    [record] = records(run("show", gold / "a.jsonl", "--json"))
    assert record["source"] == SOURCE.split()


def test_list_marks_the_default():
    result = json.loads(run("list", "--json"))
    assert [row["default"] for row in result].count(True) == 1
    assert {"hmm", "eflomal", "identity"} <= {row["name"] for row in result}
    assert "[default]" in run("list")


def test_a_row_without_words_is_kept_whole(tmp_path):
    from paraphrast.align.rows import read_rows

    path = tmp_path / "p.tsv"
    path.write_bytes(b"a\tb\tc\na\t\xff\nx\ty\n")
    assert [row.line for row in read_rows(path, form="tsv")] == [
        "a\tb\tc",
        "a\t\\xff",
        "",
    ]
