"""Rows come out as they went in, with the rewrite added; a bad one ends no job."""

import io
import json

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Kept, Rewrite
from paraphrast.rewriting.jobs import BATCH, FIRST_BATCH, Left, batch_records
from paraphrast.rewriting.ratings import Rating
from paraphrast.rewriting.records import PlainText, Record, as_json, format_named


def through(name, content, **options):
    """Return a file rewritten in capitals, and why records were left unchanged."""
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
def test_an_object_gets_one_more_field_and_stays_otherwise(line, expected):
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


def test_batches_begin_small_and_stay_small():
    # A stop loses the batch it falls into.
    records = [Record(str(n)) for n in range(1000)]
    sizes = [len(batch) for batch in batch_records(records, 0)]
    assert sizes == [16, 32, 64, 128, 256, 256, 248]
    sizes = [len(batch) for batch in batch_records(records, 20)]
    assert sizes == [28, 64, 128, 256, 256, 248]


def test_a_batch_takes_a_neural_rewriter_few_seconds():
    # The default pack rewrites about 2,400 characters per second on two cores, so
    # that its progress is noted every three seconds, or every six on a busy machine.
    records = [Record("x" * 77) for _ in range(3_000)]
    lengths = [
        sum(len(record.text) for record in batch) for batch in batch_records(records, 0)
    ]
    assert max(lengths) < 6_000 + 77


def test_long_records_come_in_batches_of_few():
    records = [Record("x" * 2_400) for _ in range(10)] + [Record(None)] * 3
    sizes = [len(batch) for batch in batch_records(records, 0)]
    assert sizes == [3, 3, 3, 4]
    assert [len(batch) for batch in batch_records(records, 7)] == [2, 4]
    exact = [Record("x" * 3_000) for _ in range(5)]
    assert [len(batch) for batch in batch_records(exact, 0)] == [2, 2, 1]


def test_unchanged_sentences_are_counted_and_shown():
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


def shown(name, content, rewrites=lambda text: [Rewrite(text.upper())], **options):
    """Return the output of a file whose texts get these rewrites."""
    settings = {"column": None, "field": None, "into": "rewrite", "number": 1}
    form = format_named(name, **(settings | options))
    return "".join(
        form.write(record, [] if record.text is None else rewrites(record.text))
        for record in form.read(io.BytesIO(content))
    )


def twice(text):
    return [Rewrite(text.upper()), Rewrite(f"{text}\t {text}!")]


def test_alternatives_are_placed_by_their_format():
    assert shown("txt", b"a\r\nb", twice) == "A\ta\t a!\r\nB\tb\t b!"
    assert shown("jsonl", b'{"text": "a"}\n', twice) == (
        '{"text": "a", "rewrite": ["A", "a\\t a!"]}\n'
    )
    content = b"text\nx\n"
    assert shown("csv", content, twice, number=3, into="new") == (
        "text,new,new_2,new_3\nx,X,x\t x!,\n"
    )
    assert shown("tsv", content, twice, number=3) == (
        "text\trewrite\trewrite_2\trewrite_3\nx\tX\tx x!\t\n"
    )
    assert shown("csv", content, number=1) == "text,rewrite\nx,X\n"


def test_a_document_is_written_whole_and_alone():
    content = "\ufeff# é\r\n\r\nu go".encode()
    assert shown("md", content, lambda text: [Rewrite(text)]).encode() == content
    with pytest.raises(ParaphrastError, match="Add --json, or leave out -n"):
        shown("md", b"u go", twice)


def test_markdown_is_recognised_by_format():
    settings = {"column": None, "field": None, "into": "rewrite", "number": 1}
    marked = {
        name: format_named(name, **settings).markdown
        for name in ("txt", "md", "csv", "tsv", "jsonl")
    }
    assert [name for name, is_markdown in marked.items() if is_markdown] == ["md"]


def test_a_byte_order_mark_counts_only_at_the_start():
    mark = "\ufeff"
    assert shown("txt", f"{mark}a\n{mark}b\n".encode()) == f"{mark}A\n{mark}B\n"
    records = list(
        format_named("txt", column=None, field=None, into="r", number=1).read(
            io.BytesIO(f"{mark}a\n{mark}b\n".encode())
        )
    )
    assert [record.text for record in records] == ["a", f"{mark}b"]
    content = f'{{"text": "a"}}\n{mark}{{"text": "b"}}\n'.encode()
    assert through("jsonl", content)[1][0].startswith("not valid JSON")


def test_neither_separate_lines_nor_json_records_are_fixed():
    content = b"Subject: u\n\nur plan\n-------\n\nu go now.\n"
    assert not any(
        record.fixed for record in PlainText(apart=True).read(io.BytesIO(content))
    )
    (record,) = format_named(
        "jsonl", column=None, field=None, into="rewrite", number=1
    ).read(io.BytesIO(b'{"text": "Subject: u"}\n'))
    assert not record.fixed


def test_headings_of_plain_text_are_fixed_unless_asked_for():
    content = b"Subject: u\n\nur plan\n-------\n\nu go now.\n"
    settings = {"column": None, "field": None, "into": "rewrite", "number": 1}
    for headings, fixed in ((False, ["Subject: u", "ur plan"]), (True, ["Subject: u"])):
        form = format_named("txt", headings=headings, **settings)
        records = list(form.read(io.BytesIO(content)))
        marked = [r.text for r in records if r.fixed and r.text.strip("-")]
        assert [text for text in marked if text in fixed] == fixed
        assert "u go now." not in marked
    quiet = list(format_named("txt", **settings).read(io.BytesIO(content)))
    assert "ur plan" in [record.text for record in quiet if record.fixed]


def test_a_field_that_exists_ends_the_job_only_in_the_first_line():
    taken = b'{"text": "a", "rewrite": "b"}\n'
    with pytest.raises(ParaphrastError, match="'rewrite' already exists"):
        through("jsonl", taken + b'{"text": "a"}\n')
    found, whys = through("jsonl", b'{"text": "a"}\n' + taken)
    assert found.endswith(taken)
    assert whys == ["the field 'rewrite' already exists (--into names another)"]
    assert through("jsonl", taken, into="other")[1] == []


def test_an_existing_column_is_refused_for_later_alternatives_too():
    with pytest.raises(ParaphrastError, match="column 'rewrite_2' already exists"):
        through("csv", b"text,rewrite_2\nx,1\n", number=2)
    assert through("csv", b"text,rewrite_2\nx,1\n", number=1)[1] == []


def test_the_column_and_the_field_are_text_unless_another_is_named():
    content = b"a,text,b\n1,x,2\n"
    assert shown("csv", content).splitlines()[1] == "1,x,2,X"
    assert shown("csv", b"c,d\nx,y\n", column="d").splitlines()[1] == "x,y,Y"
    assert '"rewrite": "X"' in shown("jsonl", b'{"text": "x"}')
    assert '"rewrite": "Y"' in shown("jsonl", b'{"d": "y"}', field="d")


def test_a_row_that_is_too_long_is_passed_through():
    found, whys = through("csv", b"text,b\nx,1,2\ny,1\n")
    assert found == b"text,b,rewrite\nx,1,2\ny,1,Y\n"
    assert whys == ["3 columns where the header has 2"]


def test_blank_rows_are_passed_through_without_a_reason():
    assert through("tsv", b"\ntext\tb\n\nx\t1\n") == (
        b"\ntext\tb\trewrite\n\nx\t1\tX\n",
        [],
    )


def test_a_huge_field_is_read():
    text = b"x" * 200_000
    assert through("csv", b"text\n" + text + b"\n")[1] == []


def test_a_line_that_the_csv_module_refuses_is_named_and_kept():
    # A line with the character that stands in for a bare return keeps its returns.
    content = "text\n\ufdd0a\rb\nc\n".encode()
    found, whys = through("csv", content)
    assert found.startswith("text,rewrite\n\ufdd0a\rb\n".encode())
    assert found.endswith(b"c,C\n")
    assert len(whys) == 1
    assert whys[0].startswith("not valid CSV (")


def test_json_of_what_could_not_be_read_is_its_line_and_the_reason():
    line = as_json(Record(None, "{broken\r\n", "not valid JSON"), [])
    assert json.loads(line) == {
        "source": "{broken",
        "text": "{broken",
        "why": "not valid JSON",
    }
    assert line.endswith("}\n")
    assert as_json(Record(None, "text,rewrite\n"), []) == ""


def test_json_has_changes_only_if_asked_and_steps_only_if_there_are_any():
    change = Change(0, 1, "a", "A", "capital")
    best = Rewrite("A", 1.0, (change,), steps=("b",), why="")
    table = json.loads(as_json(Record("a"), [best], explain=True))
    assert table["changes"] == [
        {"start": 0, "end": 1, "before": "a", "after": "A", "rule": "capital"}
    ]
    assert table["steps"] == ["b"]
    plain = json.loads(as_json(Record("a"), [Rewrite("A")]))
    assert plain.keys() == {"source", "text", "score", "why"}


def test_json_lists_no_sentences_of_a_text_that_stayed_whole():
    same = Rewrite("a", why="hard", kept=(Kept("a", "hard"),))
    assert "kept" not in json.loads(as_json(Record("a"), [same]))


def test_json_has_the_rating_of_each_alternative():
    asked = []

    def rate(source, texts):
        asked.append((source, texts))
        return [Rating(len(text) / 10, 1.0, None) for text in texts]

    rewrites = [Rewrite("Ab", 2.0), Rewrite("Abc", 1.0)]
    table = json.loads(as_json(Record("a"), rewrites, rate=rate))
    assert asked == [("a", ["Ab", "Abc"])]
    assert (table["style"], table["meaning"], table["fluency"]) == (0.2, 1.0, None)
    assert table["alternatives"] == [
        {"text": "Abc", "score": 1.0, "style": 0.3, "meaning": 1.0, "fluency": None}
    ]


def test_json_is_utf_8_unless_utf_8_cannot_encode_it():
    assert '"é"' in as_json(Record("é"), [Rewrite("É")])
    assert '"\\udce9"' in as_json(Record("\udce9"), [Rewrite("\udce9")])
