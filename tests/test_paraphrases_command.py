"""``paraphrast paraphrases extract | of | export | merge`` as a user meets them."""

import json

import pytest

from paraphrast.cli.main import main

PAIRS = """the big dog sleeps\tthe large dog sleeps
the big cat sleeps\tthe large cat sleeps
a big dog eats\ta large dog eats
\tan empty side
"""
BITEXT = """the doctor sleeps\tder arzt schläft
the physician sleeps\tder arzt schläft
the doctor eats\tder arzt isst
the physician eats\tder arzt isst
the tree sleeps\tder baum schläft
the tree eats\tder baum isst
"""


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process and return what it printed."""

    def runner(*arguments, code=0):
        given = ["paraphrast", "paraphrases", *map(str, arguments)]
        monkeypatch.setattr("sys.argv", given)
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        assert stopped.value.code == code, printed.err
        return printed.out if code == 0 else printed.err

    return runner


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS, "utf-8")
    return path


@pytest.fixture
def table(run, tmp_path, pairs):
    path = tmp_path / "smt.table"
    run("extract", pairs, "--using", "ibm1", "--tokenized", "-o", path)
    return path


def test_extract_and_look_up(run, tmp_path, pairs):
    path = tmp_path / "smt.table"
    arguments = ("extract", pairs, "--method", "smt", "--using", "ibm1")
    report = json.loads(run(*arguments, "-o", path, "--json"))
    assert (report["method"], report["pairs"]) == ("smt", 3)
    assert report["paraphrases"] > 0
    assert report["bytes"] == path.stat().st_size
    rows = json.loads(run("of", "Big", "--table", path, "--json"))
    assert rows[0]["paraphrase"] == "large"
    assert "large dog" in run("of", "big dog", "--table", path)
    assert run("of", "zebra", "--table", path) == ""
    assert json.loads(run("of", "zebra", "--table", path, "--json")) == []


def test_alignments_need_no_aligner(run, tmp_path):
    record = {"source": ["a"], "target": ["b"], "links": [[0, 0, 0.9, "sure"]]}
    aligned = tmp_path / "links.jsonl"
    aligned.write_text(json.dumps(record) + "\n", "utf-8")
    path = tmp_path / "a.table"
    run("extract", aligned, "--aligned", "-o", path)
    assert json.loads(run("of", "a", "--table", path, "--json")) == [
        {"phrase": "a", "paraphrase": "b", "probability": 0.5, "context": ""}
    ]


def test_pivot(run, tmp_path):
    bitext = tmp_path / "bitext.tsv"
    bitext.write_text(BITEXT * 3, "utf-8")
    path = tmp_path / "pivot.table"
    run("extract", bitext, "--method", "pivot", "--longest", 1, "-o", path)
    rows = json.loads(run("of", "doctor", "--table", path, "--json"))
    assert [(row["paraphrase"], row["probability"]) for row in rows] == [
        ("physician", 0.5)
    ]


def test_cotraining(run, tmp_path, pairs):
    path = tmp_path / "co.table"
    same = [f"{one} {two} {three}" for one in "abc" for two in "def" for three in "gh"]
    lines = [f"{text}\t{text}\n" for text in same]
    lines += [f"a {last} h\ta {last}{last} h\n" for last in "xyz" for _ in "12"]
    pairs.write_text("".join(lines), "utf-8")
    run("extract", pairs, "--method", "co-training", "--min-count", 2, "-o", path)
    assert "xx  determiner _ word" in run("of", "x", "--table", path)


def test_export_and_merge(run, tmp_path, table):
    text = tmp_path / "rows.tsv"
    run("export", table, "-o", text)
    rows = [line.split("\t") for line in text.read_text("utf-8").split("\n")[:-1]]
    assert ["big", "large"] in [row[:2] for row in rows]
    assert all(len(row) == 4 for row in rows)
    run("export", table, "-o", tmp_path / "rows.jsonl")
    merged = tmp_path / "merged.table"
    counts = json.loads(
        run("merge", table, table, "-w", 1, "-w", 3, "-o", merged, "--json")
    )
    assert counts["paraphrases"] == len(rows)
    best = json.loads(run("merge", table, "--best", 1, "-o", merged, "--json"))
    assert best["paraphrases"] == best["phrases"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "smd"], "unknown --method value 'smd'. Did you mean 'smt'?"),
        (["--boundaries", "wide"], "unknown --boundaries value 'wide'"),
        (["--longest", "99"], "longest must be from 1 to 15"),
        (["--max-words", "9"], "unknown setting 'max_words'"),
        (["--using", "hmn"], "unknown aligner 'hmn'"),
    ],
)
def test_mistakes_are_one_line(run, tmp_path, pairs, arguments, message):
    complaint = run("extract", pairs, *arguments, "-o", tmp_path / "t", code=2)
    assert message in complaint
    assert complaint.count("\n") == 1
    assert not (tmp_path / "t").exists()


def test_other_mistakes(run, tmp_path, pairs, table):
    assert "not a paraphrase table" in run("of", "a", "--table", pairs, code=2)
    assert "unknown corpus 'europarll'" in run(
        "extract", "europarll:en-fr", "--method", "pivot", "-o", tmp_path / "t", code=2
    )
    assert "End the name in" in run("export", table, "-o", tmp_path / "x.csv", code=2)
    assert "as many weights" in run(
        "merge", table, "-w", 1, "-w", 2, "-o", tmp_path / "t", code=2
    )
