"""The command ``learn``: parse, call, print."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from paraphrast.neural.learn.teach import Progress
    from paraphrast.storage.packs import Pack


def learn(
    name: Annotated[str, typer.Argument(help="A name for the new style.")],
    path: Annotated[
        Path, typer.Argument(metavar="TEXT.txt", help="Plain text in that style.")
    ],
    base: Annotated[
        str | None,
        typer.Option("--from", help="The pack to learn from; else the one built in."),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option("--packs", envvar="PARAPHRAST_PACKS", help="The folder of packs."),
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="Training takes at most so long.")
    ] = 14.0,
    threads: Annotated[
        int, typer.Option(min=0, max=64, help="Cores to use; 0: all of them.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Same seed, same style.")] = 1,
    licence: Annotated[
        str, typer.Option(help="Of the text, for the pack's manifest.")
    ] = "the user's own",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped run.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the style of that name.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn a new style from plain text in that style alone, on this computer.

    200 sentences are enough to begin with, 2,000 are better. Nothing but the text is
    needed: the built-in pack puts each sentence plainly and learns the way back. Needs
    the extra `train`.

    Example: paraphrast learn grandmother letters.txt

    Stopped: paraphrast learn grandmother letters.txt --resume

    Then: paraphrast rewrite --to grandmother "I cannot come on Sunday."
    """
    from paraphrast.extras import require
    from paraphrast.judges import accuracy, judge
    from paraphrast.neural.learn import report, teach, texts
    from paraphrast.storage import packs

    home = home or packs.HOME
    folder = packs.place(name, home, instead="Choose a word")
    _refuse_known(name, folder, home)
    start = _base(base, home)
    require("torch")  # before anything takes long
    found = texts.read(path)
    source = packs.Data(path.name, packs.sha256(path), licence)
    train_classifier = partial(accuracy.train, valid={})
    reporter = report.Reporter(judge.load(Path("small")), train_classifier, seed)
    with _progress() as show:
        made = teach.teach(
            start,
            teach.Texts(found.sentences, source),
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
    if as_json:
        record = {"pack": str(made.pack.folder), "warnings": warnings, **made.report}
        print(json.dumps(record, ensure_ascii=False))
        return
    print("\n".join(report.format_report(made.report)))
    print(f"\n-> {made.pack.folder}")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if not warnings:
        print(f'Try: paraphrast rewrite --to {name} "Your text."')


def _refuse_known(name: str, folder: Path, home: Path) -> None:
    """Refuse a name that a style has already, unless it was learned here before."""
    from paraphrast.errors import ParaphrastError
    from paraphrast.rewriting import offers

    if folder.exists():
        return
    if any(style.name == name for style in offers.styles(home)):
        raise ParaphrastError(
            f"there is a style {name!r} already. Choose another name."
        )


def _base(name: str | None, home: Path) -> "Pack":
    """Return the pack that was named, or else the built-in one."""
    from paraphrast.errors import ParaphrastError
    from paraphrast.neural.family import BUNDLED
    from paraphrast.neural.models import pack
    from paraphrast.neural.styles import KIND
    from paraphrast.storage import packs

    if name is not None:
        return pack.read(packs.find(name, home).folder)
    found = packs.installed(BUNDLED, kind=KIND)
    if not found:
        raise ParaphrastError(
            "this version comes without a neural pack to learn from. Name one with "
            "--from; docs/neural.md says how to make it."
        )
    return found[0]


@contextmanager
def _progress() -> "Iterator[Callable[[Progress], None]]":
    """Show on stderr what is being done: a bar on a terminal, else a line a tenth."""
    from rich.console import Console
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    tasks: dict[str, object] = {}
    told: dict[str, int] = {}
    with Bars(console=console, disable=not console.is_terminal) as bars:

        def show(progress: "Progress") -> None:
            stage, done, of = progress.stage, progress.done, progress.of
            if progress.remark:
                bars.console.print(f"{stage}: {progress.remark}")
            if not console.is_terminal:
                tenth = 10 * done // max(1, of)
                if told.get(stage) != tenth:
                    told[stage] = tenth
                    print(f"{stage}: {done} of {of}", file=sys.stderr, flush=True)
                return
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of)
            bars.update(tasks[stage], completed=done, total=of)  # type: ignore[arg-type]

        yield show
