"""Rewrite a stream of records in order, a batch at a time."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.document import EMPTY, NOTHING_TO_DO, DocumentRewriter
from paraphrast.rewriting.records import Record

FIRST_BATCH, BATCH = 16, 512  # records; each batch is twice the one before it
Answer: TypeAlias = tuple[Record, list[Rewrite]]


@dataclass(frozen=True)
class Request:
    """What to ask of a rewriter for every text."""

    rewriter: DocumentRewriter
    number: int = 1
    seed: int = 1
    protect: Sequence[str] = ()
    markdown: bool = False

    def __call__(self, texts: Sequence[str]) -> list[list[Rewrite]]:
        """Return the alternatives of each text."""
        return self.rewriter.alternatives(
            texts,
            self.number,
            seed=self.seed,
            protect=self.protect,
            markdown=self.markdown,
        )


def answered(
    records: Iterable[Record], request: Request, *, first: int = BATCH
) -> Iterator[list[Answer]]:
    """Yield batches of records with their rewrites; none for a record without text.

    With a small ``first`` batch something is there soon.
    """
    waiting = iter(records)
    size = first
    while batch := list(islice(waiting, size)):
        size = min(BATCH, 2 * size)
        answers = iter(request([r.text for r in batch if r.text is not None]))
        yield [(r, [] if r.text is None else next(answers)) for r in batch]


def write_all(
    batches: Iterable[list[Answer]],
    write: Callable[[Record, Sequence[Rewrite]], str],
    sink: Callable[[str, int], None],
) -> Counter[str]:
    """Send each batch's output and number of records to ``sink``.

    Return how many records were left as they were through no merit of their own, by
    reason: those that could not be read, that broke the rewriter, or that it found no
    acceptable rewrite for.
    """
    left: Counter[str] = Counter()
    for batch in batches:
        sink("".join(write(record, rewrites) for record, rewrites in batch), len(batch))
        left.update(record.why for record, _ in batch if record.why)
        whys = (rewrites[0].why for _, rewrites in batch if rewrites)
        left.update(why for why in whys if why and why not in (NOTHING_TO_DO, EMPTY))
    return left


def write_streamed(
    records: Iterable[Record], request: Request, sink: Callable[[str, int], None]
) -> Counter[str]:
    """Send documents to ``sink`` bit by bit as they are rewritten.

    Return how many sentences were left as they were, by reason.
    """
    left: Counter[str] = Counter()
    for record in records:
        bits = request.rewriter.streamed(
            record.text or "",
            seed=request.seed,
            protect=request.protect,
            markdown=request.markdown,
        )
        for bit in bits:
            sink(bit.text, 0)
            left[bit.why] += bool(bit.why)
        sink("", 1)
    return +left
