"""The catalogue: complete and honest entries, verified folders, real downloads."""

import json
import threading
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import PurePosixPath

import pytest
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora import catalogue
from paraphrast.corpora.catalogue import File, fetching, locate, names, verify
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError

ENTRIES = [catalogue.entry(name) for name in names()]
CONTENT = bytes(range(256)) * 1000


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry):
    for field in ("title", "about", "licence", "citation", "address"):
        assert getattr(entry, field).strip()
    assert entry.address.startswith(("https://", "http://"))
    loader = import_module(entry.loader)
    assert not entry.pairs or loader.pairs_of
    assert not entry.texts or loader.texts_of
    # Each kind of access explains itself and has the files that go with it.
    assert bool(entry.ask) == (entry.access == "own")
    assert bool(entry.derived) == (entry.access == "mirror")
    assert bool(entry.files) == (entry.access != "own")
    for file in entry.files:
        assert bool(file.address) == (entry.access == "public")
        assert PurePosixPath(file.path).is_relative_to(entry.folder)
        assert ".." not in file.path
        assert len(file.sha256) == 64


def test_no_file_is_listed_twice_or_for_an_unknown_corpus():
    listed = [file.path for entry in ENTRIES for file in entry.files]
    assert len(listed) == len(set(listed))
    assert set(catalogue._files()) <= set(names())


def test_corpora_under_licence_say_where_to_request_them():
    with pytest.raises(ParaphrastError, match=r"Yahoo Webscope.*loaders\.gyafc"):
        locate("gyafc")


def test_an_unknown_corpus_gets_a_suggestion():
    with pytest.raises(ParaphrastError, match="Did you mean 'bibles'"):
        catalogue.entry("bible")


def test_a_missing_corpus_says_how_to_get_it(tmp_path):
    with pytest.raises(ParaphrastError, match="fetch cola`, or set PARAPHRAST_MIRROR"):
        locate("cola", cache=tmp_path)
    with pytest.raises(ParaphrastError, match="can only come from a mirror"):
        fetching.fetch("bibles", cache=tmp_path)
    with pytest.raises(
        ParaphrastError, match=r"mirror .* lacks cola/in_domain_dev.tsv"
    ):
        locate("cola", mirror=tmp_path)


class Server(BaseHTTPRequestHandler):
    """Serves CONTENT, in ranges unless told otherwise, or cuts it short."""

    def __init__(self, asked, behaviour, *arguments):
        self.asked, self.behaviour = asked, behaviour
        super().__init__(*arguments)

    def do_GET(self):  # noqa: N802 - the name http.server calls
        wanted = self.headers.get("Range")
        self.asked.append((self.path, wanted))
        start = 0
        if wanted and self.behaviour != "whole":
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if self.behaviour == "missing":
            self.send_error(404)
            return
        body = CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:1000] if self.behaviour == "cut" else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def serve(monkeypatch):
    """Return a function that serves one corpus of two files, and what was asked."""
    servers = []

    def start(behaviour, content=CONTENT):
        asked = []
        handler = partial(Server, asked, behaviour)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        address = f"http://127.0.0.1:{server.server_port}/a+b.txt"
        digest = sha256(content).hexdigest()
        files = (File("cola/a+b.txt", len(content), digest, address),)
        monkeypatch.setattr(catalogue, "_files", lambda: {"cola": files})
        catalogue._verify.cache_clear()
        return asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
    catalogue._verify.cache_clear()


def test_a_corpus_is_downloaded_verified_and_not_asked_for_again(tmp_path, serve):
    asked, told = serve("ranges"), []
    for _ in range(2):
        folder = fetching.fetch(
            "cola", cache=tmp_path, progress=lambda file, count: told.append(count)
        )
        assert (folder / "a+b.txt").read_bytes() == CONTENT
        assert sum(told) == len(CONTENT)
        told.clear()
    assert asked == [("/a+b.txt", None)]
    assert sorted(p.name for p in folder.iterdir()) == ["a+b.txt"]


@pytest.mark.parametrize("behaviour", ["ranges", "whole"])
def test_a_broken_download_is_continued(tmp_path, serve, behaviour):
    part = tmp_path / "cola" / "a+b.txt.part"
    part.parent.mkdir()
    part.write_bytes(CONTENT[:5000])
    asked = serve(behaviour)
    folder = fetching.fetch("cola", cache=tmp_path)
    assert asked == [("/a+b.txt", "bytes=5000-")]
    assert (folder / "a+b.txt").read_bytes() == CONTENT


def test_a_download_cut_short_is_refused_and_can_be_resumed(tmp_path, serve):
    serve("cut")
    with pytest.raises(ParaphrastError, match="closed early; run it again"):
        fetching.fetch("cola", cache=tmp_path)
    assert not (tmp_path / "cola" / "a+b.txt").exists()
    asked = serve("ranges")
    fetching.fetch("cola", cache=tmp_path)
    assert asked == [("/a+b.txt", "bytes=1000-")]


def test_no_more_is_read_than_the_catalogue_says(tmp_path, serve):
    serve("ranges", content=CONTENT[:100])
    told = []
    with pytest.raises(ParaphrastError, match="not the expected file"):
        fetching.fetch(
            "cola", cache=tmp_path, progress=lambda file, count: told.append(count)
        )
    assert sum(told) == 101
    assert list((tmp_path / "cola").iterdir()) == []


def test_another_file_at_the_address_is_refused_and_removed(tmp_path, serve):
    serve("ranges", content=b"what the catalogue knows" * 100_000)
    with pytest.raises(ParaphrastError, match="not the expected file"):
        fetching.fetch("cola", cache=tmp_path)
    assert list((tmp_path / "cola").iterdir()) == []


def test_without_a_network_the_error_names_the_mirror(tmp_path, serve, monkeypatch):
    serve("missing")
    with pytest.raises(ParaphrastError, match=r"Not Found.*PARAPHRAST_MIRROR"):
        fetching.fetch("cola", cache=tmp_path)
    # Nobody listens on port 9 (discard).
    files = (File("cola/a", 1, "0" * 64, "http://127.0.0.1:9/a"),)
    monkeypatch.setattr(catalogue, "_files", lambda: {"cola": files})
    with pytest.raises(ParaphrastError, match=r"refused.*PARAPHRAST_MIRROR"):
        fetching.fetch("cola", cache=tmp_path)


def test_a_damaged_copy_is_refused_on_the_mirror_and_replaced_in_the_cache(
    tmp_path, serve
):
    copy = tmp_path / "cola" / "a+b.txt"
    copy.parent.mkdir()
    copy.write_bytes(CONTENT[:-1] + b"?")
    asked = serve("ranges")
    with pytest.raises(ParaphrastError, match="sha256"):
        locate("cola", mirror=tmp_path)
    assert asked == []
    fetching.fetch("cola", cache=tmp_path)
    verify(catalogue.entry("cola").files[0], copy)


def test_an_unwritable_cache_is_one_line(tmp_path, serve):
    (tmp_path / "file").touch()
    serve("ranges")
    with pytest.raises(ParaphrastError, match="cannot write"):
        fetching.fetch("cola", cache=tmp_path / "file")


def test_commands_list_show_and_fetch(tmp_path, serve):
    listed = CliRunner().invoke(app, ["list"]).stdout
    assert all(name in listed for name in names())
    told = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    assert [entry["name"] for entry in told] == names()
    shown = CliRunner().invoke(app, ["show", "gyafc"]).stdout
    assert "Yahoo Webscope" in shown
    described = json.loads(CliRunner().invoke(app, ["show", "xu12", "--json"]).stdout)
    assert len(described["files"]) == 124
    serve("ranges")
    arguments = ["fetch", "cola", "--cache", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments, env={"PARAPHRAST_MIRROR": ""})
    assert json.loads(result.stdout)["verified"] == ["cola/a+b.txt"]
    mirrored = ["fetch", "cola", "--json"]
    result = CliRunner().invoke(app, mirrored, env={"PARAPHRAST_MIRROR": str(tmp_path)})
    assert json.loads(result.stdout)["folder"] == str(tmp_path / "cola")


def test_a_part_of_a_corpus_is_printed_as_texts_or_pairs(monkeypatch):
    monkeypatch.setattr(catalogue, "load_texts", lambda *_, **__: iter(["one", "two"]))
    pairs = [Pair("a", "b")]
    monkeypatch.setattr(catalogue, "load_pairs", lambda *_, **__: iter(pairs))
    texts = next(name for name in catalogue.names() if catalogue.entry(name).texts)
    part = catalogue.entry(texts).texts[0]
    assert CliRunner().invoke(app, ["read", texts, part]).stdout == "one\ntwo\n"
    assert CliRunner().invoke(app, ["read", "quora", "train"]).stdout == "a\tb\n"
