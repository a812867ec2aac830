"""Nearest style and content: which of a text's versions an output is nearest to."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.corpora.loaders import everyday
from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Segment
from paraphrast.metrics.chrf import Chrf
from paraphrast.metrics.nearest_style import Content, NearestStyle, score_versions
from paraphrast.metrics.scoring import score

STYLES = ("plain", "formal", "tweet")
VERSIONS = (
    "I can't come on Friday because my sister is ill.",
    "I am unable to attend on Friday, as my sister is unwell.",
    "no Friday for me, sister's ill. gutted",
)


def segment(output: str, target: str) -> Segment:
    return Segment(output, references=VERSIONS, target=target)


def test_a_version_is_nearest_to_itself_with_full_content() -> None:
    segments = [
        segment(version, style) for version, style in zip(VERSIONS, STYLES, strict=True)
    ]
    assert score(NearestStyle(STYLES), segments).value == 100
    assert score(Content(), segments).value == pytest.approx(100)


def test_a_copy_has_all_the_content_and_the_wrong_style() -> None:
    copies = [segment(VERSIONS[0], "formal"), segment(VERSIONS[0], "tweet")]
    assert score(NearestStyle(STYLES), copies).value == 0
    assert score(Content(), copies).value == pytest.approx(100)


def test_style_markers_without_the_content_score_low_on_content() -> None:
    assert score(Content(), [segment("gutted lol no", "tweet")]).value < 40


def test_the_share_is_a_percentage_of_all_outputs() -> None:
    rows = [segment(VERSIONS[1], "formal"), *3 * [segment(VERSIONS[1], "tweet")]]
    assert score(NearestStyle(STYLES), rows).value == 25


def test_each_version_is_scored_by_chrf_with_words() -> None:
    output = "I cannot come on Friday: my sister is ill."
    alone = [
        score(Chrf(word_order=2), [Segment(output, references=(version,))]).value
        for version in VERSIONS
    ]
    (row,) = score_versions([segment(output, "formal")]).tolist()
    assert row == pytest.approx(alone)


def test_a_segment_needs_one_reference_per_style() -> None:
    short = Segment("Hello.", references=VERSIONS[:2], target="plain")
    with pytest.raises(ParaphrastError, match="segment 2 has 2 references for 3"):
        NearestStyle(STYLES).values([segment("Hello.", "plain"), short])


def test_a_style_without_a_reference_is_refused() -> None:
    with pytest.raises(ParaphrastError, match="has the target style 'bible'"):
        NearestStyle(STYLES).values([segment("Hello.", "bible")])


def write_corpus(folder: Path) -> list[str]:
    """Write a corpus of three development texts, one very short; return their plain."""
    plain = [
        "The shop is closed on Monday.",
        "Thanks, Anna.",
        "We lost the second game.",
    ]
    rows = [
        {
            "id": str(number), "file": "a", "kind": "note", "split": "dev",
            "versions": {s: f"{text} in {s}" if s != "plain" else text
                         for s in everyday.STYLES},
        }
        for number, text in enumerate(plain)
    ]  # fmt: skip
    lines = [json.dumps(row) for row in rows]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return plain


def test_the_command_scores_outputs_of_a_split(tmp_path: Path) -> None:
    plain = write_corpus(tmp_path)
    outputs = tmp_path / "out.txt"
    outputs.write_text(f"{plain[0]} in formal\n{plain[1]}\n{plain[2]}\n", "utf-8")
    command = ["metrics", "nearest", str(outputs), "--to", "formal"]
    result = CliRunner().invoke(app, [*command, "--corpus", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    values = {row["metric"]: row["value"] for row in json.loads(result.stdout)}
    assert values == {"nearest-style": 50, "content": pytest.approx(100)}


@pytest.mark.parametrize(
    ("lines", "style", "message"),
    [
        ("one\n", "formal", "1 outputs for the 3 texts"),
        ("a\nb\nc\n", "klingon", "klingon"),
    ],
)
def test_outputs_that_do_not_fit_are_refused(
    tmp_path: Path, lines: str, style: str, message: str
) -> None:
    write_corpus(tmp_path)
    outputs = tmp_path / "out.txt"
    outputs.write_text(lines, "utf-8")
    command = ["metrics", "nearest", str(outputs), "--to", style]
    result = CliRunner().invoke(app, [*command, "--corpus", str(tmp_path)])
    assert result.exit_code != 0
    assert message in str(result.exception) + result.output
