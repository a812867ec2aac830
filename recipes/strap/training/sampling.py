"""Many outputs of a T5 in little time: large batches, half precision, no scores.

`paraphrast.neural.finetune.torch_engine` also scores each output, which takes a
second pass; choosing by a guide does not need that. Pieces are those of the tokenizers
library, which cuts and joins in threads and agrees with `paraphrast.neural.tokens`.
"""

# ruff: noqa: TID253
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

LIKELIEST = 64  # pieces to draw from; the nucleus seldom has more
ROWS = {"cuda": 4096, "cpu": 32}
LONGEST = 96


class Sampler:
    """A model that writes texts in styles."""

    def __init__(self, folder: Path, device: str, *, half: bool = True) -> None:
        """Open a model's folder; sums are in bfloat16 if ``half``, on a GPU."""
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.device, self.rows = device, ROWS[device]
        kind = torch.bfloat16 if half and device == "cuda" else torch.float32
        self.model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            folder, dtype=kind, local_files_only=True
        )
        self.model.to(device).eval()
        self.cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.cut.no_padding()
        self.cut.enable_truncation(LONGEST)
        self.end = int(self.model.config.eos_token_id)
        self.padding = int(self.model.config.pad_token_id)

    def write(
        self,
        requests: Sequence[tuple[str, str]],
        *,
        each: int = 1,
        top_p: float = 0.0,
        beam: int = 1,
        longest: int = LONGEST,
        seed: int = 1,
    ) -> list[list[str]]:
        """Return outputs for each text and style; greedy if ``top_p`` is 0."""
        torch.manual_seed(seed)
        shown = [f"{style}: {' '.join(text.split())}" for text, style in requests]
        encoded = self.cut.encode_batch(shown, add_special_tokens=False)
        ids = [[*one.ids, self.end] for one in encoded]
        found: list[list[str]] = [[] for _ in requests]
        order = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
        while order:
            # Long texts take more memory a row.
            room = each * beam * max(1, len(ids[order[0]]) // 32)
            batch = order[: max(1, self.rows // room)]
            rows = [ids[place] for place in batch]
            try:
                answers = self._answers(rows, each, top_p, beam, longest)
            except torch.OutOfMemoryError:  # others share the GPU
                torch.cuda.empty_cache()
                self.rows //= 2
                if not self.rows:
                    raise
                continue
            for place, own in zip(batch, answers, strict=True):
                found[place] = own
            order = order[len(batch) :]
        return found

    def _answers(
        self,
        rows: Sequence[Sequence[int]],
        each: int,
        top_p: float,
        beam: int,
        longest: int,
    ) -> list[list[str]]:
        width = max(map(len, rows))
        ids = torch.tensor([[*r, *[self.padding] * (width - len(r))] for r in rows])
        options: dict[str, Any] = {"do_sample": False, "num_beams": beam}
        if top_p:
            options = {
                "do_sample": True, "num_return_sequences": each, "top_k": 0,
                "top_p": 1.0, "temperature": 1.0,
                "logits_processor": transformers.LogitsProcessorList([Nucleus(top_p)]),
            }  # fmt: skip
        given = ids.to(self.device)
        with torch.inference_mode():
            made = self.model.generate(
                input_ids=given,
                attention_mask=(given != self.padding).long(),
                max_new_tokens=min(longest, int(1.5 * width) + 8),
                max_length=None,
                eos_token_id=self.end,
                pad_token_id=self.padding,
                **options,
            )
        texts = self.cut.decode_batch(made[:, 1:].tolist(), skip_special_tokens=True)
        joined = [" ".join(text.split()) for text in texts]
        return [joined[i : i + each] for i in range(0, len(joined), each)]


class Nucleus(transformers.LogitsProcessor):  # type: ignore[misc]
    """Keeps the likeliest pieces whose probabilities add up to so much.

    The library's own sorts the whole vocabulary, which takes longer than the model.
    """

    def __init__(self, top_p: float) -> None:
        """Remember how much."""
        self.top_p = top_p

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores with all others at minus infinity."""
        best, places = scores.topk(min(LIKELIEST, scores.shape[-1]), dim=-1)
        chance = (best - scores.logsumexp(-1, keepdim=True)).exp()
        before = chance.cumsum(-1) - chance
        best = best.masked_fill(before >= self.top_p, -torch.inf)
        return torch.full_like(scores, -torch.inf).scatter(1, places, best)
