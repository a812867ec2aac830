"""``paraphrast paraphrases …``: parse, call, print."""

import json
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
