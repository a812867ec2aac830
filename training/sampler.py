"""Sample many outputs of a model on a GPU: large batches, half precision, no scores.

It reads prompts as `paraphrast.neural.models.generation` writes them, from an
encoder-decoder or a causal model. A causal model that was not fine-tuned is prompted
with a few examples instead, in its chat format.
"""

import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

TOP_K = 64  # tokens to sample from; the nucleus seldom has more
ROWS = {"cuda": 4096, "cpu": 32}
LONGEST = 96
Requests = Sequence[tuple[str, str]]  # text, style


class Sampler:
    """A model that writes texts in styles."""

    def __init__(
        self,
        folder: Path,
        device: str,
        *,
        half: bool = True,
        few_shot: Path | None = None,
    ) -> None:
        """Load a Hugging Face folder; in bfloat16 if ``half`` and on a GPU."""
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.device, self.rows = device, ROWS[device]
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        self.causal = not config.is_encoder_decoder
        kind = (
            transformers.AutoModelForCausalLM
            if self.causal
            else transformers.AutoModelForSeq2SeqLM
        )
        dtype = torch.bfloat16 if half and device == "cuda" else torch.float32
        model = kind.from_pretrained(folder, dtype=dtype, local_files_only=True)
        self.model = model.to(device).eval()
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.end = int(config.eos_token_id)
        padding = config.pad_token_id
        self.padding = self.end if padding is None else int(padding)
        self.before, self.after = self._affixes(few_shot)

    def write(
        self,
        requests: Requests,
        *,
        each: int = 1,
        top_p: float = 0.0,
        beam: int = 1,
        longest: int = LONGEST,
        seed: int = 1,
    ) -> list[list[str]]:
        """Return ``each`` outputs for every request; greedy if ``top_p`` is 0."""
        outputs: list[list[str]] = [[] for _ in requests]
        options = {"each": each, "top_p": top_p, "beam": beam, "longest": longest}
        for batch, texts in self._batches(requests, seed=seed, **options):
            for index, own in zip(batch, texts, strict=True):
                outputs[index] = own
        return outputs

    def write_in_time(
        self,
        requests: Requests,
        *,
        seconds: float,
        each: int,
        top_p: float,
        longest: int = LONGEST,
        seed: int = 1,
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield indices of requests with their outputs, in random order, in time."""
        began = time.monotonic()
        order = list(range(len(requests)))
        random.Random(seed).shuffle(order)
        size = max(1, self.rows // each)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            texts = self.write(
                [requests[index] for index in part],
                each=each,
                top_p=top_p,
                longest=longest,
                seed=seed + start,
            )
            yield from zip(part, texts, strict=True)
            if time.monotonic() - began >= seconds:
                return

    def encode(self, requests: Requests) -> list[list[int]]:
        """Return the token ids of prompts."""
        prompts = []
        for text, style in requests:
            plain = " ".join(text.split())
            tag = "" if self.before else f"{style}: "
            space = " " if self.causal and not self.before else ""
            prompts.append(f"{space}{tag}{plain}")
        encoded = self.tokenizer.encode_batch(prompts, add_special_tokens=False)
        return [
            [*self.before, *encoding.ids[:LONGEST], *self.after] for encoding in encoded
        ]

    def _affixes(self, few_shot: Path | None) -> tuple[list[int], list[int]]:
        """Return the tokens before and after every text."""
        if not self.causal:
            return [], [self.end]
        if few_shot is None:
            return [], self.tokenizer.encode("\n", add_special_tokens=False).ids
        table = json.loads(few_shot.read_text("utf-8"))
        turn = "<|im_start|>{}\n{}<|im_end|>\n"
        parts = [turn.format("system", table["system"])]
        for text, answer in table["shots"]:
            parts += [turn.format("user", text), turn.format("assistant", answer)]
        start = "".join([*parts, "<|im_start|>user\n"])
        end = "<|im_end|>\n<|im_start|>assistant\n"
        encode = self.tokenizer.encode
        return (
            encode(start, add_special_tokens=False).ids,
            encode(end, add_special_tokens=False).ids,
        )

    def _batches(
        self, requests: Requests, *, seed: int, **options: Any
    ) -> Iterator[tuple[list[int], list[list[str]]]]:
        """Yield batches of similar length, the longest first."""
        torch.manual_seed(seed)
        ids = self.encode(requests)
        order = sorted(range(len(ids)), key=lambda index: -len(ids[index]))
        while order:
            # Long texts take more memory per row.
            width = max(1, len(ids[order[0]]) // 32)
            room = options["each"] * options["beam"] * width
            batch = order[: max(1, self.rows // room)]
            try:
                texts = self._generate([ids[index] for index in batch], **options)
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()
                self.rows //= 2
                if not self.rows:
                    raise
                continue
            yield batch, texts
            order = order[len(batch) :]

    def _generate(
        self,
        rows: Sequence[Sequence[int]],
        *,
        each: int,
        top_p: float,
        beam: int,
        longest: int,
    ) -> list[list[str]]:
        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self.padding)
        mask = torch.zeros_like(ids)
        for index, row in enumerate(rows):  # a causal model is padded on the left
            start = width - len(row) if self.causal else 0
            ids[index, start : start + len(row)] = torch.tensor(row)
            mask[index, start : start + len(row)] = 1
        options: dict[str, Any] = {"do_sample": False, "num_beams": beam}
        if top_p:
            options = {
                "do_sample": True, "num_return_sequences": each, "top_k": 0,
                "top_p": 1.0, "temperature": 1.0,
                "logits_processor": transformers.LogitsProcessorList([Nucleus(top_p)]),
            }  # fmt: skip
        own = width - len(self.before) - len(self.after)
        with torch.inference_mode():
            made = self.model.generate(
                input_ids=ids.to(self.device),
                attention_mask=mask.to(self.device),
                max_new_tokens=min(longest, int(1.5 * own) + 8),
                max_length=None,
                eos_token_id=self.end,
                pad_token_id=self.padding,
                **options,
            )
        first = width if self.causal else 1
        texts = self.tokenizer.decode_batch(
            made[:, first:].tolist(), skip_special_tokens=True
        )
        texts = [" ".join(text.split()) for text in texts]
        return [texts[i : i + each] for i in range(0, len(texts), each)]


class Nucleus(transformers.LogitsProcessor):  # type: ignore[misc]
    """Nucleus sampling among the `TOP_K` likeliest tokens.

    The library's own sorts the whole vocabulary, which takes longer than the model.
    """

    def __init__(self, top_p: float) -> None:
        """Take the probability mass of the nucleus."""
        self.top_p = top_p

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores with all other tokens at minus infinity."""
        best, indices = scores.topk(min(TOP_K, scores.shape[-1]), dim=-1)
        probabilities = (best - scores.logsumexp(-1, keepdim=True)).exp()
        before = probabilities.cumsum(-1) - probabilities
        best = best.masked_fill(before >= self.top_p, -torch.inf)
        return torch.full_like(scores, -torch.inf).scatter(1, indices, best)
