"""The command ``learn``: parse, call, print."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe

if TYPE_CHECKING:
    from paraphrast.neural.learn.teach import Progress
    from paraphrast.storage.packs import Pack


OWN_LICENCE = "the user's own"


@describe
def learn(
    name: str,
    path: Path,
    base: str | None = None,
    packs_folder: options.Packs = None,
    minutes: Annotated[float, typer.Option(min=0.01)] = 14.0,
    threads: Annotated[int, typer.Option(min=0, max=64)] = 0,
    seed: options.Seed = options.SEED,
    licence: options.Licence = None,
    resume: options.Resume = False,
    replace: options.Replace = False,
    as_json: options.Json = False,
) -> None:
    """Learn a new style from plain text in that style alone, on this computer.

    200 sentences are enough to start with, 2,000 are better. Only the text is needed:
    the built-in pack paraphrases each sentence into plain English and learns to reverse
    this. Requires the extra `train`.

    Example: paraphrast learn grandmother letters.txt

    If stopped: paraphrast learn grandmother letters.txt --resume

    Afterwards: paraphrast rewrite --to grandmother "I cannot come on Sunday."

    Options:
        name STYLE: Name of the new style.
        path TEXT.txt: Plain text in that style.
        base --from PACK: Base pack to fine-tune. [default: the built-in pack]
        minutes: Maximum training time in minutes.
        threads: Number of processor threads; 0 uses all cores.
    """
    from paraphrast.extras import require
    from paraphrast.judges import accuracy, judge
    from paraphrast.neural.learn import report, teach, texts
    from paraphrast.storage import packs

    home = packs_folder or packs.HOME
    folder = packs.path_for(name, home)
    _refuse_known(name, folder, home)
    start = _base(base, home)
    require("torch")  # before any long step
    text = texts.read(path)
    (source,) = packs.describe_files([path], licence or OWN_LICENCE)
    train_classifier = partial(accuracy.train, valid={})
    reporter = report.Reporter(judge.load(Path("small")), train_classifier, seed)
    with _show_progress() as show:
        made = teach.teach(
            start,
            teach.Texts(text.sentences, source),
            folder,
            measure=reporter,
            show=show,
            options=teach.Options(
                seconds=60 * minutes, threads=threads or os.cpu_count() or 1, seed=seed
            ),
            resume=resume,
            replacing=replace,
        )
    warnings = report.find_warnings(made.report)
    lines = [*report.format_report(made.report), "", f"-> {made.pack.folder}"]
    if not warnings:
        lines.append(f'Try: paraphrast rewrite --to {name} "Your text."')
    record = {"pack": str(made.pack.folder), "warnings": warnings, **made.report}
    printing.print_report(record, lines, as_json=as_json)
    for warning in [] if as_json else warnings:
        printing.print_note(f"warning: {warning}")


def _refuse_known(name: str, folder: Path, home: Path) -> None:
    """Reject the name of an existing style, unless it was learned here before."""
    from paraphrast.errors import ParaphrastError
    from paraphrast.rewriting import offers

    if folder.exists():
        return
    if any(style.name == name for style in offers.styles(home)):
        raise ParaphrastError(f"a style {name!r} already exists. Choose another name.")


def _base(name: str | None, home: Path) -> "Pack":
    """Return the named pack, or else the built-in one."""
    from paraphrast.errors import ParaphrastError
    from paraphrast.neural.models import pack
    from paraphrast.neural.styles import KIND
    from paraphrast.storage import packs

    if name is not None:
        return pack.read(packs.find(name, home).folder)
    installed = packs.list_installed(packs.BUNDLED, kind=KIND)
    if not installed:
        raise ParaphrastError(
            "this version comes without a neural pack to fine-tune. Name one with "
            "--from; docs/neural.md says how to train it."
        )
    return installed[0]


@contextmanager
def _show_progress() -> "Iterator[Callable[[Progress], None]]":
    """Show progress on stderr: a bar on a terminal, otherwise a line per 10%."""
    from rich.console import Console
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    tasks: dict[str, object] = {}
    tenths: dict[str, int] = {}
    with Bars(console=console, disable=not console.is_terminal) as bars:

        def show(progress: "Progress") -> None:
            stage, done, of = progress.stage, progress.done, progress.of
            if progress.remark:
                bars.console.print(f"{stage}: {progress.remark}")
            if not console.is_terminal:
                tenth = 10 * done // max(1, of)
                if tenths.get(stage) != tenth:
                    tenths[stage] = tenth
                    print(f"{stage}: {done} of {of}", file=sys.stderr, flush=True)
                return
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of)
            bars.update(tasks[stage], completed=done, total=of)  # type: ignore[arg-type]

        yield show
