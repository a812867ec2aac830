"""The teacher's prompts, in the words and the chat format of its base model."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import tokenizers

from paraphrast.instruct.llm import make_messages
from paraphrast.instruct.styles import INSTRUCTION, WORDS

EVEN = 0.5  # the strength of a rewrite unless the user gives another
SAME = "Do both texts say exactly the same?\n"
YES, NO = "yes", "no"
RATE = "Rate the second text as {}: meaning, style, fluency, 0 to 2.\n"
MARKS = "012"


class PromptTokenizer:
    """Encodes prompts and answers as token ids, and decodes them."""

    def __init__(self, folder: Path) -> None:
        """Read the tokenizer of a model's folder."""
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.encode_special_tokens = True  # their names in a text are text
        table = json.loads((folder / "tokenizer.json").read_text("utf-8"))
        special = {token["content"]: token["id"] for token in table["added_tokens"]}
        self.end = special["<|im_end|>"]
        self.never = [number for number in special.values() if number != self.end]
        self.start, line = special["<|im_start|>"], self.encode(["\n"])[0]
        self._next = [self.end, *line, self.start]
        user, assistant = self.encode(["user\n", "assistant\n"])
        self._before = [self.start, *user]
        self._after = [*self._next, *assistant]
        self.yes, self.no = (own[0] for own in self.encode([YES, NO]))
        self.marks = [own[0] for own in self.encode(list(MARKS))]

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of texts, taken as they are."""
        return [
            encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))
        ]

    def encode_chat(self, said: Sequence[str]) -> list[list[int]]:
        """Return the model's input for a user's message."""
        return [[*self._before, *own, *self._after] for own in self.encode(said)]

    def encode_requests(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return prompts for texts and styles."""
        return self.encode_chat(
            [INSTRUCTION.format(WORDS[style]) + text for text, style in requests]
        )

    def encode_comparisons(self, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return prompts that ask whether two texts say the same."""
        return self.encode_chat(
            [f"{SAME}1: {first}\n2: {second}" for first, second in pairs]
        )

    def encode_ratings(self, rows: Sequence[tuple[str, str, str]]) -> list[list[int]]:
        """Return prompts that ask for the marks of rewrites: source, style, rewrite."""
        return self.encode_chat(
            [
                f"{RATE.format(WORDS[style])}1: {source}\n2: {output}"
                for source, style, output in rows
            ]
        )

    def encode_answers(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the target tokens of answers."""
        return [[*own, self.end] for own in self.encode(texts)]

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return the texts of written tokens, up to the end."""
        kept = []
        for row in rows:
            own = list(row)
            kept.append(own[: own.index(self.end)] if self.end in own else own)
        return [" ".join(t.split()) for t in self._tokenizer.decode_batch(kept)]


class FewShotTokenizer(PromptTokenizer):
    """Asks for a rewrite as the rewriter ``llm`` does: after examples of everyday."""

    def encode_requests(self, requests: Sequence[tuple[str, str]]) -> list[list[int]]:
        """Return prompts for texts and styles; the answer is to come between tags."""
        return [
            self._encode_messages(
                f"{message['role']}\n{message['content']}"
                for message in make_messages(text, style, EVEN)
            )
            for text, style in requests
        ]

    def _encode_messages(self, messages: Iterable[str]) -> list[int]:
        prompt: list[int] = []
        for own in self.encode([*messages, "assistant\n"]):
            prompt += [*(self._next if prompt else [self.start]), *own]
        return prompt
