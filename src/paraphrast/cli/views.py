"""What `rewrite` shows to people: explanations, columns, diffs, alternatives."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast.cli import printing
from paraphrast.study.explaining import load_categorise
from paraphrast.study.rating import load_rate

if TYPE_CHECKING:
    from paraphrast.cli.rewrite_job import Job
    from paraphrast.rewriter import Rewrite
    from paraphrast.rewriting.document import DocumentRewriter
    from paraphrast.rewriting.ratings import Categorise, Rate
    from paraphrast.rewriting.records import Record


class Show(StrEnum):
    """The values of `--show`."""

    STEPS = "steps"
    SCORES = "scores"


class Diff(StrEnum):
    """The formats of `--diff`; AUTO depends on whether the output is a terminal."""

    AUTO = "auto"
    WORDS = "words"
    UNIFIED = "unified"
    HTML = "html"


@dataclass
class View:
    """Shows records to people; views of all records are returned at the end."""

    job: "Job"
    rewriter: "DocumentRewriter"
    name: str
    output: Path | None
    rows: "list[tuple[str, Rewrite]]" = field(default_factory=list)
    fewer: int = 0
    rate: "Rate | None" = None
    categorise: "Categorise | None" = None

    def __call__(self, record: "Record", rewrites: "Sequence[Rewrite]") -> str:
        """Return, print or collect the view of a record."""
        if record.text is None:
            return ""
        if self.job.side_by_side or self._diff in (Diff.HTML, Diff.UNIFIED):
            self.rows.append((record.text, rewrites[0]))
            return ""
        if not record.text.strip():
            return ""
        if self.job.explain or self.job.diff or self.job.show is Show.STEPS:
            return self._describe(record.text, rewrites)
        return self._list(record.text, rewrites)

    def finish(self) -> str:
        """Return the rest of the output, after the last record."""
        if self.fewer:
            texts = "1 text has" if self.fewer == 1 else f"{self.fewer:,} texts have"
            printing.print_note(
                f"{texts} fewer than {self.job.number} distinct alternatives."
            )
        shown = self._show_all()
        if self.output is None:
            return shown
        printing.write_text(shown, self.output)
        return ""

    def _show_all(self) -> str:
        """Return the view of all records."""
        from paraphrast.rewriting import display

        style = self.rewriter.style
        if self.job.side_by_side and self.rows:
            return self._render(display.show_side_by_side(self.rows, style=style))
        if self._diff is Diff.HTML:
            return display.page_of_diffs(self.rows, title=f"{self.name} ({style})")
        if self._diff is Diff.UNIFIED:
            return display.unify_diffs(self.rows, name=self.name, style=style)
        return ""

    @property
    def _diff(self) -> Diff | None:
        if self.job.diff is Diff.AUTO:
            return Diff.WORDS if sys.stdout.isatty() else Diff.UNIFIED
        return self.job.diff

    def _describe(self, text: str, rewrites: "Sequence[Rewrite]") -> str:
        from paraphrast.rewriting import display

        best = rewrites[0]
        if self._diff is Diff.WORDS:
            shown = display.show_word_diff(text, best)
        elif self.job.show is Show.STEPS:
            shown = display.show_steps(text, best)
        else:
            if self.categorise is None:
                self.categorise = load_categorise(self.rewriter.style)
            shown = display.explain(text, rewrites, self.categorise)
        return self._render(shown, soft_wrap=True)

    def _list(self, text: str, rewrites: "Sequence[Rewrite]") -> str:
        from paraphrast.rewriting import display

        self.rate = self.rate or load_rate(self.rewriter)
        self.fewer += len(rewrites) < self.job.number
        ratings = self.rate(text, [rewrite.text for rewrite in rewrites])
        gap = "\n" if self.rows else ""
        self.rows = [(text, rewrites[0])]  # something stands above the next text
        return gap + display.list_alternatives(rewrites, ratings)

    def _render(self, shown: Any, *, soft_wrap: bool = False) -> str:
        from rich.console import Console

        console = Console(highlight=False, markup=False)
        with console.capture() as capture:
            console.print(shown, soft_wrap=soft_wrap)
        return str(capture.get())
