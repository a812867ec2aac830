"""Other starting points for a student of about the same size, from a trained one.

A T5 student becomes ``8+3``, ``12+3`` or ``16+2``: so many layers of its encoder and of
its decoder. The decoder runs once per written token and beam,
the encoder once per text; so a shallow decoder is quick. Its layers are some of the
student's. Added layers of the encoder are copies of their neighbours that add nothing
yet. ``marian`` has the layers of a Marian "base" model (6+6, 2,048 wide, ReLU) in T5's
code, with its relative positions, and random weights. A causal student becomes
``half``: every second layer of it and the last one.

Run    python -m training.everyday.student.shapes SHAPE --student FOLDER -o FOLDER
"""

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file

from training.base_models import load_untied, save_untied
from training.everyday.teacher import qwen

MARIAN = {
    "num_layers": 6, "num_decoder_layers": 6, "d_ff": 2048, "num_heads": 8,
    "feed_forward_proj": "relu", "is_gated_act": False, "dense_act_fn": "relu",
}  # fmt: skip
TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


@dataclass(frozen=True)
class Layers:
    """The layers of a student in each stack; a repeated one counts as added."""

    encoder: tuple[int, ...]
    decoder: tuple[int, ...]


WHOLE = tuple(range(8))
SHAPES: Mapping[str, Layers] = {
    "8+2": Layers(WHOLE, (0, 7)),
    "8+3": Layers(WHOLE, (0, 4, 7)),
    "8+4": Layers(WHOLE, (0, 3, 5, 7)),
    "12+3": Layers((0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7), (0, 4, 7)),
    "16+2": Layers(tuple(sorted(WHOLE * 2)), (0, 7)),
}
FRESH, HALF = "marian", "half"


def choose_layers(
    state: Mapping[str, Any], side: str, layers: Sequence[int]
) -> dict[str, Any]:
    """Return the weights of a stack that has these layers, by their new names."""
    start = f"{side}.block."
    own = {name: value for name, value in state.items() if name.startswith(f"{side}.")}
    result = {
        name: value
        for name, value in own.items()  # the first layer has the bias for all
        if not name.startswith(start) or "relative_attention_bias" in name
    }
    outside = set(result)
    for new, old in enumerate(layers):
        here = f"{start}{old}."
        added = old in layers[:new]
        for name, value in own.items():
            if name.startswith(here) and name not in outside:
                silent = added and name.endswith((".o.weight", ".wo.weight"))
                result[f"{start}{new}.{name.removeprefix(here)}"] = (
                    torch.zeros_like(value) if silent else value
                )
    return result


def reshape(student: Path, shape: Layers, output: Path) -> Any:
    """Write a T5 student with other layers; return it."""
    before = load_untied(student)
    config = transformers.T5Config.from_dict(
        before.config.to_dict()
        | {"num_layers": len(shape.encoder), "num_decoder_layers": len(shape.decoder)}
    )
    state = before.state_dict()
    weights = {name: state[name] for name in ("shared.weight", "lm_head.weight")}
    weights |= choose_layers(state, "encoder", shape.encoder)
    weights |= choose_layers(state, "decoder", shape.decoder)
    return write(config, weights, student, output)


def make_fresh(student: Path, output: Path) -> Any:
    """Write a T5 of Marian's shape with random weights; return it."""
    config = transformers.T5Config.from_dict(
        transformers.T5Config.from_pretrained(student).to_dict() | MARIAN
    )
    torch.manual_seed(1)
    fresh: Any = transformers.T5ForConditionalGeneration(config)
    state = fresh.state_dict()
    state["lm_head.weight"] = state["shared.weight"] * config.d_model**-0.5
    return write(config, state, student, output)


def write(config: Any, weights: Mapping[str, Any], student: Path, output: Path) -> Any:
    """Write a T5 with an untied output layer, and a student's tokenizer."""
    model: Any = transformers.T5ForConditionalGeneration(config)
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    model.load_state_dict(weights)
    save_untied(model, output)
    for name in TOKENIZER:
        shutil.copyfile(student / name, output / name)
    return model


def halve(student: Path, output: Path) -> None:
    """Write a causal student with every second layer and the last one."""
    weights = load_file(student / qwen.WEIGHTS)
    config = json.loads((student / "config.json").read_text("utf-8"))
    count = config["num_hidden_layers"]
    layers = sorted({*range(0, count, 2), count - 1})
    start = "model.layers."
    kept = {n: w for n, w in weights.items() if not n.startswith(start)}
    for new, old in enumerate(layers):
        here = f"{start}{old}."
        kept |= {
            f"{start}{new}.{name.removeprefix(here)}": weight
            for name, weight in weights.items()
            if name.startswith(here)
        }
    output.mkdir(parents=True, exist_ok=True)
    save_file(kept, output / qwen.WEIGHTS, metadata={"format": "pt"})
    config["num_hidden_layers"] = len(layers)
    (output / "config.json").write_text(json.dumps(config), "utf-8")
    shutil.copyfile(student / TOKENIZER[0], output / TOKENIZER[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shape", choices=(*SHAPES, FRESH, HALF))
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.shape == HALF:
        halve(options.student, options.output)
        return
    if options.shape == FRESH:
        model = make_fresh(options.student, options.output)
    else:
        model = reshape(options.student, SHAPES[options.shape], options.output)
    size = sum(weight.numel() for weight in model.parameters())
    print(f"{options.shape}: {size / 1e6:.1f} million weights")


if __name__ == "__main__":
    main()
