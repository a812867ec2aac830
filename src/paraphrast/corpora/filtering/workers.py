"""Filter blocks of lines, in this process or in several, with the same result."""

import multiprocessing
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from paraphrast.corpora.filtering.blocks import Block
from paraphrast.corpora.filtering.report import UNREADABLE
from paraphrast.corpora.filtering.stages import Pipeline, Similarity, judge
from paraphrast.corpora.formats import Format, Malformed
from paraphrast.errors import ParaphrastError
from paraphrast.processes import start_worker


@dataclass(frozen=True, slots=True)
class Judged:
    """A block's lines to keep, one column per file, and the rejected ones."""

    kept: tuple[bytes, ...]
    rejected: bytes
    read: int
    dropped: Counter[str]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judge:
    """Everything needed to filter a block."""

    format: Format
    pipeline: Pipeline
    similarity: Similarity

    def __call__(self, block: Block) -> Judged:
        """Filter every record of a block."""
        rows = list(zip(*map(_split_lines, block.columns), strict=True))
        reasons = self.reasons(rows)
        kept = [row for row, why in zip(rows, reasons, strict=True) if not why]
        rejected = [
            "\t".join((why, *row))
            for row, why in zip(rows, reasons, strict=True)
            if why
        ]
        return Judged(
            kept=tuple(
                _join_lines([row[column] for row in kept])
                for column in range(len(block.columns))
            ),
            rejected=_join_lines(rejected),
            read=len(rows),
            dropped=Counter(why for why in reasons if why),
            ends=block.ends,
        )

    def reasons(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """Return why each record is dropped, or ``""``; a row has one line per file."""
        texts = [_decode_texts(row, self.format) for row in rows]
        verdicts = iter(
            judge(
                [pair for pair in texts if pair is not None],
                pipeline=self.pipeline,
                similarity=self.similarity,
            )
        )
        return [UNREADABLE if pair is None else next(verdicts) for pair in texts]


def read_texts(block: Block, format: Format) -> Iterator[str]:
    """Yield both sides of every record that can be read."""
    for row in zip(*map(_split_lines, block.columns), strict=True):
        yield from _decode_texts(row, format) or ()


def judge_blocks(
    blocks: Iterable[Block], judge: Judge, *, processes: int
) -> Iterator[Judged]:
    """Yield the blocks' results in order; only a few blocks are pending at any time."""
    if processes == 1:
        yield from map(judge, blocks)
        return
    pool = ProcessPoolExecutor(
        processes,
        # Forking is unsafe beside the progress bar's thread.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(judge,),
    )
    waiting: deque[Future[Judged]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(_judge_in_worker, block))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise ParaphrastError(
            "a worker process was killed, perhaps for lack of memory. Continue with "
            "--resume and fewer --processes."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


_judge: Judge | None = None


def _start_worker(judge: Judge) -> None:
    global _judge
    start_worker()
    _judge = judge


def _judge_in_worker(block: Block) -> Judged:
    if _judge is None:
        raise RuntimeError("worker used before it was initialised")
    return _judge(block)


def _split_lines(column: bytes) -> list[str]:
    # Bytes that are not UTF-8 become lone surrogates, which `_decode_texts` refuses and
    # `_join_lines` turns back.
    lines = column.decode("utf-8", "surrogateescape").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _decode_texts(row: Sequence[str], format: Format) -> tuple[str, str] | None:
    try:
        for line in row:
            if not line.isascii():
                line.encode()
        source, target = format.decode([line.removesuffix("\r") for line in row])
    except (Malformed, UnicodeEncodeError):
        return None
    return source, target


def _join_lines(lines: Sequence[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode("utf-8", "surrogateescape")
