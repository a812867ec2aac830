"""The frame of all pages: templates, static files, colours, failures as pages."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from paraphrast.web.app import create_app
from paraphrast.web.pages import templates as frame
from paraphrast.web.settings import Settings

WEB = Path(frame.__file__).parents[1]
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
HTMX = "e484d9171a9db30a39c8f16e3d709d4137f3211c659f8e6125816635033d593f"
ASKS_FOR_A_PAGE = {"Accept": "text/html"}


@pytest.fixture
def client(tmp_path):
    app = create_app(Settings(data=tmp_path))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def test_htmx_is_the_published_file():
    file = (WEB / "static" / "htmx.min.js").read_bytes()
    assert sha256(file).hexdigest() == HTMX
    assert b'version="4.0.0"' in file or b'"4.0.0"' in file


def test_our_own_scripts_are_two_and_small():
    scripts = [p for p in (WEB / "static").glob("*.js") if p.name != "htmx.min.js"]
    lines = [line for script in scripts for line in script.open(encoding="utf-8")]
    assert len(scripts) <= 2
    assert len(lines) < 550


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_templates_escape_everything_and_obey_the_content_security_policy(path):
    text = path.read_text("utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape\s+false|Markup", text)
    assert not re.search(r"<[^>]*\s(style|on\w+|hx-on\S*)\s*=", text)
    assert not re.search(r"(src|href|action)=[\"'](https?:)?//", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|javascript:|js:", text)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_scrollable_regions_can_be_scrolled_by_keyboard(path):
    assert '<div class="scroll">' not in path.read_text("utf-8")


def test_a_static_file_has_an_address_that_changes_with_it(client):
    address = frame.static("app.css")
    assert re.fullmatch(r"/static/app\.css\?[0-9a-f]{12}", address)
    assert client.get(address).status_code == 200


def test_the_theme_is_kept_in_a_cookie_and_other_values_are_refused(client):
    assert client.post("/theme", data={"theme": "dark"}).status_code == 204
    assert 'value="dark" checked' in client.get("/rewrite").text
    assert client.post("/theme", data={"theme": "pink"}).status_code == 422
    client.cookies.clear()
    client.cookies.set("theme", "<b>")
    assert 'value="auto" checked' in client.get("/rewrite").text


def test_people_get_failures_as_pages_and_programs_as_problems(client):
    page = client.get("/nowhere", headers=ASKS_FOR_A_PAGE)
    assert page.status_code == 404
    assert "<h1>Not Found</h1>" in page.text
    part = client.get("/nowhere", headers=ASKS_FOR_A_PAGE | {"HX-Request": "true"})
    assert part.text.startswith('<div class="notice error"')
    assert client.get("/nowhere").json()["status"] == 404
