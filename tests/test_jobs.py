"""Which arguments are texts and which are files, and how records are counted."""

import os
import random
from pathlib import Path

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Kept, Rewrite
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.jobs import (
    Inputs,
    Left,
    find_inputs,
    format_of,
    refuse_binary,
    rewrite_records,
    stream_documents,
)
from paraphrast.rewriting.records import Record


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "a\0b",
        "word " * 2000,
        "x" * 5000,  # longer than a file's name can be
        "see notes.txt",
        "the last word is.docx, so what",
        "say e.g. this",
        "",
    ],
)
def test_an_argument_that_names_no_file_is_a_text(here, text):
    assert find_inputs([text]) == Inputs(texts=(text,))


def test_no_arguments_give_neither_texts_nor_files(here):
    assert find_inputs([]) == Inputs()


@pytest.mark.parametrize("name", ["notes.txt", "notes.PDF", "a/b.jsonl", "x.html"])
def test_the_name_of_a_missing_file_is_not_taken_for_a_text(here, name):
    with pytest.raises(ParaphrastError, match=f"file not found: '{name}'"):
        find_inputs(["hello", name])


def test_an_argument_is_a_folder_if_one_word_or_with_a_slash(here):
    for name in ("word", "two words"):
        (here / name).mkdir()
        (here / name / "a.txt").write_text("x")
    assert [str(f) for f in find_inputs(["word"]).files] == ["word/a.txt"]
    assert find_inputs(["two words"]).texts == ("two words",)
    assert len(find_inputs(["./two words"]).files) == 1
    assert len(find_inputs([str(here / "two words")]).files) == 1


def test_the_files_of_a_folder_are_sorted_at_any_depth_but_not_hidden(here):
    for name in ("b.md", "a/z.TXT", "a/y.csv", ".git/c.txt", "a/.d/e.txt", "f.py"):
        path = here / "t" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (here / "t" / "g.txt").mkdir()
    (here / "other.txt").write_text("x")
    found = find_inputs(["t", "other.txt"]).files
    assert [str(path) for path in found] == [
        *("t/a/y.csv", "t/a/z.TXT", "t/b.md", "other.txt")
    ]


def test_a_folder_may_lie_in_a_hidden_one(here):
    (here / ".notes").mkdir()
    (here / ".notes" / "a.txt").write_text("x")
    assert len(find_inputs([".notes"]).files) == 1


def test_a_binary_file_in_a_folder_is_refused_too(here):
    (here / "t").mkdir()
    (here / "t" / "a.txt").write_bytes(b"%PDF-1.7")
    with pytest.raises(ParaphrastError, match=r"t/a\.txt is not a text file"):
        find_inputs(["t"])


def test_files_and_texts_are_not_mixed(here):
    (here / "a.txt").write_text("x")
    with pytest.raises(ParaphrastError) as caught:
        find_inputs(["hello", "a.txt"])
    assert str(caught.value) == (
        "'a.txt' is a file and 'hello' is not. Give only files, or only texts."
    )


def test_a_format_is_told_by_the_ending():
    names = {"a.MD": "md", "a.markdown": "md", "a.ndjson": "jsonl", "a.tsv": "tsv"}
    for name, form in {**names, "a": "txt", "a.log": "txt", "a.csv": "csv"}.items():
        assert format_of(Path(name)) == form


NOISE = random.Random(1).randbytes(10_000)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((f"magic-{mark[:4].hex()}.txt", mark + b" rest") for mark in (
            b"PK\x03\x04", b"%PDF", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x89PNG",
            b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"\x7fELF", b"\xff\xfe", b"\xfe\xff",
        )),
        ("noise.txt", NOISE),
        ("short-noise.txt", NOISE[:200]),
        ("controls.txt", b"\x01\x02\x03\x04" + b"a" * 9),
        ("utf16.txt", "Dear all".encode("utf-16-le")),
        ("letter.doc", b"plain text, but by its name it is none"),
        ("late-noise.txt", b"Dear all,\n" + NOISE),
    ],
)  # fmt: skip
def test_binary_files_are_refused(here, name, content):
    (here / name).write_bytes(content)
    with pytest.raises(ParaphrastError, match="is not a text file. Convert it first"):
        refuse_binary(here / name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.txt", b""),
        ("page.html", b"<p>u go</p>"),
        ("latin-1.txt", "Das Café, die Möwe, naïve Leute\n".encode("latin-1") * 200),
        ("old.txt", "déjà vu\n".encode("latin-1") * 20 + b"\x1a"),
        ("few-controls.txt", b"\x01\x02\x03" + b"a" * 7),
        ("colours.txt", b"\x1b[1mbold\x1b[0m\tand\x0c\r\n"),
        ("cut.txt", b"a" * 4095 + "é".encode()),
        ("controls-in-utf-8.txt", "éé \x01\x02".encode()),
        ("chinese.txt", "你好，世界。\n".encode() * 1000),
    ],
)
def test_text_in_another_encoding_is_not_refused(here, name, content):
    (here / name).write_bytes(content)
    refuse_binary(here / name)


def test_a_refused_file_says_how_to_convert_it_to_text(here):
    for name, how in {
        "a.pdf": "with `pdftotext a.pdf`.",
        "a.doc": "with `soffice --headless --convert-to docx a.doc`.",
        "a.html": "with an export to UTF-8 text.",
    }.items():
        (here / name).write_bytes(b"%PDF-1.7")
        with pytest.raises(ParaphrastError, match="Convert it first") as caught:
            refuse_binary(here / name)
        assert str(caught.value).endswith(how)


def test_a_pipe_is_a_file_and_is_not_read_ahead(here):
    os.mkfifo(here / "pipe")
    assert [str(path) for path in find_inputs(["pipe"]).files] == ["pipe"]


class Noting:
    """A destination that notes every call."""

    def __init__(self, done=0):
        self.done = done
        self.calls = []

    def add(self, text, records):
        self.calls.append((text, records))


def shout(texts):
    return [[Rewrite(text.upper())] for text in texts]


def test_every_record_is_written_and_counted_once():
    records = [
        Record("a"),
        Record(None, "head"),
        Record("b", fixed=True),
        Record("c"),
    ]
    asked, written = [], []

    def answer(texts):
        asked.append(list(texts))
        return shout(texts)

    def write(record, rewrites):
        written.append([(r.text, r.why) for r in rewrites])
        return rewrites[0].text if rewrites else str(record.frame)

    to = Noting()
    left = rewrite_records(records, answer, write, to)
    assert asked == [["a", "c"]]
    assert written == [
        [("A", "")],
        [],
        [("b", "it holds no prose to rewrite")],
        [("C", "")],
    ]
    assert to.calls == [("AheadbC", 4)]
    assert list(left) == []


def test_a_resumed_job_does_not_repeat_finished_records():
    records = [Record(str(n)) for n in range(60)]
    to = Noting(done=50)
    rewrite_records(records, shout, lambda _, rewrites: rewrites[0].text + " ", to)
    assert "".join(text for text, _ in to.calls).split() == [
        str(n) for n in range(50, 60)
    ]
    assert sum(count for _, count in to.calls) == 10


def test_streamed_documents_count_when_they_are_whole():
    def some(sentences, *, alternatives, seed):
        return [
            [Rewrite(s.text, why="too hard") if "x" in s.text else Rewrite("Y.")]
            for s in sentences
        ]

    to = Noting()
    whole = DocumentRewriter(some, style="loud", family="test")
    records = [Record("Go on. Fix it.\n"), Record(None), Record("Go.")]
    left = stream_documents(records, whole, to, seed=1, reading=Reading())
    assert "".join(text for text, _ in to.calls) == "Y. Fix it.\nY."
    assert [count for text, count in to.calls if text] == [0, 0, 0, 0, 0]
    assert [count for text, count in to.calls if not text] == [1, 1, 1]
    assert list(left) == ["left 1 sentence unchanged: too hard: 'Fix it.'."]


def test_expected_reasons_are_not_reported():
    left = Left()
    for why in ("no change was needed", "it is empty", "it holds no prose to rewrite"):
        left.add([Kept("a", why)])
        left.add_record(Record("a"), [Rewrite("a", why=why)])
        left.add_record(Record(None, why=why), [])
    left.add_record(Record(None), [])
    assert list(left) == []


def test_a_record_is_counted_by_itself_or_by_its_sentences():
    left = Left()
    kept = (Kept("a.", "hard"), Kept("b.", "harder"))
    left.add_record(Record("a. b."), [Rewrite("a. b.", why="hard", kept=kept)])
    assert list(left) == [
        "left 1 sentence unchanged: hard: 'a.'.",
        "left 1 sentence unchanged: harder: 'b.'.",
    ]
    assert left.records == {}


def test_a_single_record_is_counted_in_the_singular():
    left = Left()
    left.add_record(Record(None, why="broken"), [])
    assert list(left) == ["left 1 record unchanged: broken."]


def test_many_are_counted_and_three_are_shown():
    left = Left()
    for _ in range(1000):
        left.add_record(Record(None, why="broken"), [])
    left.add([Kept(text, "hard") for text in ("a" * 60, "b" * 61, "c")])
    records, sentences = left
    assert records == "left 1,000 records unchanged: broken."
    assert sentences == (
        f"left 3 sentences unchanged: hard: '{'a' * 60}'; '{'b' * 59}…'; 'c'."
    )
    left.add([Kept("d", "hard")] * 997)
    assert left.examples == {"hard": ["a" * 60, "b" * 61, "c"]}  # a corpus has millions
    assert list(left)[1].startswith("left 1,000 sentences unchanged: hard: 'aaa")
    assert list(left)[1].endswith("'; 'c'; ….")
