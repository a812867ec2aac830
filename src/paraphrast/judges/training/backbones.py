"""Pretrained encoders to train a judge's classifier on: a Hugging Face folder.

BERT (MiniLM) and MPNet with an uncased vocabulary of WordPiece, and Llama (SmolLM2)
with byte-level tokens. Weights must be safetensors; nothing of the folder is run.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges.encoder.reading import Tokenizer
from paraphrast.judges.training.exporting import Shape, export, export_llama
from paraphrast.judges.training.network import Marks
from paraphrast.storage.sealed_folder import read_json, sha256
from paraphrast.text.wordpiece import ByteLevelTokenizer, WordPiece

_TOKENIZER, _VOCABULARY = "tokenizer.json", "vocab.txt"
_MARKS = {"bert": ("[CLS]", "[SEP]", "[PAD]"), "mpnet": ("<s>", "</s>", "<pad>")}


@dataclass(frozen=True, eq=False)
class Backbone:
    """An encoder to train, its tokenizer, and how it is exported.

    ``export`` writes the encoder into a folder and returns its entry in `judge.json`.
    """

    encoder: Any
    marks: Marks
    tokenizer: Tokenizer
    export: Callable[[Path], dict[str, Any]]


class Unbound(nn.Module):  # type: ignore[misc]
    """A Llama without the causal mask, so that every token attends to all others."""

    def __init__(self, model: Any) -> None:
        """Keep the model."""
        super().__init__()
        self.model = model
        self.config = model.config

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        """Return the model's states; padding is masked."""
        hidden = attention_mask[:, None, None, :] == 0
        length = input_ids.shape[1]
        seen = torch.zeros(len(input_ids), 1, length, length, device=input_ids.device)
        kind = self.model.embed_tokens.weight.dtype
        if torch.is_autocast_enabled(input_ids.device.type):
            kind = torch.get_autocast_dtype(input_ids.device.type)
        mask = seen.masked_fill(hidden, torch.finfo(kind).min).to(kind)
        return self.model(input_ids=input_ids, attention_mask=mask, use_cache=False)


def load(folder: Path) -> Backbone:
    """Read a backbone from its folder."""
    config = _json(folder / "config.json")
    kind = str(config.get("model_type"))
    makers = {"bert": _bert, "mpnet": _bert, "llama": _llama}
    if kind not in makers:
        raise unknown("kind of backbone", kind, makers)
    return makers[kind](folder, kind)


def hashes(folder: Path) -> dict[str, str]:
    """Return the sha256 of a backbone's files, for a manifest."""
    paths = [folder / "config.json", *sorted(folder.glob("*.safetensors"))]
    return {path.name: sha256(path) for path in paths}


def _bert(folder: Path, kind: str) -> Backbone:
    names = _vocabulary(folder)
    settings = folder / "tokenizer_config.json"
    if settings.exists() and _json(settings).get("do_lower_case") is False:
        raise ParaphrastError(
            f"{folder}: the vocabulary is cased, but judges are uncased. Use an "
            "uncased backbone, such as MiniLM or MPNet."
        )
    tokenizer = WordPiece(names)
    start, end, padding = (tokenizer.id(mark) for mark in _MARKS[kind])
    model = _load_pretrained(folder)

    def write_encoder(target: Path) -> dict[str, Any]:
        state = {n: t.float().cpu().numpy() for n, t in model.state_dict().items()}
        export(state, names, target, heads=model.config.num_attention_heads)
        return {"numbered": kind == "mpnet", "pieces": "words"}

    return Backbone(model, Marks(start, end, padding), tokenizer, write_encoder)


def _llama(folder: Path, _: str) -> Backbone:
    tokenizer = ByteLevelTokenizer(folder)
    model = _load_pretrained(folder)
    config = model.config
    size = getattr(config, "head_dim", None)
    shape = Shape(
        config.num_attention_heads,
        config.num_key_value_heads,
        size or config.hidden_size // config.num_attention_heads,
        _base(config),
        config.rms_norm_eps,
    )
    start, end = _mark(folder, config.bos_token_id), _mark(folder, config.eos_token_id)
    names = [f"<{number}>" for number in range(config.vocab_size)]

    def write_encoder(target: Path) -> dict[str, Any]:
        state = {n: t.float().cpu().numpy() for n, t in model.state_dict().items()}
        export_llama(state, names, target, shape=shape)
        shutil.copy(folder / _TOKENIZER, target / _TOKENIZER)
        return {"numbered": False, "pieces": "bytes"}

    return Backbone(Unbound(model), Marks(start, end, end), tokenizer, write_encoder)


def _mark(folder: Path, number: Any) -> int:
    if isinstance(number, int):
        return number
    raise ParaphrastError(
        f"{folder / 'config.json'}: bos_token_id and eos_token_id must each be one "
        "number."
    )


def _base(config: Any) -> float:
    ropes = getattr(config, "rope_parameters", None) or {}
    if ropes.get("rope_type", "default") != "default":
        raise ParaphrastError(
            f"a Llama with {ropes['rope_type']} positions is not supported as a judge; "
            "use one with plain rotary positions, such as SmolLM2."
        )
    base = ropes.get("rope_theta") or getattr(config, "rope_theta", None)
    return float(base or 10_000.0)


def _load_pretrained(folder: Path) -> Any:
    from transformers import AutoModel

    try:
        return AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, dtype=torch.float32
        )
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ParaphrastError(
            f"cannot read the backbone in {folder}: {reason} It needs config.json and "
            "model.safetensors."
        ) from error


def _vocabulary(folder: Path) -> list[str]:
    path = folder / _VOCABULARY
    if path.exists():
        return path.read_text("utf-8").removesuffix("\n").split("\n")
    table = _json(folder / _TOKENIZER)
    result = dict(table.get("model", {}).get("vocab", {}))
    result |= {token["content"]: token["id"] for token in table.get("added_tokens", [])}
    return sorted(result, key=result.__getitem__)


def _json(path: Path) -> dict[str, Any]:
    advice = "Give a folder as Hugging Face writes it."
    result: dict[str, Any] = read_json(path, advice=advice)
    return result
