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
    path: Annotated[
        Path, typer.Option("--table", help="A table that `extract` made.")
    ],
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
