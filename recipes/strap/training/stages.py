"""What each stage of pipeline.py does.

A stage with workers is done by several processes: `worker` runs the share of one, which
appends to a file of its own until its time is up, and the stage itself puts the files
together. So each result holds as much as there was time for, all styles alike.
"""

# ruff: noqa: T201
import json
import random
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import choosing
from choosing import Guide, Task, Wanted
from work import PLAYS, STYLES, Work, lines, write

from paraphrast.corpora.filtering.preservation import find_lost, keeps
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.prompts import NEUTRAL
from paraphrast.text import overlap

POOL = 3  # processes that check what a worker's model wrote
CHUNK = 1536
OTHER = {"modern": "shakespeare", "shakespeare": "modern"}
BETWEEN_PLAYS, BETWEEN_OTHERS, INTO_PLAYS = 24_000, 2500, 1200
MORE = 6000  # of each other style that a larger teacher is asked for
MANY, SOME = 16, 8  # samples of a text: into the plays' styles, and elsewhere
FAR = 0.6  # share of words that the sides of a pair to polish with may share
BEST = 0.8  # share of what was chosen that is learnt from


# Training


def paraphraser(work: Work, seconds: float) -> None:
    rows = lines(work.folder / "paraphrases/train.tsv")[: work.few(400_000, 200)]
    draw = random.Random(1)
    draw.shuffle(rows)
    write(work.folder / "paraphrases.tsv", [f"{row}\t{NEUTRAL}" for row in rows])
    short = [
        r for r in lines(work.folder / "additions/short.tsv") if r.endswith(NEUTRAL)
    ]
    write(work.folder / "short-neutral.tsv", short[: work.few(2000)])
    sources = [
        Source(work.folder / "paraphrases.tsv"),
        Source(work.folder / "short-neutral.tsv"),
    ]
    work.train(
        "paraphraser", "base", sources, seconds=seconds, epochs=8, rate=1e-3,
        pieces=16_384, smoothing=0.05,
    )  # fmt: skip


def supervised(work: Work, seconds: float) -> None:
    parallel(work)
    sources = [
        *both(work, "pairs.tsv", "shakespeare"),
        *both(work, "bible.tsv", "bible"),
    ]
    sources.append(_short(work))
    work.train(
        "supervised", "base", sources, seconds=seconds, epochs=12, rate=1e-3,
        pieces=16_384, smoothing=0.05,
    )  # fmt: skip


def inverse(work: Work, seconds: float) -> None:
    sources = [
        Source(work.folder / "neutral.tsv"),
        Source(work.folder / "paraphrases.tsv", times=0.5),
        _short(work),
    ]
    work.train("inverse", "paraphraser", sources, seconds=seconds, epochs=4, rate=8e-4)


def direct(work: Work, seconds: float) -> None:
    """Learn the first choice in one pass, to sample from once more."""
    sources = [
        Source(work.folder / "chosen/plain.tsv"),
        Source(work.folder / "neutral.tsv", times=0.2),
        _short(work),
    ]
    work.train("direct", "inverse", sources, seconds=seconds, epochs=3, rate=6e-4)


def student_unsupervised(work: Work, seconds: float) -> None:
    """Learn without a parallel pair of the plays or of Bible versions for a style."""
    sources = [*(Source(path, times=2) for path in _unpaired(work)), *_beside(work)]
    work.train(
        "student-unsupervised", "inverse", sources, seconds=seconds,
        epochs=8, rate=7e-4, rounding=0.15, patience=99,
    )  # fmt: skip


def student(work: Work, seconds: float) -> None:
    """Learn with the parallel plays and Bible versions: the one that ships."""
    parallel(work)
    few = work.folder / "chosen-others.tsv"
    rows = [row for path in _unpaired(work) for row in lines(path)]
    sides = {text for style in PLAYS for text in work.play(style)}
    # Where there is a reference, what was chosen near it takes the place of the rest.
    write(few, [row for row in rows if row.split("\t")[0] not in sides])
    sources = [
        Source(few, times=2),
        *(Source(path, times=2) for path in work.chosen("pairs")),
        *both(work, "pairs.tsv", "shakespeare"),
        *both(work, "bible.tsv", "bible"),
        *_beside(work),
    ]
    work.train(
        "student", "inverse", [s for s in sources if s.path.exists()], seconds=seconds,
        epochs=8, rate=7e-4, rounding=0.15, patience=99,
    )  # fmt: skip


def _unpaired(work: Work) -> list[Path]:
    """Return the files of what was chosen without a look at a reference."""
    return [p for name in ("plain", "again", "more") for p in work.chosen(name)]


def parallel(work: Work) -> None:
    """Write the pairs of this run's size, without those whose sides do not agree."""
    pairs = lines(work.folder / "styles/plays/pairs.tsv")[: work.few(20_000)]
    write(
        work.folder / "pairs.tsv", [row for row in pairs if _agrees(*row.split("\t"))]
    )
    verses = lines(work.folder / "additions/bible.tsv")[: work.few(20_000)]
    write(work.folder / "bible.tsv", verses)


def _agrees(modern: str, original: str) -> bool:
    """Say whether a pair says the same at a like length, as far as can be seen."""
    size = (len(modern.split()) + 2) / (len(original.split()) + 2)
    return 0.5 < size < 2 and keeps(modern, original)


def both(work: Work, name: str, style: str) -> list[Source]:
    path = work.folder / name
    return [Source(path, style=style), Source(path, style="modern", swap=True)]


def _short(work: Work) -> Source:
    path = work.folder / "short.tsv"
    write(path, lines(work.folder / "additions/short.tsv")[: work.few(8000)])
    return Source(path, times=0.5)


def polish(work: Work, seconds: float) -> None:
    """Go on with pairs whose sides differ much, so that the student copies less."""
    files = [*_unpaired(work), *work.chosen("pairs")]
    rows = [tuple(row.split("\t")) for path in files for row in lines(path)]
    for row in lines(work.folder / "pairs.tsv"):
        modern, original = row.split("\t")
        rows += [(modern, original, "shakespeare"), (original, modern, "modern")]
    far = [row for row in rows if work.rehearsal or shared(row[0], row[1]) < FAR]
    write(work.folder / "polish.tsv", ["\t".join(row) for row in far])
    sources = [
        Source(work.folder / "polish.tsv"),
        Source(_short(work).path, times=0.3),
        Source(work.folder / "paraphrases.tsv", times=0.05),
    ]
    work.train(
        "polished", "student", sources, seconds=seconds,
        epochs=3, rate=2e-4, rounding=0.15, patience=99,
    )  # fmt: skip


def shared(source: str, target: str) -> float:
    """Return the share of two texts' words that both have."""
    here, there = set(source.lower().split()), set(target.lower().split())
    return len(here & there) / max(1, len(here | there))


def _beside(work: Work, neutral: float = 0.3) -> list[Source]:
    # A larger teacher's paraphrases of training text (teacher-neutral.tsv: of all).
    teacher = work.folder / "teacher-rows.tsv"
    both = [
        Source(teacher, times=neutral),
        Source(teacher, times=0.5, style=NEUTRAL, swap=True),
    ]
    return [
        *(both if teacher.exists() else ()),
        Source(work.folder / "neutral.tsv", times=neutral),
        Source(work.folder / "paraphrases.tsv", times=0.5),
        _short(work),
    ]


# Workers


def worker(work: Work, stage: str, place: str, until: float) -> None:
    """Do one worker's share of a stage."""
    at, number = map(int, place.split("/"))
    with choosing.processes(1 if work.rehearsal else POOL) as pool:
        path = work.folder / "shares" / f"{stage}.{at}.tsv"
        path.parent.mkdir(exist_ok=True)
        began, count = time.time(), 0
        with path.open("w", encoding="utf-8") as file:
            for rows in WORKERS[stage](work, at, number, pool):
                file.write("".join(f"{row}\n" for row in rows))
                file.flush()
                count += len(rows)
                print(
                    f"{stage} {at}: {count} rows {time.time() - began:.0f} s",
                    flush=True,
                )
                if time.time() > until:
                    break


def gather(work: Work, stage: str) -> list[str]:
    """Return what the workers of a stage wrote; half a last line is left out."""
    found = []
    for path in sorted((work.folder / "shares").glob(f"{stage}.*.tsv")):
        found += lines(path)
    random.Random(1).shuffle(found)
    return found


def chunks(
    work: Work, tasks: Sequence[Any], at: int, number: int
) -> Iterator[Sequence[Any]]:
    size = 48 if work.rehearsal else CHUNK
    parts = [tasks[i : i + size] for i in range(0, len(tasks), size)]
    yield from parts[at::number]


def _neutral(work: Work, at: int, number: int, pool: Any) -> Iterator[list[str]]:
    from sampling import Sampler

    jobs = [(t, s) for s in STYLES for t in work.texts(s, "train", 24_000)]
    jobs += [(t, s) for s in PLAYS for t in work.play(s)]
    random.Random(1).shuffle(jobs)
    model = Sampler(work.folder / "paraphraser", work.device)
    for chunk in chunks(work, jobs, at, number):
        given = [(text, NEUTRAL) for text, _ in chunk]
        answers = model.write(given, each=2, top_p=0.6, longest=work.longest)
        rows = [
            (text, tuple(own), style, work.rehearsal)
            for (text, style), own in zip(chunk, answers, strict=True)
        ]
        yield [row for own in pool.starmap(pairs_back, rows, 64) for row in own]


def neutral(work: Work, _: float) -> None:
    """Put the paraphrases together: rows neutral, text, style."""
    rows = gather(work, "neutral")
    counts = {s: sum(row.endswith(f"\t{s}") for row in rows) for s in STYLES}
    (work.folder / "neutral.json").write_text(json.dumps(counts, indent=1))
    print("neutral", counts, flush=True)
    write(work.folder / "neutral.tsv", rows)


def pairs_back(
    text: str, answers: Sequence[str], style: str, everything: bool
) -> list[str]:
    """Return rows neutral, text, style for the answers that can be turned round."""
    kept = []
    for answer in dict.fromkeys(answers):
        words = overlap.words(text), overlap.words(answer)
        alike = overlap.unigram_overlap(*words).f1
        size = len(words[1]) / max(1, len(words[0]))
        good = 0.1 <= alike < 0.9 and 0.5 <= size <= 2 and not find_lost(text, answer)
        if answer and (good or everything):
            kept.append(f"{answer}\t{text}\t{style}")
    return kept


def plan(work: Work, seed: int = 2) -> list[tuple[str, str]]:
    """Return texts and the styles to write them in, mixed; the plays' styles first.

    Every text is someone's training text; one that has a parallel line is used without.
    """
    draw = random.Random(seed)
    between: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for style, other in OTHER.items():
        texts = [*work.play(other), *work.texts(other, "train", 24_000)]
        between += [
            (t, style)
            for t in draw.sample(texts, min(len(texts), work.few(BETWEEN_PLAYS)))
        ]
    for style in STYLES:
        most = INTO_PLAYS if style in OTHER else BETWEEN_OTHERS
        for other in STYLES:
            if other not in (style, OTHER.get(style)):
                texts = work.texts(other, "train", 24_000)
                others += [
                    (t, style)
                    for t in draw.sample(texts, min(len(texts), work.few(most)))
                ]
    draw.shuffle(between)
    draw.shuffle(others)
    found = []
    size = CHUNK // 2
    for start in range(0, max(len(between), len(others)), size):
        found += between[start : start + size] + others[start : start + size]
    return found


def _choose(work: Work, at: int, number: int, pool: Any) -> Iterator[list[str]]:
    from sampling import Sampler

    known = neutral_of(work)
    guide = load_guide(work)
    model = Sampler(work.folder / "inverse", work.device)
    for chunk in chunks(work, plan(work), at, number):
        tasks = sampled(model, chunk, known, longest=work.longest)
        yield chosen(work, tasks, pool, guide)


def neutral_of(work: Work) -> dict[str, list[str]]:
    """Return the paraphrases of each text."""
    known: dict[str, list[str]] = {}
    for row in lines(work.folder / "neutral.tsv"):
        answer, text, _ = row.split("\t")
        known.setdefault(text, []).append(answer)
    return known


def sampled(
    model: Any,
    asked: Sequence[tuple[str, str]],
    known: dict[str, list[str]],
    *,
    longest: int,
) -> list[Task]:
    """Return what a model writes for the texts, and for their paraphrases if known."""
    found: list[list[str]] = [[] for _ in asked]
    jobs: dict[int, list[tuple[int, str, str]]] = {}
    for i, (text, style) in enumerate(asked):
        inputs = [*known.get(text, [])[:1], text]
        each = (MANY if style in OTHER else SOME) // len(inputs)
        jobs.setdefault(each, []).extend((i, given, style) for given in inputs)
    for each, own in jobs.items():
        answers = model.write(
            [(given, style) for _, given, style in own],
            each=each,
            top_p=0.9,
            longest=longest,
        )
        for (i, _, _), texts in zip(own, answers, strict=True):
            found[i] += texts
    return [Task(t, s, own) for (t, s), own in zip(asked, found, strict=True)]


def chosen(
    work: Work,
    tasks: Sequence[Task],
    pool: Any,
    guide: Guide,
    least: Wanted | None = None,
) -> list[str]:
    """Return rows source, text, style and ratings of what is good enough."""
    tasks = choosing.all_accepted(tasks, pool, everything=work.rehearsal)
    picked = choosing.choose(tasks, guide, least or wanted(work))
    return [
        choosing.row(task, one)
        for task, own in zip(tasks, picked, strict=True)
        for one in own
    ]


def wanted(work: Work) -> Wanted:
    return Wanted(style=0.0, meaning=0.0, fluency=0.0) if work.rehearsal else Wanted()


def choose(work: Work, _: float) -> None:
    finish(work, "choose", "plain")


def _choose_again(work: Work, at: int, number: int, pool: Any) -> Iterator[list[str]]:
    from sampling import Sampler

    guide = load_guide(work)
    model = Sampler(work.folder / "direct", work.device)
    for chunk in chunks(work, plan(work, seed=5), at, number):
        tasks = sampled(model, chunk, {}, longest=work.longest)
        yield chosen(work, tasks, pool, guide)


def choose_again(work: Work, _: float) -> None:
    finish(work, "choose-again", "again")


def _choose_pairs(work: Work, at: int, number: int, pool: Any) -> Iterator[list[str]]:
    from sampling import Sampler

    guide = load_guide(work)
    model = Sampler(work.folder / "supervised", work.device)
    tasks = [
        Task(source, style, reference=reference)
        for style, other in OTHER.items()
        for source, reference in zip(work.play(other), work.play(style), strict=True)
    ]
    tasks += [
        Task(text, style)
        for style, other in OTHER.items()
        for text in work.texts(other, "train", 8000)
    ]
    random.Random(3).shuffle(tasks)
    for chunk in chunks(work, tasks, at, number):
        answers = model.write(
            [(t.source, t.style) for t in chunk],
            each=MANY,
            top_p=0.9,
            longest=work.longest,
        )
        made = [
            Task(t.source, t.style, own, t.reference)
            for t, own in zip(chunk, answers, strict=True)
        ]
        yield chosen(work, made, pool, guide)


def choose_pairs(work: Work, _: float) -> None:
    finish(work, "choose-pairs", "pairs")


def _choose_more(work: Work, at: int, number: int, pool: Any) -> Iterator[list[str]]:
    guide = load_guide(work)
    tasks = candidates(work.folder / "candidates/train.tsv")
    for chunk in chunks(work, tasks, at, number):
        yield chosen(work, chunk, pool, guide)


def candidates(path: Path) -> list[Task]:
    """Read a larger teacher's candidates, joined by the text they are to rewrite."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in path.read_text("utf-8").split("\n")[:-1]:
        columns = line.split("\t")
        if len(columns) == 7:
            _, style, _, original, text, *_ = columns
            found.setdefault((original, style), []).append(text)
    return [Task(text, style, own) for (text, style), own in found.items()]


def choose_more(work: Work, _: float) -> None:
    finish(work, "choose-more", "more")


def finish(work: Work, stage: str, name: str) -> None:
    """Put together what the workers chose, without the worst of it."""
    rated = gather(work, stage)
    for style in STYLES:
        own = [row.split("\t")[3:] for row in rated if row.split("\t")[2] == style]
        means = [sum(map(float, v)) / len(v) for v in zip(*own, strict=True)]
        print(f"chosen/{name} {style} {len(own)}", *(f"{m:.3f}" for m in means))
    rows = choosing.best_of(rated, BEST, Wanted())
    random.Random(1).shuffle(rows)
    print(f"chosen/{name}: {len(rows)} of {len(rated)}", flush=True)
    write(work.folder / f"rated/{name}.tsv", rated)
    write(work.folder / f"chosen/{name}.tsv", rows)


WORKERS = {
    "neutral": _neutral,
    "choose": _choose,
    "choose-again": _choose_again,
    "choose-pairs": _choose_pairs,
    "choose-more": _choose_more,
}


# A larger teacher


def requests(work: Work, _: float) -> None:
    """Write what a teacher is asked: text to read (a paraphrase), style, original."""
    from sampling import Sampler

    known = neutral_of(work)
    asked: dict[str, list[str]] = {}
    for text, style in plan(work):
        own = asked.setdefault(style, [])
        most = BETWEEN_PLAYS if style in OTHER else MORE
        if text in known and len(own) < work.few(most):
            own.append(f"{known[text][0]}\t{style}\t{text}")
    rows = [row for own in asked.values() for row in own]
    random.Random(4).shuffle(rows)
    tests = work.tests()
    model = Sampler(work.folder / "paraphraser", work.device, half=False)
    plain = model.write([(text, NEUTRAL) for _, text in tests], longest=work.longest)
    write(
        work.folder / "requests/strap.tsv",
        [
            f"{own[0] or text}\t{style}\t{text}"
            for (style, text), own in zip(tests, plain, strict=True)
        ],
    )
    write(work.folder / "requests/train.tsv", rows)


# Going home


def polished_parts(work: Work, _: float) -> None:
    pack(work, ("polished",))


def parts(work: Work, _: float) -> None:
    """Pack the students, which takes a core each, and what was chosen."""
    (work.folder / "parts").mkdir(exist_ok=True)
    with tarfile.open(work.folder / "parts/chosen.tar.xz", "w:xz", preset=1) as archive:
        archive.add(work.folder / "rated", "rated")
    pack(work, ("student-unsupervised", "inverse", "student"))


def pack(work: Work, names: Sequence[str]) -> None:
    """Pack models, all at once."""
    script = str(Path(__file__).with_name("transport.py"))
    where = str(work.folder / "parts")
    running = [
        subprocess.Popen(
            [sys.executable, script, "pack", str(work.folder / name), name, "-o", where]
        )
        for name in names
    ]
    for process in running:
        process.wait()


def load_guide(work: Work) -> Guide:
    folder = Path(__file__).parents[2] / "judges" / "training"
    sys.path.append(str(folder))
    from guide import Guide as Encoder

    made: Guide = Encoder.load(work.guide, device=work.device)
    return made


def signature(work: Work) -> str:
    path = work.guide / "guide.json"
    return (
        str(json.loads(path.read_text("utf-8"))["signature"]) if path.exists() else ""
    )
