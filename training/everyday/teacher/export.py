"""Write an adapter as GGUF, for llama.cpp to apply to the base model's own file.

`compact` writes the one that the package holds; this one has all bits of 16. Put it
into a folder as ``adapter.gguf`` and `paraphrast packs fetch large --from FOLDER` takes
it in place of the package's.

Run    python -m training.everyday.teacher.export --adapter FILE -o adapter.gguf
"""

import argparse
from pathlib import Path

import numpy as np
from safetensors import safe_open

from paraphrast.instruct.adapter import SIDES, write_gguf
from training.everyday.teacher.blocks import to_gguf_name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    sides = dict(zip(("lora_A", "lora_B"), SIDES, strict=True))
    tensors = {}
    with safe_open(options.adapter, "np") as file:
        alpha = float(file.metadata()["alpha"])
        for name in sorted(file.keys()):
            layer, _, side = name.removesuffix(".weight").rpartition(".")
            values = file.get_tensor(name).astype(np.float16)
            tensors[f"{to_gguf_name(layer)}.{sides[side]}"] = values
    write_gguf(options.output, tensors, alpha=alpha)


if __name__ == "__main__":
    main()
