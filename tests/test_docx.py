"""Word documents: formatting, links, notes and fields stay; changes can be tracked."""

import io

import docx as python_docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import load
from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats import format_named
from paraphrast.rewriting.formats.rewriting import rewrite_document, write_document
from paraphrast.rewriting.interface import Reading
from tests import docx_toy as toy
from tests.test_document_formats import SAME, SHUFFLED, rewriting

BOLD, ITALIC = "<w:b/>", "<w:i/>"
FORMAL = load("formal", using="rules")


def rewritten(data, rewriter, *, tracked=False, **reading):
    document = format_named("docx").read(data, "a.docx")
    new = rewrite_document(rewriter, document, reading=Reading(**reading))
    return write_document(document, new, track_changes=tracked)


def body(*parts, rewriter=FORMAL, **options):
    """Return the root of a document with one paragraph, rewritten."""
    return toy.part(rewritten(toy.make(toy.paragraph(*parts)), rewriter, **options))


def shown(root):
    """Return the runs of a document as text, with signs for what is no text."""
    marks = {"b": "*", "i": "/"}
    found = []
    for run in toy.find(root, "//w:r"):
        sign = "".join(
            marks[p.tag.rpartition("}")[2]] for p in toy.find(run, "w:rPr/*")
        )
        text = "".join(toy.find(run, "w:t/text()"))
        other = [
            c.tag.rpartition("}")[2]
            for c in run
            if c.tag.rpartition("}")[2] not in ("t", "rPr")
        ]
        found.append(f"{sign}{text}{sign}" + "".join(f"<{name}>" for name in other))
    return "|".join(found)


def test_words_keep_the_formatting_of_the_words_they_replace():
    root = body(
        toy.run("i "),
        toy.run("cant", BOLD),
        toy.run(" wait, im "),
        toy.run("gonna", ITALIC),
        toy.run(" see u "),
        toy.run("2moro", BOLD + ITALIC),
        toy.run("."),
    )
    assert shown(root) == (
        "I |*cannot*| wait; I am |/going to/| see you |*/tomorrow*/|."
    )


def test_a_link_a_note_a_picture_and_a_bookmark_stay_with_their_words():
    root = body(
        toy.run("u gotta "),
        '<w:bookmarkStart w:id="1" w:name="x"/>',
        toy.link(toy.run("click here", ITALIC)),
        '<w:bookmarkEnd w:id="1"/>',
        toy.run(" cuz"),
        toy.FOOTNOTE,
        toy.run(" its late"),
        toy.PICTURE,
        toy.run("."),
    )
    assert shown(root) == (
        "You have to |/click here/| because|<footnoteReference>| it is late|<drawing>|."
    )
    (paragraph,) = toy.find(root, "//w:p")
    names = [child.tag.rpartition("}")[2] for child in paragraph]
    assert names[1:4] == ["bookmarkStart", "hyperlink", "bookmarkEnd"]


def test_fields_code_hidden_text_and_headings_stay():
    data = toy.make(
        toy.paragraph(toy.run("gonna go now."), style="berschrift1"),
        toy.paragraph(toy.run("u gonna = 1;"), style="Listing"),
        toy.paragraph(
            toy.run("u gonna see "),
            toy.field("page u 2"),
            toy.run(" and "),
            toy.run("u()", '<w:rStyle w:val="HTMLCode"/>'),
            toy.run("u hid", "<w:vanish/>"),
            toy.run(" u la la", '<w:lang w:val="fr-FR"/>'),
            toy.run(" soon cuz its late."),
        ),
    )
    new = toy.part(rewritten(data, FORMAL))
    before, after = toy.texts(toy.part(data)), toy.texts(new)
    assert after[:2] == before[:2]
    assert (
        after[2]
        == "You going to see page u 2 and u()u hid u la la soon because it is late."
    )
    kinds = toy.find(new, "//w:fldChar/@w:fldCharType")
    assert kinds == ["begin", "separate", "end"]
    assert toy.find(new, "//w:instrText/text()") == [" REF x "]
    headings = toy.part(rewritten(data, FORMAL, headings=True))
    assert toy.texts(headings)[0] == "Going to go now."


def test_a_short_bold_paragraph_without_a_stop_is_a_heading():
    data = toy.make(
        toy.paragraph(toy.run("i dont know")),
        toy.paragraph(toy.run("We gotta see "), toy.run("them", ITALIC)),
        toy.paragraph(toy.run("What we ", BOLD), toy.run("gotta see", BOLD + ITALIC)),
        toy.paragraph(toy.run("We ", BOLD), toy.run("gotta go", '<w:b w:val="0"/>')),
        toy.paragraph(toy.run("What we gotta see.", BOLD)),
        toy.paragraph(toy.run("we gotta see", BOLD)),
    )
    assert toy.texts(toy.part(rewritten(data, FORMAL))) == [
        "I do not know.",
        "We have to see them.",
        "What we gotta see",
        "We have to go.",
        "What we have to see.",
        "We have to see.",
    ]


def test_a_line_break_inside_a_sentence_stays_between_its_words():
    parts = (
        toy.run("u "),
        toy.run("take it", BOLD),
        toy.BREAK,
        toy.run("cuz its late."),
    )
    more = (toy.BREAK, toy.run("U go.")), (toy.BREAK, toy.BREAK, toy.run("u go."))
    expected = "You |*take it*|<br>|because it is late."
    assert shown(body(*parts)) == expected
    assert shown(body(*parts, *more[0])) == f"{expected}|<br>|You go."
    assert shown(body(*parts, *more[1])) == f"{expected}|<br>|<br>|You go."
    few = rewriting(lambda text: "Gone.")
    assert shown(body(*parts, rewriter=few)) == "Gone.|<br>"
    tracked = body(*parts, tracked=True)
    assert toy.texts(tracked) == ["You take it because it is late."]
    assert toy.texts(tracked, accepted=False) == ["u take it cuz its late."]
    assert len(toy.find(tracked, "//w:br")) == 1


def test_a_field_over_paragraphs_is_left_alone():
    begin, end = toy.field("x").split(toy.run("x"))
    data = toy.make(
        toy.paragraph(begin, toy.run("u gonna go.")),
        toy.paragraph(toy.run("u gonna stay.")),
        toy.paragraph(toy.run("u gonna sit."), end),
        toy.paragraph(toy.run("u gonna run.")),
    )
    assert toy.texts(toy.part(rewritten(data, FORMAL))) == [
        *("u gonna go.", "u gonna stay.", "u gonna sit.", "You going to run.")
    ]


def test_tables_notes_and_headers_are_read_and_labels_stay():
    cell = "<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>"
    data = toy.make(
        cell.format(toy.paragraph(toy.run("ur name"))),
        cell.format(toy.paragraph(toy.run("u gonna go."))),
        toy.paragraph(toy.run("u first\u00a0"), "<w:r><w:tab/></w:r>", toy.run("u go")),
        footnotes=f"<w:footnote>{toy.paragraph(toy.run('u wait.'))}</w:footnote>",
        header=toy.paragraph(toy.run("ur firm")),
    )
    new = rewritten(data, FORMAL)
    assert toy.texts(toy.part(new)) == [
        *("ur name", "You going to go.", "You first\u00a0You go")
    ]
    assert toy.texts(toy.part(new, "word/footnotes.xml")) == ["You wait."]
    assert toy.texts(toy.part(new, "word/header.xml")) == ["ur firm"]


def test_a_rewrite_that_loses_a_link_is_not_taken():
    lose = rewriting(lambda text: text.replace("here", "").replace("saw", "met"))
    parts = (toy.run("We saw them "), toy.link(toy.run("here")), toy.run("."))
    document = format_named("docx").read(toy.make(toy.paragraph(*parts)), "a.docx")
    (new,) = rewrite_document(lose, document)
    assert new.text == "We saw them here."
    assert new.rewrite.why == "no word of the rewrite corresponds to the link 'here'"


LOOKS = st.lists(st.sampled_from([BOLD, ITALIC, "<w:u/>"]), unique=True).map("".join)
WORDS = st.sampled_from("the big dog saw we Romeo often home".split())  # noqa: SIM905
RUNS = st.builds(
    lambda words, look: toy.run(f"{' '.join(words)} ", look),
    st.lists(WORDS, min_size=1, max_size=4),
    LOOKS,
)
RANGES = st.integers(3, 99).map(
    lambda own: (
        f'<w:commentRangeStart w:id="{own}"/>',
        f'<w:commentRangeEnd w:id="{own}"/>',
    )
)
PARTS = st.one_of(
    RUNS,
    RUNS.map(toy.link),
    st.sampled_from([toy.FOOTNOTE, toy.PICTURE, toy.field("Figure 1 "), toy.BREAK]),
    st.builds(lambda ends, inner: f"{ends[0]}{inner}{ends[1]}", RANGES, RUNS),
    RUNS.map('<w:ins w:id="1" w:author="A">{}</w:ins>'.format),
)
PARAGRAPHS = st.lists(PARTS, min_size=1, max_size=6).map(
    lambda parts: toy.paragraph(toy.run("Then "), *parts, toy.run("ended."))
)


@settings(max_examples=30, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_without_changes_the_document_is_the_same(paragraphs):
    data = toy.make(*paragraphs)
    assert rewritten(data, SAME) == data
    assert rewritten(data, SAME, tracked=True) == data


@settings(max_examples=40, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_shuffled_words_lose_no_look_link_field_or_mark(paragraphs):
    data = toy.make(*paragraphs)
    before, after = toy.part(data), toy.part(rewritten(data, SHUFFLED))
    count = len(toy.find(before, "//w:p"))
    for index in range(1, count + 1):
        old, new = (toy.find(root, f"//w:p[{index}]")[0] for root in (before, after))
        for path in (
            "w:footnoteReference",
            "w:drawing",
            "w:br",
            "w:fldChar[@w:fldCharType='begin']",
            "w:instrText",
            "w:commentRangeStart",
            "w:commentRangeEnd",
        ):
            assert len(toy.find(new, f".//{path}")) == len(toy.find(old, f".//{path}"))
        assert {look for _, look, _ in toy.looks(new)} == {
            look for _, look, _ in toy.looks(old)
        }
        assert len(toy.find(old, ".//w:hyperlink")) <= len(
            toy.find(new, ".//w:hyperlink")
        )
        order = [n.tag.rpartition("}")[2] for n in toy.find(new, ".//w:fldChar/..")]
        assert len(order) % 3 == 0
    old, new = (sorted(" ".join(toy.texts(root)).split()) for root in (before, after))
    assert new == old


@settings(max_examples=40, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_tracked_changes_accepted_or_rejected_give_either_text(paragraphs):
    data = toy.make(*paragraphs)
    plain = toy.part(rewritten(data, SHUFFLED))
    tracked = toy.part(rewritten(data, SHUFFLED, tracked=True))
    assert toy.texts(tracked, accepted=False) == toy.texts(toy.part(data))
    assert toy.texts(tracked) == toy.texts(plain)
    ids = toy.find(tracked, "//w:ins[@w:author='Paraphrast']/@w:id | //w:del/@w:id")
    assert len(ids) == len(set(ids))


def test_each_change_is_tracked_by_itself():
    root = body(toy.run("u saw it, im "), toy.run("gonna", BOLD), toy.run(" go."))
    assert not toy.find(root, "//w:ins | //w:del")
    root = body(
        toy.run("u saw it, we "), toy.run("gonna", BOLD), toy.run(" go."), tracked=True
    )
    deleted = ["".join(toy.find(d, ".//text()")) for d in toy.find(root, "//w:del")]
    inserted = ["".join(toy.find(d, ".//text()")) for d in toy.find(root, "//w:ins")]
    assert (deleted, inserted) == (["u", "gonna"], ["You", "going to"])
    assert len(toy.find(root, "//w:ins//w:b")) == 1


def test_another_reader_opens_the_result():
    made = python_docx.Document()
    made.add_heading("Gonna go", 1)
    made.add_paragraph("u gonna ").add_run("wait.").bold = True
    table = made.add_table(1, 1)
    table.cell(0, 0).text = "im late."
    data = io.BytesIO()
    made.save(data)
    new = python_docx.Document(io.BytesIO(rewritten(data.getvalue(), FORMAL)))
    assert [p.text for p in new.paragraphs] == ["Gonna go", "You going to wait."]
    assert [r.bold for r in new.paragraphs[1].runs] == [None, True]
    assert new.tables[0].cell(0, 0).text == "I am late."


BOMB = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
NO_ZIP = toy.make()[:200]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"plain text", "broken (File is not a zip file)"),
        (NO_ZIP, "broken (File is not a zip file)"),
        (b"", "broken (File is not a zip file)"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 600, "protected by a password, or from an old"),
        (toy.make(main="document.macroEnabled.main+xml"), "contains macros"),
        (toy.make(files={"word/vbaProject.bin": "x"}), "contains macros"),
        (toy.make(main="other+xml"), "not a Word document"),
        (toy.make("<w:p>"), "word/document.xml: broken (Opening and ending tag"),
        (toy.make(files={"word/document.xml": BOMB}), "declares entities"),
    ],
)
def test_an_invalid_document_is_refused_in_one_line(data, why):
    with pytest.raises(ParaphrastError) as caught:
        format_named("docx").read(data, "a.docx")
    message = str(caught.value)
    assert message.startswith("a.docx: ")
    assert why in message
    assert "\n" not in message


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("paraphrast.rewriting.formats.archives.MOST_BYTES", 2**20)
    bomb = toy.make(files={"word/media/zeros": bytes(2**20)})
    assert len(bomb) < 5000
    with pytest.raises(
        ParaphrastError, match="unpacks to more than 10,000 files or 1 MB"
    ):
        format_named("docx").read(bomb, "a.docx")


def test_an_archive_that_lies_about_a_size_is_refused():
    data = bytearray(toy.make(toy.paragraph(toy.run("u go."))))
    size = len(data)
    place = data.index(b"PK\x01\x02")
    data[place + 24] -= 1  # of the size of the first file, unpacked
    assert len(data) == size
    with pytest.raises(ParaphrastError, match="broken"):
        format_named("docx").read(bytes(data), "a.docx")


def test_an_encrypted_archive_is_refused():
    data = bytearray(toy.make())
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    with pytest.raises(ParaphrastError, match="protected by a password"):
        format_named("docx").read(bytes(data), "a.docx")
