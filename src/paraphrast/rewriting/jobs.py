"""Rewrite a stream of records in order, batch by batch, into a destination.

The batches are a function of the records alone, so that the same seed gives the same
text wherever it goes and wherever a stopped job goes on: small ones first, so that
something is there soon, and none so large that a stop would lose much.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeAlias

from paraphrast.rewriter import Kept, Rewrite
from paraphrast.rewriting.document import EXPECTED, NOT_PROSE, DocumentRewriter
from paraphrast.rewriting.records import Record
from paraphrast.rewriting.sections import Reading

FIRST_BATCH, BATCH = 16, 256  # records; each batch is twice the one before it
SHOWN = 3  # sentences for each reason

# From texts to the alternatives of each.
Answer: TypeAlias = Callable[[Sequence[str]], list[list[Rewrite]]]
Write: TypeAlias = Callable[[Record, Sequence[Rewrite]], str]


class Destination(Protocol):
    """Where the output of a job goes."""

    @property
    def done(self) -> int:
        """Return how many records a stopped job has written already."""
        ...

    def add(self, text: str, records: int) -> None:
        """Take the output of so many more records."""
        ...


@dataclass
class Left:
    """What was left as it was through no merit of its own, by reason."""

    reasons: dict[str, list[str]] = field(default_factory=dict)
    records: dict[str, int] = field(default_factory=dict)

    def add(self, kept: Iterable[Kept]) -> None:
        """Count sentences that were kept."""
        for sentence in kept:
            if sentence.why not in EXPECTED:
                self.reasons.setdefault(sentence.why, []).append(sentence.text)

    def add_record(self, record: Record, rewrites: Sequence[Rewrite]) -> None:
        """Count a record that could not be read, or its sentences that were kept."""
        best = rewrites[0] if rewrites else None
        why = record.why or (best.why if best and not best.kept else "")
        if why and why not in EXPECTED:
            self.records[why] = self.records.get(why, 0) + 1
        elif best:
            self.add(best.kept)

    def __iter__(self) -> Iterator[str]:
        """Yield one line for each reason."""
        for why, count in sorted(self.records.items()):
            many = "1 record" if count == 1 else f"{count:,} records"
            yield f"left {many} unchanged: {why}."
        for why, texts in sorted(self.reasons.items()):
            many = "1 sentence" if len(texts) == 1 else f"{len(texts):,} sentences"
            shown = "; ".join(repr(_shorten(text)) for text in texts[:SHOWN])
            more = "; …" if len(texts) > SHOWN else ""
            yield f"left {many} unchanged: {why}: {shown}{more}."


def rewrite_records(
    records: Iterable[Record], answer: Answer, write: Write, to: Destination
) -> Left:
    """Send the output of each record to a destination; return what was left."""
    left = Left()
    for batch in batch_records(records, to.done):
        to_rewrite = [r.text for r in batch if r.text is not None and not r.fixed]
        answers = iter(answer(to_rewrite))
        parts = []
        for record in batch:
            if record.text is not None and record.fixed:
                rewrites = [Rewrite(record.text, why=NOT_PROSE)]
            else:
                rewrites = [] if record.text is None else next(answers)
            parts.append(write(record, rewrites))
            left.add_record(record, rewrites)
        to.add("".join(parts), len(batch))
    return left


def stream_documents(
    records: Iterable[Record],
    rewriter: DocumentRewriter,
    to: Destination,
    *,
    seed: int,
    reading: Reading,
) -> Left:
    """Send documents to a destination bit by bit as they are rewritten."""
    left = Left()

    def send(bit: Rewrite) -> None:
        to.add(bit.text, 0)
        left.add(bit.kept)

    for record in records:
        rewriter.stream(record.text or "", send, seed=seed, reading=reading)
        to.add("", 1)
    return left


def batch_records(records: Iterable[Record], done: int) -> Iterator[list[Record]]:
    """Yield the batches that come after ``done`` records."""
    waiting = iter(records)
    size, start = FIRST_BATCH, 0
    while batch := list(islice(waiting, size)):
        if start >= done:
            yield batch
        elif start + len(batch) > done:
            yield batch[done - start :]
        start, size = start + len(batch), min(BATCH, 2 * size)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
