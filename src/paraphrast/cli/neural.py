"""``paraphrast neural …``: parse, call, print."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from paraphrast.neural.finetune.trainer import Report
    from paraphrast.neural.models.generation import Decoding, Engine

CALIBRATION = 128  # pairs

app = typer.Typer(no_args_is_help=True, help="Train and run neural models of styles.")

Home = Annotated[
    Path | None,
    typer.Option("--packs", envvar="PARAPHRAST_PACKS", help="The folder of packs."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace what is in the way.")]


@app.callback()
def neural() -> None:
    """Train and run neural models of styles."""


@app.command()
def train(
    configuration: Annotated[
        Path, typer.Argument(metavar="CONFIG.toml", help="What to learn, and how.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A folder for the model.")
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped run.")
    ] = False,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Fine-tune a Hugging Face model on pairs: a paraphraser, or models of styles.

    The settings name a base and files of source, target and perhaps style, parted by
    tabs; docs/neural.md lists them. Paths count from the settings' own folder.

    Example: paraphrast neural train inverse.toml -o models/inverse
    """
    from paraphrast.neural.finetune import training
    from paraphrast.neural.finetune.settings import load

    with _progress() as show:
        made = training.train(
            load(configuration),
            output,
            progress=show,
            resume=resume,
            replacing=replace,
        )
    if as_json:
        print(json.dumps({"model": str(made.folder)} | made.record))
        return
    for step in made.record["history"]:
        loss = f"held-out loss {step['held_out']:.4f}" if "held_out" in step else "done"
        print(f"step {step['step']:.0f}: {loss}")
    print(f"-> {made.folder}")


@app.command()
def convert(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    to: Annotated[
        list[str],
        typer.Option(help="A style it writes, or STYLE=a line about it; repeat."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A folder for the pack.")
    ],
    through: Annotated[
        str, typer.Option(help="A style to pass through first, such as neutral.")
    ] = "",
    method: Annotated[str, typer.Option(help="greedy or beam.")] = "greedy",
    beam: Annotated[int, typer.Option(min=1, max=64, help="Of beam search.")] = 5,
    licence: Annotated[
        list[str] | None, typer.Option(help="Of the model and its texts; repeat.")
    ] = None,
    calibrate: Annotated[
        Path | None, typer.Option(help="Pairs like those to come, parted by tabs.")
    ] = None,
    evaluator: Annotated[
        list[str] | None, typer.Option(help="sha256 of a guide that took part; repeat.")
    ] = None,
    learned_from: Annotated[
        list[Path] | None,
        typer.Option(help="Training text, a sentence a line, not to recite; repeat."),
    ] = None,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Make a pack in 8 bits that rewrites without torch, and check it against torch.

    Example: paraphrast neural convert models/inverse --to old -o packs/old
    """
    from paraphrast.neural.finetune import converting

    decoding = _decoding(method=method, beam=beam)
    made = converting.convert(
        model,
        output,
        styles=dict(_style(given) for given in to),
        settings={"through": through, "decoding": decoding},
        licences=licence or (),
        evaluators=evaluator or (),
        calibration=_calibration(calibrate),
        learned_from=_sentences(learned_from or []),
        replacing=replace,
    )
    size = converting.size(made.pack.folder)
    if as_json:
        report = {"pack": str(made.pack.folder), "bytes": size}
        print(json.dumps(report | asdict(made.parity)))
        return
    print(
        f"{size / 1e6:.1f} MB; log-probabilities a piece differ from torch's by up to "
        f"{made.parity.exact:.1e} in 32 bits and {made.parity.int8:.3f} in 8"
    )
    print(f"-> {made.pack.folder}")


@app.command()
def generate(
    model: Annotated[str, typer.Argument(help="A pack, or a trained model's folder.")],
    path: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="One text a line. Without: stdin.")
    ] = Path("-"),
    to: Annotated[str, typer.Option(help="The style, for a model of several.")] = "",
    method: Annotated[str, typer.Option(help="greedy, beam or nucleus.")] = "greedy",
    number: Annotated[
        int, typer.Option("-n", min=1, max=256, help="Candidates of each line.")
    ] = 1,
    beam: Annotated[int, typer.Option(min=1, max=64, help="Of beam search.")] = 5,
    top_p: Annotated[float, typer.Option("-p", help="Of nucleus sampling.")] = 0.9,
    temperature: Annotated[float, typer.Option(help="Of nucleus sampling.")] = 1.0,
    through: Annotated[
        str | None, typer.Option(help="A paraphraser that reads each line first.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write here, not to stdout.")
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Write source, output and style with tabs.")
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int, typer.Option(min=1, max=64, help="For a pack.")] = 1,
    seed: Annotated[int, typer.Option(help="Same seed, same output.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped job; needs -o.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Write what a model writes, line by line, without choosing or repairing.

    Every line gives one line: the likeliest output, or with --json all candidates with
    their log-probabilities, or with --pairs one line a candidate, ready to train on.

    Example: paraphrast neural generate models/old texts.txt --pairs -o pairs.tsv
    """
    from paraphrast.corpora.lines import read_lines
    from paraphrast.errors import ParaphrastError
    from paraphrast.neural.finetune import generating
    from paraphrast.storage.journal import Journal

    if resume and output is None:
        raise ParaphrastError("--resume needs the output file: add -o FILE.")
    decoding = _decoding(
        method=method,
        candidates=number,
        beam=max(beam, number) if method == "beam" else beam,
        top_p=top_p,
        temperature=temperature,
    )
    form: generating.Form = "json" if as_json else "pairs" if pairs else "text"
    engine = _engine(model, to, device, threads, home)
    before = through and _engine(through, "neutral", device, threads, home)
    job = generating.Job(engine, to, decoding, seed, form, before or None)
    with ExitStack() as stack:
        if output is None:
            for _, text in job.run(read_lines(path)):
                sys.stdout.write(text)
            return
        settings: dict[str, object] = {"model": model, "to": to, "form": form}
        settings |= {"seed": seed, "through": through}
        settings |= {"input": str(path), "decoding": asdict(decoding)}
        journal = stack.enter_context(Journal([output], settings, resume=resume))
        for done, text in job.run(read_lines(path), start=journal.state.get("done", 0)):
            journal.add([text.encode("utf-8")], {"done": done})
            print(f"{done:,} lines", end="\r", file=sys.stderr)


@app.command()
def choose(
    path: Annotated[Path, typer.Argument(help="What `generate --json` wrote.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A file of pairs to train on.")
    ],
    guide: Annotated[
        str | None, typer.Option(help="What judges candidates: module:name.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Take more for names and numbers.")
    ] = False,
    least_style: Annotated[float, typer.Option(help="By the guide, 0 to 1.")] = 0.0,
    least_meaning: Annotated[float, typer.Option(help="By the guide, 0 to 1.")] = 0.0,
    least_fluency: Annotated[float, typer.Option(help="By the guide, 0 to 1.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Keep each source's best candidate, if one is good enough, as a pair.

    The guide takes part in making the pack: name its sha256 when you convert. Without
    one the model's own probability decides among what passes the checks.

    Example: paraphrast neural choose candidates.jsonl -o pairs.tsv
    """
    from paraphrast import config
    from paraphrast.neural.candidates.rerank import Settings
    from paraphrast.neural.finetune import rejection_sampling
    from paraphrast.storage import atomic

    options: dict[str, object] = {"least_style": least_style}
    options |= {"least_meaning": least_meaning, "least_fluency": least_fluency}
    options |= {"checks": {"strict": strict}}
    settings = config.build(options, Settings, where="options")
    judge = rejection_sampling.guide_named(guide) if guide else None
    work = rejection_sampling.Harvest(judge, settings)
    with atomic.writer(output) as file:
        file.writelines(work.lines(rejection_sampling.read(path)))
    if as_json:
        print(json.dumps({"kept": work.kept, "dropped": work.dropped}))
        return
    print(f"kept {work.kept:,} -> {output}")
    for why, count in work.dropped.most_common():
        print(f"dropped {count:,}: {why}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="PACK", help="Its folder, or name.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every byte with its sha256.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say what a pack writes, how, and what it was made from.

    Example: paraphrast neural show packs/old --verify
    """
    from paraphrast.neural.models.pack import Settings, read
    from paraphrast.storage import packs

    pack = read(packs.find(name, home or packs.HOME).folder)
    if verify:
        packs.verify(pack.folder)
    settings = pack.settings(Settings)
    size = sum(file.size for file in pack.about.files.values())
    if as_json:
        report = asdict(pack.about) | {"settings": asdict(settings), "bytes": size}
        print(json.dumps(report))
        return
    print(f"{pack.folder}: {size / 1e6:.1f} MB, {settings.shape}")
    for style, line in pack.about.styles.items():
        print(f"writes {style}: {line}")
    if settings.through:
        print(f"goes through {settings.through}")
    print(f"searches by {settings.decoding.method}")
    for data in pack.about.data:
        print(f"trained on {data.name} ({data.licence}, sha256 {data.sha256[:12]}…)")
    for sha256 in pack.about.evaluators:
        print(f"guided by {sha256[:12]}…")
    for score in pack.about.scores:
        print(f"{score.name} {score.value:.2f}  {score.signature}")


def _style(given: str) -> tuple[str, str]:
    name, _, line = given.partition("=")
    return name.strip(), line.strip() or "learned by a neural model"


def _calibration(path: Path | None) -> list[tuple[str, str]]:
    """Return the first pairs of a file, which are enough."""
    from paraphrast.neural.finetune.examples import Source, read

    found = read(Source(path), tagged=False) if path is not None else []
    return [(e.request.text, e.target) for e in found[:CALIBRATION]]


def _sentences(paths: list[Path]) -> Iterator[str]:
    """Yield the lines of files, column by column."""
    from paraphrast.corpora.lines import read_lines

    for path in paths:
        for line in read_lines(path):
            yield from line.split("\t")


def _decoding(**options: object) -> "Decoding":
    from paraphrast import config
    from paraphrast.neural.models.generation import Decoding

    return config.build(options, Decoding, where="options")


def _engine(
    model: str, style: str, device: str, threads: int, home: Path | None
) -> "Engine":
    """Return the engine of a model's folder, or else of a pack."""
    from paraphrast.errors import unknown
    from paraphrast.neural.models import folders
    from paraphrast.neural.models.pack import Settings, load_pack, read
    from paraphrast.storage import packs

    folder = Path(model)
    if (folder / folders.WEIGHTS).is_file():
        if device not in ("auto", "cpu", "cuda"):
            raise unknown("device", device, ("auto", "cpu", "cuda"))
        from paraphrast.neural.finetune import torch_engine

        tagged = bool(folders.record(folder).get("tagged", bool(style)))
        return torch_engine.load(folder, tagged=tagged, device=device)
    pack = read(packs.find(model, home or packs.HOME).folder)
    known = pack.about.styles
    if pack.settings(Settings).tagged and style not in known:
        raise unknown("style of the pack", style, known)
    chosen = style if style in known else next(iter(known))
    return load_pack(pack.folder, chosen, threads=threads).steps[-1].engine


@contextmanager
def _progress() -> "Iterator[Callable[[Report], None]]":
    """Show on stderr which step is done, its loss and the speed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading", total=None)

        def show(report: "Report") -> None:
            if report.held_out is not None:
                line = f"step {report.step}/{report.steps}: held-out loss"
                console.print(f"{line} {report.held_out:.4f}")
                return
            description = (
                f"loss {report.loss:.3f}, {report.tokens_per_second:,.0f} tokens/s"
            )
            bar.update(
                task,
                completed=report.step,
                total=report.steps,
                description=description,
            )

        yield show
