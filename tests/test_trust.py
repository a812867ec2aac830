"""How far to trust a judge, on corpora of a few lines that we wrote."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from paraphrast.cli.metrics import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges
from paraphrast.judges.style_grade import StyleSubset
from paraphrast.study import trust, trust_people

NOUNS = ("friend", "father", "sister", "master", "servant", "king", "lady", "cousin")
MODERN = [f"You are my {noun} , and you must go home to Verona ." for noun in NOUNS]
OLD = [f"Thou art my {noun} , and thou must go home to Verona ." for noun in NOUNS]


@pytest.fixture(scope="module")
def judge():
    return judges.train_judge({"modern": MODERN * 5, "shakespeare": OLD * 5}, seed=1)


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    root = tmp_path_factory.mktemp("mirror")
    write(root / "jhamtani17/test.modern.nltktok", MODERN)
    write(root / "jhamtani17/test.original.nltktok", OLD)
    pairs = ["a cat sat,a cat sat,5", "a cat sat,a cat ran,3", "a cat sat,rain fell,0"]
    write(root / "stsb/stsb-en-dev.csv", pairs)
    cola = [f"x\t{n % 2}\t\t{text}" for n, text in enumerate(MODERN)]
    write(root / "cola/in_domain_dev.tsv", cola)
    gug = [f"{n}\t{text}\t3\t[]\t{n % 4}\tdev" for n, text in enumerate(MODERN)]
    write(root / "gug/gug_annotations.train_dev.tsv", gug)
    write(root / "pt16/tune.csv", ["SID,label,sentence", "1,1.0,Sir.", "2,-1.0,hi"])
    ascii_name = root / "xu12/eval/ascii.romeojuliet_tokenized_lower_"
    for side, lines in {"original": OLD, "modern.1": MODERN, "modern.2": OLD}.items():
        write(ascii_name.with_name(ascii_name.name + side), lines)
    header = "\t".join(["o", "m", "s1", "s2", "s3", *["x"] * 12])
    marks = [
        "\t".join([OLD[n], MODERN[n], OLD[n], MODERN[n], "go .", *marked])
        for n, marked in enumerate(["444441121421"] * 4)
    ]
    for name in ("annotated.csv", "annotated_wei.csv"):
        write(root / "xu12/eval" / name, [header, *marks])
    return {path.name: path for path in root.iterdir()}


def test_a_page_shows_agreement_and_missing_data(judge, corpora):
    found = trust.examine(judge, corpora, missing={"strap": "not here."})
    people = {row.people for row in found.agreements}
    assert {"STS-B dev", "CoLA dev", "GUG dev"} <= people
    assert "xu12 style, annotator 2" in people
    assert found.missing == {
        "strap": "not here.",
        "pt16": "the judge has no formality model.",
    }
    style = [r for r in found.agreements if r.people == "xu12 style, annotator 1"]
    assert {row.evaluator: row.value > 0.5 for row in style}["accuracy"]
    assert all(np.isfinite(row.value) for row in found.agreements)


def test_probes_are_answered_as_they_should_by_a_judge_of_easy_styles(judge, corpora):
    found = trust.examine(judge, {"jhamtani17": corpora["jhamtani17"]})
    answers = {(row.evaluator, row.probe): row for row in found.answers}
    assert answers["accuracy", "copy"].share == 1.0
    assert answers["accuracy", "case removed"].share == 1.0
    assert answers["similarity", "case removed"].share == 1.0
    plain = answers["similarity", "negation inserted"]
    checked = answers["similarity with checks", "negation inserted"]
    assert plain.before == checked.before
    assert checked.share == 1.0
    assert checked.after == pytest.approx(plain.after / 2)


def test_a_judge_of_other_styles_is_reported(corpora):
    other = judges.train_judge({"bible": OLD, "tweets": MODERN}, seed=1)
    found = trust.examine(other, corpora)
    assert "unknown style 'modern'" in found.missing["xu12"]
    assert {row.evaluator for row in found.answers}.isdisjoint({"accuracy"})


class Longer:
    """Formality by length, in place of a model."""

    signature = "length"

    def values(self, texts):
        return np.array([float(len(text)) for text in texts])


@pytest.fixture
def formal(judge):
    return replace(judge, formality=Longer())


def test_agreement_with_squinky_raters_and_everyday_writers(formal, tmp_path):
    write(tmp_path / "squinky/train.tsv", ["1\thi", "4\tHello.", "7\tGood morning."])
    versions = {"plain": "You are late.", "formal": "You have come late, sir."}
    versions |= {"informal": "ur late", "shakespeare": "Thou art late."}
    rows = [
        {"id": "a", "file": "f", "kind": "k", "split": split, "versions": versions}
        for split in ("dev", "train")
    ]
    wrong = {"id": "a", "style": "shakespeare", "kind": "actor", "half": "guards"}
    lines = [wrong | {"text": "Rain fell."}, wrong | {"kind": "same", "text": "x"}]
    write(tmp_path / "everyday/texts.jsonl", map(json.dumps, rows))
    write(tmp_path / "everyday/contrast.jsonl", map(json.dumps, lines))
    folders = {name: tmp_path / name for name in ("squinky", "everyday")}
    found = trust.examine(formal, folders)
    values = {(row.evaluator, row.people): row for row in found.agreements}
    assert values["formality", "SQUINKY"].value == pytest.approx(1)
    order = values["formality", "everyday dev, formal over plain over informal"]
    assert (order.value, order.items) == (1, 2)
    below = values["similarity", "everyday, wrong versions below right ones"]
    assert (below.value, below.items) == (1, 1)
    styles = values["accuracy", "everyday dev, 2 styles"]
    assert (styles.value, styles.items) == (1, 2)
    assert not found.missing


def test_corpora_that_a_judge_did_not_learn_from_come_first(formal, corpora):
    row = {"evaluator": "fluency", "corpus": "GUG", "measure": "Pearson"}
    about = {
        "training": {"similarity": "`stsb` train"},
        "left_out": [row | {"value": 0.5, "items": 7}],
    }
    found = trust.examine(replace(formal, about=about), corpora)
    assert {(r.corpus, r.how) for r in found.left_out} == {
        ("GUG", trust.TRAINED_WITHOUT),
        ("CoLA dev", trust.NEVER_SEEN),
        ("GUG dev", trust.NEVER_SEEN),
        ("PT16 tune", trust.NEVER_SEEN),
        ("PT16 tune without case and punctuation", trust.NEVER_SEEN),
    }
    lines = list(trust.format_record(trust.make_record(found, name="j")))
    headings = [line for line in lines if line.startswith("## ")]
    assert headings[0] == "## On corpora that it did not learn from"
    assert any("| 0.500 | 7" in line and "without it" in line for line in lines)


def test_figures_of_another_form_in_a_manifest_are_refused(formal):
    about = {"left_out": [{"corpus": "GUG"}]}
    with pytest.raises(ParaphrastError, match="manifest: left_out"):
        trust.examine(replace(formal, about=about), {})


def test_the_page_can_be_printed_and_read_again(judge, corpora):
    record = trust.make_record(trust.examine(judge, corpora), name="tiny")
    text = "\n".join(trust.format_record(json.loads(json.dumps(record))))
    assert "| similarity with checks | negation inserted" in text
    assert "'tiny'" in text
    assert "- pt16: the judge has no formality model" in text


def test_the_command_works_without_any_corpus(judge, tmp_path):
    judge.save(tmp_path / "judge")
    arguments = ["trust", "--judge", str(tmp_path / "judge"), "--mirror", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "mirror" in result.stdout
    assert (
        "Not looked for: the corpora this needs are missing or were not chosen."
        in result.stdout
    )
    shown = CliRunner().invoke(app, [*arguments, "--json", "--corpora", "stsb"])
    assert list(json.loads(shown.stdout)["missing"]) == ["stsb"]
    bare = CliRunner().invoke(app, ["trust", "--mirror", str(tmp_path)])
    assert "trained on jhamtani17" in str(bare.exception)


def test_a_classifier_of_many_styles_is_asked_about_two():
    many = judges.train_judge({"a": OLD, "b": MODERN, "c": MODERN[::-1]}, seed=1)
    two = StyleSubset(many.accuracy, ("a", "b"))
    probabilities = two.probabilities([*OLD, ""])
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(OLD) + 1))
    assert (probabilities[:-1, 0] > 0.5).all()
    assert two.signature != many.accuracy.signature
    with pytest.raises(ParaphrastError, match="unknown style 'd'"):
        StyleSubset(many.accuracy, ("a", "d"))


def test_agreement_with_the_labels_of_strap(judge, tmp_path):
    folder = tmp_path / "strap"
    write(folder / "shakespeare/inputs.txt", MODERN)
    write(folder / "shakespeare/gold.txt", OLD)
    write(folder / "baselines/input/all_test_transfer_labels.txt", ["original"] * 8)
    names = ("input", "reference", "unmt_shakespeare", "dlsm_shakespeare")
    for name in (*names, "transform_delete_generate_shakespeare"):
        stem = folder / "baselines" / name / "transfer_entire_test.txt"
        write(stem, OLD)
        for ending, line in {
            "roberta_labels": "correct,original,original",
            "pp_scores": "0.5",
            "acceptability_labels": "acceptable",
        }.items():
            write(stem.with_name(f"{stem.name}.{ending}"), [line] * 8)
    rows = {r.evaluator: r for r in trust_people.strap_labels(judge, folder)}
    assert rows["accuracy"].value == 1.0
    assert rows["accuracy"].items == 40
