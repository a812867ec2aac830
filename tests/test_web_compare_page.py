"""The Compare page over HTTP: what it reads, what it shows, and what it hides."""

import re
import shlex

import pytest
from starlette.testclient import TestClient

from paraphrast.web.app import create_app
from paraphrast.web.service.comparing import MOST_KEPT, MOST_LINES, Comparisons, Kept
from paraphrast.web.settings import Settings

SOURCES = b"gonna be late\nsee you at 5\nthanks <b>a lot</b>\n"
OURS = b"I am going to be late\nI will see you at 5\nMany thanks\n"
THEIRS = b"gonna be late\nsee you\nthanks <b>a lot</b>\n"
REFERENCES = b"I shall be late\nI shall see you at 5\nThank you very much\n"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return create_app(Settings(data=tmp_path_factory.mktemp("data")))


@pytest.fixture
def client(app):
    return TestClient(app, base_url="http://127.0.0.1")


def send(client, outputs=(("mine.txt", OURS), ("a/theirs.txt", THEIRS)), **fields):
    files = [("outputs", output) for output in outputs]
    files.append(("source", ("source.txt", fields.pop("source", SOURCES))))
    files += [("references", ("ref.txt", r)) for r in fields.pop("references", [])]
    return client.post("/compare", data=fields, files=files, follow_redirects=False)


@pytest.fixture(scope="module")
def address(app):
    client = TestClient(app, base_url="http://127.0.0.1")
    answer = send(client, references=[REFERENCES])
    assert answer.status_code == 303
    return answer.headers["location"]


def read_lines(page):
    """Return the numbers of the lines, in their order."""
    return [int(number) for number in re.findall(r'id="line-(\d+)"', page.text)]


def test_systems_are_columns_between_copy_and_reference(client, address):
    page = client.get(address, params={"order": "line"}).text
    line = page[page.index('id="line-1"') : page.index('id="line-2"')]
    names = re.findall(r'class="system">(?:<i[^>]*></i>)?(\w+)', line)
    assert names == ["COPY", "mine", "theirs", "REFERENCE"]
    assert "<ins>I am going to</ins>" in line


def test_figures_gaming_and_plots_are_those_of_the_command(client, address):
    page = client.get(address).text
    assert "bleu" in page
    assert "<svg" in page
    assert "kind=lost+numbers&amp;system=theirs" in page


def test_lines_are_sorted_by_disagreement_by_line_or_by_a_system(client, address):
    orders = {"order": "disagreement"}, {"order": "line"}, {"order": "lowest:mine"}
    found = [read_lines(client.get(address, params=order)) for order in orders]
    assert found[1] == [1, 2, 3]
    assert sorted(found[0]) == sorted(found[2]) == [1, 2, 3]


def test_lines_are_filtered_by_kind_of_gaming(client, address):
    asked = {"kind": "lost numbers", "system": "theirs"}
    assert read_lines(client.get(address, params=asked)) == [2]


def test_blind_hides_names_and_figures(client, address):
    page = client.get(address, params={"blind": "1"}).text
    assert "mine" not in page
    assert "theirs" not in page
    assert "System A" in page
    assert 'id="scores"' not in page
    assert 'class="values"' not in page


def test_text_is_never_markup(client, address):
    assert "<b>a lot</b>" not in client.get(address).text


def test_the_report_comes_as_a_file_in_three_formats(client, address):
    for kind in ("html", "json", "csv"):
        answer = client.get(f"{address}/report.{kind}")
        assert f"comparison.{kind}" in answer.headers["content-disposition"]
        assert "mine" in answer.text
    assert client.get(f"{address}/report.exe").status_code == 404


def test_the_command_that_is_shown_compares_the_same(client, address, run, tmp_path):
    page = client.get(address).text
    command = re.search(r"<code>(paraphrast metrics compare.*)</code>", page)[1]
    _, *arguments = shlex.split(command)
    for name, content in (
        ("source.txt", SOURCES),
        ("ref.txt", REFERENCES),
        ("mine.txt", OURS),
        ("theirs.txt", THEIRS),
    ):
        (tmp_path / name).write_bytes(content)
    here = [re.sub(r"(\w+\.txt)$", rf"{tmp_path}/\1", a) for a in arguments]
    code, out, _ = run(*here, "--format", "csv")
    assert code == 0
    assert out == client.get(f"{address}/report.csv").text


def test_rewriters_are_run_here(client):
    answer = send(client, outputs=(), rewriters=["rules"], style="formal")
    page = client.get(answer.headers["location"]).text
    assert "Going to be late" in re.sub("<[^>]*>", "", page)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"source": b""}, "equally many lines"),
        ({"outputs": ()}, "there is nothing to compare"),
        ({"outputs": [("mine.txt", b"one\n")]}, "equally many lines"),
        ({"outputs": [("a.txt", OURS), ("a.txt", OURS)]}, "'a' cannot be the name"),
        ({"outputs": [("COPY.txt", OURS)]}, "'COPY' cannot be the name"),
        ({"outputs": [(f"{n}.txt", OURS) for n in range(9)]}, "9 systems are too many"),
        ({"outputs": [("mine.txt", b"\xff\n\n\n")]}, "mine.txt:1: not valid UTF-8"),
        ({"rewriters": ["rules"]}, "a rewriter needs a style"),
        ({"rewriters": ["rule"], "style": "formal"}, "Did you mean 'rules'?"),
        ({"style": "formel", "judged": "1"}, "formel"),
        ({"source": b"a\n" * (MOST_LINES + 1)}, "2,001 lines; here 2,000"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(client, fields, said):
    answer = send(client, text="kept <as it is>", **fields)
    assert answer.status_code == 400
    shown = re.sub(r"&#39;", "'", answer.text)
    assert said.lower() in shown.lower()
    assert "/tmp" not in shown
    assert "kept &lt;as it is&gt;" in shown


def test_without_sources_the_page_asks_for_them(client):
    answer = client.post("/compare", data={"text": " "})
    assert "There are no sources yet" in answer.text


def test_a_comparison_is_private_and_replaced_by_newer_ones():
    kept = Comparisons()
    mine = kept.keep(Kept(None, 1, ""))
    assert kept.find(mine, 1) is not None
    assert kept.find(mine, 2) is None
    for _ in range(MOST_KEPT):
        kept.keep(Kept(None, 1, ""))
    assert kept.find(mine, 1) is None


def test_an_expired_comparison_says_so(client):
    page = client.get("/compare/gone", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "no longer kept" in page.text


def test_lines_go_to_a_judging_project_in_the_order_that_is_shown(client, address):
    fields = {"title": "Who is better?", "protocol": "acceptance", "number": 2}
    shown = {"order": "line", "controls": "REFERENCE"}
    answer = client.post(f"{address}/judge", data=fields | shown)
    assert answer.url.path.startswith("/projects/")
    assert "Who is better?" in answer.text
    assert "6 items" in answer.text or ">6<" in answer.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": ""}, "a title must have 1 to 200 characters"),
        ({"protocol": "acceptence"}, "Did you mean 'acceptance'?"),
        ({"number": "0"}, "send at least one line"),
        ({"number": "many"}, "number must be a whole number"),
    ],
)
def test_a_judging_project_that_cannot_be_made_says_why(client, address, fields, said):
    sent = {"title": "t", "protocol": "acceptance", "number": "2"} | fields
    answer = client.post(f"{address}/judge", data=sent)
    assert answer.status_code == 400
    assert said.lower() in answer.text.replace("&#39;", "'").lower()
