"""`paraphrast metrics compare`: files in, a table out, mistakes in one line."""

import csv
import hashlib
import io
import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.metrics import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges.judge import train_judge

SOURCE = "how are you today\nit is late\nsee you\n"
REFERENCE = "how do you do today\nthe hour is late\nfarewell\n"
OURS = "how do you do today\nit is very late\nfarewell\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {
        "in.txt": SOURCE,
        "ref.txt": REFERENCE,
        "ours.txt": OURS,
        "copy.1": SOURCE,
        "short.txt": "one\n",
        "empty.txt": "",
        "old.txt": "wherefore art thou\nfare thee well\n",
        "labels.txt": "old\nold\nnew\n",
        "odd=name.txt": OURS,
    }.items():
        (tmp_path / name).write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    command = ["compare", "--source", "in.txt", "--resamples", "20", *arguments]
    result = CliRunner().invoke(app, command)
    if isinstance(result.exception, ParaphrastError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_table_has_systems_and_yardsticks(folder):
    shown = run("--reference", "ref.txt", "ours.txt", "theirs=copy.1")
    for name in ("ours", "theirs", "COPY", "REFERENCE", "NAIVE", "bleu", "pinc"):
        assert name in shown


def test_json_names_files_with_their_hashes(folder):
    record = json.loads(run("--reference", "ref.txt", "ours.txt", "--json"))
    hashes = {file["role"]: file["sha256"] for file in record["files"]}
    assert hashes["system ours"] == hashlib.sha256(OURS.encode()).hexdigest()
    assert set(hashes) == {"source", "reference", "system ours"}
    assert record["setting"]["resamples"] == 20


def test_a_file_is_named_after_itself_and_may_hold_an_equals_sign(folder):
    record = json.loads(run("copy.1", "odd=name.txt", "x=ours.txt", "--json"))
    names = [row["name"] for row in record["rows"] if not row["control"]]
    assert names == ["copy.1", "odd=name", "x"]


def test_each_setting_of_a_metric_has_its_own_column(folder):
    text = run(
        *("--reference", "ref.txt", "ours.txt", "--format", "csv"),
        *("-m", "bleu", "-m", "bleu:lowercase=true", "-m", "pinc:convention=xu12"),
    )
    metrics = {line["metric"] for line in csv.DictReader(io.StringIO(text))}
    assert metrics == {"bleu", "bleu:lowercase=true", "pinc"}


def test_target_corpora_are_given_by_style(folder):
    record = json.loads(
        run(
            *("--targets", "labels.txt", "--target-corpus", "old=old.txt"),
            *("ours.txt", "--json"),
        )
    )
    row = next(row for row in record["rows"] if row["name"] == "ours")
    assert "retrieved" in row["gaming"]["findings"]


def test_a_judge_scores_and_tunes_naive_on_validation(folder):
    old = [f"thou {v} the {n} , sir" for v in ("hast", "seest") for n in "kingmoser"]
    new = [text.replace("thou", "you do").replace("sir", "dude") for text in old]
    train_judge({"old": old, "new": new}, seed=1).save(folder / "judge")
    (folder / "new.txt").write_text("\n".join(new) + "\n", "utf-8")
    (folder / "was.txt").write_text("\n".join(old) + "\n", "utf-8")
    record = json.loads(
        run(
            *("--source", "new.txt", "--reference", "was.txt", "--to", "old"),
            *("--judge", "judge", "--valid-source", "new.txt"),
            *("--valid-reference", "was.txt", "ours=was.txt", "--json"),
        )
    )
    assert record["setting"]["main"] == "j"
    note = next(row["note"] for row in record["rows"] if row["name"] == "NAIVE")
    assert f"tuned by gm on {len(new)} validation lines" in note
    assert record["files"][-1]["role"] == "system ours"


def test_html_is_written_whole_to_a_file(folder):
    assert run("ours.txt", "--format", "html", "-o", "out.html") == ""
    assert (folder / "out.html").read_text("utf-8").endswith("</html>\n")


def test_latex_is_a_booktabs_table(folder):
    assert r"\bottomrule" in run("ours.txt", "--format", "latex")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["short.txt"], r"in\.txt.*3.*short\.txt.*1"),
        (["missing.txt"], "missing.txt"),
        (["ours.txt", "-m", "blue"], "Did you mean 'bleu'"),
        (["ours.txt", "--format", "htm"], "Did you mean 'html'"),
        (["ours.txt", "--baseline", "our"], "Did you mean 'ours'"),
        (["ours.txt", "--test", "bootstrp"], "Did you mean 'bootstrap'"),
        (["ours.txt", "ours.txt"], "two files are named 'ours'"),
        (["COPY=ours.txt"], "COPY is the name of a row"),
        (["ours.txt", "--judge", "nowhere"], "nowhere"),
        (["ours.txt", "--to", "a", "--targets", "labels.txt"], "exclude each other"),
        (["ours.txt", "--valid-reference", "ref.txt"], "needs --valid-source"),
        (
            ["ours.txt", "--targets", "labels.txt", "--target-corpus", "old.txt"],
            "not a target style",
        ),
        (
            ["ours.txt", "--to", "old", "--target-corpus", "odl=old.txt"],
            "'odl', which is not a target style",
        ),
        (["ours.txt", "-m", "bleu"], "bleu needs references"),
        (["ours.txt", "-o", "nowhere/out.txt"], "cannot write nowhere"),
    ],
)
def test_mistakes_are_reported_in_one_line(folder, arguments, message):
    with pytest.raises(ParaphrastError, match=message) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


def test_empty_files_are_refused(folder):
    with pytest.raises(ParaphrastError, match="empty"):
        run("--source", "empty.txt", "empty.txt")


def test_windows_line_ends_and_u2028_do_not_misalign(folder):
    (folder / "windows.txt").write_bytes(OURS.replace("\n", "\r\n").encode())
    (folder / "separator.txt").write_bytes("a\u2028b\nc\x00\nd\n".encode())
    record = json.loads(run("windows.txt", "separator.txt", "--json"))
    assert record["sentences"] == 3
