"""Write an adapter as GGUF, for llama.cpp to apply to the base model's own file.

Run    python -m training.everyday.teacher.export --adapter FILE -o FILE.gguf
Needs  gguf
"""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from training.everyday.teacher.blocks import to_gguf_name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--name", default="paraphrast-teacher")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    gguf: Any = import_module("gguf")
    writer = gguf.GGUFWriter(str(options.output), "qwen2")
    writer.add_type("adapter")
    writer.add_name(options.name)
    writer.add_string("adapter.type", "lora")
    with safe_open(options.adapter, "np") as file:
        writer.add_float32("adapter.lora.alpha", float(file.metadata()["alpha"]))
        for name in sorted(file.keys()):
            layer, _, side = name.removesuffix(".weight").rpartition(".")
            end = {"lora_A": "lora_a", "lora_B": "lora_b"}[side]
            values = np.ascontiguousarray(file.get_tensor(name).astype(np.float16))
            writer.add_tensor(f"{to_gguf_name(layer)}.{end}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
