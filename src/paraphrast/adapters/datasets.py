"""Columns of Hugging Face datasets: a function for ``Dataset.map``.

``rows.map(ColumnRewriter(to="formal"), batched=True)`` adds the column ``rewrite``. It
works in several processes, and the library's cache is invalidated when the settings,
the pack or paraphrast itself change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.adapters.texts import TextRewriter
from paraphrast.errors import unknown


@dataclass(frozen=True)
class ColumnRewriter(TextRewriter):
    """Rewrites the texts in ``column`` into a new one; missing texts stay missing.

    With ``why``, a column of that name gives the reason why a text is unchanged.
    """

    column: str = "text"
    into: str = "rewrite"
    why: str = ""

    def __post_init__(self) -> None:
        """Compute the identity, which the library's cache asks for first."""
        _ = self.identity

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Return the new columns of a batch of rows, or of one row."""
        if self.column not in batch:
            raise unknown("column", self.column, batch)
        texts = batch[self.column]
        alone = texts is None or isinstance(texts, str)
        rewrites = self.rewrite([texts] if alone else texts)
        columns = {self.into: [None if r is None else r.text for r in rewrites]}
        if self.why:
            columns[self.why] = [None if r is None else r.why for r in rewrites]
        return {name: own[0] for name, own in columns.items()} if alone else columns
