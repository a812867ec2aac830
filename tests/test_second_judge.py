"""A second, unlike judge beside the first; and no judge of its own pupils."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from paraphrast.cli.metrics import app
from paraphrast.comparison.compare import Plan, compare
from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges
from paraphrast.judges.meaning_checks import CheckedSimilarity
from paraphrast.storage import packs

MODERN = [f"You are my {n} , and you are going home ." for n in range(40)]
OLD = [f"Thou art my {n} , and thou goest home ." for n in range(40)]


@pytest.fixture(scope="module")
def first():
    return judges.train_judge({"modern": MODERN, "old": OLD}, seed=1)


@pytest.fixture(scope="module")
def second():
    old = [*OLD, *(f"O {n} , art thou ?" for n in range(40))]
    modern = [*MODERN, *(f"Hey {n} , is it you ?" for n in range(40))]
    return judges.train_judge({"modern": modern, "old": old}, seed=2)


@pytest.fixture
def files(tmp_path, first, second):
    first.save(tmp_path / "first")
    second.save(tmp_path / "second")
    for name, lines in {
        "in": MODERN[:20],
        "old": OLD[:20],
        "copy": MODERN[:20],
    }.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines), "utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


class Liking:
    """A classifier that finds a style in texts with a word."""

    styles = ("modern", "old")

    def __init__(self, word):
        self.word = self.signature = word

    def probabilities(self, texts):
        found = np.array([float(self.word in text) for text in texts])
        return np.stack([1 - found, found], axis=1)


class Same:
    def __init__(self, signature):
        self.signature = signature

    def __call__(self, sources, targets):
        return np.ones(len(sources))

    def probabilities(self, texts):
        return np.ones(len(texts))


def liking(word):
    return judges.Judge(Liking(word), Same(f"sim {word}"), Same(f"fl {word}"))


def test_judges_that_contradict_each_other_are_reported():
    systems = {"pupil": ["thou x"] * 30, "other": ["thy y"] * 30}
    found = compare(
        systems,
        ["you x"] * 30,
        [()] * 30,
        metrics={},
        judge=liking("thou"),
        second=liking("thy"),
        targets="old",
        plan=Plan(resamples=200),
    )
    names = [column.name for column in found.columns]
    assert names[:2] == ["j", "acc"]
    assert names[-4:] == ["j second", "acc second", "sim_source second", "fl second"]
    told = [line for line in found.warnings if "contradict" in line]
    assert any("first judge's j, pupil is better than other" in line for line in told)
    assert found.cell("pupil", "j").value == 100
    assert found.cell("pupil", "j second").value == 0


def test_judges_that_agree_are_not():
    found = compare(
        {"good": ["thou thy"] * 30, "bad": ["you"] * 30},
        ["you"] * 30,
        [()] * 30,
        metrics={},
        judge=liking("thou"),
        second=liking("thy"),
        targets="old",
        plan=Plan(resamples=200),
    )
    assert not [line for line in found.warnings if "contradict" in line]


def test_a_second_judge_must_differ_from_the_first(first):
    mixed = replace(first, similarity=Same("other"), fluency=Same("another"))
    with pytest.raises(ParaphrastError, match="first one's accuracy model"):
        judges.refuse_alike(first, mixed)
    with pytest.raises(ParaphrastError, match="needs a first"):
        compare({"a": ["b"]}, ["b"], [()], metrics={}, second=first)


def test_score_and_compare_show_both(files):
    both = ["--judge", files / "first", "--second-judge", files / "second"]
    scored = run(
        "score", files / "old.txt", "--source", files / "in.txt", "--to", "old",
        *both, "--json", "--resamples", 10,
    )  # fmt: skip
    assert scored.exit_code == 0, scored.output
    names = [record["metric"] for record in json.loads(scored.stdout)]
    assert {"j", "j second", "gm second"} <= set(names)
    compared = run(
        "compare", f"ours={files / 'old.txt'}", "--source", files / "in.txt",
        "--to", "old", *both, "--json", "--resamples", 50,
    )  # fmt: skip
    assert compared.exit_code == 0, compared.output
    row = json.loads(compared.stdout)["rows"][-1]
    assert row["scores"]["j second"]["value"] > 0
    alone = run("score", files / "old.txt", "--second-judge", files / "second")
    assert "needs a first" in str(alone.exception)
    same = run(
        "score", files / "old.txt", "--judge", files / "first", "--second-judge",
        files / "first", "--to", "old",
    )  # fmt: skip
    assert "another kind" in str(same.exception)


def test_a_judge_does_not_score_its_own_pupil(files, first):
    about = packs.About(
        name="pupil",
        kind="phrase",
        styles={"old": "as of old"},
        evaluators=(first.hashes()["fluency"],),
    )
    with packs.new(files / "pupil") as folder:
        packs.seal(folder, about, {})
    arguments = ["--source", files / "in.txt", "--judge", files / "first"]
    scored = run(
        "score", files / "old.txt", "--to", "old", "--pack", files / "pupil",
        *arguments,
    )  # fmt: skip
    assert "pupil was made with this judge's fluency model" in str(scored.exception)
    ours = f"ours={files / 'old.txt'}"
    compared = run(
        "compare", ours, "--to", "old", "--pack", f"ours={files / 'pupil'}", *arguments
    )
    assert "ours was made with this judge's fluency" in str(compared.exception)
    other = run(
        "compare", ours, "--to", "old", "--pack", f"ours={files / 'pupil'}",
        "--source", files / "in.txt", "--judge", files / "second", "--resamples", 50,
        "--json",
    )  # fmt: skip
    assert other.exit_code == 0, other.output
    roles = [file["role"] for file in json.loads(other.stdout)["files"]]
    assert "pack ours" in roles


def test_a_model_within_another_is_the_same_model(first):
    checked = replace(first, similarity=CheckedSimilarity(first.similarity))
    with pytest.raises(ParaphrastError, match="similarity model"):
        judges.refuse_if_used(checked, [first.similarity.signature])
    judges.refuse_if_used(checked, ["", "ab" * 32])


def test_the_small_judge_is_the_second_beside_any_allowed_judge(first):
    small = judges.load(judges.SMALL)
    found = judges.unlike(first, ["shakespeare", "modern"])
    assert found.hashes() == small.hashes()
    assert judges.unlike(first, ["pirate"]) is None
    assert judges.unlike(small, ["shakespeare"]) is None
    assert judges.unlike(first, ["modern"], [small.hashes()["accuracy"]]) is None


def test_compare_takes_it_by_default(files):
    arguments = [
        "compare", f"ours={files / 'old.txt'}", "--source", files / "in.txt",
        "--to", "modern", "--judge", files / "first", "--json", "--resamples", 20,
    ]  # fmt: skip
    beside, alone = run(*arguments), run(*arguments, "--second-judge", "none")
    for result, expected in ((beside, True), (alone, False)):
        names = [metric["name"] for metric in json.loads(result.stdout)["metrics"]]
        assert ("j second" in names) == expected
