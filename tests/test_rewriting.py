"""Whole documents: nothing is lost, whatever the rewriter does."""

import io
import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.jobs import rewrite_records
from paraphrast.rewriting.records import PlainText, Record, format_named
from paraphrast.storage.resumable import Journal

DOCUMENT = """# a heading

- first item
- second item

    indented = code

some prose. more prose
  1. numbered
"""


def shouting(sentences, *, alternatives, seed):
    """Write all but the protected spans in capitals; the second choice adds a mark."""
    answers = []
    for sentence in sentences:
        text, position = "", 0
        for span in sentence.protected:
            text += sentence.text[position : span.start].upper()
            text += sentence.text[span.start : span.end]
            position = span.end
        text += sentence.text[position:].upper()
        change = Change(0, len(sentence.text), sentence.text, text, "shout")
        options = [Rewrite(text, 1.0, (change,)), Rewrite(text + "!", 0.5)]
        answers.append(options[:alternatives])
    return answers


def careless(sentences, *, alternatives, seed):
    return [[Rewrite("lost it all")] for _ in sentences]


def fragile(sentences, *, alternatives, seed):
    if any("bomb" in sentence.text for sentence in sentences):
        raise RuntimeError("boom")
    return shouting(sentences, alternatives=alternatives, seed=seed)


class Collected:
    done = 0

    def __init__(self):
        self.parts = []

    def add(self, text, records):
        self.parts.append(text)


def written(records, form, made, number=1):
    """Return the output of records and the lines about what was left."""
    answer = partial(made.alternatives, number=number)
    to = Collected()
    left = rewrite_records(records, answer, form.write, to)
    return "".join(to.parts), list(left)


def rewriter(function):
    return DocumentRewriter(function, style="loud", family="test")


def test_structure_survives_and_prose_changes():
    (found,) = rewriter(shouting).rewrite([DOCUMENT])
    assert "\n- first item\n- second item\n" in found.text
    assert "SOME PROSE. MORE PROSE\n  1. numbered\n" in found.text
    (found,) = rewriter(shouting).rewrite([DOCUMENT], headings=True)
    assert found.text.split("\n")[0] == "# A HEADING"
    assert "- FIRST ITEM\n- SECOND ITEM\n" in found.text
    assert "SOME PROSE. MORE PROSE\n  1. NUMBERED\n" in found.text
    assert found.text.count("\n") == DOCUMENT.count("\n")


def test_changes_point_into_the_whole_text():
    text = "one two.  three\n\nfour"
    (found,) = rewriter(shouting).rewrite([text])
    assert found.changes
    for change in found.changes:
        assert text[change.start : change.end] == change.before


def test_protected_terms_and_addresses_stay_letter_for_letter():
    text = "ask eBay at help@example.org or https://example.org/a?b=c about 3.5 kg"
    (found,) = rewriter(shouting).rewrite([text], protect=["eBay"])
    for kept in ("eBay", "help@example.org", "https://example.org/a?b=c", "3.5"):
        assert kept in found.text
    assert found.text.startswith("ASK ")


def test_a_rewrite_that_loses_a_protected_span_is_refused():
    (found,) = rewriter(careless).rewrite(["call 555 now"])
    assert found.text == "call 555 now"
    assert "'555'" in found.why


def test_a_sentence_that_breaks_the_rewriter_does_not_take_others_along():
    found = rewriter(fragile).rewrite(["fine", "a bomb", "fine too"])
    assert [f.text for f in found] == ["FINE", "a bomb", "FINE TOO"]
    assert "boom" in found[1].why


def test_failures_of_the_rewriter_are_counted():
    records = [Record(text, ("", "\n")) for text in ("fine", "a bomb")]
    _, left = written(records, PlainText(), rewriter(fragile))
    assert left == [
        "left 1 sentence unchanged: the rewriter failed: RuntimeError: boom: 'a bomb'."
    ]


@given(st.lists(st.text(), max_size=5))
def test_every_text_gives_exactly_one_answer(texts):
    found = rewriter(shouting).rewrite(texts)
    assert len(found) == len(texts)
    for text, rewrite in zip(texts, found, strict=True):
        assert bool(rewrite.why) == (rewrite.text == text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        (" \t ", "it is empty"),
        ("caf\udce9", "it is not valid UTF-8"),
        ("Dear Anna,", "it holds no prose to rewrite"),
    ],
)
def test_a_text_that_cannot_be_rewritten_has_a_reason(text, why):
    (found,) = rewriter(shouting).rewrite([text])
    assert (found.text, found.why) == (text, why)


def test_alternatives_are_distinct_and_the_best_comes_first():
    (found,) = rewriter(shouting).alternatives(["one. two"], 3)
    assert found[0].text == "ONE. TWO"
    assert len({rewrite.text for rewrite in found}) == 3
    with pytest.raises(ParaphrastError, match="Ask for 1 or more"):
        rewriter(shouting).alternatives(["one"], 0)


def test_a_text_alone_gives_one_answer_and_several_a_list():
    loud = rewriter(shouting)
    assert loud.rewrite("hi u").text == "HI U"
    assert [r.text for r in loud.rewrite(text for text in ("a", "b"))] == ["A", "B"]
    assert [r.text for r in loud.rewrite("hi", n=2)] == ["HI", "HI!"]
    assert [[r.text for r in rs] for rs in loud.rewrite(["hi"], n=1)] == [["HI"]]


@pytest.mark.parametrize("terms", ["gonna", ["gonna"], ("gonna", "x")])
def test_one_string_to_protect_is_one_term(terms):
    assert rewriter(shouting).rewrite("gonna go", protect=terms).text == "gonna GO"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (None, {}, "expected a text or several texts, found None"),
        (["a", None], {}, "text 1 is None, not a str"),
        ("a", {"seed": "a"}, "the seed must be a whole number, 0 or more, not 'a'"),
        ("a", {"seed": -1}, "0 or more, not -1"),
        ("a", {"protect": [None]}, "expected terms to protect, found None"),
        ("a", {"n": 0}, "Ask for 1 or more"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, options, message):
    with pytest.raises(ParaphrastError, match=message):
        rewriter(shouting).rewrite(arguments, **options)


def test_unknown_styles_and_rewriters_are_refused_with_a_hint():
    with pytest.raises(ParaphrastError, match="Did you mean 'formal'"):
        paraphrast.load("formel")
    with pytest.raises(ParaphrastError, match="Did you mean 'rules'"):
        paraphrast.load("formal", using="rule")


def unchanged(sentences, *, alternatives, seed):
    return [[Rewrite(sentence.text)] for sentence in sentences]


@given(
    st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=8)
)
def test_plain_text_comes_back_byte_for_byte(lines):
    content = b"\n".join(lines)
    form = PlainText()
    found, _ = written(form.read(io.BytesIO(content)), form, rewriter(unchanged))
    assert found.encode("utf-8", "surrogateescape") == content


def through(name, content, **options):
    settings = {"column": None, "field": None, "into": "rewrite", "number": 1}
    form = format_named(name, **(settings | options))
    number = options.get("number", 1)
    return written(form.read(io.BytesIO(content)), form, rewriter(shouting), number)


def test_csv_gets_new_columns_and_keeps_quoting():
    content = b'\xef\xbb\xbfid,text\r\n1,"a, ""b"""\r\n2,"x\ny"\r\n3\r\n'
    found, left = through("csv", content, column="text", number=2)
    assert found.split("\r\n")[0] == "\ufeffid,text,rewrite,rewrite_2"
    assert '1,"a, ""b""","A, ""B""","A, ""B""!"' in found
    assert '"X\nY"' in found
    assert "\n3\r\n" in found
    assert left == ["left 1 record unchanged: 1 columns where the header has 2."]


def test_tsv_leaves_quotes_alone():
    found, _ = through("tsv", b'a\tb\n1\t"x\n', column="b")
    assert found == 'a\tb\trewrite\n1\t"x\t"X\n'


def test_json_lines_keep_what_is_not_text():
    lines = [{"t": "hi", "n": 1}, {"t": 5}, "just a string"]
    content = "\n".join(map(json.dumps, lines)) + "\n\n{broken\n"
    found, left = through("jsonl", content.encode(), field="t")
    out = found.split("\n")
    assert json.loads(out[0]) == {"t": "hi", "n": 1, "rewrite": "HI"}
    assert out[1:3] == ['{"t": 5}', '"just a string"']
    assert out[3:] == ["", "{broken", ""]
    assert "left 2 records unchanged: no text in the field 't'." in left


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("csv", b"a,b\n1,2\n", {"column": "c"}, "unknown column 'c'"),
        ("csv", b"a,rewrite\n1,2\n", {"column": "a"}, "--into"),
        ("csv", b"a\n", {}, "unknown column 'text'"),
        ("jsonl", b'{"text": "a", "rewrite": "b"}\n', {}, "--into"),
        ("xls", b"", {}, "unknown format 'xls'"),
    ],
)
def test_wrong_requests_are_refused(name, content, options, message):
    with pytest.raises(ParaphrastError, match=message):
        through(name, content, **options)


def stopped(path, settings):
    """Write one record, then stop as Ctrl-C does."""
    with pytest.raises(KeyboardInterrupt):
        with Journal([path], settings, resume=False) as journal:
            journal.add([b"one\n"], {"records": 1})
            raise KeyboardInterrupt


def test_a_stopped_job_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old", "utf-8")
    stopped(path, {"seed": 1})
    assert path.read_text("utf-8") == "old"
    with Journal([path], {"seed": 1}, resume=True) as journal:
        assert journal.state == {"records": 1}
        journal.add([b"two\n"], {"records": 2})
    assert path.read_text("utf-8") == "one\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_job_with_other_settings_is_not_resumed(tmp_path):
    path = tmp_path / "out.txt"
    stopped(path, {"seed": 1})
    with pytest.raises(ParaphrastError, match="seed changed"):
        with Journal([path], {"seed": 2}, resume=True):
            pass
    with Journal([path], {"seed": 2}, resume=False) as journal:
        journal.add([b"new\n"], {"records": 1})
    assert path.read_text("utf-8") == "new\n"


def test_a_job_that_did_nothing_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), Journal([tmp_path / "o"], {}, resume=False):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_rewriter_gets_at_most_512_sentences_at_once():
    sizes = []

    def noting(sentences, *, alternatives, seed):
        sizes.append(len(sentences))
        return shouting(sentences, alternatives=alternatives, seed=seed)

    text = "It is so. " * 1100
    assert rewriter(noting).rewrite(text).text == text.upper()
    assert sizes == [512, 512, 76]
    sizes.clear()
    bits = []
    rewriter(noting).stream(text, bits.append)
    assert "".join(bit.text for bit in bits) == text.upper()
    assert sizes[:3] == [32, 64, 128]
    assert max(sizes) <= 512
