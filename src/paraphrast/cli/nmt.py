"""``paraphrast nmt …``: parse, call, print."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack

if TYPE_CHECKING:
    from paraphrast.nmt.building import Plan, Texts

app = typer.Typer(
    no_args_is_help=True,
    help="Train LSTM encoder-decoders with attention on pairs, and augment the pairs.",
)


@dataclass(frozen=True)
class _Training:
    """The arguments of `train`; the command documents the fields."""

    pairs: list[Path]
    style: str
    dev: list[Path] | None = None
    more: list[Path] | None = None
    times: options.Count = 1
    reverse: bool = False
    copy: bool = False
    rules: bool = False
    embeddings: Path | None = None
    output: options.NewPack = None
    vocabulary: options.CountOrNone = None
    min_count: options.CountOrNone = None
    embedding_size: options.CountOrNone = None
    hidden: options.CountOrNone = None
    layers: options.CountOrNone = None
    epochs: options.CountOrNone = None
    seconds: float | None = None
    batch_tokens: options.CountOrNone = None
    learning_rate: float | None = None
    dropout: float | None = None
    patience: options.CountOrNone = None
    beam: options.CountOrNone = None
    device: options.Device = "auto"
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
    """Train a pack that rewrites text in the style of the pairs' targets.

    Training requires the extra `train` (torch), running the pack does not. Each file is
    TSV or JSONL with source and target. Use the pack with `paraphrast rewrite --to
    STYLE --using nmt`.

    Examples:

    paraphrast nmt train pairs.tsv --style formal --dev tune.tsv

    paraphrast nmt train pairs.tsv --style formal --dev tune.tsv --copy --rules --more
    back.tsv --times 6 -o packs/combined

    Options:
        pairs PAIRS: Files of pairs, TSV or JSONL.
        style --style STYLE: Name of the targets' style.
        dev: Held-out pairs for early stopping; repeatable. [default: 200 of PAIRS]
        more: Pairs written by `nmt augment`; repeatable.
        times: Number of times to repeat PAIRS relative to the pairs of --more.
        reverse: Swap the sides of all pairs.
        copy: Use a copy mechanism (pointer network).
        rules: Preprocess sources by the rules of the style, in training and rewriting.
        embeddings: Text file of pretrained word vectors in GloVe's format.
        vocabulary: Maximum words in the vocabulary. [default: 50000]
        min_count: Minimum number of pairs that contain a vocabulary word. [default: 2]
        embedding_size: Size of the embeddings. [default: 300]
        hidden: Hidden units. [default: 500]
        layers: Layers of encoder and decoder. [default: 2]
        epochs: Maximum epochs. [default: 20]
        seconds: Time limit of training. [default: none]
        batch_tokens: Tokens per batch. [default: 4096]
        learning_rate: Peak learning rate of Adam. [default: 0.001]
        dropout: Dropout probability. [default: 0.3]
        patience: Evaluations without improvement before early stopping. [default: 3]
        beam: Beam size of the pack. [default: 5]
    """
    from paraphrast.nmt.building import build_pack
    from paraphrast.storage import packs

    folder = asked.output or packs.path_for(
        asked.style, asked.packs_folder or packs.HOME
    )
    packs.refuse_taken(folder, replacing=asked.replace)
    plan = _make_plan(asked)
    texts = _read_texts(asked)
    with printing.show_training() as show:
        built = build_pack(
            texts,
            folder,
            style=asked.style,
            plan=plan,
            progress=show,
            resume=asked.resume,
            replacing=asked.replace,
        )
    printing.print_trained(folder, built.summary, as_json=asked.as_json)


@dataclass(frozen=True)
class _Augmenting:
    """The arguments of `augment`; the command documents the fields."""

    texts: Path
    to: options.ToAny
    output: options.NewFile
    using: options.UsingRewriter = None
    pack: str | None = None
    back: bool = False
    min_words: options.Count = 5
    max_words: options.Count = 25
    min_change: Annotated[int, typer.Option(min=0)] = 0
    seed: options.Seed = options.SEED
    resume: options.Resume = False
    packs_folder: options.Packs = None
    as_json: options.Json = False


@app.command()
@describe
@unpack
def augment(asked: _Augmenting) -> None:
    """Make training pairs from unpaired text with any rewriter.

    The rewrites become targets (self-training) or, with --back, sources
    (back-translation). Pass the file to `nmt train --more`.

    Examples:

    paraphrast nmt augment informal.txt --to formal --using phrase --min-change 10 -o
    self.tsv

    paraphrast nmt augment formal.txt --to informal --using phrase --back -o back.tsv

    Options:
        texts FILE: Texts to rewrite, one per line; - is standard input.
        to --to STYLE: Target style of the rewriter.
        pack PACK: Name or folder of the pack for rewriting.
        back: Use the rewrites as sources and the texts as targets.
        min_words: Minimum words of a text.
        max_words: Maximum words of a text.
        min_change: Minimum number of characters inserted or deleted; pairs must exceed
            it.
    """
    import paraphrast
    from paraphrast import config
    from paraphrast.corpora.formats import choose
    from paraphrast.corpora.lines import read_texts
    from paraphrast.nmt.augmentation import Augmentation, Selection
    from paraphrast.storage.resumable import Journal, identity

    limits = {"least_words": asked.min_words, "most_words": asked.max_words}
    limits["least_change"] = asked.min_change
    selection = config.build(limits, Selection, where="options")
    form = choose([asked.output])
    loaded = paraphrast.load(
        asked.to, using=asked.using, pack=asked.pack, packs=asked.packs_folder
    )

    def rewrite(texts: Sequence[str]) -> list[str]:
        return [result.text for result in loaded.rewrite(texts, seed=asked.seed)]

    job = Augmentation(rewrite, selection, asked.back)
    settings: dict[str, object] = {"to": asked.to, "using": asked.using}
    settings |= {"pack": asked.pack, "back": asked.back, "seed": asked.seed}
    settings |= {"limits": asdict(selection), "texts": _identify(asked.texts, identity)}
    kept = done = 0
    with (
        Journal([asked.output], settings, resume=asked.resume) as journal,
        printing.show_bar("rewriting", total=None) as advance,
    ):
        kept, done = journal.state.get("kept", 0), journal.state.get("done", 0)
        job.dropped.update(journal.state.get("dropped", {}))
        for number, pairs in job.run(_skip(read_texts(asked.texts), done)):
            lines = [form.encode((p.source, p.target))[0] for p in pairs]
            kept, done = kept + len(pairs), done + number
            part = "".join(f"{line}\n" for line in lines).encode("utf-8")
            state = {"kept": kept, "done": done, "dropped": dict(job.dropped)}
            journal.add([part], state)
            advance(number)
    report = [f"kept {kept:,} of {done:,} texts -> {asked.output}"]
    report += [f"dropped {n:,}: {why}" for why, n in job.dropped.most_common()]
    record = {"kept": kept, "texts": done, "dropped": dict(job.dropped)}
    printing.print_report(record, report, as_json=asked.as_json)


@app.command()
def show(
    name: options.PackName,
    verify: options.Verify = False,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Show a pack's styles, sizes and origin.

    Example: paraphrast nmt show formal --verify
    """
    from paraphrast.nmt.model import load_pack

    pack = options.find_pack(name, packs_folder, verify=verify)
    model = load_pack(pack.folder)
    architecture = model.network.model.architecture
    words = len(model.network.model.vocabulary)
    sizes = f"{architecture.layers} layers of {architecture.hidden} units"
    more = ["copies source words" if architecture.copy else "no copy mechanism"]
    if model.settings.clean_up:
        more.append("sources are preprocessed by the rules")
    record: dict[str, Any] = {"settings": asdict(model.settings)}
    record |= {"architecture": asdict(architecture), "words": words}
    printing.print_pack(
        pack, f"{sizes}, {words:,} words", more, record, as_json=as_json
    )


def _make_plan(asked: _Training) -> "Plan":
    """Return a training plan; omitted settings have their defaults."""
    from paraphrast import config
    from paraphrast.nmt.building import Plan

    given = options.drop_missing
    table: dict[str, Any] = {
        "architecture": given(
            embedding=asked.embedding_size,
            hidden=asked.hidden,
            layers=asked.layers,
            copy=asked.copy,
        ),
        "vocabulary": given(size=asked.vocabulary, least_count=asked.min_count),
        "training": given(
            epochs=asked.epochs,
            seconds=asked.seconds,
            batch_tokens=asked.batch_tokens,
            learning_rate=asked.learning_rate,
            dropout=asked.dropout,
            patience=asked.patience,
            device=asked.device,
            seed=asked.seed,
        ),
        "search": given(beam=asked.beam),
        "rules": asked.rules,
    }
    if asked.embeddings is not None:
        table["embeddings"] = str(asked.embeddings)
    return config.build(table, Plan, where="options")


def _read_texts(asked: _Training) -> "Texts":
    from paraphrast.corpora.formats import read_pairs
    from paraphrast.errors import ParaphrastError
    from paraphrast.nmt.building import Origin, Texts
    from paraphrast.storage.packs import describe_files

    def read(paths: Sequence[Path]) -> list[tuple[str, str]]:
        pairs = [pair for path in paths for pair in read_pairs(path)]
        sides = [(pair.source, pair.target) for pair in pairs]
        return [pair[::-1] for pair in sides] if asked.reverse else sides

    more, dev = asked.more or [], asked.dev or []
    held_out = read(dev)
    if dev and not held_out:
        raise ParaphrastError(f"{dev[0]} has no pairs. Check the file given by --dev.")
    return Texts(
        read(asked.pairs),
        read(more),
        held_out,
        asked.times,
        Origin(
            tuple(describe_files([*asked.pairs, *more, *dev], asked.licence)),
            (asked.licence,) if asked.licence else (),
        ),
    )


def _skip(texts: Iterator[str], number: int) -> Iterator[str]:
    for index, text in enumerate(texts):
        if index >= number:
            yield text


def _identify(path: Path, identity: Any) -> object:
    return "standard input" if path == Path("-") else identity(path)
