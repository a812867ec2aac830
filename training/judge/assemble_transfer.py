"""Assemble the folder of a small judge that `training.judge.transfer` trained.

Training knows only the tokens of its texts; the rows of all other tokens are the
pretrained ones. Calibration uses the tables that nothing was learnt from: STS-B for
similarity, held-out texts and everyday versions for the styles, CoLA and made outputs
for fluency. The manifest has the figures of the student that was trained without a
corpus, as ``left_out``; a fold that was not trained has none there.

With ``--share`` below 1 the weights are interpolated by that share from the shipped
judge, where the student began, to the student, which keeps what the student forgot
(Wortsman et al. 2022). ``--weak`` adds nonsense of Twelfth Night to calibrate
fluency.

Run    python -m training.judge.assemble_transfer --weights OUT \\
           --base model.safetensors --data transfer.npz --vocabulary vocab.txt \\
           [--share 0.6] [--weak weak.npz] \\
           [--about training/judge/about_transfer.json] -o FOLDER
Needs  OUT with small-*.npz and figures.json (`transfer soup`), MiniLM's own weights;
       torch, safetensors, CTranslate2; a minute of a CPU.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora import read_lines
from paraphrast.judges.training.examples import Table
from training.judge.assemble import (
    calibrate,
    describe_heads,
    split_arrays,
    write_bert,
    write_manifest,
)
from training.judge.left_out import FOLDS, TABLES, choose_tables, join_tables
from training.judge.packed_weights import widen_weights
from training.judge.shipped_weights import SHIPPED, restore
from training.judge.tables import load
from training.judge.transfer_data import ALL_STYLES

_WORDS = "embeddings.word_embeddings.weight"
# The name in `metrics trust` of each table that a fold may leave out, and its figure.
LEFT_OUT = {
    "pt16": ("formality", "PT16", "Spearman"),
    "squinky": ("formality", "SQUINKY", "Spearman"),
    "order": ("formality", "everyday, pairs of registers", "order right"),
    "cola": ("fluency", "CoLA", "Matthews of the sum"),
    "gug": ("fluency", "GUG", "Spearman of the sum"),
    "sts": ("similarity", "STS-B", "Spearman"),
    "alike": ("similarity", "everyday, graded changes", "Spearman"),
    "versions": ("accuracy", "everyday, fourteen styles", "accuracy"),
}


def main() -> None:
    from safetensors.numpy import load_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--weak", type=Path, help="what `nonsense_data` wrote")
    parser.add_argument("--about", type=Path, help="JSON to put into the manifest")
    parser.add_argument("--attention-heads", type=int, default=12)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tables = load(options.data)
    if options.weak:
        tables["nonsense_own"] = load(options.weak)["weak_own"]
    tokens = list(read_lines(options.vocabulary))
    marks = {"start": tokens.index("[CLS]"), "end": tokens.index("[SEP]"), "shift": 0}
    arrays = dict(widen_weights(read_parts(options.weights)))
    if options.share < 1:
        arrays = mix_weights(restore(SHIPPED), arrays, options.share)
    weights, heads = split_arrays(arrays)
    weights[_WORDS] = fill_rows(weights[_WORDS], load_file(options.base)[_WORDS])
    options.output.mkdir(parents=True, exist_ok=True)
    encoder, described = write_bert(
        weights,
        heads,
        tokens,
        options.output / "small",
        marks,
        attention_heads=options.attention_heads,
    )
    settings = calibrate(encoder, heads, choose_calibration(tables), marks)
    wanted = describe_heads(
        settings, "small", ["small"], "small", "small", styles=ALL_STYLES
    )
    about = json.loads(options.about.read_text("utf-8")) if options.about else {}
    figures = json.loads((options.weights / "figures.json").read_text("utf-8"))
    about["left_out"] = list(list_left_out(figures, tables))
    print(write_manifest(options.output, {"small": described}, wanted, about))


def read_parts(folder: Path) -> dict[str, Any]:
    """Return the packed arrays of an average in several files."""
    paths = sorted(folder.glob("small-*.npz"))
    if not paths:
        raise SystemExit(f"{folder}: no small-*.npz. Run `transfer soup -o {folder}`.")
    arrays: dict[str, Any] = {}
    for path in paths:
        with np.load(path) as archive:
            arrays |= {name: archive[name] for name in archive.files}
    return arrays


def mix_weights(
    before: Mapping[str, Any], after: Mapping[str, Any], share: float
) -> dict[str, Any]:
    """Return weights interpolated by a share from one judge to another.

    Classes that a head did not have before are those of the latter.
    """
    result = {name: np.array(values, np.float32) for name, values in after.items()}
    for name, values in result.items():
        rows = len(before.get(name, ()))
        values[:rows] = share * values[:rows] + (1 - share) * before.get(name, 0.0)
    return result


def fill_rows(
    trained: NDArray[np.float32], pretrained: NDArray[Any]
) -> NDArray[np.float32]:
    """Return the trained rows, with pretrained ones where the trained row is zero."""
    used = np.abs(trained).max(axis=1, keepdims=True) > 0
    return np.where(used, trained, pretrained.astype(np.float32))


def choose_calibration(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables under the names by which `calibrate` reads them.

    Fluency is calibrated with nonsense of a play where there is some: beside made
    outputs of modern text it accepts more of every published system's lines.
    """
    made = tables.get("nonsense_own", tables["outputs_own"])
    natural = (made.labels > 0.5).astype(np.float32)
    return {
        **tables,
        "style_dev": join_tables([tables["style_dev"], tables["versions_own"]]),
        "weak_own": Table(made.texts, natural),
    }


def list_left_out(
    figures: Mapping[str, Any], tables: Mapping[str, Table]
) -> Iterator[dict[str, Any]]:
    """Yield the figures of students on what their folds left out, as in a manifest."""
    for fold, corpora in FOLDS.items():
        record = figures.get(f"student-{fold}-1")
        if record is None:
            continue
        for table, (evaluator, corpus, measure) in LEFT_OUT.items():
            if TABLES[table] in corpora:
                yield {
                    "evaluator": evaluator,
                    "corpus": corpus,
                    "measure": measure,
                    "value": record["figures"][table][measure],
                    "items": sum(map(len, choose_tables(tables, table, fold))),
                }


if __name__ == "__main__":
    main()
