"""Which files, or which texts, a command is given."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import ParaphrastError

FORMATS = {
    ".txt": "txt",
    ".md": "md",
    ".markdown": "md",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
# How to make text of a document that holds more than text.
_PANDOC = "`pandoc {name} -t markdown -o {stem}.md`"
_CONVERTERS = {
    ".docx": _PANDOC,
    ".odt": _PANDOC,
    ".rtf": _PANDOC,
    ".epub": _PANDOC,
    ".html": "",
    ".doc": "`soffice --headless --convert-to txt {name}`",
    ".pages": "an export to text",
    ".pdf": "`pdftotext {name}`",
}
_BINARY = (
    *(b"PK\x03\x04", b"%PDF", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x89PNG"),
    *(b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"\x7fELF", b"\xff\xfe", b"\xfe\xff"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\x0c\x1b")
_MOST_CONTROLS = 0.3  # of the bytes of a text


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts, or files; neither for standard input."""

    texts: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def find_inputs(arguments: Sequence[str]) -> Inputs:
    """Tell texts from files and folders; a folder stands for the files in it."""
    files = [argument for argument in arguments if _is_path(argument)]
    if files and len(files) < len(arguments):
        text = next(a for a in arguments if a not in files)
        raise ParaphrastError(
            f"{files[0]!r} is a file and {text!r} is not. Give only files, or only "
            "texts."
        )
    if files:
        return Inputs(files=tuple(path for name in files for path in _find_files(name)))
    for text in arguments:
        if Path(text).suffix.lower() in FORMATS | _CONVERTERS and not _has_space(text):
            raise ParaphrastError(
                f"file not found: {text!r}. To rewrite it as text, send it by stdin."
            )
    return Inputs(texts=tuple(arguments))


def format_of(path: Path) -> str:
    """Guess a file's format from its name; plain text if it says nothing."""
    return FORMATS.get(path.suffix.lower(), "txt")


def _has_space(text: str) -> bool:
    return any(map(str.isspace, text))


def _is_path(text: str) -> bool:
    if "\0" in text or len(text) > 4096:
        return False
    try:
        path = Path(text)
        # A single word may also be the name of a folder; with a slash it is meant.
        folder = path.is_dir() and (os.sep in text or not _has_space(text))
        return folder or path.is_file() or path.is_fifo()
    except OSError:
        return False


def _find_files(name: str) -> Iterator[Path]:
    path = Path(name)
    if not path.is_dir():
        refuse_binary(path)
        yield path
        return
    within = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in FORMATS
        and file.is_file()
        and not any(p.startswith(".") for p in file.relative_to(path).parts)
    )
    if not within:
        raise ParaphrastError(
            f"{name!r} is a folder without a text file ({', '.join(FORMATS)}). "
            "Give a file."
        )
    for file in within:
        refuse_binary(file)
        yield file


def refuse_binary(path: Path) -> None:
    """Refuse a file that is no text, and say how to make text of it."""
    if path.is_fifo():
        return
    with path.open("rb") as file:
        start = file.read(4096)
    suffix = path.suffix.lower()
    controls = len(start) - len(start.translate(None, _CONTROLS))
    if not (
        start.startswith(_BINARY)
        or controls > _MOST_CONTROLS * len(start)
        or _CONVERTERS.get(suffix)
    ):
        return
    how = _CONVERTERS.get(suffix) or "an export to UTF-8 text"
    how = how.format(name=path.name, stem=path.stem)
    raise ParaphrastError(f"{path} is not a text file. Convert it first, with {how}.")
