"""What a recipe promises, and the files that its steps write."""

import shutil
import subprocess
from pathlib import Path

import pytest

from paraphrast.cli.reproduce import _record, _report_lines
from paraphrast.errors import ParaphrastError
from paraphrast.reproduce import (
    Definition,
    Figure,
    Recipe,
    Value,
    compare,
    find_commit,
    list_written,
    run,
)

RUN = """
from paraphrast.reproduce import Value

def plot(workspace):
    path = workspace.folder / "plot.svg"
    before = len(path.read_text()) if path.exists() else 0
    path.write_text("<svg/>" * (before + 1))
    return {"runs": Value(float(before + 1))}

def plain(workspace):
    return {"one": Value(1.0)}

STEPS = {"plot": plot, "plain": plain}
"""


def recipe(folder: Path) -> Recipe:
    (folder / "run.py").write_text(RUN)
    definition = Definition(title="t", paper="p", corpora=(), takes="", figure=())
    return Recipe("made", folder, definition)


def test_a_stopped_run_resumes_where_it_stopped(tmp_path):
    made = recipe(tmp_path)
    out = tmp_path / "out"
    started = run(made, {}, out)
    first = next(started)
    started.close()
    assert dict(run(made, {}, out, resume=True))["plot"] == first[1]
    assert [path.name for path in list_written(out)] == ["plot.svg"]
    assert [path.name for path in out.iterdir()] == ["plot.svg"]
    assert dict(run(made, {}, out))["plot"]["runs"].value > 1.0


def test_a_step_that_fails_leaves_the_finished_ones(tmp_path):
    made = recipe(tmp_path)
    out = tmp_path / "out"
    text = RUN.replace(
        'return {"one"', "raise ParaphrastError('no data.')\n    {\"one\""
    )
    (tmp_path / "run.py").write_text(f"from paraphrast.errors import *\n{text}")
    with pytest.raises(ParaphrastError, match="no data"):
        dict(run(made, {}, out))
    assert (out / "steps.partial" / "plot.json").exists()


def test_a_run_is_not_resumed_with_other_code_or_data(tmp_path):
    made = recipe(tmp_path)
    out = tmp_path / "out"
    started = run(made, {}, out)
    next(started)
    started.close()
    with pytest.raises(ParaphrastError, match="corpora changed"):
        next(run(made, {"plays": tmp_path}, out, resume=True))
    (tmp_path / "run.py").write_text(f"{RUN}\n")
    with pytest.raises(ParaphrastError, match="code changed"):
        next(run(made, {}, out, resume=True))


def test_missing_requirements_are_reported_before_the_first_step(tmp_path):
    made = recipe(tmp_path)
    (tmp_path / "run.py").write_text(
        f"{RUN}\ndef find_missing(workspace):\n    yield 'no pack.'\n"
    )
    told = []
    started = run(made, {}, tmp_path / "out", tell=told.append)
    next(started)
    started.close()
    assert told == ["no pack."]


def test_the_report_counts_the_figures_that_were_left_out(tmp_path):
    figures = (Figure("here"), Figure("elsewhere", optional=True))
    made = Recipe("r", tmp_path, Definition("t", "p", (), "no time", figures))
    outcomes = compare(made, {"here": Value(1.0)})
    assert "Left out: 1 figures" in "\n".join(_report_lines(made, outcomes, tmp_path))


def test_only_optional_figures_may_be_missing(tmp_path):
    figures = (Figure("here"), Figure("elsewhere", at_least=1.0, optional=True))
    definition = Definition("t", "p", (), "no time", figures)
    made = Recipe("r", tmp_path, definition)
    (outcome,) = compare(made, {"here": Value(1.0)})
    assert outcome.figure.name == "here"
    low = compare(made, {"here": Value(1.0), "elsewhere": Value(0.5)})
    assert [outcome.holds for outcome in low] == [True, False]
    with pytest.raises(ParaphrastError, match="lists 'here'"):
        compare(made, {"elsewhere": Value(1.0)})


def test_an_optional_figure_needs_the_one_that_it_must_be_below(tmp_path):
    figures = (Figure("worse", below="better", optional=True),)
    made = Recipe("r", tmp_path, Definition("t", "p", (), "no time", figures))
    assert compare(made, {"worse": Value(1.0)}) == []
    (outcome,) = compare(made, {"worse": Value(1.0), "better": Value(2.0)})
    assert outcome.holds


@pytest.mark.parametrize(
    ("value", "missed", "holds", "as_pinned"),
    [
        (2.0, "", True, True),
        (0.0, "", False, False),
        (0.0, "why", False, True),
        (2.0, "why", True, False),
    ],
)
def test_a_figure_must_be_missed_exactly_if_it_is_pinned(
    tmp_path, value, missed, holds, as_pinned
):
    figure = Figure("one", at_least=1.0, missed=missed)
    made = Recipe("r", tmp_path, Definition("t", "p", (), "no time", (figure,)))
    (outcome,) = compare(made, {"one": Value(value)})
    assert (outcome.holds, outcome.as_pinned) == (holds, as_pinned)
    record = _record(made, [outcome], {"one": Value(value)})
    assert record["as_pinned"] is as_pinned


def test_a_figure_without_bounds_cannot_be_pinned():
    with pytest.raises(ValueError, match="no bounds"):
        Figure("one", paper=1.0, missed="why")


def test_a_bound_of_zero_is_written_down(tmp_path):
    figures = (Figure("lead", at_least=0.0), Figure("shown"))
    made = Recipe("r", tmp_path, Definition("t", "p", (), "no time", figures))
    values = {"lead": Value(-1.0), "shown": Value(1.0)}
    lead, shown = _record(made, compare(made, values), values)["figures"]
    assert lead["at_least"] == 0
    assert not lead["holds"]
    assert "at_least" not in shown
    assert "optional" not in shown


def commit_recipe(folder: Path, name: str) -> Recipe:
    """Make a repository around a folder of that name and commit a recipe in it."""
    made = recipe(folder / name)
    for command in (
        ["init", "--quiet"],
        ["add", name],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "one"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return made


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_result_names_the_commit_of_its_recipe(tmp_path):
    (tmp_path / "committed").mkdir()
    made = commit_recipe(tmp_path, "committed")
    commit = find_commit(tmp_path / "committed")
    assert len(commit) >= 7
    assert _record(made, [], {})["commit"] == commit
    (tmp_path / "committed" / "run.py").write_text("STEPS = {}")
    assert find_commit(tmp_path / "committed") == f"{commit}-dirty"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_installed_recipe_takes_no_commit_from_the_repository_around_it(tmp_path):
    (tmp_path / "own").mkdir()
    commit_recipe(tmp_path, "own")
    (tmp_path / "environment").mkdir()
    installed = recipe(tmp_path / "environment")
    assert _record(installed, [], {})["commit"] == ""


def test_a_result_names_no_commit_without_git(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_commit(Path(__file__).parent) == ""
