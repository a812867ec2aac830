"""Compare systems whose outputs are in files, as the command line does.

A `ComparisonRequest` names the files and settings. Its files are read line by line in
parallel, and the comparison carries the SHA-256 hash of each, so that a table can be
traced.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from paraphrast.comparison.compare import DEFAULTS, Plan, compare
from paraphrast.comparison.outcome import Comparison, File
from paraphrast.corpora.lines import read_columns, read_texts
from paraphrast.errors import ParaphrastError
from paraphrast.judges.selection import load_judges
from paraphrast.metrics.base import Segment
from paraphrast.metrics.choosing import choose


@dataclass(frozen=True, slots=True)
class Parallel:
    """Files that are parallel line by line: sources, references and target styles.

    The target style is ``to`` for all lines, or given per line in ``targets``.
    """

    source: Path
    references: Sequence[Path] = ()
    targets: Path | None = None
    to: str = ""

    def read(self, outputs: Sequence[Path] = ()) -> "Lines":
        """Read the files, and the given files of outputs."""
        if self.targets and self.to:
            raise ParaphrastError(
                f"--to {self.to} and --targets {self.targets} exclude each other."
            )
        aims = [self.targets] if self.targets else []
        paths = [self.source, *self.references, *aims, *outputs]
        columns = list(zip(*read_columns(paths), strict=True))
        if not columns:
            raise ParaphrastError(f"{self.source} is empty. Give at least one line.")
        sources, first = columns[0], 1 + len(self.references)
        references = list(zip(*columns[1:first], strict=True)) or [()] * len(sources)
        targets = columns[first] if aims else (self.to,) * len(sources)
        return Lines(sources, references, targets, columns[first + len(aims) :])


@dataclass(frozen=True, slots=True)
class Lines:
    """The contents of `Parallel` files, line by line; outputs file by file."""

    sources: Sequence[str]
    references: Sequence[tuple[str, ...]]
    targets: Sequence[str]
    outputs: Sequence[Sequence[str]]

    def segments(self) -> list[Segment]:
        """Return the lines as segments that have no output yet."""
        lines = zip(self.sources, self.references, self.targets, strict=True)
        return [Segment("", *line) for line in lines]


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What to compare and how; see `paraphrast.comparison.compare.compare`.

    ``systems`` are files of outputs, ``packs`` the packs that made them and
    ``target_corpus`` files of a style's text, each by name. ``metrics`` are written
    as for `choose`; without any, PINC, and BLEU where there are references.
    """

    systems: Mapping[str, Path]
    given: Parallel
    validation: Parallel | None = None
    metrics: Sequence[str] = ()
    judge: Path | None = None
    second_judge: Path | None = None
    packs: Mapping[str, Path] = field(default_factory=dict)
    target_corpus: Mapping[str, Path] = field(default_factory=dict)
    plan: Plan = DEFAULTS

    def _files(self) -> Iterator[tuple[str, Path | None]]:
        for role, parallel in (("", self.given), ("validation", self.validation)):
            if parallel:
                yield role or "source", parallel.source
                yield from ((role or "reference", p) for p in parallel.references)
                yield role or "targets", parallel.targets
        yield from ((f"pack {n}", p / "pack.toml") for n, p in self.packs.items())
        for style, path in self.target_corpus.items():
            yield f"target corpus {style}".strip(), path
        yield from ((f"system {name}", path) for name, path in self.systems.items())

    def hash_files(self) -> tuple[File, ...]:
        """Return every input file with its hash."""
        return tuple(
            File(role, str(path), sha256(path.read_bytes()).hexdigest())
            for role, path in self._files()
            if path is not None and str(path) != "-"
        )


def compare_files(request: ComparisonRequest) -> Comparison:
    """Read the files of a request and compare the systems."""
    lines = request.given.read(list(request.systems.values()))
    chosen = request.metrics or (
        ("bleu", "pinc") if request.given.references else ("pinc",)
    )
    judge, second = load_judges(
        request.judge, request.second_judge, request.packs, targets=lines.targets
    )
    result = compare(
        dict(zip(request.systems, lines.outputs, strict=True)),
        lines.sources,
        lines.references,
        metrics={_label(text, chosen): choose(text) for text in chosen},
        judge=judge,
        second=second,
        targets=lines.targets,
        validation=request.validation.read().segments() if request.validation else (),
        target_corpus={
            style: list(read_texts(path))
            for style, path in request.target_corpus.items()
        },
        plan=request.plan,
    )
    return replace(result, files=request.hash_files())


def _label(text: str, chosen: Sequence[str]) -> str:
    """Return a metric's bare name, unless it was chosen with several settings."""
    names = [other.partition(":")[0] for other in chosen]
    name = text.partition(":")[0]
    return name if names.count(name) == 1 else text
