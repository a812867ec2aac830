"""STRAP's ablations (its Table 3), trained: what each part of the method is worth.

Everything is trained from the same base, in one process, in shares of the same time.
The method is the paper's: a paraphraser, and one inverse paraphraser per style that has
learnt to turn its paraphrases back. Each ablation changes one thing of it:

    straight    no paraphrase first, at inference          (the paper's - Inf. PP)
    shared      one inverse paraphraser for all styles     (- Mult. PP)
    undiverse   the paraphraser learnt from as many pairs of the same sources, drawn
                without a look at how far their sides are apart  (- Div. PP)

No pair of the plays is used, and no text is dropped for being near its
paraphrase, so that the effect of a paraphraser's copying shows in the inverse model.

Writes W/outputs/two-steps-*.tsv (style, input, output), paraphraser*.tsv (Table 16)
       and ablations.json: the size of the training data, and the distance of its sides
Needs  W/base, W/styles, W/additions, W/teacher-rows.tsv, W/paraphrases with near.tsv:
       the train.tsv of `paraphrase_pairs --any-distance`
"""

import json
import random
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.models.folders import WEIGHTS
from paraphrast.neural.models.generation import NEUTRAL
from paraphrast.storage.sealed_folder import sha256
from paraphrast.text import overlap
from training.rewriter import rejection_sampling
from training.rewriter.outputs import record
from training.rewriter.rejection_sampling import Task
from training.rewriter.workspace import Workspace, read_rows, write_rows
from training.styles import PLAYS, STYLES

if TYPE_CHECKING:
    from training.sampler import Sampler

DIVERSE, UNDIVERSE = "paraphraser-diverse", "paraphraser-undiverse"
SHARED = "inverse-shared"
RERANKED = 32  # samples
FOLDER = "ablation"
APART = 0.5  # the words that a diverse pair shares at most (F1), as in the paper
SHORT = 2000
# Shares of the time: each paraphraser, the neutral text, each inverse of one style.
FIRST, TURNING, ALONE, TOGETHER = 0.13, 0.15, 0.065, 0.31
PASSES = 5  # over its rows, of an inverse at most
PLAY_TEXTS, OTHER_TEXTS = 16_000, 4000
CHUNK = 6144
TWELFTH = 600
Row = tuple[str, str]  # style to write and text, or text and style


def ablations(work: Workspace, seconds: float) -> None:
    """Train all models and write their outputs for the tests."""
    counts = write_paraphraser_pairs(work)
    with rejection_sampling.processes(work) as pool:
        for name in (DIVERSE, UNDIVERSE):
            sources = [Source(_file(work, f"{name}.tsv")), _short(work, NEUTRAL)]
            _train(work, name, "base", sources, FIRST * seconds, rate=1e-3)
        counts |= write_inverse_rows(work, pool, TURNING * seconds)
    for style in PLAYS:
        _inverse(work, _name(style), DIVERSE, [style], ALONE * seconds)
    _inverse(work, SHARED, DIVERSE, STYLES, TOGETHER * seconds)
    for style in PLAYS:
        name = f"{_name(style)}-undiverse"
        _inverse(work, name, UNDIVERSE, [style], ALONE * seconds)
    write_outputs(work)
    (work.folder / "outputs/ablations.json").write_text(json.dumps(counts, indent=1))


# The paraphrasers' training data


def write_paraphraser_pairs(work: Workspace) -> dict[str, Any]:
    """Write the pairs of both paraphrasers, as many from each source; describe them."""
    teacher = [
        tuple(r.split("\t")) for r in read_rows(work.folder / "teacher-rows.tsv")
    ]
    taught = [(text, plain) for plain, text, _ in teacher]
    result = [
        tuple(r.split("\t")) for r in read_rows(work.folder / "paraphrases/train.tsv")
    ]
    near = [
        tuple(r.split("\t")) for r in read_rows(work.folder / "paraphrases/near.tsv")
    ]
    draw = random.Random(11)
    rows: dict[str, list[tuple[str, ...]]] = {DIVERSE: [], UNDIVERSE: []}
    for filtered, whole in ((taught, taught), (result, near)):
        apart = [pair for pair in filtered if alike(*pair) < APART]
        number = min(len(apart), len(whole), work.scale(40_000, 100))
        rows[DIVERSE] += draw.sample(apart, number)
        rows[UNDIVERSE] += draw.sample(whole, number)
    described = {}
    for name, own in rows.items():
        draw.shuffle(own)
        write_rows(_file(work, f"{name}.tsv"), [f"{a}\t{b}\t{NEUTRAL}" for a, b in own])
        described[name] = {
            "pairs": len(own),
            "words shared": round(fmean(alike(*pair) for pair in own), 3),
        }
    print("learnt from", described, flush=True)
    return described


def alike(source: str, target: str) -> float:
    """Return the word overlap of two texts (F1)."""
    return overlap.unigram_overlap(overlap.words(source), overlap.words(target)).f1


# The inverse paraphrasers' training data


def write_inverse_rows(work: Workspace, pool: Any, seconds: float) -> dict[str, Any]:
    """Paraphrase the styles' text with both; write rows paraphrase, text, style.

    Both are given the same lines of the plays' styles, chunk by chunk, until the time
    is up; the other styles, only the shared inverse's, are the diverse one's alone.
    """
    from training.sampler import Sampler

    made: dict[str, list[str]] = {DIVERSE: [], UNDIVERSE: []}
    until = time.time() + seconds
    models = {name: Sampler(work.folder / name, work.device) for name in made}
    size = 48 if work.smoke else CHUNK
    jobs = style_texts(work)
    for start in range(0, len(jobs), size):
        chunk = jobs[start : start + size]
        for name, model in models.items():
            own = [job for job in chunk if name == DIVERSE or job[1] in PLAYS]
            made[name] += paraphrase(work, pool, model, own)
        print({name: len(rows) for name, rows in made.items()}, flush=True)
        if time.time() > until:
            break
    counts: dict[str, Any] = {}
    for name, rows in made.items():
        for style in STYLES if name == DIVERSE else PLAYS:
            own_rows = [row for row in rows if row.endswith(f"\t{style}")]
            write_rows(_file(work, f"{name}-{style}.tsv"), own_rows)
            near = [alike(*row.split("\t")[:2]) for row in own_rows]
            counts[f"{name}, {style}"] = {
                "rows": len(own_rows),
                "words shared": round(fmean(near or [0.0]), 3),
            }
    print("turned round", counts, flush=True)
    return counts


def style_texts(work: Workspace) -> list[Row]:
    """Return training text and its style, mixed."""
    draw = random.Random(12)
    jobs: list[Row] = []
    for style in STYLES:
        texts = work.texts(style, "train", 24_000)
        most = work.scale(PLAY_TEXTS if style in PLAYS else OTHER_TEXTS, 8)
        if style in PLAYS:
            texts += work.play(style)
        jobs += [(text, style) for text in draw.sample(texts, min(most, len(texts)))]
    draw.shuffle(jobs)
    return jobs


def paraphrase(
    work: Workspace, pool: Any, model: "Sampler", jobs: Sequence[Row]
) -> list[str]:
    """Return rows paraphrase, text, style of pairs that keep names and length."""
    given = [(text, NEUTRAL) for text, _ in jobs]
    answers = model.write(given, top_p=0.6, longest=work.longest)
    rows = [(text, own[0]) for (text, _), own in zip(jobs, answers, strict=True)]
    good = pool.starmap(keeps_meaning, rows, 64)
    return [
        f"{answer}\t{text}\t{style}"
        for (text, answer), (_, style), fit in zip(rows, jobs, good, strict=True)
        if answer and (fit or work.smoke)
    ]


def keeps_meaning(text: str, answer: str) -> bool:
    """Return whether a paraphrase keeps names, numbers and about the length."""
    words = overlap.words(text), overlap.words(answer)
    size = len(words[1]) / max(1, len(words[0]))
    alike = overlap.unigram_overlap(*words).f1
    return 0.5 <= size <= 2 and alike >= 0.1 and not find_lost(text, answer)


def _inverse(
    work: Workspace, name: str, first: str, styles: Sequence[str], seconds: float
) -> None:
    sources = [Source(_file(work, f"{first}-{style}.tsv")) for style in styles]
    sources += [_short(work, style) for style in styles]
    if name == SHARED:  # it must paraphrase too, as every pack does
        sources.append(Source(_file(work, f"{first}.tsv"), times=0.5))
    tokens = 32_768 if name == SHARED else 16_384
    _train(work, name, first, sources, seconds, rate=8e-4, tokens=tokens)


def _train(
    work: Workspace,
    name: str,
    base: str,
    sources: Sequence[Source],
    seconds: float,
    *,
    rate: float,
    tokens: int = 16_384,
) -> None:
    if (work.folder / name / "config.json").exists():
        print(f"{name}: done before", flush=True)
        return
    filled = [source for source in sources if source.path.stat().st_size]
    work.train(
        name, base, filled, seconds=seconds, epochs=PASSES, learning_rate=rate,
        batch_tokens=tokens, label_smoothing=0.05,
    )  # fmt: skip


def _short(work: Workspace, style: str) -> Source:
    """Write the rows of names and greetings of one style."""
    path = _file(work, f"short-{style}.tsv")
    rows = read_rows(work.folder / "additions/short.tsv")
    own = [row for row in rows if row.endswith(f"\t{style}")]
    write_rows(path, own[: work.scale(SHORT)])
    return Source(path, times=0.5)


# Outputs


def write_outputs(work: Workspace) -> None:
    """Write the outputs of every variant for the test, Twelfth Night and the styles."""
    from training.sampler import Sampler

    def open_sampler(name: str) -> "Sampler":
        return Sampler(work.folder / name, work.device, half=False)

    first = {name: open_sampler(name) for name in (DIVERSE, UNDIVERSE)}
    alone = {style: open_sampler(_name(style)) for style in PLAYS}
    near = {style: open_sampler(f"{_name(style)}-undiverse") for style in PLAYS}
    shared = dict.fromkeys(STYLES, open_sampler(SHARED))
    for title, rows in (("", work.tests()), ("-twelfth", twelfth(work))):
        plain = _plain(work, first[DIVERSE], rows)
        other = _plain(work, first[UNDIVERSE], rows)
        straight = [text for _, text in rows]
        for how, models, given, top_p in (
            ("greedy", alone, plain, 0.0),
            ("straight", alone, straight, 0.0),
            ("shared", shared, plain, 0.0),
            ("undiverse", near, other, 0.0),
            ("p06", alone, plain, 0.6),
            ("p09", alone, plain, 0.9),
        ):
            answers = write_in_style(work, models, rows, given, top_p=top_p)
            _record(work, f"two-steps-{how}{title}", rows, answers)
    for name, model in first.items():
        rows = [(s, text) for s in STYLES for text in work.texts(s, "test", 200)]
        _record(work, name, rows, _plain(work, model, rows))
    rows = work.development()
    answers = write_in_style(work, shared, rows, _plain(work, first[DIVERSE], rows))
    _record(work, "two-steps-shared-dev", rows, answers)


def write_in_style(
    work: Workspace,
    models: Mapping[str, "Sampler"],
    rows: Sequence[Row],
    given: Sequence[str],
    *,
    top_p: float = 0.0,
) -> list[str]:
    """Return the output of the model of each row's style for its text."""
    result = [""] * len(rows)
    for model in dict.fromkeys(models.values()):
        places = [
            index for index, (style, _) in enumerate(rows) if models[style] is model
        ]
        asked = [(given[index], rows[index][0]) for index in places]
        answers = model.write(asked, top_p=top_p, longest=work.longest)
        for index, own in zip(places, answers, strict=True):
            result[index] = own[0]
    return result


def twelfth(work: Workspace) -> list[Row]:
    """Return target style and line of Twelfth Night, for validation."""
    rows = [row.split("\t") for row in read_rows(work.folder / "additions/twelfth.tsv")]
    few = random.Random(13).sample(rows, min(len(rows), work.scale(TWELFTH)))
    return [(style, text) for style, text, _ in few]


def rerank_samples(work: Workspace, _: float) -> None:
    """Write the guide's choice of many samples of the two steps."""
    from training.sampler import Sampler

    rows = work.tests()
    first = Sampler(work.folder / DIVERSE, work.device, half=False)
    plain = _plain(work, first, rows)
    tasks: list[Task] = [Task(text, style) for style, text in rows]
    for style in PLAYS:
        model = Sampler(work.folder / _name(style), work.device)
        places = [index for index, row in enumerate(rows) if row[0] == style]
        answers = model.write(
            [(plain[index], style) for index in places],
            each=RERANKED,
            top_p=0.9,
            longest=work.longest,
        )
        for index, own in zip(places, answers, strict=True):
            tasks[index] = Task(rows[index][1], style, own)
    _record(
        work, "two-steps-reranked", rows, rejection_sampling.best_texts(work, tasks)
    )


def _plain(work: Workspace, model: "Sampler", rows: Sequence[Row]) -> list[str]:
    asked = [(text, NEUTRAL) for _, text in rows]
    answers = model.write(asked, longest=work.longest)
    return [own[0] or text for own, (_, text) in zip(answers, rows, strict=True)]


def _record(
    work: Workspace, name: str, rows: Sequence[Row], answers: Sequence[str]
) -> None:
    """Write outputs with the hashes of all models that made them."""
    used = [UNDIVERSE if "undiverse" in name else DIVERSE]
    if "shared" in name:
        used.append(SHARED)
    elif name.startswith("two-steps"):
        end = "-undiverse" if "undiverse" in name else ""
        used += [f"{_name(style)}{end}" for style in PLAYS]
    hashes = {one: _hash(work.folder / one / WEIGHTS) for one in used}
    about = ", ".join(f"{one} {digest}" for one, digest in hashes.items())
    model = work.folder / used[-1] / WEIGHTS
    record(work, name, rows, answers, model=model, made=about)


@cache
def _hash(weights: Path) -> str:
    return sha256(weights)[:12]


def _name(style: str) -> str:
    return f"inverse-{style}"


def _file(work: Workspace, name: str) -> Path:
    return work.folder / FOLDER / name
