"""``paraphrast corpora …``: parse, call, print."""

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Find, fetch, clean, split, filter and align corpora.",
)


@app.callback()
def corpora() -> None:
    """Find, fetch, clean, split, filter and align corpora."""
