"""Train an NMT model in three steps, so that a GPU machine needs torch and NumPy alone.

``prepare`` turns pairs into one file of word ids, ``fit`` trains on that file, and
``pack`` makes a pack of the result. `paraphrast nmt train` does all three on one
machine; ``fit`` runs from a checkout that is not installed and has nothing compiled. It
writes the best model so far after every evaluation: a lost machine loses little.

Run    T="python -m training.formality.train_nmt"
       $T prepare pairs.tsv --held-out tune.tsv -o formal.data
       PYTHONPATH=src $T fit formal.data --copy --seconds 300 -o formal
       $T pack formal/model --style formal --name copy -o packs/nmt-copy
Needs  torch for ``fit``; paraphrast, installed, for the others.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.nmt import settings, weights

MODEL, RECORD = "model", "record.json"
SECONDS_BETWEEN_LINES = 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    _add_prepare(commands.add_parser("prepare"))
    _add_fit(commands.add_parser("fit"))
    _add_pack(commands.add_parser("pack"))
    options = parser.parse_args()
    try:
        options.run(options)
    except ParaphrastError as error:
        sys.exit(f"error: {error}")


def _add_prepare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pairs", type=Path, nargs="+", help="TSV or JSONL of pairs")
    parser.add_argument("--held-out", type=Path, nargs="+", required=True)
    parser.add_argument("--more", type=Path, nargs="+", default=[])
    parser.add_argument("--times", type=int, default=1, help="of PAIRS beside --more")
    parser.add_argument("--reverse", action="store_true", help="swap the sides")
    parser.add_argument("--rules", metavar="STYLE", help="clean up sources by rules")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--vocabulary", type=int, default=25_000)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.set_defaults(run=prepare)


def prepare(options: argparse.Namespace) -> None:
    from paraphrast.nmt.clean_up import load_rules
    from paraphrast.nmt.preparing import Preparation, prepare

    learned = [*_read(options.pairs, options.reverse)] * options.times
    how = Preparation(
        vocabulary=settings.Vocabulary(options.vocabulary),
        vectors=options.embeddings,
        clean_up=load_rules(options.rules).clean_texts if options.rules else None,
    )
    prepared = prepare(
        [*learned, *_read(options.more, options.reverse)],
        _read(options.held_out, options.reverse),
        how,
    )
    prepared.data.save(options.output)
    data = prepared.data
    print(
        f"{len(data.train):,} pairs, {len(data.held):,} held out, "
        f"{len(data.vocabulary):,} words; dropped {dict(prepared.dropped)} "
        f"-> {options.output}"
    )


def _read(paths: list[Path], reverse: bool) -> Iterator[tuple[str, str]]:
    from paraphrast.corpora.formats import read_pairs

    for path in paths:
        for pair in read_pairs(path):
            sides = pair.source, pair.target
            yield sides[::-1] if reverse else sides


def _add_fit(parser: argparse.ArgumentParser) -> None:
    default = settings.Training()
    parser.add_argument("data", type=Path)
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--no-vectors", action="store_true", help="random embeddings")
    parser.add_argument("--bits", type=int, default=weights.BITS, help="of a weight")
    parser.add_argument("--hidden", type=int, default=settings.Architecture.hidden)
    parser.add_argument("--layers", type=int, default=settings.Architecture.layers)
    parser.add_argument("--epochs", type=int, default=default.epochs)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--batch-tokens", type=int, default=default.batch_tokens)
    parser.add_argument("--learning-rate", type=float, default=default.learning_rate)
    parser.add_argument("--dropout", type=float, default=default.dropout)
    parser.add_argument("--evaluate-every", type=int, default=default.evaluate_every)
    parser.add_argument("--patience", type=int, default=default.patience)
    parser.add_argument("--device", default=default.device)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.set_defaults(run=fit)


def fit(options: argparse.Namespace) -> None:
    from paraphrast.nmt.training.learner import Arrays, train
    from paraphrast.nmt.training_data import TrainingData

    data = TrainingData.load(options.data)
    size = settings.Architecture.embedding
    if options.no_vectors:
        data = replace(data, vectors=None)
    elif data.vectors is not None:
        size = data.vectors.shape[1]
    try:
        architecture = settings.Architecture(
            size, options.hidden, options.layers, options.copy
        )
        how = settings.Training(
            epochs=options.epochs,
            seconds=options.seconds,
            batch_tokens=options.batch_tokens,
            learning_rate=options.learning_rate,
            dropout=options.dropout,
            evaluate_every=options.evaluate_every,
            patience=options.patience,
            device=options.device,
            seed=options.seed,
        )
    except ValueError as error:
        raise ParaphrastError(str(error)) from error
    options.output.mkdir(parents=True, exist_ok=True)
    name, began = options.output.name, time.monotonic()

    def write_model(arrays: Arrays) -> None:
        model = weights.make_weights(architecture, data.vocabulary, arrays)
        rounded = weights.round_weights(model, options.bits)
        weights.save(options.output / MODEL, rounded)

    trained = train(
        data,
        architecture,
        how,
        options.output,
        progress=_printer(name),
        take_best=write_model,
    )
    write_model(trained.arrays)
    record = {
        "pairs": len(data.train),
        "held_out": len(data.held),
        "words": len(data.vocabulary),
        "perplexity": trained.perplexity,
        "seconds": round(time.monotonic() - began, 1),
        "history": trained.history,
    }
    (options.output / RECORD).write_text(json.dumps(record, indent=1), "utf-8")
    print(f"{name}: perplexity {trained.perplexity} -> {options.output / MODEL}")


def _printer(name: str) -> Any:
    """Return a function that prints occasional lines, and one per evaluation."""
    shown = 0.0

    def show(report: Any) -> None:
        nonlocal shown
        if report.held_out is not None:
            line = f"held-out loss {report.held_out:.4f}"
        elif time.monotonic() - shown > SECONDS_BETWEEN_LINES:
            shown = time.monotonic()
            line = f"loss {report.loss:.4f}, {report.tokens_per_second:,.0f} tokens/s"
        else:
            return
        print(f"{name}: step {report.step:,} of {report.steps:,}: {line}", flush=True)

    return show


def _add_pack(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path)
    parser.add_argument("--style", required=True)
    parser.add_argument("--name", default="NMT", help="of the system, for its card")
    parser.add_argument("--rules", action="store_true", help="as in `prepare`")
    parser.add_argument("--learned-from", type=Path, nargs="+", default=[])
    parser.add_argument("--licence", nargs="+", default=[])
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.set_defaults(run=pack)


def pack(options: argparse.Namespace) -> None:
    from paraphrast.nmt import building
    from paraphrast.nmt.model import Settings
    from paraphrast.storage import packs

    model = weights.load(options.model)
    made = building.write_pack(
        model,
        options.output,
        style=options.style,
        line=f"{options.name}, an LSTM with attention",
        settings=Settings(clean_up=options.rules),
        origin=building.Origin(
            tuple(
                packs.describe_files(options.learned_from, ", ".join(options.licence))
            ),
            tuple(options.licence),
        ),
    )
    print(f"-> {made.folder}")


if __name__ == "__main__":
    main()
