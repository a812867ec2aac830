"""Run a converted model with CTranslate2: 8-bit weights, no torch.

Every core decodes its own batch: two cores that share a batch of a small model mostly
wait for each other. Sampling uses a generator that CTranslate2 seeds when a worker
starts, so the model is opened again for it, with one worker that processes the batches
in order; that takes some tenths of a second and makes the same seed give the same
texts. Beam search is deterministic and needs none of that.

A text's output does not depend on the other texts in its batch. Padding would change
it: sums over a padded length are rounded differently, which can flip 8-bit values. So
texts share a batch only if their lengths round up to the same multiple of `PADDED_TO`,
and a row of exactly that length is added if there is none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.neural.models.generation import (
    Candidate,
    Decoding,
    Prompter,
    Request,
    rank_candidates,
)
from paraphrast.storage.ctranslate2_model import is_stale, make_batches, open_model

MOST_TOKENS = 2048  # worked on at once by all workers, padding and beams included
PADDED_TO = 16  # tokens
SCORED = 8  # times fewer where the chances of all tokens are kept at once
MOST_WORKERS = 4
LATER = {"asynchronous": True}  # what comes back is waited for with ``result``
Tokens: TypeAlias = list[str]
Hypotheses: TypeAlias = list[tuple[Tokens, float]]


@dataclass(eq=False)
class Int8Engine:
    """The model in a folder, run on ``threads`` cores."""

    folder: Path
    prompter: Prompter
    threads: int = 1
    compute: str = "int8"
    _opened: Any = field(default=None, repr=False)
    _seeded: bool = field(default=False, repr=False)  # it was opened to sample

    def candidates(
        self, requests: Sequence[Request], decoding: Decoding, *, seed: int = 1
    ) -> list[list[Candidate]]:
        """Return candidates of each request, the most probable first."""
        sources = [self.prompter.source(request) for request in requests]
        self._ready(decoding, seed, many=len(requests) > 1)
        results: list[list[Candidate]] = [[] for _ in requests]
        asked = []
        each = decoding.beam // 2 if decoding.method == "beam" else decoding.candidates
        shapes = [(self._pad(len(source)),) for source in sources]
        for (length,), batch in make_batches(
            shapes, max(1, self._room // max(1, each))
        ):
            rows = [sources[index] for index in batch]
            longest = decoding.most_tokens(length)
            answers = self._search(self._fill(rows, length), longest, decoding)
            asked.append((batch, longest, answers[: len(batch)]))
        for batch, longest, answers in asked:
            for index, answer in zip(batch, answers, strict=True):
                limit = decoding.most_tokens(len(sources[index]))
                hypotheses = self._hypotheses(answer.result())
                results[index] = self._make_candidates(hypotheses, limit, longest)
        return results

    def score(self, requests: Sequence[Request], texts: Sequence[str]) -> list[float]:
        """Return the log-probability of each text as the answer to its request."""
        pairs = [
            (self.prompter.source(request), self.prompter.target(text))
            for request, text in zip(requests, texts, strict=True)
        ]
        totals = [0.0] * len(pairs)
        shapes = [(self._pad(len(s)), self._pad(len(t))) for s, t in pairs]
        asked = []
        for shape, batch in make_batches(shapes, max(1, self._room // SCORED)):
            read = self._fill([pairs[index][0] for index in batch], shape[0])
            written = self._fill([pairs[index][1] for index in batch], shape[1])
            rows = max(len(read), len(written))
            read += read[:1] * (rows - len(read))
            written += written[:1] * (rows - len(written))
            answers = self._score_batch(list(zip(read, written, strict=True)))
            asked.append((batch, answers[: len(batch)]))
        for batch, answers in asked:
            for index, answer in zip(batch, answers, strict=True):
                # A Marian model also scores an end of its own; ours is in the target.
                values = answer.result().log_probs[-len(pairs[index][1]) :]
                totals[index] = sum(values)
        return totals

    def _pad(self, length: int) -> int:
        """Return the length that texts of a length are padded to."""
        # What a causal model reads is not padded but forced word by word.
        width = 1 if self.prompter.shape == "causal" else PADDED_TO
        return -(-length // width) * width

    def _fill(self, rows: list[Tokens], length: int) -> list[Tokens]:
        """Return rows, and one more if none of them has the full length."""
        full = any(len(row) == length for row in rows)
        return rows if full else [*rows, [self.prompter.end] * length]

    @property
    def _model(self) -> Any:
        if self._opened is None or is_stale(self._opened):
            self._opened = open_model(
                "Generator" if self.prompter.shape == "causal" else "Translator",
                self.folder,
                compute_type=self.compute,
                inter_threads=self._workers,
                intra_threads=max(1, self.threads // self._workers),
            )
        return self._opened

    def _ready(self, decoding: Decoding, seed: int, *, many: bool) -> None:
        """Open the model again to sample with a seed, or to search on all cores."""
        import ctranslate2

        sampled = decoding.method == "nucleus"
        if sampled:
            ctranslate2.set_random_seed(seed)
        if sampled or (self._seeded and many):
            self._opened = None
            self._seeded = sampled

    @property
    def _workers(self) -> int:
        return 1 if self._seeded else max(1, min(MOST_WORKERS, self.threads))

    @property
    def _room(self) -> int:
        """Return the maximum tokens per batch, as memory is shared by all workers."""
        return MOST_TOKENS // max(2, self._workers)

    def _search(
        self, sources: Sequence[Tokens], longest: int, decoding: Decoding
    ) -> list[Any]:
        """Decode texts with the model."""
        options = _options(decoding) | LATER
        ask: Callable[..., list[Any]]
        if self.prompter.shape == "causal":
            ask = self._model.generate_batch
            options |= {"max_length": longest, "end_token": [self.prompter.end]}
            options |= {"include_prompt_in_result": False}
        else:
            ask = self._model.translate_batch
            options |= {"max_decoding_length": longest, "max_input_length": 0}
        return ask(list(sources), **options)

    def _hypotheses(self, result: Any) -> Hypotheses:
        causal = self.prompter.shape == "causal"
        tokens = result.sequences if causal else result.hypotheses
        return list(zip(tokens, result.scores, strict=True))

    def _score_batch(self, pairs: Sequence[tuple[Tokens, Tokens]]) -> list[Any]:
        score: Callable[..., list[Any]] = self._model.score_batch
        if self.prompter.shape == "causal":
            return score([source + target for source, target in pairs], **LATER)
        targets = [target[:-1] for _, target in pairs]
        return score([source for source, _ in pairs], targets, **LATER)

    def _make_candidates(
        self, answer: Hypotheses, limit: int, longest: int
    ) -> list[Candidate]:
        candidates = []
        for tokens, mean in answer:
            # The mean is over the end too, unless the search was cut off before it.
            ended = len(tokens) < longest
            count = len(tokens) + ended
            text = self.prompter.text(tokens[:limit])
            finished = ended and len(tokens) <= limit
            candidates.append(Candidate(text, mean * count, count, finished))
        return rank_candidates(candidates)


def _options(decoding: Decoding) -> dict[str, Any]:
    options: dict[str, Any] = {"return_scores": True, "length_penalty": 1}
    if decoding.method == "beam":
        return options | {
            "beam_size": decoding.beam,
            "num_hypotheses": decoding.candidates,
            "patience": decoding.patience,
        }
    options["beam_size"] = 1
    if decoding.method == "greedy":
        return options
    return options | {
        "num_hypotheses": decoding.candidates,
        "sampling_topk": 0,
        "sampling_topp": decoding.top_p,
        "sampling_temperature": decoding.temperature,
    }
