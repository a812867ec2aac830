"""Sentences of concurrent requests, rewritten together on one thread.

A model rewrites many sentences in a batch far faster than one after the other, but
requests to a server arrive one by one. Here the sentences of requests with the same
options (style, strength, number of alternatives, seed) wait a few milliseconds for each
other and are passed to the rewriter as one batch. That is safe because a rewriter's
result for a sentence never depends on other sentences (`paraphrast.rewriter.Rewriter`).

A batch takes an equal share of each request, and an unfinished request goes to the end
of the queue, so that a book does not delay a sentence.
"""

import threading
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Contextual, Paced, Rewrite, Rewriter, Sentence
from paraphrast.rewriting.document import SENTENCES

LARGEST = 128  # sentences in a batch
WINDOW = 0.005  # seconds that a batch waits for others to join it

Answers = list[list[Rewrite]]


class ClosedError(ParaphrastError):
    """The server is stopping and accepts no more texts."""


@dataclass(eq=False)
class _Request:
    """A request's pending and finished sentences, and its completion event."""

    key: Hashable
    rewriter: Rewriter
    sentences: Sequence[Sentence]
    alternatives: int
    seed: int
    answers: Answers = field(default_factory=list)
    error: Exception | None = None
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def left(self) -> int:
        """Return the number of pending sentences."""
        return len(self.sentences) - len(self.answers)


class Batcher:
    """Runs rewriters for many requests at once, one batch after the other."""

    def __init__(self, *, largest: int = LARGEST, window: float = WINDOW) -> None:
        """Prepare; the first request starts the thread that runs the rewriters."""
        self.largest = largest
        self.window = window
        self.batches = 0
        self.sentences = 0
        self._waiting: list[_Request] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """Return the number of waiting sentences."""
        with self._changed:
            return sum(request.left for request in self._waiting)

    def answer(
        self,
        rewriter: Rewriter,
        sentences: Sequence[Sentence],
        *,
        key: Hashable,
        alternatives: int,
        seed: int,
    ) -> Answers:
        """Return the rewriter's results, in batches with requests of the same key.

        Blocks until every sentence is done.
        """
        if not sentences:
            return []
        key = key, alternatives, seed
        request = _Request(key, rewriter, sentences, alternatives, seed)
        with self._changed:
            if self._closed:
                raise ClosedError("the server is stopping. Try again in a moment.")
            self._waiting.append(request)
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="paraphrast-rewriter", daemon=True
                )
                self._thread.start()
        request.finished.wait()
        if request.error is not None:
            raise request.error
        return request.answers

    def close(self) -> None:
        """Stop after the running batch; waiting requests get an error."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    break
                enough = sum(r.left for r in self._waiting) >= self.largest
            if not enough and self.window:
                time.sleep(self.window)
            with self._changed:
                shares = self._take()
            self._answer(shares)
            with self._changed:
                self._put_back([request for request, _ in shares])
        for request in self._waiting:
            request.error = ClosedError("the server is stopping. Try again later.")
            request.finished.set()

    def _take(self) -> list[tuple[_Request, int]]:
        """Return requests that share a batch, and the number of sentences of each."""
        first = self._waiting[0]
        largest = min(self.largest, good_batch(first.rewriter))
        together = [r for r in self._waiting if r.key == first.key][:largest]
        shares = dict.fromkeys(together, 0)
        room = largest
        for most in (largest // len(together), largest):
            for request in together:
                more = min(most, request.left - shares[request], room)
                shares[request] += more
                room -= more
        return [(request, share) for request, share in shares.items() if share]

    def _answer(self, shares: Sequence[tuple[_Request, int]]) -> None:
        """Run one batch, and give each request its results."""
        first = shares[0][0]
        batch = [
            sentence
            for request, share in shares
            for sentence in request.sentences[len(request.answers) :][:share]
        ]
        self.batches += 1
        self.sentences += len(batch)
        try:
            answers = iter(
                first.rewriter(batch, alternatives=first.alternatives, seed=first.seed)
            )
            for request, share in shares:
                request.answers += [next(answers) for _ in range(share)]
        # Whatever it is, it must not end the thread, nor reach another's request.
        except Exception as error:  # noqa: BLE001
            if len(shares) == 1:
                first.error = error
                return
            for request, share in shares:
                self._answer([(request, share)])

    def _put_back(self, served: Sequence[_Request]) -> None:
        """Notify finished requests, and move the others to the end."""
        for request in served:
            self._waiting.remove(request)
            if request.left and request.error is None:
                self._waiting.append(request)
            else:
                request.finished.set()


@dataclass(frozen=True)
class BatchedRewriter:
    """A rewriter whose sentences share batches with those of other requests."""

    rewriter: Rewriter
    batcher: Batcher
    key: Hashable

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> Answers:
        """Return what the rewriter answers."""
        return self.batcher.answer(
            self.rewriter,
            sentences,
            key=self.key,
            alternatives=alternatives,
            seed=seed,
        )

    @property
    def context(self) -> int:
        """Return how many words a passage may have."""
        return self.rewriter.context if isinstance(self.rewriter, Contextual) else 0

    @property
    def batch(self) -> int:
        """Return how many sentences it takes at once to good purpose."""
        return good_batch(self.rewriter)


def good_batch(rewriter: Rewriter) -> int:
    """Return how many sentences a rewriter takes at once to good purpose."""
    return rewriter.batch if isinstance(rewriter, Paced) else SENTENCES
