"""Assemble ``paraphrast <noun> <verb>``; ``paraphrast rewrite`` is the main command.

Commands only parse, call and print. Results go to stdout, progress and errors to
stderr. Exit codes: 0 done, 1 a figure out of tolerance or a bug, 2 a user
error, 130 stopped by Ctrl-C.
"""

import os
import sys
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any

import typer

from paraphrast.cli.align import app as align
from paraphrast.cli.batch import app as batch
from paraphrast.cli.corpora import app as corpora
from paraphrast.cli.help import prepare
from paraphrast.cli.learn import learn
from paraphrast.cli.metrics import app as metrics
from paraphrast.cli.neural import app as neural
from paraphrast.cli.nmt import app as nmt
from paraphrast.cli.packs import app as packs
from paraphrast.cli.paraphrases import app as paraphrases
from paraphrast.cli.phrase import app as phrase
from paraphrast.cli.reproduce import reproduce
from paraphrast.cli.rewrite_job import RewriteCommand, rewrite
from paraphrast.cli.serve import serve, studio
from paraphrast.cli.study import agreement
from paraphrast.cli.study import app as study
from paraphrast.cli.styles import rewriters, styles
from paraphrast.errors import ParaphrastError
from paraphrast.extras import explain

STOPPED = 130

# Newer releases of Typer vendor click, older ones import it: the exceptions to catch
# are the base classes of the one that Typer exports in both cases.
_UsageError: Any = typer.BadParameter.__mro__[1]
_ClickException: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="paraphrast",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(version("paraphrast"))
        raise typer.Exit


@app.callback()
def root(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            is_eager=True,
            callback=_version,
        ),
    ] = False,
) -> None:
    """Rewrite English in another style, keep its meaning, and measure the result.

    Start with: paraphrast rewrite --to formal "gonna be late, soz"
    """


app.command(cls=RewriteCommand)(rewrite)
app.command()(styles)
app.command()(rewriters)
app.command()(learn)
app.command()(studio)
app.command()(serve)
app.add_typer(align, name="align")
app.add_typer(batch, name="batch")
app.add_typer(corpora, name="corpora")
app.add_typer(metrics, name="metrics")
app.add_typer(neural, name="neural")
app.add_typer(nmt, name="nmt")
app.add_typer(packs, name="packs")
app.add_typer(paraphrases, name="paraphrases")
app.add_typer(phrase, name="phrase")
app.command()(agreement)
app.add_typer(study, name="study")
app.command()(reproduce)


@cache
def build_command() -> Any:
    """Return the complete command line, with readable help."""
    command = typer.main.get_command(app)
    prepare(command)
    return command


def main() -> None:
    """Run the command line; report every expected failure in one line."""
    try:
        code = build_command()(prog_name="paraphrast", standalone_mode=False)
        sys.stdout.flush()
        if code == STOPPED:
            raise KeyboardInterrupt
    except ParaphrastError as error:
        code = _complain(str(error))
    except ModuleNotFoundError as error:
        code = _complain(str(explain(error)))
    except _UsageError as error:
        command = error.ctx.command_path if error.ctx else "paraphrast"
        message = error.format_message().rstrip(".")
        code = _complain(f"{message}. See `{command} --help`.")
    except _ClickException as error:
        code = _complain(error.format_message())
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe. Python would raise again when it
        # flushes stdout at exit, so stdout is redirected first.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _complain(f"{where}{error.strerror or error}.")
    except MemoryError:
        code = _complain("out of memory. Give less text at a time.")
    except (KeyboardInterrupt, typer.Abort):
        code = _complain("stopped. Continue with --resume where there is one.", STOPPED)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int = 2) -> int:
    print(f"error: {message}", file=sys.stderr)
    return code
