"""People's judgments of systems: STRAP's scale and GYAFC's criteria."""

import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.study import app
from paraphrast.errors import ParaphrastError
from paraphrast.metrics.defaults import Resampling
from paraphrast.study import criteria, paraphrase_scale
from paraphrast.study.paraphrase_scale import Output, make_report, name_band


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def write(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def outputs(*groups):
    """Return outputs from (how many, labels, accurate)."""
    return [
        Output(f"{g}.{n}", tuple(labels), accurate)
        for g, (count, labels, accurate) in enumerate(groups)
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("labels", "majority"),
    [
        ("222", "2"),
        ("220", "2"),
        ("012", None),  # STRAP asks a fourth person
        ("0121", "1"),
        ("0011", None),
        ("2", None),
        ("", None),
    ],
)
def test_the_label_that_two_chose_counts(labels, majority):
    assert Output("a", tuple(labels), None).majority == majority


def test_a_copy_needs_no_judgment():
    assert Output("a", ("0", "0"), None, copied=True).majority == "2"


def test_straps_table_2_comes_from_its_counts():
    # UNMT on Shakespeare, 150 sentences: ACC 69.3, SIM 20.7, J(A,S) 10.0, J(A,S,F) 7.3
    made = outputs(
        (11, "222", True),
        (4, "110", True),
        (89, "000", True),
        (10, "221", False),
        (6, "112", False),
        (30, "001", False),
    )
    found = make_report("UNMT", made, Resampling(100))
    shown = {name: round(share.value, 1) for name, share in found.shares.items()}
    assert shown == {
        "ACC": 69.3,
        "SIM": 20.7,
        "J(ACC,SIM)": 10.0,
        "J(ACC,SIM,FL)": 7.3,
    }
    assert all(s.low <= s.value <= s.high for s in found.shares.values())


def test_fleiss_kappa_is_that_of_the_judgments():
    # Two outputs agreed on fully, two half: P = (1 + 1 + 1/3 + 1/3) / 4 = 2/3;
    # labels 0: 5, 1: 2, 2: 5 of 12; Pe = (25 + 4 + 25) / 144 = 3/8.
    made = outputs(*((1, labels, None) for labels in ("000", "222", "001", "221")))
    found = make_report("x", made, Resampling(0))
    assert found.kappa.value == pytest.approx((2 / 3 - 3 / 8) / (1 - 3 / 8))
    assert found.band == "moderate"
    assert "ACC" not in found.shares


@pytest.mark.parametrize(
    ("kappa", "word"),
    [(-0.1, "poor"), (0.13, "slight"), (0.45, "moderate"), (float("nan"), "")],
)
def test_kappas_are_described_in_landis_and_kochs_words(kappa, word):
    assert name_band(kappa) == word


def test_outputs_without_majority_are_counted_and_left_out():
    found = make_report("x", outputs((3, "222", True), (1, "012", True)), Resampling(0))
    assert (found.outputs, len(found.undecided)) == (4, 1)
    assert found.shares["SIM"].value == 100.0
    with pytest.raises(ParaphrastError, match="Collect more"):
        make_report("x", outputs((1, "012", True)))


def test_the_scale_is_read_from_rows(tmp_path):
    rows = [
        ("a", 1, person, label, 1, "Go now.", output)
        for person, label, output in zip("xyz", "022", ["Leave!"] * 3, strict=True)
    ]
    rows += [("a", 2, "x", "", 0, "Stay here.", "stay here")]
    header = "system,item,annotator,label,accurate,source,output"
    path = write(tmp_path / "judged.csv", header, rows)
    result = run("paraphrases", path, "--json", "--resamples", 50)
    assert result.exit_code == 0, result.output
    (system,) = json.loads(result.stdout)["systems"]
    assert system["copied"] == 1
    assert system["shares"]["J(ACC,SIM,FL)"]["count"] == 1
    assert system["shares"]["SIM"]["value"] == 100.0
    text = run("paraphrases", path).stdout
    assert "J(ACC,SIM)" in text
    assert "copy their source" in text


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ((1, "x", "3", ""), "label '3' is not 0"),
        ((1, "x", "2", "maybe"), "accurate is 'maybe'"),
        (("", "x", "2", ""), "column 'item' is empty"),
    ],
)
def test_bad_rows_are_refused_with_file_and_line(tmp_path, row, complaint):
    path = write(tmp_path / "j.csv", "item,annotator,label,accurate", [row])
    with pytest.raises(ParaphrastError, match=rf"j\.csv:2: .*{complaint}"):
        paraphrase_scale.read_outputs([path])


def test_rows_that_contradict_each_other_are_refused(tmp_path):
    header = "item,annotator,label,accurate"
    twice = write(tmp_path / "t.csv", header, [(1, "x", 2, 1), (1, "x", 1, 1)])
    with pytest.raises(ParaphrastError, match="judged item '1' twice"):
        paraphrase_scale.read_outputs([twice])
    both = write(tmp_path / "b.csv", header, [(1, "x", 2, 1), (1, "y", 2, 0)])
    with pytest.raises(ParaphrastError, match="accurate in one row"):
        paraphrase_scale.read_outputs([both])


# Tables 4 and 13 of GYAFC: formality, fluency, meaning, combined, as printed.
PRINTED = [
    (0.38, 4.45, 4.57, 5.68),
    (-0.59, 4.00, 4.85, 5.24),
    (-0.19, 3.96, 4.64, 5.27),
    (0.05, 4.05, 3.55, 4.96),
    (0.02, 4.07, 3.48, 4.93),
    (0.41, 4.43, 4.56, 5.68),
    (-0.18, 4.08, 4.82, 5.41),
    (0.05, 4.15, 4.65, 5.45),
    (0.19, 4.18, 3.88, 5.20),
    (0.33, 4.21, 3.97, 5.30),
    (0.20, 4.27, 4.69, 5.57),
]


@pytest.mark.parametrize(("formality", "fluency", "meaning", "printed"), PRINTED)
def test_the_combined_score_is_the_papers(formality, fluency, meaning, printed):
    found = criteria.combine_marks(formality, fluency, meaning)
    assert found == pytest.approx(printed, abs=0.011)  # printed to two digits


MARKS = [
    # system, item, annotator, formality, fluency, meaning, rank, bleu
    ("ours", 1, "x", 2, 5, 6, 1, 60),
    ("ours", 1, "y", 1, 4, 6, 1, 60),
    ("ours", 2, "x", 3, 5, 5, 2, 40),
    ("rules", 1, "x", -1, 5, 6, 2, 50),
    ("rules", 1, "y", -2, 3, 4, 2, 50),
    ("rules", 2, "x", 0, 4, 4, 1, 30),
    ("copy", 1, "x", -3, 5, 6, 2, 10),
    ("copy", 1, "y", -3, 5, 6, 5, 10),
    ("copy", 2, "x", -3, 4, 6, 4, 10),
]
HEADER = "system,item,annotator,formality,fluency,meaning,rank,bleu"


@pytest.fixture
def judged(tmp_path):
    return write(tmp_path / "judged.csv", HEADER, MARKS)


def test_a_sentence_counts_once_however_many_judged_it(judged):
    found = criteria.make_report(
        criteria.read_marks([judged]), resampling=Resampling(50)
    )
    ours = found.systems["ours"]
    assert ours["formality"].value == (1.5 + 3) / 2
    assert ours["rank"].value == (1 + 2) / 2
    assert ours["formality"].sentences == 2
    means = ((2 + 1) / 2, (5 + 4) / 2, 6)
    both = (criteria.combine_marks(*means) + criteria.combine_marks(3, 5, 5)) / 2
    assert ours["combined"].value == pytest.approx(both)
    assert ours["combined"].p is None  # the baseline itself


@pytest.mark.parametrize(
    ("ties", "copy", "rules"),
    [
        ("given", (3.5 + 4) / 2, (2 + 1) / 2),
        ("dense", (2.5 + 3) / 2, (2 + 1) / 2),  # 2 and 3 on item 1
        ("mean", (2.75 + 3) / 2, (2.25 + 1) / 2),  # x has the two share 2 and 3
    ],
)
def test_ranks_with_ties(judged, ties, copy, rules):
    found = criteria.make_report(
        criteria.read_marks([judged]), ties=ties, resampling=Resampling(0)
    )
    assert found.systems["copy"]["rank"].value == copy
    assert found.systems["rules"]["rank"].value == rules


def test_a_system_that_differs_everywhere_is_significant(tmp_path):
    rows = [
        (system, item, "x", mark)
        for item in range(60)
        for system, mark in (("a", item % 3 - 1), ("b", item % 3), ("c", item % 3 - 1))
    ]
    path = write(tmp_path / "f.csv", "system,item,annotator,formality", rows)
    found = criteria.make_report(
        criteria.read_marks([path]), resampling=Resampling(2_000)
    )
    assert found.systems["b"]["formality"].p < 0.001
    assert found.systems["c"]["formality"].p == 1.0
    assert found.agreement == {}


def test_two_sentences_prove_nothing(judged):
    found = criteria.make_report(
        criteria.read_marks([judged]), resampling=Resampling(50)
    )
    assert found.systems["rules"]["formality"].p == pytest.approx(0.5, abs=0.05)


def test_agreement_and_metrics_are_set_beside_people(judged):
    found = criteria.make_report(
        criteria.read_marks([judged], metrics=["bleu"]),
        metrics=["bleu"],
        resampling=Resampling(50),
    )
    assert set(found.agreement) == {"formality", "fluency", "meaning", "rank"}
    assert (
        found.correlations["bleu"]["rank"].value
        < 0
        < (found.correlations["bleu"]["formality"].value)
    )
    assert found.correlations["bleu"]["rank"].pairs == 6
    assert "bleu" not in found.systems["ours"]


def test_the_command_prints_ranks_from_best_to_worst(judged):
    result = run("criteria", judged, "--metric", "bleu", "--baseline", "rules")
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.stdout.splitlines()[1:4]]
    assert names[-1] == "copy"
    record = json.loads(run("criteria", judged, "--json").stdout)
    assert record["baseline"] == "ours"
    assert record["systems"]["copy"]["rank"]["value"] == 3.75


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (("a", 1, "x", 4, 5, 6, 1, 1), "formality is '4', not a number from -3 to 3"),
        (("a", 1, "x", 3, 0, 6, 1, 1), "fluency is '0', not a number from 1 to 5"),
        (("a", 1, "x", 3, 5, "good", 1, 1), "meaning is 'good'"),
        (("a", 1, "x", 3, 5, 6, 0, 1), "rank is '0', not a rank"),
        (("a", 1, "x", 3, 5, 6, 1, "nan"), "bleu is 'nan', not a number"),
        (("", 1, "x", 3, 5, 6, 1, 1), "'system' is empty"),
    ],
)
def test_bad_marks_are_refused_with_file_and_line(tmp_path, row, complaint):
    path = write(tmp_path / "m.csv", HEADER, [row])
    with pytest.raises(ParaphrastError, match=rf"m\.csv:2: .*{complaint}"):
        criteria.read_marks([path], metrics=["bleu"])


def test_other_criteria_have_scales_of_their_own(tmp_path):
    rows = [("a", 1, "x", 0, 7), ("b", 1, "x", 2, 3), ("a", 2, "x", 0, 8)]
    path = write(tmp_path / "m.csv", "system,item,annotator,meaning,style", rows)
    with pytest.raises(ParaphrastError, match="meaning is '0'"):
        criteria.read_marks([path], others=["style"])
    marks = criteria.read_marks([path], others=["style", "meaning"])
    systems = criteria.make_report(marks, resampling=Resampling(50)).systems
    assert systems["a"]["style"].value == 7.5
    assert systems["b"]["meaning"].value == 2


def test_unknown_settings_and_missing_columns_are_refused(judged, tmp_path):
    with pytest.raises(ParaphrastError, match="unknown baseline"):
        criteria.make_report(criteria.read_marks([judged]), baseline="rule")
    with pytest.raises(ParaphrastError, match="treatment of ties"):
        criteria.make_report(criteria.read_marks([judged]), ties="best")
    with pytest.raises(ParaphrastError, match="unknown column 'ter'"):
        criteria.read_marks([judged], metrics=["ter"])
    bare = write(tmp_path / "b.csv", "system,item,annotator", [("a", 1, "x")])
    with pytest.raises(ParaphrastError, match=r"no marks.*--criterion"):
        criteria.read_marks([bare])
    again = write(tmp_path / "a.csv", HEADER, [MARKS[0], MARKS[0]])
    with pytest.raises(ParaphrastError, match="twice"):
        criteria.read_marks([again])
