"""A recipe's steps may write files, which belong to what is kept of them."""

from pathlib import Path

from paraphrast.reproduce import Recipe, run, written
from paraphrast.reproduce.recipe import Definition

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


def test_a_step_is_kept_with_the_files_it_wrote(tmp_path):
    made = recipe(tmp_path)
    out = tmp_path / "out"
    first = dict(run(made, {}, out))
    assert [path.name for path in written(out)] == ["plot.svg"]
    assert dict(run(made, {}, out)) == first


def test_a_step_whose_file_is_gone_runs_again(tmp_path):
    made = recipe(tmp_path)
    out = tmp_path / "out"
    dict(run(made, {}, out))
    dict(run(made, {}, out, fresh=True))  # writes over the file
    (out / "plot.svg").unlink()
    again = dict(run(made, {}, out))
    assert again["plot"]["runs"].value == 1.0
    assert (out / "plot.svg").exists()
