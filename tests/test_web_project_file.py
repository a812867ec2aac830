"""A whole project goes out as a file and comes in again, here or on another server."""

import io
import json
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats import FORMATS
from paraphrast.errors import ParaphrastError
from paraphrast.study import sheets
from paraphrast.web import accounts, exchange, project_file, projects, results
from paraphrast.web.annotation.imports import add_annotations, add_outputs
from paraphrast.web.annotation.log import add_event, read_state, rebuild
from paraphrast.web.authorisation import Person
from paraphrast.web.database.tables import Assignment, Item, Member, Project
from paraphrast.web.protocols import load_protocols
from studio_toy import PASSWORD, open_studio

PEOPLE = {"Ann": "annotator", "Bob": "annotator", "Jo": "adjudicator", "Lou": "lead"}


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with open_studio(tmp_path_factory.mktemp("studio")) as studio:
        for name in PEOPLE:
            studio.add(name)
        yield studio


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return another server, on which only Lea and an Ann of its own have accounts."""
    with open_studio(tmp_path_factory.mktemp("elsewhere")) as studio:
        studio.add("ann")
        yield studio


def make_project(session, kind="align", **changed):
    """Make a project with its people, without items."""
    lea = accounts.find_account(session, "Lea")
    protocol = None if kind == "align" else load_protocols()[kind]
    project = projects.create_project(
        session, Person(lea.id, "Lea"), title=f"A {kind} project", protocol=protocol
    )
    for name, role in PEOPLE.items():
        account = accounts.find_account(session, name)
        session.add(Member(project_id=project.id, account_id=account.id, role=role))
    session.flush()
    projects.change_settings(project, **changed)
    return project


def assignments_of(session, project, name):
    return (
        session.query(Assignment)
        .join(Item)
        .filter(Item.project_id == project.id)
        .filter(Assignment.account_id == accounts.find_account(session, name).id)
        .order_by(Assignment.id)
        .all()
    )


def act(session, assignment, steps):
    """Send events; what makes no sense is refused and forgotten."""
    for number, (kind, content) in enumerate(steps):
        key = f"{len(steps)} {number} {assignment.id}"
        with suppress(ParaphrastError):
            add_event(session, assignment, key=key, kind=kind, content=content)
    session.flush()


def bring(session, content):
    return project_file.add_project(session, project_file.read_project(content))


def outcome(session, project):
    """Return all that is asked of a project: its log, and what everybody came to."""
    return results.write_log(session, project), [
        (row.item.name, row.annotator, row.round, row.time, dict(row.state))
        for part in ("annotator", "adjudicator")
        for row in results.read_finished(session, project, part=part)
    ]


INDEX = st.integers(0, 2)
STEPS = st.lists(
    st.one_of(
        st.sampled_from(["undo", "redo", "accept", "done"]).map(lambda k: (k, {})),
        st.builds(
            lambda i, j, label: ("link", {"cells": [[i, j]], "label": label}),
            *(INDEX, INDEX, st.sampled_from(["sure", "possible"])),
        ),
        st.builds(lambda i, j: ("clear", {"cells": [[i, j]]}), INDEX, INDEX),
        st.builds(lambda i: ("null", {"side": "source", "index": i}), INDEX),
        st.text(max_size=5).map(lambda text: ("comment", {"text": text})),
    ),
    max_size=12,
).map(lambda steps: [*steps, ("done", {})])
WORDS = st.lists(
    st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4),
    min_size=1,
    max_size=3,
).map(tuple)
TITLES = st.text(st.characters(exclude_categories=["Z", "C"]), max_size=30).map(
    lambda text: f"x {text}".strip()
)


@settings(max_examples=12, deadline=None)
@given(st.lists(STEPS, min_size=6, max_size=6), st.data())
def test_an_aligning_project_comes_back_as_it_was(studio, all_steps, data):
    with studio.database.write() as session:
        project = make_project(session, guideline="Read <b>this</b>.")
        project.title = data.draw(TITLES)
        pairs = [
            AlignedPair(("a", "b", "c"), ("d", "e", "f"), (Link(0, 0, 0.25),), name)
            for name in ("one", "tw\N{SNOWMAN}")
        ]
        items = exchange.make_pair_items(pairs, gold=data.draw(st.booleans()))
        for item in items:
            item.content = {"links": []} | item.content  # no machine is asked
        projects.add_items(session, project, items)
        projects.assign(session, project)
        waiting = iter(all_steps)
        for name in ("Ann", "Bob"):
            for assignment, steps in zip(
                assignments_of(session, project, name), waiting, strict=False
            ):
                act(session, assignment, steps)
        jo = accounts.find_account(session, "Jo")
        projects.give_adjudications(session, project, Person(jo.id, "Jo"))
        for assignment in assignments_of(session, project, "Jo"):
            first = ("take", {"cell": [0, 0], "side": "first", "reason": "slip"})
            act(session, assignment, [first, *next(waiting)])
        out = project_file.write_project(session, project)
        again = bring(session, out)
        session.flush()
        session.expire_all()
        assert project_file.write_project(session, again) == out
        assert outcome(session, again) == outcome(session, project)
        assert results.report_alignments(session, again) == (
            results.report_alignments(session, project)
        )


def judge(session, project, draw):
    """Answer some questions about each item, as people do, and take some back."""
    for name in ("Ann", "Bob"):
        for assignment in assignments_of(session, project, name):
            state = read_state(session, assignment)
            steps = []
            for question in state["questions"]:
                preferred = question["kind"] == "preference"
                for output in [0] if preferred else state["outputs"]:
                    values = {
                        "scale": question["values"],
                        "rank": range(1, len(state["outputs"]) + 1),
                        "preference": (0, *state["outputs"]),
                        "word": ("fine", "odd"),
                    }[question["kind"]]
                    answer = {"output": output, "criterion": question["name"]}
                    value = draw(st.sampled_from(list(values)))
                    steps.append(("answer", answer | {"value": value}))
                    steps += draw(st.sampled_from([[], [], [("undo", {})]]))
            act(session, assignment, [*steps, ("done", {})])


@pytest.mark.parametrize("kind", load_protocols())
@settings(max_examples=3, deadline=None)
@given(st.data())
def test_a_judging_project_comes_back_as_it_was(studio, kind, data):
    with studio.database.write() as session:
        project = make_project(session, kind, repeats=0.5)
        outputs = [
            sheets.Output(2 * n + k + 1, f"{n}", "", "formal", "u ok?", text, (system,))
            for n in range(2)
            for k, (system, text) in enumerate(
                (("alpha", "Are you well?"), ("beta", data.draw(TITLES)))
            )
        ]
        gold = {("0", "formal", "Are you well?"): {"meaning": 1}}
        add_outputs(session, project, outputs, gold)
        projects.assign(session, project)
        judge(session, project, data.draw)
        out = project_file.write_project(session, project)
        again = bring(session, out)
        session.flush()
        session.expire_all()
        assert project_file.write_project(session, again) == out
        assert outcome(session, again) == outcome(session, project)
        first, second = (
            results.write_judgments(
                results.read_finished(session, each),
                project.settings["questions"]["report"],
            )
            for each in (project, again)
        )
        assert first == second


@st.composite
def aligned(draw, *, possible):
    source, target = draw(WORDS), draw(WORDS)
    cells = draw(
        st.dictionaries(
            st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)),
            st.booleans() if possible else st.just(True),
        )
    )
    links = tuple(Link(i, j, sure=sure) for (i, j), sure in sorted(cells.items()))
    return AlignedPair(source, target, links)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_an_export_in_every_format_makes_a_project_with_the_same_export(
    studio, format, data
):
    drawn = data.draw(
        st.lists(aligned(possible=format != "giza"), min_size=1, max_size=3)
    )
    pairs = [exchange.replace(pair, name=f"p{n}") for n, pair in enumerate(drawn)]

    def fill(session, pairs):
        project = make_project(session)
        ann = accounts.find_account(session, "Ann").id
        add_annotations(session, project, ann, pairs)
        session.flush()
        chosen = results.choose_alignments(session, project)
        return exchange.write_pairs(chosen, format)

    with studio.database.write() as session:
        name, content = fill(session, pairs)
        uploads = [exchange.Upload(name, io.BytesIO(content))]
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                uploads = [
                    exchange.Upload(part, io.BytesIO(archive.read(part)))
                    for part in archive.namelist()
                ]
        with exchange.saved(*uploads) as paths:
            read = exchange.read_pairs(paths, format=format)
        assert fill(session, read) == (name, content)


@pytest.fixture(scope="module")
def exported(studio):
    """Return the file of a project in which everything that can happen has happened."""
    with studio.database.write() as session:
        project = make_project(session, overlap=0.5)
        pairs = [
            AlignedPair(("ab", "c"), ("d", "e"), (), "one"),
            AlignedPair(("x",), ("y",), (Link(0, 0, 0.5),), "two"),
        ]
        items = exchange.make_pair_items(pairs)
        items[0].content = {"links": []} | items[0].content
        projects.add_items(session, project, items)
        projects.assign(session, project)
        link = ("link", {"cells": [[0, 0], [0, 1]], "label": "possible"})
        for name in ("Ann", "Bob"):
            for assignment in assignments_of(session, project, name):
                act(session, assignment, [link, ("undo", {}), link, ("done", {})])
        project.archived = 5
        return project_file.write_project(session, project)


def lines_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(project_file.INSIDE).decode().splitlines()


def pack(lines):
    text = "".join(f"{line}\n" for line in lines)
    return exchange.make_zip({project_file.INSIDE: text})


def test_retokenized_words_survive_export_and_import(studio):
    with studio.database.write() as session:
        project = make_project(session)
        items = exchange.make_pair_items([AlignedPair(("ab",), ("c",), (), "one")])
        items[0].content = {"links": []} | items[0].content
        projects.add_items(session, project, items)
        projects.assign(session, project)
        ann = assignments_of(session, project, "Ann")[0]
        project.settings = dict(project.settings) | {"blind": True}
        cut = {"source": "a b", "target": "c"}
        add_event(session, ann, key="cut", kind="tokens", content=cut)
        act(session, ann, [("link", {"cells": [[1, 0]], "label": "sure"})])
        again = bring(session, project_file.write_project(session, project))
        state = read_state(session, assignments_of(session, again, "Ann")[0])
        assert state["source"] == ["a", "b"]
        assert state == read_state(session, ann)


def test_a_project_is_moved_to_another_server_by_its_pages(studio, elsewhere, exported):
    answer = elsewhere.browser("Lea").post(
        "/projects/import", files={"file": ("project.zip", exported)}
    )
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    assert elsewhere.browser("Lea").get(where).status_code == 200
    assert elsewhere.browser("Lea").get(f"{where}/results").status_code == 200
    out = elsewhere.browser("Lea").get(f"{where}/export?format=project")
    people = [json.loads(line) for line in lines_of(out.content)[1:6]]
    assert {row["person"] for row in people} == {"Lea", "ann", "Bob", "Jo", "Lou"}
    assert [line.replace('"ann"', '"Ann"') for line in lines_of(out.content)] == (
        lines_of(exported)
    )
    with elsewhere.database.read() as session:
        bob = accounts.find_account(session, "Bob")
        assert not bob.administrator
        for password in ("", PASSWORD):
            assert accounts.check_password(session, "Bob", password) is None
        for assignment in session.query(Assignment):
            kept = read_state(session, assignment)
            assert rebuild(session, assignment) == kept


def change(path, value):
    """Return what changes one value on a line of a file."""

    def change(record):
        *way, last = path
        for key in way:
            record = record[key]
        record[last] = value

    return change


@pytest.mark.parametrize(
    ("line", "changed", "said"),
    [
        (0, change(["format"], "other 1"), "not an exported project"),
        (0, change(["kind"], "sing"), "kind"),
        (0, change(["title"], " "), "title"),
        (0, change(["settings", "people"], 99), "1 to 20"),
        (0, change(["created"], 10**30), "too large"),
        (1, change(["role"], "king"), "king"),
        (1, change(["person"], "Bob"), "two called"),
        (6, change(["item"], "x" * 600), "500 characters"),
        (6, change(["content", "source"], ["other"]), "another item"),
        (6, change(["content", "source"], ["a"] * 300), "300 words"),
        (7, change(["item"], "one"), "two called"),
        (7, change(["content", "links", 0, 0], 7), "a cell is"),
        (7, change(["content", "links", 0, 2], "maybe"), "a link"),
        (8, change(["of"], "nine"), "not there"),
        (8, change(["annotator"], "Zoe"), "not there"),
        (10, change(["annotator"], "Bob"), "twice"),
        (8, change(["done"], None), "done"),
        (8, change(["round"], 3), "twice"),
        (8, change(["events", 0, 0], "link"), "begins"),
        (8, change(["events", 1, 1, "cells"], [[0, 9]]), "a cell is"),
        (8, change(["events", 2, 0], "redo"), "no event"),
        (8, change(["events", 1, 0], "start"), "begins"),
        (8, change(["events", 1, 2], "now"), "no time"),
        (8, change(["events", 1], 5), "damaged"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused_and_leaves_nothing(
    elsewhere, exported, line, changed, said
):
    lines = lines_of(exported)
    record = json.loads(lines[line])
    changed(record)
    lines[line] = json.dumps({k: v for k, v in record.items() if v is not None})
    with elsewhere.database.read() as session:
        before = session.query(Project).count()
    answer = elsewhere.browser("Lea").post(
        "/projects/import", files={"file": ("project.zip", pack(lines))}
    )
    assert answer.status_code == 400
    assert said in answer.text
    with elsewhere.database.read() as session:
        assert session.query(Project).count() == before


def bomb():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(project_file.INSIDE, "w", force_zip64=True) as file:
            for _ in range(201):
                file.write(bytes(2**20))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not an exported project"),
        (b"PK\x03\x04 and no more", "not an exported project"),
        (exchange.make_zip({"other.txt": "hi"}), "not an exported project"),
        (exchange.make_zip({project_file.INSIDE: ""}), "not an exported project"),
        (exchange.make_zip({project_file.INSIDE: "[1]\n"}), "not a line"),
        (exchange.make_zip({project_file.INSIDE: "{\n"}), "not valid JSON"),
        (exchange.make_zip({project_file.INSIDE: '{"a": "\\ud800"}\n'}), "not valid"),
        (exchange.make_zip({project_file.INSIDE: '{"a": NaN}\n'}), "not valid"),
        (bomb(), "bytes, and at most"),
    ],
)
def test_a_file_that_is_not_a_project_is_refused(content, said):
    with pytest.raises(ParaphrastError, match=said):
        project_file.read_project(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just(""),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from(["links", "source", "x"]), children)
    ),
    max_leaves=4,
)


def places(record, way=()):
    """Yield the way to every value in a record."""
    items = record.items() if isinstance(record, dict) else enumerate(record)
    for key, value in items:
        yield (*way, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*way, key))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_file_is_refused_or_makes_a_project(studio, exported, data):
    lines = lines_of(exported)
    number = data.draw(st.integers(0, len(lines) - 1))
    record = json.loads(lines[number])
    way = data.draw(st.sampled_from(list(places(record))))
    change(way, data.draw(JSON))(record)
    lines[number] = json.dumps(record)
    with studio.database.write() as session:
        try:
            project = bring(session, pack(lines))
        except ParaphrastError:
            return
        out = project_file.write_project(session, project)
        assert project_file.write_project(session, bring(session, out)) == out
        results.report_alignments(session, project)
