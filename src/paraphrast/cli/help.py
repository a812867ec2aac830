"""Help texts for people: whole paragraphs, literal brackets, words for types.

Typer keeps a docstring's line breaks, takes ``[...]`` for markup, and shows types as
Python spells them. All commands pass through `prepare` once, before they run.
"""

import re
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
            parameter.metavar = NOUNS.get(_item_type(hints.get(parameter.name)))
    for subcommand in getattr(command, "commands", {}).values():
        prepare(subcommand)


def join_lines(text: str) -> str:
    """Put each paragraph on one line, for the terminal to wrap."""
    paragraphs = re.split(r"\n\s*\n", text.strip("\n"))
    return "\n\n".join(re.sub(r"\s*\n\s*", " ", part) for part in paragraphs)


def escape_markup(text: str) -> str:
    """Keep Rich from reading brackets as markup."""
    return _MARKUP.sub(r"\\[", text)


def _item_type(hint: Any) -> Any:
    """Return the type of one value: ``Path`` for ``list[Path] | None``."""
    if get_origin(hint) is UnionType:
        hint = next(part for part in get_args(hint) if part is not type(None))
    return get_args(hint)[0] if get_origin(hint) is list else hint
