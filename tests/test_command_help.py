"""The help of every command, as a newcomer reads it, and every command in the pages."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
import typer
from typer.testing import CliRunner

from paraphrast.cli.help import describe, escape_markup, join_lines, unpack
from paraphrast.cli.main import build_command

ROOT = Path(__file__).parents[1]
PREPOSITIONS = ("of", "to", "in", "on", "by", "from", "with", "for", "at", "as", "over")


def walk(command, path=("paraphrast",)):
    yield " ".join(path), command
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from walk(subcommand, (*path, name))


COMMANDS = dict(walk(build_command()))
LEAVES = {
    path: command
    for path, command in COMMANDS.items()
    if not hasattr(command, "commands")
}
PARAMETERS = [
    (path, parameter)
    for path, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name not in ("install_completion", "show_completion", "help")
]


def parameters_of(path):
    return [parameter for other, parameter in PARAMETERS if other == path]


def read_help(parameter):
    return (parameter.help or "").replace("\\[", "[")


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_says_what_it_does_in_a_sentence(path):
    first = (COMMANDS[path].help or "").partition("\n")[0]
    assert first, "no help"
    assert first[0].isupper()
    assert first.endswith((".", ":"))
    assert "``" not in COMMANDS[path].help


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_shows_an_example(path):
    assert f"{path} " in f"{LEAVES[path].help} ", "no example of a call"


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_an_option_is_a_complete_noun_phrase(path):
    for parameter in parameters_of(path):
        text = read_help(parameter)
        assert text, f"{parameter.name}: no help"
        assert text.endswith("."), text
        assert text[0].isupper() or re.match(r"(smt|pivot|syntax)\b", text), text
        assert "``" not in text, parameter.name
        assert "\n" not in text, parameter.name
        for clause in re.split(r"[.;:](?:\s|$)", text):
            own = clause.strip()
            assert not own.endswith(tuple(f" {p}" for p in PREPOSITIONS)), text


@pytest.mark.parametrize("path", COMMANDS)
def test_metavars_are_words_for_people(path):
    types = r"[<>]|\blist\b|\bPath\b|\bstr\b|\bint\b"
    for parameter in parameters_of(path):
        assert parameter.metavar is not None, parameter.name
        assert not re.search(types, parameter.metavar), parameter.name


@pytest.mark.parametrize("path", ["align pairs", "metrics compare"])
def test_help_is_printed_without_markup_or_stray_words(run, path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(*path.split(), "--help")
    assert code == 0
    assert "<" not in out
    described = out.partition("Arguments")[0]
    lines = [line.strip() for line in described.splitlines()]
    for line, following in zip(lines, lines[1:], strict=False):
        assert not (following and len(line.split()) == 1 and not line.startswith("╭"))


def test_brackets_are_shown(run):
    assert 'links [i, j, probability, "sure" or' in run("align", "pairs", "--help")[1]


def test_paragraphs_are_joined_and_brackets_escaped():
    assert join_lines("A\nb.\n\n  Next\n  one.") == "A b.\n\nNext one."
    assert escape_markup("[a] [NAME=] \\[b]") == "\\[a] [NAME=] \\[b]"


def run_command(command, *arguments):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, arguments)


def test_options_follow_from_the_docstring_and_the_types():
    @describe
    def show(
        name: str,
        gold: Path,
        path: Path = Path("-"),
        kind: Literal["a", "b"] | None = None,
        number: int = 1,
        loud: bool = False,
    ) -> None:
        """Show what was given.

        Options:
            name NAME: A name that is
                explained on two lines.
            gold --gold: A required option.
            path [FILE]: An optional argument.
            kind: One of two. [default: any]
            number -n --alternatives: A number.
            loud: A switch.
        """
        typer.echo(f"{name} {gold} {path} {kind} {number} {loud}")

    assert show.__doc__ == "Show what was given.\n"
    given = run_command(show, "x", "--gold", "g", "y", "--kind", "b", "-n", "2")
    assert given.stdout == "x g y b 2 False\n"
    assert run_command(show, "x", "--gold", "g", "--loud").stdout.endswith("True\n")
    assert run_command(show, "x").exit_code == 2
    assert run_command(show, "x", "--gold", "g", "--no-loud").exit_code == 2
    wrong = run_command(show, "x", "--gold", "g", "--kind", "c")
    assert "unknown --kind value 'c'" in str(wrong.exception)
    shown = " ".join(run_command(show, "--help").stdout.split())
    for text in ("explained on two lines", "default: (any)", "a|b", "[FILE]", "NAME"):
        assert text in shown


def test_the_fields_of_a_request_become_options():
    @dataclass(frozen=True)
    class Order:
        dish: str
        spoons: int = 1

    taken = []

    @describe
    @unpack
    def order(request: Order) -> None:
        """Order a dish.

        Options:
            dish: Name of the dish.
            spoons: Number of spoons.
        """
        taken.append(request)

    assert run_command(order, "soup", "--spoons", "3").exit_code == 0
    assert taken == [Order("soup", 3)]


def option_names(name):
    return {
        flag
        for path, parameter in PARAMETERS
        for flag in parameter.opts
        if parameter.name == name or f"--{name}" in parameter.opts
    }


def test_the_same_thing_has_the_same_name_everywhere():
    flags = {flag for _, parameter in PARAMETERS for flag in parameter.opts}
    assert not flags & {"--out", "--rewriter", "--home", "--looks", "--no-looks"}
    for _, parameter in PARAMETERS:
        if "-o" in parameter.opts:
            assert "--output" in parameter.opts
        if "-n" in parameter.opts:
            assert "--alternatives" in parameter.opts


def test_there_is_one_default_seed_but_for_resamples():
    seeds = {
        parameter.default: "resamples" in parameter.help
        for _, parameter in PARAMETERS
        if "--seed" in parameter.opts and parameter.default is not None
    }
    assert seeds == {1: False, 12345: True}


@pytest.mark.parametrize(
    "arguments",
    [("rewrite", "--nosuch"), ("rewrite", "--to", "formal", "--strength", "2", "x")],
)
def test_usage_errors_are_sentences(run, arguments):
    _, _, error = run(*arguments)
    assert re.search(r"\S\. See `paraphrast rewrite --help`\.\n$", error)


def find_commands(page):
    """Yield every command line of a page: in blocks, and between backquotes."""
    text = page.read_text("utf-8")
    for block in re.findall(
        r"```(?:console|bash|sh)?\n(.*?)```", text, flags=re.DOTALL
    ):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^\$ ", "", line.strip())
            line = re.sub(r"^(?:[A-Z_]+=\S+ |cat \S+ \| |time )+", "", line)
            if line.startswith(("paraphrast ", ".venv/bin/paraphrast ")):
                yield line.removeprefix(".venv/bin/")
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for line in re.findall(r"`((?:[A-Z_]+=\S+ )?paraphrast [^`]+)`", bare):
        yield re.sub(r"^(?:[A-Z_]+=\S+ )+", "", " ".join(line.split()))


PAGES = [
    page
    for pattern in ("*.md", "docs/**/*.md", "recipes/*/*.md", "training/**/*.md")
    for page in sorted(ROOT.glob(pattern))
    if page.name != "CHANGELOG.md"
]
SHOWN = sorted({(p.name, line) for p in PAGES for line in find_commands(p)})


@pytest.mark.parametrize(("page", "line"), SHOWN)
def test_every_command_in_the_pages_parses(page, line):
    words = shlex.split(re.split(r"\s(?:[|>#]|&&)\s?", line)[0], comments=True)
    command, path = COMMANDS["paraphrast"], "paraphrast"
    rest = words[1:]
    while rest and f"{path} {rest[0]}" in COMMANDS:
        path = f"{path} {rest.pop(0)}"
        command = COMMANDS[path]
    if hasattr(command, "commands"):
        assert not rest or rest[0].startswith("-") or "…" in rest[0], f"{page}: {line}"
        return
    flags = {flag for p in command.params for flag in (*p.opts, *p.secondary_opts)}
    for word in rest:
        flag = word.partition("=")[0]
        if re.fullmatch(r"--?[a-z][a-z-]*", flag):
            assert flag in flags | {"--help", "-h"}, f"{page}: {line}"


def test_no_help_shows_a_type_as_python_spells_it(run):
    out = run("--help")[1]
    assert "--install-completion" in out
    assert "<" not in out
