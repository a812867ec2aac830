"""``paraphrast paraphrases …``: parse, call, print."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True, help="Acquire paraphrases, look them up, score them."
)


@app.callback()
def paraphrases() -> None:
    """Acquire paraphrases, look them up, score them."""


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="A file for the table.")]


@app.command()
def extract(
    texts: Annotated[
        list[str],
        typer.Argument(help="Files of pairs, or CORPUS:PART of the catalogue."),
    ],
    output: Output,
    method: Annotated[
        str, typer.Option(help="co-training, pivot, smt or syntax.")
    ] = "smt",
    longest: Annotated[int | None, typer.Option(help="Words in a phrase.")] = None,
    minimum: Annotated[
        float | None, typer.Option(help="Leave out what is less likely. [0.01]")
    ] = None,
    min_count: Annotated[
        int | None, typer.Option(help="Seen so often: phrase pairs, or contexts.")
    ] = None,
    boundaries: Annotated[
        str | None,
        typer.Option(help="smt, pivot: outermost words linked (tight) or not (loose)."),
    ] = None,
    max_words: Annotated[
        int | None, typer.Option(help="pivot: leave out longer sentences. [60]")
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="smt: both, or forward. [both]")
    ] = None,
    using: Annotated[
        str | None, typer.Option(help="smt: the aligner; see `align list`.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="smt: a folder that `align train` wrote.")
    ] = None,
    aligned: Annotated[
        bool, typer.Option("--aligned", help="smt: the files are alignments.")
    ] = False,
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="Split at blanks and keep these tokens.")
    ] = False,
    parses: Annotated[
        Path | None, typer.Option(help="syntax: a file to keep parses in.")
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, help="pivot: texts to work on at the same time.")
    ] = 1,
    folder: Annotated[
        Path | None, typer.Option(help="For what does not fit into memory.")
    ] = None,
    mirror: Annotated[
        Path | None,
        typer.Option(envvar="PARAPHRAST_MIRROR", help="A folder with corpora."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn paraphrases from sentence pairs and write them to a table.

    smt aligns pairs of one language, pivot goes by way of another language, syntax
    merges parse trees, co-training learns contexts. The table appears when all is done.

    Example: paraphrast paraphrases extract europarl:en-fr europarl:en-de
    --method pivot --processes 2 -o europarl.table
    """
    import time

    from paraphrast.paraphrases.extraction import Means, Text, extract
    from paraphrast.storage import atomic

    atomic.refuse_special(output)
    settings = {
        "longest": longest,
        "minimum": minimum,
        "min_count": min_count,
        "boundaries": boundaries,
        "max_words": max_words,
        "direction": direction,
    }
    start = time.perf_counter()
    with _stages() as progress:
        table = extract(
            method,
            [Text(name, mirror) for name in texts],
            settings={k: v for k, v in settings.items() if v is not None},
            means=Means(
                tokenized=tokenized,
                aligned=aligned,
                using=using,
                model=model,
                parses=parses,
                processes=processes,
                folder=folder,
            ),
            progress=progress,
        )
    table.save(output)
    report = dict(table.about) | {
        "phrases": table.phrases(),
        "paraphrases": len(table),
        "seconds": round(time.perf_counter() - start, 1),
        "peak_megabytes": _peak_megabytes(),
        "bytes": output.stat().st_size,
        "output": str(output),
    }
    if as_json:
        print(json.dumps(report))
        return
    print(
        f"{report['paraphrases']:,} paraphrases of {report['phrases']:,} phrases in "
        f"{report['seconds']} s, {report['peak_megabytes']} MB of memory -> {output}"
    )


@contextmanager
def _stages() -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done, and for how long."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda stage: bar.update(task, description=stage)


def _peak_megabytes() -> int:
    """Return the most memory that this process or one that it started has used."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(kind).ru_maxrss for kind in kinds)
    return round(peak / (1024 if sys.platform != "darwin" else 1024**2))


@app.command()
def export(
    path: Annotated[
        Path, typer.Argument(metavar="TABLE", help="A table that `extract` made.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="A .tsv or .jsonl.")],
) -> None:
    """Write a table as text: phrase, paraphrase, probability, context.

    Example: paraphrast paraphrases export europarl.table -o europarl.tsv
    """
    from paraphrast.paraphrases import open_table
    from paraphrast.paraphrases.export import export

    export(open_table(path), output)


@app.command()
def merge(
    paths: Annotated[
        list[Path], typer.Argument(metavar="TABLES", help="Tables to interpolate.")
    ],
    output: Output,
    weights: Annotated[
        list[float] | None,
        typer.Option("-w", "--weight", help="One for each table. [all the same]"),
    ] = None,
    minimum: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out what is less likely.")
    ] = 0.0,
    best: Annotated[
        int | None, typer.Option(min=1, help="Paraphrases of a phrase to keep.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Interpolate tables, or prune one.

    Example: paraphrast paraphrases merge smt.table pivot.table -w 2 -w 1 -o both.table
    """
    from paraphrast.paraphrases import merge, open_table, prune

    merged = merge([open_table(path) for path in paths], weights=weights)
    table = prune(merged, minimum=minimum, best=best)
    table.save(output)
    counts = {"paraphrases": len(table), "phrases": table.phrases()}
    if as_json:
        print(json.dumps(counts | {"output": str(output)}))
    else:
        print(
            f"{counts['paraphrases']:,} paraphrases of {counts['phrases']:,} phrases "
            f"-> {output}"
        )


@app.command("of")
def of_phrase(
    phrase: Annotated[str, typer.Argument(help="A word or a phrase.")],
    path: Annotated[Path, typer.Option("--table", help="A table that `extract` made.")],
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    minimum: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out what is less likely.")
    ] = 0.0,
    as_json: Json = False,
) -> None:
    """Print the paraphrases of a phrase, the likeliest first.

    Example: paraphrast paraphrases of "on the other hand" --table europarl.table
    """
    from dataclasses import asdict

    from paraphrast.paraphrases import open_table
    from paraphrast.text import tokenise

    table = open_table(path)
    text = phrase.lower() if table.about.get("case") == "lower" else phrase
    wanted = " ".join(tokenise(text))
    found = table.of(text, limit=limit) or table.of(wanted, limit=limit)
    rows = [row for row in found if row.probability >= minimum]
    if as_json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False))
        return
    for row in rows:
        print(f"{row.probability:.4f}  {row.paraphrase}  {row.context}".rstrip())
    if not rows:
        typer.echo(f"{path} has no paraphrase of {wanted!r}.", err=True)


@app.command("score")
def score_table(
    path: Annotated[
        Path, typer.Argument(metavar="TABLE", help="A table that `extract` made.")
    ],
    gold: Annotated[
        Path, typer.Option(help="Pairs that people aligned, in Jacana's JSON.")
    ],
    half: Annotated[
        str,
        typer.Option(
            help="all, or the train or score half of the gold, divided by cluster."
        ),
    ] = "all",
    longest: Annotated[int, typer.Option(min=1, help="Words in a phrase.")] = 5,
    minimum: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out what is less likely.")
    ] = 0.01,
    labels: Annotated[
        str, typer.Option(help="possible: all links of the gold; sure: these alone.")
    ] = "possible",
    places: Annotated[
        str,
        typer.Option(help="all, or reworded: only where the gold says something else."),
    ] = "all",
    resamples: Annotated[
        int, typer.Option(min=0, help="Resamples of clusters for the 95% intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 1,
    as_json: Json = False,
) -> None:
    """Score a table by ParaMetric: LB-Precision and Rel-Recall by phrase length.

    The gold must be held out: nothing of it may have gone into the table. Pairs whose
    ids agree up to the last dot are of one cluster.

    Example: paraphrast paraphrases score my.table --gold mt-reference.dev.json
    --half score
    """
    from dataclasses import asdict

    from paraphrast.paraphrases import open_table, parametric
    from paraphrast.paraphrases.parametric_gold import read_gold

    table = open_table(path)
    groups = parametric.groups(
        read_gold(gold, half=half),
        longest=longest,
        labels=parametric.known_labels(labels),
    )
    judged = parametric.judge(groups, parametric.of_table(table), longest=longest)
    rows = parametric.rows(
        judged,
        least=minimum,
        places=parametric.known_places(places),
        resamples=resamples,
        seed=seed,
    )
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print(f"{'words':<7}{'LB-Precision':<22}{'Rel-Recall':<22}right proposed wanted")
    for row in rows:
        shares = "".join(
            f"{share.value:.4f} [{share.low:.3f}, {share.high:.3f}] "
            for share in (row.precision, row.recall)
        )
        counts = (row.precision.part, row.precision.whole, row.recall.whole)
        print(f"≤ {row.longest:<5}{shares}", *counts)


@app.command("rules")
def grammar_rules(
    aligned: Annotated[
        Path, typer.Argument(help="Aligned pairs, as `paraphrast align pairs` writes.")
    ],
    source_trees: Annotated[
        Path | None, typer.Option(help="Bracketed trees of the sources.")
    ] = None,
    target_trees: Annotated[
        Path | None, typer.Option(help="Bracketed trees of the targets.")
    ] = None,
    parses: Annotated[
        Path | None, typer.Option(help="File to keep parses in, and to find them.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="Only lexical, structural, reordering or deletion rules."),
    ] = None,
    least: Annotated[int, typer.Option(min=1, help="Seen at least so often.")] = 1,
    longest: Annotated[int, typer.Option(min=1, help="Symbols on a side.")] = 6,
    as_json: Json = False,
) -> None:
    """Print synchronous grammar rules: count, p(target | source), kind, rule.

    Trees come from the parser Link Grammar, or from two files of bracketed trees.

    Example: paraphrast paraphrases rules aligned.jsonl --kind reordering
    """
    from paraphrast.align.formats import read_alignments
    from paraphrast.paraphrases.syntax import grammar, treebank

    pairs = list(read_alignments(aligned))
    bank = treebank.of_pairs(
        pairs, source=source_trees, target=target_trees, cache=parses
    )
    if bank.flat:
        typer.echo(f"{bank.flat} of {2 * len(pairs)} sentences: no parse.", err=True)
    wanted = {grammar.known_kind(kind)} if kind else set(grammar.KINDS)
    for found in grammar.rules(bank.pairs, longest=longest):
        if found.count >= least and found.rule.kind in wanted:
            print(json.dumps(found.record(), ensure_ascii=False) if as_json else found)
