"""Packs that are fetched: whole or not at all, whatever happens on the way."""

import errno
import json
import threading
from dataclasses import replace
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from paraphrast.cli.packs import app
from paraphrast.errors import ParaphrastError
from paraphrast.instruct import adapter, fetching
from paraphrast.instruct.adapter import Adapter, Layer
from paraphrast.instruct.fetching import Description, RemoteFile
from paraphrast.instruct.styles import WORDS
from paraphrast.storage import download, packs

BASE, ADAPTER = bytes(range(256)) * 1000, b"adapter" * 50


class Server(BaseHTTPRequestHandler):
    def __init__(self, asked, behaviour, *arguments):
        self.asked, self.behaviour = asked, behaviour
        super().__init__(*arguments)

    def do_GET(self):  # noqa: N802 - the name http.server calls
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        body = (b"x" * len(BASE) if self.behaviour == "other" else BASE)[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:1000] if self.behaviour == "cut" else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Serve a pack's base, keep its adapter in a checkout; return what is where."""
    asked, behaviour = [], SimpleNamespace(now="well")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *a: Server(asked, behaviour.now, *a)
    )
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/base-q4.gguf"
    files = (
        RemoteFile("base.gguf", "a base", address, len(BASE), _hash(BASE), "MIT"),
        RemoteFile(
            "adapter.gguf", "an adapter", "", len(ADAPTER), _hash(ADAPTER), "MIT"
        ),
    )
    checkout = tmp_path / "checkout" / "large"
    checkout.mkdir(parents=True)
    (checkout / "adapter.gguf").write_bytes(ADAPTER)
    monkeypatch.setattr(fetching, "CHECKOUT", checkout.parent)
    described = Description("large", "large", "a toy", ("MIT",), files)
    monkeypatch.setattr(fetching, "describe", lambda name: described)
    yield SimpleNamespace(
        home=tmp_path / "packs",
        asked=asked,
        behaviour=behaviour,
        description=described,
        checkout=checkout,
        fetch=partial(fetching.fetch, described, home=tmp_path / "packs"),
    )
    server.shutdown()
    server.server_close()


def _hash(content):
    return sha256(content).hexdigest()


def _leftovers(place):
    return sorted(path.name for path in place.home.iterdir())


def test_a_pack_is_fetched_once_and_verified(place):
    seen = []
    pack = place.fetch(progress=seen.append)
    assert sum(seen) == len(BASE) + len(ADAPTER)
    assert pack.about.licences == ("MIT",)
    assert list(pack.about.styles) == list(WORDS)
    assert (pack.folder / "base.gguf").read_bytes() == BASE
    assert place.fetch().folder == pack.folder
    assert place.asked == [None]
    assert _leftovers(place) == ["large"]


def test_an_interrupted_download_is_resumed(place):
    place.behaviour.now = "cut"
    with pytest.raises(ParaphrastError, match=r"closed early; run it again .*--from"):
        place.fetch()
    place.behaviour.now = "well"
    place.fetch()
    assert place.asked == [None, "bytes=1000-"]


def test_a_partial_file_that_is_too_long_is_fetched_again_from_the_start(place):
    origin, path = place.description.files[0].address, place.home / "base.gguf"
    path.parent.mkdir()
    path.with_name("base.gguf.part").write_bytes(b"z" * len(BASE))
    download.download(download.Source(origin, len(BASE), _hash(BASE)), path)
    assert path.read_bytes() == BASE
    assert place.asked == [None]
    assert _leftovers(place) == ["base.gguf"]


def test_a_file_smaller_than_a_buffer_is_whole_when_it_is_checked(tmp_path):
    (tmp_path / "origin").write_bytes(ADAPTER)
    source = download.Source(tmp_path / "origin", len(ADAPTER), _hash(ADAPTER))
    for name in ("first", "second"):
        path = tmp_path / "new" / "folder" / name
        download.download(source, path)
        assert path.read_bytes() == ADAPTER


def test_a_file_that_cannot_be_read_has_no_hash(tmp_path):
    with pytest.raises(ParaphrastError, match="cannot read .*none: No such file"):
        download.find_difference(tmp_path / "none", _hash(BASE))


def test_a_long_file_is_read_only_until_a_difference_shows(tmp_path):
    origin, path = tmp_path / "origin", tmp_path / "new" / "file"
    origin.write_bytes(BASE)
    path.parent.mkdir()
    path.with_name("file.part").write_bytes(BASE[:60])
    told = []
    with pytest.raises(ParaphrastError, match="not the expected file"):
        download.download(
            download.Source(origin, 100, _hash(BASE[:100])), path, told.append
        )
    assert told == [60, 41]
    assert list(path.parent.iterdir()) == []


def test_another_file_at_the_address_is_refused_and_nothing_is_installed(place):
    place.behaviour.now = "other"
    with pytest.raises(ParaphrastError, match="not the expected file: sha256"):
        place.fetch()
    assert not (place.home / "large").exists()
    place.behaviour.now = "well"
    place.fetch()
    assert place.asked == [None, None]


def test_two_simultaneous_downloads_do_not_mix(place):
    with (
        fetching._filling(place.home / "large"),
        pytest.raises(ParaphrastError, match="written by another run. Wait"),
    ):
        place.fetch()
    place.fetch()


def test_without_a_network_the_error_says_how_to_install_offline(place, monkeypatch):
    monkeypatch.setattr(
        download.urllib.request,
        "urlopen",
        lambda *_, **__: (_ for _ in ()).throw(
            download.urllib.error.URLError("Name or service not known")
        ),
    )
    with pytest.raises(ParaphrastError, match=r"not known. .*offline.* --from FOLDER"):
        place.fetch()


def test_too_little_disk_space_is_reported_before_any_request(place, monkeypatch):
    monkeypatch.setattr(
        fetching.shutil, "disk_usage", lambda _: SimpleNamespace(free=9_000)
    )
    with pytest.raises(ParaphrastError, match="0 MB free, but 1 MB are needed"):
        place.fetch()
    assert place.asked == []


def test_a_disk_that_fills_up_is_one_line_and_the_part_stays(place, monkeypatch):
    def fill(source, stream, progress):
        stream.write(BASE[:5000])
        stream.flush()
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(ParaphrastError) as refused:
        patched.setattr(download, "_receive", fill)
        place.fetch()
    assert "No space left on device" in str(refused.value)
    place.fetch()
    assert place.asked == ["bytes=5000-"]


def test_a_mirror_serves_all_files_by_either_name(place, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "packs" / "large").mkdir(parents=True)
    (mirror / "base-q4.gguf").write_bytes(BASE)
    (place.checkout / "adapter.gguf").rename(
        mirror / "packs" / "large" / "adapter.gguf"
    )
    place.fetch(mirror=mirror)
    assert place.asked == []


@pytest.mark.parametrize("content", [BASE[:-1], None])
def test_a_mirror_without_the_whole_file_is_named_and_nothing_downloaded(
    place, tmp_path, content
):
    if content is not None:
        (tmp_path / "base.gguf").write_bytes(content)
    with pytest.raises(ParaphrastError, match=r"lacks base.gguf of large \(256,000"):
        place.fetch(mirror=tmp_path)
    assert place.asked == []


def test_a_damaged_mirror_is_refused(place, tmp_path):
    (tmp_path / "base.gguf").write_bytes(BASE[::-1])
    with pytest.raises(ParaphrastError, match="not the expected file"):
        place.fetch(mirror=tmp_path)


def test_a_file_without_an_address_must_be_supplied_by_the_user(place):
    (place.checkout / "adapter.gguf").unlink()
    with pytest.raises(ParaphrastError, match=r"no public address yet.*--from FOLDER"):
        place.fetch()


def test_a_newer_adapter_keeps_the_installed_base(place, monkeypatch):
    place.fetch()
    new = b"better!" * 50
    (place.checkout / "adapter.gguf").write_bytes(new)
    base, adapter = place.description.files
    newer = RemoteFile(adapter.name, "", "", len(new), _hash(new), "MIT")
    described = Description("large", "large", "", ("MIT",), (base, newer))
    pack = fetching.fetch(described, home=place.home)
    assert (pack.folder / "adapter.gguf").read_bytes() == new
    assert place.asked == [None]
    assert _leftovers(place) == ["large"]


@pytest.fixture
def packaged(place, tmp_path, monkeypatch):
    """Let the package hold the adapter in few bits; return the pack's description."""
    small = Adapter(
        (Layer("blk.0.attn_q.weight", 40, 30),),
        1,
        [np.arange(40, dtype=np.int8), np.arange(30, dtype=np.int8)],
        np.array([0.5, 0.25], np.float32),
    )
    adapter.write(small, tmp_path / "large.adapter")
    adapter.expand(tmp_path / "large.adapter", tmp_path / "expanded")
    whole = (tmp_path / "expanded").read_bytes()
    monkeypatch.setattr(fetching, "FOLDER", tmp_path)
    (place.checkout / "adapter.gguf").unlink()
    base, old = place.description.files
    new = replace(old, size=len(whole), sha256=_hash(whole), packaged="large.adapter")
    data = (packs.Data("texts", _hash(b"texts"), "CC BY 4.0"),)
    return replace(place.description, files=(base, new), data=data)


def test_an_adapter_in_the_package_is_expanded_and_only_the_base_is_asked_for(
    place, packaged, tmp_path
):
    pack = fetching.fetch(packaged, home=place.home)
    whole = (tmp_path / "expanded").read_bytes()
    assert (pack.folder / "adapter.gguf").read_bytes() == whole
    assert [data.name for data in pack.about.data] == ["texts"]
    assert place.asked == [None]
    assert packaged.files[1].origin.startswith("paraphrast itself (0.0 MB")
    assert packaged.files[0].origin == packaged.files[0].address


def test_an_adapter_that_expands_to_something_else_is_refused(place, packaged):
    base, own = packaged.files
    other = replace(packaged, files=(base, replace(own, sha256=_hash(b"other"))))
    with pytest.raises(
        ParaphrastError, match=r"large.adapter is not the expected adapter"
    ):
        fetching.fetch(other, home=place.home)
    assert not (place.home / "large").exists()
    assert place.asked == []


def test_an_adapter_in_the_users_folder_takes_the_place_of_ours(
    place, packaged, tmp_path
):
    fetching.fetch(packaged, home=place.home)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "adapter.gguf").write_bytes(b"mine")
    pack = fetching.fetch(packaged, home=place.home, mirror=mine)
    assert (pack.folder / "adapter.gguf").read_bytes() == b"mine"
    assert pack.about.licences == ("MIT", "unknown")
    assert pack.about.data == ()
    assert not fetching.is_current(packaged, pack.folder)
    back = fetching.fetch(packaged, home=place.home)
    assert fetching.is_current(packaged, back.folder)
    assert place.asked == [None]


def _run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=True)


def test_commands_list_fetch_show_and_remove(place):
    folder = ("--packs", place.home, "--json")
    listed = json.loads(_run("list", *folder).stdout)
    assert ("large", "can be fetched") in [(r["name"], r["state"]) for r in listed]
    assert json.loads(_run("show", "large", *folder).stdout)["files"][0]["address"]
    fetched = json.loads(_run("fetch", "large", *folder).stdout)
    assert fetched["verified"] == ["base.gguf", "adapter.gguf"]
    shown = json.loads(_run("show", "large", "--verify", *folder).stdout)
    assert (shown["state"], shown["kind"]) == ("installed", "large")
    assert shown["current"]
    assert _run("show", "large", "--packs", place.home).stdout.count("sha256") == 2
    assert _run("remove", "large", *folder).exit_code == 0
    assert _leftovers(place) == []
    assert "unknown installed pack 'large'" in str(
        _run("remove", "large", *folder).exception
    )


def test_removing_also_clears_an_unfinished_fetch(place):
    place.behaviour.now = "cut"
    with pytest.raises(ParaphrastError):
        place.fetch()
    assert _run("remove", "large", "--packs", place.home).exit_code == 0
    assert _leftovers(place) == []


def test_a_pack_of_the_users_own_is_not_removed_by_accident(tmp_path):
    with packs.new(tmp_path / "mine") as folder:
        packs.seal(folder, packs.About("mine", "neural", {"mine": ""}), {})
    refused = _run("remove", "mine", "--packs", tmp_path)
    assert "Add --yes" in str(refused.exception)
    assert (tmp_path / "mine").is_dir()
    assert _run("remove", "mine", "--yes", "--packs", tmp_path).exit_code == 0
    assert not (tmp_path / "mine").exists()


@pytest.mark.bundled
def test_bundled_packs_are_neither_fetched_nor_removed(tmp_path):
    listed = json.loads(_run("list", "--packs", tmp_path, "--json").stdout)
    name = next(r["name"] for r in listed if r["state"] == "included")
    assert "need not be fetched" in str(_run("fetch", name).exception)
    assert "cannot be removed" in str(
        _run("remove", name, "--packs", tmp_path).exception
    )


@pytest.mark.bundled
def test_bundled_packs_are_found_by_name(run, tmp_path):
    name = packs.list_installed(packs.BUNDLED)[0].folder.name
    code, out, err = run("neural", "show", name, "--packs", tmp_path)
    assert code == 0, err
    assert out.startswith(str(packs.BUNDLED / name))
    code, out, err = run("rewrite", "--pack", name, "--to", "formal", "u ok?")
    assert (code, bool(out)) == (0, True), err
    assert packs.find(name, tmp_path).folder == packs.BUNDLED / name
    with packs.new(tmp_path / name) as folder:  # the user's own comes first
        packs.seal(folder, packs.About(name, "neural", {"mine": ""}), {})
    assert packs.find(name, tmp_path).folder == tmp_path / name
    with pytest.raises(ParaphrastError, match=f"Known: {name}, {name}"):
        packs.find("none", tmp_path)


def test_the_descriptions_in_the_package_are_whole(tmp_path):
    for name in fetching.names():
        description = fetching.describe(name)
        assert description.name == name
        for file in description.files:
            assert len(file.sha256) == 64
            assert file.licence == "Apache-2.0"
            assert file.address.startswith("https://") or not file.address
            if file.packaged:
                adapter.expand(file.find_packaged(), tmp_path / file.name)
                whole = (tmp_path / file.name).read_bytes()
                assert (len(whole), _hash(whole)) == (file.size, file.sha256)
                assert description.data
