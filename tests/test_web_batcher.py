"""Sentences of concurrent requests go to the rewriter together, and come back apart."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.web.service.batcher import BatchedRewriter, Batcher, ClosedError


class Shout:
    """Rewrites in capitals; holds the first batch until it may go on."""

    def __init__(self):
        self.batches = []
        self.entered = threading.Event()
        self.may_go_on = threading.Event()

    def __call__(self, sentences, *, alternatives, seed):
        self.batches.append([sentence.text for sentence in sentences])
        self.entered.set()
        self.may_go_on.wait()
        if any("poison" in sentence.text for sentence in sentences):
            raise RuntimeError("broken")
        return [[Rewrite(sentence.text.upper())] for sentence in sentences]


@pytest.fixture
def batcher():
    batcher = Batcher(largest=8, window=0)
    yield batcher
    batcher.close()


@pytest.fixture
def shout():
    return Shout()


def ask(batcher, rewriter, texts, key="shout", seed=1):
    sentences = [Sentence(text) for text in texts]
    answers = batcher.answer(rewriter, sentences, key=key, alternatives=1, seed=seed)
    return [options[0].text for options in answers]


def wait_for(batcher, sentences):
    while batcher.waiting < sentences:
        pass


def run_together(batcher, shout, requests):
    """Send requests while the rewriter is busy with another; return their answers."""
    with ThreadPoolExecutor(16) as threads:
        threads.submit(ask, batcher, shout, ["first"], "first")
        shout.entered.wait()
        count, futures = 1, []
        for request in requests:
            futures.append(threads.submit(ask, batcher, shout, **request))
            count += len(request["texts"])
            wait_for(batcher, count)
        shout.may_go_on.set()
        return [future.result() for future in futures]


def test_requests_that_ask_for_the_same_share_a_batch(batcher, shout):
    answers = run_together(
        batcher, shout, [{"texts": ["a", "b"]}, {"texts": ["c"]}, {"texts": []}]
    )
    assert answers == [["A", "B"], ["C"], []]
    assert shout.batches == [["first"], ["a", "b", "c"]]
    assert (batcher.batches, batcher.sentences) == (2, 4)


def test_requests_that_ask_for_something_else_do_not(batcher, shout):
    requests = [
        {"texts": ["a"]},
        {"texts": ["b"], "key": "other"},
        {"texts": ["c"], "seed": 2},
        {"texts": ["d"]},
    ]
    assert run_together(batcher, shout, requests) == [["A"], ["B"], ["C"], ["D"]]
    assert shout.batches[1:] == [["a", "d"], ["b"], ["c"]]


def test_a_long_text_does_not_delay_a_single_sentence(batcher, shout):
    book = [f"b{number}" for number in range(20)]
    requests = [{"texts": book}, {"texts": ["short"]}, {"texts": ["x"], "key": "other"}]
    answers = run_together(batcher, shout, requests)
    assert answers == [[text.upper() for text in book], ["SHORT"], ["X"]]
    assert shout.batches[1] == [*book[:7], "short"]
    assert shout.batches[2] == ["x"]
    assert [len(batch) for batch in shout.batches[3:]] == [8, 5]


def test_a_sentence_that_breaks_the_rewriter_fails_alone(batcher, shout):
    with ThreadPoolExecutor(4) as threads:
        threads.submit(ask, batcher, shout, ["first"], "first")
        shout.entered.wait()
        broken = threads.submit(ask, batcher, shout, ["fine", "poison"])
        wait_for(batcher, 3)
        whole = threads.submit(ask, batcher, shout, ["a"])
        wait_for(batcher, 4)
        shout.may_go_on.set()
        assert whole.result() == ["A"]
        with pytest.raises(RuntimeError):
            broken.result()
    assert ask(batcher, shout, ["still there"]) == ["STILL THERE"]


def test_a_document_is_rewritten_as_without_batches(batcher, shout):
    shout.may_go_on.set()
    text = "One is here. The poison is there.\n\n- Two goes on."
    alone = DocumentRewriter(shout, style="loud", family="shout")
    batched = BatchedRewriter(shout, batcher, key="shout")
    together = DocumentRewriter(batched, style="loud", family="shout")
    assert together.rewrite(text) == alone.rewrite(text)
    assert "ONE IS HERE." in together.rewrite(text).text


def test_batches_respect_the_limit_of_the_rewriter(batcher, shout):
    shout.may_go_on.set()
    shout.batch = 2
    assert ask(batcher, shout, ["a", "b", "c"]) == ["A", "B", "C"]
    assert shout.batches == [["a", "b"], ["c"]]
    assert BatchedRewriter(shout, batcher, key="shout").batch == 2


def test_a_closed_batcher_says_so(shout):
    batcher = Batcher(window=0)
    with ThreadPoolExecutor(4) as threads:
        running = threads.submit(ask, batcher, shout, ["a"])
        shout.entered.wait()
        waiting = threads.submit(ask, batcher, shout, ["b"], "other")
        wait_for(batcher, 2)
        closing = threads.submit(batcher.close)
        with pytest.raises(ClosedError):
            while True:  # until it is closed
                threads.submit(ask, batcher, shout, []).result()
                if batcher._closed:
                    ask(batcher, shout, ["c"])
        shout.may_go_on.set()
        closing.result()
        assert running.result() == ["A"]
        with pytest.raises(ParaphrastError):
            waiting.result()
