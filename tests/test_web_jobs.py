"""``/v1/jobs``: files come back in their own format, whatever happens meanwhile."""

import io
import json
import time
import zipfile

import pytest
from starlette.testclient import TestClient

import paraphrast
from paraphrast.web.app import create_app
from paraphrast.web.service.files import Asked
from paraphrast.web.settings import Limits, Settings
from tests import docx_toy


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def open_client(folder, **settings):
    app = create_app(Settings(data=folder, **settings))
    return TestClient(app, base_url="http://127.0.0.1")


def send(client, name, content, headers=None, **form):
    return client.post(
        "/v1/jobs",
        data={"style": "formal", **form},
        files={"file": (name, content)},
        headers=headers,
    )


def wait(client, answer):
    """Return how a job ended."""
    assert answer.status_code == 202, answer.text
    while True:
        job = client.get(answer.headers["location"]).json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.01)


def fetch(client, answer):
    job = wait(client, answer)
    assert job["state"] == "done", job
    assert job["done"] == job["total"]
    return client.get(f"{answer.headers['location']}/result")


def test_lines_come_back_line_by_line(client):
    result = fetch(client, send(client, "a.txt", b"gonna go\n\nwanna come?\r\n"))
    texts = paraphrast.rewrite(["gonna go", "wanna come?"], to="formal")
    expected = f"{texts[0].text}\n\n{texts[1].text}\r\n"
    assert result.text == expected
    assert 'filename="a-formal.txt"' in result.headers["content-disposition"]


def test_objects_keep_their_other_fields(client):
    rows = b'{"id": 1, "say": "gonna go"}\nnot json\n'
    result = fetch(client, send(client, "a.jsonl", rows, field="say", into="new"))
    first, second = result.text.splitlines()
    new = paraphrast.rewrite("gonna go", to="formal").text
    assert json.loads(first) == {"id": 1, "say": "gonna go", "new": new}
    assert second == "not json"


def test_alternatives_are_columns(client):
    rows = b"text,more\ngonna go,1\n"
    result = fetch(client, send(client, "a.csv", rows, alternatives="1"))
    assert result.text.splitlines()[0] == "text,more,rewrite,rewrite_2"


def test_documents_keep_their_shape(client):
    page = b"<p>I'm <b>gonna</b> go.</p>\n"
    result = fetch(client, send(client, "a.html", page, rewriter="rules"))
    assert result.text == "<p>I am <b>going to</b> go.</p>\n"
    letter = docx_toy.make(docx_toy.paragraph(docx_toy.run("I'm gonna go.")))
    result = fetch(client, send(client, "a.docx", letter, rewriter="rules"))
    assert docx_toy.texts(docx_toy.part(result.content)) == ["I am going to go."]


def test_markdown_keeps_its_structure(client):
    text = b"# wanna\n\n- I'm gonna go now.\n\n```\ngonna\n```\n"
    result = fetch(client, send(client, "a.md", text))
    assert "```\ngonna\n```" in result.text
    assert result.text.startswith("# wanna\n\n- ")
    assert "gonna go" not in result.text


@pytest.mark.parametrize(
    ("name", "content", "form", "status", "word"),
    [
        ("a.txt", b"x", {"style": "formel"}, 400, "'formal'"),
        ("a.txt", b"x", {"format": "docs"}, 400, "format"),
        ("a.txt", b"x", {"stile": "x"}, 422, "stile"),
        ("a.txt", b"x", {"alternatives": "many"}, 422, "alternatives"),
    ],
)
def test_mistakes_are_reported_at_once(client, name, content, form, status, word):
    answer = send(client, name, content, **form)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert word in answer.json()["detail"]
    assert client.get("/v1/jobs").json() == {"jobs": []}


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.csv", b"other\nx\n", "column"),
        ("../../a.pdf", b"%PDF-1.7", "a.pdf is not a text file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(client, tmp_path, name, content, word):
    answer = send(client, name, content)
    job = wait(client, answer)
    assert job["state"] == "failed"
    assert word in job["why"]
    assert str(tmp_path) not in job["why"]
    result = client.get(f"{answer.headers['location']}/result")
    assert result.status_code == 409


def test_a_zip_bomb_is_refused(client):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("word/document.xml", "w", force_zip64=True) as file:
            for _ in range(600):
                file.write(bytes(2**20))
    job = wait(client, send(client, "a.docx", bomb.getvalue()))
    assert job["state"] == "failed"
    assert "a.docx" in job["why"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\evil.txt", "evil.txt"),
        ('a"b;\n.txt', "a_b_.txt"),
        ("...", "file.txt"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_paths_in_uploaded_file_names_are_ignored(client, tmp_path, sent, kept):
    jobs = client.app.state.jobs
    job = jobs.submit("me", sent, b"", Asked("formal"))
    assert job.name == kept
    folders = {path.parent for path in tmp_path.rglob("input")}
    assert folders == {tmp_path / "jobs" / job.id}


def test_a_request_that_is_sent_again_makes_no_second_job(client):
    key = {"Idempotency-Key": "one"}
    first = send(client, "a.txt", b"gonna", headers=key)
    again = send(client, "a.txt", b"gonna", headers=key)
    other = send(client, "a.txt", b"wanna", headers=key)
    fresh = send(client, "a.txt", b"gonna")
    assert first.headers["location"] == again.headers["location"]
    assert other.status_code == 400
    assert "Idempotency-Key" in other.json()["detail"]
    assert fresh.headers["location"] != first.headers["location"]
    listed = client.get("/v1/jobs").json()["jobs"]
    assert [job["id"] for job in listed] == [
        answer.json()["id"] for answer in (fresh, first)
    ]


def test_a_job_is_cancelled_and_then_deleted(tmp_path):
    client = open_client(tmp_path)  # whose jobs do not run
    where = send(client, "a.txt", b"gonna").headers["location"]
    assert client.delete(where).json()["state"] == "cancelled"
    assert client.get(f"{where}/result").status_code == 409
    assert client.delete(where).status_code == 200
    assert client.get(where).status_code == 404
    assert client.delete(where).status_code == 404
    assert not list((tmp_path / "jobs").iterdir())


def test_a_running_job_stops_when_it_is_cancelled(client, monkeypatch):
    jobs, service = client.app.state.jobs, client.app.state.service
    load = service.load
    while client.get("/readyz").status_code != 200:
        time.sleep(0.01)  # it loads models, too, until it is ready

    def cancel_and_load(*arguments, **more):
        for job in jobs.list("local"):
            jobs.cancel(job)
        return load(*arguments, **more)

    monkeypatch.setattr(service, "load", cancel_and_load)
    job = jobs.submit("local", "a.txt", b"gonna", Asked("formal"))
    while client.get(f"/v1/jobs/{job.id}").json()["state"] != "cancelled":
        time.sleep(0.01)
    monkeypatch.setattr(service, "load", load)
    assert fetch(client, send(client, "b.txt", b"gonna")).status_code == 200
    assert not jobs.result(job).exists()


def test_jobs_outlive_the_server(tmp_path):
    where = send(open_client(tmp_path), "a.txt", b"gonna go").headers["location"]
    with open_client(tmp_path) as later:
        while later.get(where).json()["state"] != "done":
            time.sleep(0.01)
        result = later.get(f"{where}/result").text
    assert result == paraphrast.rewrite("gonna go", to="formal").text
    with open_client(tmp_path) as latest:
        assert latest.get(f"{where}/result").text == result


def test_a_broken_job_does_not_stop_the_server(tmp_path):
    folder = tmp_path / "jobs" / "0123"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text("{")
    with open_client(tmp_path) as client:
        assert client.get("/v1/jobs").json() == {"jobs": []}


def test_nobody_sees_the_jobs_of_others(client):
    job = client.app.state.jobs.submit("other", "a.txt", b"x", Asked("formal"))
    assert client.get("/v1/jobs").json() == {"jobs": []}
    for path in (f"/v1/jobs/{job.id}", f"/v1/jobs/{job.id}/result", "/v1/jobs/no"):
        assert client.get(path).status_code == 404
    assert client.delete(f"/v1/jobs/{job.id}").status_code == 404


def test_the_number_of_jobs_per_person_is_limited(tmp_path):
    client = open_client(tmp_path, limits=Limits(jobs=1))
    assert send(client, "a.txt", b"x").status_code == 202
    answer = send(client, "b.txt", b"x")
    assert answer.status_code == 429
    assert "Delete" in answer.json()["detail"]


def test_changes_can_be_tracked_in_word_documents_alone(client):
    letter = docx_toy.make(docx_toy.paragraph(docx_toy.run("I'm gonna go.")))
    asked = {"rewriter": "rules", "track_changes": "true"}
    result = fetch(client, send(client, "a.docx", letter, **asked))
    assert docx_toy.part(result.content).findall(f".//{{{docx_toy.W}}}ins")
    refused = send(client, "a.html", b"<p>hi</p>", **asked)
    assert refused.status_code == 400
    assert "only in docx" in refused.json()["detail"]


def test_a_job_says_what_stayed_as_it_was(client):
    page = b"<p>I'm gonna go.</p><p>The sun rises.</p>"
    asked = {"rewriter": "rules"}
    (line,) = wait(client, send(client, "a.html", page, **asked))["left"]
    assert line == "left 1 sentence unchanged: no rule applies: 'The sun rises.'."
    changed = b"<p>I'm gonna go.</p>"
    assert wait(client, send(client, "a.html", changed, **asked))["left"] == []


def test_results_are_deleted_some_days_after_they_were_made(tmp_path):
    with open_client(tmp_path) as client:
        old, new = (send(client, name, b"gonna") for name in ("a.txt", "b.txt"))
        for answer in (old, new):
            wait(client, answer)
    path = tmp_path / "jobs" / old.json()["id"] / "job.json"
    record = json.loads(path.read_text("utf-8"))
    record["ended"] -= 8 * 86_400
    path.write_text(json.dumps(record), "utf-8")
    with open_client(tmp_path) as client:
        assert client.get(old.headers["location"]).status_code == 404
        assert client.get(new.headers["location"]).json()["state"] == "done"
    assert [folder.name for folder in (tmp_path / "jobs").iterdir()] == [
        new.json()["id"]
    ]
