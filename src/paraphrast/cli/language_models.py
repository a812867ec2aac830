"""``paraphrast phrase lm …``: parse, call, print."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True, help="N-gram language models: train, measure, convert."
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    Path,
    typer.Option("-o", "--output", help="A file; ARPA if it ends in .arpa, .arpa.gz."),
]
Model = Annotated[Path, typer.Argument(help="A model, binary or ARPA.")]


@app.callback()
def lm() -> None:
    """N-gram language models: train, measure, convert."""


@app.command()
def train(
    texts: Annotated[
        list[Path],
        typer.Argument(
            help="Files of tokenised lines, .gz, .bz2, .xz too; - is stdin."
        ),
    ],
    output: Output,
    order: Annotated[int, typer.Option(help="Words in the longest n-gram, 1-6.")] = 5,
    prune: Annotated[
        str, typer.Option(help="Drop n-grams seen so often or less, order by order.")
    ] = "0",
    min_count: Annotated[
        int, typer.Option(min=1, help="Rarer words count as unknown.")
    ] = 1,
    most_words: Annotated[
        int, typer.Option(min=0, help="Know only so many words, the frequent ones.")
    ] = 0,
    memory: Annotated[int, typer.Option(min=0, help="Stop over so many MB.")] = 0,
    as_json: Json = False,
) -> None:
    """Estimate a model from text: interpolated modified Kneser-Ney.

    A line is a sentence, its words stand between spaces. The binary form loads in
    milliseconds; ARPA is what other tools read.

    Example: paraphrast phrase lm train plays.txt --order 5 --prune "0 0 1" -o plays.lm
    """
    import time

    from paraphrast.phrase import arpa
    from paraphrast.phrase.language_model import Settings, train_files
    from paraphrast.storage import atomic

    atomic.refuse_special(output)
    settings = Settings(
        order, _thresholds(prune), min_count, most_words=most_words, memory=memory
    )
    began = time.perf_counter()
    with _counting() as progress:
        model = train_files(texts, settings, progress=progress)
    arpa.save(model, output)
    report = {
        "lines": model.about["lines"],
        "words": model.about["words"],
        "vocabulary": model.size,
        "orders": model.about["orders"],
        "seconds": round(time.perf_counter() - began, 2),
        "bytes": output.stat().st_size,
        "output": str(output),
    }
    if as_json:
        print(json.dumps(report))
        return
    print(
        f"{report['words']:,} words in {report['lines']:,} lines, {model.size:,} "
        f"different, {report['seconds']} s -> {output}"
    )
    for number, row in enumerate(model.about["orders"], start=1):
        discounts = ", ".join(f"{value:.3f}" for value in row["discounts"])
        note = " (too little text to estimate them)" if row["fallback"] else ""
        print(f"{number}-grams: {row['kept']:,}, discounts {discounts}{note}")


@app.command()
def perplexity(
    model: Model,
    texts: Annotated[
        list[Path], typer.Argument(help="Files of tokenised lines; - is stdin.")
    ],
    as_json: Json = False,
) -> None:
    """Say how well a model foresees a text, a word; the end of a line is one, too.

    Example: paraphrast phrase lm perplexity plays.lm romeo.txt
    """
    from paraphrast.phrase import arpa
    from paraphrast.phrase.language_model import file_perplexity

    found = file_perplexity(arpa.open_model(model), texts)
    if as_json:
        values = {
            "perplexity": found.value,
            "without_unknown": found.without_unknown,
            "log10_probability": found.log_probability,
            "lines": found.lines,
            "words": found.words,
            "unknown": found.unknown,
        }
        finite = {k: v if math.isfinite(v) else None for k, v in values.items()}
        print(json.dumps(finite))
        return
    print(
        f"perplexity {found.value:.2f}; {found.without_unknown:.2f} without unknown "
        f"words ({found.unknown:,} of {found.words:,} in {found.lines:,} lines)"
    )


@app.command()
def convert(model: Model, output: Output, as_json: Json = False) -> None:
    """Turn an ARPA file into the binary form, or the binary form into ARPA.

    Example: paraphrast phrase lm convert srilm.arpa.gz -o plays.lm
    """
    from paraphrast.phrase import arpa
    from paraphrast.storage import atomic

    atomic.refuse_special(output)
    found = arpa.open_model(model)
    arpa.save(found, output)
    size = output.stat().st_size
    if as_json:
        facts = {"order": found.order, "vocabulary": found.size, "bytes": size}
        print(json.dumps({**facts, "output": str(output)}))
        return
    print(f"order {found.order}, {found.size:,} words, {size:,} bytes -> {output}")


def _thresholds(prune: str) -> tuple[int, ...]:
    from paraphrast.errors import ParaphrastError

    try:
        return tuple(int(part) for part in prune.replace(",", " ").split())
    except ValueError:
        raise ParaphrastError(
            f"--prune takes numbers as in '0 0 1', not {prune!r}."
        ) from None


@contextmanager
def _counting() -> Iterator[Callable[[int], None]]:
    """Show on stderr how many lines have been read, and that work goes on."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    hidden = not sys.stderr.isatty()
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=hidden,
    ) as bar:
        task = bar.add_task("reading")
        yield lambda lines: bar.update(task, description=f"{lines:,} lines")
