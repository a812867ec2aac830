"""The network: LSTM encoder, LSTM decoder with attention, optional copy mechanism.

As OpenNMT-py's default (Luong et al. 2015): a bidirectional encoder, whose last states
start the decoder; general attention; input feeding, which gives each step the attended
state of the last one. With ``copy`` (Jhamtani et al. 2017) a gate mixes the
distribution over the vocabulary with the attention over the source's words.

Shapes: B sentences, S source words, T target words, E embedding, H hidden, V words.
"""

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from paraphrast.nmt.settings import Architecture
from paraphrast.nmt.vocabulary import PAD, UNKNOWN

States: TypeAlias = list[tuple[Tensor, Tensor]]  # h and c of each layer, B x H

TINY = 1e-9  # keeps the logarithm of a mixture finite


@dataclass(frozen=True, eq=False)
class Memory:
    """The encoder's output.

    ``values`` B x S x H are its states, ``keys`` their projections for attention,
    ``padding`` B x S is true beyond the end of a source.
    """

    values: Tensor
    keys: Tensor
    padding: Tensor


@dataclass(frozen=True, eq=False)
class Outputs:
    """The decoder's output at each step.

    ``attended`` B x T x H goes into the output layer, ``attention`` is B x T x S, and
    ``generate`` B x T the probability of generating instead of copying (1 without).
    """

    attended: Tensor
    attention: Tensor
    generate: Tensor


class Network(nn.Module):  # type: ignore[misc]
    """The whole model; `loss` is all that training needs of it."""

    def __init__(
        self, architecture: Architecture, words: int, *, dropout: float = 0.0
    ) -> None:
        """Make a model with random weights for a vocabulary of so many words."""
        super().__init__()
        sizes = architecture.embedding, architecture.hidden, architecture.layers
        embedding, hidden, layers = sizes
        self.architecture, self.rate = architecture, dropout
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.encoder = nn.LSTM(
            embedding,
            hidden // 2,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=dropout if layers > 1 else 0.0,
        )
        inputs = [embedding + hidden, *[hidden] * (layers - 1)]
        self.decoder = nn.ModuleList(nn.LSTMCell(size, hidden) for size in inputs)
        self.keys = nn.Linear(hidden, hidden, bias=False)
        self.attend = nn.Linear(2 * hidden, hidden, bias=False)
        self.project = nn.Linear(hidden, embedding, bias=False)
        self.bias = nn.Parameter(torch.zeros(words))
        copies = architecture.copy
        self.gate = nn.Linear(2 * hidden + embedding, 1) if copies else None
        nn.init.normal_(self.embedding.weight, std=embedding**-0.5)

    def forward(self, source: Tensor, lengths: Tensor, shown: Tensor) -> Outputs:
        """Decode with the words ``shown`` before each step (teacher forcing)."""
        memory, states = self.encode(source, lengths)
        return self.decode(memory, states, shown)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Memory, States]:
        """Read sources of falling or any length; return the decoder's first states."""
        embedded = self._drop(self.embedding(self._mask_unknown(source)))
        packed = pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        values, (h, c) = self.encoder(packed)
        padded, _ = pad_packed_sequence(values, batch_first=True)
        first = [_join_directions(h, c, n) for n in range(len(self.decoder))]
        positions = torch.arange(source.shape[1], device=source.device)
        padding = positions[None, :] >= lengths.to(source.device)[:, None]
        return Memory(padded, self.keys(padded), padding), first

    def decode(self, memory: Memory, states: States, shown: Tensor) -> Outputs:
        """Take the decoder's steps one by one, as each needs the last one's output."""
        embedded = self._drop(self.embedding(self._mask_unknown(shown)))
        attended = torch.zeros_like(states[0][0])
        steps: list[tuple[Tensor, Tensor, Tensor]] = []
        for step in range(shown.shape[1]):
            word = embedded[:, step]
            attended, attention, context = self.step(memory, states, word, attended)
            steps.append((attended, attention, context))
        outputs, attentions, contexts = (torch.stack(s, 1) for s in zip(*steps))  # noqa: B905
        return Outputs(outputs, attentions, self._generate(contexts, embedded))

    def step(
        self, memory: Memory, states: States, word: Tensor, fed: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Take a step; ``states`` move on in place.

        Returns the attended state, the attention and the state with its context.
        """
        value = torch.cat([word, fed], -1)
        for index, cell in enumerate(self.decoder):
            states[index] = cell(value, states[index])
            value = states[index][0]
            if index < len(self.decoder) - 1:
                value = self._drop(value)
        scores = torch.einsum("bh,bsh->bs", value, memory.keys)
        attention = scores.masked_fill(memory.padding, float("-inf")).softmax(-1)
        context = torch.einsum("bs,bsh->bh", attention, memory.values)
        both = torch.cat([context, value], -1)
        return self._drop(torch.tanh(self.attend(both))), attention, both

    def loss(
        self, source: Tensor, lengths: Tensor, shown: Tensor, target: Tensor
    ) -> Tensor:
        """Return the summed negative log-probability of the target words.

        ``source`` and ``target`` number unknown words beyond the vocabulary.
        """
        outputs = self(source, lengths, shown)
        counted = target != PAD
        logits = self.logits(outputs.attended[counted])
        wanted = target[counted]
        numbers = self._mask_unknown(wanted)
        generated = logits.gather(-1, numbers[:, None])[:, 0] - logits.logsumexp(-1)
        if self.gate is None:
            return -generated.sum()
        same = source[:, None, :] == target[:, :, None]
        copied = (outputs.attention * same).sum(-1)[counted]
        gate = outputs.generate[counted]
        # An unknown word is generated as such only if it cannot be copied.
        possible = (wanted == numbers) | ~same.any(-1)[counted]
        mixed = gate * generated.exp() * possible + (1 - gate) * copied
        return -(mixed + TINY).log().sum()

    def logits(self, attended: Tensor) -> Tensor:
        """Return the score of every word."""
        return self.project(attended) @ self.embedding.weight.T + self.bias

    def _generate(self, contexts: Tensor, embedded: Tensor) -> Tensor:
        if self.gate is None:
            return torch.ones(contexts.shape[:2], device=contexts.device)
        gates: Tensor = self.gate(torch.cat([contexts, embedded], -1))
        return gates[..., 0].sigmoid()

    def _mask_unknown(self, numbers: Tensor) -> Tensor:
        words = self.embedding.num_embeddings
        return numbers.masked_fill(numbers >= words, UNKNOWN)

    def _drop(self, value: Tensor) -> Tensor:
        return dropout(value, self.rate, self.training)


def _join_directions(h: Tensor, c: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    """Return a layer's last states, forward and backward side by side."""
    both = slice(2 * layer, 2 * layer + 2)
    return torch.cat([*h[both]], -1), torch.cat([*c[both]], -1)
