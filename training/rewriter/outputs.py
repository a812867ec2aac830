"""The models' outputs for STRAP's test, in the format that `reproduce strap` reads."""

import json
from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.models.folders import WEIGHTS
from paraphrast.storage.sealed_folder import sha256
from paraphrast.text import overlap
from training.rewriter.workspace import Row, Workspace, write_rows


def students(work: Workspace, _: float) -> None:
    """Write the students' greedy outputs for the test in 32 bits."""
    from training.sampler import Sampler

    rows = work.tests()
    for name, short in (
        ("shipped", "shipped"),
        ("unsupervised", "unsupervised"),
    ):
        model = Sampler(work.folder / name, work.device, half=False)
        answers = model.write(
            [(text, style) for style, text in rows], longest=work.longest
        )
        record(
            work,
            f"{short}-32bit",
            rows,
            [own[0] for own in answers],
            model=work.folder / name / WEIGHTS,
            made=f"{name}, 32 bits, greedy",
        )


def record(
    work: Workspace,
    name: str,
    rows: Sequence[Row],
    answers: Sequence[str],
    *,
    model: Path,
    made: str,
) -> None:
    """Write rows style, input, output, and a record of their models."""
    folder = work.folder / "outputs"
    folder.mkdir(exist_ok=True)
    table = {
        "signature": sha256(model),
        "made": made,
        "evaluators": [work.guide_signature()],
    }
    (folder / f"{name}.json").write_text(json.dumps(table))
    write_rows(
        folder / f"{name}.tsv",
        [
            f"{style}\t{text}\t{own}"
            for (style, text), own in zip(rows, answers, strict=True)
        ],
    )
    pairs = [(text, own) for (_, text), own in zip(rows, answers, strict=True)]
    kept = sum(not find_lost(text, own) for text, own in pairs)
    copies = sum(overlap.words(text) == overlap.words(own) for text, own in pairs)
    print(
        f"{name}: {len(rows)} outputs, {kept} keep names, {copies} copies", flush=True
    )
