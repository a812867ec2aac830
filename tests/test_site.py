"""The documentation site: what its check finds, and pages for files beside docs/."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs import repository_pages
from docs.check_site import check

ROOT = Path(__file__).parents[1]


def make_site(folder: Path, body: str, css: str = "") -> list[str]:
    (folder / "deep").mkdir(parents=True)
    (folder / "index.html").write_text(f"<html>{body}</html>")
    (folder / "deep/page.html").write_text('<h1 id="top">A</h1><a href="../">up</a>')
    (folder / "site.css").write_text(css)
    return check(folder)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="deep/page.html">in</a><link rel="stylesheet" href="site.css">',
        '<a href="deep/page.html#top">in</a><a href="#">self</a>',
        '<a href="https://example.org/nowhere">a reader may follow it</a>',
        '<img src="data:image/gif;base64,R0lGOD"><p style="color: red">',
    ],
)
def test_a_whole_site_passes(tmp_path, body):
    assert make_site(tmp_path / "site", body, "a { background: url(a.png) }") == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<a href="gone.html">x</a>', "gone.html leads nowhere"),
        ('<a href="deep/page.html#gone">x</a>', "deep/page.html#gone leads nowhere"),
        ('<a href="#gone">x</a>', "#gone leads nowhere"),
        ('<img src="gone.png">', "gone.png leads nowhere"),
        ('<script src="https://example.org/a.js"></script>', "loads https://"),
        ('<script src="//example.org/a.js"></script>', "loads //example"),
        ('<link rel="preconnect stylesheet" href="https://a.org/">', "loads https://"),
        ('<p style="background: url(https://a.org/a.png)">', "loads https://a.org"),
    ],
)
def test_a_link_to_nowhere_and_a_file_from_elsewhere_are_found(tmp_path, body, found):
    (line,) = make_site(tmp_path / "site", body)
    assert line.startswith("index.html: ")
    assert found in line


def test_a_style_sheet_that_loads_a_font_from_elsewhere_is_found(tmp_path):
    css = '@import "https://example.org/font.css";'
    (line,) = make_site(tmp_path / "site", "", css)
    assert line == "site.css: loads https://example.org/font.css"


def test_the_check_asks_for_a_site_in_one_line(tmp_path):
    words = [sys.executable, "-m", "docs.check_site", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("say where the site is")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "link", "moved"),
    [
        ("packs.md", "[a](small-pack.md)", "[a](small-pack.md)"),
        ("packs.md", "![a](images/align.png)", "![a](images/align.png)"),
        ("packs.md", "[a](https://example.org)", "[a](https://example.org)"),
        ("packs.md", "[a](../CHANGELOG.md)", "[a](repository/CHANGELOG.md)"),
        ("packs.md", "[a](../CHANGELOG.md#x)", "[a](repository/CHANGELOG.md#x)"),
        ("packs.md", "[a](../Makefile)", "[a](repository/Makefile.md)"),
        ("packs.md", "[a](../examples)", "[a](repository/examples.md)"),
        ("packs.md", "[a](generate.py)", "[a](repository/docs/generate.py.md)"),
        ("packs.md", "[a](../no-such-file)", "[a](../no-such-file)"),
        ("tutorials/writer.md", "[a](../packs.md)", "[a](../packs.md)"),
        (
            "tutorials/writer.md",
            "[a](../../Makefile)",
            "[a](../repository/Makefile.md)",
        ),
        ("repository/README.md", "[a](docs/packs.md)", "[a](../packs.md)"),
        ("repository/README.md", "[a](CHANGELOG.md)", "[a](CHANGELOG.md)"),
        ("repository/training/README.md", "[a](LOG.md)", "[a](LOG.md)"),
    ],
)
def test_links_to_files_beside_docs_lead_to_their_pages(source, link, moved):
    page = SimpleNamespace(file=SimpleNamespace(src_uri=source))
    assert repository_pages.on_page_markdown(link, page=page) == moved


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("CHANGELOG.md", "# Changelog"),
        ("Makefile", "````text"),
        ("docs/generate.py", "````python"),
        ("examples/documents", "- `letter.docx`"),
    ],
)
def test_a_file_beside_docs_is_shown_as_a_page(path, shown):
    assert shown in repository_pages._show(path)
