"""JSON lines: one object per line, with a field for the source and one for the target.

Any text can be held, with line breaks and tabs. Other fields are left alone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from paraphrast.corpora.formats import Malformed


@dataclass(frozen=True)
class Jsonl:
    """One JSON object a line; ``source`` and ``target`` name its fields."""

    source: str = "source"
    target: str = "target"

    files: ClassVar[int] = 1
    columns: ClassVar[int] = 2
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Take the two fields of the line's object."""
        record = _object(lines[0])
        return (_text(record, self.source), _text(record, self.target))

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Write an object with the two fields, and those of the line it replaces."""
        record = _object(instead_of[0]) if instead_of else {}
        record |= zip((self.source, self.target), texts, strict=True)
        return (json.dumps(record, ensure_ascii=False),)


def _object(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not valid JSON: {error}.") from error
    if not isinstance(record, dict):
        raise Malformed(f"expected a JSON object, found {type(record).__name__}.")
    return record


def _text(record: dict[str, Any], field: str) -> str:
    if field not in record:
        fields = ", ".join(sorted(record)) or "none"
        raise Malformed(f"no field {field!r} (fields: {fields}).")
    text = record[field]
    if not isinstance(text, str):
        raise Malformed(f"field {field!r} is not a text.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Malformed(f"field {field!r} holds half a surrogate pair.") from None
    return text
