"""Formats: round trips, refusals, guessing, and arbitrary bytes."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import registry
from paraphrast.corpora import Pair, read_pairs, write_pairs
from paraphrast.corpora.formats import Malformed, choose, read_records
from paraphrast.corpora.formats.jsonl import Jsonl
from paraphrast.corpora.formats.moses import Moses
from paraphrast.errors import ParaphrastError

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
PAIRS = st.lists(st.builds(Pair, TEXT, TEXT), max_size=8)
FORMATS = {name: registry.find("formats", name)() for name in registry.names("formats")}


def paths_for(folder, name):
    if FORMATS[name].files == 2:
        return folder / "a", folder / "b"
    return (folder / "file",)


@settings(deadline=None)
@given(pairs=PAIRS, name=st.sampled_from([n for n in FORMATS if n != "texts"]))
def test_what_is_written_is_read_back_or_refused(tmp_path_factory, pairs, name):
    paths = paths_for(tmp_path_factory.getbasetemp(), name)
    try:
        count = write_pairs(pairs, *paths, format=FORMATS[name])
    except ParaphrastError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert count == len(pairs)
        assert list(read_pairs(*paths, format=FORMATS[name])) == pairs
    assert not refusal or (name != "jsonl" and "needs JSONL" in refusal)


@settings(deadline=None)
@given(content=st.lists(st.binary(max_size=80), min_size=2, max_size=2))
@pytest.mark.parametrize("name", FORMATS)
def test_arbitrary_bytes_give_records_or_one_error(tmp_path_factory, content, name):
    paths = paths_for(tmp_path_factory.getbasetemp(), name)
    for path, data in zip(paths, content, strict=False):
        path.write_bytes(data)
    columns = FORMATS[name].columns
    try:
        records = list(read_records(paths, FORMATS[name]))
    except ParaphrastError as error:
        records = [(str(error),) * columns]
        assert len(str(error).split("\n")) == 1  # noqa: PT017
    assert all(len(texts) == columns for texts in records)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"source": "a"', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('["a", "b"]', "expected a JSON object, found list"),
        ('{"source": "a"}', "no field 'target' (fields: source)."),
        ('{"source": "a", "target": 1}', "field 'target' is not a text"),
        ('{"source": "a", "target": "\\ud800"}', "unpaired surrogate"),
    ],
)
def test_a_bad_json_line_is_refused_with_its_place(tmp_path, line, complaint):
    path = tmp_path / "pairs.jsonl"
    path.write_text(f'{{"source": "a", "target": "b"}}\n{line}\n')
    with pytest.raises(ParaphrastError) as caught:
        list(read_pairs(path))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert complaint in str(caught.value)


def test_a_wrong_number_of_columns_is_refused_with_its_place(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\nc\n")
    with pytest.raises(ParaphrastError, match=r"pairs.tsv:2: expected 2 .* found 1\."):
        list(read_pairs(path))


def test_json_fields_can_be_named_and_others_survive(tmp_path):
    form = Jsonl(source="informal", target="formal")
    line = '{"id": 7, "informal": "hey", "formal": "Hello"}'
    assert form.decode([line]) == ("hey", "Hello")
    again = form.encode(("hi", "Hello"), instead_of=[line])
    assert again == ('{"id": 7, "informal": "hi", "formal": "Hello"}',)


def test_a_row_with_references_is_the_pair_of_its_text_and_the_first(tmp_path):
    path = tmp_path / "train.jsonl"
    row = {"source": "everyday", "text": "u ok?", "references": ["Are you?", "Well?"]}
    path.write_text(f"{json.dumps(row)}\n", "utf-8")
    assert list(read_pairs(path)) == [Pair("u ok?", "Are you?")]
    (line,) = Jsonl().encode(("you ok?", "Are you?"), instead_of=[json.dumps(row)])
    assert json.loads(line) == row | {"text": "you ok?"}
    with pytest.raises(Malformed, match="field 'references' is not a list of texts"):
        Jsonl().decode([json.dumps(row | {"references": []})])


def test_moses_entities_are_those_of_its_tokeniser():
    escaped = "&amp; &#124; &lt; &gt; &apos; &quot; &#91; &#93; &amp;lt;"
    plain = "& | < > ' \" [ ] &lt;"
    assert Moses().encode((plain, "")) == (escaped, "")
    assert Moses().decode((escaped, "")) == (plain, "")


def test_formats_are_guessed_from_endings(tmp_path):
    for name, expected in [
        ("a.tsv", "Tsv"),
        ("a.tsv.xz", "Tsv"),
        ("a.jsonl.gz", "Jsonl"),
        ("a.txt", "Texts"),
    ]:
        assert type(choose([tmp_path / name])).__name__ == expected
    assert type(choose([tmp_path / "a.en", tmp_path / "a.fr"])).__name__ == "Parallel"
    with pytest.raises(ParaphrastError, match="--format"):
        choose([tmp_path / "a.docx"])
    with pytest.raises(ParaphrastError, match="Did you mean 'jsonl'"):
        choose([tmp_path / "a"], "json")
    with pytest.raises(ParaphrastError, match="needs 2 file"):
        choose([tmp_path / "a"], "parallel")


def test_a_file_of_texts_has_no_pairs(tmp_path):
    path = tmp_path / "style.txt"
    path.write_text("one\n")
    with pytest.raises(ParaphrastError, match="not pairs"):
        read_pairs(path)


def test_nothing_is_left_behind_when_a_pair_cannot_be_written(tmp_path):
    with pytest.raises(ParaphrastError, match="pair 2: a text with a tab"):
        write_pairs([Pair("a", "b"), Pair("a\t", "b")], tmp_path / "out.tsv")
    assert list(tmp_path.iterdir()) == []


def test_malformed_is_not_a_users_error():
    # Otherwise a cleaner could take a refused file for a refused record.
    assert not issubclass(Malformed, ParaphrastError)


def test_outputs_that_could_not_be_read_back_are_refused(tmp_path):
    for paths, complaint in [
        ([tmp_path / "out.tsv.gz"], "compressed files can only be read"),
        ([Path("-")], "Name a file"),
        ([tmp_path / "out", tmp_path / "out"], "given twice"),
    ]:
        name = "tsv" if len(paths) == 1 else "parallel"
        with pytest.raises(ParaphrastError, match=complaint):
            write_pairs([Pair("a", "b")], *paths, format=name)
    assert list(tmp_path.iterdir()) == []
