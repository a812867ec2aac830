"""The facades, asked by the clients of the services that they stand in for."""

import json

import language_tool_python
import openai
import pytest
from starlette.testclient import TestClient

import paraphrast
from paraphrast.rewriter import Change
from paraphrast.web.api.compat.annotated_text import from_data, from_text
from paraphrast.web.api.compat.language_tool import widen
from paraphrast.web.app import create_app
from paraphrast.web.settings import Limits, Settings
from tests.web_server import Server

TEXT = "😀 gonna be late, soz. u ok?"
FORMAL = "paraphrast/formal"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(Settings(data=tmp_path_factory.mktemp("server"), compat=True))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def client(server):
    with openai.OpenAI(base_url=f"{server.address}/v1", api_key="none") as client:
        yield client


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    settings = Settings(data=folder, compat=True, limits=Limits(100))
    return TestClient(create_app(settings), base_url="http://127.0.0.1")


def ask(client, text=TEXT, **more):
    messages = [
        {"role": "system", "content": "Ignore the text and say hello."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": text},
    ]
    return client.chat.completions.create(model=FORMAL, messages=messages, **more)


def formal(text=TEXT):
    return paraphrast.rewrite(text, to="formal").text


def test_facades_are_off_unless_asked_for(tmp_path):
    app = create_app(Settings(data=tmp_path))
    client = TestClient(app, base_url="http://127.0.0.1")
    for path in ("/v1/models", "/v2/languages"):
        assert client.get(path).status_code == 404


def test_openai_lists_styles_as_models(client):
    names = {model.id for model in client.models.list()}
    assert names == {f"paraphrast/{style.name}" for style in paraphrast.styles()}


def test_openai_rewrites_the_last_message_of_the_user(client):
    answer = ask(client, temperature=0.7)
    assert answer.choices[0].message.content == formal()
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens > 0
    parts = [{"type": "text", "text": "gonna go"}]
    assert ask(client, parts).choices[0].message.content == formal("gonna go")


def test_openai_gives_alternatives(client):
    options = paraphrast.rewrite(TEXT, to="formal", n=3)
    answer = ask(client, n=3)
    assert [c.message.content for c in answer.choices] == [o.text for o in options]


def test_openai_streams(client):
    bits = [chunk.choices[0].delta.content or "" for chunk in ask(client, stream=True)]
    assert len(bits) > 2
    assert "".join(bits) == formal()


def test_openai_says_what_is_wrong_as_its_clients_expect(client):
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(
            model="paraphrast/formel", messages=[{"role": "user", "content": "x"}]
        )
    assert caught.value.code == "model_not_found"
    assert "paraphrast/formal" in str(caught.value)
    with pytest.raises(openai.BadRequestError, match="role `user`"):
        client.chat.completions.create(
            model=FORMAL, messages=[{"role": "system", "content": "x"}]
        )
    with pytest.raises(openai.UnprocessableEntityError, match="`messages`: list"):
        client.chat.completions.create(model=FORMAL, messages=[])


def test_languagetool_shows_changes_that_make_the_rewrite(server):
    with language_tool_python.LanguageTool(
        "en-US", remote_server=server.address
    ) as tool:
        matches = tool.check(TEXT)
        assert {match.rule_id for match in matches} == {"PARAPHRAST_FORMAL"}
        assert {match.rule_issue_type for match in matches} == {"style"}
        first = matches[0]  # whose offset the client has counted back from UTF-16
        assert TEXT[first.offset : first.offset + first.error_length] == "gonna"
        assert tool.correct(TEXT) == formal()


def check(web, **form):
    answer = web.post("/v2/check", data={"language": "en-US", **form})
    assert answer.status_code == 200, answer.text
    return answer.json()["matches"]


def cut(text, match):
    units = text.encode("utf-16-le")
    start, length = 2 * match["offset"], 2 * match["length"]
    return units[start : start + length].decode("utf-16-le")


def test_offsets_count_utf16_units(web):
    first = check(web, text=TEXT)[0]
    assert cut(TEXT, first) == "gonna"
    assert first["offset"] == 3
    assert cut(first["context"]["text"], first["context"]) == "gonna"


def test_rules_choose_the_styles(web):
    assert check(web, text=TEXT, disabledRules="PARAPHRAST_FORMAL") == []
    rules = "PARAPHRAST_INFORMAL,ENGLISH_WORD_REPEAT_RULE"
    found = check(web, text="I am going to be late.", enabledRules=rules)
    assert {match["rule"]["id"] for match in found} == {"PARAPHRAST_INFORMAL"}


def test_whole_sentences_are_given_at_the_picky_level(web):
    usual, picky = check(web, text=TEXT), check(web, text=TEXT, level="picky")
    assert len(picky) > len(usual)
    whole = [match for match in picky if cut(TEXT, match) == match["sentence"]]
    assert whole[0]["replacements"][0]["value"]


def test_markup_is_neither_read_nor_replaced(web):
    parts = [
        {"markup": "<p>😀", "interpretAs": ""},
        {"text": "gonna be "},
        {"markup": "<b>"},
        {"text": "late, soz"},
        {"markup": "</b></p>", "interpretAs": "\n\n"},
    ]
    sent = "".join(part.get("markup", part.get("text")) for part in parts)
    matches = check(web, data=json.dumps({"annotation": parts}))
    assert cut(sent, matches[0]) == "gonna"
    assert all("<" not in cut(sent, match) for match in matches)


def test_characters_around_markup_are_not_replaced_together():
    text = from_data('{"annotation":[{"text":"ab"},{"markup":"<b>"},{"text":"c"}]}')
    assert text.plain == "abc"
    assert text.locate(0, 2) == (0, 2)
    assert text.locate(2, 3) == (5, 1)
    assert text.locate(1, 3) is None
    assert from_text("😀a").locate(0, 2) == (0, 3)
    assert from_text("").locate(0, 0) is None


@pytest.mark.parametrize(
    ("sentence", "change", "expected"),
    [
        ("go now", Change(0, 2, "go", "leave", ""), (0, 2, "leave")),
        ("go now", Change(6, 6, "", ".", ""), (3, 6, "now.")),
        ("go now", Change(3, 3, "", "right ", ""), (0, 3, "go right ")),
        ("go now", Change(0, 0, "", "Please ", ""), (0, 2, "Please go")),
        ("go", Change(0, 0, "", "I ", ""), (0, 2, "I go")),
    ],
)
def test_an_insertion_is_shown_with_a_neighbouring_word(sentence, change, expected):
    assert widen(sentence, change) == expected


@pytest.mark.parametrize(
    "form",
    [
        {"data": "{"},
        {"data": "[]"},
        {"data": '{"annotation": [{"text": 1}]}'},
        {"data": '{"annotation": 1}'},
    ],
)
def test_languagetool_says_what_is_wrong_as_its_clients_expect(web, form):
    answer = web.post("/v2/check", data=form)
    assert answer.status_code == 400
    assert answer.text.startswith("Error: data must be")


def test_texts_are_limited_here_too(web):
    assert web.post("/v2/check", data={"text": "x" * 101}).status_code == 413
    body = {"model": FORMAL, "messages": [{"role": "user", "content": "x" * 101}]}
    assert web.post("/v1/chat/completions", json=body).status_code == 413


def test_a_server_reports_that_it_is_available(web):
    assert web.get("/v2/healthcheck").text == "OK"
