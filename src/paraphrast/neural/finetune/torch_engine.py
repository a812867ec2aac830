"""Run a Hugging Face model with torch: for training's own needs, on a GPU if there is
one.

Over-generation for distillation needs millions of candidates; here they are generated
in batches of similar length that fill a GPU. Needs the extra ``train``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from paraphrast.errors import ParaphrastError
from paraphrast.neural.finetune.batches import batches
from paraphrast.neural.finetune.trainer import device_named
from paraphrast.neural.models import folders
from paraphrast.neural.models.folders import ModelFolder
from paraphrast.neural.models.generation import (
    Candidate,
    Decoding,
    Prompter,
    Request,
    rank_candidates,
)

MOST_TOKENS = {"cpu": 2_048, "cuda": 131_072}
MOST_SCORED = 16_384  # tokens whose probabilities over a vocabulary fit a GPU
IGNORED = -100
NEVER = -1e4  # added to a logit; -inf would make some sums no numbers


transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def load_model(folder: ModelFolder, *, seed: int = 1) -> Any:
    """Return the model in fp32; one without weights is initialised randomly."""
    both = folder.shape == "encoder-decoder"
    kind = (
        transformers.AutoModelForSeq2SeqLM
        if both
        else transformers.AutoModelForCausalLM
    )
    torch.manual_seed(seed)
    try:
        if (folder.path / folders.WEIGHTS).exists():
            model = kind.from_pretrained(
                folder.path, dtype=torch.float32, local_files_only=True
            )
        else:
            config = transformers.AutoConfig.from_pretrained(folder.path)
            model = kind.from_config(config)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        line = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise ParaphrastError(
            f"cannot load the model in {folder.path}: {line}"
        ) from error
    # Weights from a quantised file are plain ones by now.
    if getattr(model.config, "quantization_config", None) is not None:
        del model.config.quantization_config
    return _without_padding(model)


def _without_padding(model: Any) -> Any:
    """Keep a Marian model from writing its padding, which CTranslate2 leaves out.

    Its decoder starts from the padding's vector, which CTranslate2 takes to be zero.
    """
    if model.config.model_type == "marian":
        padding = model.config.pad_token_id
        model.final_logits_bias[0, padding] = NEVER
        model.get_input_embeddings().weight.data[padding] = 0
    return model


@dataclass(eq=False)
class TorchEngine:
    """A model that torch runs; made by `load`."""

    model: Any
    prompter: Prompter
    padding: int
    device: str = "cpu"
    half: bool = False

    def candidates(
        self, requests: Sequence[Request], decoding: Decoding, *, seed: int = 1
    ) -> list[list[Candidate]]:
        """Return candidates of each request, the most probable first."""
        torch.manual_seed(seed)
        sources = [self._numbers(self.prompter.source(r)) for r in requests]
        each = decoding.beam if decoding.method == "beam" else decoding.candidates
        result: list[list[Candidate]] = [[] for _ in requests]
        room = max(1, MOST_TOKENS[self.device] // (2 * each))
        for batch in batches([len(s) for s in sources], room):
            limits = [decoding.most_tokens(len(sources[index])) for index in batch]
            answers = self._search([sources[p] for p in batch], max(limits), decoding)
            for index, limit, answer in zip(batch, limits, answers, strict=True):
                kept = [
                    self._candidate(tokens, means, limit) for tokens, means in answer
                ]
                result[index] = rank_candidates(kept)
        return result

    def score(self, requests: Sequence[Request], texts: Sequence[str]) -> list[float]:
        """Return the log-probability of each text as the answer to its request."""
        pairs = [
            (
                self._numbers(self.prompter.source(request)),
                self._numbers(self.prompter.target(text)),
            )
            for request, text in zip(requests, texts, strict=True)
        ]
        room = MOST_TOKENS[self.device]
        totals = [0.0] * len(pairs)
        for batch in batches([len(s) + len(t) for s, t in pairs], room):
            sums = self._score_batch([pairs[index] for index in batch])
            for index, total in zip(batch, sums, strict=True):
                totals[index] = total
        return totals

    def _numbers(self, tokens: Sequence[str]) -> list[int]:
        return self.prompter.tokenizer.ids(tokens)

    def _search(
        self, sources: Sequence[Sequence[int]], longest: int, decoding: Decoding
    ) -> list[list[tuple[list[int], list[float]]]]:
        """Return for each source its outputs with the log-probability of each token."""
        numbers, mask = self._pad_left(sources)
        end = self.prompter.tokenizer.vocabulary[self.prompter.end]
        with torch.inference_mode(), self._precision():
            result = self.model.generate(
                input_ids=numbers,
                attention_mask=mask,
                max_new_tokens=longest,
                min_new_tokens=0,
                max_length=None,
                eos_token_id=end,
                pad_token_id=self.padding,
                return_dict_in_generate=True,
                output_scores=False,
                **_options(decoding),
            )
        first = 1 if self.prompter.shape == "encoder-decoder" else numbers.shape[1]
        outputs = [_until(row[first:], end) for row in result.sequences.tolist()]
        each = decoding.candidates
        again = [source for source in sources for _ in range(each)]
        scored = self._log_probabilities(list(zip(again, outputs, strict=True)))
        joined = list(zip(outputs, scored, strict=True))
        return [joined[i : i + each] for i in range(0, len(joined), each)]

    def _pad_left(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Return ids and mask, padded on the left for a causal model."""
        width = max(map(len, rows))
        left = self.prompter.shape == "causal"
        filled, mask = [], []
        for row in rows:
            fill = [self.padding] * (width - len(row))
            shown = [1] * len(row)
            filled.append([*fill, *row] if left else [*row, *fill])
            mask.append([0] * len(fill) + shown if left else shown + [0] * len(fill))
        return (
            torch.tensor(filled, device=self.device),
            torch.tensor(mask, device=self.device),
        )

    def _score_batch(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[float]:
        return [math.fsum(row) for row in self._log_probabilities(pairs)]

    def _log_probabilities(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[list[float]]:
        """Return the log-probability of each token of the targets."""
        each = max(len(source) + len(target) for source, target in pairs)
        rows = max(1, MOST_SCORED // each)
        return [
            row
            for start in range(0, len(pairs), rows)
            for row in self._scored_at_once(pairs[start : start + rows])
        ]

    def _scored_at_once(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[list[float]]:
        table = collate(pairs, self.prompter.shape, self.padding)
        with torch.inference_mode(), self._precision():
            logits, labels = predict_logits(self.model, table, self.device)
            logits = logits.float()
        kept = labels != IGNORED
        chosen = logits.gather(2, labels.clamp(min=0)[:, :, None])[..., 0]
        chosen = chosen - logits.logsumexp(-1)
        return [row[mask].tolist() for row, mask in zip(chosen, kept, strict=True)]

    def _precision(self) -> Any:
        return torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.half)

    def _candidate(
        self, numbers: Sequence[int], values: Sequence[float], limit: int
    ) -> Candidate:
        tokens = self.prompter.tokenizer.tokens(numbers[:limit])
        count = max(1, len(numbers))
        text, total = self.prompter.text(tokens), math.fsum(values)
        return Candidate(text, total, count, self.prompter.end in tokens)


def load(path: Path, *, tagged: bool, device: str = "auto") -> TorchEngine:
    """Open the model in a folder."""
    folder = folders.read(path)
    torch_device = device_named(device)
    model = load_model(folder).to(torch_device).eval()
    return TorchEngine(
        model,
        folder.prompter(tagged=tagged),
        folder.padding,
        torch_device,
        half=torch_device == "cuda",
    )


def collate(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    shape: str,
    padding: int,
    *,
    multiple: int = 1,
) -> dict[str, Any]:
    """Return tensors of sources and targets, padded on the right.

    Loss and scores are of the targets' tokens only. Widths are multiples of
    ``multiple``, which is efficient on GPUs.
    """
    if shape == "encoder-decoder":
        sources, targets = [list(s) for s, _ in pairs], [list(t) for _, t in pairs]
    else:
        sources = [[*source, *target] for source, target in pairs]
        targets = [[IGNORED] * len(s) + list(t) for s, t in pairs]
    return {
        "input_ids": _pad_right(sources, padding, multiple),
        "attention_mask": _pad_right([[1] * len(row) for row in sources], 0, multiple),
        "labels": _pad_right(targets, IGNORED, multiple),
    }


def predict_logits(model: Any, table: dict[str, Any], device: str) -> tuple[Any, Any]:
    """Return the logits of a batch of `collated` and the labels that they predict."""
    moved = {name: value.to(device, non_blocking=True) for name, value in table.items()}
    labels = moved.pop("labels")
    config = model.config
    if not config.is_encoder_decoder:
        return model(**moved, use_cache=False).logits[:, :-1], labels[:, 1:]
    shifted = given_to_decoder(labels, config)
    return model(**moved, decoder_input_ids=shifted, use_cache=False).logits, labels


def given_to_decoder(labels: Any, config: Any) -> Any:
    """Return the decoder inputs for ``labels``."""
    shifted = labels.roll(1, dims=1)
    shifted[:, 0] = config.decoder_start_token_id
    return shifted.masked_fill(shifted == IGNORED, config.pad_token_id)


def summed_loss(logits: Any, labels: Any, *, smoothing: float = 0.0) -> Any:
    """Return the summed cross-entropy of the unmasked labels."""
    return torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1),
        labels.flatten(),
        ignore_index=IGNORED,
        label_smoothing=smoothing,
        reduction="sum",
    )


def held_out_loss(
    held: Sequence[tuple[Sequence[int], Sequence[int]]],
    loss: Callable[[Sequence[Any]], Any],
    most: int,
) -> float:
    """Return the loss per token of pairs, in batches limited by tokens."""
    lengths = [len(source) + len(target) for source, target in held]
    total = 0.0
    with torch.no_grad():
        for batch in batches(lengths, most):
            total += float(loss([held[index] for index in batch]))
    return total / max(1, sum(len(target) for _, target in held))


def _pad_right(rows: Sequence[Sequence[int]], fill: int, multiple: int) -> Any:
    width = -(-max(map(len, rows)) // multiple) * multiple
    table = np.full((len(rows), width), fill, np.int64)
    for index, row in enumerate(rows):
        table[index, : len(row)] = row
    return torch.from_numpy(table)


def _until(row: list[int], end: int) -> list[int]:
    return row[: row.index(end) + 1] if end in row else row


def _options(decoding: Decoding) -> dict[str, Any]:
    if decoding.method == "nucleus":
        return {
            "do_sample": True,
            "top_p": decoding.top_p,
            "top_k": 0,
            "temperature": decoding.temperature,
            "num_return_sequences": decoding.candidates,
        }
    beams = decoding.beam if decoding.method == "beam" else 1
    return {
        "do_sample": False,
        "num_beams": beams,
        "num_return_sequences": decoding.candidates,
        "length_penalty": 1.0,
    }
