"""``paraphrast phrase lm …``: parse, call, print."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe

app = typer.Typer(
    no_args_is_help=True, help="Train, evaluate and convert n-gram language models."
)

Output = Annotated[
    Path,
    typer.Option(
        "-o", "--output", help="File to write; ARPA if it ends in .arpa or .arpa.gz."
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Language model, binary or ARPA.")
]
Texts = Annotated[
    list[Path],
    typer.Argument(
        metavar="TEXTS",
        help="Files of tokenised lines, also .gz, .bz2 or .xz; - is standard input.",
    ),
]


@app.command()
@describe
def train(
    texts: Texts,
    output: Output,
    order: int = 5,
    prune: str = "0",
    min_count: options.Count = 1,
    most_words: Annotated[int, typer.Option("--vocabulary", min=0)] = 0,
    memory: Annotated[int, typer.Option(min=0)] = 0,
    as_json: options.Json = False,
) -> None:
    """Train a model on text by interpolated modified Kneser-Ney smoothing.

    Each line is a sentence of words separated by spaces. The binary format loads in
    milliseconds; ARPA is for other tools.

    Example: paraphrast phrase lm train plays.txt --order 5 --prune "0 0 1" -o plays.lm

    Options:
        order: N-gram order of the language model, 1 to 6.
        prune COUNTS: Pruning thresholds per order: n-grams seen this often or less are
            dropped, as in '0 0 1'.
        min_count: Minimum count of a vocabulary word.
        most_words: Vocabulary size (most frequent words). [default: no limit]
        memory: Memory limit in MB. [default: no limit]
    """
    import time

    from paraphrast.estimators.language_model import Settings
    from paraphrast.estimators.language_model import train as estimate
    from paraphrast.phrase import arpa
    from paraphrast.storage import atomic

    atomic.refuse_special(output)
    settings = Settings(
        order, _parse_counts(prune), min_count, most_words=most_words, memory=memory
    )
    start = time.perf_counter()
    with printing.show_stages() as show:
        model = estimate(
            _read_lines(texts),
            settings,
            progress=lambda lines: show(f"{lines:,} lines"),
        )
    arpa.save(model, output)
    report = {
        "lines": model.about["lines"],
        "words": model.about["words"],
        "vocabulary": model.size,
        "orders": model.about["orders"],
        "seconds": round(time.perf_counter() - start, 2),
        "bytes": output.stat().st_size,
        "output": str(output),
    }
    lines = [
        f"{report['words']:,} words in {report['lines']:,} lines, vocabulary of "
        f"{model.size:,}, {report['seconds']} s -> {output}"
    ]
    for number, row in enumerate(model.about["orders"], start=1):
        discounts = ", ".join(f"{value:.3f}" for value in row["discounts"])
        note = " (too little text to estimate them)" if row["fallback"] else ""
        lines.append(f"{number}-grams: {row['kept']:,}, discounts {discounts}{note}")
    printing.print_report(report, lines, as_json=as_json)


@app.command()
def perplexity(model: Model, texts: Texts, as_json: options.Json = False) -> None:
    """Print the perplexity per word of a text; the end of a line counts as a word.

    Example: paraphrast phrase lm perplexity plays.lm romeo.txt
    """
    from paraphrast.phrase import arpa

    result = arpa.open_model(model).perplexity(_read_lines(texts))
    record = {
        "perplexity": result.value,
        "without_unknown": result.without_unknown,
        "log10_probability": result.log_probability,
        "lines": result.lines,
        "words": result.words,
        "unknown": result.unknown,
    }
    line = (
        f"perplexity {result.value:.2f}; {result.without_unknown:.2f} without unknown "
        f"words ({result.unknown:,} of {result.words:,} in {result.lines:,} lines)"
    )
    printing.print_report(record, [line], as_json=as_json)


@app.command()
def convert(model: Model, output: Output, as_json: options.Json = False) -> None:
    """Convert an ARPA file to the binary format, or back.

    Example: paraphrast phrase lm convert srilm.arpa.gz -o plays.lm
    """
    from paraphrast.phrase import arpa
    from paraphrast.storage import atomic

    atomic.refuse_special(output)
    opened = arpa.open_model(model)
    arpa.save(opened, output)
    size = output.stat().st_size
    record = {"order": opened.order, "vocabulary": opened.size, "bytes": size}
    line = f"order {opened.order}, {opened.size:,} words, {size:,} bytes -> {output}"
    printing.print_report(record | {"output": str(output)}, [line], as_json=as_json)


def _parse_counts(prune: str) -> tuple[int, ...]:
    from paraphrast.errors import ParaphrastError

    try:
        return tuple(int(part) for part in prune.replace(",", " ").split())
    except ValueError:
        raise ParaphrastError(
            f"--prune takes numbers as in '0 0 1', not {prune!r}."
        ) from None


def _read_lines(paths: list[Path]) -> Iterator[str]:
    from paraphrast.corpora.lines import read_lines

    return chain.from_iterable(map(read_lines, paths))
