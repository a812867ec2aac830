"""SmoothQuant: shift outliers from activations to weights before quantisation.

In int8 each vector has one scale, so a channel a thousand times larger than the others
leaves them no precision; T5's feed-forward layers are like that. Where a linear layer
reads the output of a norm or of another linear layer, a channel can be scaled down
there and its column scaled up here, without changing the model's function. The size of
the channels is measured on a few pairs (Xiao et al. 2023; the exponent balances inputs
against weights).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

BALANCE = 0.5
SMALLEST, LARGEST = 1e-3, 1e4
QUIET = 0.3  # of the median: channels below count as this


@dataclass(frozen=True)
class _Group:
    """Weights whose rows write channels, and the weights whose columns read them."""

    writer: Any
    readers: Sequence[Any]


def smooth(model: Any, run: Callable[[], object]) -> None:
    """Smooth a model in place; ``run`` passes some text through it.

    Models other than T5 and Llama are left unchanged.
    """
    groups = list(_groups(model))
    largest: dict[int, Any] = {}

    def watch(layer: Any, given: tuple[Any, ...], _: Any) -> None:
        seen = given[0].detach().flatten(0, -2).abs().amax(0)
        before = largest.get(id(layer))
        largest[id(layer)] = seen if before is None else torch.maximum(before, seen)

    hooks = [group.readers[0].register_forward_hook(watch) for group in groups]
    try:
        run()
    finally:
        for hook in hooks:
            hook.remove()
    with torch.no_grad():
        for group in groups:
            if id(group.readers[0]) in largest:
                _share_out(group, largest[id(group.readers[0])])


def _share_out(group: _Group, inputs: Any) -> None:
    columns = torch.stack([r.weight.abs().amax(0) for r in group.readers]).amax(0)
    # A channel that slept on these texts may wake on others.
    inputs = inputs.clamp(min=max(1e-5, QUIET * float(inputs.median())))
    columns = columns.clamp(min=max(1e-5, QUIET * float(columns.median())))
    factor = (inputs**BALANCE / columns ** (1 - BALANCE)).clamp(SMALLEST, LARGEST)
    if group.writer.ndim == 2:
        group.writer.div_(factor[:, None])
    else:
        group.writer.div_(factor)
    for reader in group.readers:
        reader.weight.mul_(factor)


def _groups(model: Any) -> Iterator[_Group]:
    kind = model.config.model_type
    if kind == "t5":
        yield from _of_t5(model)
    elif kind == "llama":
        yield from _of_llama(model)


def _of_t5(model: Any) -> Iterator[_Group]:
    for stack in (model.encoder, model.decoder):
        for block in stack.block:
            for layer in block.layer:
                yield from _of_t5_layer(layer)
    if model.lm_head.weight is not model.shared.weight:
        yield _Group(model.decoder.final_layer_norm.weight, [model.lm_head])


def _of_t5_layer(layer: Any) -> Iterator[_Group]:
    norm = layer.layer_norm.weight
    if hasattr(layer, "SelfAttention"):
        attention = layer.SelfAttention
        yield _Group(norm, [attention.q, attention.k, attention.v])
    elif hasattr(layer, "EncDecAttention"):
        yield _Group(norm, [layer.EncDecAttention.q])
    else:
        dense = layer.DenseReluDense
        gated = hasattr(dense, "wi_1")
        yield _Group(norm, [dense.wi_0, dense.wi_1] if gated else [dense.wi])
        # A gate's other half is linear, and so is a ReLU for factors above 0.
        if gated or _is_relu(dense):
            yield _Group((dense.wi_1 if gated else dense.wi).weight, [dense.wo])


def _is_relu(dense: Any) -> bool:
    return type(dense.act).__name__ == "ReLU"


def _of_llama(model: Any) -> Iterator[_Group]:
    for layer in model.model.layers:
        attention, dense = layer.self_attn, layer.mlp
        reads = [attention.q_proj, attention.k_proj, attention.v_proj]
        yield _Group(layer.input_layernorm.weight, reads)
        yield _Group(
            layer.post_attention_layernorm.weight, [dense.gate_proj, dense.up_proj]
        )
        yield _Group(dense.up_proj.weight, [dense.down_proj])
