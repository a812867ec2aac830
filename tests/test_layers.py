"""The architecture as a test: imports point one way, and heavy ones are lazy."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import paraphrast

BASE = {"errors", "extras", "config", "registry", "storage", "processes"}
# Each name may import the names listed with it, itself, and nothing else of ours.
MAY_IMPORT = {
    "errors": set(),
    "processes": set(),
    "extras": {"errors"},
    "config": {"errors"},
    "registry": {"errors"},
    "preferences": {"errors", "config"},
    "storage": {"errors", "config"},
    "text": BASE,
    "language": {"errors", "text"},
    "estimators": {"_native", "errors", "storage", "text"},
    "rewriter": {"text"},
    "pack_family": {"rewriter", "storage"},
    "corpora": BASE | {"text", "language"},
    "align": BASE | {"_native", "text", "corpora", "language"},
    "paraphrases": BASE | {"text", "corpora", "align", "estimators"},
    "phrase": BASE
    | {"_native", "pack_family", "rewriter", "text", "corpora", "align"}
    | {"estimators", "rules"},
    "rules": BASE | {"rewriter", "text", "corpora"},
    "neural": BASE
    | {"pack_family", "rewriter", "text", "language", "corpora", "estimators", "rules"},
    "nmt": BASE
    | {"pack_family", "rewriter", "text", "language", "corpora", "estimators", "rules"}
    | {"neural"},
    "instruct": BASE
    | {
        "pack_family",
        "preferences",
        "rewriter",
        "text",
        "language",
        "corpora",
        "neural",
        "rules",
    },
    "metrics": BASE | {"text", "language", "estimators"},
    "judges": BASE | {"text", "language", "estimators", "metrics"},
    "comparison": BASE
    | {"text", "language", "estimators", "corpora", "metrics", "judges"},
    "study": BASE
    | {"text", "language", "corpora", "align", "estimators", "metrics", "judges"}
    | {"comparison", "rewriter", "rewriting", "rules"},
    "rewriting": BASE | {"preferences", "rewriter", "text", "language"},
    "client": {"errors", "rewriter", "rewriting"},
    "adapters": {"errors", "extras", "rewriter", "rewriting"},
    "reproduce": BASE | {"text", "corpora", "metrics"},
    "batch": BASE
    | {"align", "corpora", "judges", "paraphrases", "rewriter", "rewriting", "text"},
}
ROOT = Path(paraphrast.__file__).parent
# A wheel carries these two; in a clone they lie beside src.
BESIDE = {"recipes", "training"}
FILES = [p for p in ROOT.rglob("*.py") if p.relative_to(ROOT).parts[0] not in BESIDE]
TOP = {"__init__", "__main__", "cli", "web"}


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("paraphrast.")}


def test_every_folder_has_its_layer():
    assert {layer(path) for path in FILES} == MAY_IMPORT.keys() | TOP


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_imports_point_down(name):
    wrong = {
        str(path.relative_to(ROOT)): names
        for path in FILES
        if layer(path) == name and (names := imported(path) - MAY_IMPORT[name] - {name})
    }
    assert not wrong


def test_nothing_imports_the_commands():
    inside = (path for path in FILES if layer(path) not in ("cli", "__main__"))
    assert [path for path in inside if "cli" in imported(path)] == []


def module(path: Path) -> str:
    parts = ["paraphrast", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts).removesuffix(".__init__")


def imports_that_run(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yield a module's imports, lazy ones too, but for those of types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield from imports_that_run(node)


def test_no_module_imports_itself_through_others():
    known = {module(path) for path in FILES}
    graph = {
        module(path): {
            whole if (whole := f"{node.module}.{alias.name}") in known else node.module
            for node in imports_that_run(ast.parse(path.read_text("utf-8")))
            for alias in node.names
        }
        for path in FILES
    }
    own = {name: imports & known - {name} for name, imports in graph.items()}
    TopologicalSorter(own).prepare()  # or a CycleError that names the cycle


MOST_PARAMETERS = 10
MOST_OPTIONS = 12  # of a command; one with more takes a request (`cli.help.unpack`)


def test_no_function_takes_many_parameters():
    for path in sorted(ROOT.rglob("*.py")):
        limit = MOST_OPTIONS if path.is_relative_to(ROOT / "cli") else MOST_PARAMETERS
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                parts = node.args
                count = len([*parts.posonlyargs, *parts.args, *parts.kwonlyargs])
                assert count <= limit, f"{path.relative_to(ROOT)}: {node.name}"
