"""Pretrained encoders in few bits per weight, for transfer where space is limited.

A matrix is rounded to steps of a share of each row's standard deviation and Huffman
coded: at 0.4 about three and a half bits per weight, with no loss of MPNet's or
MiniLM's correlation on STS-B before training. With ``--data`` only those rows of the
table of tokens are kept that are in use; the others are zero when read.

Run    python -m training.judge.coarse_weights mpnet|minilm model.safetensors \\
           [--data transfer.npz] [--step 0.4] -o FOLDER
Makes  FOLDER/NAME-0.npz and so on, below 16 MB each; `read_coarse` reads them
"""

import argparse
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from paraphrast.judges.training.network import Marks
from training.judge import backbones
from training.judge.tables import load

MOST = 15_000_000  # bytes per file
_LEAST = 100_000  # weights of a matrix that is rounded
_WORDS = "word_embeddings.weight"
_HUFFMAN = (9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)


def main() -> None:
    from safetensors.numpy import load_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=tuple(backbones.MAKERS))
    parser.add_argument("weights", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--step", type=float, default=0.4)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    weights = load_file(options.weights)
    model, marks = backbones.MAKERS[options.name]()
    arrays: dict[str, Any] = {}
    used = find_tokens(options.data, marks) if options.data else None
    for key, value in model.state_dict().items():
        matrix = weights.get(key, weights.get(f"{options.name}.{key}"))
        if matrix is None and value.dtype.is_floating_point:
            raise SystemExit(f"{options.weights}: no weights for {key}")
        if matrix is not None and value.dtype.is_floating_point:
            rows = used if key.endswith(_WORDS) else None
            arrays |= round_matrix(key, matrix.astype(np.float32), options.step, rows)
    options.output.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(split_arrays(arrays)):
        np.savez(options.output / f"{options.name}-{number}.npz", **part)


def find_tokens(data: Path, marks: Marks) -> NDArray[np.int64]:
    """Return the ids of the tables' tokens and of an encoder's special tokens."""
    tables = load(data).values()
    texts = [text for table in tables for text in table.texts]
    own = [marks.start, marks.end, marks.padding]
    return np.unique([*own, *(np.unique(np.concatenate(texts)) + marks.shift)])


def round_matrix(
    key: str,
    matrix: NDArray[np.float32],
    step: float,
    rows: NDArray[np.int64] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return a matrix as compressed steps and one scale per row; a small one as is."""
    if matrix.ndim < 2 or matrix.size < _LEAST:
        return {key: matrix.astype(np.float16)}
    kept = matrix if rows is None else matrix[rows]
    scales = (step * kept.std(axis=1, keepdims=True)).clip(1e-5).astype(np.float16)
    steps = np.rint(kept / scales.astype(np.float32)).clip(-127, 127).astype(np.int8)
    coder = zlib.compressobj(*_HUFFMAN)
    coded = coder.compress(steps.tobytes()) + coder.flush()
    result: dict[str, NDArray[Any]] = {
        f"{key}|coded": np.frombuffer(coded, np.uint8),
        f"{key}|scale": scales,
        f"{key}|shape": np.array(matrix.shape),
    }
    return result if rows is None else result | {f"{key}|rows": rows}


def split_arrays(arrays: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the arrays in parts below the size limit of a file."""
    part: dict[str, Any] = {}
    size = 0
    for key, array in arrays.items():
        if part and size + array.nbytes > MOST:
            yield part
            part, size = {}, 0
        part[key] = array
        size += array.nbytes
    yield part


def read_coarse(folder: Path, name: str) -> tuple[Any, Marks]:
    """Return an encoder with its rounded weights, and its special tokens."""
    arrays: dict[str, Any] = {}
    for path in sorted(folder.glob(f"{name}-*.npz")):
        with np.load(path) as archive:
            arrays |= {key: archive[key] for key in archive.files}
    state = {}
    for key in arrays:
        whole, _, kind = key.partition("|")
        if kind in ("", "coded"):
            matrix = restore_matrix(arrays, whole) if kind else arrays[key]
            state[whole] = torch.from_numpy(matrix.astype(np.float32))
    model, marks = backbones.MAKERS[name]()
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or [key for key in missing if "position_ids" not in key]:
        raise SystemExit(f"{folder}/{name}: {missing} missing, {unexpected} not known")
    return model, marks


def restore_matrix(arrays: dict[str, Any], key: str) -> NDArray[np.float32]:
    """Return a matrix from its steps and scales; rows that were not kept are zero."""
    shape = tuple(arrays[f"{key}|shape"])
    scales = arrays[f"{key}|scale"].astype(np.float32)
    steps = np.frombuffer(zlib.decompress(arrays[f"{key}|coded"].tobytes()), np.int8)
    kept: NDArray[np.float32] = steps.reshape(len(scales), shape[1]) * scales
    if f"{key}|rows" not in arrays:
        return kept
    whole = np.zeros(shape, np.float32)
    whole[arrays[f"{key}|rows"]] = kept
    return whole


if __name__ == "__main__":
    main()
