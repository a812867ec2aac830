"""The recipe gyafc on a made-up folder of GYAFC's shape, and bad folders."""

import importlib
import json
from dataclasses import asdict

import pytest

from paraphrast.corpora.loaders import gyafc
from paraphrast.errors import ParaphrastError
from paraphrast.reproduce import Workspace, find

WORDS = ("film", "song", "band", "book", "show", "actor", "album", "story", "game")
NAMES = ("informal", "formal")


def informal(number):
    return f"i dont like that {WORDS[number % 9]} cos its bad, gonna skip {number}"


def formal(number, style=0):
    openings = ("I do not like", "I do not enjoy", "I dislike", "I do not care for")
    word = WORDS[number % 9]
    return f"{openings[style]} that {word} because it is bad; I will skip {number}."


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "GYAFC_Corpus"
    for domain in gyafc.DOMAINS:
        write(root / domain / "train", 60, references=False)
        write(root / domain / "tune", 8, references=True)
        write(root / domain / "test", 8, references=True)
    return root


def write(folder, count, *, references):
    folder.mkdir(parents=True)
    put(folder / "informal", [informal(n) for n in range(count)])
    put(folder / "formal", [formal(n) for n in range(count)])
    for number in range(4) if references else ():
        rows = [formal(n, number) for n in range(count)]
        put(folder / f"formal.ref{number}", rows)
        rows = [informal(n) + "!" * number for n in range(count)]
        put(folder / f"informal.ref{number}", rows)


def put(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def part(name):
    return importlib.import_module(f"recipes.gyafc.{name}")


def test_the_users_own_gyafc_gives_the_papers_tables_beside_ours(
    run, folder, tmp_path, monkeypatch
):
    monkeypatch.delenv("PARAPHRAST_MIRROR", raising=False)
    packs, out = tmp_path / "packs", tmp_path / "out"
    common = ["reproduce", "gyafc", "--data", folder, "-o", out, "--packs", packs]
    code, shown, err = run(*common)
    assert code == 0, err
    assert "Entertainment_Music to formal: rules, BLEU" in shown
    record = json.loads((out / "gyafc/results.json").read_text("utf-8"))
    figures = {row["name"]: row for row in record["figures"]}
    own = figures["Family_Relationships to informal: rules, PINC"]
    assert own["paper"] == 45.95
    assert own["ours"]["value"] > 0
    copied = figures["Entertainment_Music to formal: COPY, PINC"]["ours"]["value"]
    assert copied == 0
    tables = (out / "gyafc/tables.md").read_text("utf-8")
    assert "*rules, the paper*" in tables
    assert "| Entertainment_Music | 60 | 8 / 8 | 8 / 8 |" in tables
    assert "| F&R: PBMT | 0.05 | 4.15 | 4.65 | 5.45 | 2.38 |" in tables
    assert "| bleu | rank | −0.48 | −0.43 |  |" in tables
    samples = tables.partition("### Sample outputs, Entertainment_Music to formal")[2]
    assert f"| **COPY** | {informal(0)} |" in samples
    assert f"| REFERENCE | {formal(0)} |" in samples
    assert "NMT baseline: no pack formality-nmt-baseline-formal-" in tables
    assert "<svg" in (out / "gyafc/figure1.svg").read_text("utf-8")
    pack = packs / "formality-pbmt-formal-Entertainment_Music"
    assert (pack / "table").exists()
    assert "Entertainment_Music to formal: PBMT, BLEU" in figures
    sheet = out / "gyafc/criteria-Entertainment_Music-formal.csv"
    assert sheet.read_text("utf-8").startswith("system,item,annotator,source,output")
    code, shown, err = run(
        "study", "sheet", out / "gyafc/read.jsonl", "--criteria", "-o", out / "sheets"
    )
    assert code == 0, err
    assert "sheet-01.tsv" in shown


def test_filled_in_rating_sheets_are_read_by_study_criteria(run, folder, tmp_path):
    recipe = part("run")
    test = part("benchmark").list_tests(
        Workspace({}, tmp_path, tmp_path / "packs", folder)
    )[0]
    outputs = {"COPY": list(test.texts), "REFERENCE": [r[0] for r in test.references]}
    lines = recipe._lay_out_sheet(test, outputs).split("\n")[:-1]
    path = tmp_path / "filled.csv"
    marks = {"COPY": ("-2", "3", "6", "2"), "REFERENCE": ("1", "5", "5", "1")}
    filled = [lines[0]]
    for line in lines[1:]:
        own = marks[line.split(",")[0]]
        filled.append(line.replace(",,,,,", f",{','.join(own)},", 1))
    named = [line.replace(",,", ",anna,", 1) for line in filled]
    put(path, named)
    code, shown, err = run("study", "criteria", path, "--metric", "bleu", "--json")
    assert code == 0, err
    report = json.loads(shown)
    assert report["systems"]["REFERENCE"]["formality"]["value"] == 1
    assert "rank" in report["correlations"]["bleu"]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda f: (f / "tune/formal.ref2").unlink(), r"tune/formal\.ref2 not found"),
        (
            lambda f: put(f / "test/informal", ["one line"]),
            r"equally many lines, but .*test/informal has 1",
        ),
        (
            lambda f: (f / "train/formal").write_bytes("caf\u00e9\n".encode("latin-1")),
            r"train/formal:1: not valid UTF-8",
        ),
        (
            lambda f: [
                put(
                    f / f"train/{name}",
                    ["je ne sais pas pourquoi il est parti hier soir"] * 60,
                )
                for name in NAMES
            ],
            r"train/formal: the text is not English but 'fr'",
        ),
        (
            lambda f: [put(f / f"train/{name}", []) for name in NAMES],
            r"train/informal is empty",
        ),
        (
            lambda f: [path.write_text("") for path in (f / "test").iterdir()],
            r"test/informal is empty",
        ),
    ],
)
def test_a_bad_folder_is_one_line_that_names_the_file(folder, harm, message):
    gyafc.check_folder(folder)
    harm(folder / "Family_Relationships")
    with pytest.raises(ParaphrastError, match=message) as refused:
        gyafc.check_folder(folder)
    assert "\n" not in str(refused.value)


def test_a_bad_folder_is_refused_before_anything_is_trained(run, folder, tmp_path):
    (folder / "Family_Relationships/test/formal.ref3").unlink()
    packs = tmp_path / "packs"
    common = ["reproduce", "gyafc", "--data", folder, "--packs", packs]
    code, _, err = run(*common, "-o", tmp_path / "out")
    assert code == 2
    assert "test/formal.ref3 not found" in err
    assert "done:" not in err
    assert not packs.exists()


def test_xformal_and_other_folders_are_told_apart(tmp_path):
    with pytest.raises(ParaphrastError, match="no folder Entertainment_Music/train"):
        gyafc.check_folder(tmp_path)
    (tmp_path / "FR_FR").mkdir()
    with pytest.raises(ParaphrastError, match="this is XFORMAL"):
        gyafc.check_folder(tmp_path)


def test_only_a_recipe_that_takes_data_is_given_any(run, tmp_path):
    assert find("gyafc").definition.data
    code, _, err = run("reproduce", "reading", "--data", tmp_path, "-o", tmp_path / "o")
    assert code == 2
    assert "does not use data" in err


def test_outputs_made_elsewhere_stand_for_a_system(tmp_path):
    systems, benchmark = part("systems"), part("benchmark")
    test = benchmark.Test("x", "formal", "open", ("a", "b"), (("A",), ("B",)))
    workspace = Workspace({}, tmp_path, tmp_path)
    with pytest.raises(systems.LeftOut, match="no pack formality-nmt-copy-formal"):
        systems.answer(workspace, "NMT copy", test)
    path = tmp_path / systems.OUTPUTS / "nmt-copy-formal.tsv"
    path.parent.mkdir()
    put(path, ["b\tB.", "a\tA."])
    assert systems.answer(workspace, "NMT copy", test) == ["A.", "B."]
    put(path, ["b\tB."])
    with pytest.raises(systems.LeftOut, match="lacks 1 of the test's texts"):
        systems.answer(workspace, "NMT copy", test)
    put(path, ["b B."])
    with pytest.raises(ParaphrastError, match=r"tsv:1: expected input and output"):
        systems.answer(workspace, "NMT copy", test)


def test_a_pack_is_left_out_of_a_test_that_it_has_seen(tmp_path):
    systems, benchmark = part("systems"), part("benchmark")
    texts = tuple(f"text {n}" for n in range(100))
    test = benchmark.Test("x", "formal", "open", texts, ((".",),) * 100)
    path = tmp_path / "pack.txt"
    systems._refuse_seen(path, test)
    put(path, ["Text 1!", "text 2", "another"])
    systems._refuse_seen(path, test)
    other = tmp_path / "other.txt"
    put(other, ["Text 1!", "text 2", "text 3"])
    with pytest.raises(systems.LeftOut, match="other has seen 3 of the test's texts"):
        systems._refuse_seen(other, test)


def test_the_page_names_systems_that_have_seen_a_test_and_claims_one_row():
    page = part("page")
    value = {"value": 42.0, "low": 41.0, "high": 43.0, "signature": ""}
    names = [f"{page.MAIN}: {s}, BLEU" for s in ("COPY", "rules", "NMT copy")]
    names += ["x to formal: COPY, BLEU", "x to formal: rules, BLEU"]
    names += ["PBMT open to formal: pairs", f"{page.MAIN}: texts"]
    values = dict.fromkeys(names, value)
    shown = page.lay_out(values)
    main, other, *of_the_paper = shown.split("### ")[1:]
    assert [part.partition("\n")[0] for part in of_the_paper] == [
        "The paper's readers, to formal",
        "The paper's readers, to informal",
    ]
    assert "Left out" not in main
    assert "have not been kept: NMT copy." in other
    record = {"figures": [], "more": values}
    ((_, reference, ours),) = page.claims(record)
    assert reference == "COPY 42.0"
    assert ours.startswith("rules 42.0, NMT baseline ")
    assert ", NMT copy 42.0, NMT combined " in ours


def test_systems_that_a_run_lacks_keep_the_measures_that_have_not_changed():
    page = part("page")
    value = {"value": 42.0, "low": 41.0, "high": 43.0, "signature": ""}
    record = {"figures": [], "more": {f"{page.MAIN}: COPY, BLEU": value}}
    values = page.read_values(record)
    assert 0 < values[f"{page.MAIN}: NMT copy, BLEU"]["value"] < 100
    systems = [name for name in values if not name.startswith("corpus ")]
    measures = {name.rpartition(", ")[2] for name in systems}
    assert measures == {"fluency", "meaning", "BLEU", "TERp", "PINC"}
    assert {name.partition(":")[0] for name in systems} == {page.MAIN}


def test_outputs_that_were_read_are_measured_without_their_system(tmp_path):
    systems, benchmark = part("systems"), part("benchmark")
    from paraphrast.study import sheets

    own = {
        output.source: output.output
        for output in sheets.read_key(systems.KEY)
        if "NMT copy" in output.systems and output.target == "formal"
    }
    texts = tuple(own)
    assert len(texts) == benchmark.READ
    four = (("A.", "B.", "C.", "D."),) * len(texts)
    main = benchmark.Test("everyday", "formal", "open", texts, four)
    workspace = Workspace({}, tmp_path, tmp_path)
    with pytest.raises(systems.LeftOut, match="no pack formality-nmt-copy-formal"):
        systems.answer(workspace, "NMT copy", main)
    read = benchmark._choose_read(main)
    assert systems.answer(workspace, "NMT copy", read) == list(own.values())
    assert main.is_main
    assert not read.is_main
    large = systems.read_kept("large", read)
    assert large is not None
    changed = sum(a != b for a, b in zip(large, texts, strict=True))
    assert changed > len(texts) / 2
    assert systems.read_kept("large", main) == large
    assert systems.read_kept("NMT copy", main) is None
    more = benchmark.Test(
        read.name, "formal", "open", (*texts, "new"), (*four, four[0])
    )
    with pytest.raises(systems.LeftOut, match="no pack"):
        systems.answer(workspace, "NMT copy", more)


def test_readers_marks_are_laid_out_by_direction():
    people, page = part("people"), part("page")
    from paraphrast.study.criteria import Mark

    marks = [
        Mark(system, f"{n} to informal", reader,
             {"formality": f + 0.1 * n, "fluency": 4 - n % 2, "meaning": 5 - n % 3,
              "rank": 1 + (system == "rules")})
        for n in range(12) for reader in ("a", "b")
        for system, f in (("rules", 1), ("small", -1))
    ]  # fmt: skip
    values = people.report_means(marks, "readers, to informal", -1)
    small = values["readers, to informal: small, formality"]
    assert small.value == pytest.approx(-0.45)
    assert small.low < small.value < small.high
    better, worse = (
        values[f"readers, to informal: {system}, combined"].value
        for system in ("small", "rules")
    )
    assert better - worse == pytest.approx(2 / 3)
    measures = {(m.system, m.item): {"bleu": -m.values["formality"]} for m in marks}
    values |= people.report_outputs(marks, measures, "readers, to informal")
    found = values["readers, to informal: bleu and formality, Spearman"]
    assert found.value == pytest.approx(-1)
    shown = {name: asdict(value) for name, value in values.items()}
    text = "\n".join(page._readers(shown))
    assert "### Blind reading, to informal" in text
    assert "| small | -0.45" in text
    assert "| bleu | −1.00 [" in text
    copied = {"readers, to informal: COPY, rank": {"value": 3.0, "signature": ""}}
    assert "### readers" not in page.lay_out(shown | copied)  # readers are no test


def test_ties_share_a_rank_and_the_source_has_none():
    scoring = part("scoring")
    import numpy as np

    scores = {"COPY": [9, 9], "rules": [1, 2], "small": [3, 2], "REFERENCE": [2, 5]}
    ranks = scoring._rank_outputs({k: np.array(v, float) for k, v in scores.items()})
    assert {name: list(own) for name, own in ranks.items()} == {
        **{"rules": [3.0, 2.5], "small": [1.0, 2.5]},
        "REFERENCE": [2.0, 1.0],
    }


def test_every_printed_figure_stands_in_the_recipe():
    paper = part("paper")
    promised = {figure.name: figure for figure in find("gyafc").definition.figure}
    for domain, to, system, measure, value in paper.figures():
        figure = promised[f"{domain} to {to}: {system}, {measure}"]
        assert (figure.paper, figure.optional) == (value, True)
