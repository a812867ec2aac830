"""``/v1``: the same answers as the local API's, in JSON, and problems that help."""

import json
from dataclasses import asdict

import pytest
from starlette.testclient import TestClient

import paraphrast
from paraphrast.web.api.schemas import RewriteResponse
from paraphrast.web.app import create_app
from paraphrast.web.settings import Limits, Settings

ALONE = "http://127.0.0.1"
JSON = {"Content-Type": "application/json"}
SECRET = "correct horse battery staple"


def make_client(tmp_path, **settings):
    app = create_app(Settings(data=tmp_path, **settings))
    return TestClient(app, base_url=ALONE)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with make_client(tmp_path_factory.mktemp("alone")) as client:
        yield client


def rewrite(client, text, **more):
    answer = client.post("/v1/rewrite", json={"text": text, "style": "formal", **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_text_has_one_record_with_all_documented_fields(client):
    answer = rewrite(client, "gonna be late, soz")
    assert answer.keys() == {"rewrites", "model", "signature", "usage"}
    (record,) = answer["rewrites"]
    assert record["source"] == "gonna be late, soz"
    assert record["text"] == "Going to be late, sorry."
    assert record["why"] == ""
    assert record["changes"][0].keys() == {"start", "end", "before", "after", "rule"}
    assert record["alternatives"] == []
    assert record["scores"] is None
    assert record["alignment"] is None
    assert answer["model"] == {"rewriter": "rules", "pack": None, "sha256": None}
    assert answer["signature"].startswith("rewrite|style:formal|rewriter:rules|")
    assert answer["usage"] == {"characters": 18}


def test_several_texts_have_as_many_records_in_order_and_say_why_they_stayed(client):
    texts = ["gonna go", "", "Thank you.", "    \n", "gonna go", "😀 gonna go"]
    records = rewrite(client, texts)["rewrites"]
    assert [record["source"] for record in records] == texts
    assert records[1]["why"] == "it is empty"
    assert records[2]["text"] == "Thank you."
    assert records[2]["why"]
    assert records[0] == records[4]
    assert rewrite(client, [])["rewrites"] == []


def test_a_record_is_what_the_local_api_gives(client):
    text = "wanna come? it's # Romeo's party 😀, u know"
    (record,) = rewrite(client, text, alternatives=3, protect=["wanna"])["rewrites"]
    best, *others = paraphrast.rewrite(text, to="formal", n=4, protect=["wanna"])
    mine = {key: record[key] for key in asdict(best)}
    assert mine == json.loads(json.dumps(asdict(best)))
    assert [other["text"] for other in record["alternatives"]] == [
        other.text for other in others
    ]
    for change in record["changes"]:  # code points, not UTF-16
        assert text[change["start"] : change["end"]] == change["before"]


def test_scores_and_alignment_come_when_asked_for(client):
    asked = {"scores": True, "alignment": True, "alternatives": 2}
    (record,) = rewrite(client, "gonna be late", **asked)["rewrites"]
    assert record["scores"].keys() == {"style", "meaning", "fluency"}
    assert all(0 <= value <= 1 for value in record["scores"].values())
    assert record["tokens"]["source"] == ["gonna", "be", "late"]
    words = record["tokens"]["text"]
    assert [2, words.index("late"), "sure"] in record["alignment"]
    assert all(other["scores"] for other in record["alternatives"])


def test_markdown_keeps_its_structure(client):
    text = "# wanna\n\n- gonna go now, `gonna`\n"
    record = rewrite(client, text, format="markdown")["rewrites"][0]
    assert record["text"].startswith("# wanna\n\n- ")
    assert "`gonna`" in record["text"]


def test_html_keeps_its_tags(client):
    text = '<p class="a">I\'m <b>gonna</b> go now.</p><pre>gonna ü</pre>'
    asked = {"format": "html", "scores": True, "alternatives": 2}
    record, empty = rewrite(client, [text, "<hr>"], **asked)["rewrites"]
    assert record["source"] == text
    assert record["text"].startswith('<p class="a">I am <b>going to</b> go now.</p>')
    assert record["text"].endswith("<pre>gonna ü</pre>")
    assert record["scores"]["meaning"]
    assert record["alternatives"] == record["changes"] == []
    assert empty["text"] == "<hr>"
    assert empty["why"] == "it holds no prose to rewrite"
    (event,) = stream(client, text=text, style="formal", format="html")
    assert event[0] == "error"
    assert "HTML" in event[1]["detail"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"text": "x"}, 422, ["`style` is required"]),
        ({"text": 1, "style": "formal"}, 422, ["text"]),
        ({"text": ["x", 1], "style": "formal"}, 422, ["`text.1`: input should be"]),
        (
            {"text": "x", "style": "formal", "strenght": 1},
            422,
            ["unknown field `strenght`"],
        ),
        ({"text": "x", "style": "formal", "strength": 2}, 422, ["strength"]),
        ({"text": "x", "style": "formal", "alternatives": -1}, 422, ["alternatives"]),
        ({"text": "x", "style": "formel"}, 400, ["unknown style", "formal"]),
        ({"text": "x", "style": "formal", "rewriter": "rule"}, 400, ["'rules'"]),
        ({"text": "x", "style": "formal", "strength": 0.5}, 400, ["strength"]),
        ({"text": "\ud800", "style": "formal"}, 422, ["text"]),
        (["x"], 422, []),
    ],
)
def test_a_mistake_is_a_problem_that_says_what_to_do(client, body, status, words):
    answer = client.post("/v1/rewrite", content=json.dumps(body), headers=JSON)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["title"]
    for word in words:
        assert word in problem["detail"]
    assert "[" not in problem["detail"]  # no names of our types


def test_a_problem_proposes_what_was_probably_meant(client):
    answer = client.post("/v1/rewrite", json={"text": "x", "style": "formel"})
    assert answer.json()["did_you_mean"] == "formal"


@pytest.mark.parametrize("content", [b"", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_not_json_is_a_problem(client, content):
    answer = client.post("/v1/rewrite", content=content, headers=JSON)
    assert answer.status_code in (400, 422)


def test_a_truncated_body_is_reported_as_invalid_json(client):
    answer = client.post("/v1/rewrite", content=b'{"text": "x"', headers=JSON)
    detail = "the body is not valid JSON, from character 12 on."
    assert answer.json()["detail"] == detail
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_without_the_json_content_type_is_refused(client):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/v1/rewrite", content=b'{"text": "x"}', headers=headers)
    assert answer.status_code == 415
    assert "Content-Type: application/json" in answer.json()["detail"]


def test_problems_do_not_repeat_the_text(client):
    body = {"text": ["very private", {"also": "private"}], "style": "formal"}
    assert "private" not in client.post("/v1/rewrite", json=body).text


def test_limits_are_stated_and_enforced(tmp_path):
    limits = Limits(characters_per_text=5, texts_per_request=2)
    with make_client(tmp_path, limits=limits) as client:
        told = client.get("/v1/limits").json()
        assert told == asdict(limits)
        for text in ("123456", ["1", "2", "3"]):
            body = {"text": text, "style": "formal"}
            answer = client.post("/v1/rewrite", json=body)
            assert answer.status_code == 413
            assert "/v1/jobs" in answer.json()["detail"]
        assert rewrite(client, ["12345", "1"])


def test_too_many_requests_get_a_retry_time(tmp_path):
    limits = Limits(requests_per_minute=2)
    with make_client(tmp_path, limits=limits) as client:
        first = client.get("/v1/styles")
        assert first.headers["ratelimit-policy"] == '"minute";q=2;w=60'
        assert '"minute";r=1;' in first.headers["ratelimit"]
        assert client.get("/v1/styles").status_code == 200
        answer = client.get("/v1/styles")
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert client.get("/healthz").status_code == 200


def test_the_rewrite_page_shares_the_rate_limit_of_the_api(tmp_path):
    with make_client(tmp_path, limits=Limits(requests_per_minute=1)) as client:
        form = {"text": "u ok?", "style": "formal", "rewriter": "rules"}
        assert client.post("/rewrite/rows", data=form).status_code == 200
        for answer in (
            client.post("/rewrite/rows", data=form),
            client.post("/rewrite/documents", files={"file": ("a.srt", b"")}),
            client.get("/v1/styles"),
        ):
            assert answer.status_code == 429
            assert "per minute. Try again in" in answer.json()["detail"]
        assert client.get("/rewrite").status_code == 200


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        (["serve"], 600),
        (["serve", "--requests-per-minute", "7"], 7),
        (["studio", "--no-browser"], 0),
    ],
)
def test_a_server_for_others_has_a_limit_and_the_studio_has_none(
    run, tmp_path, monkeypatch, command, limit
):
    started = []
    monkeypatch.setattr(
        "paraphrast.web.server.run", lambda settings, **_: started.append(settings)
    )
    run(*command, "--data", str(tmp_path))
    (settings,) = started
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        told = client.get("/v1/limits")
    assert told.json()["requests_per_minute"] == limit
    assert ("ratelimit-policy" in told.headers) == (limit > 0)


def test_a_full_queue_is_reported_at_once(tmp_path):
    client = make_client(tmp_path, limits=Limits(queue_length=1))
    client.app.state.admission.inside = 1
    answer = client.post("/v1/rewrite", json={"text": "x", "style": "formal"})
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "2"


def test_styles_and_rewriters_are_those_of_the_command_line(client):
    listed = client.get("/v1/styles").json()["styles"]
    known = [asdict(s) | {"rewriters": list(s.rewriters)} for s in paraphrast.styles()]
    assert listed == known
    names = [r["name"] for r in client.get("/v1/rewriters").json()["rewriters"]]
    assert "rules" in names


def test_texts_are_scored_beside_their_sources(client):
    body = {"source": ["gonna go"] * 2, "text": ["I am going to go.", "bye"]}
    answer = client.post("/v1/score", json={**body, "style": "formal"}).json()
    near, far = answer["scores"]
    assert near["meaning"] > far["meaning"]
    assert answer["judge"] == "small"
    without = client.post("/v1/score", json=body).json()["scores"]
    assert [record["style"] for record in without] == [None, None]


def test_words_are_aligned(client):
    body = {"source": ["He is late.", ""], "target": ["He is late.", "x"]}
    answer = client.post("/v1/align", json=body).json()
    first, second = answer["alignments"]
    assert first["source"] == first["target"] == ["He", "is", "late", "."]
    assert [link[:2] for link in first["links"]] == [[i, i] for i in range(4)]
    assert {link[3] for link in first["links"]} == {"sure"}
    assert second["links"] == []
    assert second["error"] == "a side is empty"


def test_preferring_recall_gives_more_links(client):
    body = {
        "source": "The third one is an athlete from Zimbabwe, "
        "with a result of 354 points.",
        "target": "A Zimbabwean came third, with a total score of 354 points.",
    }

    def links(**preference):
        answer = client.post("/v1/align", json=body | preference).json()
        return answer["alignments"][0]["links"]

    assert links() == links(prefer="precision")
    assert len(links()) < len(links(prefer="balance")) < len(links(prefer="recall"))
    refused = client.post("/v1/align", json=body | {"prefer": "f1"})
    assert refused.status_code in (400, 422)
    assert "precision" in refused.text


@pytest.mark.parametrize(("path", "other"), [("score", "text"), ("align", "target")])
def test_unequal_numbers_of_texts_are_refused(client, path, other):
    answer = client.post(f"/v1/{path}", json={"source": ["a", "b"], other: "c"})
    assert answer.status_code == 400
    assert "2 sources" in answer.json()["detail"]


def test_a_style_that_the_judge_does_not_know_is_refused(client):
    body = {"source": "a", "text": "b", "style": "formel"}
    answer = client.post("/v1/score", json=body)
    assert answer.status_code == 400
    assert answer.json()["did_you_mean"] == "formal"


def read_events(text):
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def stream(client, **body):
    headers = {"Accept": "text/event-stream"}
    answer = client.post("/v1/rewrite", json=body, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    return list(read_events(answer.text))


def test_sentences_come_one_by_one_when_a_stream_is_wanted(client):
    texts = ["gonna go. wanna come?\n\n- u ok?", "soz"]
    events = stream(client, text=texts, style="formal", scores=True)
    assert [name for name, _ in events] == ["rewrite"] * 4 + ["done"]
    joined = list(texts)
    for _, record in reversed(events[:-1]):
        index, start, source = record["index"], record["start"], record["source"]
        assert texts[index][start:].startswith(source)
        end = start + len(source)
        joined[index] = joined[index][:start] + record["text"] + joined[index][end:]
        assert record["scores"]
    whole = rewrite(client, texts)
    assert joined == [record["text"] for record in whole["rewrites"]]
    done = events[-1][1]
    assert done == {key: whole[key] for key in ("model", "signature", "usage")}


def test_a_stream_that_fails_ends_with_an_error(client, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("private")

    monkeypatch.setattr(client.app.state.service, "rate", fail)
    (event,) = stream(client, text="gonna go", style="formal", scores=True)
    assert event[0] == "error"
    assert event[1]["status"] == 500
    assert "private" not in str(event)


def test_a_server_is_ready_when_the_models_are_there(tmp_path):
    client = make_client(tmp_path)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "loaded": 0, "styles": 0, "why": ""}
    service = client.app.state.service
    service.preload()
    assert service.batcher.sentences == 1  # one model, which is read by now
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["loaded"] == answer.json()["styles"] > 0


def test_with_accounts_nobody_gets_in_without_a_key(tmp_path):
    client = make_client(tmp_path, accounts=True, secret=SECRET)
    for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": "Basic x"}):
        answer = client.get("/v1/styles", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"


def test_every_endpoint_is_described_with_its_problems(client):
    described = client.get("/openapi.json").json()
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path
            if path.startswith("/v1"):
                assert (
                    "application/problem+json"
                    in (operation["responses"]["429"]["content"])
                )


@pytest.mark.parametrize("path", ["rewrite", "score", "align"])
def test_the_examples_of_the_description_work(client, path):
    described = client.get("/openapi.json").json()
    operation = described["paths"][f"/v1/{path}"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    schema = described["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    (example,) = schema["examples"]
    assert schema["additionalProperties"] is False
    assert client.post(f"/v1/{path}", json=example).status_code == 200


def test_the_example_response_is_a_real_response():
    (example,) = RewriteResponse.model_json_schema()["examples"]
    assert RewriteResponse.model_validate(example).model_dump().keys() == example.keys()


def test_nothing_that_was_sent_is_logged(tmp_path, caplog, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("private")

    client = make_client(tmp_path)
    monkeypatch.setattr(client.app.state.service, "load", fail)
    with caplog.at_level("DEBUG", logger="paraphrast"):
        body = {"text": "private", "style": "formal"}
        key = {"Authorization": "Bearer private"}
        answer = client.post("/v1/rewrite?private=1", json=body, headers=key)
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in caplog.text
    assert "RuntimeError" in caplog.text
    assert "private" not in caplog.text


def test_a_server_whose_models_cannot_be_loaded_says_so(tmp_path, monkeypatch, caplog):
    def fail(home):
        raise PermissionError(13, "Permission denied", str(home))

    monkeypatch.setattr("paraphrast.rewriting.offers.default_styles", fail)
    with make_client(tmp_path) as client:
        client.app.state.service._preloading.join()
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "log says why" in answer.json()["why"]
    assert "Permission denied" in caplog.text
