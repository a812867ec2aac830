"""Judge each row, as `paraphrast metrics judge` does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.batch.inputs import Content, Form
from paraphrast.batch.tasks import Output, Run, Task
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges import judge as judges
from paraphrast.judges import rows
from paraphrast.judges.meaning_checks import add_checks
from paraphrast.rewriting.records import dump_json


@dataclass(frozen=True, slots=True)
class Line:
    """A line and the row in it, or what is wrong with it."""

    line: str
    row: rows.Row | None
    why: str = ""


@dataclass(frozen=True)
class Judge(Task):
    """Style, similarity, fluency and formality; ``plain`` texts have no source."""

    name: ClassVar[str] = "judge"
    forms: ClassVar[frozenset[Form]] = frozenset(
        ("txt", "jsonl", "csv", "tsv", "parquet")
    )
    headed: ClassVar[frozenset[Form]] = frozenset(("csv", "tsv"))

    to: str = ""
    plain: bool = False
    checks: bool = True
    judge: Path = Path("small")

    def models(self) -> dict[str, str]:
        """Return the hashes of the judge's models."""
        loaded = judges.load(self.judge)
        if self.to and self.to not in loaded.styles:
            raise unknown("style", self.to, loaded.styles)
        return {f"judge's {part}": sha for part, sha in loaded.hashes().items()}

    def read(self, content: Content) -> list[Line]:
        """Return the rows; plain text has one per line."""
        if content.form == "txt":
            if not self.plain:
                raise ParaphrastError(
                    "plain text has no source and output. Add --set plain=true, or "
                    "give JSON Lines or a table."
                )
            return [Line(line, rows.Row(line)) for line in content.lines(("txt",))]
        return [self._parse(line) for line in content.lines(("jsonl",))]

    def start(self, folder: Path) -> Run:
        """Load the judge."""
        loaded = judges.load(self.judge)
        if self.checks:
            loaded = replace(loaded, similarity=add_checks(loaded.similarity))

        def run(lines: Sequence[Line]) -> list[Output]:
            given = [line.row for line in lines if line.row is not None]
            records = rows.judge_rows(
                loaded, given, rows.Counts(), to=self.to, plain=self.plain
            )
            return [
                _write(next(records)) if line.row else self.give_up(line, line.why)
                for line in lines
            ]

        return run

    def give_up(self, record: Any, why: str) -> Output:
        """Return the line and what is wrong with it."""
        return replace(
            _write({"error": why, "line": record.line}), why=why, failed=True
        )

    def _parse(self, line: str) -> Line:
        try:
            return Line(line, rows.parse_json_row(line, "", plain=self.plain))
        except (ParaphrastError, RecursionError) as error:
            return Line(line, None, str(error).removeprefix(": "))


def _write(record: dict[str, Any]) -> Output:
    return Output(f"{dump_json(record)}\n".encode())
