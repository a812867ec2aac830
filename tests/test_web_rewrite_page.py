"""The Rewrite page over HTTP; `tests/browser` has what a script does on it."""

import json
import re
import shlex
import time
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree
from starlette.testclient import TestClient

from paraphrast.rewriting import offers
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.ratings import Rating
from paraphrast.web.app import create_app
from paraphrast.web.pages.rewrite_form import Asked
from paraphrast.web.pages.rewrite_rows import Explain, describe, make_rows
from paraphrast.web.settings import Limits, Settings
from tests import docx_toy

TEXT = "gonna be late, soz. u ok?"
FORMAL = "Going to be late, sorry. You ok?"
ASKED = Asked(TEXT, rewriter="rules", alternatives=3, keep="ok", scores=False)


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(data=tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="module")
def client(settings):
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        yield client


def fields(**changed):
    return {"text": TEXT, "style": "formal", "rewriter": "rules"} | changed


def read_rows(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


def test_the_page_offers_every_style_and_rewriter(client):
    page = client.get("/rewrite").text
    assert '<option value="formal" selected>' in page
    assert '<option value="rules">' in page


def test_rows_come_one_by_one_and_the_commands_last(client):
    *rows, last = read_rows(client.post("/rewrite/rows", data=fields()))
    assert [row["end"] for row in rows] == [19, 20, 25]
    assert 'id="s0"' in rows[0]["html"]
    assert 'id="s20"' in rows[2]["html"]
    assert "curl" in last["commands"]


def test_rewriting_one_sentence_again_keeps_its_place(client):
    form = fields(sentence="u ok?", offset=20, keep="u")
    row, last = read_rows(client.post("/rewrite/rows", data=form))
    assert 'id="s20"' in row["html"]
    assert TEXT in last["commands"]  # they are about the whole text
    assert "--protect u" in last["commands"]


def test_a_file_takes_the_place_of_the_text(client):
    sent = {"file": ("note.txt", "\ufeffim fine".encode())}
    row, _ = read_rows(client.post("/rewrite/rows", data=fields(), files=sent))
    assert 'data-source="im fine"' in row["html"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"text": " \n "}, "there is no text yet"),
        ({"style": "formel"}, "Did you mean 'formal'?"),
        ({"rewriter": "rule"}, "Did you mean 'rules'?"),
        ({"strength": "2"}, "strength must be 0 to 1"),
        ({"strength": "much"}, "strength must be a number, not 'much'"),
        ({"strength": "nan"}, "strength must be 0 to 1"),
        ({"strength": "0.9"}, "'rules' does not support strength"),
        ({"alternatives": "6"}, "alternatives must be 1 to 5"),
        ({"alternatives": "inf"}, "alternatives must be"),
        ({"offset": "x"}, "offset must be a whole number"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(client, changed, said):
    answer = client.post("/rewrite/rows", data=fields(**changed))
    assert answer.status_code == 400
    assert said in answer.json()["detail"]


def test_the_page_keeps_a_request_that_fails(client):
    page = client.post("/rewrite", data=fields(style="formel", keep="Maria"))
    assert page.status_code == 400
    assert TEXT in page.text
    assert 'value="Maria"' in page.text
    assert "Unknown style" in page.text


def test_a_file_that_is_not_text_is_refused(client):
    sent = {"file": ("a.txt", b"PK\x03\x04\xff")}
    answer = client.post("/rewrite/rows", data=fields(), files=sent)
    assert "a.txt is not text in UTF-8" in answer.json()["detail"]


def test_a_document_is_not_read_as_text(client):
    sent = {"file": ("a.html", b"<p>u ok?</p>")}
    page = client.post("/rewrite", data=fields(), files=sent)
    assert page.status_code == 400
    assert "a.html would lose its formatting" in page.text
    assert TEXT in page.text


def send_document(client, name, content, **changed):
    sent = {"file": (name, content)}
    return client.post("/rewrite/documents", data=fields(**changed), files=sent)


def test_a_document_becomes_a_job_that_the_page_follows(client):
    answer = send_document(client, "a.html", b"<p>u ok, Maria?</p>", keep="u, Maria")
    assert answer.status_code == 200, answer.text
    number = re.search(r'data-job="(\w+)"', answer.text)[1]
    assert 'data-result="a-formal.html"' in answer.text
    while client.get(f"/v1/jobs/{number}").json()["state"] != "done":
        time.sleep(0.01)
    assert client.get(f"/v1/jobs/{number}/result").text == "<p>u ok, Maria?</p>"


@pytest.mark.parametrize("name", ["", "a.txt", "a.csv", "a.pdf"])
def test_a_file_that_is_not_a_document_becomes_no_job(client, name):
    jobs = client.get("/v1/jobs").json()
    answer = send_document(client, name, b"x")
    assert answer.status_code == 400
    assert "Choose one of .docx" in answer.json()["detail"]
    assert client.get("/v1/jobs").json() == jobs


def test_document_mistakes_are_reported_before_a_job_is_created(client):
    jobs = client.get("/v1/jobs").json()
    answer = send_document(client, "a.html", b"<p>u ok?</p>", style="formel")
    assert "Did you mean 'formal'?" in answer.json()["detail"]
    assert client.get("/v1/jobs").json() == jobs


LETTER = Asked(
    document="my letter.docx", rewriter="rules", keep="Q3", track_changes=True
)


def test_the_command_for_a_document_gives_the_same_as_its_request(
    client, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    letter = docx_toy.make(docx_toy.paragraph(docx_toy.run("I'm gonna go.")))
    Path(LETTER.document).write_bytes(letter)
    _, *arguments = shlex.split(LETTER.as_command())
    assert run(*arguments)[0] == 0
    curl, address, *options = shlex.split(LETTER.as_curl("http://127.0.0.1"))
    assert (curl, *options[::2]) == ("curl", *["-F"] * (len(options) // 2))
    form = dict(option.split("=", 1) for option in options[1::2])
    assert form.pop("file") == f"@{LETTER.document}"
    sent = {"file": (LETTER.document, letter)}
    where = client.post(address, data=form, files=sent).headers["location"]
    while client.get(where).json()["state"] != "done":
        time.sleep(0.01)
    parts = [
        etree.tostring(docx_toy.part(content))
        for content in (
            client.get(f"{where}/result").content,
            Path("my letter-formal.docx").read_bytes(),
        )
    ]
    dates = re.compile(rb'w:date="[^"]*"')
    assert dates.sub(b"", parts[0]) == dates.sub(b"", parts[1])


def test_a_text_over_the_limit_is_refused_with_the_limit(tmp_path):
    limits = Limits(characters_per_text=10)
    app = create_app(Settings(data=tmp_path, limits=limits))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answer = client.post("/rewrite/rows", data=fields())
    assert "25 characters; here 10" in answer.json()["detail"]


def test_a_text_of_a_megabyte_in_one_field_reaches_the_limit_on_characters(client):
    sent = {"file": ("", b"")}  # makes it multipart
    answer = client.post("/rewrite/rows", data=fields(text="u " * 2**20), files=sent)
    assert "may be rewritten at once" in answer.json()["detail"]


def test_the_whole_page_comes_without_scripts(client):
    page = client.post("/rewrite", data=fields(scores="1")).text
    assert page.count('class="sentence card"') == 2
    assert "<meter" in page
    assert "paraphrast rewrite --to formal" in page


def test_the_command_that_is_shown_gives_the_same(run):
    command, *arguments = shlex.split(replace(ASKED, alternatives=1).as_command())
    assert command == "paraphrast"
    assert run(*arguments)[1].strip() == FORMAL


@pytest.mark.parametrize("asked", [ASKED, replace(ASKED, markdown=True, scores=True)])
def test_the_request_that_is_shown_is_one_that_the_interface_takes(client, asked):
    curl, address, flag, body = shlex.split(asked.as_curl("http://127.0.0.1"))
    assert (curl, flag) == ("curl", "--json")
    answer = client.post(address, json=json.loads(body))
    assert answer.json()["rewrites"][0]["text"] == FORMAL


def test_a_long_text_is_a_file_in_the_command():
    long = Asked("word " * 100, strength=0.8, keep=" Maria , ,Q3")
    assert long.as_command() == (
        "paraphrast rewrite --to formal --strength 0.8 --protect Maria --protect Q3 "
        "--alternatives 5 text.txt"
    )
    assert "word" not in long.as_curl("http://127.0.0.1")


def read_best(row):
    if not row.options:
        return row.text
    parts = row.options[0].parts
    return "".join(part.change.after if part.change else part.text for part in parts)


def test_rows_joined_are_the_text_and_its_best_rewrite():
    text = "# Hi\n\ngonna be late, soz.\n\n- u ok?\n- it's fine, im here\n"
    rewriter = offers.load("formal", using="rules")
    reading = Reading(markdown=True)
    rows = list(
        make_rows(rewriter, text, 3, reading=reading, explain=Explain("formal"))
    )
    assert "".join(row.text for row in rows) == text
    best = "".join(map(read_best, rows))
    assert best == rewriter.rewrite(text, markdown=True).text


def test_scores_are_described_in_words():
    def rate(source, texts):
        return [Rating(None, 0.95, 0.3) for _ in texts]

    rewriter = offers.load("formal", using="rules")
    row, *_ = make_rows(
        rewriter, "u ok?", 1, reading=Reading(), explain=Explain("formal", rate)
    )
    assert [(s.name, s.words) for s in row.options[0].scores] == [
        ("meaning", "very close"),
        ("fluency", "uneven"),
    ]
    assert describe("style", 0.9, "formal") == "strongly formal"
    assert describe("style", 0.0, "formal") == "hardly formal"
