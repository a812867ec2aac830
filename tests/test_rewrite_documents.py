"""``rewrite`` and the Python interface on documents that keep their shape."""

import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from paraphrast import load
from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats import SUFFIXES, format_named
from paraphrast.rewriting.formats.rewriting import rewrite_document
from tests import docx_toy as toy
from tests.test_document_formats import SAME, rewriting, rewritten

FORMAL = ("rewrite", "--using", "rules", "--to", "formal")
EXAMPLES = sorted((Path(__file__).parents[1] / "examples/documents").iterdir())
DATA = toy.make(
    toy.paragraph(toy.run("u gonna "), toy.run("wait.", "<w:b/>")),
    toy.paragraph(toy.run("It is late.")),
)
PAGE = "<p>u <b>gonna</b> wait.</p>\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.docx").write_bytes(DATA)
    (tmp_path / "a.html").write_text(PAGE)
    return tmp_path


def test_a_document_is_rewritten_into_another_file(run, folder):
    code, out, err = run(*FORMAL, "a.docx", "-o", "b.docx")
    assert (code, out) == (0, "")
    assert err == "left 1 sentence unchanged: no rule applies: 'It is late.'.\n"
    new = (folder / "b.docx").read_bytes()
    assert toy.texts(toy.part(new)) == ["You going to wait.", "It is late."]


def test_documents_are_replaced_and_kept_under_another_name(run, folder):
    (folder / "sub").mkdir()
    (folder / "sub/b.srt").write_text("1\n00:01.0 --> 00:02.0\nu ok?\n")
    assert run(*FORMAL, "--in-place", ".")[0] == 0
    assert (folder / "a.docx~").read_bytes() == DATA
    assert (folder / "a.html").read_text() == "<p>You <b>going to</b> wait.</p>\n"
    assert (folder / "sub/b.srt").read_text().endswith("\nYou ok?\n")


def test_text_documents_go_through_a_pipe(run, folder):
    _, out, _ = run(*FORMAL, "--format", "html", stdin=PAGE.encode())
    assert out == "<p>You <b>going to</b> wait.</p>\n"
    assert run(*FORMAL, "a.html")[1] == out


def test_a_document_can_be_looked_at(run, folder):
    _, out, _ = run(*FORMAL, "a.docx", "--diff")
    assert "-u gonna wait.\n+You going to wait.\n" in out
    _, out, _ = run(*FORMAL, "a.docx", "--json", "--explain")
    records = [json.loads(line) for line in out.splitlines()]
    assert [r["text"] for r in records] == ["You going to wait.", "It is late."]
    assert records[0]["changes"][0]["after"] == "You"
    assert run(*FORMAL, "a.docx", "--json", "-o", "out.jsonl")[0] == 0
    assert len((folder / "out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.html", "--track-changes"], "--track-changes is for docx, not for html.\n"),
        (["a.txt", "--track-changes"], "--track-changes is for docx. Leave it out.\n"),
        (["a.docx", "-n", "2"], "cannot be written to one file. Leave out -n.\n"),
        (["a.docx", "--resume", "-o", "b.docx"], "cannot be resumed"),
        (["a.html", "--format", "pdf"], "unknown format 'pdf'"),
        (["broken.docx", "-o", "b.docx"], "broken.docx: broken (File is not a zip"),
        (["latin.html"], "latin.html: not valid utf-8. Save it as UTF-8.\n"),
    ],
)
def test_a_mistake_is_reported_in_one_line(run, folder, arguments, message):
    (folder / "a.txt").write_text("u go\n")
    (folder / "broken.docx").write_bytes(DATA[:-200])
    (folder / "latin.html").write_bytes("<p>café</p>".encode("latin-1"))
    code, out, err = run(*FORMAL, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (folder / "b.docx").exists()


def test_the_python_interface_does_the_same(folder):
    formal = load("formal", using="rules")
    results = formal.rewrite_file("a.docx", "b.docx", track_changes=True)
    assert [r.text for r in results] == ["You going to wait.", "It is late."]
    root = toy.part((folder / "b.docx").read_bytes())
    assert toy.texts(root, accepted=False) == ["u gonna wait.", "It is late."]
    results = formal.rewrite_file("a.html", "b.html", protect="gonna")
    assert (folder / "b.html").read_text() == "<p>You <b>gonna</b> wait.</p>\n"
    for arguments, why in (
        (("a.txt", "b.txt"), "a.txt: not a supported document format"),
        (("no.docx", "b.docx"), "cannot read no.docx: No such file"),
    ):
        with pytest.raises(ParaphrastError, match=why):
            formal.rewrite_file(*arguments)
    with pytest.raises(ParaphrastError, match="changes can be tracked only in docx"):
        formal.rewrite_file("a.html", "b.html", track_changes=True)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_are_the_same_without_changes_and_sound_with_them(path):
    data = path.read_bytes()
    document = format_named(SUFFIXES[path.suffix]).read(data, path.name)
    assert document.write(rewrite_document(SAME, document)) == data
    formal = rewrite_document(load("formal", using="rules"), document)
    new = document.write(formal)
    again = format_named(SUFFIXES[path.suffix]).read(new, path.name)
    assert [s.text for s in again.segments] == [r.text for r in formal]
    assert sum(r.text != s.text for r, s in zip(formal, document.segments, strict=True))


def test_a_page_is_edited_where_its_words_stand():
    page = (
        "<ul><li>u r<li>u go.</ul><p>u can&rsquo;t <a id=x href=y>see u</a> &amp;\n"
        '  <i lang="de">u gonna</i> <span class="math inline">u gonna</span>\n'
        "  go<!-- u --> home, &copy; u.<div translate=no>u <div>u</div> go.</div>"
        "<textarea>u go. <p></textarea><p>u go."
    )
    document = format_named("html").read(page.encode(), "a page")
    new = rewrite_document(load("formal", using="rules"), document)
    assert document.write(new).decode() == (
        "<ul><li>u r<li>You go.</ul><p>You cannot <a id=x href=y>see you</a> and\n"
        '  <i lang="de">u gonna</i> <span class="math inline">u gonna</span>\n'
        "  go<!-- u --> home, &copy; you.<div translate=no>u <div>u</div> go.</div>"
        "<textarea>u go. <p></textarea><p>You go."
    )


@pytest.mark.parametrize(
    ("language", "new"),
    [
        ("en", "YES."),
        ("en_US", "YES."),
        ("eng", "YES."),
        ("C", "YES."),
        ("enm", "Yes."),
    ],
)
def test_a_page_is_english_by_any_usual_language_tag(language, new):
    page = '<html lang="{}"><p>{}</p></html>'
    loud = rewriting(str.upper)
    source = page.format(language, "Yes.")
    assert rewritten("html", source, loud) == page.format(language, new)


def test_titles_and_short_bold_paragraphs_are_headings():
    page = (
        "<p>Trip to Lisbon next summer</p><p>i dont know</p><p><b>What we </b>"
        "<strong class=a>gotta <i>see</i></strong></p><p><b>What we</b> gotta see</p>"
    )
    document = format_named("html").read(page.encode(), "a page")
    new = rewrite_document(load("formal", using="rules"), document)
    assert document.write(new).decode() == (
        "<p>Trip to Lisbon next summer</p><p>I do not know.</p><p><b>What we </b>"
        "<strong class=a>gotta <i>see</i></strong></p><p><b>What we</b> have to see."
        "</p>"
    )


def test_an_element_that_is_cut_has_one_identifier():
    swap = rewriting(lambda text: "Here we often met him there.")
    page = '<p>We met <b id="x">often him</b> here there.</p>'
    document = format_named("html").read(page.encode(), "a page")
    new = document.write(rewrite_document(swap, document)).decode()
    assert new == '<p>Here we <b id="x">often</b> met <b>him</b> there.</p>'


def test_a_space_between_two_words_stays_where_it_was():
    for page in ("<p>It <em>isn't</em>!</p>", "<p>It<em> isn't</em>!</p>"):
        document = format_named("html").read(page.encode(), "a page")
        new = rewrite_document(load("formal", using="rules"), document)
        assert document.write(new).decode() == page.replace("isn't", "is not")


def test_characters_missing_from_an_encoding_become_references():
    page = '<meta charset="iso-8859-1"><p>Café u go.</p>'.encode("latin-1")
    dash = rewriting(lambda text: text.replace("u", "— you <&>"))
    document = format_named("html").read(page, "a page")
    new = document.write(rewrite_document(dash, document))
    assert new.endswith("Café &#8212; you &lt;&amp;&gt; go.</p>".encode("latin-1"))


def test_sentences_over_cues_end_with_a_pause_or_another_speaker():
    cues = "{}\n00:00:{:02},000 --> 00:00:{:02},500\n{}\n\n"
    texts = [(1, "I saw"), (2, "the dog."), (9, "we left"), (10, "- Who?\n- You.")]
    source = "".join(
        cues.format(number, start, start, text)
        for number, (start, text) in enumerate(texts)
    )
    document = format_named("srt").read(source.encode(), "a film")
    assert [segment.text for segment in document.segments] == [
        *("I saw the dog.", "we left", "- Who?", "- You.")
    ]
    short = rewriting(lambda text: "Gone now.")
    new = document.write(rewrite_document(short, document)).decode()
    assert new.count(" --> ") == 4
    assert [cue.rpartition("\n")[2] for cue in new.split("\n\n")[:2]] == [
        *("Gone", "now.")
    ]


def test_a_sentence_cut_by_an_ellipsis_or_line_break_is_joined():
    source = (
        "1\n00:00:01,000 --> 00:00:02,000\nJOHN: u know...\n\n"
        "2\n00:00:02,100 --> 00:00:03,000\n...we're late.\n"
    )
    document = format_named("srt").read(source.encode(), "a film")
    (segment,) = document.segments
    assert segment.text == "u know... ...we're late."
    new = rewrite_document(load("formal", using="rules"), document)
    assert document.write(new).decode() == source.replace("u k", "You k").replace(
        "we're", "we are"
    )
    page = "<p>u take <b>it<br>\ncuz</b> its late.<br>U go.<br><br>u go.</p>"
    document = format_named("html").read(page.encode(), "a page")
    assert [s.text for s in document.segments] == [
        *("u take it cuz its late.", "U go.", "u go.")
    ]
    new = rewrite_document(load("formal", using="rules"), document)
    assert document.write(new).decode() == (
        "<p>You take <b>it<br>\nbecause</b> it is late.<br>You go.<br><br>You go.</p>"
    )


@pytest.mark.parametrize(
    ("rewrite", "expected"),
    [
        ("Why?", "I can't believe\nyou left me|in the\nrain."),
        ("Why so?", "Why|so?"),
        ("But why so?", "But\nwhy|so?"),
    ],
)
def test_a_rewrite_with_few_words_leaves_no_cue_empty(rewrite, expected):
    lines = "1\n00:01,000 --> 00:02,000\n{}\n\n2\n00:02,100 --> 00:03,000\n{}\n"
    source = lines.format("I can't believe\nyou left me", "in the\nrain.")
    new = rewritten("srt", source, rewriting(lambda text: rewrite))
    assert new == lines.format(*expected.split("|"))


def test_a_rewrite_with_fewer_words_than_lines_is_not_taken():
    page = "<p>We saw<br>the dog<br>and left.</p>"
    document = format_named("html").read(page.encode(), "a page")
    (new,) = rewrite_document(rewriting(lambda text: "We did."), document)
    assert new.rewrite.why == "the rewrite has fewer words than the text has lines"
    assert document.write([new]).decode() == page


def test_a_sentence_begins_after_a_sound():
    source = "1\n00:00:01,000 --> 00:00:02,000\n- {}[door slams] {}\n"
    cue = source.format("<i>(BANG)</i> ", "Gimme a [thud] break!")
    document = format_named("srt").read(cue.encode(), "a film")
    new = rewrite_document(load("formal", using="rules"), document)
    assert document.write(new).decode() == cue.replace("Gimme", "Give me")


def test_a_catalogue_in_another_language_is_refused():
    source = b'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "a"\nmsgstr "Hallo."\n'
    with pytest.raises(ParaphrastError, match="its messages are in 'de'"):
        format_named("po").read(source, "de.po")


def packed(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def test_locked_archives_and_macros_are_refused():
    locked = packed(**{"META-INF__manifest.xml": "<manifest:encryption-data/>"})
    macros = packed(**{"content.xml": "<a/>", "Basic__script-lc.xml": "<a/>"})
    for data, why in ((locked, "protected by a password"), (macros, "contains macros")):
        with pytest.raises(ParaphrastError, match=why):
            format_named("odt").read(data, "a.odt")


def test_files_of_an_archive_that_did_not_change_are_copied(tmp_path):
    (book,) = (path for path in EXAMPLES if path.suffix == ".epub")
    copy = tmp_path / "new.epub"
    shutil.copy(book, copy)
    load("formal", using="rules").rewrite_file(book, copy)
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(copy) as new:
        assert new.namelist() == old.namelist()
        assert new.infolist()[0].compress_type == zipfile.ZIP_STORED
        changed = [n for n in old.namelist() if old.read(n) != new.read(n)]
    assert changed == ["one.xhtml"]


def test_a_file_is_rewritten_again_when_it_changes(run, folder, monkeypatch):
    source, target = folder / "w.html", folder / "new.html"
    source.write_text(PAGE)
    seen = []

    def sleep(seconds):
        seen.append(target.read_text())
        if len(seen) == 1:
            source.write_text("<p>u r late.</p>\n")
        elif len(seen) == 2:
            source.unlink()  # as an editor may while it saves
        elif len(seen) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("paraphrast.cli.rewrite_job.time.sleep", sleep)
    code, _, err = run(*FORMAL, "--watch", "w.html", "-o", "new.html")
    assert code == 0
    assert seen[0] == "<p>You <b>going to</b> wait.</p>\n"
    assert seen[1] == seen[2] == "<p>You are late.</p>\n"
    assert err.count("cannot read w.html") == 1


@pytest.mark.parametrize(
    "arguments",
    [["a.html", "a.docx", "-o", "."], ["a.html", "-o", "."], ["--in-place", "a.html"]],
)
def test_one_file_is_watched_and_another_is_written(run, folder, arguments):
    code, _, err = run(*FORMAL, "--watch", *arguments)
    assert code == 2
    assert "--watch needs one input file, and -o" in err


def test_the_hook_keeps_documents_in_a_style(run, folder):
    hook = (Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"entry: paraphrast (.+)", hook)[1].split()
    usual = re.search(r"args: \[(.+)\]", hook)[1].split(", ")
    assert run(*entry, *usual, "a.html")[0] == 0
    first = (folder / "a.html").read_text()
    assert first == "<p>You <b>going to</b> wait.</p>\n"
    assert run(*entry, *usual, "a.html")[0] == 0
    assert (folder / "a.html").read_text() == first


def test_the_workflow_fails_until_the_documents_are_in_the_style(folder):
    page = (Path(__file__).parents[1] / "docs/documents.md").read_text("utf-8")
    _, *steps = re.findall(r"- run: (.+)", page)
    module = f"{sys.executable} -m paraphrast"
    script = " && ".join(step.replace("paraphrast", module, 1) for step in steps)

    def run(command):
        return subprocess.run(command, shell=True, capture_output=True, text=True)

    (folder / "docs").mkdir()
    (folder / ".gitignore").write_text("*~\n")
    (folder / "docs/a.md").write_text("# Gonna\n\nu gotta `gonna` wait.\n")
    start = (
        "git init -q && git add docs && git -c user.name=a -c user.email=a commit -qm a"
    )
    assert run(start).returncode == 0
    first = run(script)
    assert first.returncode == 1
    assert "+You have to `gonna` wait." in first.stdout
    assert run("git add docs").returncode == 0
    assert run(script).returncode == 0
