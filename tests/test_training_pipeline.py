"""The rewriter's training from base model to student, with toy models and texts."""

import random
from pathlib import Path
from typing import Any

import pytest

import neural_toy
from training.rewriter.workspace import Workspace, read_rows, write_rows
from training.styles import STYLES

pytestmark = [pytest.mark.train, pytest.mark.slow]
PLAIN = [plain for plain, _ in neural_toy.PAIRS]
OLD = [old for _, old in neural_toy.PAIRS]


class Guide:
    """Likes every sample."""

    signature = "toy"

    def style(self, texts: Any, style: str) -> list[float]:
        return [0.9] * len(texts)

    def meaning(self, sources: Any, texts: Any) -> list[float]:
        return [0.9] * len(texts)

    def fluency(self, texts: Any) -> list[float]:
        return [0.9] * len(texts)

    def forget(self) -> None:
        pass


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Return a working folder with a toy base and a few texts of every style."""
    draw = random.Random(1)
    for style in STYLES:
        texts = OLD if style in ("shakespeare", "bible", "poetry") else PLAIN
        for part in ("train", "dev", "test"):
            write_rows(tmp_path / f"styles/{style}.{part}.txt", draw.sample(texts, 6))
    write_rows(tmp_path / "styles/plays/modern.txt", PLAIN)
    write_rows(tmp_path / "styles/plays/original.txt", OLD)
    pairs = [f"{plain}\t{old}" for plain, old in neural_toy.PAIRS]
    write_rows(tmp_path / "styles/plays/pairs.tsv", pairs)
    for name in ("train", "near"):
        write_rows(tmp_path / f"paraphrases/{name}.tsv", pairs * 3)
    short = [f"Yes.\tYes.\t{style}" for style in (*STYLES, "neutral")]
    write_rows(tmp_path / "additions/short.tsv", short)
    write_rows(tmp_path / "additions/bible.tsv", pairs)
    write_rows(tmp_path / "additions/strap.tsv", [f"modern\t{text}" for text in OLD])
    twelfth = [f"modern\t{old}\t{plain}" for plain, old in neural_toy.PAIRS]
    write_rows(tmp_path / "additions/twelfth.tsv", twelfth)
    teacher = [f"{plain}\t{old}\tshakespeare" for plain, old in neural_toy.PAIRS]
    write_rows(tmp_path / "teacher-rows.tsv", teacher)
    neural_toy.base(tmp_path / "base", "t5")
    monkeypatch.setattr(Workspace, "load_guide", lambda _: Guide())
    return Workspace(tmp_path, share=0.01)


def test_every_stage_reads_what_the_ones_before_it_wrote(work: Workspace) -> None:
    from training.rewriter.train import STAGES

    names = (
        "paraphraser", "supervised", "neutral", "inverse", "requests", "choose",
        "direct", "choose-again", "choose-pairs", "student", "student-unsupervised",
        "polish",
    )  # fmt: skip
    for name in names:
        STAGES[name].run(work, 2.0)
        assert (work.folder / STAGES[name].makes).exists(), name
    chosen = [row.split("\t") for row in read_rows(work.folder / "chosen/pairs.tsv")]
    assert {row[2] for row in chosen} == {"modern", "shakespeare"}
    asked = [row.split("\t") for row in read_rows(work.folder / "requests/train.tsv")]
    assert all(len(row) == 3 and row[1] in STYLES for row in asked)


def test_the_ablations_of_table_3_are_written_for_the_recipe(work: Workspace) -> None:
    from recipes.strap.run import PARTS_ELSEWHERE, STEPS_ELSEWHERE
    from training.rewriter.train import STAGES

    for name in ("ablations", "ablations-reranked"):
        STAGES[name].run(work, 20.0)
        assert (work.folder / STAGES[name].makes).exists(), name
    written = {path.stem for path in (work.folder / "outputs").glob("*.tsv")}
    assert written >= {*STEPS_ELSEWHERE, *PARTS_ELSEWHERE, "two-steps-reranked"}
