"""``paraphrast neural …``: parse, call, print."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.errors import ParaphrastError

if TYPE_CHECKING:
    from paraphrast.neural.finetune.generating import Job
    from paraphrast.neural.models.generation import Decoding

CALIBRATION = 128  # pairs

app = typer.Typer(
    no_args_is_help=True, help="Train, run and convert neural style models."
)

Beam = Annotated[int, typer.Option(min=1, max=64, help="Beam size of beam search.")]
LeastScore = Annotated[
    float, typer.Option(min=0, max=1, help="Minimum score by the guide.")
]


@app.command()
@describe
def train(
    configuration: Path,
    output: options.NewFolder,
    resume: options.Resume = False,
    replace: options.Replace = False,
    as_json: options.Json = False,
) -> None:
    """Fine-tune a Hugging Face model on pairs, as a paraphraser or a style model.

    The settings name a base model and TSV files with source, target and optionally
    style; docs/neural.md lists them. Paths are relative to the settings file.

    Example: paraphrast neural train inverse.toml -o models/inverse

    Options:
        configuration CONFIG.toml: Training settings.
    """
    from paraphrast.neural.finetune import training
    from paraphrast.neural.finetune.settings import load

    with printing.show_training() as show:
        made = training.train(
            load(configuration),
            output,
            progress=show,
            resume=resume,
            replacing=replace,
        )
    lines = [
        f"step {entry['step']:.0f}: held-out loss {entry['held_out']:.4f}"
        for entry in made.record["history"]
        if "held_out" in entry
    ]
    record = {"model": str(made.folder)} | made.record
    printing.print_report(record, [*lines, f"-> {made.folder}"], as_json=as_json)


@app.command()
@describe
def convert(
    model: Path,
    to: list[str],
    output: options.NewFolder,
    through: str = "",
    method: Literal["greedy", "beam"] = "greedy",
    beam: Beam = 5,
    licence: list[str] | None = None,
    calibrate: Path | None = None,
    evaluator: list[str] | None = None,
    learned_from: list[Path] | None = None,
    replace: options.Replace = False,
    as_json: options.Json = False,
) -> None:
    """Convert a model to an int8 pack that runs without torch; compare it with torch.

    Example: paraphrast neural convert models/inverse --to old -o packs/old

    Options:
        model MODEL: Folder of a trained model.
        to --to STYLE[=ABOUT]: Style of the model, optionally with a description;
            repeatable.
        through STYLE: Intermediate style to rewrite through: neutral.
        method: Decoding method.
        licence LICENCE: Licence of the model or its texts; repeatable.
        calibrate: TSV file of pairs for calibrating the quantisation.
        evaluator HASH: SHA-256 of a guide used in training; repeatable.
        learned_from: Training text for the memorisation filter, one sentence per line;
            repeatable.
    """
    from paraphrast.neural.finetune import converting

    decoding = _decoding(method=method, beam=beam)
    made = converting.convert(
        model,
        output,
        styles=dict(_parse_style(given) for given in to),
        settings={"through": through, "decoding": decoding},
        licences=licence or (),
        evaluators=evaluator or (),
        calibration=_read_calibration(calibrate),
        learned_from=_read_sentences(learned_from or []),
        replacing=replace,
    )
    size = converting.size(made.pack.folder)
    record = {"pack": str(made.pack.folder), "bytes": size} | asdict(made.parity)
    lines = [
        f"{size / 1e6:.1f} MB; log-probabilities per token differ from torch's by at "
        f"most {made.parity.exact:.1e} in 32 bits and {made.parity.int8:.3f} in 8",
        f"-> {made.pack.folder}",
    ]
    printing.print_report(record, lines, as_json=as_json)


@dataclass(frozen=True)
class _Generation:
    """The arguments of `generate`, which documents the fields."""

    model: str
    path: Path = Path("-")
    to: options.To = ""
    method: Literal["greedy", "beam", "nucleus"] = "greedy"
    number: Annotated[int, typer.Option("-n", "--alternatives", min=1, max=256)] = 1
    beam: Beam = 5
    top_p: float = 0.9
    temperature: float = 1.0
    through: str | None = None
    output: options.Output = None
    pairs: bool = False
    device: options.Device = "auto"
    threads: options.Threads = 1
    seed: options.Seed = options.SEED
    resume: options.Resume = False
    packs_folder: options.Packs = None
    as_json: options.Json = False

    def __post_init__(self) -> None:
        """Reject incompatible options."""
        if self.resume and self.output is None:
            raise ParaphrastError("--resume needs the output file: add -o FILE.")

    def make_job(self) -> "Job":
        """Load the models; return the job to run."""
        from paraphrast.neural.finetune import generating

        decoding = _decoding(
            method=self.method,
            candidates=self.number,
            beam=max(self.beam, self.number) if self.method == "beam" else self.beam,
            top_p=self.top_p,
            temperature=self.temperature,
        )
        load = partial(
            generating.load_engine,
            device=self.device,
            threads=self.threads,
            home=self.packs_folder,
        )
        return generating.Job(
            load(self.model, self.to),
            self.to,
            decoding,
            self.seed,
            "json" if self.as_json else "pairs" if self.pairs else "text",
            load(self.through, "neutral") if self.through else None,
        )

    def settings(self, job: "Job") -> dict[str, object]:
        """Return the settings that determine the output, to check a resumed job."""
        return {
            "model": self.model,
            "to": self.to,
            "form": job.form,
            "seed": self.seed,
            "through": self.through,
            "input": str(self.path),
            "decoding": asdict(job.decoding),
        }


@app.command()
@describe
@unpack
def generate(asked: _Generation) -> None:
    """Print a model's raw output line by line, without guards or repairs.

    Prints the most probable output for each line; with --json all candidates with their
    log-probabilities; with --pairs one line per candidate, ready for training.

    Example: paraphrast neural generate models/old texts.txt --pairs -o pairs.tsv

    Options:
        model MODEL: Pack, or folder of a trained model.
        path [FILE]: One text per line; reads standard input if omitted.
        method: Decoding method.
        number: Candidates per line.
        top_p -p --top-p: Probability mass of nucleus sampling.
        temperature: Temperature of nucleus sampling.
        through MODEL: Paraphraser applied to each line first.
        pairs: Write TSV with source, output and style.
    """
    from paraphrast.corpora.lines import read_lines
    from paraphrast.storage.resumable import Journal

    job, lines = asked.make_job(), read_lines(asked.path)
    if asked.output is None:
        for _, text in job.run(lines):
            sys.stdout.write(text)
        return
    settings = asked.settings(job)
    with Journal([asked.output], settings, resume=asked.resume) as journal:
        for done, text in job.run(lines, start=journal.state.get("done", 0)):
            journal.add([text.encode("utf-8")], {"done": done})
            print(f"{done:,} lines", end="\r", file=sys.stderr)


@app.command()
@describe
def choose(
    path: Path,
    output: options.NewFile,
    guide: str | None = None,
    strict: bool = False,
    least_style: LeastScore = 0.0,
    least_meaning: LeastScore = 0.0,
    least_fluency: LeastScore = 0.0,
    as_json: options.Json = False,
) -> None:
    """Choose the best candidate for each source, if good enough, as a training pair.

    A guide counts as an evaluator used in training: give its SHA-256 to `neural
    convert`. Without one, the model's own probability decides among candidates that
    pass the checks.

    Example: paraphrast neural choose candidates.jsonl -o pairs.tsv

    Options:
        path: Candidates written by `neural generate --json`.
        guide MODULE:NAME: Guide that reranks the candidates, as a Python name.
        strict: Recognise more words as names and numbers.
    """
    from paraphrast import config
    from paraphrast.neural.candidates.rerank import Settings
    from paraphrast.neural.finetune import rejection_sampling
    from paraphrast.storage import atomic

    chosen: dict[str, object] = {"least_style": least_style}
    chosen |= {"least_meaning": least_meaning, "least_fluency": least_fluency}
    chosen |= {"checks": {"strict": strict}}
    settings = config.build(chosen, Settings, where="options")
    judge = rejection_sampling.guide_named(guide) if guide else None
    work = rejection_sampling.Harvest(judge, settings)
    with atomic.writer(output) as file:
        file.writelines(work.lines(rejection_sampling.read(path)))
    lines = [f"kept {work.kept:,} -> {output}"]
    lines += [f"dropped {n:,}: {why}" for why, n in work.dropped.most_common()]
    record = {"kept": work.kept, "dropped": work.dropped}
    printing.print_report(record, lines, as_json=as_json)


@app.command()
def show(
    name: options.PackName,
    verify: options.Verify = False,
    packs_folder: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """Show a pack's styles, settings and origin.

    Example: paraphrast neural show packs/old --verify
    """
    from paraphrast.neural.models.pack import Settings, read

    pack = read(options.find_pack(name, packs_folder, verify=verify).folder)
    settings = pack.settings(Settings)
    more = [f"goes through {settings.through}"] if settings.through else []
    more.append(f"decoding: {settings.decoding.method}")
    record = {"settings": asdict(settings)}
    printing.print_pack(pack, str(settings.shape), more, record, as_json=as_json)


def _parse_style(given: str) -> tuple[str, str]:
    name, _, line = given.partition("=")
    return name.strip(), line.strip() or "learned by a neural model"


def _read_calibration(path: Path | None) -> list[tuple[str, str]]:
    """Return the first pairs of a file, as many as calibration needs."""
    from paraphrast.neural.finetune.examples import Source, read

    examples = read(Source(path), tagged=False) if path is not None else []
    return [(e.request.text, e.target) for e in examples[:CALIBRATION]]


def _read_sentences(paths: list[Path]) -> Iterator[str]:
    """Yield the lines of files, column by column."""
    from paraphrast.corpora.lines import read_lines

    for path in paths:
        for line in read_lines(path):
            yield from line.split("\t")


def _decoding(**options: object) -> "Decoding":
    from paraphrast import config
    from paraphrast.neural.models.generation import Decoding

    return config.build(options, Decoding, where="options")
