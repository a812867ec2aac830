"""Read the word lists that a package keeps in its folder ``data``."""

from importlib.resources import files


def read_rows(package: str, name: str, columns: int | None = None) -> list[list[str]]:
    """Return the tab-separated rows of a list; ``#`` begins a comment line."""
    text = (files(package) / "data" / name).read_text("utf-8")
    lines = (line for line in text.split("\n") if line and not line.startswith("#"))
    rows = [line.split("\t") for line in lines]
    for row in rows:
        if len(row) != (columns or len(row)):
            raise ValueError(f"{name}: {len(row)} columns, not {columns}, in {row}")
    return rows
