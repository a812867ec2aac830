"""The application around the pages and the interface: what every request passes."""

import asyncio
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import replace
from http.cookiejar import CookieJar

import pytest
from starlette.testclient import TestClient

from paraphrast.web.app import create_app
from paraphrast.web.middleware import SECURITY_HEADERS, LimitedBody
from paraphrast.web.settings import Limits, Settings, is_loopback

ALONE = "http://127.0.0.1"
SECRET = "correct horse battery staple"


@pytest.fixture
def settings(tmp_path):
    return Settings(data=tmp_path)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = Settings(data=tmp_path_factory.mktemp("alone"))
    with TestClient(create_app(settings), base_url=ALONE) as client:
        yield client


def test_the_liveness_route_answers(client):
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/", "/healthz", "/static/app.css"])
def test_head_is_answered_as_get(client, path):
    head, get = client.head(path), client.get(path)
    assert head.status_code == 200
    assert head.headers["content-type"] == get.headers["content-type"]


def test_the_first_page_is_html(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>Rewrite</h1>" in page.text


@pytest.mark.parametrize("path", ["/", "/healthz", "/nowhere", "/static/app.css"])
def test_every_answer_has_the_security_headers_and_an_id_of_its_own(client, path):
    first, second = client.get(path), client.get(path)
    for name, value in SECURITY_HEADERS.items():
        assert first.headers[name] == value
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    assert "unsafe" not in first.headers["content-security-policy"]


def test_a_missing_route_is_a_problem_without_a_stack_trace(client):
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 404
    assert "Check the address" in answer.json()["detail"]
    wrong = client.get("/v1/rewrite")
    assert (wrong.status_code, wrong.json()["detail"]) == (
        405,
        "this address accepts only POST.",
    )


def test_a_bug_is_a_problem_without_its_details(settings):
    app = create_app(settings)

    @app.get("/bug")
    def bug() -> None:
        raise RuntimeError("private")

    answer = TestClient(app, base_url=ALONE, raise_server_exceptions=False).get("/bug")
    assert answer.status_code == 500
    assert "private" not in answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({}, True),  # curl
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": ALONE}, True),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://127.0.0.1.evil.example"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": ALONE}, False),
    ],
)
def test_only_our_own_pages_and_no_other_site_may_change_anything(
    client, headers, passes
):
    assert (client.post("/healthz", headers=headers).status_code != 403) is passes
    assert client.get("/healthz", headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "", "[::1"])
def test_a_name_that_another_site_points_at_loopback_is_refused(client, host):
    assert client.get("/healthz", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765"])
def test_names_of_loopback_are_ours(client, host):
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_with_accounts_any_host_name_will_do(settings):
    served = replace(settings, accounts=True, secret=SECRET, host="0.0.0.0")
    client = TestClient(create_app(served), base_url="http://department.example")
    assert client.get("/healthz").status_code == 200


def test_a_body_too_large_is_refused_with_or_without_content_length(settings):
    app = create_app(replace(settings, limits=Limits(body_bytes=10)))
    client = TestClient(app, base_url=ALONE)
    for body in (b"x" * 11, iter([b"x" * 6, b"x" * 6])):
        answer = client.post("/healthz", content=body)
        assert answer.status_code == 413
        assert "10 bytes" in answer.json()["detail"]
    assert client.post("/healthz", content=b"x" * 10).status_code == 405


def test_a_body_that_never_ends_is_aborted():
    async def forever():
        await asyncio.Event().wait()

    async def never(*_):
        pytest.fail("the application saw it")

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    limits = Limits(body_seconds=1)
    asyncio.run(LimitedBody(never, limits=limits)(scope, forever, send))
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.evil.example", False),
    ],
)
def test_loopback_addresses_are_recognised(host, expected):
    assert is_loopback(host) is expected


def test_others_are_not_served_without_accounts_and_a_secret(run):
    code, _, err = run("serve", "--host", "0.0.0.0")
    assert code == 2
    assert "--accounts" in err
    code, _, err = run("serve", "--host", "0.0.0.0", "--accounts")
    assert code == 2
    assert "PARAPHRAST_SECRET" in err


def test_secrets_are_not_shown():
    settings = Settings(secret=SECRET, start_token="token-in-the-link")
    assert SECRET not in repr(settings)
    assert "token-in-the-link" not in repr(settings)


def test_a_port_in_use_is_reported_in_one_line(run):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = run("serve", "--port", taken.getsockname()[1])
    assert code == 2
    assert "--port" in err


def test_the_studio_prints_a_link_that_opens(tmp_path):
    command = [sys.executable, "-m", "paraphrast", "studio", "--no-browser"]
    options = ["--port", "0", "--data", tmp_path]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            link = server.stdout.readline().split()[-1]
            browser = urllib.request.build_opener(
                urllib.request.HTTPCookieProcessor(CookieJar())
            )
            with browser.open(link) as page:
                assert "Paraphrast" in page.read().decode()
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(link)  # it works once
        finally:
            server.terminate()
