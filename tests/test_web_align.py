"""Alignment projects: events, undo, two annotators, adjudication, files in and out."""

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.formats import FORMATS
from paraphrast.errors import ParaphrastError
from paraphrast.web import accounts, exchange, results
from paraphrast.web.annotation import alignment, log
from paraphrast.web.annotation.history import Step, read_history
from paraphrast.web.annotation.log import rebuild
from paraphrast.web.database.tables import Annotation, Assignment, Event, Project
from paraphrast.web.overview import describe_project
from studio_toy import (
    act,
    add_pairs,
    assign,
    assignments_of,
    create_project,
    find_work,
    items_of,
    multimwa,
    open_studio,
    send,
)

WORDS = st.lists(st.text("abcé'.", min_size=1, max_size=4), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with open_studio(tmp_path_factory.mktemp("studio")) as studio:
        yield studio


@pytest.fixture
def project(studio):
    """Return a project of three pairs, two annotators each, and an adjudicator."""
    number = create_project(studio)
    for name, role in (
        ("Ann", "annotator"),
        ("Bob", "annotator"),
        ("Jo", "adjudicator"),
    ):
        studio.add(name, project=number, role=role)
    add_pairs(studio, number)
    assign(studio, number)
    return number


def own_assignments(studio, project, name):
    with studio.database.read() as session:
        whose = studio.id_of(name)
        mine = assignments_of(session, project)
        return [each for each in mine if each.account_id == whose]


def links(state):
    return {(i, j): label for i, j, label, *_ in state["links"]}


def finish(studio, name, project, cells=None):
    """Align everything: the machine's links, or these cells of the first pair."""
    while number := find_work(studio, name, project):
        if cells is not None:
            state = studio.browser(name).get(f"/assignments/{number}/state").json()
            for i, j, *_ in state["links"]:
                act(studio, name, number, "clear", cells=[[i, j]])
            act(studio, name, number, "link", cells=cells, label="sure")
        act(studio, name, number, "done")


def test_links_are_set_changed_and_cleared(studio, project):
    number = find_work(studio, "Ann", project)
    state = act(studio, "Ann", number, "link", cells=[[0, 5]], label="sure")
    assert links(state)[0, 5] == "sure"
    state = act(studio, "Ann", number, "link", cells=[[0, 5]], label="possible")
    assert links(state)[0, 5] == "possible"
    state = act(studio, "Ann", number, "clear", cells=[[0, 5]])
    assert (0, 5) not in links(state)


def test_a_block_links_two_phrases_in_one_step(studio, project):
    number = find_work(studio, "Ann", project)
    before = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    block = [[1, 2], [1, 3], [2, 2], [2, 3]]
    state = act(studio, "Ann", number, "link", cells=block, label="sure")
    assert {tuple(cell) for cell in block} <= links(state).keys()
    state = act(studio, "Ann", number, "undo")
    assert state["links"] == before["links"]


def test_the_machines_links_are_marked_until_they_are_touched(studio, project):
    number = find_work(studio, "Ann", project)
    begun = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    assert begun["links"]
    assert {origin for *_, origin, _ in begun["links"]} == {"machine"}
    i, j, label, *_ = begun["links"][0]
    state = act(studio, "Ann", number, "link", cells=[[i, j]], label=label)
    assert state["links"][0][3] == "human"
    state = act(studio, "Ann", number, "accept")
    assert {origin for *_, origin, _ in state["links"]} == {"human", "accepted"}


def test_a_blind_project_shows_no_machine(studio, project):
    studio.browser("Lea").post(f"/projects/{project}/settings", data={"blind": "true"})
    number = find_work(studio, "Ann", project)
    assert (
        studio.browser("Ann").get(f"/assignments/{number}/state").json()["links"] == []
    )


def test_a_word_without_counterpart_loses_its_links_and_gets_them_back(studio, project):
    number = find_work(studio, "Ann", project)
    before = act(studio, "Ann", number, "link", cells=[[1, 1], [1, 2]], label="sure")
    state = act(studio, "Ann", number, "null", side="source", index=1)
    assert state["nulls"] == [["source", 1]]
    assert not [cell for cell in links(state) if cell[0] == 1]
    assert act(studio, "Ann", number, "undo")["links"] == before["links"]
    act(studio, "Ann", number, "redo")
    state = act(studio, "Ann", number, "link", cells=[[1, 1]], label="sure")
    assert state["nulls"] == []


def test_clearing_a_word_clears_its_row_or_column(studio, project):
    number = find_work(studio, "Ann", project)
    act(studio, "Ann", number, "link", cells=[[0, 0], [0, 1], [1, 1]], label="sure")
    state = act(studio, "Ann", number, "word", side="source", index=0)
    assert not [cell for cell in links(state) if cell[0] == 0]
    state = act(studio, "Ann", number, "word", side="target", index=1)
    assert not [cell for cell in links(state) if cell[1] == 1]


def test_undo_and_redo_survive_a_reload_and_have_an_end(studio, project):
    number = find_work(studio, "Ann", project)
    for index in range(3):
        act(studio, "Ann", number, "clear", cells=[[index, index]])
        act(studio, "Ann", number, "link", cells=[[index, index]], label="possible")
    final = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    for _ in range(6):
        state = act(studio, "Ann", number, "undo")
    assert not state["undo"]
    assert send(studio, "Ann", number, "undo").status_code == 400
    for _ in range(6):
        state = act(studio, "Ann", number, "redo")
    assert state["links"] == final["links"]
    assert send(studio, "Ann", number, "redo").status_code == 400


def test_an_event_that_is_sent_twice_counts_once(studio, project):
    number = find_work(studio, "Ann", project)
    event = {"cells": [[0, 0]], "label": "possible"}
    for _ in range(3):
        answer = send(studio, "Ann", number, "link", key="same", **event)
        assert answer.status_code == 200
    with studio.database.read() as session:
        events = session.query(Event).filter_by(assignment_id=number)
        assert events.count() == 2  # the start, and this


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("link", {"cells": [[99, 0]], "label": "sure"}),
        ("link", {"cells": [[-1, 0]], "label": "sure"}),
        ("link", {"cells": [], "label": "sure"}),
        ("link", {"cells": "all", "label": "sure"}),
        ("link", {"cells": [[0, 0]], "label": "certain"}),
        ("link", {"cells": [[0, True, 3]], "label": "sure"}),
        ("null", {"side": "source", "index": 99}),
        ("null", {"side": "both", "index": 0}),
        ("take", {"cell": [0, 0], "side": "first"}),
        ("comment", {"text": "x" * 2_001}),
        ("start", {"source": [], "target": []}),
        ("nonsense", {}),
        ("tokens", {"source": ["other", "words"], "target": ["x"]}),
        ("tokens", {}),
    ],
)
def test_an_event_that_makes_no_sense_changes_nothing(studio, project, kind, content):
    number = find_work(studio, "Ann", project)
    before = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    answer = send(studio, "Ann", number, kind, **content)
    assert answer.status_code == 400
    assert answer.json()["detail"]
    after = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    assert after == before
    with studio.database.read() as session:
        assert session.query(Event).filter_by(assignment_id=number).count() == 0


@pytest.mark.parametrize(
    "text", ['"\\ud800"', "NaN", f'"{"x" * 2**20}"'], ids=["half", "nan", "large"]
)
def test_an_event_that_no_answer_could_carry_changes_nothing(studio, project, text):
    number = find_work(studio, "Ann", project)
    act(studio, "Ann", number, "comment", text="fine")
    body = f'{{"key": "k", "kind": "comment", "content": {{"text": {text}}}}}'
    answer = studio.browser("Ann").post(
        f"/assignments/{number}/events",
        content=body,
        headers={"content-type": "application/json", "accept": "application/json"},
    )
    assert answer.status_code == 422
    assert "content" in answer.json()["detail"]
    state = studio.browser("Ann").get(f"/assignments/{number}/state").json()
    assert (state["comment"], state["number"]) == ("fine", 2)


def test_words_are_tokenized_again_for_everybody_before_the_first_link(studio, project):
    number = find_work(studio, "Ann", project)
    source = ["I", "'m", "gon", "na", "be", "late", "."]
    target = ["I", "am", "going", "to", "be", "late", "."]
    state = act(studio, "Ann", number, "tokens", source=source, target=target)
    assert state["source"] == source
    theirs = find_work(studio, "Bob", project)
    state = act(studio, "Bob", theirs, "link", cells=[[6, 6]], label="sure")
    assert state["source"] == source
    answer = send(studio, "Ann", number, "tokens", source=source, target=target)
    assert answer.status_code == 400
    assert "until someone has linked" in answer.json()["detail"]


def test_a_later_tokenization_by_another_person_reaches_everybody(studio, project):
    ann, bob = (find_work(studio, name, project) for name in ("Ann", "Bob"))
    target = ["I", "am", "going", "to", "be", "late", "."]
    whole = ["I'm", "gonna", "be", "late", "."]
    parts = ["I", "'m", *whole[1:]]
    act(studio, "Ann", ann, "tokens", source=parts, target=target)
    act(studio, "Bob", bob, "tokens", source=whole, target=target)
    state = studio.browser("Ann").get(f"/assignments/{ann}/state").json()
    assert state["source"] == whole


def test_the_state_follows_from_the_events(studio, project):
    number = find_work(studio, "Ann", project)
    act(studio, "Ann", number, "link", cells=[[0, 0]], label="possible")
    act(studio, "Ann", number, "null", side="target", index=2)
    act(studio, "Ann", number, "undo")
    kept = act(studio, "Ann", number, "comment", text="hm")
    with studio.database.write() as session:
        session.delete(session.get(Annotation, number))
        session.flush()
        assert rebuild(session, session.get(Assignment, number)) == kept


def test_finished_work_leads_to_the_next_and_to_the_end(studio, project):
    seen = []
    while number := find_work(studio, "Ann", project):
        seen.append(number)
        act(studio, "Ann", number, "done")
    assert len(seen) == len(set(seen)) == 3
    assert "All done" in studio.browser("Ann").get(f"/projects/{project}").text
    act(studio, "Ann", seen[1], "clear", cells=[[0, 0]])
    assert find_work(studio, "Ann", project) == seen[1]  # a change opens it again


def test_annotators_are_blind_to_each_other(studio, project):
    ann = find_work(studio, "Ann", project)
    for path in (f"/assignments/{ann}", f"/assignments/{ann}/state"):
        assert studio.browser("Bob").get(path).status_code == 403
        assert studio.browser("Lea").get(path).status_code == 200
    assert send(studio, "Bob", ann, "accept").status_code == 403
    assert send(studio, "Lea", ann, "accept").status_code == 403


def test_overlap_says_how_many_items_two_people_get(studio):
    number = create_project(studio)
    for name in ("Ann", "Bob"):
        studio.add(name, project=number, role="annotator")
    lines = "".join(f"{k}\ta b\tc d\n" for k in range(20))
    add_pairs(studio, number, multimwa(lines))
    form = {"people": "2", "overlap": "20"}
    studio.browser("Lea").post(f"/projects/{number}/settings", data=form)
    assign(studio, number)
    with studio.database.read() as session:
        owners = [row.account_id for row in assignments_of(session, number)]
    assert len(owners) == 20 + 4
    assert {owners.count(owner) for owner in owners} == {12}  # equally many each
    assign(studio, number)
    with studio.database.read() as session:
        # Nothing is dealt out twice.
        assert len(assignments_of(session, number)) == 24


def test_agreement_is_shown_to_the_lead_as_study_has_it(studio, project):
    finish(studio, "Ann", project)
    finish(studio, "Bob", project)
    page = studio.browser("Lea").get(f"/projects/{project}/results").text
    assert "Ann and Bob" in page
    assert "1.00" in page
    assert "Ĉ" in page
    assert studio.browser("Ann").get(f"/projects/{project}/results").status_code == 403


def test_agreement_on_large_projects_is_that_of_the_latest_work(
    studio, project, monkeypatch
):
    monkeypatch.setattr(results, "LEAST_COMPARED", 2)
    monkeypatch.setattr(results, "MOST_COMPARED", 2)
    for name in ("Ann", "Bob"):
        for position in range(3):  # the first pair they link differently
            number = find_work(studio, name, project)
            if position == 0 and name == "Ann":
                act(studio, name, number, "link", cells=[[0, 4]], label="sure")
            act(studio, name, number, "done")
    with studio.database.read() as session:
        report = results.report_alignments(session, session.get(Project, project))
    (two,) = report.twos
    assert (two.comparison.pairs, report.last) == (2, 2)
    assert two.links.f1_all.value == 1
    page = studio.browser("Lea").get(f"/projects/{project}/results").text
    assert "on the last 2 pairs that both finished" in page


def test_only_differences_are_adjudicated(studio, project):
    finish(studio, "Ann", project)
    finish(studio, "Bob", project, cells=[[0, 0]])
    number = find_work(studio, "Jo", project)
    state = studio.browser("Jo").get(f"/assignments/{number}/state").json()
    assert state["open"]
    assert send(studio, "Jo", number, "done").status_code == 400
    page = studio.browser("Jo").get(f"/assignments/{number}").text
    assert "Ann" not in page
    assert "Bob" not in page
    for i, j in state["open"]:
        state = act(
            studio, "Jo", number, "take", cell=[i, j], side="first", reason="slip"
        )
    assert not state["open"]
    act(studio, "Jo", number, "undo")
    state = act(studio, "Jo", number, "redo")
    wanted = {(i, j): first for i, j, first, _ in state["choices"] if first} | {
        (i, j): label for i, j, label, origin, _ in state["links"] if origin == "agreed"
    }
    assert links(state) == wanted
    assert act(studio, "Jo", number, "done")["done"]


def test_equal_alignments_need_no_adjudication(studio, project):
    finish(studio, "Ann", project)
    finish(studio, "Bob", project)
    assert find_work(studio, "Jo", project) is None
    exported = studio.browser("Lea").get(f"/projects/{project}/export?format=jsonl")
    assert len(exported.text.splitlines()) == 3


def test_items_awaiting_adjudication_are_not_exported(studio, project):
    finish(studio, "Ann", project)
    finish(studio, "Bob", project, cells=[[1, 0]])
    exported = studio.browser("Lea").get(f"/projects/{project}/export?format=jsonl")
    assert exported.text == ""
    page = studio.browser("Lea").get(f"/projects/{project}").text
    assert "3 to adjudicate</span>" in page  # beside Jo's name
    own = studio.browser("Lea").get(
        f"/projects/{project}/export?format=jsonl&annotator=Ann"
    )
    assert len(own.text.splitlines()) == 3


def test_the_log_is_exported_whole_and_in_order(studio, project):
    number = find_work(studio, "Ann", project)
    act(studio, "Ann", number, "link", cells=[[0, 0]], label="possible")
    act(studio, "Ann", number, "undo")
    text = studio.browser("Lea").get(f"/projects/{project}/export?format=log").text
    events = [json.loads(line) for line in text.splitlines()]
    assert [event["kind"] for event in events] == ["start", "link", "undo"]
    assert [event["number"] for event in events] == [1, 2, 3]
    assert {event["annotator"] for event in events} == {"Ann"}


def test_an_item_takes_the_time_since_the_item_before(studio, project, monkeypatch):
    first, second = (
        assignment.id for assignment in own_assignments(studio, project, "Ann")[:2]
    )
    hours = 3 * 3_600_000
    for number, kind, at in (
        (first, "comment", 0),
        (first, "done", 30_000),
        (second, "done", 50_000),  # looked at for 20 s, and found to be right
        (first, "comment", 50_000 + hours),  # of which nobody says that it was work
        (first, "done", 60_000 + hours),
    ):
        monkeypatch.setattr(log, "now", lambda at=at: 10**12 + at)
        act(studio, "Ann", number, kind, **({"text": "?"} if kind == "comment" else {}))
    with studio.database.read() as session:
        overview = describe_project(session, session.get(Project, project))
    ann = next(one for one in overview.people if one.name == "Ann")
    assert ann.seconds == 30.0  # the median of 40 and 20


def test_a_clock_that_jumps_back_changes_no_order(studio, project, monkeypatch):
    number = find_work(studio, "Ann", project)
    clock = [10**13]
    monkeypatch.setattr(accounts, "now", lambda: clock[0])
    monkeypatch.setattr(log, "now", lambda: clock[0])
    studio.browsers.clear()
    for label in ("sure", "possible"):
        act(studio, "Ann", number, "link", cells=[[0, 0]], label=label)
        clock[0] -= 10**9
    assert links(act(studio, "Ann", number, "undo"))[0, 0] == "sure"


@pytest.mark.parametrize("format", FORMATS)
def test_the_work_of_one_annotator_is_exported_and_imported(studio, format):
    text = "a\tb c\tN/A\td e f\tN/A\t1\t1\t0-0 1-1\t%s\nz\tx\tN/A\ty\tN/A\t1\t1\t\t\n"
    possible = "" if format == "giza" else "1-2"
    first = create_project(studio)
    lea = studio.id_of("Lea")
    add_pairs(studio, first, text % possible, links=str(lea))
    query = f"?annotator=Lea&format={format}"
    out = studio.browser("Lea").get(f"/projects/{first}/export{query}").content
    second = create_project(studio)
    files = {"file": ("pairs", out)}
    if not FORMATS[format].HAS_WORDS:
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            files = {
                "file": ("links", archive.read(archive.namelist()[0])),
                "source": ("source.txt", archive.read("source.txt")),
                "target": ("target.txt", archive.read("target.txt")),
            }
    answer = studio.browser("Lea").post(
        f"/projects/{second}/pairs", files=files, data={"format": format, "links": lea}
    )
    assert answer.status_code == 303, answer.text
    again = studio.browser("Lea").get(f"/projects/{second}/export{query}").content
    assert again == out


@given(st.data())
def test_every_alignment_survives_the_round_trip_in_every_format(data):
    pairs = []
    for number in range(data.draw(st.integers(1, 3))):
        source, target = (tuple(data.draw(WORDS)) for _ in range(2))
        cells = data.draw(
            st.sets(
                st.tuples(
                    st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)
                )
            )
        )
        made = tuple(
            Link(i, j, sure=data.draw(st.booleans())) for i, j in sorted(cells)
        )
        pairs.append(AlignedPair(source, target, made, str(number + 1)))
    for format in FORMATS:
        wanted = pairs
        if format == "giza":
            wanted = [
                AlignedPair(
                    p.source,
                    p.target,
                    tuple(Link(k.source, k.target) for k in p.links),
                    p.name,
                )
                for p in pairs
            ]
        bases = [alignment.make_base(pair, "human") for pair in wanted]
        states = [
            alignment.from_json(alignment.as_json(alignment.start(b))) for b in bases
        ]
        out = [s.as_pair(p.name) for s, p in zip(states, wanted, strict=True)]
        name, content = exchange.write_pairs(out, format)
        uploads = [exchange.Upload(name, io.BytesIO(content))]
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                uploads = [
                    exchange.Upload(part, io.BytesIO(archive.read(part)))
                    for part in archive.namelist()
                ]
        with exchange.saved(*uploads) as paths:
            assert exchange.read_pairs(paths, format=format) == wanted


EVENTS = st.lists(
    st.one_of(
        st.sampled_from([Step("undo", {}), Step("redo", {}), Step("accept", {})]),
        st.builds(
            lambda i, j, label: Step("link", {"cells": [[i, j]], "label": label}),
            *(st.integers(0, 2), st.integers(0, 1)),
            st.sampled_from(["sure", "possible"]),
        ),
        st.builds(
            lambda i, j: Step("clear", {"cells": [[i, j]]}),
            *(st.integers(0, 2), st.integers(0, 1)),
        ),
        st.builds(
            lambda i: Step("null", {"side": "source", "index": i}), st.integers(0, 2)
        ),
    ),
    max_size=30,
)
BASE = Step(
    "start",
    {
        "source": ["a", "b", "c"],
        "target": ["d", "e"],
        "links": [[0, 0, "sure", "machine", 0.5]],
    },
)


def replay(events):
    history = read_history([BASE, *events])
    state = alignment.start(history.base.content)
    for step in history.steps:
        state = alignment.apply(state, step.kind, step.content)
    return state


@given(EVENTS, st.sampled_from(["link", "clear", "accept"]))
def test_undo_takes_back_exactly_the_last_step_and_redo_brings_it_back(events, kind):
    content = {"cells": [[1, 1]], "label": "sure"}
    step = Step(kind, content)
    with_step = replay([*events, step])
    assert replay([*events, step, Step("undo", {})]) == replay(events)
    back = [*events, step, Step("undo", {}), Step("redo", {})]
    assert replay(back) == with_step


@given(EVENTS)
def test_a_state_is_kept_without_loss(events):
    state = replay(events)
    assert alignment.from_json(alignment.as_json(state)) == state


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no tab\n", "airs.tsv:1"),
        ("", "no sentence pairs"),
        ("a\t\n", "empty"),
        ("a\t" + "w " * 300 + "\n", "300 words"),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_leaves_nothing(
    studio, text, complaint
):
    number = create_project(studio)
    answer = studio.browser("Lea").post(
        f"/projects/{number}/pairs",
        files={"file": ("pairs.tsv", text.encode())},
        data={"format": "pairs"},
    )
    assert answer.status_code == 400
    assert complaint in answer.text
    assert "/tmp" not in answer.text
    with studio.database.read() as session:
        assert items_of(session, number) == []


def test_reading_a_file_blocks_nobody(studio, project, monkeypatch):
    def read(*_, **__):
        with studio.database.write():
            return [AlignedPair(("a",), ("b",), (), "read meanwhile")]

    monkeypatch.setattr("paraphrast.web.exchange.read_pairs", read)
    add_pairs(studio, project)
    assert "read meanwhile" in studio.browser("Lea").get(f"/projects/{project}").text


def test_paths_in_file_names_are_ignored(tmp_path):
    evil = exchange.Upload("../../etc/passwd\x00.tsv", io.BytesIO(b"a\tb\n"))
    with exchange.saved(evil) as (path,):
        assert path.name == "passwd_.tsv"
        assert path.read_bytes() == b"a\tb\n"
        assert ".." not in str(path)


def test_two_pairs_with_the_same_name_are_refused(studio, project):
    answer = studio.browser("Lea").post(
        f"/projects/{project}/pairs",
        files={"file": ("pairs.tsv", multimwa().encode())},
        data={"format": "multimwa"},
    )
    assert answer.status_code == 400
    assert "two items called" in answer.text


def test_an_archived_project_is_kept_and_read_only(studio, project):
    number = find_work(studio, "Ann", project)
    act(studio, "Ann", number, "accept")
    lea = studio.browser("Lea")
    lea.post(f"/projects/{project}/archive", data={"archived": "true"})
    assert send(studio, "Ann", number, "accept").status_code == 400
    assert "archived" in lea.get("/projects").text
    lea.post(f"/projects/{project}/archive")
    assert send(studio, "Ann", number, "accept").status_code == 200


def test_a_choice_where_annotators_agree_is_refused():
    with pytest.raises(ParaphrastError, match="agree there"):
        alignment.apply(
            alignment.start(BASE.content), "take", {"cell": [0, 0], "side": "first"}
        )
