"""The commands ``rewrite``, ``styles`` and ``rewriters``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from paraphrast.cli import options
from paraphrast.cli.rewrite_job import Diff, Job, Show

if TYPE_CHECKING:
    from collections.abc import Iterable


class RewriteCommand(TyperCommand):
    """The command ``rewrite``, whose ``--diff`` may stand without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; a bare ``--diff`` is ``--diff auto``."""
        values = [kind.value for kind in Diff]
        told = list(args)
        for index, argument in enumerate(args):
            following = args[index + 1] if index + 1 < len(args) else ""
            if argument == "--diff" and following not in values:
                told[index] = f"--diff={Diff.AUTO.value}"
        return super().parse_args(ctx, told)


def rewrite(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT…|FILE…|FOLDER…]",
            help="Texts, or files and folders. Reads standard input if omitted.",
        ),
    ] = None,
    to: options.ToAny = "",
    using: options.UsingRewriter = None,
    pack: Annotated[
        str | None, typer.Option(metavar="PACK", help="Name or folder of a pack.")
    ] = None,
    packs: options.Packs = None,
    output: Annotated[
        Path | None,
        typer.Option(
            *("-o", "--output"),
            help="Output file, or folder for several files.",
            show_default="standard output",
        ),
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", help="Replace the files; each original is kept as FILE~."
        ),
    ] = False,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="txt|md|csv|tsv|jsonl",
            help="Format of the input.",
            show_default="by file name",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column of a CSV or TSV file.", show_default="text"
        ),
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Field of a JSONL file.", show_default="text"
        ),
    ] = None,
    into: Annotated[
        str, typer.Option(metavar="NAME", help="New column or field for the result.")
    ] = "rewrite",
    number: Annotated[
        int,
        typer.Option(
            "-n", "--alternatives", min=1, max=100, help="Alternatives per text."
        ),
    ] = 1,
    explain: Annotated[bool, typer.Option(help="Show what changed and why.")] = False,
    side_by_side: Annotated[
        bool,
        typer.Option("--side-by-side", help="Show source and rewrite in columns."),
    ] = False,
    diff: Annotated[
        Diff | None,
        typer.Option(
            metavar="[words|unified|html]",
            help="Show changed words in a terminal, else a unified diff; or an HTML "
            "page.",
        ),
    ] = None,
    as_json: options.JsonRecords = False,
    seed: options.Seed = options.SEED,
    protect: Annotated[
        list[str] | None,
        typer.Option(metavar="TERM", help="Term to keep unchanged; repeatable."),
    ] = None,
    strength: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Strength of the style: 0 is light, 1 is free."
        ),
    ] = None,
    min_meaning: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Minimum meaning score; a sentence below it stays unchanged.",
        ),
    ] = None,
    without_guard: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GUARD",
            help="Guard to switch off, named by --explain; repeatable.",
        ),
    ] = None,
    show: Annotated[
        Show | None,
        typer.Option(help="Show intermediate steps, or scores of alternatives."),
    ] = None,
    rewrite_headings: Annotated[
        bool,
        typer.Option(
            "--rewrite-headings",
            help="Also rewrite headings and list items that are no sentences.",
        ),
    ] = False,
    allow_offensive: Annotated[
        bool,
        typer.Option("--allow-offensive", help="Allow offensive words in the output."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a stopped job; needs -o.")
    ] = False,
) -> None:
    """Rewrite text in another style.

    Examples:

      paraphrast rewrite --to formal "gonna be late, soz"

      paraphrast rewrite --to formal notes.md -o formal.md

      paraphrast rewrite --to informal reviews.csv --column review -o out.csv

      paraphrast rewrite --to formal --in-place chapters/

      cat lines.txt | paraphrast rewrite --to formal --json
    """
    from paraphrast.cli.rewrite_job import run

    run(
        Job(
            arguments=tuple(texts or ()),
            to=to,
            using=using,
            pack=pack,
            packs=packs,
            output=output,
            in_place=in_place,
            file_format=file_format,
            column=column,
            field=field,
            into=into,
            number=number,
            explain=explain,
            side_by_side=side_by_side,
            diff=diff,
            as_json=as_json,
            seed=seed,
            protect=tuple(protect or ()),
            strength=strength,
            min_meaning=min_meaning,
            without_guards=tuple(without_guard or ()),
            show=show,
            headings=rewrite_headings,
            allow_offensive=allow_offensive,
            resume=resume,
        )
    )


def styles(
    text: Annotated[
        str | None, typer.Argument(help="Text to show in every style.")
    ] = None,
    packs: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """List the styles that text can be rewritten into, or show a text in each of them.

    Example: paraphrast styles "Where were you last night?"
    """
    from paraphrast.rewriting.offers import styles as list_styles

    if text is not None:
        _show_every_style(text, packs, as_json=as_json)
        return
    offered = list_styles(packs)
    if as_json:
        print(
            _as_json(((s.name, s.summary, s.rewriters) for s in offered), "rewriters")
        )
        return
    for style in offered:
        print(f"{style.name:<14}{style.summary} [{', '.join(style.rewriters)}]")


def _show_every_style(text: str, packs: Path | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from paraphrast.rewriting.offers import in_every_style

    examples = in_every_style(text, packs)
    if as_json:
        table = {"source": text, "styles": [asdict(example) for example in examples]}
        print(json.dumps(table, ensure_ascii=False, indent=2))
        return
    print(text)
    lacking: dict[str, list[str]] = {}
    for example in examples:
        if example.text:
            why = f"  (unchanged: {example.why})" if example.why else ""
            print(f"{example.style:<14}{example.text}{why}", flush=True)
        else:
            lacking.setdefault(example.why, []).append(example.style)
    for why, names in lacking.items():
        print(f"Not yet: {', '.join(names)}. {why}")


def rewriters(packs: options.Packs = None, as_json: options.Json = False) -> None:
    """List the installed rewriters and the styles that each one writes.

    Example: paraphrast rewriters
    """
    from paraphrast.rewriting.offers import rewriters as list_rewriters

    offered = list_rewriters(packs)
    if as_json:
        print(_as_json(((o.name, o.summary, o.styles) for o in offered), "styles"))
        return
    for offer in offered:
        print(f"{offer.name:<14}{offer.summary} [{', '.join(offer.styles)}]")


def _as_json(rows: "Iterable[tuple[str, str, tuple[str, ...]]]", last: str) -> str:
    return json.dumps(
        [{"name": n, "summary": s, last: list(items)} for n, s, items in rows],
        ensure_ascii=False,
        indent=2,
    )
