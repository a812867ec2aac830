"""What candidates are chosen by in training: style, meaning and fluency.

Style and fluency are two heads on an encoder of the base model, trained on the same
text as the system and on broken sentences; meaning is MiniLM's cosine. None of it is
the judge, nor read what the judge has read. `Guide` is what paraphrast.neural.rerank
takes; `signature` goes into the pack's manifest, so that scoring refuses it.
"""

# ruff: noqa: T201, TID253
import hashlib
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

LONGEST = 64
_BREAKS = ("drop", "swap", "repeat", "cut")


class Guide:
    """An encoder with a head of style and one of fluency, and MiniLM for meaning."""

    def __init__(
        self, base: Path, styles: Sequence[str], minilm: Path | None, device: str
    ):
        """Begin with the base model's encoder and untrained heads."""
        self.styles, self.device = list(styles), device
        self.cut = tokenizers.Tokenizer.from_file(str(base / "tokenizer.json"))
        self.cut.enable_truncation(LONGEST)
        torch.manual_seed(1)
        loaded = transformers.AutoModelForSeq2SeqLM.from_pretrained(base)
        self.network = torch.nn.ModuleDict(
            {
                "encoder": loaded.get_encoder(),
                "heads": torch.nn.Linear(loaded.config.d_model, len(styles) + 1),
            }
        ).to(device)
        self.meant = None
        if minilm:
            model = transformers.BertModel.from_pretrained(
                minilm, add_pooling_layer=False
            )
            cut = tokenizers.Tokenizer.from_file(str(minilm / "tokenizer.json"))
            cut.enable_truncation(LONGEST)
            self.meant = (model.to(device).eval(), cut)
        self._vectors: dict[str, Any] = {}

    @property
    def signature(self) -> str:
        """Return a hash of the trained weights."""
        digest = hashlib.sha256()
        for name, value in sorted(self.network.state_dict().items()):
            digest.update(
                name.encode() + value.detach().float().cpu().numpy().tobytes()
            )
        return digest.hexdigest()

    def learn(
        self,
        texts: dict[str, list[str]],
        *,
        seconds: float,
        batch: int = 256,
        rate: float = 3e-4,
    ) -> float:
        """Train for so long; return the accuracy of style on the last batches."""
        draw = random.Random(1)
        rows = [(t, self.styles.index(s)) for s, own in texts.items() for t in own]
        optimizer = torch.optim.AdamW(self.network.parameters(), lr=rate)
        begin, right, step = time.time(), [0.0], 0
        while time.time() - begin < seconds:
            chosen = draw.sample(rows, min(batch, len(rows)))
            # Classes must not be told by case and final marks alone.
            shown = [plainer(t, draw) for t, _ in chosen]
            spoilt = [broken(t, draw) for t in shown[: len(shown) // 2]]
            logits = self._logits([*shown, *spoilt])
            labels = torch.tensor([label for _, label in chosen], device=self.device)
            styles = logits[: len(shown), :-1]
            natural = torch.tensor(
                [1.0] * len(shown) + [0.0] * len(spoilt), device=self.device
            )
            loss = torch.nn.functional.cross_entropy(styles, labels)
            loss = loss + torch.nn.functional.binary_cross_entropy_with_logits(
                logits[:, -1], natural
            )
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            right = [*right[-20:], (styles.argmax(1) == labels).float().mean().item()]
            if step % 100 == 0:
                print(f"guide {step} {loss.item():.3f} {right[-1]:.3f}", flush=True)
        self.network.eval()
        return sum(right) / len(right)

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return for each text how probably it is in the style."""
        at = self.styles.index(style)
        return [row[:-1].softmax(0)[at].item() for row in self._said(texts)]

    def fluency(self, texts: Sequence[str]) -> list[float]:
        """Return for each text how probably nobody broke it."""
        return [row[-1].sigmoid().item() for row in self._said(texts)]

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return for each text how near it is to its source; 1 without MiniLM."""
        if self.meant is None:
            return [1.0] * len(texts)
        self._embed([*sources, *texts])
        return [
            max(0.0, float(self._vectors[a] @ self._vectors[b]))
            for a, b in zip(sources, texts, strict=True)
        ]

    def _said(self, texts: Sequence[str]) -> list[Any]:
        found: list[Any] = []
        with torch.inference_mode():
            for start in range(0, len(texts), 2048):
                found += self._logits(texts[start : start + 2048]).float().cpu()
        return found

    def _logits(self, texts: Sequence[str]) -> Any:
        ids, mask = padded(self.cut, texts, 0, self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            states = self.network["encoder"](input_ids=ids, attention_mask=mask)[0]
            states = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            return self.network["heads"](states).float()

    def _embed(self, texts: Sequence[str]) -> None:
        model, cut = self.meant  # type: ignore[misc]
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for start in range(0, len(new), 2048):
            chunk = new[start : start + 2048]
            ids, mask = padded(cut, chunk, 0, self.device)
            with (
                torch.inference_mode(),
                torch.autocast(
                    self.device, torch.bfloat16, enabled=self.device == "cuda"
                ),
            ):
                states = model(input_ids=ids, attention_mask=mask)[0].float()
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors = torch.nn.functional.normalize(mean, dim=1).cpu().numpy()
            self._vectors |= dict(zip(chunk, vectors, strict=True))


def padded(cut: Any, texts: Sequence[str], fill: int, device: str) -> tuple[Any, Any]:
    """Return numbers and mask of the texts' pieces: (texts, pieces)."""
    rows = [one.ids for one in cut.encode_batch(list(texts))]
    width = max(map(len, rows))
    ids = torch.tensor([row + [fill] * (width - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return ids.to(device), mask.to(device)


def plainer(text: str, draw: random.Random) -> str:
    """Return the text, now and then without its last mark or its capitals."""
    chance = draw.random()
    if chance < 0.2:
        return text.rstrip(".!?;:,'\" ") or text
    return text.lower() if chance < 0.35 else text


def broken(text: str, draw: random.Random) -> str:
    """Return the text as nobody would say it."""
    words = text.split()
    for _ in range(1 + len(words) // 8):
        at = draw.randrange(len(words))
        how = draw.choice(_BREAKS)
        if how == "drop" and len(words) > 2:
            del words[at]
        elif how == "repeat":
            words.insert(at, words[at])
        elif how == "cut" and len(words) > 4:
            words = words[: max(3, at)]
        else:
            other = draw.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return " ".join(words)
