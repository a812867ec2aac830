"""Rewrite each record, or each line of text, as `paraphrast rewrite` does."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from paraphrast.batch.inputs import Content, Form
from paraphrast.batch.tasks import Output, Run, Task
from paraphrast.corpora.lines import MARK
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import FAILED, DocumentRewriter
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.jobs import BATCH
from paraphrast.rewriting.records import (
    Format,
    PlainText,
    Record,
    as_json,
    format_named,
    no_text,
)
from paraphrast.rewriting.sections import EXPECTED

Item: TypeAlias = tuple[Format, Record]


@dataclass(frozen=True)
class Rewriting(Task):
    """Rewriting into the style ``to``.

    The text is in ``field`` of an object or a column of that name; a result with the
    format of the ``input`` has its rewrite in ``into``.
    """

    name: ClassVar[str] = "rewrite"
    forms: ClassVar[frozenset[Form]] = frozenset(
        ("txt", "jsonl", "csv", "tsv", "parquet")
    )
    headed: ClassVar[frozenset[Form]] = frozenset(("csv", "tsv"))

    to: str = ""
    using: str | None = None
    pack: str | None = None
    packs: Path | None = None
    result: Literal["jsonl", "input"] = "jsonl"
    field: str = "text"
    into: str = "rewrite"
    alternatives: int = 1
    seed: int = 1
    protect: tuple[str, ...] = ()
    strength: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not self.to and not self.pack:
            raise ValueError("choose a style with --to; see `paraphrast styles`.")
        if not 1 <= self.alternatives <= 100:
            raise ValueError(
                f"alternatives must be from 1 to 100, not {self.alternatives}."
            )
        if self.strength is not None and not 0 <= self.strength <= 1:
            raise ValueError(f"strength must be from 0 to 1, not {self.strength}.")

    @property
    def keeps_form(self) -> bool:
        """Say whether the result has the format of the input."""
        return self.result == "input"

    def resolve(self) -> "Rewriting":
        """Name the rewriter that this user gets."""
        rewriter = self._load()
        using = None if self.pack else rewriter.family
        return replace(self, to=rewriter.style, using=using)

    def models(self) -> dict[str, str]:
        """Return the hash of the packs that the rewriter may use."""
        digest = offers.identify_packs(self._load(), pack=self.pack, home=self.packs)
        return {"pack": digest}

    def prepare(self, folder: Path, contents: Iterator[Content]) -> None:
        """Refuse a missing column or field, and one for the result that is taken."""
        content = next(contents)
        text = content.header.encode("utf-8", "surrogateescape") + content.body
        records = list(self._format(content.form).read(io.BytesIO(text)))
        if records and all(record.why == no_text(self.field) for record in records):
            raise ParaphrastError(
                f"none of the first {len(records):,} objects has a text in the field "
                f"{self.field!r}. Name the field with --field, or for `batch plan` "
                "with --set field=NAME."
            )

    def read(self, content: Content) -> list[Item]:
        """Return the records, with the format that writes them."""
        form = self._format(content.form)
        before = content.header.encode("utf-8", "surrogateescape")
        if content.form == "jsonl" and not content.body.startswith(MARK):
            before = b"\n"  # what is wrong with a first record is the whole file's
        skipped = len(list(form.read(io.BytesIO(before))))
        records = list(form.read(io.BytesIO(before + content.body)))
        return [(form, record) for record in records[skipped:]]

    def start(self, folder: Path) -> Run:
        """Load the rewriter."""
        rewriter = self._load()
        reading = Reading(self.protect)
        size = min(BATCH, rewriter.batch)

        def run(items: Sequence[Item]) -> list[Output]:
            outputs: list[Output] = []
            for start in range(0, len(items), size):
                batch = items[start : start + size]
                texts = [r.text for _, r in batch if r.text is not None]
                answers = iter(
                    rewriter.alternatives(
                        texts, self.alternatives, seed=self.seed, reading=reading
                    )
                )
                outputs += [
                    self._write(item, [] if item[1].text is None else next(answers))
                    for item in batch
                ]
            return outputs

        return run

    def give_up(self, record: Any, why: str) -> Output:
        """Return the text as it is, with the reason."""
        text = record[1].text
        kept = [] if text is None else [Rewrite(text, why=why)]
        return replace(self._write(record, kept), why=why, failed=True)

    def write_header(self, header: str, form: Form) -> bytes:
        """Return the header with the new columns."""
        if not (self.keeps_form and header):
            return b""
        table = self._format(form)
        records = table.read(io.BytesIO(header.encode("utf-8", "surrogateescape")))
        return _encode("".join(table.write(record, []) for record in records))

    def _load(self) -> DocumentRewriter:
        if self.pack:
            loaded = offers.load_pack(self.pack, to=self.to or None, home=self.packs)
        else:
            loaded = offers.load(self.to, using=self.using, home=self.packs)
        if self.strength is not None:
            loaded = loaded.adjusted(strength=self.strength)
        return loaded

    def _format(self, form: Form) -> Format:
        if form == "txt":
            return PlainText(apart=True)
        return format_named(
            form,
            column=self.field,
            field=self.field,
            into=self.into,
            number=self.alternatives,
        )

    def _write(self, item: Item, rewrites: Sequence[Rewrite]) -> Output:
        form, record = item
        write = form.write if self.keeps_form else as_json
        reasons = _find_reasons(record, rewrites)
        failures = [why for why in reasons if why.startswith(FAILED)]
        why = next(iter(failures or reasons), "")
        data = _encode(write(record, rewrites))
        return Output(data, why, failed=bool(failures))


def _find_reasons(record: Record, rewrites: Sequence[Rewrite]) -> list[str]:
    """Return why a record or its sentences are unchanged, but for expected reasons."""
    reasons = [record.why]
    for best in rewrites[:1]:
        reasons += [kept.why for kept in best.kept] or [best.why]
    return [why for why in reasons if why and why not in EXPECTED]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
