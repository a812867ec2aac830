"""``paraphrast metrics train-judge``, ``score --judge`` and ``metrics style``."""

import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.metrics import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges

MODERN = [f"You are my {n} , and you are going home ." for n in range(40)]
OLD = [f"Thou art my {n} , and thou goest home ." for n in range(40)]


@pytest.fixture
def files(tmp_path):
    for name, lines in {
        "modern": MODERN,
        "old": OLD,
        "out": ["Thou art mine .", "You are mine ."],
        "in": ["You are mine ."] * 2,
    }.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines), "utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def trained(files, *more):
    return run(
        "train-judge",
        "--style",
        f"modern={files / 'modern.txt'}",
        "--style",
        f"old={files / 'old.txt'}",
        "-o",
        files / "judge",
        *more,
    )


def test_a_judge_is_trained_saved_and_used(files):
    result = trained(files, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["hashes"] == judges.load(files / "judge").hashes()
    assert record["held_out"]["accuracy"] == 1.0
    assert "style classifier" in result.stderr  # progress does not mix with the result
    scored = run(
        "score",
        files / "out.txt",
        "--source",
        files / "in.txt",
        "--to",
        "old",
        "--judge",
        files / "judge",
        "--json",
    )
    found = {r["metric"]: r for r in json.loads(scored.stdout)}
    assert list(found) == ["acc", "sim_source", "fl", "j", "gm", "style-grade"]
    assert found["acc"]["value"] == 50.0
    assert record["hashes"]["fluency"] in found["j"]["signature"]


def test_a_missing_target_style_error_lists_the_styles(files):
    trained(files)
    judge = ("--source", files / "in.txt", "--judge", files / "judge")
    refused = run("score", files / "out.txt", *judge)
    assert str(refused.exception) == (
        "a judge needs the target style. Name it with --to: modern, old."
    )
    refused = run("score", files / "out.txt", *judge, "--to", "odl")
    assert "Did you mean 'old'" in str(refused.exception)


def test_similarity_is_named_after_what_it_is_compared_with(files):
    trained(files)
    judge = ("--to", "old", "--judge", files / "judge", "--json")
    alone = run("score", files / "out.txt", "--source", files / "in.txt", *judge)
    referred = run("score", files / "out.txt", files / "in.txt", *judge)
    names = [[r["metric"] for r in json.loads(x.stdout)] for x in (alone, referred)]
    assert "sim_source" in names[0]
    assert "sim_reference" in names[1]
    assert "sim" not in names[0] + names[1]


def test_figures_are_printed_for_people(files):
    result = trained(files, "--valid", f"old={files / 'old.txt'}")
    assert "accuracy           1.0" in result.stdout


def test_fluency_is_learnt_from_judgments_in_colas_format(files):
    good = [f"a\t1\t\t{line}\n" for line in OLD[:20]]
    bad = [f"a\t0\t*\t{' '.join(reversed(line.split()))}\n" for line in OLD[:20]]
    (files / "cola.tsv").write_text("".join(good + bad), "utf-8")
    result = trained(files, "--acceptability", files / "cola.tsv", "--json")
    assert json.loads(result.stdout)["judgments"]["lines"] == 40
    (files / "cola.tsv").write_text("no tabs\n", "utf-8")
    refused = trained(files, "--acceptability", files / "cola.tsv")
    assert isinstance(refused.exception, ParaphrastError)
    assert "cola.tsv:1: expected source, 0 or 1" in str(refused.exception)


def test_an_unknown_style_among_the_validation_text_is_refused(files):
    refused = trained(files, "--valid", f"odl={files / 'old.txt'}")
    assert isinstance(refused.exception, ParaphrastError)
    assert "unknown style 'odl'. Did you mean 'old'?" in str(refused.exception)


def test_the_three_style_scores_are_printed_with_values_per_sentence(files):
    result = run(
        "style",
        files / "out.txt",
        "--source-style",
        files / "modern.txt",
        "--target-style",
        files / "old.txt",
        "--per-sentence",
        files / "values.tsv",
        "--json",
    )
    assert result.exit_code == 0, result.output
    names = ["style-cosine", "style-language-model", "style-logistic"]
    assert [r["metric"] for r in json.loads(result.stdout)] == names
    header, old, modern = (files / "values.tsv").read_text("utf-8").splitlines()
    assert header.split("\t")[-3:] == names
    for o, m in zip(old.split("\t")[-3:], modern.split("\t")[-3:], strict=True):
        assert float(m) < 0.5 < float(o)
