"""Read the word lists that lie in the folder ``data`` beside this file."""

from importlib.resources import files


def read_rows(name: str) -> list[list[str]]:
    """Return the tab-separated rows of a list; ``#`` begins a remark."""
    text = (files("paraphrast.text") / "data" / name).read_text("utf-8")
    lines = (line for line in text.split("\n") if line and not line.startswith("#"))
    return [line.split("\t") for line in lines]
