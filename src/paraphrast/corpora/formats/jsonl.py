"""JSON lines: one object per line, with a field for the source and one for the target.

Texts may contain line breaks and tabs. Other fields are kept. A row of a corpus with
references (``text``, ``references``, as written by `corpora build formality`) is read
as the pair of its text and its first reference.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from paraphrast.corpora.formats import Malformed

TEXT, REFERENCES = "text", "references"


@dataclass(frozen=True)
class Jsonl:
    """One JSON object per line; ``source`` and ``target`` name its fields."""

    source: str = "source"
    target: str = "target"

    files: ClassVar[int] = 1
    columns: ClassVar[int] = 2
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Take the two fields of the line's object."""
        record = parse_object(lines[0])
        if self._has_references(record):
            return (_text(record, TEXT), _first_reference(record))
        return (_text(record, self.source), _text(record, self.target))

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Write an object with the two fields, and those of the line it replaces."""
        record = parse_object(instead_of[0]) if instead_of else {}
        if self._has_references(record):
            text, reference = texts
            others = record[REFERENCES][1:]
            record |= {TEXT: text, REFERENCES: [reference, *others]}
        else:
            record |= zip((self.source, self.target), texts, strict=True)
        return (json.dumps(record, ensure_ascii=False),)

    def _has_references(self, record: dict[str, Any]) -> bool:
        # Its field ``source`` names where the row is from, so only the target tells.
        return self.target not in record and {TEXT, REFERENCES} <= record.keys()


def parse_object(line: str) -> dict[str, Any]:
    """Return the object on a line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not valid JSON: {error}.") from error
    if not isinstance(record, dict):
        raise Malformed(f"expected a JSON object, found {type(record).__name__}.")
    return record


def _first_reference(record: dict[str, Any]) -> str:
    references = record[REFERENCES]
    if not isinstance(references, list) or not references:
        raise Malformed(f"field {REFERENCES!r} is not a list of texts.")
    return _text({REFERENCES: references[0]}, REFERENCES)


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
        raise Malformed(f"field {field!r} has an unpaired surrogate.") from None
    return text
