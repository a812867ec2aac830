"""The architecture as a test: imports point one way, and heavy ones are lazy."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import paraphrast

# Each name imports the names listed with it, itself, and nothing else of ours.
IMPORTS = {
    "errors": "",
    "processes": "",
    "extras": "errors",
    "config": "errors",
    "registry": "errors",
    "preferences": "config errors",
    "storage": "config errors",
    "text": "errors storage",
    "language": "text",
    "estimators": "_native errors storage text",
    "rewriter": "text",
    "pack_family": "rewriter storage",
    "corpora": "config errors extras language processes registry storage text",
    "align": "_native config corpora errors extras registry storage text",
    "paraphrases": "align config corpora errors estimators storage text",
    "phrase": "_native align config corpora errors estimators extras language "
    "pack_family rewriter rules storage text",
    "rules": "config errors rewriter storage text",
    "neural": "config corpora errors estimators extras language pack_family rewriter "
    "rules storage text",
    "nmt": "config corpora errors estimators language neural pack_family rewriter "
    "rules storage text",
    "instruct": "config corpora errors extras language neural pack_family preferences "
    "rewriter rules storage text",
    "metrics": "config errors estimators extras language registry storage text",
    "judges": "config errors estimators language metrics storage text",
    "comparison": "corpora errors estimators judges language metrics text",
    "study": "align corpora errors estimators judges language metrics rewriter "
    "rewriting rules storage text",
    "rewriting": "errors extras language preferences registry rewriter storage text",
    "client": "errors rewriter rewriting",
    "adapters": "errors extras rewriter rewriting",
    "reproduce": "config errors storage",
    "batch": "align config corpora errors extras judges paraphrases processes rewriter "
    "rewriting storage text",
}
ROOT = Path(paraphrast.__file__).parent
# A wheel carries these two; in a clone they lie beside src.
BESIDE = {"recipes", "training"}
CHECKOUT = Path(__file__).parents[1]
OUTSIDE = ("training", "recipes", "benchmarks", "docs")
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
    assert {layer(path) for path in FILES} == IMPORTS.keys() | TOP


@pytest.mark.parametrize("name", IMPORTS)
def test_a_folder_imports_only_what_is_listed(name):
    own = {
        str(path.relative_to(ROOT)): imported(path) - {name}
        for path in FILES
        if layer(path) == name
    }
    allowed = set(IMPORTS[name].split())
    assert {
        path: more for path, names in own.items() if (more := names - allowed)
    } == {}
    assert set().union(*own.values()) == allowed, "a permission that nothing needs"


def test_the_list_has_no_cycle():
    TopologicalSorter({k: v.split() for k, v in IMPORTS.items()}).prepare()


def test_nothing_imports_the_commands():
    inside = (path for path in FILES if layer(path) not in ("cli", "__main__"))
    assert [path for path in inside if "cli" in imported(path)] == []


def imports_that_run(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yield a module's imports, lazy ones too, but for those of types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield from imports_that_run(node)


@pytest.mark.parametrize("package", ["paraphrast", *OUTSIDE])
def test_no_module_imports_itself_through_others(package):
    home = ROOT.parent if package == "paraphrast" else CHECKOUT
    paths = {
        ".".join(path.relative_to(home).with_suffix("").parts): path
        for path in (home / package).rglob("*.py")
        if not BESIDE & set(path.relative_to(home / package).parts[:1])
    }
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    graph = {
        name: {
            whole
            if (whole := f"{node.module}.{alias.name}") in modules
            else node.module
            for node in imports_that_run(ast.parse(path.read_text("utf-8")))
            for alias in node.names
        }
        for name, path in modules.items()
    }
    own = {name: imports & modules.keys() - {name} for name, imports in graph.items()}
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
