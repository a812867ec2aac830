"""Readable help texts, and the options of a command from its docstring.

`describe` reads the section ``Options:`` of a command's docstring, one entry per
parameter: its name, its flags where they do not follow from the name, its metavar where
it does not follow from the type, and after a colon the help text::

    number -n --alternatives: Candidates per line.
    model FOLDER: Model written by `align train`. [default: the built-in one]
    path [FILE]: One text per line.

A parameter with flags here is an option; without, one that has no default or whose
metavar is in brackets is an argument. A ``Literal`` takes its values alone. `unpack`
makes the fields of a request, a dataclass, the parameters of a command.

Typer keeps a docstring's line breaks, takes ``[...]`` for markup, and shows types as
Python spells them. All commands pass through `prepare` once, before they run.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from copy import copy
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin
from typing import get_type_hints as get_hints

import typer

from paraphrast.cli.options import choice

Request = TypeVar("Request")

NOUNS = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "TEXT", bool: ""}
_DEFAULT = re.compile(r" \[default: (.+)\]$")
_MARKUP = re.compile(r"(?<!\\)\[(?=[a-z#/@])")


def describe(command: Callable[..., None]) -> Callable[..., None]:
    """Add the help texts in a command's docstring to its parameters."""
    text, _, section = inspect.cleandoc(command.__doc__ or "").partition("\nOptions:\n")
    hints = get_hints(command, include_extras=True)
    signature = inspect.signature(command)
    for name, words, help in _read_entries(section):
        hint, option = _make_option(signature.parameters[name], hints[name], words)
        option.help = _DEFAULT.sub("", help)
        if match := _DEFAULT.search(help):
            option.show_default = match[1]
        if metavar := [word for word in words if not word.startswith("-")]:
            option.metavar = metavar[0]
        hints[name] = Annotated[hint, option]
    parameters = [
        parameter.replace(annotation=hints[name])
        for name, parameter in signature.parameters.items()
    ]
    command.__doc__, command.__annotations__ = text, hints
    vars(command)["__signature__"] = signature.replace(parameters=parameters)
    return command


def unpack(command: Callable[[Request], None]) -> Callable[..., None]:
    """Return a command that takes the fields of its request one by one."""
    ((_, request), *_) = get_hints(command).items()

    def wrapper(**fields: Any) -> None:
        command(request(**fields))

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    wrapper.__annotations__ = get_hints(request, include_extras=True)
    vars(wrapper)["__signature__"] = inspect.signature(request)
    return wrapper


def _read_entries(section: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield each entry: the parameter's name, its flags and metavar, its help text."""
    for entry in re.split(r"\n(?! {5})", section.rstrip()):
        if entry:
            head, _, help = " ".join(entry.split()).partition(": ")
            name, *words = head.split()
            yield name, words, help


def _make_option(
    parameter: inspect.Parameter, hint: Any, words: list[str]
) -> tuple[Any, Any]:
    """Return a parameter's type, and a Typer option or argument without help yet."""
    if get_origin(hint) is Annotated:
        hint, option = get_args(hint)
        return hint, copy(option)
    flags = [word for word in words if word.startswith("-")]
    optional = any(re.fullmatch(r"\[[^\[\]]+\]", word) for word in words)
    if not flags and (optional or parameter.default is parameter.empty):
        return hint, typer.Argument()
    values = [v for part in (hint, *get_args(hint)) for v in _literal_values(part)]
    if values:
        hint = str | None if type(None) in get_args(hint) else str
        return hint, choice(*values, help="", flag=flags[0] if flags else None)
    if parameter.default is False and not flags:  # without a --no-… counterpart
        flags = [f"--{parameter.name.replace('_', '-')}"]
    return hint, typer.Option(*flags)


def _literal_values(hint: Any) -> tuple[str, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def prepare(command: Any) -> None:
    """Make the help of a command, its options and its subcommands readable."""
    command.help = escape_markup(join_lines(command.help or ""))
    hints = get_hints(command.callback) if command.callback else {}
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = escape_markup(parameter.help)
        if parameter.metavar is None:
            is_flag = getattr(parameter, "is_flag", False)
            parameter.metavar = "" if is_flag else name_type(hints.get(parameter.name))
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: None  # the metavar shows it
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
    """Return the metavar of a type: ``FILE`` for ``list[Path] | None``."""
    if get_origin(hint) is UnionType:
        hint = next(part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is list:
        hint = get_args(hint)[0]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "|".join(str(choice.value) for choice in hint)
    return NOUNS.get(hint)


def _hide_type_of_help(command: Any) -> None:
    """Show ``--help`` without a type; Typer creates that option on demand."""
    make = command.get_help_option

    def make_option(context: Any) -> Any:
        option = make(context)
        if option is not None:
            option.metavar = ""
        return option

    command.get_help_option = make_option
