"""The import graph of the package's folders, read from the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

from recipes.markdown import ROOT, table

PACKAGE = ROOT / "src/paraphrast"


def import_graph() -> dict[str, set[str]]:
    """Return, for each folder or module of the package, the others that it imports.

    Imports inside functions count; those for type checking alone do not.
    """
    graph: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        part = _part(path)
        graph.setdefault(part, set()).update(_list_imports(path))
        graph[part].discard(part)
    return graph


def import_table() -> str:
    """Return the graph as a table, each part after all those that it imports."""
    graph = import_graph()
    rows = [
        [f"`{name}`", ", ".join(sorted(graph[name]))] for name in _sort_parts(graph)
    ]
    return table(["part", "imports"], rows, align="ll")


def _part(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return f"{first}/" if first != path.name else path.stem


def _list_imports(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    for node in _nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "paraphrast":
            yield from (_find_part(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _inner(node.module)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from _inner(alias.name)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from _nodes(node)


def _inner(module: str) -> Iterator[str]:
    package, _, rest = module.partition(".")
    if package == "paraphrast" and rest:
        yield _find_part(rest.partition(".")[0])


def _find_part(name: str) -> str:
    if (PACKAGE / name).is_dir():
        return f"{name}/"
    is_module = any((PACKAGE / f"{name}{end}").exists() for end in (".py", ".pyi"))
    return name if is_module else "__init__"


def _sort_parts(graph: dict[str, set[str]]) -> list[str]:
    """Return the parts so that each comes after those it imports, where it can."""
    order: list[str] = []
    left = dict(graph)
    while left:
        free = [name for name, own in left.items() if not own & left.keys() - {name}]
        chosen = free or [min(left, key=lambda name: len(left[name] & left.keys()))]
        order += sorted(chosen)
        for name in chosen:
            del left[name]
    return order
