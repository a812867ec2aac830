"""``paraphrast phrase …``: parse, call, print."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paraphrast.cli.language_models import app as language_model

if TYPE_CHECKING:
    from paraphrast.phrase.decoder import Hypothesis
    from paraphrast.phrase.model import Model, Tuning
    from paraphrast.phrase.summary import Summary
    from paraphrast.phrase.training import Texts

app = typer.Typer(
    no_args_is_help=True, help="Learn to rewrite from parallel text, phrase by phrase."
)
app.add_typer(language_model, name="lm")

LEAST_GAIN = 0.1  # of BLEU: a round of tuning that gains less is the last
Home = Annotated[
    Path | None,
    typer.Option("--packs", envvar="PARAPHRAST_PACKS", help="The folder of packs."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PackName = Annotated[
    str, typer.Argument(metavar="PACK", help="A pack: its folder, or its name.")
]
Tokenized = Annotated[
    bool, typer.Option("--tokenized", help="Texts are tokens parted by blanks.")
]
Method = Annotated[str, typer.Option(help="How to tune: mert, mira or pro.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace a pack in the way.")]
Fast = Annotated[
    bool, typer.Option("--fast", help="Search less widely, several times faster.")
]
Seed = Annotated[int, typer.Option(help="Same seed, same pack.")]


@app.callback()
def phrase() -> None:
    """Learn to rewrite from parallel text, phrase by phrase."""


@app.command()
def train(
    source: Annotated[Path, typer.Argument(help="Sentences, one a line.")],
    target: Annotated[Path, typer.Argument(help="The same in the style to learn.")],
    to: Annotated[
        str | None, typer.Option(help="The style's name; else the target file's.")
    ] = None,
    style_text: Annotated[
        list[Path] | None,
        typer.Option("--lm", help="More text in the style; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for the pack.")
    ] = None,
    tune_source: Annotated[
        Path | None, typer.Option(help="Sentences to tune on, not trained on.")
    ] = None,
    tune_target: Annotated[
        Path | None, typer.Option(help="The same in the style.")
    ] = None,
    method: Method = "mert",
    using: Annotated[
        list[str] | None,
        typer.Option(help="An aligner; see `align list`. May be repeated."),
    ] = None,
    symmetrisation: Annotated[
        str | None, typer.Option(help="How to join both directions.")
    ] = None,
    contrast: Annotated[
        bool | None,
        typer.Option(
            "--contrast/--no-contrast",
            help="Weigh a language model of the source too; else when tuning.",
        ),
    ] = None,
    longest: Annotated[int | None, typer.Option(help="Words in a phrase.")] = None,
    order: Annotated[int | None, typer.Option(help="Of the language model.")] = None,
    tokenized: Tokenized = False,
    licence: Annotated[
        str | None, typer.Option(help="Of the texts; the pack will name it.")
    ] = None,
    seed: Seed = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped run.")
    ] = False,
    replace: Replace = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Train a pack that rewrites the source's style into the target's.

    The files are parallel line by line. The pack appears when all is done, and
    `paraphrast rewrite --to STYLE --using phrase` then uses it.

    Examples:

      paraphrast phrase train modern.txt shakespeare.txt --to shakespeare

      paraphrast phrase train a.txt b.txt --lm more.txt -o my-pack
    """
    from paraphrast.phrase import training
    from paraphrast.storage import packs

    style = to or target.name.split(".")[0]
    folder = output or packs.place(style, home or packs.HOME)
    packs.refuse_taken(folder, replacing=replace)
    tuning = _tuning(tune_source, tune_target, method, tokenised=tokenized)
    settings = training.settings(
        aligners=using,
        contrast=tuning is not None if contrast is None else contrast,
        symmetrisation=symmetrisation,
        longest=longest,
        order=order,
        tokenised=tokenized,
        seed=seed,
    )
    with _steps(training.steps(settings, tuning=tuning is not None)) as progress:
        made = training.train(
            _texts([source, target, *(style_text or [])], licence),
            folder,
            style=style,
            settings=settings,
            tuning=tuning,
            progress=progress,
            resume=resume,
            replacing=replace,
        )
    if as_json:
        print(json.dumps({"pack": str(folder)} | asdict(made.summary)))
        return
    print("\n".join(_lines(made.summary)))
    print(f"-> {folder}")


@app.command()
def show(
    name: PackName,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every byte with its sha256.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say what a pack writes, what it was trained on and what it has learned.

    Example: paraphrast phrase show shakespeare --verify
    """
    from paraphrast.phrase.model import load_pack
    from paraphrast.phrase.summary import FILE, Summary
    from paraphrast.storage import packs

    pack = packs.find(name, home or packs.HOME)
    if verify:
        packs.verify(pack.folder)
    loaded = load_pack(pack.folder)
    found = Summary.load(pack.folder / FILE)
    weights = dict(zip(loaded.features, loaded.decoder.weights.tolist(), strict=True))
    if as_json:
        report = asdict(pack.about) | {"summary": asdict(found), "weights": weights}
        print(json.dumps(report))
        return
    print(f"{pack.folder}: writes {', '.join(pack.about.styles)}")
    for data in pack.about.data:
        print(f"trained on {data.name} ({data.licence}, sha256 {data.sha256[:12]}…)")
    for score in pack.about.scores:
        print(f"{score.name} {score.value:.2f}  {score.signature}")
    print("\n".join(_lines(found)))
    print("weights: " + ", ".join(f"{n} {w:.3g}" for n, w in weights.items()))


@app.command()
def decode(
    name: PackName,
    path: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="Tokenised lines. Without: stdin.")
    ] = Path("-"),
    number: Annotated[
        int, typer.Option("-n", min=1, help="Candidates a line, in Moses' format.")
    ] = 1,
    closeness: Annotated[
        float | None, typer.Option(help="What a kept word is worth: the style knob.")
    ] = None,
    fast: Fast = False,
    threads: Annotated[int, typer.Option(min=1, max=64)] = 1,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Rewrite tokenised lines, in lower case, as papers score them.

    Every line gives one line. With -n the candidates come as Moses writes them:
    line number, words, features, score.

    Example: paraphrast phrase decode shakespeare test.modern > output
    """
    from itertools import islice

    from paraphrast.corpora.lines import read_lines
    from paraphrast.phrase.decoder import FAST

    loaded = _loaded(name, home).closer(closeness)
    if fast:
        loaded = loaded.searching(FAST)
    lines = read_lines(path)
    done = 0
    while batch := [line.lower().split() for line in islice(lines, 1000)]:
        found = loaded.decoder.alternatives(batch, number, threads=threads)
        for place, candidates in enumerate(found, start=done):
            for candidate in candidates:
                print(_candidate(loaded, place, candidate, number, as_json))
        done += len(batch)


@app.command()
def table(
    name: PackName,
    words: Annotated[list[str], typer.Argument(metavar="PHRASE")],
    number: Annotated[int, typer.Option("-n", min=1, help="Options to show.")] = 10,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List what a phrase may become, how probable that is, and where it was seen.

    Example: paraphrast phrase table shakespeare "you are"
    """
    from paraphrast.phrase.examples import shown
    from paraphrast.phrase.surface import lowered, tokens_of

    loaded = _loaded(name, home)
    phrase = lowered(tokens_of(" ".join(words)))
    options = loaded.table.of(phrase, limit=number)
    if as_json:
        print(json.dumps([asdict(option) for option in options], ensure_ascii=False))
        return
    if not options:
        print(f"the table has nothing for {' '.join(phrase)!r}.", file=sys.stderr)
    place = loaded.table.names.index("phrase")
    for option in options:
        target = " ".join(option.target) or "(nothing)"
        seen = ""
        if option.example is not None:
            example = loaded.examples.pair(option.example)[1]
            seen = f"e.g. {shown(example, target)}"
        print(f"{option.probabilities[place]:.4f}  {option.count:6g}  {target}  {seen}")


@app.command()
def tune(
    name: PackName,
    source: Annotated[Path, typer.Argument(help="Sentences not trained on.")],
    target: Annotated[Path, typer.Argument(help="The same in the style.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A new pack; else this one.")
    ] = None,
    method: Method = "mert",
    tokenized: Tokenized = False,
    seed: Seed = 1,
    threads: Annotated[int, typer.Option(min=1, max=64)] = 1,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Tune a pack's weights to BLEU on pairs that it was not trained on.

    Example: paraphrast phrase tune shakespeare dev.modern dev.original -o tuned
    """
    from paraphrast.phrase import model
    from paraphrast.storage import packs

    pack = packs.find(name, home or packs.HOME)
    wanted = _pairs_to_tune_on(source, target, method, tokenised=tokenized)
    loaded = model.load_pack(pack.folder)
    with _steps(1) as progress:
        progress("tuning")
        weights, found = model.tuned(loaded, wanted, seed=seed, threads=threads)
    changed = model.with_weights(pack, weights, output or pack.folder)
    report = {"pack": str(changed.folder), "weights": weights}
    print(json.dumps(report) if as_json else f"{found.summary()} -> {changed.folder}")


@app.command("export-table")
def export_table(
    name: PackName,
    table: Annotated[Path, typer.Argument(help="File to write; .gz compresses it.")],
    reordering: Annotated[
        Path | None, typer.Option(help="File for the reordering table.")
    ] = None,
    home: Home = None,
) -> None:
    """Write a pack's phrase table as Moses reads it.

    Example: paraphrast phrase export-table shakespeare phrase-table.gz
    """
    from paraphrast.phrase import moses_tables

    moses_tables.write(_loaded(name, home).table, table, reordering=reordering)


@app.command("import-table")
def import_table(
    name: PackName,
    table: Annotated[Path, typer.Argument(help="Phrase table in Moses' format.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.")],
    reordering: Annotated[
        Path | None, typer.Option(help="Reordering table (msd-bidirectional-fe).")
    ] = None,
    home: Home = None,
) -> None:
    """Write a copy of a pack with a phrase table that Moses or another tool made.

    Weights of scores that the new table lacks are dropped: tune the pack again.

    Example: paraphrast phrase import-table shakespeare phrase-table.gz -o new-pack
    """
    from paraphrast.phrase import model, moses_tables
    from paraphrast.storage import packs

    pack = packs.find(name, home or packs.HOME)
    new = moses_tables.read(table, reordering=reordering)
    print(f"{len(new):,} options -> {model.with_table(pack, new, output).folder}")


def _texts(paths: Sequence[Path], licence: str | None) -> "Texts":
    from paraphrast.corpora.lines import read_columns, read_texts
    from paraphrast.phrase.training import Texts
    from paraphrast.storage.packs import Data, sha256

    source, target, *more = paths
    pairs = [(left, right) for left, right in read_columns([source, target])]
    return Texts(
        pairs,
        [line for path in more for line in read_texts(path)],
        [Data(path.name, sha256(path), licence or "unknown") for path in paths],
        [licence] if licence else [],
    )


def _tuning(
    source: Path | None, target: Path | None, method: str, *, tokenised: bool
) -> "Tuning | None":
    from paraphrast.errors import ParaphrastError

    if source is None and target is None:
        return None
    if source is None or target is None:
        raise ParaphrastError("tuning needs both --tune-source and --tune-target.")
    return _pairs_to_tune_on(source, target, method, tokenised=tokenised)


def _pairs_to_tune_on(
    source: Path, target: Path, method: str, *, tokenised: bool
) -> "Tuning":
    from paraphrast.corpora.lines import read_columns
    from paraphrast.metrics.bleu import Bleu
    from paraphrast.phrase.model import Tuning

    pairs = [(left, right) for left, right in read_columns([source, target])]
    metric = Bleu(tokenize="none", smoothing="none")
    return Tuning(pairs, metric, method, least_gain=LEAST_GAIN, tokenised=tokenised)


def _loaded(name: str, home: Path | None) -> "Model":
    from paraphrast.phrase.model import load_pack
    from paraphrast.storage import packs

    return load_pack(packs.find(name, home or packs.HOME).folder)


def _candidate(
    loaded: "Model", place: int, candidate: "Hypothesis", number: int, as_json: bool
) -> str:
    words = " ".join(candidate.words)
    if as_json:
        features = dict(zip(loaded.features, candidate.features.tolist(), strict=True))
        record = {"line": place, "text": words, "score": candidate.score}
        return json.dumps(record | {"features": features}, ensure_ascii=False)
    if number == 1:
        return words
    listed = " ".join(
        f"{name.replace(' ', '_')}= {value:.6g}"
        for name, value in zip(loaded.features, candidate.features, strict=True)
    )
    return f"{place} ||| {words} ||| {listed} ||| {candidate.score:.6g}"


def _lines(found: "Summary") -> Iterator[str]:
    yield (
        f"{found.pairs:,} pairs ({found.source_words:,} and {found.target_words:,} "
        f"words) and {found.style_sentences:,} more sentences in the style"
    )
    if found.dropped:
        reasons = ", ".join(f"{why}: {count:,}" for why, count in found.dropped.items())
        yield f"left out: {reasons}"
    ngrams = " + ".join(f"{count:,}" for count in found.ngrams)
    yield f"{found.options:,} options of {found.phrases:,} phrases; n-grams: {ngrams}"
    if found.tuning:
        yield f"tuned: {found.tuning}"
    if found.changed:
        yield "most changed words:"
    for word in found.changed:
        yield f"  {word.word} -> {', '.join(word.replacements)}  ({word.count:,})"
    if found.samples:
        yield "sentences that it was not trained on:"
    for sample in found.samples:
        yield f"  {sample.source}\n    ours:   {sample.rewrite}"
        yield f"    theirs: {sample.target}"


@contextmanager
def _steps(total: int) -> Iterator[Callable[[str], None]]:
    """Show on stderr which step is being done, of how many, and for how long."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading", total=total)
        started = 0

        def show(step: str) -> None:
            nonlocal started
            bar.update(task, description=step, completed=started)
            started += 1

        yield show
