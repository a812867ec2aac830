"""ARPA files: the text form of n-gram models that all tools share.

Files by SRILM, KenLM, IRSTLM and others can be read, also compressed: with n-grams
whose prefix or suffix was pruned, without some back-offs, without ``<unk>`` (which then
has KenLM's probability). Damaged files are refused with the line number. Writing keeps
numbers bit for bit.
"""

import gzip
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.corpora.lines import PACKED, cannot_read, read_raw_lines, unpacked_name
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.language_model import (
    HIGHEST,
    KIND,
    SPECIAL,
    LanguageModel,
    load,
)
from paraphrast.storage import atomic
from paraphrast.storage.arrays import Arrays
from paraphrast.text.strings import Strings, strings

# What KenLM says of unknown words if the file does not, and SRILM of <s>.
_NO_UNKNOWN = -100.0
_LOWEST = -99.0
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")
_CHUNK = 50_000
_VOCABULARY = ("text", "starts", "lookup")

_Rows: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.float32]]


def read(path: Path) -> LanguageModel:
    """Read a model from an ARPA file."""
    lines = _Lines(path)
    counts = _counts(lines)
    names, alone = _words(lines, counts[0])
    arrays, unigrams = _vocabulary(names, alone)
    ngrams, values = [], [unigrams]
    for order in range(2, len(counts) + 1):
        section = _Section(lines, order, counts, arrays)
        ngrams.append(section.words)
        values.append(section.values)
    lines.expect(b"\\end\\")
    for line in lines:
        if line:
            raise lines.error("text after \\end\\")
    arrays |= _native.language_model_tables(ngrams, values)
    return LanguageModel(arrays, len(counts), {"from": path.name})


def write(model: LanguageModel, path: Path) -> None:
    """Write a model as an ARPA file, compressed if its name ends in .gz."""
    if path.suffix in PACKED and path.suffix != ".gz":
        raise ParaphrastError(f"cannot write {path}: use the ending .gz to compress.")
    with atomic.bytes_writer(path) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, raw, 0) as packed:
                _write(cast(BinaryIO, packed), model)
        else:
            _write(raw, model)


def open_model(path: Path) -> LanguageModel:
    """Open a binary or an ARPA model."""
    mark = f"paraphrast {KIND.name} ".encode()
    if path.suffix in PACKED:
        return read(path)
    try:
        with path.open("rb") as file:
            begins = file.read(len(mark))
    except OSError as error:
        raise cannot_read(path, error) from error
    return load(path) if begins == mark else read(path)


def save(model: LanguageModel, path: Path) -> None:
    """Write a model: ARPA if the name ends in .arpa or .arpa.gz, else binary."""
    if unpacked_name(path).endswith(".arpa"):
        write(model, path)
    else:
        model.save(path)


@dataclass
class _Lines:
    """The lines of a file without blanks around them; knows where it is."""

    path: Path
    number: int = 0
    lines: Iterator[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = read_raw_lines(self.path)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> bytes:
        line = next(self.lines)
        self.number += 1
        return line.strip()

    def take(self, count: int) -> list[bytes]:
        """Return the next lines as they are, fewer at the end of the file."""
        result = list(islice(self.lines, count))
        self.number += len(result)
        return result

    def error(self, what: str, number: int | None = None) -> ParaphrastError:
        return ParaphrastError(
            f"{self.path}:{number or self.number}: {what}. "
            "Write the ARPA file again, or check that it is an ARPA file."
        )

    def expect(self, heading: bytes) -> None:
        """Go past empty lines and this heading."""
        for line in self:
            if line == heading:
                return
            if line:
                break
        raise self.error(f"expected {heading.decode()}")


def _counts(lines: _Lines) -> list[int]:
    """Return how many n-grams of each order the file promises."""
    for line in lines:
        if line == b"\\data\\":
            break
        if lines.number > 1000:
            raise lines.error("no \\data\\ section: not an ARPA file")
    else:
        raise lines.error("no \\data\\: not an ARPA file")
    counts: list[int] = []
    for line in lines:
        if not line and counts:
            break
        if not line:
            continue
        match = _COUNT.fullmatch(line)
        if not match or int(match[1]) != len(counts) + 1:
            raise lines.error(f"expected 'ngram {len(counts) + 1}=COUNT'")
        counts.append(int(match[2]))
    if not counts:
        raise lines.error("no n-gram counts: the file is truncated")
    if len(counts) > HIGHEST:
        raise lines.error(f"order {len(counts)}, but at most {HIGHEST} can be read")
    return counts


def _words(lines: _Lines, count: int) -> tuple[list[bytes], NDArray[np.float32]]:
    """Return the words, special ones first, and their values."""
    lines.expect(b"\\1-grams:")
    result: dict[bytes, tuple[float, float]] = {}
    for line in _ngram_lines(lines, 1, count):
        probability, (word,), backoff = _fields(lines, line, 1)
        if word == b"<UNK>":
            word = b"<unk>"
        if word in result:
            raise lines.error(f"{_quote_word(word)} occurs twice")
        if b"\0" in word or not _is_text(word):
            raise lines.error(f"{_quote_word(word)} is not valid UTF-8")
        result[word] = (probability, backoff)
    result.setdefault(b"<unk>", (_NO_UNKNOWN, 0.0))
    special = [name.encode() for name in SPECIAL]
    for name in special:
        if name not in result:
            raise lines.error(f"the unigrams lack {name.decode()}")
    names = [*special, *(name for name in result if name not in special)]
    return names, np.array([result[name] for name in names], np.float32)


class _Section:
    """The n-grams of one order, in numbers.

    Compiled code reads the plain lines; what it leaves is read here, or refused.
    """

    def __init__(
        self, lines: _Lines, order: int, counts: list[int], vocabulary: Arrays
    ) -> None:
        lines.expect(f"\\{order}-grams:".encode())
        self._lines, self._order, self._vocabulary = lines, order, vocabulary
        self._count = counts[order - 1]
        words, values = [np.zeros((0, order), np.uint32)], [np.zeros((0, 2), "f4")]
        start, left = lines.number + 1, self._count
        while left:
            batch = lines.take(min(left, _CHUNK))
            if not batch:
                _check_begins(lines, b"", order, self._count)
            for some, theirs in self._rows(batch):
                words.append(some)
                values.append(theirs)
            left -= len(batch)
        self.words, self.values = np.concatenate(words), np.concatenate(values)
        if order == len(counts):
            self.values[:, 1] = 0
        duplicate = _native.first_duplicate(self.words)
        if duplicate >= 0:
            raise lines.error("this n-gram occurs twice", start + duplicate)

    def _rows(self, batch: list[bytes]) -> Iterator[_Rows]:
        """Yield the rows of lines that were taken; errors know which it is."""
        lines, done = self._lines, 0
        after = lines.number
        text, starts, lookup = (self._vocabulary[name] for name in _VOCABULARY)
        while done < len(batch):
            rows = _native.arpa_rows(batch, done, self._order, text, starts, lookup)
            yield rows
            done += len(rows[0])
            if done < len(batch):
                lines.number = after - len(batch) + done + 1
                yield self._row(batch[done].strip())
                done += 1
        lines.number = after

    def _row(self, line: bytes) -> _Rows:
        """Read a line that is not plain, or say what is wrong with it."""
        order = self._order
        _check_begins(self._lines, line, order, self._count)
        probability, names, backoff = _fields(self._lines, line, order)
        words = []
        for name in names:
            result = self._find(name)
            if result is None:
                raise self._lines.error(f"{_quote_word(name)} is not among the words")
            words.append(result)
        return np.array([words], np.uint32), np.array([[probability, backoff]], "f4")

    def _find(self, name: bytes) -> int | None:
        if name in (b"<unk>", b"<UNK>"):
            return 0
        special = [mark.encode() for mark in SPECIAL]
        if name in special:
            return special.index(name)
        words = Strings(self._vocabulary["text"], self._vocabulary["starts"])
        result = words.find(name.decode("utf-8", "surrogateescape"))
        return None if result is None else result + len(SPECIAL)


def _ngram_lines(lines: _Lines, order: int, count: int) -> Iterator[bytes]:
    """Yield as many lines as the file promised; an empty line must follow them."""
    for _ in range(count):
        line = next(lines, b"")
        _check_begins(lines, line, order, count)
        yield line


def _check_begins(lines: _Lines, line: bytes, order: int, count: int) -> None:
    if not line or line.startswith(b"\\"):
        raise lines.error(f"the {order}-grams end before there are {count:,}")


def _fields(lines: _Lines, line: bytes, order: int) -> tuple[float, list[bytes], float]:
    """Return the probability, the words and the back-off of a line."""
    parts = line.split()
    if not order + 1 <= len(parts) <= order + 2:
        raise lines.error(
            f"expected a number, {order} words and optionally a number, found "
            f"{len(parts)} fields"
        )
    try:
        probability = float(parts[0])
        backoff = float(parts[-1]) if len(parts) == order + 2 else 0.0
    except ValueError:
        raise lines.error("expected a number") from None
    if not probability <= 0:
        raise lines.error(f"the log-probability is {probability:g}")
    if not math.isfinite(backoff) and backoff != -math.inf:
        raise lines.error(f"a back-off is {backoff:g}")
    return max(probability, _NO_UNKNOWN), parts[1 : order + 1], max(backoff, _LOWEST)


def _is_text(word: bytes) -> bool:
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _quote_word(word: bytes) -> str:
    return repr(word[:40].decode("utf-8", "replace"))


def _vocabulary(
    names: list[bytes], values: NDArray[np.float32]
) -> tuple[Arrays, NDArray[np.float32]]:
    """Return the arrays of the words in order, and their values in that order."""
    rest = range(len(SPECIAL), len(names))
    order = [*range(len(SPECIAL)), *sorted(rest, key=names.__getitem__)]
    words = strings(names[i].decode("utf-8") for i in order[len(SPECIAL) :])
    lookup = _native.vocabulary_table(words.text, words.starts)
    arrays = (words.text, words.starts, lookup)
    return dict(zip(_VOCABULARY, arrays, strict=True)), values[order]


def _write(file: BinaryIO, model: LanguageModel) -> None:
    orders = range(1, model.order + 1)
    text, starts, _ = (model.arrays[name] for name in _VOCABULARY)
    levels = [model.native.ngrams(order) for order in orders]
    file.write(b"\\data\\\n")
    for order, (words, _) in zip(orders, levels, strict=True):
        file.write(f"ngram {order}={len(words)}\n".encode())
    for order, (words, values) in zip(orders, levels, strict=True):
        file.write(f"\n\\{order}-grams:\n".encode())
        for start in range(0, len(words), _CHUNK):
            some = slice(start, start + _CHUNK)
            file.write(_native.arpa_lines(words[some], values[some], text, starts))
    file.write(b"\n\\end\\\n")
