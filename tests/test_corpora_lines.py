"""Reading lines: what ends one, what is refused, and how."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.corpora import read_columns, read_lines, read_texts
from paraphrast.errors import ParaphrastError


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\n\ntwo", ["one", "", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\rtwo\n", ["one\rtwo"]),  # a lone carriage return ends nothing
        (b"\xef\xbb\xbfone\n", ["one"]),
        ("a\u2028b\x0cc\x85d\n".encode(), ["a\u2028b\x0cc\x85d"]),
        (b"nul\x00\n", ["nul\x00"]),
    ],
)
def test_only_a_newline_ends_a_line(tmp_path, content, lines):
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    assert list(read_lines(path)) == lines


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.compress),
    ],
)
def test_packed_files_are_unpacked_and_broken_ones_refused(tmp_path, suffix, pack):
    path = tmp_path / f"file.txt{suffix}"
    packed = pack(b"one\ntwo\n" * 100)
    path.write_bytes(packed)
    assert list(read_lines(path)) == ["one", "two"] * 100
    for broken in (packed[: len(packed) // 2], b"not packed", packed[:20] + b"junk"):
        path.write_bytes(broken)
        with pytest.raises(ParaphrastError, match="cannot read"):
            list(read_lines(path))


def test_concatenated_zstandard_frames_are_all_read(tmp_path):
    path = tmp_path / "file.txt.zst"
    lines = [f"line {number}" for number in range(50_000)]
    text = "".join(f"{line}\n" for line in lines).encode()
    frames = [text[:1], text[1:300_000], b"", text[300_000:]]
    path.write_bytes(b"".join(map(zstandard.compress, frames)))
    assert list(read_lines(path)) == lines


def test_invalid_utf_8_is_refused_with_its_place(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(ParaphrastError) as caught:
        list(read_lines(path))
    assert str(caught.value) == (
        f"{path}:2: not valid UTF-8 (byte 0xe9 at column 4). Convert the file, or "
        "drop such lines with `paraphrast corpora clean`."
    )


def test_an_unreadable_path_is_reported_in_one_line(tmp_path):
    for path in (tmp_path / "missing.txt", tmp_path, tmp_path / "missing.gz"):
        with pytest.raises(ParaphrastError, match=r"^cannot read [^\n]+\.$"):
            list(read_lines(path))


def test_unequal_files_are_refused_with_all_lengths(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path, length in zip(paths, (1200, 2, 3), strict=True):
        path.write_text("line\n" * length)
    with pytest.raises(ParaphrastError, match=r"a has 1,200, .*b has 2, .*c has 3\."):
        list(read_columns(paths))


def test_columns_come_before_the_files_are_read_whole(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1\n2\n")
    second.write_bytes(b"x\n\xff\n")
    assert next(read_columns([first, second])) == ("1", "x")


def test_standard_input_can_be_read_once_only():
    with pytest.raises(ParaphrastError, match="only once"):
        list(read_columns([Path("-"), Path("-")]))


def test_texts_are_the_lines_that_are_not_blank(tmp_path):
    path = tmp_path / "style.txt"
    path.write_text("one\n\n  \ntwo\n")
    assert list(read_texts(path)) == ["one", "two"]


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_lines_or_one_error(tmp_path_factory, content):
    for suffix in (".txt", ".gz", ".bz2", ".xz", ".zst"):
        path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
        path.write_bytes(content)
        try:
            lines = list(read_lines(path))
        except ParaphrastError as error:
            lines = [str(error)]
        assert not any("\n" in line for line in lines)
