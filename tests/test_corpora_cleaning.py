"""Cleaning: what is dropped and why, what is repaired, and that it adds up."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora.cleaning import REASONS, Rules, clean
from paraphrast.corpora.formats import read_records
from paraphrast.corpora.formats.jsonl import Jsonl
from paraphrast.corpora.formats.parallel import Texts
from paraphrast.corpora.formats.tsv import Tsv
from paraphrast.errors import ParaphrastError

ALL = Rules(
    max_words=3,
    max_ratio=2.0,
    duplicates="drop",
    characters="normalise",
    quotes="straighten",
)


def cleaned(tmp_path, content, rules, name="in.tsv", **options):
    source, target = tmp_path / name, tmp_path / f"out-{name}"
    source.write_bytes(content)
    report = clean([source], [target], rules=rules, **options)
    return report, target.read_bytes()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"caf\xe9\tx", "not UTF-8"),
        (b"one", "malformed"),
        (b"a\tb\tc", "malformed"),
        (b"", "malformed"),
        (b"\tb", "empty"),
        (b"a\t \xc2\xa0", "empty"),
        (b"a b c d\ta b c", "too long"),
        (b"a b c\ta", "length ratio"),
        (b"fine\there", "duplicate"),
        (b" fine \there", "duplicate"),  # after repair
    ],
)
def test_each_bad_line_is_dropped_for_its_reason(tmp_path, line, reason):
    content = b"fine\there\n" + line + b"\nalso\tfine\n"
    report, written = cleaned(tmp_path, content, ALL)
    assert written == b"fine\there\nalso\tfine\n"
    assert (report.read, report.kept) == (3, 2)
    assert report.dropped == {reason: 1}
    assert report.first == {reason: 2}


def test_repairs_are_made_and_counted(tmp_path):
    content = "“ a  b\0 ”\tit’s\nkeep\tthis\n".encode()
    rules = Rules(characters="normalise", quotes="straighten")
    report, written = cleaned(tmp_path, content, rules)
    assert written.decode() == '" a b "\tit\'s\nkeep\tthis\n'
    assert (report.kept, report.repaired) == (2, 1)


def test_a_nul_is_dropped_where_it_is_not_repaired(tmp_path):
    report, written = cleaned(tmp_path, b"a\0\tb\na\tb\n", Rules())
    assert written == b"a\tb\n"
    assert report.dropped == {"NUL": 1}


def test_by_default_what_is_kept_is_kept_byte_for_byte(tmp_path):
    content = "“ a  b ”\tit’s\u2028\n".encode()
    assert cleaned(tmp_path, content, Rules())[1] == content


def test_other_json_fields_survive_a_repair(tmp_path):
    content = b'{"id": 1, "source": "a  b", "target": "c"}\n{"source": 1}\n'
    report, written = cleaned(
        tmp_path, content, Rules(characters="normalise"), name="in.jsonl"
    )
    assert json.loads(written) == {"id": 1, "source": "a b", "target": "c"}
    assert report.dropped == {"malformed": 1}


def test_parallel_files_stay_parallel_and_unequal_ones_are_refused(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    outs = [tmp_path / "a.clean", tmp_path / "b.clean"]
    paths[0].write_bytes(b"one\n\ntwo\n")
    paths[1].write_bytes(b"eins\nzwei\ndrei\n")
    report = clean(paths, outs, rules=Rules())
    assert outs[0].read_bytes() == b"one\ntwo\n"
    assert outs[1].read_bytes() == b"eins\ndrei\n"
    assert report.dropped == {"empty": 1}
    paths[1].write_bytes(b"eins\n")
    with pytest.raises(ParaphrastError, match="a has 3, .*b has 1"):
        clean(paths, outs, rules=Rules())
    assert outs[1].read_bytes() == b"eins\ndrei\n"  # the old one stands


def test_a_style_text_can_be_cleaned_too(tmp_path):
    report, written = cleaned(tmp_path, b"one\n\n\xff\ntwo\n", Rules(), name="in.txt")
    assert written == b"one\ntwo\n"
    assert report.dropped == {"empty": 1, "not UTF-8": 1}


@settings(max_examples=60, deadline=None)
@given(
    content=st.lists(
        st.one_of(st.binary(max_size=20), st.sampled_from([b"a\tb", b"b\ta"])),
        max_size=12,
    ),
    form=st.sampled_from([Tsv(), Texts(), Jsonl()]),
)
def test_every_line_is_accounted_for_and_the_rest_is_clean(
    tmp_path_factory, content, form
):
    folder = tmp_path_factory.getbasetemp()
    source, target = folder / "clean.in", folder / "clean.out"
    source.write_bytes(b"\n".join(content))
    report = clean([source], [target], rules=ALL, format=form)
    assert report.read == report.kept + sum(report.dropped.values())
    assert set(report.dropped) == set(report.first) <= set(REASONS)
    assert len(list(read_records([target], form))) == report.kept
    again = clean([target], [source], rules=Rules(), format=form)
    assert (again.kept, again.dropped) == (report.kept, {})


def test_impossible_bounds_are_refused(tmp_path):
    for bounds in ({"max_words": 0}, {"max_ratio": 0.5}, {"max_ratio": float("nan")}):
        with pytest.raises(ParaphrastError, match="must be 1 or more"):
            Rules(**bounds)
    with pytest.raises(ParaphrastError, match="as many outputs"):
        clean([tmp_path / "a.tsv"], [], rules=Rules())


def test_the_command_reports_as_text_and_json(tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"from": "a", "to": "b"}\n{}\n')
    arguments = ["clean", str(source), "-o", str(target), "--fields", "from,to"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0
    assert "first in line 2" in shown.stdout
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert (told["read"], told["kept"], told["dropped"]) == (2, 1, {"malformed": 1})


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (["--quotes", "curl"], "unknown --quotes value 'curl'"),
        (["--fields", "one"], "two fields"),
        (["--format", "xls"], "unknown format 'xls'"),
    ],
)
def test_bad_input_to_the_command_is_a_user_error(tmp_path, option, complaint):
    source = tmp_path / "in.tsv"
    source.write_text("a\tb\n")
    arguments = ["clean", str(source), "-o", str(tmp_path / "out.tsv"), *option]
    failure = CliRunner().invoke(app, arguments).exception
    assert isinstance(failure, ParaphrastError)
    assert complaint in str(failure)


def test_json_fields_are_the_formats_settings():
    assert Jsonl("from", "to").decode(['{"from": "a", "to": "b"}']) == ("a", "b")
