"""A model folder in Hugging Face's layout, read without torch.

``config.json`` describes the model, ``model.safetensors`` has its weights and
``tokenizer.json`` its tokenizer. A folder without weights is a model to be trained from
scratch. Ours are sealed by ``training.json``: the settings, data and course of the
training.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.neural.models.generation import Prompter, Shape
from paraphrast.storage import sealed_folder
from paraphrast.storage.sealed_folder import Kind
from paraphrast.text import subwords
from paraphrast.text.subwords import Tokenizer

CONFIG, WEIGHTS = "config.json", "model.safetensors"
KIND = Kind("trained model", "training.json", (1,), "Train it again.")


@dataclass(frozen=True)
class ModelFolder:
    """A model's properties that do not need its weights."""

    path: Path
    config: dict[str, Any]
    tokenizer: Tokenizer

    @property
    def shape(self) -> Shape:
        """Return the architecture: encoder–decoder or causal."""
        both = self.config.get("is_encoder_decoder", False)
        return "encoder-decoder" if both else "causal"

    @property
    def end(self) -> str:
        """Return the token that ends an output."""
        return self._piece("eos_token_id")

    @property
    def padding(self) -> int:
        """Return the padding id, which attention masks."""
        given = self.config.get("pad_token_id")
        return int(given) if given is not None else self._number("eos_token_id")

    def prompter(self, *, tagged: bool) -> Prompter:
        """Return how requests are presented to this model."""
        return Prompter(self.tokenizer, self.shape, self.end, tagged)

    def _piece(self, key: str) -> str:
        token = self.tokenizer.tokens([self._number(key)])[0]
        if not token:
            raise ParaphrastError(
                f"{self.path}: {key} of {CONFIG} is not in {subwords.FILE}. "
                "The two do not belong together."
            )
        return token

    def _number(self, key: str) -> int:
        value = self.config.get(key)
        value = value[0] if isinstance(value, list) and value else value
        if not isinstance(value, int):
            raise ParaphrastError(f"{self.path / CONFIG}: {key} is missing. Add it.")
        return value


def read(path: Path) -> ModelFolder:
    """Read a model's folder, all but its weights."""
    try:
        config = json.loads((path / CONFIG).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ParaphrastError(
            f"{path} is not a model's folder: {CONFIG} cannot be read ({error}). Give "
            f"a Hugging Face folder with {CONFIG}, {WEIGHTS} and {subwords.FILE}."
        ) from error
    if not isinstance(config, dict):
        raise ParaphrastError(f"{path / CONFIG} is not a table.")
    return ModelFolder(path, config, subwords.load(path))


def read_record(path: Path) -> dict[str, Any]:
    """Return the contents of ``training.json``; empty for a model that is not ours."""
    if not (path / KIND.manifest).exists():
        return {}
    return sealed_folder.read(path, KIND)
