"""Judging projects: protocols as data, blind and shuffled, results from `study`."""

import csv
import io
import json
import re
import zipfile
from collections import Counter

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.study import acceptance, criteria, paraphrase_scale, sheets
from paraphrast.web import exchange, results
from paraphrast.web.annotation import judging
from paraphrast.web.database.tables import Assignment, Project
from paraphrast.web.protocols import Criterion, load_protocols
from studio_toy import (
    act,
    assign,
    assignments_of,
    create_project,
    find_work,
    items_of,
    open_studio,
    send,
)

SYSTEMS = ("alpha", "beta", "gamma")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with open_studio(tmp_path_factory.mktemp("studio")) as studio:
        yield studio


def make_table(texts=2):
    rows = [
        {
            "item": f"t{number}",
            "system": system,
            "target": "formal",
            "source": f"source number {number}",
            "output": f"secret {system} says {number}",
        }
        for number in range(texts)
        for system in SYSTEMS
    ]
    return exchange.write_table(rows)


def open_project(studio, protocol, *, people=("Ann", "Bob"), texts=2, **settings):
    """Make a project with outputs of three systems, and deal it out."""
    number = create_project(studio, protocol, title=protocol)
    for name in people:
        studio.add(name, project=number, role="annotator")
    lea = studio.browser("Lea")
    answer = lea.post(
        f"/projects/{number}/outputs",
        files={"files": ("outputs.csv", make_table(texts).encode())},
    )
    assert answer.status_code == 303, answer.text
    lea.post(f"/projects/{number}/settings", data=settings or {"people": "2"})
    assign(studio, number)
    return number


def judge(studio, name, project, choose):
    """Answer everything; ``choose`` gives a value for an output and a question."""
    while number := find_work(studio, name, project):
        state = studio.browser(name).get(f"/assignments/{number}/state").json()
        with studio.database.read() as session:
            content = session.get(Assignment, number).item.content["outputs"]
        texts = {output["number"]: output["output"] for output in content}
        for question in state["questions"]:
            asked = [0] if question["kind"] == "preference" else state["outputs"]
            for output in asked:
                value = choose(texts.get(output, texts), question)
                if value is not None:
                    answer = {"output": output, "criterion": question["name"]}
                    act(studio, name, number, "answer", **answer, value=value)
        act(studio, name, number, "done")


def best(output, question):
    """Always prefer alpha."""
    if question["kind"] == "preference":
        return next((n for n, text in output.items() if "alpha" in text), 0)
    good = "alpha" in output
    if question["kind"] == "rank":
        return 1 if good else 2
    if question["kind"] == "word":
        return None if good else "wordy"
    return question["values"][-1 if good else 0]


def report(studio, project):
    with studio.database.read() as session:
        return results.report_judgments(session, session.get(Project, project))


def export(studio, project):
    answer = studio.browser("Lea").get(f"/projects/{project}/export")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_protocols_of_the_papers_come_with_the_package():
    assert load_protocols().keys() == {
        *("gyafc", "strap", "xu12", "preference", "acceptance"),
    }
    formality = load_protocols()["gyafc"].criteria[0]
    assert [answer.value for answer in formality.answers] == [*range(-3, 4)]
    assert not formality.source


def test_a_folder_adds_protocols_and_a_bad_one_is_refused(tmp_path):
    text = (
        'name = "own"\ntitle = "t"\nabout = "a"\nreport = "criteria"\noutputs = "one"\n'
        '[[criteria]]\nname = "x"\nquestion = "q"\n'
    )
    answers = 'answers = [{ value = 0, label = "a" }, { value = 1, label = "b" }]\n'
    (tmp_path / "own.toml").write_text(text + answers, "utf-8")
    assert "own" in load_protocols(tmp_path)
    (tmp_path / "own.toml").write_text(text, "utf-8")
    with pytest.raises(ParaphrastError, match="two answers"):
        load_protocols(tmp_path)


@pytest.mark.parametrize(
    ("kind", "outputs"), [("rank", "one"), ("preference", "all"), ("preference", "one")]
)
def test_a_protocol_that_asks_the_impossible_is_refused(kind, outputs):
    from dataclasses import replace

    asked = (Criterion("x", "?", kind=kind),)
    with pytest.raises(ValueError, match="x"):
        replace(load_protocols()["gyafc"], outputs=outputs, criteria=asked)


def test_the_page_names_no_system_and_hides_the_source_where_it_must(studio):
    project = open_project(studio, "gyafc")
    number = find_work(studio, "Ann", project)
    page = studio.browser("Ann").get(f"/assignments/{number}").text
    assert "says" in page
    assert "source number" not in page
    state = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    early = {"output": state["outputs"][0], "criterion": "meaning", "value": 1}
    assert send(studio, "Ann", number, "answer", **early).status_code == 400
    for name, value in (("formality", 0), ("fluency", 5)):
        for output in state["outputs"]:
            answer = {"output": output, "criterion": name, "value": value}
            state = act(studio, "Ann", number, "answer", **answer)
    assert state["shows_source"]
    page = studio.browser("Ann").get(f"/assignments/{number}").text
    assert "source number" in page
    assert json.dumps(list(SYSTEMS))[1:-1] not in page
    assert "systems" not in page


def test_what_is_missing_is_named_and_nothing_is_lost(studio):
    project = open_project(studio, "acceptance")
    number = find_work(studio, "Ann", project)
    state = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    (output,) = state["outputs"]
    answer = {"output": output, "criterion": "acceptable", "value": 0}
    act(studio, "Ann", number, "answer", **answer)
    refused = send(studio, "Ann", number, "done")
    assert refused.status_code == 400
    for name in ("meaning", "style", "fluency", "fault"):
        assert name in refused.json()["detail"]
    state = act(studio, "Ann", number, "answer", **(answer | {"value": 1}))
    assert "fault" not in state["missing"]  # only what is not acceptable has one


@pytest.mark.parametrize("value", [7, -1, 1.5, "2", True, [1]])
def test_an_answer_off_the_scale_is_refused(studio, value):
    project = open_project(studio, "strap")
    number = find_work(studio, "Ann", project)
    state = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    answer = {"output": state["outputs"][0], "criterion": "label", "value": value}
    assert send(studio, "Ann", number, "answer", **answer).status_code == 400


def test_answers_can_be_taken_back(studio):
    project = open_project(studio, "strap")
    number = find_work(studio, "Ann", project)
    output = studio.browser("Ann").get(f"/assignments/{number}/state").json()["outputs"]
    answer = {"output": output[0], "criterion": "label"}
    act(studio, "Ann", number, "answer", **answer, value=2)
    assert act(studio, "Ann", number, "undo")["answers"] == []
    assert act(studio, "Ann", number, "redo")["answers"] == [[output[0], "label", 2]]
    assert act(studio, "Ann", number, "answer", **answer, value=None)["answers"] == []


def test_every_system_stands_equally_often_in_each_position(studio):
    project = open_project(studio, "gyafc", texts=6)
    positions = Counter()
    with studio.database.read() as session:
        rows = [(a.id, a.account_id) for a in assignments_of(session, project)]
    owners = {studio.id_of(name): name for name in ("Ann", "Bob")}
    for number, owner in rows:
        name = owners[owner]
        state = studio.browser(name).get(f"/assignments/{number}/state").json()
        with studio.database.read() as session:
            content = session.get(Assignment, number).item.content["outputs"]
        system = {output["number"]: output["systems"][0] for output in content}
        for position, output in enumerate(state["outputs"]):
            positions[owner, system[output], position] += 1
    assert set(positions.values()) == {2}  # six texts, three positions
    assert len(positions) == 2 * 3 * 3


def test_criteria_are_what_study_makes_of_the_export(studio, tmp_path):
    project = open_project(studio, "gyafc")
    for name in ("Ann", "Bob"):
        judge(studio, name, project, best)
    means = report(studio, project).means
    assert means.systems["alpha"]["formality"].value == 3
    assert means.systems["beta"]["rank"].value == 2
    table = tmp_path / "judgments.csv"
    table.write_text(export(studio, project)["judgments.csv"], "utf-8")
    marks = criteria.read_marks([table])
    again = criteria.make_report(marks, resampling=results.RESAMPLING)
    assert again.systems["beta"]["meaning"].value == 1
    assert len(marks) == 2 * 3 * 2
    page = studio.browser("Lea").get(f"/projects/{project}/results").text
    assert "baseline" in page


def test_paraphrases_are_what_study_makes_of_the_export(studio, tmp_path):
    project = open_project(studio, "strap")
    for name in ("Ann", "Bob"):
        judge(studio, name, project, best)
    shares = {found.system: found for found in report(studio, project).shares}
    assert shares["alpha"].shares["SIM"].value == 100
    assert shares["beta"].shares["SIM"].value == 0
    table = tmp_path / "judgments.csv"
    table.write_text(export(studio, project)["judgments.csv"], "utf-8")
    assert set(paraphrase_scale.read_outputs([table])) == set(SYSTEMS)
    assert "alpha" in studio.browser("Lea").get(f"/projects/{project}/results").text


def test_acceptance_is_what_study_makes_of_the_export(studio, tmp_path):
    project = open_project(studio, "acceptance")
    for name in ("Ann", "Bob"):
        judge(studio, name, project, best)
    reading = report(studio, project).reading
    assert reading.systems["alpha"].acceptable.value == 100
    assert reading.faults["beta"] == {"wordy": 4}
    for name, content in export(studio, project).items():
        (tmp_path / name).write_text(content, "utf-8")
    key = sheets.read_key(tmp_path / sheets.KEY)
    again = acceptance.make_report(
        key, acceptance.read_marks([tmp_path / "judgments.csv"])
    )
    assert again.systems["alpha"] == reading.systems["alpha"]
    assert "alpha" in studio.browser("Lea").get(f"/projects/{project}/results").text


@pytest.mark.parametrize("protocol", ["xu12", "preference"])
def test_other_criteria_are_what_study_makes_of_the_export(studio, tmp_path, protocol):
    project = open_project(studio, protocol)
    for name in ("Ann", "Bob"):
        judge(studio, name, project, best)
    table = tmp_path / "judgments.csv"
    table.write_text(export(studio, project)["judgments.csv"], "utf-8")
    names = [criterion.name for criterion in load_protocols()[protocol].criteria]
    marks = criteria.read_marks([table], others=names)
    again = criteria.make_report(marks, resampling=results.RESAMPLING)
    assert again.systems == report(studio, project).means.systems


def test_preferences_compare_every_two_systems_and_halve_ties(studio):
    project = open_project(studio, "preference", people=("Ann",))
    with studio.database.read() as session:
        assert len(items_of(session, project)) == 2 * 3  # texts, pairs of systems
    judge(studio, "Ann", project, best)
    means = report(studio, project).means.systems
    assert means["alpha"]["preferred"].value == 1
    assert means["beta"]["preferred"].value == 0.25  # a loss, and a tie with gamma


def test_results_of_our_own_scales_are_computed_too(studio):
    project = open_project(studio, "xu12")
    for name in ("Ann", "Bob"):
        judge(studio, name, project, best)
    found = report(studio, project).means
    assert found.systems["alpha"]["adequacy"].value == 5
    assert set(found.agreement) == {"adequacy", "dissimilarity", "style", "overall"}


def test_repeats_come_at_the_end_and_show_how_far_people_agree_with_themselves(studio):
    project = open_project(studio, "xu12", people=("Ann",), repeats="50")
    with studio.database.read() as session:
        rounds = Counter(row.round for row in assignments_of(session, project))
    assert rounds == {1: 6, 2: 3}
    judge(studio, "Ann", project, best)
    found = report(studio, project)
    assert found.self_agreement.keys() == {
        *("adequacy", "dissimilarity", "style", "overall"),
    }
    assert len(found.means.systems) == 3
    sentences = {figures["style"].sentences for figures in found.means.systems.values()}
    assert sentences == {2}  # repeats do not count twice


def test_a_protocol_says_how_many_people_judge_an_item(studio):
    for protocol, people in (("strap", 3), ("gyafc", 5), ("preference", 2)):
        number = create_project(studio, protocol, title=protocol)
        with studio.database.read() as session:
            assert session.get(Project, number).settings["people"] == people


def test_labels_without_a_majority_are_reported(studio):
    project = open_project(studio, "strap", people=("Ann",), texts=1)
    lea = studio.browser("Lea")
    results = f"/projects/{project}/results"
    assert "Nothing is finished yet." in lea.get(results).text
    judge(studio, "Ann", project, best)
    page = lea.get(results).text
    assert "3 judgments are finished, but no output has a majority yet" in page


@pytest.mark.parametrize(
    ("protocol", "shown"),
    [
        ("strap", {"0": "no paraphrase", "2": "a grammatical paraphrase"}),
        ("acceptance", {"0": "no", "1": "yes"}),
        ("gyafc", {"1": "−3 very informal", "7": "3 very formal"}),
        ("preference", {"1": "A", "2": "B", "0": "no difference"}),
    ],
)
def test_the_key_of_an_answer_is_its_value_where_that_is_a_digit(
    studio, protocol, shown
):
    project = open_project(studio, protocol, people=("Ann",), texts=1)
    number = find_work(studio, "Ann", project)
    page = studio.browser("Ann").get(f"/assignments/{number}").text
    for key, text in shown.items():
        assert re.search(rf'data-answer="{key}"[^>]*><kbd>{key}</kbd> {text}<', page)


def test_gold_answers_of_the_table_are_counted(studio):
    project = create_project(studio, "strap")
    studio.add("Ann", project=project, role="annotator")
    rows = [
        {"item": system, "system": system, "target": "formal", "source": "a b"}
        | {"output": f"secret {system}", "gold label": gold}
        for system, gold in zip(SYSTEMS, (2, 2, ""), strict=True)
    ]
    table = exchange.write_table(rows).encode()
    for bad in (b"", b"x"):
        files = {"files": ("outputs.csv", table.replace(b"2\n", (bad or b"2") + b"\n"))}
        answer = studio.browser("Lea").post(f"/projects/{project}/outputs", files=files)
        assert answer.status_code == (400 if bad else 303)
    assign(studio, project)
    judge(studio, "Ann", project, best)
    assert report(studio, project).gold == {"Ann": (1, 2)}


def test_outputs_that_are_added_later_get_numbers_of_their_own(studio):
    project = create_project(studio, "acceptance")
    for item in ("a", "b"):
        rows = [
            {"item": item, "system": "s", "target": "t", "source": "x", "output": "y"}
        ]
        files = {"files": ("outputs.csv", exchange.write_table(rows).encode())}
        studio.browser("Lea").post(f"/projects/{project}/outputs", files=files)
    with studio.database.read() as session:
        items = items_of(session, project)
        numbers = [item.content["outputs"][0]["number"] for item in items]
    assert sorted(numbers) == [1, 2]


def test_text_files_beside_a_source_are_outputs_too(studio):
    project = create_project(studio, "xu12")
    answer = studio.browser("Lea").post(
        f"/projects/{project}/outputs",
        files=[
            ("files", ("one.txt", b"a b\nc d\n")),
            ("files", ("two.txt", b"a b\n=cmd\n")),
            ("source", ("source.txt", b"x\ny\n")),
        ],
        data={"target": "formal"},
    )
    assert answer.status_code == 303, answer.text
    with studio.database.read() as session:
        outputs = [i.content["outputs"][0] for i in items_of(session, project)]
    assert sorted((o["output"], o["systems"]) for o in outputs) == [
        ("=cmd", ["two"]),
        ("a b", ["one", "two"]),  # equal outputs are one
        ("c d", ["one"]),
    ]


def test_too_many_outputs_and_too_long_names_are_refused(studio):
    number = create_project(studio, "gyafc", title="Many")

    def send(rows):
        table = exchange.write_table(
            [{"target": "formal", "source": "u ok?"} | row for row in rows]
        )
        answer = studio.browser("Lea").post(
            f"/projects/{number}/outputs",
            files={"files": ("a.csv", table.encode())},
        )
        assert answer.status_code == 400
        return answer.text

    many = [{"item": "1", "system": f"s{n}", "output": f"o{n}"} for n in range(27)]
    assert "at most 26" in send(many)
    assert "500 characters" in send(
        [{"item": "x" * 600, "system": f"s{n}", "output": f"o{n}"} for n in range(2)]
    )


def test_files_of_unequal_length_are_refused(studio):
    project = create_project(studio, "xu12")
    answer = studio.browser("Lea").post(
        f"/projects/{project}/outputs",
        files=[
            ("files", ("one.txt", b"a\n")),
            ("source", ("source.txt", b"x\ny\n")),
        ],
    )
    assert answer.status_code == 400
    assert "1 lines and the source 2" in answer.text


def test_a_spreadsheet_runs_nothing_of_the_export(studio):
    rows = [{"a": "=1+1", "b": "@x", "c": -3, "d": "-3", "e": "+"}]
    (row,) = csv.DictReader(io.StringIO(exchange.write_table(rows)))
    assert row == {"a": "'=1+1", "b": "'@x", "c": "-3", "d": "'-3", "e": "'+"}


def test_a_changed_protocol_does_not_change_existing_projects():
    base = {
        "outputs": [3],
        "questions": [
            {"name": "x", "kind": "scale", "source": True, "values": [0, 1]},
        ],
    }
    state = judging.apply(
        judging.start(base), "answer", {"output": 3, "criterion": "x", "value": 1}
    )
    assert judging.from_json(judging.as_json(state)) == state
