"""Option types shared by several commands, each declared once, and their parsers.

A command writes ``seed: Seed = SEED``; the name, the help text and the limits of
``--seed`` are defined only here. Metavars that are not given are derived from the type:
see `paraphrast.cli.help`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from paraphrast.storage.packs import Pack

SEED = 1  # of all random draws except the resamples, whose seed is sacreBLEU's
FOLDER = "FOLDER"
MIRROR = "PARAPHRAST_MIRROR"
STYLE = "STYLE"


def choice(*values: str, help: str, flag: str | None = None, **more: Any) -> Any:
    """Return an option that takes one of the values, which its help lists."""

    def check(param: typer.CallbackParam, value: str | None) -> str | None:
        from paraphrast.errors import unknown

        if value is not None and value not in values:
            raise unknown(f"{param.opts[0]} value", value, values)
        return value

    names = (flag,) if flag else ()
    return typer.Option(
        *names,
        metavar="|".join(values),
        help=help,
        callback=check,
        autocompletion=lambda: list(values),
        **more,
    )


def complete_style(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the styles with this prefix, for shell completion of ``--to``."""
    from paraphrast.rewriting.offers import styles

    for style in styles():
        if style.name.startswith(incomplete):
            yield style.name, style.summary


def complete_rewriter(incomplete: str) -> Iterator[str]:
    """Yield the rewriters with this prefix, for shell completion of ``--using``."""
    from paraphrast.registry import names

    return (name for name in names("rewriters") if name.startswith(incomplete))


# Bounded numbers.
Count = Annotated[int, typer.Option(min=1)]
CountOrNone = Annotated[int | None, typer.Option(min=1)]
Share = Annotated[float, typer.Option(min=0, max=1)]
ShareOrNone = Annotated[float | None, typer.Option(min=0, max=1)]

# Input and output.
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
JsonRecords = Annotated[
    bool, typer.Option("--json", help="Print one JSON record per text.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="File to write.", show_default="standard output"
    ),
]
NewFile = Annotated[Path, typer.Option("-o", "--output", help="File to write.")]
NewFolder = Annotated[
    Path, typer.Option("-o", "--output", metavar=FOLDER, help="New folder to write.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue a job that was stopped.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Replace an existing pack or model.")
]

# Packs and corpora.
Packs = Annotated[
    Path | None,
    typer.Option(
        "--packs",
        envvar="PARAPHRAST_PACKS",
        metavar=FOLDER,
        help="Folder of the installed packs.",
    ),
]
PackName = Annotated[
    str, typer.Argument(metavar="PACK", help="Name or folder of a pack.")
]
NewPack = Annotated[
    Path | None,
    typer.Option(
        *("-o", "--output"),
        metavar="FOLDER",
        help="Folder of the new pack.",
        show_default="among the installed packs",
    ),
]
Verify = Annotated[
    bool, typer.Option("--verify", help="Compare every file with its SHA-256 hash.")
]
Mirror = Annotated[
    Path | None,
    typer.Option(
        envvar=MIRROR,
        metavar=FOLDER,
        help="Folder with copies of the corpora.",
    ),
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        envvar=MIRROR,
        metavar=FOLDER,
        help="Folder with copies of the files, or with your own adapter.gguf, to use "
        "instead of downloading.",
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        metavar=FOLDER,
        help="Folder of downloaded corpora.",
        show_default="~/.cache/paraphrast/corpora",
    ),
]
PairFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Format of the files: jsonl, moses, parallel, texts, tsv, or a plugin's.",
        show_default="by file name",
    ),
]
Fields = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE,TARGET", help="Names of the two fields in a JSONL file."
    ),
]

# Styles and rewriters.
To = Annotated[
    str,
    typer.Option("--to", metavar=STYLE, help="Target style."),
]
Using = Annotated[
    str | None,
    typer.Option(
        "--using", metavar="ALIGNER", help="Aligner to use; see `align list`."
    ),
]
ToAny = Annotated[
    str,
    typer.Option(
        "--to",
        metavar=STYLE,
        help="Target style; see `paraphrast styles`.",
        autocompletion=complete_style,
    ),
]
UsingRewriter = Annotated[
    str | None,
    typer.Option(
        "--using",
        metavar="REWRITER",
        help="Rewriter to use; see `paraphrast rewriters`.",
        autocompletion=complete_rewriter,
    ),
]
Licence = Annotated[
    str | None,
    typer.Option(
        metavar="LICENCE", help="Licence of the texts, named in the pack's manifest."
    ),
]

# Computing.
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, help="Random seed; the same seed gives the same result."
    ),
]
Threads = Annotated[
    int, typer.Option(min=1, max=64, help="Number of processor threads.")
]
Processes = Annotated[int, typer.Option(min=1, help="Number of parallel processes.")]
Tokenized = Annotated[
    bool,
    typer.Option(
        "--tokenized", help="Treat the texts as tokenised: tokens separated by spaces."
    ),
]
Device = Annotated[str, choice("auto", "cpu", "cuda", help="Device for PyTorch.")]

# The studio and the service.
Port = Annotated[
    int,
    typer.Option(min=0, max=65535, help="Port of the server; 0 chooses a free one."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar=FOLDER,
        help="Folder for the server's files.",
        show_default="~/.local/share/paraphrast",
    ),
]

# Scoring.
Outputs = Annotated[
    Path,
    typer.Argument(
        metavar="OUTPUTS",
        help="Outputs of a system, one per line; - is standard input.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="METRIC",
        help="Metric from `metrics list`, with settings as in bleu:tokenize=none; "
        "repeatable.",
    ),
]
Judge = Annotated[
    Path | None,
    typer.Option(
        metavar="JUDGE",
        help="Judge: small, large, or the folder of a judge.",
    ),
]
PerSentence = Annotated[
    Path | None, typer.Option(help="TSV file for the scores of each sentence.")
]
Resamples = Annotated[
    int,
    typer.Option(min=0, help="Number of bootstrap resamples for the 95% intervals."),
]
ResampleSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        help="Random seed of the resamples; the default is sacreBLEU's.",
    ),
]


def parse_named_paths(
    texts: list[str],
    *,
    option: str,
    style: str | None = None,
    to_first_dot: bool = False,
) -> dict[str, Path]:
    """Parse ``NAME=FILE``; an unnamed file is named after itself, or after its style.

    Its own name is without ``.txt``, or only the part before the first dot.
    """
    from paraphrast.errors import ParaphrastError

    paths: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            file, name = text, Path(text).name.removesuffix(".txt")
            name = name.partition(".")[0] if to_first_dot else name
            name = name if style is None else style
        if name in paths:
            raise ParaphrastError(
                f"{option}: two files are named {name!r}, {paths[name]} and {file}. "
                "Write NAME=FILE to tell them apart."
            )
        paths[name] = Path(file)
    return paths


def drop_missing(**settings: Any) -> dict[str, Any]:
    """Return the settings that were given: those that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


def find_pack(name: str, home: Path | None, *, verify: bool = False) -> "Pack":
    """Return the pack that a command names; ``verify`` reads all of its files."""
    from paraphrast.storage import packs

    pack = packs.find(name, home or packs.HOME)
    return packs.verify(pack.folder) if verify else pack
