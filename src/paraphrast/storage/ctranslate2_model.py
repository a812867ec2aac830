"""Open a model with CTranslate2, checked first, and again after a fork; batch rows.

CTranslate2 trusts the shapes in ``model.bin``: a matrix with fewer rows than the
vocabulary has tokens makes it read out of bounds. `open_model` first compares the
shapes with the vocabulary and with each other.

The worker threads of an opened model do not survive a fork. Owners of a model check
`is_stale` before each use and open it again; the old one is never closed in the forked
process, since that would wait for its threads for ever.

In 8 bits what CTranslate2 computes for a row depends on the padding beside it, in the
last digits. The batches of `make_batches` have none, so a row gives the same in each.
"""

import ctypes
import os
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.storage.ctranslate2_weights import read_shapes
from paraphrast.storage.sealed_folder import Key, identify, read_json

WEIGHTS = "model.bin"
VOCABULARIES = (
    "shared_vocabulary.json",
    "vocabulary.json",
    "source_vocabulary.json",
    "target_vocabulary.json",
)
Class: TypeAlias = Literal["Translator", "Generator", "Encoder"]
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]

_EMBEDDINGS = re.compile(r"(?:embeddings(?:_0)?|projection)/weight$")
_NORM = re.compile(r"layer_?norm\w*/(?:gamma|beta)$")
# The process that opened each model.
_owners: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()
_first_process = os.getpid()
_checked: set[object] = (
    set()
)  # models whose shapes fit, while their files do not change


def open_model(
    kind: Class, folder: Path, *, compute_type: str, intra_threads: int, **options: int
) -> Any:
    """Return a model of CTranslate2 that runs on the CPU."""
    import ctranslate2

    check_shapes(folder)
    if os.getpid() != _first_process:
        # OpenMP's threads do not survive a fork either, and it waits for them.
        intra_threads = 1
    try:
        model = getattr(ctranslate2, kind)(
            str(folder),
            device="cpu",
            compute_type=compute_type,
            intra_threads=intra_threads,
            **options,
        )
    except (RuntimeError, ValueError) as error:
        line = str(error).partition("\n")[0]
        raise ParaphrastError(
            f"cannot open the model in {folder}: {line}. Re-download it."
        ) from error
    _owners[model] = os.getpid()
    return model


def is_stale(model: Any) -> bool:
    """Return whether a model was opened before this process was forked."""
    return _owners.get(model) != os.getpid()


def check_shapes(folder: Path) -> None:
    """Refuse a model whose arrays do not fit its vocabulary or each other."""
    path = folder / WEIGHTS
    files = (folder / name for name in (WEIGHTS, *VOCABULARIES))
    key = tuple(identify(file) for file in files if file.exists())
    if key in _checked:
        return
    shapes = read_shapes(path)
    tokens = len(read_tokens(folder))
    width = next((s[-1] for n, s in shapes.items() if _EMBEDDINGS.search(n) and s), 0)
    for name, shape in shapes.items():
        for expected, what in _expectations(name, shapes, tokens, width):
            if shape != expected:
                raise ParaphrastError(
                    f"{path}: {name} has the shape {list(shape)}, but {what} asks for "
                    f"{list(expected)}. Re-download the model."
                )
    _checked.add(key)


def read_tokens(folder: Path) -> tuple[str, ...]:
    """Return the tokens of a model's vocabulary, in the order of its embeddings."""
    for name in VOCABULARIES:
        path = folder / name
        if path.exists():
            return _read_tokens(path, identify(path))
    raise ParaphrastError(f"{folder} has no vocabulary. Re-download the model.")


@lru_cache(maxsize=1)
def _read_tokens(path: Path, key: Key) -> tuple[str, ...]:
    """Return the tokens in a file that ``key`` identifies; the last are kept."""
    tokens = read_json(path, advice="Re-download the model.")
    if not isinstance(tokens, list) or not tokens:
        raise ParaphrastError(f"{path} is not a list of tokens. Re-download the model.")
    return tuple(tokens)


def _expectations(
    name: str, shapes: Shapes, tokens: int, width: int
) -> list[tuple[tuple[int, ...], str]]:
    """Return the shapes that an array must have, and what asks for each."""
    shape = shapes[name]
    first = shape[0] if shape else 0
    if _EMBEDDINGS.search(name):
        return [((tokens, width), f"the vocabulary of {tokens} tokens")]
    if _NORM.search(name):
        return [((width,), "the width of the embeddings")]
    if name.endswith(("/embeddings_1/weight", "position_encodings/encodings")):
        return [((first, width), "the width of the embeddings")]
    if name.endswith(("/bias", "/weight_scale")) and shape:
        base = name.removesuffix("_scale").removesuffix("/bias").removesuffix("/weight")
        weight = shapes.get(f"{base}/weight", shape)
        return [(weight[:1], "its weight")]
    part, _, layer = name.removesuffix("/weight").rpartition("/")
    if name.endswith("/weight") and layer.startswith("linear"):
        expected = _block_shapes(part, shapes, width).get(layer)
        return [(expected, "the rest of its block")] if expected else []
    return []


def _block_shapes(part: str, shapes: Shapes, width: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the layers of an attention or feed-forward block."""

    def shape(layer: str) -> tuple[int, ...]:
        return shapes.get(f"{part}/{layer}/weight", ())

    inner = shape("linear_0")[0] if shape("linear_0") else 0
    block = part.rpartition("/")[2]
    if block == "ffn":
        return {
            "linear_0": (inner, width),
            "linear_0_noact": (inner, width),
            "linear_1": (width, inner),
        }
    if block == "attention":  # of the decoder to the encoder
        return {
            "linear_0": (inner, width),
            "linear_1": (2 * inner, width),
            "linear_2": (width, inner),
        }
    outer = shape("linear_1")[-1] if shape("linear_1") else 0
    if not any(name.endswith("num_heads_kv") for name in shapes):
        inner = 3 * outer  # queries, keys and values are of the same size
    return {"linear_0": (inner, width), "linear_1": (width, outer)}


def _keep_models() -> None:
    """Let no model that was opened before a fork be closed in the forked process."""
    for model in list(_owners):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_models)


def make_batches(
    shapes: Sequence[tuple[int, ...]], most: int
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield each shape with the indices of rows that have it, the largest first.

    A batch has at most ``most`` tokens, and at least one row.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, shape in enumerate(shapes):
        groups.setdefault(shape, []).append(index)
    for shape in sorted(groups, reverse=True):
        size = max(1, most // sum(shape))
        indices = groups[shape]
        for start in range(0, len(indices), size):
            yield shape, indices[start : start + size]
