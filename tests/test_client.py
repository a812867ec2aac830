"""`paraphrast.Client`: the local API's words and answers, from a server."""

import pytest

import paraphrast
from paraphrast import ParaphrastError
from paraphrast.rewriting.interface import Reading
from paraphrast.text.spans import Span
from paraphrast.web.settings import Limits, Settings
from tests.web_server import Server

TEXT = "wanna come? it's Romeo's party 😀, u know"


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(**settings):
        servers.append(Server(Settings(data=tmp_path, **settings)))
        return paraphrast.Client(servers[-1].address)

    yield start
    for server in servers:
        server.stop()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n": 3},
        {"protect": "wanna"},
        {"protect": ["wanna", "u"], "seed": 2, "headings": True, "markdown": True},
        {"using": "rules"},
    ],
)
def test_a_server_answers_as_the_local_api_does(serve, options):
    client = serve()
    texts = [TEXT, "", "gonna go"]
    for given in (TEXT, texts, iter(texts), []):
        expected = paraphrast.rewrite(
            texts if not isinstance(given, str | list) else given,
            to="formal",
            **options,
        )
        assert client.rewrite(given, to="formal", **options) == expected


def test_a_rewriter_is_loaded_once_and_used_again(serve):
    formal = serve().load("formal")
    assert formal.rewrite("gonna go") == paraphrast.rewrite("gonna go", to="formal")
    with pytest.raises(ParaphrastError, match="does not support strength"):
        formal.adjusted(strength=0.2).rewrite("gonna go")


def test_styles_are_listed(serve):
    assert serve().styles() == paraphrast.styles()


def test_texts_beyond_the_server_limit_are_sent_in_batches(serve):
    client = serve(limits=Limits(texts_per_request=2))
    texts = [f"gonna go {number}" for number in range(5)]
    expected = paraphrast.rewrite(texts, to="formal")
    assert client.rewrite(texts, to="formal") == expected


def test_errors_are_those_of_the_local_api(serve):
    client = serve()
    with pytest.raises(ParaphrastError, match="unknown style") as caught:
        client.rewrite("x", to="formel")
    assert caught.value.did_you_mean == "formal"
    with pytest.raises(ParaphrastError, match="0 alternatives"):
        client.rewrite("x", to="formal", n=0)


def test_texts_and_terms_are_checked_before_they_are_sent():
    formal = paraphrast.Client("http://127.0.0.1:1").load("formal")
    with pytest.raises(ParaphrastError, match="text 1 is None, not a str"):
        formal.rewrite(["a", None])
    with pytest.raises(ParaphrastError, match="terms to protect, found 3"):
        formal.rewrite("a", protect=[3])
    with pytest.raises(ParaphrastError, match="whole number, 0 or more, not '1'"):
        formal.rewrite("a", seed="1")
    with pytest.raises(ParaphrastError, match="not stretches of a text"):
        formal.alternatives(["a"], 1, reading=Reading(kept=(Span(0, 1),)))


def test_a_busy_server_is_asked_again(serve, monkeypatch):
    waited = []
    client = serve(limits=Limits(requests_per_minute=1))
    assert client.styles()
    monkeypatch.setattr("paraphrast.client.sleep", waited.append)
    with pytest.raises(ParaphrastError, match="requests per minute"):
        client.styles()
    assert len(waited) == 4
    assert all(0 < seconds <= 60 for seconds in waited)


def test_a_key_is_sent_and_not_shown(serve):
    client = serve(accounts=True, secret="correct horse battery staple")
    with pytest.raises(ParaphrastError, match="API key"):
        client.styles()
    keyed = paraphrast.Client(client.url, key="para_secret")
    assert "para_secret" not in repr(keyed)
    with pytest.raises(ParaphrastError, match="API key"):
        keyed.styles()


@pytest.mark.parametrize("url", ["", "example.org", "ftp://example.org", "http://"])
def test_an_invalid_address_is_refused(url):
    with pytest.raises(ParaphrastError, match="not an address"):
        paraphrast.Client(url)


def test_an_unreachable_server_is_reported_in_one_line():
    with pytest.raises(ParaphrastError, match="paraphrast serve"):
        paraphrast.Client("http://127.0.0.1:1").styles()
