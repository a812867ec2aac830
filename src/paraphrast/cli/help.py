"""Help texts for people: whole paragraphs, literal brackets, words for types.

Typer keeps a docstring's line breaks, takes ``[...]`` for markup, and shows types as
Python spells them. All commands pass through `prepare` once, before they run.
"""

import re
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

NOUNS = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "TEXT", bool: ""}
_MARKUP = re.compile(r"(?<!\\)\[(?=[a-z#/@])")


def prepare(command: Any) -> None:
    """Make the help of a command, its options and its subcommands readable."""
    command.help = escape_markup(join_lines(command.help or ""))
    hints = get_type_hints(command.callback) if command.callback else {}
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = escape_markup(parameter.help)
        if parameter.metavar is None:
            parameter.metavar = name_type(hints.get(parameter.name))
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: None  # the metavar says it
    _hide_type_of_help(command)
    for subcommand in getattr(command, "commands", {}).values():
        prepare(subcommand)


def join_lines(text: str) -> str:
    """Put each paragraph on one line, for the terminal to wrap."""
    paragraphs = re.split(r"\n\s*\n", text.strip("\n"))
    return "\n\n".join(re.sub(r"\s*\n\s*", " ", part.strip()) for part in paragraphs)


def escape_markup(text: str) -> str:
    """Keep Rich from reading brackets as markup."""
    return _MARKUP.sub(r"\\[", text)


def name_type(hint: Any) -> str | None:
    """Return the word for a value of a type: ``FILE`` for ``list[Path] | None``."""
    if get_origin(hint) is UnionType:
        hint = next(part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is list:
        hint = get_args(hint)[0]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "|".join(str(choice.value) for choice in hint)
    return NOUNS.get(hint)


def _hide_type_of_help(command: Any) -> None:
    """Show ``--help`` without a type; Typer makes that option when it is asked for."""
    make = command.get_help_option

    def make_option(context: Any) -> Any:
        option = make(context)
        if option is not None:
            option.metavar = ""
        return option

    command.get_help_option = make_option
