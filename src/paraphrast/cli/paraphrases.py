"""``paraphrast paraphrases …``: parse, call, print."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.metrics.defaults import RESAMPLES, SEED

app = typer.Typer(no_args_is_help=True, help="Acquire, look up and score paraphrases.")

Table = Annotated[
    Path,
    typer.Argument(metavar="TABLE", help="Table written by `paraphrases extract`."),
]
MaxWords = Annotated[int, typer.Option(min=1, help="Maximum words per phrase.")]
MinProbability = Annotated[
    float, typer.Option(min=0, max=1, help="Minimum probability of a paraphrase.")
]


@dataclass(frozen=True)
class _Extraction:
    """The arguments of `extract`; the command documents the fields."""

    texts: list[str]
    output: options.NewFile
    method: Literal["co-training", "pivot", "smt", "syntax"] = "smt"
    longest: int | None = None
    minimum: float | None = None
    min_count: int | None = None
    boundaries: Literal["tight", "loose"] | None = None
    max_words: int | None = None
    direction: Literal["both", "forward"] | None = None
    using: options.Using = None
    model: Path | None = None
    aligned: bool = False
    tokenized: options.Tokenized = False
    parses: Path | None = None
    processes: options.Processes = 1
    folder: Path | None = None
    mirror: options.Mirror = None
    as_json: options.Json = False

    def settings(self) -> dict[str, Any]:
        """Return the settings of the method that were given."""
        return options.drop_missing(
            longest=self.longest,
            minimum=self.minimum,
            min_count=self.min_count,
            boundaries=self.boundaries,
            max_words=self.max_words,
            direction=self.direction,
        )


@app.command()
@describe
@unpack
def extract(asked: _Extraction) -> None:
    """Learn paraphrases from sentence pairs and write them to a table.

    smt aligns monolingual pairs, pivot goes through another language, syntax merges
    parse trees, co-training learns contexts. The output file appears only when it is
    complete.

    Example: paraphrast paraphrases extract europarl:en-fr europarl:en-de
    --method pivot --processes 2 -o europarl.table

    Options:
        texts TEXTS: Files of sentence pairs, or CORPUS:PART of the catalogue.
        method: Acquisition method.
        longest: Maximum words per phrase.
        minimum: Minimum probability of a paraphrase. [default: 0.01]
        min_count: Minimum count of a phrase pair or context.
        boundaries: smt, pivot: whether the outermost words of a phrase must be linked
            (tight) or not.
        max_words: pivot: maximum words per sentence. [default: 60]
        direction: smt: directions of the alignment. [default: both]
        model FOLDER: smt: model written by `align train`.
        aligned: smt: the files are alignments.
        parses: syntax: cache file for the parse trees.
        folder FOLDER: Folder for temporary data that does not fit into memory.
    """
    import time

    from paraphrast.paraphrases.extraction import Resources, Text, extract
    from paraphrast.storage import atomic

    atomic.refuse_special(asked.output)
    resources = Resources(
        tokenized=asked.tokenized,
        aligned=asked.aligned,
        using=asked.using,
        model=asked.model,
        parses=asked.parses,
        processes=asked.processes,
        folder=asked.folder,
    )
    start = time.perf_counter()
    with printing.show_stages() as progress:
        table = extract(
            asked.method,
            [Text(name, asked.mirror) for name in asked.texts],
            settings=asked.settings(),
            resources=resources,
            progress=progress,
        )
    table.save(asked.output)
    report = dict(table.about) | {
        "phrases": table.phrases(),
        "paraphrases": len(table),
        "seconds": round(time.perf_counter() - start, 1),
        "peak_megabytes": _peak_megabytes(),
        "bytes": asked.output.stat().st_size,
        "output": str(asked.output),
    }
    line = (
        f"{report['paraphrases']:,} paraphrases of {report['phrases']:,} phrases in "
        f"{report['seconds']} s, {report['peak_megabytes']} MB of memory -> "
        f"{asked.output}"
    )
    printing.print_report(report, [line], as_json=asked.as_json)


def _peak_megabytes() -> int:
    """Return the peak memory of this process or of one that it started."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(kind).ru_maxrss for kind in kinds)
    return round(peak / (1024 if sys.platform != "darwin" else 1024**2))


@app.command()
def export(path: Table, output: options.NewFile) -> None:
    """Write a table as .tsv or .jsonl: phrase, paraphrase, probability, context.

    Example: paraphrast paraphrases export europarl.table -o europarl.tsv
    """
    from paraphrast.paraphrases.table import export, open_table

    export(open_table(path), output)


@app.command()
@describe
def merge(
    paths: list[Path],
    output: options.NewFile,
    weights: list[float] | None = None,
    minimum: MinProbability = 0.0,
    best: Annotated[int | None, typer.Option(min=1)] = None,
    as_json: options.Json = False,
) -> None:
    """Interpolate tables, or prune one.

    Example: paraphrast paraphrases merge smt.table pivot.table -w 2 -w 1 -o both.table

    Options:
        paths TABLES: Tables to interpolate.
        weights -w --weight: Weight of a table; repeat it for each table. [default:
            equal weights]
        best: Maximum paraphrases per phrase.
    """
    from paraphrast.paraphrases import merge, open_table, prune

    merged = merge([open_table(path) for path in paths], weights=weights)
    table = prune(merged, minimum=minimum, best=best)
    table.save(output)
    count, phrases = len(table), table.phrases()
    record = {"paraphrases": count, "phrases": phrases, "output": str(output)}
    line = f"{count:,} paraphrases of {phrases:,} phrases -> {output}"
    printing.print_report(record, [line], as_json=as_json)


@app.command("of")
@describe
def of_phrase(
    phrase: str,
    path: Path,
    limit: options.Count = 20,
    minimum: MinProbability = 0.0,
    as_json: options.Json = False,
) -> None:
    """Print the paraphrases of a phrase, the most probable first.

    Example: paraphrast paraphrases of "on the other hand" --table europarl.table

    Options:
        phrase PHRASE: Word or phrase to look up.
        path --table: Table written by `paraphrases extract`.
        limit: Maximum number of paraphrases.
    """
    from dataclasses import asdict

    from paraphrast.paraphrases import open_table
    from paraphrast.text import tokenise

    table = open_table(path)
    text = phrase.lower() if table.about.get("case") == "lower" else phrase
    wanted = " ".join(tokenise(text))
    matches = table.of(text, limit=limit) or table.of(wanted, limit=limit)
    rows = [row for row in matches if row.probability >= minimum]
    lines = [f"{row.probability:.4f}  {row.paraphrase}  {row.context}" for row in rows]
    if rows or as_json:
        printing.print_report([asdict(row) for row in rows], lines, as_json=as_json)
    else:
        printing.print_note(f"{path} has no paraphrase of {wanted!r}.")


@app.command("score")
@describe
def score_table(
    path: Table,
    gold: Path,
    half: Literal["all", "train", "score"] = "all",
    longest: MaxWords = 5,
    minimum: MinProbability = 0.01,
    labels: Literal["possible", "sure"] = "possible",
    places: Literal["all", "reworded"] = "all",
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Score a table with ParaMetric: LB-Precision and Rel-Recall by phrase length.

    ParaMetric was proposed by Callison-Burch et al. (2008). The gold standard must be
    held out: the table must not be built from it. Pairs whose ids agree up to the last
    dot belong to the same cluster.

    Example: paraphrast paraphrases score my.table --gold mt-reference.dev.json
    --half score

    Options:
        gold --gold: Manual alignments in Jacana's JSON.
        half: Part of the gold standard, divided by cluster.
        labels: Gold links to use.
        places: Phrases to count: all, or only those that the gold standard rewords.
    """
    from dataclasses import asdict

    from paraphrast.paraphrases import open_table, parametric

    table = open_table(path)
    groups = parametric.groups(
        parametric.read_gold(gold, half=half),
        longest=longest,
        labels=labels,
    )
    judged = parametric.judge(groups, parametric.of_table(table), longest=longest)
    rows = parametric.rows(
        judged,
        least=minimum,
        places=places,
        resamples=resamples,
        seed=seed,
    )
    lines = [f"{'words':<7}{'LB-Precision':<22}{'Rel-Recall':<22}right proposed wanted"]
    for row in rows:
        shares = "".join(
            f"{share.value:.4f} [{share.low:.3f}, {share.high:.3f}] "
            for share in (row.precision, row.recall)
        )
        counts = f"{row.precision.part} {row.precision.whole} {row.recall.whole}"
        lines.append(f"≤ {row.longest:<5}{shares} {counts}")
    printing.print_report([asdict(row) for row in rows], lines, as_json=as_json)


@app.command("rules")
@describe
def grammar_rules(
    aligned: Path,
    source_trees: Path | None = None,
    target_trees: Path | None = None,
    parses: Path | None = None,
    kind: Literal["lexical", "structural", "reordering", "deletion"] | None = None,
    least: options.Count = 1,
    longest: options.Count = 6,
    as_json: options.Json = False,
) -> None:
    """Print synchronous grammar rules: count, p(target | source), kind, rule.

    Trees are made by the parser Link Grammar, or read from two files of bracketed
    trees.

    Example: paraphrast paraphrases rules aligned.jsonl --kind reordering

    Options:
        aligned: Aligned pairs written by `paraphrast align pairs`.
        source_trees: Bracketed trees of the sources.
        target_trees: Bracketed trees of the targets.
        parses: Cache file for the parse trees.
        kind: Kind of rules to print. [default: all]
        least: Minimum count of a rule.
        longest: Maximum symbols per side of a rule.
    """
    from paraphrast.align.formats import read_alignments
    from paraphrast.paraphrases.syntax import grammar, treebank

    pairs = list(read_alignments(aligned))
    bank = treebank.of_pairs(
        pairs, source=source_trees, target=target_trees, cache=parses
    )
    if bank.flat:
        printing.print_note(f"{bank.flat} of {2 * len(pairs)} sentences: no parse.")
    wanted = {kind} if kind else set(grammar.KINDS)
    for match in grammar.rules(bank.pairs, longest=longest):
        if match.count >= least and match.rule.kind in wanted:
            if as_json:
                printing.print_json(match.record())
            else:
                print(match)
