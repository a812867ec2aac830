"""Steps 4 to 9, which need a GPU: paraphraser, inverse, choice, student, outputs.

4 paraphraser   learn to paraphrase: ``neutral: text``
5 neutral       paraphrase the text of every style; keep what keeps names and meaning
6 inverse       learn the way back, one model with tags for all styles
7 guide         learn style and fluency, to choose by
8 choose        from every style into every other: sample, choose by the guide, filter
9 student       learn the chosen rewrites in one pass, with the pairs of steps 1 and 6
10 outputs      rewrite the development text of all styles with the student

Each step reads and writes files of the work folder only, is skipped when its result is
there, and prints how long it took. ``--share 0.01`` tries everything on a CPU.

Run    python pipeline.py STEP... --work FOLDER [--share 1.0]
Needs  WORK/base (step 3), WORK/paraphrases, WORK/styles, WORK/minilm if there is one;
       torch, transformers, numpy, regex
"""

# ruff: noqa: T201, TID253
import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from guide import Guide

from paraphrast.neural import rerank, torch_engine, training
from paraphrast.neural.examples import Source
from paraphrast.neural.generation import Decoding
from paraphrast.neural.prompts import NEUTRAL, Request
from paraphrast.neural.settings import Settings
from paraphrast.text import overlap
from paraphrast.text.kept import lost

STYLES = (
    "modern", "shakespeare", "bible", "poetry", "formal", "informal", "prose-1810",
    "prose-1890", "joyce", "tweet", "conversation",
)  # fmt: skip
LEAST = {"style": 0.5, "meaning": 0.55, "fluency": 0.5}
SAMPLES, CHUNK = 8, 8192


class Work:
    """The work folder and the size of what is done in it."""

    def __init__(self, folder: Path, *, share: float, device: str, plays: bool) -> None:
        """Remember the settings."""
        self.folder, self.share, self.device, self.plays = folder, share, device, plays

    @property
    def rehearsal(self) -> bool:
        """Say whether this only tries whether everything runs."""
        return self.share < 0.1

    def decoding(self, **given: object) -> Decoding:
        """Return how to search; in a rehearsal outputs are short."""
        longest = 8 if self.rehearsal else 128
        return Decoding(longest=longest, **given)  # type: ignore[arg-type]

    def few(self, number: int, least: int = 4) -> int:
        """Return a number of the full size for this size."""
        return max(least, int(number * self.share))

    def texts(self, style: str, part: str, most: int) -> list[str]:
        """Return sentences of a style; a share of them in a small run."""
        path = self.folder / "styles" / f"{style}.{part}.txt"
        return path.read_text("utf-8").split("\n")[:-1][: self.few(most)]

    def train(
        self, name: str, base: str, sources: Sequence[Source], **given: object
    ) -> None:
        """Train a model into a folder of the work folder."""
        settings = Settings(
            base=self.folder / base,
            sources=tuple(sources),
            tagged=True,
            batch_pieces=32_768 if self.device == "cuda" else 2048,
            most_steps=self.few(int(given.pop("steps"))),  # type: ignore[call-overload]
            held_out=self.few(1000),
            device=self.device,  # type: ignore[arg-type]
            schedule="cosine",
            evaluate_every=self.few(500, 20),
            **given,  # type: ignore[arg-type]
        )
        began = time.time()

        def show(report: training.Report) -> None:
            if report.held_out is not None or report.step % 100 == 0:
                print(f"{name} {report} {time.time() - began:.0f} s", flush=True)

        training.train(settings, self.folder / name, progress=show)


def paraphraser(work: Work) -> None:
    rows = lines(work.folder / "paraphrases/train.tsv")[: work.few(400_000, 200)]
    write(work.folder / "paraphrases.tsv", [f"{row}\t{NEUTRAL}" for row in rows])
    source = Source(work.folder / "paraphrases.tsv", style=NEUTRAL)
    work.train(
        "paraphraser", "base", [source], steps=2500, epochs=6, learning_rate=8e-4,
        masking=0.1, smoothing=0.05,
    )  # fmt: skip


def neutral(work: Work) -> None:
    engine = torch_engine.load(
        work.folder / "paraphraser", tagged=True, device=work.device
    )
    jobs = [(style, work.texts(style, "train", 24_000)) for style in STYLES]
    if work.plays:
        for style, name in (("modern", "modern"), ("shakespeare", "original")):
            path = work.folder / "styles/plays" / f"{name}.txt"
            jobs.append((style, lines(path)[: work.few(20_000)]))
    decoding = work.decoding(method="nucleus", candidates=2, top_p=0.6)
    report = {}
    write(work.folder / "neutral.tsv", [])
    for style, texts in jobs:
        requests = [Request(text, NEUTRAL) for text in texts]
        kept: list[str] = []
        for start in range(0, len(requests), CHUNK):
            answers = engine.candidates(requests[start : start + CHUNK], decoding)
            for request, own in zip(
                requests[start : start + CHUNK], answers, strict=True
            ):
                answered = [c.text for c in own]
                if work.rehearsal:  # hardly trained models pass no filter
                    kept.append(f"{answered[0] or '-'}\t{request.text}\t{style}")
                else:
                    kept += pairs_back(request.text, answered, style)
        with (work.folder / "neutral.tsv").open("a", encoding="utf-8") as file:
            file.write("".join(f"{row}\n" for row in kept))
        report[style] = {"texts": len(texts), "pairs": len(kept)}
        print("neutral", style, report[style], flush=True)
    (work.folder / "neutral.json").write_text(json.dumps(report, indent=1))


def pairs_back(text: str, answers: Sequence[str], style: str) -> list[str]:
    """Return rows neutral, text, style for the answers that can be turned round."""
    kept = []
    for answer in dict.fromkeys(answers):
        words = overlap.words(text), overlap.words(answer)
        alike = overlap.unigram_overlap(*words).f1
        size = len(words[1]) / max(1, len(words[0]))
        if not lost(text, answer) and 0.1 <= alike < 0.95 and 0.5 <= size <= 2:
            kept.append(f"{answer}\t{text}\t{style}")
    return kept


def inverse(work: Work) -> None:
    sources = [
        Source(work.folder / "neutral.tsv"),
        Source(work.folder / "paraphrases.tsv", style=NEUTRAL, times=0.5),
    ]
    work.train(
        "inverse", "paraphraser", sources, steps=4000, epochs=6, learning_rate=6e-4
    )


def guide(work: Work) -> None:
    made = new_guide(work)
    texts = {style: work.texts(style, "train", 20_000) for style in STYLES}
    accuracy = made.learn(
        texts, seconds=90 * min(1.0, 4 * work.share), batch=work.few(512, 32)
    )
    import torch

    torch.save(made.network.state_dict(), work.folder / "guide.pt")
    record = {"signature": made.signature, "accuracy in training": accuracy}
    (work.folder / "guide.json").write_text(json.dumps(record))
    print(record, flush=True)


def new_guide(work: Work) -> Guide:
    minilm = work.folder / "minilm"
    return Guide(
        work.folder / "base", STYLES, minilm if minilm.exists() else None, work.device
    )


def trained_guide(work: Work) -> Guide:
    import torch

    made = new_guide(work)
    state = torch.load(
        work.folder / "guide.pt", map_location=work.device, weights_only=True
    )
    made.network.load_state_dict(state)
    made.network.eval()
    return made


def choose(work: Work) -> None:
    """Write rows source, chosen rewrite, style; each style as soon as it is done."""
    made = trained_guide(work)
    first = torch_engine.load(
        work.folder / "paraphraser", tagged=True, device=work.device
    )
    second = torch_engine.load(work.folder / "inverse", tagged=True, device=work.device)
    least = {f"least_{name}": value for name, value in LEAST.items()}
    checks = rerank.Checks(names=not work.rehearsal, numbers=not work.rehearsal)
    least = {} if work.rehearsal else least
    settings = rerank.Settings(checks=checks, **least)  # type: ignore[arg-type]
    for style in STYLES:
        path = work.folder / f"chosen.{style}.tsv"
        if path.exists():
            continue
        sources = [
            text for other in STYLES if other != style
            for text in work.texts(other, "train", 1500)
        ]  # fmt: skip
        requests = [Request(text, NEUTRAL) for text in sources]
        plain = [own[0].text for own in first.candidates(requests, work.decoding())]
        answers = second.candidates(
            [
                Request(text or source, style)
                for text, source in zip(plain, sources, strict=True)
            ],
            work.decoding(method="nucleus", candidates=SAMPLES, top_p=0.9),
        )
        chosen = rerank.choose(sources, answers, style, guide=made, settings=settings)
        rows = [
            f"{source}\t{one.choices[0].text}\t{style}"
            for source, one in zip(sources, chosen, strict=True)
            if one.choices and (work.rehearsal or not lost(source, one.choices[0].text))
        ]
        write(path, rows)
        print("chosen", style, len(rows), "of", len(sources), flush=True)


def student(work: Work) -> None:
    """Learn from the rewrites that were chosen, and from what chose them."""
    sources = [Source(work.folder / f"chosen.{style}.tsv", times=2) for style in STYLES]
    sources = [s for s in sources if s.path.exists() and s.path.stat().st_size]
    sources += [
        Source(work.folder / "neutral.tsv", times=0.5),
        Source(work.folder / "paraphrases.tsv", style=NEUTRAL, times=0.25),
    ]
    pairs = work.folder / "styles/plays/pairs.tsv"
    if work.plays and pairs.exists():
        few = work.folder / "plays.tsv"
        write(few, lines(pairs)[: work.few(20_000)])
        sources += [Source(few, style="shakespeare", times=2)]
        sources += [Source(few, style="modern", times=2, swap=True)]
    work.train(
        "student",
        "inverse",
        sources,
        steps=5000,
        epochs=8,
        learning_rate=6e-4,
        masking=0.15,
    )


def outputs(work: Work) -> None:
    """Write rows style of the source, style, source, output."""
    engine = torch_engine.load(work.folder / "student", tagged=True, device=work.device)
    rows = []
    for style in STYLES:
        texts = [(o, t) for o in STYLES if o != style for t in work.texts(o, "dev", 50)]
        requests = [Request(text, style) for _, text in texts]
        answers = engine.candidates(requests, work.decoding())
        rows += [
            f"{other}\t{style}\t{text}\t{own[0].text}"
            for (other, text), own in zip(texts, answers, strict=True)
        ]
    write(work.folder / "outputs.tsv", rows)
    made = trained_guide(work)
    table = {}
    for style in STYLES:
        own = [row.split("\t") for row in rows if row.split("\t")[1] == style]
        sources, texts = [row[2] for row in own], [row[3] for row in own]
        three = (
            made.style(texts, style),
            made.meaning(sources, texts),
            made.fluency(texts),
        )
        table[style] = [round(sum(v) / len(v), 3) for v in three]
        kept = sum(not lost(a, b) for a, b in zip(sources, texts, strict=True))
        table[style].append(round(kept / len(own), 3))
        print(
            "outputs",
            style,
            dict(
                zip(("style", "meaning", "fluency", "kept"), table[style], strict=True)
            ),
        )
    (work.folder / "outputs.json").write_text(json.dumps(table, indent=1))


STEPS: dict[str, tuple[Callable[[Work], None], str]] = {
    "paraphraser": (paraphraser, "paraphraser"),
    "neutral": (neutral, "neutral.json"),
    "inverse": (inverse, "inverse"),
    "guide": (guide, "guide.json"),
    "choose": (choose, f"chosen.{STYLES[-1]}.tsv"),
    "student": (student, "student"),
    "outputs": (outputs, "outputs.json"),
}


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


def write(path: Path, rows: Sequence[str]) -> None:
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="+", choices=[*STEPS, "all"])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--plays", action="store_true", help="learn from the plays too")
    options = parser.parse_args()
    random.seed(1)
    device = torch_engine.device_named(options.device)
    work = Work(options.work, share=options.share, device=device, plays=options.plays)
    for step in STEPS if "all" in options.steps else options.steps:
        make, result = STEPS[step]
        if (options.work / result).exists():
            print(f"{step}: done before", flush=True)
            continue
        began = time.time()
        make(work)
        print(f"{step}: {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
