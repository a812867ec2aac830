"""Compare systems for the Compare page: files, and rewriters that are run here.

Files are handled as in ``paraphrast metrics compare``. A comparison is kept in memory,
for its author, until enough newer ones have been made.
"""

import re
import secrets
import shlex
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from paraphrast.comparison.baselines import CONTROLS
from paraphrast.comparison.files import ComparisonRequest, Parallel, compare_files
from paraphrast.comparison.outcome import Comparison
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.judges.selection import NO_JUDGE
from paraphrast.rewriting import offers
from paraphrast.web.exchange import safe_name
from paraphrast.web.service.rewriting import Service

MOST_KEPT = 16
MOST_LINES = 2_000
MOST_SYSTEMS = 8
JUDGE = "small"


@dataclass(frozen=True)
class TextFile:
    """A file with one text per line, and its name."""

    name: str
    content: bytes

    @property
    def stem(self) -> str:
        """Return the name without endings."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Asked:
    """A request: a source, outputs for it, and rewriters to run on it.

    ``style`` is the target style; without one there is no judge.
    """

    source: TextFile
    outputs: Sequence[TextFile] = ()
    references: Sequence[TextFile] = ()
    corpus: TextFile | None = None
    rewriters: Sequence[str] = ()
    style: str = ""
    judged: bool = True

    def __post_init__(self) -> None:
        """Refuse invalid requests."""
        names = self.names
        if not names:
            raise ParaphrastError(
                "there is nothing to compare. Choose a file of outputs or a rewriter."
            )
        if len(names) > MOST_SYSTEMS:
            raise ParaphrastError(
                f"{len(names)} systems are too many: at most {MOST_SYSTEMS} can be "
                "compared at once."
            )
        for name in names:
            if names.count(name) > 1 or not name or name in CONTROLS:
                raise ParaphrastError(
                    f"{name!r} cannot be the name of a system here. Rename the file: "
                    "each system needs a name of its own."
                )
        if self.rewriters and not self.style:
            raise ParaphrastError("a rewriter needs a style. Choose one.")

    @property
    def names(self) -> list[str]:
        """Return the systems' names."""
        return [*(file.stem for file in self.outputs), *self.rewriters]

    def as_command(self) -> str:
        """Return the command that compares the same files."""
        words = ["paraphrast", "metrics", "compare", "--source", self.source.name]
        for file in self.references:
            words += ["--reference", file.name]
        words += ["--to", self.style] if self.style else []
        if self.style and self.judged:
            words += ["--judge", JUDGE, "--second-judge", NO_JUDGE]
        if self.corpus:
            words += ["--target-corpus", self.corpus.name]
        words += [f"{file.stem}={file.name}" for file in self.outputs]
        words += [f"{name}={name}.txt" for name in self.rewriters]
        return shlex.join(words)


def compare(service: Service, asked: Asked) -> Comparison:
    """Run the rewriters, and compare all systems."""
    with TemporaryDirectory(prefix="paraphrast-compare-") as temporary:
        folder = Path(temporary)
        try:
            return _compare(service, asked, folder)
        except ParaphrastError as error:
            shown = re.sub(rf"{re.escape(str(folder))}/\d+/", "", str(error))
            raise ParaphrastError(shown) from error


def _compare(service: Service, asked: Asked, folder: Path) -> Comparison:
    source = _save(asked.source, folder)
    sources = list(read_lines(source))
    if len(sources) > MOST_LINES:
        raise ParaphrastError(
            f"{asked.source.name} has {len(sources):,} lines; here {MOST_LINES:,} can "
            "be compared. Use the command `paraphrast metrics compare`."
        )
    systems = {file.stem: _save(file, folder) for file in asked.outputs}
    made_by = {}
    for name in asked.rewriters:
        loaded = service.load(asked.style, using=name).rewriter
        lines = [_as_line(rewrite.text) for rewrite in loaded.rewrite(sources)]
        systems[name] = _save(TextFile(f"{name}.txt", b"".join(lines)), folder)
        if pack := offers.find_pack(loaded, home=service.settings.packs):
            made_by[name] = pack.folder
    corpus = {asked.style: _save(asked.corpus, folder)} if asked.corpus else {}
    references = [_save(file, folder) for file in asked.references]
    result = compare_files(
        ComparisonRequest(
            systems=systems,
            given=Parallel(source, references, to=asked.style),
            judge=Path(JUDGE) if asked.judged and asked.style else None,
            second_judge=Path(NO_JUDGE),
            packs=made_by,
            target_corpus=corpus,
        )
    )
    files = tuple(replace(file, path=Path(file.path).name) for file in result.files)
    return replace(result, files=files)


def _save(file: TextFile, folder: Path) -> Path:
    """Write a file into a folder of its own."""
    own = folder / str(len(list(folder.iterdir())))
    own.mkdir()
    path = own / safe_name(file.name)
    path.write_bytes(file.content)
    return path


def _as_line(text: str) -> bytes:
    return text.replace("\n", " ").encode() + b"\n"


@dataclass(frozen=True)
class Kept:
    """A comparison, its owner, and its command line."""

    comparison: Comparison
    owner: int | None
    command: str


class Comparisons:
    """The most recent comparisons, by unguessable tokens."""

    def __init__(self) -> None:
        """Begin without any."""
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._changing = threading.Lock()

    def keep(self, kept: Kept) -> str:
        """Keep a comparison, and return its token."""
        token = secrets.token_urlsafe(12)
        with self._changing:
            self._kept[token] = kept
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return token

    def find(self, token: str, owner: int | None) -> Kept | None:
        """Return a comparison that is still kept for its owner."""
        with self._changing:
            kept = self._kept.get(token)
            if kept is None or kept.owner != owner:
                return None
            self._kept.move_to_end(token)
            return kept
