"""Documents of every format: the same bytes, or the same formatting on other words."""

import io
import random
import re
import zipfile
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.formats import SUFFIXES, format_named
from paraphrast.rewriting.formats.rewriting import rewrite_document
from paraphrast.rewriting.interface import Reading
from tests.text_strategies import ANY_TEXT


def rewriting(function):
    """Return a rewriter that applies a function to the text of each sentence."""

    def rewrite(sentences, *, alternatives, seed):
        return [[Rewrite(function(s.text))] for s in sentences]

    return DocumentRewriter(rewrite, style="test", family="test")


def shuffle(text):
    """Return a sentence with its words, but for the last, in another order."""
    *words, last = text.split(" ")
    random.Random(text).shuffle(words)
    return " ".join((*words, last))


SAME = rewriting(str)
SHUFFLED = rewriting(shuffle)


def rewritten(name, data, rewriter=SAME, **reading):
    data = data.encode() if isinstance(data, str) else data
    document = format_named(name).read(data, "a file")
    new = rewrite_document(rewriter, document, reading=Reading(**reading))
    return document.write(new).decode()


WORDS = st.sampled_from(["the", "big", "dog", "saw", "we", "Romeo", "cats.", "&amp;"])
TAGS = st.sampled_from(
    [
        *("<p>", "</p>", "<b>", "</b>", "<i>", "</i>", '<a href="#x">', "</a>", "<br>"),
        *("<img src=x>", "<!-- u -->", "<code>", "</code>", "<li>", "<h1>", "</h1>"),
        *("<pre>", "</pre>", "<script>", "</script>", "<span translate=no>", "</span>"),
        *("\n  ", "<div class='a>b'>", "</div>", "&nbsp;", "<", "<b", "&", "<td>"),
    ]
)
PAGES = st.lists(WORDS.map(" {} ".format) | TAGS).map("".join)
LINES = st.lists(
    st.sampled_from(
        [
            *("1\n", "00:00:01,000 --> 00:00:02,000\n", "\n", "\r\n", "\n\n", "WEBVTT"),
            *("00:01.000 --> 00:02.000 align:left\n", "- ", "<i>", "</i>", "{\\an8}"),
            *("[door]", "msgid ", "msgstr ", '""\n', '"a dog"\n', "msgstr[1] ", '"'),
            *('"\\n"', "%(n)d", "\\", "#~ ", "We saw the big dog. ", "\ufeff"),
        ]
    )
).map("".join)


@pytest.mark.parametrize("name", ["html", "md", "po", "srt", "vtt"])
@settings(max_examples=60, deadline=None)
@given(st.one_of(PAGES, LINES, ANY_TEXT))
def test_without_changes_the_bytes_are_the_same(name, text):
    data = text.encode("utf-8", errors="surrogatepass")
    try:
        document = format_named(name).read(data, "a file")
    except ParaphrastError:
        return  # not UTF-8, or not in English
    assert document.write(rewrite_document(SAME, document)) == data


class Tags(HTMLParser):
    """Notes for each letter which elements are open around it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.marks = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "br"):
            self.marks.append(tag)
        else:
            self.open.append((tag, *attrs))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, "elements overlap"

    def handle_comment(self, data):
        self.marks.append(data)

    def handle_data(self, data):
        self.words += [(word, tuple(self.open)) for word in data.split()]


FORMATTED = st.recursive(
    st.lists(WORDS, min_size=1).map(" ".join),
    lambda inner: st.builds(
        lambda tag, before, own, after: f"{before} {tag[0]}{own}{tag[1]} {after}",
        st.sampled_from(
            [("<b>", "</b>"), ('<a href="#x">', "</a>"), ('<i lang="en">', "</i>")]
        ),
        inner,
        inner,
        inner,
    ),
    max_leaves=5,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(FORMATTED, min_size=1, max_size=3))
def test_shuffled_words_keep_their_elements(paragraphs):
    page = "".join(f"<p>{p} <img> <!--c--> we<br>end.</p>\n" for p in paragraphs)
    new = rewritten("html", page, SHUFFLED)
    before, after = Tags(page), Tags(new)
    assert sorted(w for w, _ in after.words) == sorted(w for w, _ in before.words)
    assert {around for _, around in after.words} == {a for _, a in before.words}
    assert sorted(after.marks) == sorted(before.marks)
    assert new.count("</p>\n") == len(paragraphs)


CUE_PARTS = st.one_of(
    WORDS,
    st.lists(WORDS, min_size=1, max_size=3).map(lambda own: f"<i>{' '.join(own)}</i>"),
    st.sampled_from(["[a door]", r"{\an8}we", "<b>the dog</b>", "♪ la ♪"]),
)
CUES = st.lists(st.lists(CUE_PARTS, min_size=1, max_size=9), min_size=1, max_size=8)
HEADS = {"vtt": "WEBVTT\n\nNOTE we saw.\n\n", "srt": ""}
TIMES = re.compile(r".*-->.*")


@pytest.mark.parametrize(("name", "mark"), [("vtt", "."), ("srt", ",")])
@settings(max_examples=60, deadline=None)
@given(CUES, st.integers(1, 9))
def test_shuffled_subtitles_keep_cues_times_and_looks(name, mark, cues, wrap):
    source = HEADS[name]
    for number, parts in enumerate(cues):
        lines = [parts[i : i + wrap] for i in range(0, len(parts), wrap)]
        text = "\n".join(" ".join(line) for line in lines)
        begin, end = (f"00:00:0{number}{mark}{part}00" for part in "09")
        source += f"{number}\n{begin} --> {end}\n{text}\n\n"
    new = rewritten(name, source, SHUFFLED)
    assert TIMES.findall(new) == TIMES.findall(source)
    assert new.startswith(HEADS[name])
    before, after = (read_cues(text, HEADS[name]) for text in (source, new))
    assert len(after) == len(cues)
    assert all(cue.strip() for cue in after)
    (words, marks), (old_words, old_marks) = map(look_at, (after, before))
    assert sorted(word for word, _ in words) == sorted(word for word, _ in old_words)
    assert {a for _, a in words} | {()} == {a for _, a in old_words} | {()}
    assert marks == old_marks


def read_cues(text, head):
    """Return the text of each cue."""
    return [cue.split("\n", 2)[2] for cue in text[len(head) :].split("\n\n")[:-1]]


def look_at(cues):
    """Return words with the elements around them, and sounds, songs and codes."""
    mark, text = re.compile(r"\[[^]\n]*\]|\{.*?\}|♪.*?♪"), "\n\n".join(cues)
    return Tags(mark.sub("", text)).words, sorted(mark.findall(text))


MESSAGES = st.lists(
    WORDS
    | st.sampled_from(
        ["%(n)d", "{name}", "<b>the dog</b>", r"\"we\"", "<br/>", "%s", "the_"]
    ),
    min_size=1,
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGES, min_size=1, max_size=4))
def test_shuffled_messages_keep_their_strings(messages):
    source = 'msgid ""\nmsgstr "Language: en\\n"\n' + "".join(
        f'\nmsgid "{message}"\nmsgstr ""\n"{message} %(n)d\\n"\n"the \\"end\\"."\n'
        for message in messages
    )
    new = rewritten("po", source, SHUFFLED)
    assert new.count("\n") == source.count("\n")
    assert new.count('"') == source.count('"')
    ids = re.compile("msgid .*")
    assert ids.findall(new) == ids.findall(source)
    assert sorted(re.split(r'[\s"\\]+', new)) == sorted(re.split(r'[\s"\\]+', source))


STYLES = """<style:default-style style:family="paragraph"><style:text-properties
 fo:language="en"/></style:default-style><style:style style:name="Standard"/>
<style:style style:name="Source_20_Code" style:family="paragraph"/>
<style:style style:name="Title" style:parent-style-name="Standard"/>
<style:style style:name="Listing" style:parent-style-name="Preformatted_20_Text"/>
<style:style style:name="Preformatted_20_Text" style:parent-style-name="Listing"/>"""
OWN_STYLES = """<office:automatic-styles><style:style style:name="P1"
 style:parent-style-name="Source_20_Code"><style:text-properties fo:color="#000"/>
</style:style><style:style style:name="T1"><style:text-properties fo:language="de"/>
</style:style><style:style style:name="T2"><style:text-properties fo:language="en"/>
</style:style></office:automatic-styles>"""


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('<text:p text:style-name="P1">We saw.</text:p>', "We saw."),
        ('<text:p text:style-name="Listing">We saw.</text:p>', "We saw."),
        ('<text:p text:style-name="Title">We saw</text:p>', "We saw"),
        ('<text:p text:style-name="Standard">We saw.</text:p>', "WE SAW."),
        ('<text:p>We <text:span text:style-name="T1">saw</text:span>.</text:p>',
         "We saw."),
        ('<text:p>We <text:span text:style-name="T2">saw</text:span>.</text:p>',
         "WE SAW."),
    ],
)  # fmt: skip
def test_styles_of_an_odt_say_what_stays(text, new):
    data = pack({"content.xml": OWN_STYLES + text, "styles.xml": STYLES})
    document = format_named("odt").read(data, "a file")
    loud = rewrite_document(rewriting(str.upper), document)
    content = unpack(document.write(loud))["content.xml"]
    assert re.sub("<[^>]*>|\\n", "", content) == new


def test_every_ending_has_a_format():
    for name in set(SUFFIXES.values()):
        assert format_named(name).read
    with pytest.raises(ParaphrastError, match="unknown format of documents 'doc'"):
        format_named("doc")


@pytest.mark.parametrize(
    "page",
    [
        "<b>It is late now<!-- c --> " * 3000,
        "<p>" * 30_000 + "<" * 30_000 + "<!--" * 10_000,
        '<a title="x' * 20_000,
        "<!-- c --> " * 20_000 + "It is late.",
        "<div translate=no>" * 5_000 + "It is late.",
    ],
    ids=["nested", "open", "quotes", "comments", "marked"],
)
def test_a_hostile_page_is_read_quickly(page):
    assert rewritten("html", page) == page


def test_a_sentence_that_is_too_long_to_align_stays():
    page = f"<p>{'so it is, ' * 200}then.</p>"
    document = format_named("html").read(page.encode(), "a page")
    (new,) = rewrite_document(rewriting(str.upper), document)
    assert new.rewrite.why == "it has more than 400 words, which is too many to align"


def pack(files):
    """Return an archive of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


def unpack(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


ODT_TAGS = {"<p>": "<text:p>", "</p>": "</text:p>", "<b>": "<text:span>"}
ODT_TAGS |= {"</b>": "</text:span>", "<a ": "<text:a ", "</a>": "</text:a>"}
ODT_TAGS |= {'<i lang="en">': '<text:span a="i">', "</i>": "</text:span>"}


@settings(max_examples=15, deadline=None)
@given(st.lists(FORMATTED, min_size=1, max_size=3), st.sampled_from(["epub", "odt"]))
def test_shuffled_words_keep_their_elements_in_archives(paragraphs, name):
    page = "".join(f"<p>{p} <!--c--> end.</p>\n" for p in paragraphs)
    if name == "odt":
        for tag, own in ODT_TAGS.items():
            page = page.replace(tag, own)
    path = {"odt": "content.xml", "epub": "one.xhtml"}[name]
    data = pack({"mimetype": "x", path: page, "styles.xml": "<a>We saw.</a>"})
    document = format_named(name).read(data, "a file")
    assert document.write(rewrite_document(SAME, document)) == data
    new = unpack(document.write(rewrite_document(SHUFFLED, document)))
    before, after = Tags(page), Tags(new.pop(path))
    assert new == {"mimetype": "x", "styles.xml": "<a>We saw.</a>"}
    assert sorted(w for w, _ in after.words) == sorted(w for w, _ in before.words)
    assert {around for _, around in after.words} == {a for _, a in before.words}
    assert after.marks == before.marks
