"""Rows come out as they went in, with the rewrite added; a bad one ends no job."""

import io
import json

import pytest

from paraphrast.rewriter import Kept, Rewrite
from paraphrast.rewriting.jobs import BATCH, FIRST_BATCH, Left, batch_records
from paraphrast.rewriting.records import Record, as_json, format_named


def through(name, content, **options):
    """Return what shouting makes of a file, and why records were left."""
    settings = {"column": None, "field": None, "into": "rewrite", "number": 1}
    form = format_named(name, **(settings | options))
    parts, whys = [], []
    for record in form.read(io.BytesIO(content)):
        rewrites = [] if record.text is None else [Rewrite(record.text.upper())]
        parts.append(form.write(record, rewrites))
        whys.append(record.why)
    return "".join(parts).encode("utf-8", "surrogateescape"), [w for w in whys if w]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (rb'{"text": "a \ud800"}', rb'{"text": "a \ud800", "rewrite": "A \ud800"}'),
        (rb'{"text": "a", "x": "\udc80"}',
         rb'{"text": "a", "x": "\udc80", "rewrite": "A"}'),
        (b'{"text": "a", "n": 1e400}', b'{"text": "a", "n": 1e400, "rewrite": "A"}'),
        (b'{"n": 1, "n": 2, "text":"a" }',
         b'{"n": 1, "n": 2, "text":"a", "rewrite": "A"}'),
        ('{"text": "é"}'.encode(), '{"text": "é", "rewrite": "É"}'.encode()),
    ],
)  # fmt: skip
def test_an_object_stays_as_it_was_with_one_field_more(line, expected):
    assert through("jsonl", line + b"\r\n") == (expected + b"\r\n", [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"text": ' + b"[" * 100_000 + b"}", "not valid JSON (nested too deeply)"),
        (b"{broken", "not valid JSON"),
        (b'{"other": 1}', "no text in the field 'text'"),
        (b'{"text": "a", "rewrite": 1}', "the field 'rewrite' already exists"),
        (b"[1]", "no text in the field 'text'"),
    ],
)
def test_a_line_that_cannot_be_rewritten_is_passed_through(line, why):
    content = b'{"text": "a"}\n' + line + b"\n"
    found, whys = through("jsonl", content)
    assert found == b'{"text": "a", "rewrite": "A"}\n' + line + b"\n"
    assert len(whys) == 1
    assert whys[0].startswith(why)


def test_a_byte_order_mark_hides_no_line():
    mark = b"\xef\xbb\xbf"
    found, whys = through("jsonl", mark + b'{"text": "a"}\n')
    assert (found, whys) == (mark + b'{"text": "a", "rewrite": "A"}\n', [])
    found, whys = through("csv", mark + b'"text",b\r\nx,1\r\n')
    assert (found, whys) == (mark + b'"text",b,rewrite\r\nx,1,X\r\n', [])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\ntext,b\nx,1\n", b"\ntext,b,rewrite\nx,1,X\n"),
        (b"\n", b"\n"),
        (b"", b""),
        (b'text\n"x\r\ny"\n', b'text,rewrite\n"x\r\ny","X\r\nY"\n'),
        (b'text,b\n"x\ry",1\n', b'text,b,rewrite\n"x\ry",1,"X\rY"\n'),
        (b"text,b\nx\ry,1\n", b'text,b,rewrite\nx\ry,1,"X\rY"\n'),
        (b"text,b\n\"x\",'1'\n\nz,2", b"text,b,rewrite\n\"x\",'1',X\n\nz,2,Z"),
    ],
)
def test_a_table_keeps_its_bytes(content, expected):
    assert through("csv", content) == (expected, [])


def test_a_short_row_is_passed_through_with_the_reason():
    found, whys = through("tsv", b"text\tb\nx\n")
    assert found == b"text\tb\trewrite\nx\n"
    assert whys == ["1 columns where the header has 2"]


def test_json_says_what_was_kept_and_which_guards_fired():
    best = Rewrite("B. a.", guards=("names",), kept=(Kept("a.", "so"),))
    table = json.loads(as_json(Record("A. a."), [best]))
    assert table["kept"] == [{"text": "a.", "why": "so"}]
    assert table["guards"] == ["names"]
    assert "changes" not in table
    plain = json.loads(as_json(Record("a"), [Rewrite("A", 2.0), Rewrite("B", 1.0)]))
    assert plain == {
        "source": "a",
        "text": "A",
        "score": 2.0,
        "why": "",
        "alternatives": [{"text": "B", "score": 1.0}],
    }


@pytest.mark.parametrize("done", [0, FIRST_BATCH, 20, 48, 10_000])
def test_batches_are_a_function_of_the_records_alone(done):
    records = [Record(str(n)) for n in range(700)]
    batches = list(batch_records(records, done))
    assert [r for batch in batches for r in batch] == records[done:]
    whole = list(batch_records(records, 0))
    assert len(whole[0]) == FIRST_BATCH
    assert max(map(len, whole)) == BATCH
    if done in (0, FIRST_BATCH, 48):
        assert batches == whole[len(whole) - len(batches) :]


def test_batches_begin_small_and_stay_small_enough_to_lose():
    # A stop loses the batch it falls into: a minute's work of a neural rewriter.
    records = [Record(str(n)) for n in range(1000)]
    sizes = [len(batch) for batch in batch_records(records, 0)]
    assert sizes == [16, 32, 64, 128, 256, 256, 248]
    sizes = [len(batch) for batch in batch_records(records, 20)]
    assert sizes == [28, 64, 128, 256, 256, 248]


def test_what_was_left_is_counted_by_sentence_and_shown():
    left = Left()
    left.add_record(Record(None, "", "not valid JSON"), [])
    left.add_record(Record("x"), [Rewrite("x", why="it is not valid UTF-8")])
    left.add_record(Record(""), [Rewrite("", why="it is empty")])
    kept = tuple(Kept(f"{n} {'long ' * 20}", "too hard") for n in range(4))
    left.add_record(Record("y"), [Rewrite("Y", kept=kept)])
    lines = list(left)
    assert lines[:2] == [
        "left 1 record unchanged: it is not valid UTF-8.",
        "left 1 record unchanged: not valid JSON.",
    ]
    assert lines[2].startswith("left 4 sentences unchanged: too hard: '0 long long")
    assert lines[2].count("…'") == 3
    assert lines[2].endswith("; ….")
    assert len(lines) == 3
