"""``paraphrast metrics``: list metrics, score outputs, correlate with people."""

import typer

app = typer.Typer(no_args_is_help=True, help="Score rewritten text, with intervals.")
