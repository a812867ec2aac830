"""Let the teacher rewrite texts, greedily or by sampling, and check what it writes.

Requests are JSON lines with ``text`` and ``style``; what else they hold is handed on.
Batches are made of prompts of similar length and come in random order, so that a run
that is stopped early has seen all kinds. Every candidate has its log-probability,
the fact that it breaks if any (`training.everyday.facts`), and, with ``--checker``, the
probability that it says the same as its source by the teacher's second adapter. If the
output is a folder, each file of requests gets its own file there, one after another.
With ``--few-shot`` the base is asked as the rewriter ``llm`` asks any model; its
answers are kept as they come, with their tags.

Run    python -m training.everyday.teacher.rewrite --base FOLDER --adapter FILE
              --requests FILE -o FILE [--seconds 200] [--checker FILE]
              [--each 4 | --greedy] [--few-shot]
"""

import argparse
import json
import math
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

import torch

from training.everyday import corpus, facts
from training.everyday.teacher import qwen
from training.everyday.teacher.prompts import FewShotTokenizer, PromptTokenizer
from training.everyday.teacher.tune import log

MOST_ROWS, MOST_POSITIONS = 6144, 1_200_000  # candidates and tokens at a time
LOOK = 8  # steps between looks at which rows have ended
DRAWS = 3
READ = 40_000  # tokens that the checker reads at a time
Value = TypeVar("Value")


@dataclass(frozen=True)
class Decoding:
    """The settings for drawing candidates; greedy if one and no temperature."""

    each: int = 4
    temperature: float = 0.8
    top_p: float = 0.92
    longest: int = 160
    prompt: int = 20  # tokens of a prompt beside its text

    def limit_length(self, tokens: int) -> int:
        """Return the maximum length of an answer in tokens, given its prompt's."""
        return min(self.longest, int(1.7 * max(0, tokens - self.prompt)) + 20)


@dataclass
class Candidate:
    """A text that was written for a request."""

    text: str
    total: float
    tokens: int
    fault: str = ""
    same: float | None = None


class Writer:
    """A teacher that is asked for candidates."""

    def __init__(self, model: qwen.Qwen, tokenizer: PromptTokenizer) -> None:
        """Take a model whose adapter is merged."""
        self.model, self.tokenizer = model, tokenizer
        self.never = torch.tensor(tokenizer.never, device=model.device)

    def generate(
        self, requests: Sequence[tuple[str, str]], decoding: Decoding, *,
        seed: int = 1, seconds: float = math.inf,
    ) -> Iterator[tuple[list[int], list[list[Candidate]]]]:  # fmt: skip
        """Yield indices of some requests with their candidates, in random order."""
        began, count, tokens = time.monotonic(), 0, 0
        torch.manual_seed(seed)
        sources = self.tokenizer.encode_requests(requests)
        limits = [decoding.limit_length(len(source)) for source in sources]
        plan = plan_batches(sources, limits, decoding.each)
        random.Random(seed).shuffle(plan)
        for batch in plan:
            if time.monotonic() - began >= seconds:
                return
            rows = self._generate_fitting(
                [sources[at] for at in batch], [limits[at] for at in batch], decoding
            )
            yield batch, rows
            count += len(batch)
            tokens += sum(option.tokens for row in rows for option in row)
            gone = time.monotonic() - began
            rate = tokens / gone
            log(f"{count} of {len(requests)}, {rate:.0f} tokens/s, {gone:.0f} s")

    def _generate_fitting(
        self, sources: list[list[int]], limits: list[int], decoding: Decoding
    ) -> list[list[Candidate]]:
        """Answer a batch; in two halves if other processes leave too little memory."""
        try:
            with torch.inference_mode():
                return self._generate_batch(sources, limits, decoding)
        except torch.OutOfMemoryError:
            if len(sources) == 1:
                raise
        torch.cuda.empty_cache()
        half = len(sources) // 2
        first = self._generate_fitting(sources[:half], limits[:half], decoding)
        return first + self._generate_fitting(sources[half:], limits[half:], decoding)

    def _generate_batch(
        self, sources: Sequence[list[int]], limits: Sequence[int], decoding: Decoding
    ) -> list[list[Candidate]]:
        device, each = self.model.device, decoding.each
        lengths = torch.tensor([len(source) for source in sources], device=device)
        width = -(-int(lengths.max()) // qwen.EVEN) * qwen.EVEN
        ids = torch.tensor([s + [0] * (width - len(s)) for s in sources], device=device)
        cache = qwen.Cache(lengths, width, max(limits), each=each)
        states = self.model.read(ids, cache)
        states = states[torch.arange(len(sources), device=device), lengths - 1]
        most = torch.tensor(limits, device=device).repeat_interleave(each)
        state = State(lengths.repeat_interleave(each), most, self.tokenizer.end, cache)
        self._write(states.repeat_interleave(each, 0), state, decoding)
        rows, sums = state.written.tolist(), state.sums.tolist()
        end = self.tokenizer.end
        sizes = [row.index(end) + 1 if end in row else len(row) for row in rows]
        texts = self.tokenizer.decode(rows)
        made = [Candidate(*option) for option in zip(texts, sums, sizes, strict=True)]
        return [made[at : at + each] for at in range(0, len(made), each)]

    def _write(self, states: Any, state: "State", decoding: Decoding) -> None:
        for step in range(state.longest):
            logits = self.model.compute_logits(states)
            logits[:, self.never] = -math.inf
            chosen = draw_tokens(logits, decoding)
            chances = logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(1)
            state.add(step, chosen, chances)
            if step % LOOK == LOOK - 1 and not state.drop_ended():
                return
            if step + 1 < state.longest:
                states = self.model.read_next(*state.next_input(step), state.cache)


def plan_batches(
    sources: Sequence[list[int]], limits: Sequence[int], each: int
) -> list[list[int]]:
    """Return batches of similar length, as large as memory allows."""
    order = sorted(range(len(sources)), key=lambda at: -len(sources[at]))
    result: list[list[int]] = []
    room = 0
    for at in order:
        if not result or len(result[-1]) >= room:
            positions = len(sources[at]) + limits[at] + qwen.EVEN
            room = max(1, min(MOST_ROWS, MOST_POSITIONS // positions) // each)
            result.append([])
        result[-1].append(at)
    return result


def draw_tokens(logits: Any, decoding: Decoding) -> Any:
    """Return a token for each row: the likeliest, or one of the nucleus.

    A token belongs to the nucleus if those likelier than it have less than ``top_p``:
    so it is enough to draw from all and to refuse what does not belong; the few rows
    whose draws are all refused take the likeliest.
    """
    best = logits.argmax(1)
    if not decoding.temperature:
        return best
    chances = (logits / decoding.temperature).softmax(1)
    upto = chances.cumsum(1)
    spots = torch.rand(len(chances), DRAWS, device=chances.device) * upto[:, -1:]
    draws = torch.searchsorted(upto, spots, right=True).clamp(max=chances.shape[1] - 1)
    del upto
    chosen = best
    for draw in draws.unbind(1):
        own = chances.gather(1, draw[:, None])
        likelier = (chances * (chances > own)).sum(1)
        chosen = torch.where(likelier < decoding.top_p, draw, chosen)
    return chosen


class State:
    """The tokens that a batch's rows have written so far; ended rows are dropped."""

    def __init__(self, lengths: Any, limits: Any, end: int, cache: qwen.Cache) -> None:
        """Begin with nothing written after prompts of these lengths."""
        self.cache, self.end, self.longest = cache, end, int(limits.max())
        self.written = torch.full(
            (len(lengths), self.longest), end, device=lengths.device
        )
        self.sums = torch.zeros(len(lengths), device=lengths.device)
        self.rows = torch.arange(len(lengths), device=lengths.device)
        self.lengths, self.limits = lengths, limits
        self.going = torch.ones_like(self.rows, dtype=torch.bool)

    def add(self, step: int, chosen: Any, chances: Any) -> None:
        """Write a token in every row that has not ended."""
        self.last = torch.where(self.going, chosen, self.end)
        self.written[self.rows, step] = self.last
        self.sums[self.rows] += chances * self.going
        self.going = self.going & (chosen != self.end) & (step + 1 < self.limits)

    def drop_ended(self) -> bool:
        """Drop ended rows if there are many; log whether any row is left."""
        left = int(self.going.sum())
        if 0 < left < 0.8 * len(self.going):
            kept = self.going.nonzero()[:, 0]
            self.cache.keep(kept)
            for name in ("rows", "lengths", "limits", "going", "last"):
                setattr(self, name, getattr(self, name)[kept])
        return left > 0

    def next_input(self, step: int) -> tuple[Any, Any]:
        """Return the tokens to read next, and their positions."""
        return self.last, self.lengths + step


def read_in_batches(
    prompts: Sequence[list[int]],
    room: int,
    read: Callable[[list[list[int]], int], list[Value]],
) -> list[Value]:
    """Return what ``read`` says of each prompt, longest first.

    It is given prompts and the width to pad them to, ``room`` tokens at a time, and
    fewer once memory is short.
    """
    result: dict[int, Value] = {}
    order = sorted(range(len(prompts)), key=lambda at: -len(prompts[at]))
    while order:
        width = -(-len(prompts[order[0]]) // qwen.EVEN) * qwen.EVEN
        batch = order[: max(1, room // width)]
        try:
            values = read([prompts[at] for at in batch], width)
        except torch.OutOfMemoryError:  # other processes leave too little memory
            if len(batch) == 1:
                raise
            torch.cuda.empty_cache()
            room //= 2
            continue
        order = order[len(batch) :]
        result.update(zip(batch, values, strict=True))
    return [result[at] for at in range(len(prompts))]


class Checker:
    """The base with an adapter that answers whether two texts say the same."""

    def __init__(self, model: qwen.Qwen, tokenizer: PromptTokenizer) -> None:
        """Take a model whose adapter is merged."""
        self.model, self.tokenizer = model, tokenizer

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each pair the probability that both texts say the same."""
        prompts = self.tokenizer.encode_comparisons(pairs)
        both = torch.tensor(
            [self.tokenizer.yes, self.tokenizer.no], device=self.model.device
        )
        return read_in_batches(
            prompts, READ, lambda rows, width: self._score_batch(rows, width, both)
        )

    def _score_batch(
        self, rows: Sequence[list[int]], width: int, both: Any
    ) -> list[float]:
        ids = torch.tensor(
            [row + [0] * (width - len(row)) for row in rows], device=self.model.device
        )
        last = torch.tensor([len(row) - 1 for row in rows], device=ids.device)
        states = self.model.read(ids)[torch.arange(len(rows), device=ids.device), last]
        logits = self.model.compute_logits(states)[:, both]
        scores: list[float] = logits.softmax(1)[:, 0].tolist()
        return scores


FindFaults = Callable[[Sequence[tuple[str, str, str]]], list[str]]


def find_faults(made: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the fact of its source that each output in a style breaks, if any."""
    return [facts.find_any_fault(*each) for each in made]


def check_candidates(
    requests: Sequence[tuple[str, str]], rows: Sequence[Sequence[Candidate]],
    checker: Checker | None, find_all: FindFaults = find_faults,
) -> None:  # fmt: skip
    """Record the facts that candidates break, and score the meaning of the others."""
    made = [
        (text, style, option)
        for (text, style), row in zip(requests, rows, strict=True)
        for option in row
    ]
    result = find_all([(text, option.text, style) for text, style, option in made])
    asked: dict[tuple[str, str], float] = {}
    for (text, _, option), fault in zip(made, result, strict=True):
        option.fault = fault
        if not fault:
            asked[text, option.text] = 0.0
    if checker is None or not asked:
        return
    values = checker.score_pairs(list(asked))
    score_of = dict(zip(asked, values, strict=True))
    for text, _, option in made:
        option.same = score_of.get((text, option.text))


def write_candidates(
    file: TextIO, request: dict[str, Any], row: Sequence[Candidate]
) -> None:
    """Write a request with its candidates, without repetitions."""
    own: dict[str, Candidate] = {}
    for option in row:
        own.setdefault(option.text, option)
    made = [
        {"text": option.text, "logp": round(option.total, 2), "tokens": option.tokens}
        | ({"fault": option.fault} if option.fault else {})
        | ({"same": round(option.same, 4)} if option.same is not None else {})
        for option in own.values()
    ]
    file.write(json.dumps(request | {"candidates": made}, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--rank", type=int, help="truncate the adapter to this rank")
    parser.add_argument("--checker", type=Path)
    parser.add_argument("--requests", type=Path, nargs="+", required=True)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--top-p", type=float, default=0.92)
    parser.add_argument("--greedy", action="store_true")
    parser.add_argument("--few-shot", action="store_true")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    decoding = Decoding(options.each, options.temperature, options.top_p)
    if options.greedy:
        decoding = Decoding(1, 0.0)
    tokenizer = PromptTokenizer(options.base)
    base = qwen.load(options.base, options.device)
    model, checker = base, None
    if options.adapter:
        adapter = qwen.Adapter.load(options.adapter, options.device)
        model = base.merge(adapter.truncate(options.rank) if options.rank else adapter)
    if options.checker:
        second = base.merge(qwen.Adapter.load(options.checker, options.device))
        checker = Checker(second, tokenizer)
    del base
    asking = FewShotTokenizer(options.base) if options.few_shot else tokenizer
    writer = Writer(model, asking)
    find_all: FindFaults = find_faults
    if options.workers:
        pool = multiprocessing.get_context("spawn").Pool(options.workers)

        def find_all(made: Sequence[tuple[str, str, str]]) -> list[str]:
            return pool.starmap(facts.find_any_fault, made, chunksize=50)

    began = time.monotonic()
    paths: list[tuple[Path, list[Path]]] = (
        [(options.output / path.name, [path]) for path in options.requests]
        if options.output.is_dir()
        else [(options.output, options.requests)]
    )
    for output, sources in paths:
        left = options.seconds - (time.monotonic() - began)
        if left <= 0:
            break
        rows = [row for path in sources for row in corpus.read_rows(path)]
        asked = [(row["text"], row["style"]) for row in rows]
        unfinished = output.with_name(f"{output.name}.unfinished")
        with unfinished.open("w", encoding="utf-8") as file:
            for batch, result in writer.generate(
                asked, decoding, seed=options.seed, seconds=left
            ):
                check_candidates([asked[at] for at in batch], result, checker, find_all)
                for at, row in zip(batch, result, strict=True):
                    write_candidates(file, rows[at], row)
                file.flush()
        unfinished.replace(output)
        log(f"{output.name}: done")


if __name__ == "__main__":
    main()
