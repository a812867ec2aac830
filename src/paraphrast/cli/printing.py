"""Output of commands: JSON, tables, and progress on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from paraphrast.neural.finetune.trainer import Report
    from paraphrast.storage.packs import About, Pack


def print_json(record: Any, *, indent: int | None = None) -> None:
    """Print one JSON value, with text unescaped and null for non-finite numbers.

    A record of one of many lines is written on one line, a whole report indented.
    """
    print(json.dumps(_finite(record), indent=indent, ensure_ascii=False))


def format_megabytes(size: int) -> str:
    """Return a size in bytes as megabytes; 0 is a dash."""
    return f"{size / 1e6:,.1f} MB" if size else "-"


def print_report(record: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a report: its record as JSON, or its lines."""
    if as_json:
        print_json(record, indent=2)
    else:
        print("\n".join(line.rstrip() for line in lines))


def print_trained(folder: Path, summary: Any, *, as_json: bool) -> None:
    """Print the summary of a trained pack, which has `lines`, and its folder."""
    record = {"pack": str(folder)} | asdict(summary)
    print_report(record, [*summary.lines(), f"-> {folder}"], as_json=as_json)


def format_table(
    rows: Sequence[Sequence[object]], *, header: Sequence[str] = (), align: str = ""
) -> list[str]:
    """Format rows in columns as wide as their widest cell.

    ``align`` has a ``<`` or ``>`` per column; columns beyond it are flush left.
    """
    cells = [[str(cell) for cell in row] for row in ([header] if header else [])]
    cells += [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = align + "<" * (len(widths) - len(align))
    return [
        "  ".join(
            f"{cell:{side}{width}}"
            for cell, side, width in zip(row, sides, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def write_text(text: str, output: Path | None) -> None:
    """Write a whole text to a file at once, or to stdout."""
    with open_output(output) as file:
        file.write(text)


@contextmanager
def open_output(output: Path | None) -> Iterator[TextIO]:
    """Open the output file, which appears when it is complete, or stdout."""
    if output is None:
        yield sys.stdout
        return
    from paraphrast.storage import atomic

    with atomic.writer(output) as file:
        yield file


def print_pack(
    pack: "Pack", sizes: str, more: Iterable[str], record: Any, *, as_json: bool
) -> None:
    """Print the description of a pack, its sizes and the lines specific to its kind."""
    about = pack.about
    size = sum(file.size for file in about.files.values())
    lines = [f"{pack.folder}: {size / 1e6:.1f} MB, {sizes}"]
    lines += [f"writes {style}: {line}" for style, line in about.styles.items()]
    lines += [*more, *origin_lines(about)]
    print_report(asdict(about) | {"bytes": size} | record, lines, as_json=as_json)


def origin_lines(about: "About") -> Iterator[str]:
    """Yield the data, the guides and the scores of a pack."""
    for data in about.data:
        yield f"trained on {data.name} ({data.licence}, sha256 {data.sha256[:12]}…)"
    for sha256 in about.evaluators:
        yield f"guided by {sha256[:12]}…"
    for score in about.scores:
        yield f"{score.name} {score.value:.2f}  {score.signature}"


def print_note(text: str) -> None:
    """Print a note to the user that is not part of the result."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def show_bar(
    title: str, *, total: int | None, shown: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar; call the yielded function with each amount completed."""
    with open_progress(shown=shown) as bar:
        task = bar.add_task(title, total=total)
        yield lambda amount: bar.advance(task, amount)


@contextmanager
def show_bytes(paths: Sequence[Path], title: str) -> Iterator[Callable[[int], None]]:
    """Show how many bytes of the files have been read; call it with each new total."""
    with open_progress() as bar:
        task = bar.add_task(title, total=count_bytes(paths))
        yield lambda done: bar.update(task, completed=done)


def count_bytes(paths: Sequence[Path]) -> int | None:
    """Return the size of files, or None if it is unknown before reading."""
    from paraphrast.corpora.lines import PACKED

    plain = all(path.is_file() and path.suffix not in PACKED for path in paths)
    return sum(path.stat().st_size for path in paths) if plain else None


@contextmanager
def show_stages(total: int | None = None) -> Iterator[Callable[[str], None]]:
    """Show the current stage, the number of stages if known, and the elapsed time."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    first = SpinnerColumn() if total is None else BarColumn()
    columns = (first, TextColumn("{task.description}"), TimeElapsedColumn())
    with open_progress(*columns) as bar:
        task = bar.add_task("reading", total=total)
        started = 0

        def show(stage: str) -> None:
            nonlocal started
            done = None if total is None else started
            bar.update(task, description=stage, completed=done)
            started += 1

        yield show


@contextmanager
def show_training() -> "Iterator[Callable[[Report], None]]":
    """Show the current step, its loss and the speed."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.description}"),
        TimeRemainingColumn(),
    )
    with open_progress(*columns) as bar:
        task = bar.add_task("reading", total=None)

        def show(report: "Report") -> None:
            if report.held_out is not None:
                line = f"step {report.step}/{report.steps}: held-out loss"
                bar.console.print(f"{line} {report.held_out:.4f}")
                return
            description = (
                f"loss {report.loss:.3f}, {report.tokens_per_second:,.0f} tokens/s"
            )
            bar.update(
                task,
                completed=report.step,
                total=report.steps,
                description=description,
            )

        yield show


@contextmanager
def open_progress(*columns: Any, shown: bool = True) -> Iterator[Any]:
    """Open Rich's progress display on stderr; without a terminal, it is silent."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    hidden = not (shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        yield bar


def _finite(value: Any) -> Any:
    """Return the value with None for every number that JSON cannot hold."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
