"""ARPA files: the text form of n-gram models that all tools share.

Reading takes what SRILM, KenLM, IRSTLM and others write, packed or not: n-grams whose
prefix or suffix was pruned, back-offs left out, no ``<unk>`` (which then has the
probability that KenLM gives it). What is damaged is refused with the line's number.
Writing keeps every bit of every number.
"""

import gzip
import math
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native, atomic
from paraphrast.corpora.lines import PACKED, cannot_read, read_raw_lines, unpacked_name
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.language_model import (
    HIGHEST,
    KIND,
    SPECIAL,
    LanguageModel,
    load,
)
from paraphrast.text.strings import strings

# What KenLM says of unknown words if the file does not, and SRILM of <s>.
_NO_UNKNOWN = -100.0
_LOWEST = -99.0
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")
_CHUNK = 50_000


def read(path: Path) -> LanguageModel:
    """Read a model from an ARPA file."""
    lines = _Lines(path)
    counts = _counts(lines)
    names, alone = _words(lines, counts[0])
    numbers = {name: number for number, name in enumerate(names)}
    ngrams, values = [], []
    for order in range(2, len(counts) + 1):
        section = _section(lines, order, counts, numbers)
        ngrams.append(section.words)
        values.append(section.values)
    lines.expect(b"\\end\\")
    for line in lines:
        if line:
            raise lines.error("text after \\end\\")
    arrays, places = _vocabulary(names)
    unigrams = np.zeros_like(alone)
    unigrams[places] = alone
    arrays |= _native.language_model_tables(
        [places[section] for section in ngrams], [unigrams, *values]
    )
    return LanguageModel(arrays, len(counts), {"from": path.name})


def write(model: LanguageModel, path: Path) -> None:
    """Write a model as an ARPA file, packed if its name ends in .gz."""
    names = [word.encode("utf-8") for word in model.vocabulary]
    levels = [model.native.ngrams(order) for order in range(1, model.order + 1)]
    if path.suffix in PACKED and path.suffix != ".gz":
        raise ParaphrastError(f"cannot write {path}: only .gz is packed. Name it so.")
    with atomic.bytes_writer(path) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, raw, 0) as packed:
                _write(cast(BinaryIO, packed), names, levels)
        else:
            _write(raw, names, levels)


def open_model(path: Path) -> LanguageModel:
    """Open a model that is binary or ARPA, whichever the file is."""
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

    def error(self, what: str, number: int | None = None) -> ParaphrastError:
        return ParaphrastError(
            f"{self.path}:{number or self.number}: {what}. "
            "Write the ARPA file again, or check that it is one."
        )

    def expect(self, heading: bytes) -> None:
        """Go past empty lines and this heading."""
        for line in self:
            if line == heading:
                return
            if line:
                break
        raise self.error(f"expected {heading.decode()}")


@dataclass(frozen=True, slots=True)
class _Section:
    words: NDArray[np.int64]
    values: NDArray[np.float32]


def _counts(lines: _Lines) -> list[int]:
    """Return how many n-grams of each order the file promises."""
    for line in lines:
        if line == b"\\data\\":
            break
        if lines.number > 1000:
            raise lines.error("no \\data\\ so far: not an ARPA file")
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
        raise lines.error("no counts of n-grams: the file is cut short")
    if len(counts) > HIGHEST:
        raise lines.error(f"order {len(counts)}, but at most {HIGHEST} can be read")
    return counts


def _words(lines: _Lines, count: int) -> tuple[list[bytes], NDArray[np.float32]]:
    """Return the words, special ones first, and their values."""
    lines.expect(b"\\1-grams:")
    found: dict[bytes, tuple[float, float]] = {}
    for line in _ngram_lines(lines, 1, count):
        probability, (word,), backoff = _fields(lines, line, 1)
        if word == b"<UNK>":
            word = b"<unk>"
        if word in found:
            raise lines.error(f"{_shown(word)} occurs twice")
        if b"\0" in word or not _is_text(word):
            raise lines.error(f"{_shown(word)} is not valid UTF-8")
        found[word] = (probability, backoff)
    found.setdefault(b"<unk>", (_NO_UNKNOWN, 0.0))
    special = [name.encode() for name in SPECIAL]
    for name in special:
        if name not in found:
            raise lines.error(f"the words lack {name.decode()}")
    names = [*special, *(name for name in found if name not in special)]
    return names, np.array([found[name] for name in names], np.float32)


def _section(
    lines: _Lines, order: int, counts: list[int], numbers: dict[bytes, int]
) -> _Section:
    lines.expect(f"\\{order}-grams:".encode())
    words, values = array("L"), array("f")
    rows: list[int] = []
    for line in _ngram_lines(lines, order, counts[order - 1]):
        probability, names, backoff = _fields(lines, line, order)
        try:
            words.extend([numbers[name] for name in names])
        except KeyError:
            unknown = _unknown(names, numbers)
            if unknown is None:  # only <UNK>, which is spelt otherwise here
                words.extend([numbers.get(name, 0) for name in names])
            else:
                raise lines.error(f"{_shown(unknown)} is not among the words") from None
        values.extend((probability, backoff if order < len(counts) else 0.0))
        rows.append(lines.number)
    table = np.array(words, np.int64).reshape(-1, order)
    duplicate = _native.first_duplicate(table.astype(np.uint32))
    if duplicate >= 0:
        raise lines.error("this n-gram occurs twice", rows[duplicate])
    return _Section(table, np.array(values, np.float32).reshape(-1, 2))


def _ngram_lines(lines: _Lines, order: int, count: int) -> Iterator[bytes]:
    """Yield as many lines as the file promised; an empty line must follow them."""
    for _ in range(count):
        line = next(lines, b"")
        if not line or line.startswith(b"\\"):
            raise lines.error(f"the {order}-grams end before there are {count:,}")
        yield line


def _fields(lines: _Lines, line: bytes, order: int) -> tuple[float, list[bytes], float]:
    """Return the probability, the words and the back-off of a line."""
    parts = line.split()
    if not order + 1 <= len(parts) <= order + 2:
        raise lines.error(
            f"expected a number, {order} words and perhaps a number, "
            f"found {len(parts)} fields"
        )
    try:
        probability = float(parts[0])
        backoff = float(parts[-1]) if len(parts) == order + 2 else 0.0
    except ValueError:
        raise lines.error("not a number where one must be") from None
    if not probability <= 0:
        raise lines.error(f"the logarithm of a probability is {probability:g}")
    if not math.isfinite(backoff) and backoff != -math.inf:
        raise lines.error(f"a back-off is {backoff:g}")
    return max(probability, _NO_UNKNOWN), parts[1 : order + 1], max(backoff, _LOWEST)


def _unknown(names: list[bytes], numbers: dict[bytes, int]) -> bytes | None:
    absent = (name for name in names if name not in numbers and name != b"<UNK>")
    return next(absent, None)


def _is_text(word: bytes) -> bool:
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("utf-8", "replace"))


def _vocabulary(
    names: list[bytes],
) -> tuple[dict[str, NDArray[np.uint8 | np.uint32]], NDArray[np.uint32]]:
    """Return the arrays of words in order, and each name's number among them."""
    rest = range(len(SPECIAL), len(names))
    order = [*range(len(SPECIAL)), *sorted(rest, key=names.__getitem__)]
    places = np.empty(len(names), np.uint32)
    places[order] = np.arange(len(names), dtype=np.uint32)
    words = strings(names[i].decode("utf-8") for i in order[len(SPECIAL) :])
    lookup = _native.vocabulary_table(words.text, words.starts)
    return {"text": words.text, "starts": words.starts, "lookup": lookup}, places


def _write(
    file: BinaryIO,
    names: list[bytes],
    levels: list[tuple[NDArray[np.uint32], NDArray[np.float32]]],
) -> None:
    file.write(b"\\data\\\n")
    for order, (words, _) in enumerate(levels, start=1):
        file.write(f"ngram {order}={len(words)}\n".encode())
    for order, (words, values) in enumerate(levels, start=1):
        file.write(f"\n\\{order}-grams:\n".encode())
        for start in range(0, len(words), _CHUNK):
            rows = slice(start, start + _CHUNK)
            file.write(_lines(names, words[rows], values[rows]))
    file.write(b"\n\\end\\\n")


def _lines(
    names: list[bytes], words: NDArray[np.uint32], values: NDArray[np.float32]
) -> bytes:
    numbers = values.astype("S32").tolist()
    # -0.0 says that nothing begins with the n-gram: its back-off is never asked for.
    needless = ((values[:, 1] == 0) & np.signbit(values[:, 1])).tolist()
    return b"".join(
        b"%b\t%b%b\n"
        % (
            probability,
            b" ".join([names[word] for word in row]),
            b"" if empty else b"\t" + backoff,
        )
        for row, (probability, backoff), empty in zip(
            words.tolist(), numbers, needless, strict=True
        )
    )
