"""``paraphrast phrase …``: parse, call, print."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.cli.language_models import app as language_model

if TYPE_CHECKING:
    from paraphrast.phrase.decoder import Hypothesis
    from paraphrast.phrase.model import Model, Tuning
    from paraphrast.phrase.training import Settings, Texts, Trained

app = typer.Typer(no_args_is_help=True, help="Train and use phrase-based rewriters.")
app.add_typer(language_model, name="lm")

LEAST_GAIN = 0.1  # in BLEU: tuning stops after a round that gains less
Method = Annotated[str, options.choice("mert", "mira", "pro", help="Tuning algorithm.")]


@dataclass(frozen=True)
class _Training:
    """The arguments of `train`; the command documents the fields."""

    source: Path
    target: Path
    to: str | None = None
    style_text: list[Path] | None = None
    rules: bool = False
    unlabelled: list[Path] | None = None
    least_edits: Annotated[int, typer.Option(min=0)] = 10
    general: list[Path] | None = None
    output: options.NewPack = None
    tune_source: Path | None = None
    tune_target: Path | None = None
    method: Method = "mert"
    using: list[str] | None = None
    symmetrisation: str | None = None
    contrast: bool | None = None
    longest: int | None = None
    order: int | None = None
    tokenized: options.Tokenized = False
    licence: options.Licence = None
    seed: options.Seed = options.SEED
    resume: options.Resume = False
    replace: options.Replace = False
    packs_folder: options.Packs = None
    as_json: options.Json = False


@app.command()
@describe
@unpack
def train(asked: _Training) -> None:
    """Train a pack that rewrites text from the source's style to the target's.

    The files are parallel line by line. The pack appears only when it is complete; use
    it with `paraphrast rewrite --to STYLE --using phrase`.

    Examples:

    paraphrast phrase train modern.txt shakespeare.txt --to shakespeare

    paraphrast phrase train a.txt b.txt --lm more.txt -o my-pack

    paraphrast phrase train informal.txt formal.txt --to formal --rules --unlabelled
    chat.txt --general speeches.txt

    Options:
        source SOURCE: Sentences, one per line.
        target TARGET: The same sentences in the style to learn.
        to STYLE: Name of the style. [default: the target file's]
        style_text --lm: Additional text in the style, for the language model;
            repeatable.
        rules: Preprocess sources by the rules of the style, in training and rewriting.
        unlabelled FILE: Text in the source's style, for self-training; repeatable.
        least_edits: Minimum number of changed characters in self-training; rewrites
            must exceed it.
        general FILE: General text from which language-model data similar to the target
            is selected (Moore and Lewis 2010); repeatable.
        tune_source: Sentences for tuning, not in the training data.
        tune_target: The tuning sentences in the style.
        using ALIGNER: Aligner to use; see `align list`; repeatable.
        symmetrisation METHOD: Symmetrisation of the two alignment directions.
        contrast --contrast/--no-contrast: Use a language model of the source style as a
            feature. [default: only when tuning]
        longest: Maximum words per phrase.
        order: N-gram order of the language model.
    """
    from paraphrast.phrase import training
    from paraphrast.phrase.decoder import FAST
    from paraphrast.storage import packs

    style = asked.to or asked.target.name.split(".")[0]
    folder = asked.output or packs.path_for(style, asked.packs_folder or packs.HOME)
    packs.refuse_taken(folder, replacing=asked.replace)
    tuning = _read_tuning(
        asked.tune_source,
        asked.tune_target,
        asked.method,
        tokenised=asked.tokenized,
    )
    tuned = tuning is not None
    settings = training.settings(
        aligners=asked.using,
        contrast=tuned if asked.contrast is None else asked.contrast,
        symmetrisation=asked.symmetrisation,
        longest=asked.longest,
        order=asked.order,
        tokenised=asked.tokenized,
        rules=style if asked.rules else "",
        search=FAST if asked.rules else None,
        seed=asked.seed,
    )
    paths = [asked.source, asked.target, *(asked.style_text or [])]
    texts = _read_texts(paths, asked.licence)
    if asked.unlabelled or asked.general:
        made = _train_with_unlabelled(asked, texts, folder, style, settings, tuning)
    else:
        with printing.show_stages(training.steps(settings, tuning=tuned)) as progress:
            made = training.train(
                texts,
                folder,
                style=style,
                settings=settings,
                tuning=tuning,
                progress=progress,
                resume=asked.resume,
                replacing=asked.replace,
            )
    printing.print_trained(folder, made.summary, as_json=asked.as_json)


@app.command()
def show(
    name: options.PackName,
    verify: options.Verify = False,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Show a pack's styles, training data and contents.

    Example: paraphrast phrase show shakespeare --verify
    """
    from paraphrast.phrase.model import load_pack
    from paraphrast.phrase.summary import FILE, Summary

    pack = options.find_pack(name, packs_folder, verify=verify)
    loaded = load_pack(pack.folder)
    summary = Summary.load(pack.folder / FILE)
    weights = dict(zip(loaded.features, loaded.decoder.weights.tolist(), strict=True))
    record = {"summary": asdict(summary), "weights": weights}
    shown = ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items())
    more = [*summary.lines(), f"weights: {shown}"]
    sizes = f"{summary.options:,} options"
    printing.print_pack(pack, sizes, more, record, as_json=as_json)


@app.command()
@describe
def decode(
    name: options.PackName,
    path: Path = Path("-"),
    number: Annotated[int, typer.Option("-n", "--alternatives", min=1)] = 1,
    closeness: float | None = None,
    fast: bool = False,
    threads: options.Threads = 1,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Rewrite tokenised, lower-cased lines, as scored in papers.

    Prints one line per input line; with -n, the candidates in Moses' n-best format:
    line number, words, features, score.

    Example: paraphrast phrase decode shakespeare test.modern > output

    Options:
        path [FILE]: Tokenised lines; reads standard input if omitted.
        number: Candidates per line, in Moses' n-best format.
        closeness: Weight of unchanged words; a higher weight keeps the output closer to
            the input.
        fast: Narrower search, several times faster.
    """
    from itertools import islice

    from paraphrast.corpora.lines import read_lines
    from paraphrast.phrase.decoder import FAST

    loaded = _load_model(name, packs_folder).with_closeness(closeness)
    if fast:
        loaded = loaded.with_search(FAST)
    lines = read_lines(path)
    done = 0
    while batch := [line.lower().split() for line in islice(lines, 1000)]:
        decoded = loaded.decoder.alternatives(batch, number, threads=threads)
        for index, candidates in enumerate(decoded, start=done):
            for candidate in candidates:
                _print_candidate(loaded, index, candidate, number, as_json=as_json)
        done += len(batch)


@app.command()
@describe
def table(
    name: options.PackName,
    words: list[str],
    number: Annotated[int, typer.Option("-n", "--alternatives", min=1)] = 10,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """List the translations of a phrase, with probabilities, counts and an example.

    Example: paraphrast phrase table shakespeare "you are"

    Options:
        words PHRASE: Phrase to look up.
        number: Translations to show.
    """
    from paraphrast.phrase.examples import excerpt
    from paraphrast.phrase.surface import lowercase, tokens_of

    loaded = _load_model(name, packs_folder)
    phrase = lowercase(tokens_of(" ".join(words)))
    entries = loaded.table.of(phrase, limit=number)
    if not entries and not as_json:
        printing.print_note(f"the phrase table has no entry for {' '.join(phrase)!r}.")
        return
    column = loaded.table.names.index("phrase")
    lines = []
    for entry in entries:
        target = " ".join(entry.target) or "(nothing)"
        seen = ""
        if entry.example is not None:
            example = loaded.examples.pair(entry.example)[1]
            seen = f"e.g. {excerpt(example, target)}"
        chance = entry.probabilities[column]
        lines.append(f"{chance:.4f}  {entry.count:6g}  {target}  {seen}")
    records = [asdict(entry) for entry in entries]
    printing.print_report(records, lines, as_json=as_json)


@app.command()
@describe
def tune(
    name: options.PackName,
    source: Path,
    target: Path,
    output: Path | None = None,
    method: Method = "mert",
    tokenized: options.Tokenized = False,
    seed: options.Seed = options.SEED,
    threads: options.Threads = 1,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Tune a pack's weights for BLEU on held-out pairs.

    Example: paraphrast phrase tune shakespeare dev.modern dev.original -o tuned

    Options:
        source SOURCE: Held-out sentences, one per line.
        target TARGET: The same sentences in the style.
        output -o --output FOLDER: Folder of the new pack. [default: the same pack]
    """
    from paraphrast.phrase import model

    pack = options.find_pack(name, packs_folder)
    wanted = _read_tuning_pairs(source, target, method, tokenised=tokenized)
    loaded = model.load_pack(pack.folder)
    with printing.show_stages(1) as progress:
        progress("tuning")
        weights, result = model.tune_weights(loaded, wanted, seed=seed, threads=threads)
    changed = model.with_weights(pack, weights, output or pack.folder)
    record = {"pack": str(changed.folder), "weights": weights}
    lines = [f"{result.summary()} -> {changed.folder}"]
    printing.print_report(record, lines, as_json=as_json)


@app.command("export-table")
@describe
def export_table(
    name: options.PackName,
    table: Path,
    reordering: Path | None = None,
    packs_folder: options.Packs = None,
) -> None:
    """Write a pack's phrase table in Moses' format.

    Example: paraphrast phrase export-table shakespeare phrase-table.gz

    Options:
        table: File to write; .gz compresses it.
        reordering: File for the reordering table.
    """
    from paraphrast.phrase import moses_tables

    moses_tables.write(
        _load_model(name, packs_folder).table, table, reordering=reordering
    )


@app.command("import-table")
@describe
def import_table(
    name: options.PackName,
    table: Path,
    output: options.NewFolder,
    reordering: Path | None = None,
    packs_folder: options.Packs = None,
) -> None:
    """Write a copy of a pack with a phrase table that Moses or another tool made.

    Weights of features that the new table lacks are dropped: tune the pack again.

    Example: paraphrast phrase import-table shakespeare phrase-table.gz -o new-pack

    Options:
        table: Phrase table in Moses' format.
        reordering: Reordering table (msd-bidirectional-fe).
    """
    from paraphrast.phrase import model, moses_tables

    pack = options.find_pack(name, packs_folder)
    new = moses_tables.read(table, reordering=reordering)
    print(f"{len(new):,} options -> {model.with_table(pack, new, output).folder}")


def _read_texts(paths: Sequence[Path], licence: str | None) -> "Texts":
    from paraphrast.corpora.lines import read_columns, read_texts
    from paraphrast.phrase.training import Texts
    from paraphrast.storage.packs import describe_files

    source, target, *more = paths
    pairs = [(left, right) for left, right in read_columns([source, target])]
    return Texts(
        pairs,
        [line for path in more for line in read_texts(path)],
        describe_files(paths, licence),
        [licence] if licence else [],
    )


def _train_with_unlabelled(
    asked: _Training,
    texts: "Texts",
    folder: Path,
    style: str,
    settings: "Settings",
    tuning: "Tuning | None",
) -> "Trained":
    from paraphrast.corpora.lines import read_texts
    from paraphrast.errors import ParaphrastError
    from paraphrast.phrase import self_training

    if asked.resume:
        raise ParaphrastError(
            "self-training cannot be resumed. Leave out --resume, --unlabelled or "
            "--general."
        )
    source, general = (
        [line for path in paths or () for line in read_texts(path)]
        for paths in (asked.unlabelled, asked.general)
    )
    unlabelled = self_training.Unlabelled(source, general, asked.least_edits)
    count = self_training.steps(settings, tuning=tuning is not None)
    with printing.show_stages(count) as progress:
        return self_training.train(
            texts,
            unlabelled,
            folder,
            style=style,
            settings=settings,
            tuning=tuning,
            progress=progress,
            replacing=asked.replace,
        )


def _read_tuning(
    source: Path | None, target: Path | None, method: str, *, tokenised: bool
) -> "Tuning | None":
    from paraphrast.errors import ParaphrastError

    if source is None and target is None:
        return None
    if source is None or target is None:
        raise ParaphrastError("tuning needs both --tune-source and --tune-target.")
    return _read_tuning_pairs(source, target, method, tokenised=tokenised)


def _read_tuning_pairs(
    source: Path, target: Path, method: str, *, tokenised: bool
) -> "Tuning":
    from paraphrast.corpora.lines import read_columns
    from paraphrast.metrics.bleu import Bleu
    from paraphrast.phrase.model import Tuning

    pairs = [(left, right) for left, right in read_columns([source, target])]
    metric = Bleu(tokenize="none", smoothing="none")
    return Tuning(pairs, metric, method, least_gain=LEAST_GAIN, tokenised=tokenised)


def _load_model(name: str, packs_folder: Path | None) -> "Model":
    from paraphrast.phrase.model import load_pack

    return load_pack(options.find_pack(name, packs_folder).folder)


def _print_candidate(
    loaded: "Model", line: int, candidate: "Hypothesis", number: int, *, as_json: bool
) -> None:
    words = " ".join(candidate.words)
    features = dict(zip(loaded.features, candidate.features.tolist(), strict=True))
    if as_json:
        record = {"line": line, "text": words, "score": candidate.score}
        printing.print_json(record | {"features": features})
    elif number == 1:
        print(words)
    else:
        listed = " ".join(
            f"{name.replace(' ', '_')}= {value:.6g}" for name, value in features.items()
        )
        print(f"{line} ||| {words} ||| {listed} ||| {candidate.score:.6g}")
