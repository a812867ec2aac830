"""Byte-level tokens (SmolLM2, Llama 3, GPT-2) for a judge: any text has known ones."""

from pathlib import Path

from paraphrast.text import subwords


class ByteLevelTokenizer:
    """Encodes text by the ``tokenizer.json`` of an encoder's folder."""

    unknown = -1  # every byte is known

    def __init__(self, folder: Path) -> None:
        """Read the table of merges."""
        self._tokenizer = subwords.load(folder)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens, without marks of start or end."""
        return self._tokenizer.ids(self._tokenizer.encode(text))
